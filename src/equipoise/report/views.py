"""Which tables people see under which title, with which columns and how many rows."""

from collections.abc import Mapping
from dataclasses import field

from equipoise.report.columns import words
from equipoise.structs import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """How one named table is shown; JSON and CSV always have all fields and rows."""

    title: str
    columns: tuple[str, ...] = ()
    """Fields in the order of display; empty for all."""
    limit: int | None = None
    """Rows shown at most."""
    hidden: bool = False
    """Only in JSON and CSV: too long or too technical to read."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Field -> header, where the usual one would mislead."""


PLACE = ("accelerator_id", "accelerators", "time_to_train_min", "submitter", "round", "system_id")
"""What a configuration is, the fields that are read first in front."""

_SHORT_OPTION = ("rank", "accelerator_id", "accelerators", "time_to_train_min", "cost_usd", "basis")

VIEWS: dict[str, View] = {
    "scores": View(
        title="Scores",
        columns=(
            *("round", "submitter", "system_id", "benchmark", "accelerator_id", "accelerators"),
            *("time_to_train_min", "runs", "runs_failed", "division", "nodes", "availability"),
            *("scaling_factor", "energy_kj", "throughput_samples_per_s", "warnings"),
        ),
    ),
    "rejections": View(title="Rejected", columns=("code", "path", "line", "reason"), limit=20),
    "points": View(
        title="Points of the curves",
        columns=(
            *("curve", "submitter", "system_id", "accelerators", "time_to_train_min"),
            *("speedup", "efficiency", "efficiency_throughput", "efficiency_convergence"),
            *("efficiency_overhead", "accelerator_hours", "efficiency_plain"),
        ),
    ),
    "configurations": View(
        title="Configurations",
        columns=(*PLACE, "runs_failed", "nodes", "availability", "division"),
    ),
    "curves": View(
        title="Curves",
        columns=(
            *("curve", "points", "configurations", "accelerators_min", "accelerators_max"),
            *("reference", "reference_time_min", "noise_floor", "peak_accelerators"),
        ),
    ),
    "laws": View(
        title="Scaling laws",
        columns=("curve", "law", "weight", "loo_error", "aicc", "points", "refused"),
    ),
    "breakevens": View(
        title="Break-even points",
        columns=(
            *("curve", "rule", "basis", "accelerators", "low", "high", "time_to_train_min"),
            *("efficiency", "status", "reason"),
        ),
        labels={"accelerators": "break-even", "reason": "in words"},
    ),
    "variables": View(
        title="Variables",
        columns=(
            *("rank", "label", "importance", "low", "high", "agreement", "matters", "n"),
            *("mutual_information", "linear"),
        ),
        labels={"label": "variable"},
    ),
    "fixed": View(
        title="At the same accelerator, count and round",
        columns=("label", "verdict", "change", "low", "high", "strata", "n", "sentence"),
        labels={"label": "variable", "sentence": "in words", "strata": "like sets"},
    ),
    "clusters": View(
        title="Groups",
        columns=(
            *("cluster", "label", "size", "accelerators_median", "accelerators_min"),
            *("accelerators_max", "time_to_train_min_median", "efficiency_median"),
            *("accelerator_hours_median", "throughput_per_accelerator_median"),
            *("newest_share", "stability", "balanced", "medoid"),
        ),
    ),
    "members": View(
        title="Members of the groups",
        columns=("cluster", *PLACE, "efficiency", "stability", "medoid", "division"),
        limit=30,
    ),
    "ranking": View(
        title="Ranking",
        columns=(
            *("rank", *PLACE, "score", "pareto"),
            *("probability_top1", "probability_top3", "probability_top10"),
        ),
        limit=20,
    ),
    "dependence": View(title="Dependence", hidden=True),
    "coverage": View(title="Coverage", hidden=True),
    "criteria": View(
        title="Criteria and weights",
        columns=("criterion", "unit", "direction", "weight", "coverage", "used", "reason"),
    ),
    "predictions": View(
        title="Predictions",
        columns=(
            *("accelerator_id", "accelerators", "time_to_train_min", "measured_min"),
            *("low_50", "high_50", "low_90", "high_90", "basis", "reason"),
        ),
        labels={"time_to_train_min": "predicted"},
    ),
    "comparison": View(
        title="Ratios of A to B",
        columns=(
            *("time_ratio", "accelerator_hours_ratio", "probability_a_faster", "cost_a_usd"),
            *("cost_b_usd", "cost_ratio", "probability_a_cheaper"),
        ),
    ),
    "same_count": View(
        title="Both accelerators at the same count, the best of the newest round that has both",
        columns=(
            *("accelerators", "round", "time_a_min", "time_b_min", "time_ratio"),
            *("submitter_a", "submitter_b"),
        ),
        labels={"time_a_min": "A", "time_b_min": "B", "time_ratio": "A to B"},
    ),
    "options": View(
        title="Options",
        columns=(
            *("rank", "pareto", "accelerator_id", "accelerators", "time_to_train_min"),
            *("cost_usd", "probability_meets_deadline", "probability_within_budget", "reason"),
        ),
        limit=20,
    ),
    "cheapest": View(
        title="Cheapest count of each accelerator within the deadline",
        columns=_SHORT_OPTION,
        limit=8,
    ),
    "fastest": View(
        title="Fastest count of each accelerator within the budget",
        columns=_SHORT_OPTION,
        limit=8,
    ),
    "purchases": View(
        title="Buying beside renting",
        columns=(
            *("accelerator_id", "accelerators", "owned_usd_per_accelerator_hour"),
            *("rented_usd_per_accelerator_hour", "cost_owned_usd", "cost_rented_usd"),
            *("breakeven_utilisation", "reason"),
        ),
    ),
}
"""One row per table that does not simply show all its fields."""


def view(name: str) -> View:
    """Return how a table is shown, by default with all fields under its name as words.

    >>> view("accuracy").title
    'Accuracy'
    """
    return VIEWS.get(name) or View(title=words(name).capitalize())
