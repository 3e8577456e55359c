"""Everything about curves that both the scaling table and the break-even rules need."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from equipoise.domain import Configuration
from equipoise.errors import DataError, UsageError
from equipoise.scaling.average import (
    AveragedCurve,
    CurveReplicates,
    average_laws,
    replicate_curve,
)
from equipoise.scaling.curves import (
    Curve,
    NoiseFloor,
    build_curves,
    noise_floor,
    usable_configurations,
)
from equipoise.scaling.fit import LawFit, fit_law, refused_row
from equipoise.scaling.laws import Law, laws_named
from equipoise.scaling.replicates import ScoreReplicates, score_replicates
from equipoise.scaling.results import BASIS_POOLED, BASIS_RUNS, BASIS_SUBMITTERS, LawRow
from equipoise.structs import dataclass

Array = NDArray[np.float64]

RESAMPLES = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveAnalysis:
    """One curve with its points as arrays, resampled points, laws and averaged curve."""

    curve: Curve
    counts: Array
    """(N,) different counts."""
    log_time: Array
    """(N,) log of the best score of each count."""
    log_replicates: Array
    """(B, N) the same resampled over runs and submitters."""
    interval_basis: str | None
    """What the replicates rest on; None when some point has no runs."""
    reference_log_time: float
    reference_log_replicates: Array
    """(B,)"""
    reference_accelerators: int
    reference_on_curve: bool
    noise: NoiseFloor
    fits: tuple[LawFit, ...]
    refused: tuple[LawRow, ...]
    average: AveragedCurve | None
    average_replicates: CurveReplicates | None

    @property
    def peak_accelerators(self) -> float | None:
        """Return where the averaged curve is fastest, None when it still falls at its end."""
        if self.average is None:
            return None
        grid = np.geomspace(self.counts[0], EXTENSION * self.counts[-1], 400)
        least = int(self.average.log_time(grid).argmin())
        return None if least == len(grid) - 1 else float(grid[least])


EXTENSION = 4.0
"""Curves are extrapolated to this many times the largest measured count, never further."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """All curves of one benchmark."""

    configurations: tuple[Configuration, ...]
    replicates: ScoreReplicates
    curves: tuple[CurveAnalysis, ...]
    warnings: tuple[str, ...]


def analyse(
    configurations: Sequence[Configuration],
    *,
    by: str,
    reference: str,
    laws: Iterable[str] | None,
    level: float,
    resamples: int,
    rng: np.random.Generator,
) -> Analysis:
    """Return curves, resampled scores, fitted laws and averaged curves.

    Parameters
    ----------
    configurations : sequence of Configuration
        Of one benchmark and one compatible block.
    by, reference : str
        See `build_curves`.
    laws : iterable of str or None
        Names of laws; None is all.
    level, resamples, rng
        Level of intervals, number of resamples, and the random generator.

    Raises
    ------
    UsageError
        For fewer than one resample.
    """
    if resamples < 1:
        raise UsageError(f"{resamples} resamples give no interval; ask for at least 1")
    usable, warnings = usable_configurations(configurations)
    chosen = laws_named(laws)
    curves = build_curves(usable, by=by, reference=reference)
    replicates = score_replicates(usable, resamples=resamples, level=level, rng=rng)
    return Analysis(
        configurations=usable,
        replicates=replicates,
        curves=tuple(
            _analyse_curve(usable, curve, replicates, chosen, level=level, rng=rng)
            for curve in curves
        ),
        warnings=warnings,
    )


def _analyse_curve(
    configurations: Sequence[Configuration],
    curve: Curve,
    replicates: ScoreReplicates,
    laws: Sequence[Law],
    *,
    level: float,
    rng: np.random.Generator,
) -> CurveAnalysis:
    best = [configurations[i] for i in curve.best]
    counts = np.array([configuration.accelerators for configuration in best], dtype=np.float64)
    log_time = np.log([configuration.time_to_train_min for configuration in best])
    log_replicates = np.stack(
        [_best_of(configurations, members, replicates, rng) for members in curve.alternatives],
        axis=1,
    )
    fits, refused = _fit_all(laws, curve.name, counts, log_time, level)
    average = average_laws(fits)
    average_replicates = None
    if average is not None and average.spread is not None:
        average_replicates = replicate_curve(
            average, log_replicates - log_time, level=level, rng=rng
        )
    reference = configurations[curve.reference]
    on_curve = curve.reference in curve.best
    reference_log = float(np.log(reference.time_to_train_min))
    return CurveAnalysis(
        curve=curve,
        counts=counts,
        log_time=log_time,
        log_replicates=log_replicates,
        interval_basis=_interval_basis(curve, replicates),
        reference_log_time=reference_log,
        reference_log_replicates=(
            log_replicates[:, curve.best.index(curve.reference)]
            if on_curve
            else reference_log + replicates.log_deviation[curve.reference]
        ),
        reference_accelerators=reference.accelerators,
        reference_on_curve=on_curve,
        noise=noise_floor(configurations, curve),
        fits=fits,
        refused=refused,
        average=average,
        average_replicates=average_replicates,
    )


def _fit_all(
    laws: Sequence[Law], curve: str, counts: Array, log_time: Array, level: float
) -> tuple[tuple[LawFit, ...], tuple[LawRow, ...]]:
    fits, refused = [], []
    for law in laws:
        try:
            fits.append(fit_law(law, counts, np.exp(log_time), level=level))
        except DataError as error:
            refused.append(refused_row(law, curve, error.reason, len(counts)))
    return tuple(fits), tuple(refused)


def _best_of(
    configurations: Sequence[Configuration],
    members: Sequence[int],
    replicates: ScoreReplicates,
    rng: np.random.Generator,
) -> Array:
    """Return (B,) log scores of one count: submitters drawn again, runs drawn again, best."""
    logs = np.log([configurations[i].time_to_train_min for i in members])
    drawn = logs[:, None] + replicates.log_deviation[list(members)]
    if len(members) == 1:
        return np.asarray(drawn[0])
    picks = rng.integers(0, len(members), size=drawn.shape)
    return np.asarray(np.take_along_axis(drawn, picks, axis=0).min(axis=0))


def _interval_basis(curve: Curve, replicates: ScoreReplicates) -> str | None:
    kinds = {replicates.basis[i] for i in curve.best}
    if None in kinds:
        return None
    parts = [kind for kind in (BASIS_RUNS, BASIS_POOLED) if kind in kinds]
    if any(len(group) > 1 for group in curve.alternatives):
        parts.append(BASIS_SUBMITTERS)
    return "+".join(parts)
