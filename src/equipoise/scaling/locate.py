"""Apply one break-even rule to one curve: estimate, interval, sensitivity, extrapolation."""

import numpy as np
from numpy.typing import NDArray

from equipoise.scaling import results
from equipoise.scaling.analysis import EXTENSION, CurveAnalysis
from equipoise.scaling.rules import BELOW, Rule, RuleOptions
from equipoise.scaling.rules import UNDETERMINED as NO_ANSWER
from equipoise.structs import dataclass

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

RAW = "raw"
FITTED = "fitted"
ALL_COUNTS_UP_TO = 300
"""The fitted curve is read at every whole count when the range is at most this long."""
GRID_POINTS = 240
GRID_POINTS_RESAMPLED = 80
GRID_POINTS_BEYOND = 120
LEAST_SHARE_WITH_ANSWER = 0.5
"""An interval needs an answer in at least this share of the resamples."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """A curve as arrays: measured counts, or the fit on a grid of counts."""

    kind: str
    counts: Array
    """(G,)"""
    log_time: Array
    """(G,)"""
    reference_log_time: float
    reference_accelerators: int
    interval_counts: Array
    """(R,) counts of the resampled curves; a coarser grid than that of the fit."""
    replicates: Array | None
    """(B, R) log times, None when no interval can be had."""
    reference_replicates: Array | None
    """(B,)"""
    interval_basis: str | None
    without_last: tuple[Array, Array] | None
    """Counts and log times when the largest measured count is left out."""
    beyond: tuple[Array, Array] | None
    """Counts and log times, continued beyond the range."""
    points: int
    """Measured counts the curve rests on."""

    def log_efficiency(self, counts: Array, log_time: Array, reference: Array) -> Array:
        """Return ln E for (B, G) log times and (B,) references."""
        return np.asarray(
            reference[:, None] - log_time + np.log(self.reference_accelerators / counts)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """Where a rule puts the break-even on one basis."""

    index: int | None
    """Into the counts of the basis."""
    status: str
    low: int | None
    high: int | None
    interval_basis: str | None
    extrapolated: int | None
    without_last: int | None
    status_without_last: str | None


def raw_basis(curve: CurveAnalysis) -> Basis:
    """Return the measured counts of a curve, best score of each."""
    return Basis(
        kind=RAW,
        counts=curve.counts,
        log_time=curve.log_time,
        reference_log_time=curve.reference_log_time,
        reference_accelerators=curve.reference_accelerators,
        interval_counts=curve.counts,
        replicates=curve.log_replicates if curve.interval_basis else None,
        reference_replicates=curve.reference_log_replicates,
        interval_basis=curve.interval_basis,
        without_last=((curve.counts[:-1], curve.log_time[:-1]) if len(curve.counts) > 2 else None),
        beyond=None,
        points=len(curve.counts),
    )


def fitted_basis(curve: CurveAnalysis) -> Basis | None:
    """Return the averaged curve at whole counts, None when no law could be fitted.

    A reference on the curve is read off the fit too, so that E is 1 there.
    """
    average = curve.average
    if average is None or len(curve.counts) < 2:
        return None
    first, last = int(curve.counts[0]), int(curve.counts[-1])
    grid = whole_counts(first, last, GRID_POINTS, also=curve.counts)
    on_grid = np.array([float(curve.reference_accelerators)])
    reference = (
        float(average.log_time(on_grid)[0])
        if curve.reference_on_curve
        else curve.reference_log_time
    )
    coarse = np.unique(np.round(np.geomspace(first, last, GRID_POINTS_RESAMPLED)))
    drawn = reference_drawn = None
    if curve.average_replicates is not None:
        drawn = curve.average_replicates.log_time(coarse)
        reference_drawn = (
            curve.average_replicates.log_time(on_grid)[:, 0]
            if curve.reference_on_curve
            else curve.reference_log_replicates
        )
    without_last = None
    if len(curve.counts) > 2:
        shorter = grid[grid <= curve.counts[-2]]
        log_time = average.log_time_without(len(curve.counts) - 1, shorter)
        without_last = None if log_time is None else (shorter, log_time)
    further = whole_counts(last, int(EXTENSION * last), GRID_POINTS_BEYOND, also=())[1:]
    longer = np.concatenate([grid, further])
    parts = [part for part in (curve.interval_basis, results.BASIS_SCATTER) if part]
    return Basis(
        kind=FITTED,
        counts=grid,
        log_time=average.log_time(grid),
        reference_log_time=reference,
        reference_accelerators=curve.reference_accelerators,
        interval_counts=coarse,
        replicates=drawn,
        reference_replicates=reference_drawn,
        interval_basis=None if drawn is None else "+".join(parts),
        without_last=without_last,
        beyond=(longer, average.log_time(longer)),
        points=len(curve.counts),
    )


def whole_counts(first: int, last: int, points: int, *, also: Array | tuple[()]) -> Array:
    """Return whole counts from first to last, all of them or evenly on a log scale.

    >>> whole_counts(4, 8, 240, also=()).tolist()
    [4.0, 5.0, 6.0, 7.0, 8.0]
    """
    if last - first <= ALL_COUNTS_UP_TO:
        return np.arange(first, last + 1, dtype=np.float64)
    spaced = np.round(np.geomspace(first, last, points))
    return np.union1d(spaced, np.asarray(also, dtype=np.float64))


def locate(rule: Rule, basis: Basis, options: RuleOptions) -> Located:
    """Return where a rule puts the break-even on a basis, with interval and sensitivity."""
    if basis.points < rule.least_points:
        return _nothing(results.UNDETERMINED)
    index, status = _apply(rule, basis, basis.counts, basis.log_time, options)
    low = high = interval_basis = None
    if basis.replicates is not None and status != results.UNDETERMINED:
        low, high, has_interval = _interval(rule, basis, options, index, status)
        interval_basis = basis.interval_basis if has_interval else None
    extrapolated = None
    if status == results.BEYOND_RANGE and basis.beyond and not rule.depends_on_range:
        further, where = _apply(rule, basis, *basis.beyond, options)
        if where == results.INSIDE and further is not None:
            extrapolated = int(basis.beyond[0][further])
    shorter: int | None = None
    shorter_status: str | None = None
    if basis.without_last is not None and basis.points - 1 >= rule.least_points:
        at, shorter_status = _apply(rule, basis, *basis.without_last, options)
        shorter = None if at is None else int(basis.without_last[0][at])
    return Located(
        index=index,
        status=status,
        low=low,
        high=high,
        interval_basis=interval_basis,
        extrapolated=extrapolated,
        without_last=shorter,
        status_without_last=shorter_status,
    )


def _nothing(status: str) -> Located:
    return Located(
        index=None,
        status=status,
        low=None,
        high=None,
        interval_basis=None,
        extrapolated=None,
        without_last=None,
        status_without_last=None,
    )


def _apply(
    rule: Rule, basis: Basis, counts: Array, log_time: Array, options: RuleOptions
) -> tuple[int | None, str]:
    times = log_time[None]
    efficiency = basis.log_efficiency(counts, times, np.array([basis.reference_log_time]))
    return _read(int(rule.kernel(counts, times, efficiency, options)[0]), len(counts))


def _read(code: int, size: int) -> tuple[int | None, str]:
    if code == NO_ANSWER:
        return None, results.UNDETERMINED
    if code == BELOW:
        return None, results.BELOW_RANGE
    if code >= size:
        return None, results.BEYOND_RANGE
    return code, results.AT_SMALLEST if code == 0 else results.INSIDE


def _interval(
    rule: Rule, basis: Basis, options: RuleOptions, index: int | None, status: str
) -> tuple[int | None, int | None, bool]:
    """Return bounds over the resamples; None on a side that leaves the range.

    On raw points the answer is known only up to the neighbouring measured counts: a
    threshold is passed somewhere before the next count, an optimum lies somewhere between
    its neighbours.
    """
    if basis.replicates is None or basis.reference_replicates is None:
        return None, None, False
    counts, size = basis.interval_counts, len(basis.interval_counts)
    efficiency = basis.log_efficiency(counts, basis.replicates, basis.reference_replicates)
    codes = rule.kernel(counts, basis.replicates, efficiency, options)
    codes = np.sort(codes[codes != NO_ANSWER])
    if len(codes) < LEAST_SHARE_WITH_ANSWER * len(basis.replicates):
        return None, None, False
    tail = (1.0 - options.level) / 2.0
    first = int(codes[int(np.floor(tail * (len(codes) - 1)))])
    last = int(codes[int(np.ceil((1.0 - tail) * (len(codes) - 1)))])
    below, beyond = status == results.BELOW_RANGE, status == results.BEYOND_RANGE
    own = None if index is None else int(basis.counts[index])
    if basis.kind == RAW:
        code = size if beyond else BELOW if below else index
        first, last = (min(first, code), max(last, code)) if code is not None else (first, last)
        low = None if first == BELOW else _raw_low(rule, counts, min(first, size - 1))
        high = int(counts[last + 1]) - 1 if last + 1 < size else None
        return low, high, True
    low = None if first == BELOW or below else int(counts[min(first, size - 1)])
    high = None if last >= size or last == BELOW or beyond else int(counts[last])
    if own is not None:  # the interval holds the estimate, whatever the grid
        low = None if low is None else min(low, own)
        high = None if high is None else max(high, own)
    return low, high, True


def _raw_low(rule: Rule, counts: Array, index: int) -> int:
    if rule.threshold or index == 0:
        return int(counts[index])
    return int(counts[index - 1]) + 1
