"""The user's own job: its level from the measurements, its shape from like benchmarks."""

import itertools
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from equipoise import facts
from equipoise.errors import UsageError
from equipoise.scaling.own_job_mixture import Mixture, Similar, Target, own_beliefs, own_mixture
from equipoise.scaling.pooled import PooledModel
from equipoise.scaling.pooled.shipped import shipped
from equipoise.scaling.predict import LEVELS, checked_counts
from equipoise.scaling.predict_basis import (
    EXTRAPOLATED,
    FAR,
    INTERPOLATED,
    MEASURED,
    NEW_ACCELERATOR,
)
from equipoise.structs import dataclass
from equipoise.units import figure

Array = NDArray[np.float64]

NAMED: Final = 5
"""Benchmarks named in the reason."""
LEAST_WEIGHT: Final = 0.02
"""Benchmarks with less weight than this are not named."""
CALIBRATION: Final = "own_job"
CALIBRATION_ELSEWHERE: Final = "new_pair"
"""On another accelerator than the measured one."""
UNVERIFIED: Final = "the user's own measurements are not verified by MLCommons Association"


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnJobPrediction:
    """The predicted time of the user's own job at one count; never an MLPerf result."""

    accelerator_id: str
    accelerators: int
    time_to_train_min: float
    low_50: float
    high_50: float
    low_80: float
    high_80: float
    low_90: float
    high_90: float
    basis: str
    """measured, interpolated, extrapolated, or new_accelerator: not the measured one."""
    reason: str
    far: bool
    """More than four times the largest measured count away from it."""
    measured_min: float | None
    """Median of the user's own measurements of this very count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnJobResult:
    """Predictions of the user's own job along n."""

    accelerator_id: str
    measured: tuple[tuple[int, float], ...]
    """(accelerators, minutes) as given."""
    like: str | None
    similar: tuple[Similar, ...]
    predictions: tuple[OwnJobPrediction, ...]
    mixture: Mixture
    warnings: tuple[str, ...]
    doubts: tuple[str, ...] = ()
    """Those of the warnings that say what is odd about the measurements."""

    def samples(self, rng: np.random.Generator, *, size: int) -> Array:
        """Return joint draws of the times in minutes, shape (size, predictions)."""
        return self.mixture.samples(rng, size)


def own_job(
    model: PooledModel,
    *,
    measured: Sequence[tuple[int, float]],
    accelerator_id: str,
    accelerators: Sequence[int],
    like: str | None = None,
    on: Sequence[str] | None = None,
) -> OwnJobResult:
    """Return the predicted times of a job known only by the user's own measurements.

    `log(n T) = a + f_b(n) + d(n)`: the level a is free, f_b is the curve of benchmark b on
    this accelerator, d a deviation of the job's own. The answer is the mixture over all
    benchmarks (and one that is like none of them), weighted by how well each explains the
    measurements and how near its amount of work is.

    Parameters
    ----------
    model : PooledModel
    measured : sequence of (int, float)
        (accelerators, minutes); one is enough.
    accelerator_id : str
        What the measurements were made on.
    accelerators : sequence of int
        Counts to predict.
    like : str or None
        A benchmark whose shape is to be used; None: all, weighted.
    on : sequence of str or None
        Accelerators to predict; None: the measured one.

    Raises
    ------
    UsageError
        No measurement, or a count or time that is not above zero.
    UnknownNameError
        An accelerator or benchmark that is not known.
    NothingFoundError
        No score of the benchmark given as `like`.
    """
    home = facts.accelerator(accelerator_id).id
    points = checked_measurements(measured)
    counts = checked_counts(accelerators)
    named = None if like is None else facts.benchmark(like).id
    wanted = [home] if on is None else [facts.accelerator(one).id for one in on]
    targets = [(one, n) for one in wanted for n in counts]
    elsewhere = any(one != home for one in wanted)
    beliefs = own_beliefs(model, measured=points, accelerator_id=home, targets=targets, like=named)
    similar, mixture = own_mixture(
        beliefs,
        settings=shipped().own_job,
        calibration=shipped().calibration(CALIBRATION_ELSEWHERE if elsewhere else CALIBRATION),
    )
    bounds = {
        level: (mixture.quantile((1 - level) / 2), mixture.quantile((1 + level) / 2))
        for level in LEVELS
    }
    centre = mixture.quantile(0.5)
    rows = tuple(
        _row(target, home, points, i, centre, bounds, similar) for i, target in enumerate(targets)
    )
    doubts: tuple[str, ...] = (*_doubts(points), *_contradicted(similar, mixture, named))
    if elsewhere and home in wanted:  # what else is asked for changes no answer
        alone = own_job(model, measured=points, accelerator_id=home, accelerators=counts, like=like)
        here = {row.accelerators: row for row in alone.predictions}
        rows = tuple(here[r.accelerators] if r.accelerator_id == home else r for r in rows)
        doubts = alone.doubts
    return OwnJobResult(
        accelerator_id=home,
        measured=points,
        like=named,
        similar=similar,
        predictions=rows,
        mixture=mixture,
        warnings=(UNVERIFIED, *doubts, *_unknown(model, [home, *wanted])),
        doubts=doubts,
    )


