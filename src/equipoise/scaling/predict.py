"""Predict the time to train of configurations nobody measured, with honest intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from equipoise import facts
from equipoise.errors import NothingFoundError, UnknownNameError, UsageError
from equipoise.scaling.pooled import TYPICAL, Belief, Calibration, Place, Point, PooledModel
from equipoise.scaling.pooled.coordinates import block_name, filled_in
from equipoise.scaling.pooled.points import LEFT_OUT
from equipoise.scaling.pooled.shipped import shipped

Array = NDArray[np.float64]

MEASURED: Final = "measured"
INTERPOLATED: Final = "interpolated"
EXTRAPOLATED: Final = "extrapolated"
NEW_ACCELERATOR: Final = "new_accelerator"
BASES: Final = (MEASURED, INTERPOLATED, EXTRAPOLATED, NEW_ACCELERATOR)
LEVELS: Final = (0.5, 0.8, 0.9)
FAR: Final = 4
"""Counts beyond this many times the largest one seen are flagged."""
NEAREST: Final = 3
"""Pieces of evidence named with each prediction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A published score near a prediction."""

    key: str
    """`round/submitter/system_id/benchmark`, the first of the submitters behind it."""
    submitters: int
    accelerator_id: str
    accelerators: int
    round: str
    time_to_train_min: float
    """Median of the submitters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """The predicted time to train of one configuration."""

    benchmark: str
    round: str
    submitter: str | None
    accelerator_id: str
    accelerators: int
    time_to_train_min: float
    """Median of the prediction."""
    low_50: float
    high_50: float
    low_80: float
    high_80: float
    low_90: float
    high_90: float
    log_sd: float
    """Scale of the Student distribution of log time."""
    freedom: float
    """Its degrees of freedom."""
    basis: str
    """measured, interpolated, extrapolated or new_accelerator."""
    reason: str
    far: bool
    """Beyond four times the largest count seen for the benchmark: no evidence supports it."""
    nearest: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionResult:
    """Predictions along n with their correlation."""

    benchmark: str
    round: str
    submitter: str | None
    predictions: tuple[Prediction, ...]
    log_covariance: tuple[tuple[float, ...], ...]
    """Covariance of the scale matrix of log time between the predictions."""
    model_points: int
    model_rounds: tuple[str, ...]
    warnings: tuple[str, ...]

    def samples(self, rng: np.random.Generator, *, size: int) -> Array:
        """Return joint draws of the times in minutes, shape (size, predictions).

        Draws are multivariate Student with the least degrees of freedom of the rows, so
        that curves drawn together keep the shape the model believes in.
        """
        return draw_minutes(
            rng,
            size,
            np.log([p.time_to_train_min for p in self.predictions]),
            np.asarray(self.log_covariance),
            min(p.freedom for p in self.predictions),
        )


def draw_minutes(
    rng: np.random.Generator, size: int, log_time: Array, covariance: Array, freedom: float
) -> Array:
    """Return draws of exp(t) with t multivariate Student, shape (size, M)."""
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    normal = rng.standard_normal((size, len(log_time))) @ root.T
    stretch = np.sqrt(freedom / rng.chisquare(freedom, size))
    return np.asarray(np.exp(log_time + normal * stretch[:, None]))


