"""What advice returns: frozen rows whose field names are the JSON field names."""

from equipoise.advise.same_count import SameCount
from equipoise.structs import dataclass

MEASURED, INTERPOLATED, EXTRAPOLATED, NEW_ACCELERATOR, OWN = (
    "measured",
    "interpolated",
    "extrapolated",
    "new_accelerator",
    "own",
)
BASES = (MEASURED, INTERPOLATED, EXTRAPOLATED, NEW_ACCELERATOR, OWN)
"""Where the time of a candidate comes from; own: the user's unverified measurement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One accelerator and count that could do the training, with its predicted time.

    The time is log-normal: ln T ~ N(ln time_median_min, time_log_sigma^2).
    """

    accelerator_id: str
    accelerators: int
    time_median_min: float
    time_log_sigma: float
    """0 when the time is taken as certain."""
    basis: str
    """One of `BASES`."""
    accelerators_per_node: int | None = None
    """Accelerators that shared a node when it was measured."""
    energy_kj: float | None = None
    """Measured energy of one training, median of the group."""
    round: str | None = None
    submitter: str | None = None
    system_id: str | None = None
    """The best configuration of the group that the candidate stands for."""
    configurations: int = 0
    """Published configurations it stands for; 0 for predictions."""
    verified: bool = True
    """Whether the time comes from results that MLCommons published."""
    reason: str | None = None
    """What the prediction rests on, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionRow:
    """One way to do the training: how many of what, how long, how much, how sure."""

    rank: int
    pareto: bool
    """Whether no other option that satisfies the constraints is as fast and as cheap."""
    accelerator_id: str
    accelerators: int
    time_to_train_min: float
    """Median; on spot it includes the time lost to interruptions."""
    time_to_train_min_low: float
    time_to_train_min_high: float
    """90 % interval."""
    cost_usd: float | None
    """Whole instances x hours x price at the median time; None when no price is known."""
    cost_usd_low: float | None
    cost_usd_high: float | None
    accelerator_hours: float
    """Of the accelerators used, not of those rented with them."""
    marginal_cost_usd_per_saved_min: float | None
    """Against the next slower option on the Pareto front; None off the front."""
    probability_meets_deadline: float | None
    """None without a deadline."""
    probability_within_budget: float | None
    """None without a budget or a price."""
    probability_both: float | None
    provider: str | None
    instance_type: str | None
    instances: int | None
    rented_accelerators: int | None
    price_kind: str
    price_usd_per_accelerator_hour: float | None
    price_as_of: str | None
    price_age_days: int | None
    price_confidence: str | None
    price_source: str | None
    energy_kj: float | None
    """Measured and published; None for most systems."""
    energy_estimate_kwh: float | None
    """Planning estimate, not an MLPerf metric; None unless asked for."""
    carbon_estimate_kg: float | None
    basis: str
    round: str | None
    submitter: str | None
    system_id: str | None
    configurations: int
    verified: bool
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExcludedRow:
    """Why candidates are not among the options, and how many."""

    reason: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NearMiss:
    """A candidate that fails, and what would have to give for it to fit."""

    accelerator_id: str
    accelerators: int
    time_to_train_min: float
    cost_usd: float | None
    deadline_needed_min: float | None
    """None when its time is within the deadline."""
    budget_needed_usd: float | None
    """None when its cost is within the budget."""
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PurchaseRow:
    """Buying beside renting, for the best option of one accelerator."""

    accelerator_id: str
    accelerators: int
    time_to_train_min: float
    price_usd_per_accelerator: float
    owned_usd_per_accelerator_hour: float | None
    """Owning and power of an accelerator-hour that is used; None without a sourced TDP."""
    rented_usd_per_accelerator_hour: float | None
    cost_owned_usd: float | None
    """One training on owned accelerators."""
    cost_rented_usd: float | None
    utilisation: float
    """Share of all hours in which an owned accelerator is assumed to train."""
    breakeven_utilisation: float | None
    """From here on buying is cheaper; above 1 never; None when renting costs no more than the
    power alone, or something is unknown."""
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceResult:
    """Options that satisfy every constraint at their median, best first."""

    options: tuple[OptionRow, ...]
    excluded: tuple[ExcludedRow, ...]
    near_misses: tuple[NearMiss, ...]
    """Nearest first; empty when there are options."""
    objective: str
    price_kind: str
    deadline_min: float | None
    budget_usd: float | None
    max_accelerators: int | None
    sentence: str
    """The answer in one sentence."""
    justification: tuple[str, ...]
    """Two paragraphs for a proposal; empty when nothing is feasible."""
    assumptions: tuple[str, ...]
    purchases: tuple[PurchaseRow, ...] = ()
    """Buying beside renting; empty unless asked for."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedField:
    """One thing in which two configurations differ or agree."""

    field: str
    a: str | int | float | None
    b: str | int | float | None
    same: bool | None
    """None when neither of them states it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareResult:
    """Two configurations side by side."""

    a: str
    b: str
    """`round/submitter/system_id/benchmark`."""
    fields: tuple[ComparedField, ...]
    time_ratio: float
    """T_a / T_b: below 1 when A is faster."""
    time_ratio_low: float | None
    time_ratio_high: float | None
    accelerator_hours_ratio: float | None
    probability_a_faster: float | None
    """None when the runs say nothing about the noise of either."""
    cost_a_usd: float | None
    cost_b_usd: float | None
    cost_ratio: float | None
    probability_a_cheaper: float | None
    level: float
    sentence: str
    price_a: str | None = None
    """What A is rented at, in words."""
    price_b: str | None = None
    same_count: tuple[SameCount, ...] = ()
    """Both accelerators at equal counts, where such results exist."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendRow:
    """Best and typical time of one accelerator and count in one round."""

    round: str
    accelerator_id: str
    accelerators: int
    configurations: int
    time_best_min: float
    time_typical_min: float
    """Median of the configurations."""
    best_submitter: str
    best_system_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GainRow:
    """How much faster a count became from one round to a later one, and through what.

    total_gain = hardware_gain x software_gain, each a ratio of times (1.2: a sixth less).
    """

    from_round: str
    to_round: str
    accelerators: int
    accelerator_from: str
    accelerator_to: str
    time_from_min: float
    time_to_min: float
    total_gain: float
    software_gain: float | None
    """Same accelerator and count, later round; None when neither was measured twice."""
    hardware_gain: float | None
    basis: str
    """same accelerator, old accelerator again, new accelerator before, both, or unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftwareRow:
    """The same accelerator and count from one round to the next one it was measured in."""

    accelerator_id: str
    accelerators: int
    from_round: str
    to_round: str
    time_from_min: float
    time_to_min: float
    gain: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendsResult:
    """Progress over rounds at like hardware and count."""

    trends: tuple[TrendRow, ...]
    gains: tuple[GainRow, ...]
    software: tuple[SoftwareRow, ...]
    total_gain: float | None
    """Geometric mean of the gains from the first to the last round of every count."""
    software_gain: float | None
    hardware_gain: float | None
    """Of the steps that can be split."""
    sentence: str
    warnings: tuple[str, ...] = ()
