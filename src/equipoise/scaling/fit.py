"""Fit one law to one curve: estimate, standard errors, intervals, AICc, leave-one-out."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.errors import DataError, TooFewPointsError
from equipoise.metrics.distributions import student_quantile
from equipoise.scaling.kernel import TOLERANCE, BatchFit, Error, fit_batch
from equipoise.scaling.laws import Law, ParameterForm, law_named
from equipoise.scaling.results import LawParameter, LawRow
from equipoise.structs import dataclass

Array = NDArray[np.float64]

LEVEL = 0.9
"""Level of intervals unless the caller says otherwise."""
LEFT_OUT_TOLERANCE = 1e-5
NOTHING_LEFT = 1e-12
"""Share of the coefficients below which a sum of them counts as zero."""
SMALLEST_SQUARES = 1e-24
"""Residuals of exact data are not let to zero, AICc takes their logarithm."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LawFit:
    """A law fitted to points (n, t)."""

    law: Law
    coefficients: Array
    """(p,) coefficients of the basis, inside their bounds."""
    accelerators: Array
    log_time: Array
    squares: float
    """Sum of squared residuals of the bounded fit."""
    exact: bool
    """As many points as parameters: no error, no criterion."""
    parameters: tuple[LawParameter, ...]
    residual_error: float | None
    aicc: float | None
    loo_log_error: float | None
    """Root mean square of the log errors of left-out points."""
    left_out: Array | None
    """(N, p) coefficients with each point left out in turn, smallest count first."""

    @property
    def peak_accelerators(self) -> float | None:
        """Return the count of least time, None when the time falls for ever."""
        peak = float(self.law.peak(self.coefficients[None])[0])
        return peak if np.isfinite(peak) else None

    def time_min(self, accelerators: ArrayLike) -> Array:
        """Return t(n) in minutes, shape of `accelerators`."""
        counts = np.atleast_1d(np.asarray(accelerators, dtype=np.float64))
        times = np.exp(self.law.log_time(self.coefficients[None], counts.ravel())[0])
        return np.asarray(times.reshape(np.shape(accelerators)))

    def row(self, curve: str, *, weight: float | None) -> LawRow:
        """Return the row of results."""
        loo = self.loo_log_error
        return LawRow(
            curve=curve,
            law=self.law.name,
            parameters=self.parameters,
            points=len(self.accelerators),
            residual_error=self.residual_error,
            aicc=self.aicc,
            loo_error=None if loo is None else float(np.expm1(loo)),
            weight=weight,
            peak_accelerators=self.peak_accelerators,
            refused=None,
            warnings=self._warnings(),
        )

    def _warnings(self) -> tuple[str, ...]:
        found = []
        if self.exact:
            found.append(
                f"the {self.law.name} law goes exactly through {len(self.accelerators)} points: "
                "no error can be estimated"
            )
        peak = self.peak_accelerators
        if peak is not None and peak <= self.accelerators.min():
            found.append(f"the {self.law.name} law rises over the whole range: more is slower")
        return tuple(found)


def fit_law(
    law: Law | str,
    accelerators: Sequence[float] | Array,
    time_min: Sequence[float] | Array,
    *,
    level: float = LEVEL,
    error: Error = "log",
) -> LawFit:
    """Fit a law to measured times by least squares on the log error.

    Parameters
    ----------
    law : Law or str
        A law or its name.
    accelerators, time_min : array_like, shape (N,)
        Counts above zero and times in minutes above zero.
    level : float
        Level of the parameter intervals. They are exact for the linearised model: Student
        intervals of linear parameters and Fieller's for ratios, cut at the bounds.
    error : str
        `log`, or `throughput` to minimise the squares of 1 / t as the R package usl does.

    Raises
    ------
    TooFewPointsError
        With the count needed, when the different counts are too few or all equal.
    DataError
        For a count or a time that is not above zero, lengths that differ, or points that
        no parameters within the bounds describe.

    Notes
    -----
    Fieller, "Some problems in interval estimation", JRSS B 16 (1954).

    Examples
    --------
    >>> fit = fit_law("amdahl", [1, 2, 4, 8], [100.0, 52.0, 28.0, 16.0])
    >>> [(p.name, round(p.value, 4)) for p in fit.parameters]
    [('time_one', 100.0), ('serial_share', 0.04)]
    """
    chosen = law_named(law) if isinstance(law, str) else law
    counts, times = checked_points(accelerators, time_min)
    refusal = why_refused(chosen, counts)
    if refusal is not None:
        raise TooFewPointsError(refusal)
    return _fit(chosen, counts, np.log(times), level=level, error=error)