def predict(
    model: PooledModel,
    *,
    benchmark: str,
    accelerator_id: str | Sequence[str],
    accelerators: Sequence[int],
    round: str | None = None,  # noqa: A002
    submitter: str | None = None,
) -> PredictionResult:
    """Return predicted times to train with intervals, a basis and a reason each.

    Parameters
    ----------
    model : PooledModel
        From `fit_pooled` on the configurations of every benchmark.
    benchmark : str
        Id, pretty name or alias.
    accelerator_id : str or sequence of str
        Each is combined with every count.
    accelerators : sequence of int
        Counts above zero.
    round : str or None
        Whose software; None: the latest round with scores of the benchmark.
    submitter : str or None
        None: like the submitters behind the nearest evidence; `typical`: the average one.

    Raises
    ------
    UsageError
        A count below one, or a round the benchmark was not part of.
    UnknownNameError
        A benchmark, accelerator, round or submitter that is not known.
    NothingFoundError
        No score of the benchmark to learn from.

    Notes
    -----
    log(n T) is a Gaussian process with Student-t noise (see `scaling.pooled.structure`);
    intervals are calibrated on left-out points of the same kind (see `validate`).
    """
    found = facts.benchmark(benchmark)
    chosen = checked_round(model, found.id, round)
    who = checked_submitter(model, submitter)
    counts = checked_counts(accelerators)
    ids = [accelerator_id] if isinstance(accelerator_id, str) else list(accelerator_id)
    wanted = [facts.accelerator(one).id for one in ids]
    places = [Place(found.id, chosen, one, n) for one in wanted for n in counts]
    belief = model.believe(places, submitter=who)
    rows: list[Prediction] = []
    scales: list[float] = []
    warnings: list[str] = []
    for i, place in enumerate(places):
        judged = judge(model, place)
        calibration = shipped().calibration(judged.kind)
        scales.append(calibration.scale)
        rows.append(_row(model, place, who, belief, i, judged, calibration))
        warnings.extend(judged.warnings)
    outer = np.outer(scales, scales)
    total = (belief.covariance + np.diag(belief.noise)) * outer
    return PredictionResult(
        benchmark=found.id,
        round=chosen,
        submitter=who,
        predictions=tuple(rows),
        log_covariance=tuple(tuple(float(v) for v in row) for row in total),
        model_points=len(model.pool),
        model_rounds=_rounds(model),
        warnings=tuple(dict.fromkeys(warnings)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What supports a prediction."""

    basis: str
    kind: str
    """Which calibration applies: interpolated, extrapolated, forward, new_pair,
    new_accelerator."""
    reason: str
    far: bool
    warnings: tuple[str, ...]


def judge(model: PooledModel, place: Place) -> Judged:
    """Return the basis of a prediction in words."""
    points = model.pool.points
    block = block_name(place.benchmark, place.round)
    of_block = [p for p in points if p.block == block]
    of_pair = [p for p in of_block if p.place.accelerator_id == place.accelerator_id]
    largest = max((p.place.accelerators for p in of_block), default=0)
    far = place.accelerators > FAR * largest
    warnings = []
    if far:
        warnings.append(
            f"{place.accelerators} accelerators is more than {FAR} times the largest count "
            f"seen for {place.benchmark} ({largest}): nothing supports this prediction"
        )
    missing = filled_in(place.accelerator_id)
    if missing and not of_pair:
        warnings.append(
            f"no source gives the {' and '.join(missing)} of {place.accelerator_id}: "
            "estimated from other accelerators"
        )
    if of_pair:
        basis, kind, reason = _known_pair(place, of_pair)
    else:
        basis, kind, reason = _unknown_pair(model, place, of_block)
    if far:
        reason += f"; beyond {FAR} times the largest count seen ({largest}), do not rely on it"
    return Judged(basis=basis, kind=kind, reason=reason, far=far, warnings=tuple(warnings))


def _known_pair(place: Place, of_pair: Sequence[Point]) -> tuple[str, str, str]:
    counts = sorted({p.place.accelerators for p in of_pair})
    here = [p for p in of_pair if p.place == place]
    if here:
        k = len(here[0].submitters)
        who = "1 submitter" if k == 1 else f"{k} submitters"
        return (
            MEASURED,
            INTERPOLATED,
            f"measured in {place.round}: {here[0].time_to_train_min:.4g} min ({who})",
        )
    rounds = sorted({p.place.round for p in of_pair}, key=facts.round_index)
    span = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    measured = f"{place.benchmark} was measured on {span} {place.accelerator_id}"
    later = facts.round_index(place.round) > facts.round_index(rounds[-1])
    since = f" (last in {rounds[-1]})" if later else ""
    if counts[0] <= place.accelerators <= counts[-1]:
        if later:
            return EXTRAPOLATED, "forward", f"{measured}{since}: carried on to {place.round}"
        return INTERPOLATED, INTERPOLATED, f"{measured}{since}"
    side = "smaller" if place.accelerators < counts[0] else "larger"
    return EXTRAPOLATED, EXTRAPOLATED, f"{measured}{since}; {place.accelerators} is {side}"


def _unknown_pair(
    model: PooledModel, place: Place, of_block: Sequence[Point]
) -> tuple[str, str, str]:
    elsewhere = sorted(
        {
            p.place.benchmark
            for p in model.pool.points
            if p.place.accelerator_id == place.accelerator_id
        }
    )
    others = len({p.place.accelerator_id for p in of_block})
    if elsewhere:
        listed = ", ".join(elsewhere[:4]) + (", ..." if len(elsewhere) > 4 else "")
        return (
            NEW_ACCELERATOR,
            "new_pair",
            f"{place.accelerator_id} was never measured on {place.benchmark}: bridged by "
            f"{listed} and the {others} accelerators measured on {place.benchmark}",
        )
    return (
        NEW_ACCELERATOR,
        "new_accelerator",
        f"{place.accelerator_id} was never measured: bridged by its peak, bandwidth, memory "
        f"and year from the {others} accelerators measured on {place.benchmark}",
    )


def _row(
    model: PooledModel,
    place: Place,
    submitter: str | None,
    belief: Belief,
    i: int,
    judged: Judged,
    calibration: Calibration,
) -> Prediction:
    centre = float(belief.mean[i] - np.log(place.accelerators))
    sd = float(belief.sd[i])
    bounds = {
        level: (
            float(np.exp(centre - calibration.half_width(level) * sd)),
            float(np.exp(centre + calibration.half_width(level) * sd)),
        )
        for level in LEVELS
    }
    return Prediction(
        benchmark=place.benchmark,
        round=place.round,
        submitter=submitter,
        accelerator_id=place.accelerator_id,
        accelerators=place.accelerators,
        time_to_train_min=float(np.exp(centre)),
        low_50=bounds[0.5][0],
        high_50=bounds[0.5][1],
        low_80=bounds[0.8][0],
        high_80=bounds[0.8][1],
        low_90=bounds[0.9][0],
        high_90=bounds[0.9][1],
        log_sd=calibration.scale * sd,
        freedom=calibration.freedom,
        basis=judged.basis,
        reason=judged.reason,
        far=judged.far,
        nearest=nearest_evidence(model, place),
    )


def nearest_evidence(model: PooledModel, place: Place) -> tuple[Evidence, ...]:
    """Return the published points the model holds most akin to a place."""
    if not len(model.pool):
        return ()
    correlation = model.correlations(place)
    same = np.array([p.place.benchmark == place.benchmark for p in model.pool.points])
    order = np.argsort(-np.where(same, correlation, correlation - 2.0), kind="stable")
    found = []
    for i in order[:NEAREST]:
        point = model.pool.points[i]
        found.append(
            Evidence(
                key=point.keys[0],
                submitters=len(point.submitters),
                accelerator_id=point.place.accelerator_id,
                accelerators=point.place.accelerators,
                round=point.place.round,
                time_to_train_min=point.time_to_train_min,
            )
        )
    return tuple(found)


def checked_counts(accelerators: Sequence[int]) -> tuple[int, ...]:
    """Return the counts, each at least one."""
    if not accelerators:
        raise UsageError("no count of accelerators: give one or more, such as 8,64")
    for n in accelerators:
        if n < 1:
            raise UsageError(
                f"cannot predict {n} accelerators: give counts of 1 or more (CPU-only systems "
                "have no time per accelerator and are not part of the model)"
            )
    return tuple(int(n) for n in accelerators)


def checked_submitter(model: PooledModel, submitter: str | None) -> str | None:
    """Return the submitter as the model spells it; `typical` and None stay."""
    if submitter is None or submitter.lower() == TYPICAL:
        return None if submitter is None else TYPICAL
    known = {name.lower(): name for name in model.pool.submitters}
    if submitter.lower() not in known:
        raise UnknownNameError("submitter", submitter, known.values())
    return known[submitter.lower()]


def checked_round(model: PooledModel, benchmark: str, round_name: str | None) -> str:
    """Return the round asked for, or the latest with scores of the benchmark."""
    if benchmark in LEFT_OUT:
        raise NothingFoundError(
            f"{benchmark} is not part of the pooled model: its scores scatter too much (self-play)"
        )
    rounds = {p.place.round for p in model.pool.points if p.place.benchmark == benchmark}
    if not rounds:
        raise NothingFoundError(
            f"no score of {benchmark} to learn from: measure one and predict your own job"
        )
    if round_name is None:
        return max(rounds, key=facts.round_index)
    named = facts.round_named(round_name).name
    block = facts.block_of(benchmark, named)
    if block is None:
        raise UsageError(f"{benchmark} was not part of {named}")
    if not rounds & set(block.rounds):
        raise NothingFoundError(
            f"no score of {benchmark} in {block.name} (the rounds comparable with {named})"
        )
    return named


def _rounds(model: PooledModel) -> tuple[str, ...]:
    return tuple(sorted({p.place.round for p in model.pool.points}, key=facts.round_index))
