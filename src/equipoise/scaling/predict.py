"""Predict the time to train of configurations nobody measured, with honest intervals."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from equipoise import facts
from equipoise.errors import NothingFoundError, UnknownNameError, UsageError
from equipoise.scaling.pooled import TYPICAL, Belief, Calibration, Place, PooledModel
from equipoise.scaling.pooled.points import LEFT_OUT
from equipoise.scaling.pooled.shipped import shipped
from equipoise.scaling.predict_basis import Judged, judge
from equipoise.structs import dataclass

Array = NDArray[np.float64]

LEVELS: Final = (0.5, 0.8, 0.9)
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
    too_small: bool
    """Less accelerator memory in total than the training state takes, and than every
    published configuration has."""
    nearest: tuple[Evidence, ...]
    measured_min: float | None = None
    """Median published time where basis is `measured`; the prediction also draws on its
    neighbours, other rounds and the scatter between submitters."""


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
    judged = [judge(model, place) for place in places]
    rows = _rows(model, places, who, belief, judged, evidence=True)
    scales = [shipped().calibration(j.kind).scale for j in judged]
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
        warnings=tuple(dict.fromkeys(text for j in judged for text in j.warnings)),
    )


def predict_each(
    model: PooledModel, wanted: Sequence[tuple[str, int]], *, benchmark: str
) -> tuple[Prediction, ...]:
    """Return one prediction for each (accelerator id, accelerators), without its evidence.

    The same numbers as `predict`, for many sizes of many accelerators at once.

    Raises
    ------
    UsageError, UnknownNameError, NothingFoundError
        As `predict`.
    """
    if not wanted:
        return ()
    found = facts.benchmark(benchmark)
    chosen = checked_round(model, found.id, None)
    checked_counts([n for _, n in wanted])
    places = [Place(found.id, chosen, facts.accelerator(name).id, n) for name, n in wanted]
    judged = [judge(model, place) for place in places]
    belief = model.believe(places, submitter=None)
    return tuple(_rows(model, places, None, belief, judged, evidence=False))


def _rows(
    model: PooledModel,
    places: Sequence[Place],
    submitter: str | None,
    belief: Belief,
    judged: Sequence[Judged],
    *,
    evidence: bool,
) -> list[Prediction]:
    calibrations = {j.kind: shipped().calibration(j.kind) for j in judged}
    widths = {
        kind: {level: calibration.half_width(level) for level in LEVELS}
        for kind, calibration in calibrations.items()
    }
    spread = belief.sd
    return [
        _row(
            place,
            submitter,
            float(belief.mean[i] - np.log(place.accelerators))
            + calibrations[judged[i].kind].location * float(spread[i]),
            float(spread[i]),
            judged[i],
            calibrations[judged[i].kind],
            widths[judged[i].kind],
            nearest_evidence(model, place) if evidence else (),
        )
        for i, place in enumerate(places)
    ]


def _row(
    place: Place,
    submitter: str | None,
    centre: float,
    sd: float,
    judged: Judged,
    calibration: Calibration,
    widths: Mapping[float, float],
    nearest: tuple[Evidence, ...],
) -> Prediction:
    bounds = {
        level: (
            float(np.exp(centre - widths[level] * sd)),
            float(np.exp(centre + widths[level] * sd)),
        )
        for level in LEVELS
    }
    reason, here = judged.reason, judged.measured_min
    if here is not None and not bounds[0.9][0] <= here <= bounds[0.9][1]:
        side = "above" if here > bounds[0.9][1] else "below"
        reason += (
            f"; that lies {side} the 90 % interval, which its neighbours, other rounds and the "
            "scatter between submitters decide as well"
        )
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
        reason=reason,
        far=judged.far,
        too_small=judged.too_small,
        nearest=nearest,
        measured_min=here,
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
