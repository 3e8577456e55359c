"""What the scaling analysis hands on: frozen rows whose field names are the JSON names.

Every `_low`/`_high` pair is an interval at the level of the result (90 % by default);
`interval_basis` says what it rests on: `runs` (bootstrap of the configuration's own runs
through the official score rule), `pooled` (fewer than five runs: the spread of all runs
of the benchmark is used) or None (no interval can be had).
"""

from typing import Final

from equipoise.structs import dataclass

BASIS_RUNS: Final[str] = "runs"
BASIS_POOLED: Final[str] = "pooled"
BASIS_SUBMITTERS: Final[str] = "submitters"
"""Several submitters at one count, drawn again too."""
BASIS_SCATTER: Final[str] = "scatter"
"""Scatter of the points about the fitted curve."""

INSIDE: Final[str] = "inside"
AT_SMALLEST: Final[str] = "at_smallest"
BEYOND_RANGE: Final[str] = "beyond_range"
BELOW_RANGE: Final[str] = "below_range"
UNDETERMINED: Final[str] = "undetermined"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalingPoint:
    """One configuration on its curve with the figures derived from its score."""

    curve: str
    """Name of the curve: round, accelerator and, on request, submitter."""
    round: str
    submitter: str
    system_id: str
    benchmark: str
    division: str
    accelerator_id: str | None
    accelerators: int
    nodes: int | None
    on_curve: bool
    """Best score of its count: what laws, break-even and lines are drawn through."""
    is_reference: bool
    time_to_train_min: float
    time_to_train_min_low: float | None
    time_to_train_min_high: float | None
    interval_basis: str | None
    """runs, pooled or None."""
    runs: int
    speedup: float
    """T_reference / T."""
    speedup_low: float | None
    speedup_high: float | None
    """Intervals of ratios are None at the reference itself (1 by definition)."""
    efficiency: float
    """Relative efficiency (n_r T_r) / (n T)."""
    efficiency_low: float | None
    efficiency_high: float | None
    efficiency_plain: float
    """Speedup / n."""
    efficiency_plain_low: float | None
    efficiency_plain_high: float | None
    efficiency_throughput: float | None
    efficiency_convergence: float | None
    efficiency_overhead: float | None
    """The product of the three is `efficiency`; all None when one cannot be had."""
    decomposition_reason: str | None
    """Why the three factors are empty, None when they are given."""
    accelerator_hours: float
    accelerator_hours_low: float | None
    accelerator_hours_high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LawParameter:
    """One parameter of a fitted law."""

    name: str
    value: float
    unit: str
    standard_error: float | None
    low: float | None
    high: float | None
    """None: unbounded on that side, or no error estimate is possible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LawRow:
    """One law on one curve: fitted, or refused with the reason."""

    curve: str
    law: str
    parameters: tuple[LawParameter, ...]
    """Empty when refused."""
    points: int
    """Different accelerator counts the law was fitted on."""
    residual_error: float | None
    """Standard deviation of the log residuals, about the typical relative error."""
    aicc: float | None
    loo_error: float | None
    """Leave-one-out typical relative error exp(rms log error) - 1."""
    weight: float | None
    """Share in the averaged curve."""
    peak_accelerators: float | None
    """Count where the law's time is least; None when it falls for ever."""
    refused: str | None
    """Why there is no fit, with the count of points needed."""
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedPoint:
    """One place on the averaged curve, for drawing and for reading off."""

    curve: str
    accelerators: float
    time_to_train_min: float
    time_to_train_min_low: float | None
    time_to_train_min_high: float | None
    speedup: float
    efficiency: float
    efficiency_low: float | None
    efficiency_high: float | None
    extrapolated: bool
    """Outside the measured range of the curve."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveRow:
    """One curve as a whole: its reference, range, shape and noise."""

    curve: str
    benchmark: str
    round: str
    division: str
    accelerator_id: str | None
    submitter: str | None
    """None when several submitters are on the curve."""
    configurations: int
    points: int
    """Different accelerator counts."""
    accelerators_min: int
    accelerators_max: int
    reference: str
    """`round/submitter/system_id/benchmark` of the reference configuration."""
    reference_accelerators: int
    reference_time_min: float
    noise_floor: float | None
    """Standard deviation of log time between submitters at one count, pooled."""
    noise_groups: int
    """Counts with more than one submitter."""
    noise_max_ratio: float | None
    """Greatest slowest/fastest ratio between submitters at one count."""
    retrograde: tuple[int, ...]
    """Counts slower than some smaller count of the curve."""
    superlinear: tuple[int, ...]
    """Counts with relative efficiency above 1 beyond their interval."""
    peak_accelerators: float | None
    """Least time of the averaged curve, where it has one near the measured range."""
    weight_basis: str | None
    """aicc, loo, interpolation (two counts) or None (no fit)."""
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalingResult:
    """Curves of one benchmark with their derived figures, laws and averaged curves."""

    benchmark: str
    reference: str
    """smallest, slowest or the name that was asked for."""
    level: float
    """Nominal level of every interval."""
    resamples: int
    points: tuple[ScalingPoint, ...]
    laws: tuple[LawRow, ...]
    curves: tuple[CurveRow, ...]
    fitted: tuple[FittedPoint, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakevenRow:
    """The break-even point of one curve by one rule, on the fit or on the raw points."""

    curve: str
    rule: str
    basis: str
    """fitted (averaged law) or raw (measured counts only)."""
    default: bool
    """The row to quote for this curve."""
    accelerator_id: str | None
    accelerators: int | None
    """Largest count still worth it; None: no break-even inside the measured range."""
    low: int | None
    high: int | None
    """None: open on that side (beyond the measured range), or no interval at all when
    `interval_basis` is None. On raw points they reach to the neighbouring measured counts."""
    interval_basis: str | None
    """runs, pooled, submitters, scatter (joined by +) or None."""
    status: str
    """inside, at_smallest, beyond_range, below_range or undetermined."""
    measured: bool
    """The count was measured (not read off the fit)."""
    extrapolated_accelerators: int | None
    """Where the fit puts it beyond the measured range; never past an analytic peak."""
    accelerators_without_last: int | None
    """The same with the largest count left out (sensitivity)."""
    status_without_last: str | None
    time_to_train_min: float | None
    speedup: float | None
    efficiency: float | None
    accelerator_hours: float | None
    reason: str
    """The sentence for a manager."""
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakevenResult:
    """Break-even points of all curves by all rules asked for."""

    benchmark: str
    reference: str
    efficiency_floor: float
    marginal_gain: float
    default_rule: str
    level: float
    resamples: int
    breakevens: tuple[BreakevenRow, ...]
    curves: tuple[CurveRow, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper2Row:
    """One line of the table of the second paper's setting."""

    benchmark: str
    curve: str
    submitter: str
    system_id: str
    accelerator_id: str | None
    accelerators: int
    time_to_train_min: float
    time_to_train_min_low: float | None
    time_to_train_min_high: float | None
    speedup: float
    efficiency: float
    efficiency_low: float | None
    efficiency_high: float | None
    efficiency_own: float
    """Relative to the smallest count of the same curve."""
    accelerator_hours: float
    breakeven_accelerators: int | None
    """Default rule on the curve, the same on every line of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper2Result:
    """The second paper's four workloads in one table, with the analyses behind it."""

    rows: tuple[Paper2Row, ...]
    scaling: tuple[ScalingResult, ...]
    breakeven: tuple[BreakevenResult, ...]
    warnings: tuple[str, ...]
