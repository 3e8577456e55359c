"""The scaling table: every configuration on its curve, the laws, and the averaged curve."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from equipoise.domain import Configuration
from equipoise.metrics.bootstrap import percentile_interval
from equipoise.scaling.analysis import (
    EXTENSION,
    RESAMPLES,
    Analysis,
    CurveAnalysis,
    analyse,
)
from equipoise.scaling.curves import BY_ACCELERATOR, SMALLEST
from equipoise.scaling.decompose import decompose
from equipoise.scaling.fit import LEVEL
from equipoise.scaling.results import (
    BASIS_POOLED,
    CurveRow,
    FittedPoint,
    LawRow,
    ScalingPoint,
    ScalingResult,
)
from equipoise.units import MIN_PER_H

Array = NDArray[np.float64]
Bounds = tuple[float | None, float | None]

NO_BOUNDS: Bounds = (None, None)
GRID_POINTS = 60
"""Places on the averaged curve inside the measured range."""
GRID_POINTS_BEYOND = 12


def scaling(
    configurations: Sequence[Configuration],
    *,
    rng: np.random.Generator,
    reference: str = SMALLEST,
    by: str = BY_ACCELERATOR,
    laws: Iterable[str] | None = None,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
) -> ScalingResult:
    """Return speedup, efficiency, accelerator-hours and scaling laws of every curve.

    S = T_r / T; plain efficiency S / n; relative efficiency E = (n_r T_r) / (n T);
    accelerator-hours n T / 60; E = E_throughput E_convergence E_overhead where logs allow.

    Parameters
    ----------
    configurations : sequence of Configuration
        Of one benchmark and one compatible block of rounds, resubmissions removed.
    rng : numpy.random.Generator
        Source of the resamples.
    reference : str
        smallest (of each curve), slowest (small machine of all vendors; paper 2), or a
        system: `system_id`, `submitter/system_id` or the whole key.
    by : str
        accelerator, or accelerator+submitter.
    laws : iterable of str or None
        Names of the laws to fit, all for None.
    level, resamples : float, int
        Level of the intervals and number of resamples.

    Raises
    ------
    DataError
        For configurations of several benchmarks.
    NothingFoundError
        When no configuration has a count and a score.
    UnknownNameError, UsageError
        For an unknown law, reference or grouping.
    """
    analysis = analyse(
        configurations,
        by=by,
        reference=reference,
        laws=laws,
        level=level,
        resamples=resamples,
        rng=rng,
    )
    return scaling_of(analysis, reference=reference, level=level, resamples=resamples)


def scaling_of(
    analysis: Analysis, *, reference: str, level: float, resamples: int
) -> ScalingResult:
    """Return the scaling table of an analysis that is there already."""
    points: list[ScalingPoint] = []
    rows: list[CurveRow] = []
    laws: list[LawRow] = []
    fitted: list[FittedPoint] = []
    for curve in analysis.curves:
        own = curve_points(analysis, curve, level=level)
        points.extend(own)
        rows.append(curve_row(analysis, curve, own))
        weights = curve.average.weights if curve.average else (None,) * len(curve.fits)
        laws.extend(
            fit.row(curve.curve.name, weight=weight)
            for fit, weight in zip(curve.fits, weights, strict=True)
        )
        laws.extend(curve.refused)
        fitted.extend(fitted_points(curve, level=level))
    warnings = list(analysis.warnings)
    pooled = sum(point.interval_basis == BASIS_POOLED for point in points)
    if pooled:
        warnings.append(
            f"{pooled} of {len(points)} scores have fewer than five runs (or equal ones): their "
            "intervals rest on the spread of all runs of the benchmark (marked pooled)"
        )
    without = sum(point.interval_basis is None for point in points)
    if without:
        warnings.append(f"{without} of {len(points)} scores have no runs to take an interval from")
    return ScalingResult(
        benchmark=analysis.configurations[0].benchmark,
        reference=reference,
        level=level,
        resamples=resamples,
        points=tuple(points),
        laws=tuple(laws),
        curves=tuple(rows),
        fitted=tuple(fitted),
        warnings=tuple(warnings),
    )


def curve_points(
    analysis: Analysis, curve: CurveAnalysis, *, level: float
) -> tuple[ScalingPoint, ...]:
    """Return all configurations of a curve with their derived figures."""
    members = list(curve.curve.members)
    deviation = analysis.replicates.log_deviation
    own = deviation[members]
    ratio = deviation[curve.curve.reference] - own
    time_low, time_high = np.exp(percentile_interval(own, level=level))
    ratio_low, ratio_high = np.exp(percentile_interval(ratio, level=level))
    return tuple(
        _point(
            analysis,
            curve,
            index,
            time_factors=(float(time_low[row]), float(time_high[row])),
            ratio_factors=(float(ratio_low[row]), float(ratio_high[row])),
        )
        for row, index in enumerate(members)
    )


# long: one row, a line for each field
def _point(
    analysis: Analysis,
    curve: CurveAnalysis,
    index: int,
    *,
    time_factors: tuple[float, float],
    ratio_factors: tuple[float, float],
) -> ScalingPoint:
    one = analysis.configurations[index]
    reference = analysis.configurations[curve.curve.reference]
    is_reference = index == curve.curve.reference
    basis = analysis.replicates.basis
    time_min = one.time_to_train_min
    speedup = reference.time_to_train_min / time_min
    efficiency = speedup * reference.accelerators / one.accelerators
    plain = speedup / one.accelerators
    hours = one.accelerators * time_min / MIN_PER_H
    parts = decompose(one, reference)
    factors = parts.factors
    own = time_factors if basis[index] else None
    both = not is_reference and basis[index] and basis[curve.curve.reference]
    ratio = ratio_factors if both else None
    time_low, time_high = _bounds(time_min, own)
    hours_low, hours_high = _bounds(hours, own)
    speedup_low, speedup_high = _bounds(speedup, ratio)
    efficiency_low, efficiency_high = _bounds(efficiency, ratio)
    plain_low, plain_high = _bounds(plain, ratio)
    return ScalingPoint(
        curve=curve.curve.name,
        round=one.round,
        submitter=one.submitter,
        system_id=one.system_id,
        benchmark=one.benchmark,
        division=one.division,
        accelerator_id=one.accelerator_id,
        accelerators=one.accelerators,
        nodes=one.nodes,
        on_curve=index in curve.curve.best,
        is_reference=is_reference,
        time_to_train_min=time_min,
        time_to_train_min_low=time_low,
        time_to_train_min_high=time_high,
        interval_basis=basis[index],
        runs=len(one.run_times_min) + one.runs_failed,
        speedup=speedup,
        speedup_low=speedup_low,
        speedup_high=speedup_high,
        efficiency=efficiency,
        efficiency_low=efficiency_low,
        efficiency_high=efficiency_high,
        efficiency_plain=plain,
        efficiency_plain_low=plain_low,
        efficiency_plain_high=plain_high,
        efficiency_throughput=None if factors is None else factors.throughput,
        efficiency_convergence=None if factors is None else factors.convergence,
        efficiency_overhead=None if factors is None else factors.overhead,
        decomposition_reason=parts.reason,
        accelerator_hours=hours,
        accelerator_hours_low=hours_low,
        accelerator_hours_high=hours_high,
    )


def _bounds(value: float, factors: tuple[float, float] | None) -> Bounds:
    return NO_BOUNDS if factors is None else (value * factors[0], value * factors[1])


def curve_row(analysis: Analysis, curve: CurveAnalysis, points: Sequence[ScalingPoint]) -> CurveRow:
    """Return a curve as a whole: range, reference, noise and shape."""
    reference = analysis.configurations[curve.curve.reference]
    best_before = np.minimum.accumulate(curve.log_time)
    retrograde = tuple(
        int(count)
        for count, log_time, before in zip(
            curve.counts[1:], curve.log_time[1:], best_before[:-1], strict=True
        )
        if log_time > before
    )
    superlinear = tuple(
        point.accelerators
        for point in points
        if point.on_curve
        and point.efficiency > 1.0
        and (point.efficiency_low or 2.0) > 1.0
        and not point.is_reference
    )
    return CurveRow(
        curve=curve.curve.name,
        benchmark=reference.benchmark,
        round=curve.curve.round,
        division=curve.curve.division,
        accelerator_id=curve.curve.accelerator_id,
        submitter=curve.curve.submitter,
        configurations=len(curve.curve.members),
        points=curve.curve.points,
        accelerators_min=int(curve.counts[0]),
        accelerators_max=int(curve.counts[-1]),
        reference=reference.key,
        reference_accelerators=reference.accelerators,
        reference_time_min=reference.time_to_train_min,
        noise_floor=curve.noise.log_spread,
        noise_groups=curve.noise.groups,
        noise_max_ratio=curve.noise.max_ratio,
        retrograde=retrograde,
        superlinear=superlinear if curve.reference_on_curve else (),
        peak_accelerators=curve.peak_accelerators,
        weight_basis=None if curve.average is None else curve.average.basis,
        warnings=_curve_warnings(curve, retrograde),
    )


def _curve_warnings(curve: CurveAnalysis, retrograde: Sequence[int]) -> tuple[str, ...]:
    found = []
    if len(curve.counts) == 1:
        found.append(
            f"{curve.curve.name}: only one count ({curve.counts[0]:g}) was measured: no scaling "
            "can be fitted, points at 2 different counts or more are needed"
        )
    elif len(curve.counts) == 2:
        found.append(
            f"{curve.curve.name}: two counts only: the power law interpolates them, "
            "and no error of the fit can be estimated"
        )
    if retrograde:
        listed = ", ".join(f"{count:,}" for count in retrograde)
        found.append(f"{curve.curve.name}: slower than a smaller count at {listed} accelerators")
    return tuple(found)


def fitted_points(curve: CurveAnalysis, *, level: float) -> tuple[FittedPoint, ...]:
    """Return the averaged curve inside and, marked, beyond the measured range."""
    if curve.average is None:
        return ()
    first, last = curve.counts[0], curve.counts[-1]
    inside = np.union1d(np.geomspace(first, last, GRID_POINTS), curve.counts)
    beyond = np.geomspace(last, EXTENSION * last, GRID_POINTS_BEYOND + 1)[1:]
    grid = np.concatenate([inside, beyond])
    log_time = curve.average.log_time(grid)
    log_speedup = curve.reference_log_time - log_time
    log_efficiency = log_speedup + np.log(curve.reference_accelerators / grid)
    time_band = efficiency_band = None
    if curve.average_replicates is not None:
        drawn = curve.average_replicates.log_time(grid)
        time_band = np.exp(percentile_interval(drawn.T, level=level))
        ratio = curve.reference_log_replicates[:, None] - drawn
        ratio += np.log(curve.reference_accelerators / grid)
        efficiency_band = np.exp(percentile_interval(ratio.T, level=level))
    return tuple(
        FittedPoint(
            curve=curve.curve.name,
            accelerators=float(grid[i]),
            time_to_train_min=float(np.exp(log_time[i])),
            time_to_train_min_low=_at(time_band, 0, i),
            time_to_train_min_high=_at(time_band, 1, i),
            speedup=float(np.exp(log_speedup[i])),
            efficiency=float(np.exp(log_efficiency[i])),
            efficiency_low=_at(efficiency_band, 0, i),
            efficiency_high=_at(efficiency_band, 1, i),
            extrapolated=i >= len(inside),
        )
        for i in range(len(grid))
    )


def _at(band: Array | None, side: int, index: int) -> float | None:
    return None if band is None else float(band[side, index])