def _fit(law: Law, counts: Array, log_time: Array, *, level: float, error: Error) -> LawFit:
    fit, left_out, loo_log_error = _fit_with_left_out(law, counts, log_time, error)
    _check_described(law, fit.coefficients[0])
    freedom = len(counts) - law.size
    free = fit
    if law.nonnegative and not np.all(fit.coefficients[0] > 0):
        free = fit_batch(law, counts, log_time[None], bounded=False, error=error)
    spread = float(np.sqrt(free.squares[0] / freedom)) if freedom > 0 else None
    covariance = None if spread is None else _covariance(law, counts, free, spread, error)
    squares = float(fit.squares[0])
    return LawFit(
        law=law,
        coefficients=fit.coefficients[0],
        accelerators=counts,
        log_time=log_time,
        squares=squares,
        exact=freedom == 0,
        parameters=tuple(
            _parameter(
                form,
                fit.coefficients[0],
                free.coefficients[0],
                covariance,
                freedom,
                level=level,
                nonnegative=law.nonnegative,
            )
            for form in law.parameters
        ),
        residual_error=None if freedom == 0 else float(np.sqrt(squares / freedom)),
        aicc=_aicc(squares, len(counts), law.size),
        loo_log_error=loo_log_error,
        left_out=left_out,
    )


def _check_described(law: Law, coefficients: Array) -> None:
    """Raise when the bounds leave the law no parameters: it has no such shape."""
    for form in law.parameters:
        if form.denominator is None:
            continue
        parts = np.abs(np.asarray(form.denominator) * coefficients).sum()
        if parts <= NOTHING_LEFT * np.abs(coefficients).max():
            raise DataError(
                f"the {law.name} law does not describe these points: within its bounds "
                f"{law.formula} has no {form.name} (the time rises too steeply)"
            )


def why_refused(law: Law, accelerators: Array) -> str | None:
    """Return why a law cannot be fitted at these counts, None when it can.

    >>> from equipoise.scaling.laws import law_named
    >>> why_refused(law_named("usl"), np.array([8.0, 64.0]))
    'usl has 3 parameters and needs points at 4 different counts or more; there are 2'
    >>> why_refused(law_named("power"), np.array([8.0, 8.0, 8.0]))
    'no scaling can be fitted: all 3 points have the same count, 8'
    """
    different = len(np.unique(accelerators))
    if different == 1 and len(accelerators) > 1:
        return (
            f"no scaling can be fitted: all {len(accelerators)} points have the same count, "
            f"{accelerators[0]:g}"
        )
    needed = law.size + (0 if law.exact_fit_is_meaningful else 1)
    if different >= needed:
        return None
    have = "there is 1" if different == 1 else f"there are {different}"
    terms = "1 parameter" if law.size == 1 else f"{law.size} parameters"
    return f"{law.name} has {terms} and needs points at {needed} different counts or more; {have}"


def refused_row(law: Law, curve: str, reason: str, points: int) -> LawRow:
    """Return the row of a law that was not fitted."""
    return LawRow(
        curve=curve,
        law=law.name,
        parameters=(),
        points=points,
        residual_error=None,
        aicc=None,
        loo_error=None,
        weight=None,
        peak_accelerators=None,
        refused=reason,
        warnings=(),
    )


def checked_points(
    accelerators: Sequence[float] | Array, time_min: Sequence[float] | Array
) -> tuple[Array, Array]:
    """Return counts and times as arrays, sorted by count.

    Raises
    ------
    DataError
        When lengths differ, nothing is there, or a value is missing or not above zero.
    """
    counts = np.asarray(accelerators, dtype=np.float64)
    times = np.asarray(time_min, dtype=np.float64)
    if counts.shape != times.shape or counts.ndim != 1:
        raise DataError(f"{counts.size} counts and {times.size} times: give one time per count")
    if counts.size == 0:
        raise DataError("no points to fit")
    for name, values in (("count of accelerators", counts), ("time", times)):
        bad = np.flatnonzero(~(np.isfinite(values) & (values > 0)))
        if bad.size:
            raise DataError(f"point {bad[0] + 1}: the {name} {values[bad[0]]:g} is not above zero")
    order = np.argsort(counts, kind="stable")
    return counts[order], times[order]


def _aicc(squares: float, points: int, size: int) -> float | None:
    estimated = size + 1  # the spread is estimated too
    if points - estimated - 1 <= 0:
        return None
    fit = points * np.log(max(squares, SMALLEST_SQUARES) / points)
    return float(fit + 2 * estimated + 2 * estimated * (estimated + 1) / (points - estimated - 1))