def _doubts(measured: Sequence[tuple[int, float]]) -> list[str]:
    warnings = []
    if len({n for n, _ in measured}) == 1:
        warnings.append(
            "one measured count fixes the level only; the shape is that of the benchmarks: "
            "measure a second count"
        )
    return warnings + _rising(measured)


def _unknown(model: PooledModel, accelerators: Sequence[str]) -> list[str]:
    known = {p.place.accelerator_id for p in model.pool.points}
    return [
        f"{one} was never measured in MLPerf Training: its shape is bridged by its facts"
        for one in dict.fromkeys(accelerators)
        if one not in known
    ]


def _contradicted(similar: Sequence[Similar], mixture: Mixture, named: str | None) -> list[str]:
    if mixture.misfit == 1.0:
        return []
    which = "the likest there is" if named is None else "the benchmark that the job is said to be"
    text = (
        f"the measurements contradict the curve of {similar[0].benchmark}, {which}"
        f"{'' if named is None else ' like'}: intervals are "
        f"{figure(mixture.misfit**0.5)} times as wide as usual"
    )
    if named is not None:
        text += "; name none, and the benchmarks that the measurements are like are taken"
    return [text]


def _rising(measured: Sequence[tuple[int, float]]) -> list[str]:
    """Return a warning where more accelerators took longer than fewer."""
    times = {
        n: float(np.median([t for count, t in measured if count == n]))
        for n in sorted({n for n, _ in measured})
    }
    counts = list(times)
    worse = [(a, b) for a, b in itertools.pairwise(counts) if times[b] >= times[a]]
    return [
        f"{b} accelerators were measured no faster than {a} ({figure(times[b], 4)} against "
        f"{figure(times[a], 4)} min): beyond {a} more accelerators only cost, or a measurement "
        "is wrong; predictions beyond assume a curve like those of the benchmarks"
        for a, b in worse[:1]
    ]


def checked_measurements(measured: Sequence[tuple[int, float]]) -> tuple[tuple[int, float], ...]:
    """Return the measurements by count."""
    if not measured:
        raise UsageError("no measurement: give at least one, such as 8=180min")
    for n, minutes in measured:
        if n < 1 or not np.isfinite(minutes) or minutes <= 0:
            raise UsageError(f"the measurement {n}={minutes:g} min: both must be above zero")
    return tuple(sorted((int(n), float(minutes)) for n, minutes in measured))


def _row(
    target: Target,
    home: str,
    measured: Sequence[tuple[int, float]],
    i: int,
    centre: Array,
    bounds: dict[float, tuple[Array, Array]],
    similar: Sequence[Similar],
) -> OwnJobPrediction:
    accelerator_id, n = target
    counts = sorted({count for count, _ in measured})
    least, most = counts[0], counts[-1]
    far = n > FAR * most or n * FAR < least
    minutes = None
    if accelerator_id != home:
        basis, where = NEW_ACCELERATOR, f"measured on {home}, not on {accelerator_id}"
    elif n in counts:
        minutes = float(np.median([t for count, t in measured if count == n]))
        basis, where = MEASURED, f"measured: {figure(minutes, 4)} min"
    elif least < n < most:
        basis, where = INTERPOLATED, f"between the measured {least} and {most}"
    else:
        basis, where = EXTRAPOLATED, f"measured on {', '.join(map(str, counts))} only"
    listed = [f"{s.benchmark} {s.weight:.0%}" for s in similar[:NAMED] if s.weight > LEAST_WEIGHT]
    reason = f"{where}; shape like {', '.join(listed)}"
    if far:
        reason += f"; more than {FAR} times away from what was measured"
    return OwnJobPrediction(
        accelerator_id=accelerator_id,
        accelerators=n,
        time_to_train_min=float(np.exp(centre[i])),
        low_50=float(np.exp(bounds[0.5][0][i])),
        high_50=float(np.exp(bounds[0.5][1][i])),
        low_80=float(np.exp(bounds[0.8][0][i])),
        high_80=float(np.exp(bounds[0.8][1][i])),
        low_90=float(np.exp(bounds[0.9][0][i])),
        high_90=float(np.exp(bounds[0.9][1][i])),
        basis=basis,
        reason=reason,
        far=far,
        measured_min=minutes,
    )