def _fit_with_left_out(
    law: Law, counts: Array, log_time: Array, error: Error
) -> tuple[BatchFit, Array | None, float | None]:
    """Return the fit to all points, those to all but one, and their rms log error there."""
    points = len(counts)
    if points - 1 < law.size or len(np.unique(counts)) - 1 < min(law.size, 2):
        return fit_batch(law, counts, log_time[None], error=error), None, None
    # One batch: all points to full precision, then each point left out to a looser one.
    weights = np.concatenate([np.ones((1, points)), 1.0 - np.eye(points)])
    series = np.broadcast_to(log_time, weights.shape)
    tolerance = np.full(points + 1, LEFT_OUT_TOLERANCE)
    tolerance[0] = TOLERANCE
    fit = fit_batch(law, counts, series, weights=weights, tolerance=tolerance, error=error)
    predicted = np.diagonal(law.log_time(fit.coefficients[1:], counts))
    loo = float(np.sqrt(np.mean((log_time - predicted) ** 2)))
    return BatchFit(fit.coefficients[:1], fit.squares[:1]), fit.coefficients[1:], loo


def _covariance(law: Law, counts: Array, free: BatchFit, spread: float, error: Error) -> Array:
    basis, coefficients = law.basis(counts), free.coefficients[0]
    linear = basis @ coefficients
    if law.response == "log_time":
        slope = np.ones_like(linear)
    elif error == "log":
        slope = 1.0 / linear
    else:
        slope = 1.0 / linear**2 if law.response == "time" else np.ones_like(linear)
    jacobian = basis * slope[:, None]
    scale = np.sqrt((jacobian**2).sum(axis=0))
    triangle = np.linalg.qr(jacobian / scale, mode="r")
    inverse = np.linalg.pinv(triangle)
    return np.asarray(spread**2 * (inverse @ inverse.T) / np.outer(scale, scale))


def _parameter(
    form: ParameterForm,
    bounded: Array,
    free: Array,
    covariance: Array | None,
    freedom: int,
    *,
    level: float,
    nonnegative: bool,
) -> LawParameter:
    """Return a parameter with its error: a ratio of linear forms of the coefficients."""
    over = np.asarray(form.numerator)
    under = np.zeros_like(over) if form.denominator is None else np.asarray(form.denominator)
    constant = 1.0 if form.denominator is None else 0.0

    def ratio(coefficients: Array) -> float:
        value = float(over @ coefficients) / (float(under @ coefficients) + constant)
        return float(np.exp(value)) if form.exponential else value

    value = ratio(bounded)
    if covariance is None:
        return LawParameter(
            name=form.name, value=value, unit=form.unit, standard_error=None, low=None, high=None
        )
    student = student_quantile((1.0 + level) / 2.0, freedom)
    raw = float(over @ free) / (float(under @ free) + constant)
    gradient = (over - raw * under) / (float(under @ free) + constant)
    error = math.sqrt(max(float(gradient @ covariance @ gradient), 0.0))
    low, high = _fieller(over, under, constant, free, covariance, student)
    if form.exponential:
        error *= value
        low = None if low is None else math.exp(low)
        high = None if high is None else math.exp(high)
    if nonnegative:
        low, high = _cut(low, high, value, error, upper=1.0 if _is_share(form) else None)
    return LawParameter(
        name=form.name, value=value, unit=form.unit, standard_error=error, low=low, high=high
    )


def _is_share(form: ParameterForm) -> bool:
    """Return whether the numerator is a part of the denominator: a share of at most 1."""
    if form.denominator is None:
        return False
    return all(a <= b for a, b in zip(form.numerator, form.denominator, strict=True))


def _cut(
    low: float | None, high: float | None, value: float, error: float, *, upper: float | None
) -> tuple[float, float | None]:
    """Return the interval cut at the bounds, holding the estimate, never of width zero."""
    low = 0.0 if low is None else min(max(low, 0.0), value)
    high = None if high is None else max(high, value)
    if upper is not None:
        high = upper if high is None else min(high, upper)
    if high is not None and high <= low:
        return (
            (max(low - error, 0.0), high)
            if upper is not None and high >= upper
            else (low, high + error)
        )
    return low, high


def _fieller(
    over: Array,
    under: Array,
    constant: float,
    coefficients: Array,
    covariance: Array,
    student: float,
) -> tuple[float | None, float | None]:
    """Return the values v with |a.c - v (b.c + constant)| <= t se(a.c - v b.c).

    None on a side where the interval is unbounded.
    """
    top = float(over @ coefficients)
    bottom = float(under @ coefficients) + constant
    variance_top = float(over @ covariance @ over)
    variance_bottom = float(under @ covariance @ under)
    both = float(over @ covariance @ under)
    square = student**2
    lead = bottom**2 - square * variance_bottom
    if lead <= 0:
        return None, None
    middle = top * bottom - square * both
    rest = top**2 - square * variance_top
    root = math.sqrt(max(middle**2 - lead * rest, 0.0))
    return (middle - root) / lead, (middle + root) / lead
