"""How a field is shown: label, unit, digits and how soon it gives way when space is short."""

from collections.abc import Iterable

from equipoise.structs import dataclass

LEVEL = "90 %"
"""Coverage of every interval that is shown, the `_low` and `_high` of all results."""
LEVELS = ("50", "90")
"""Levels of predicted times, as their fields end."""
USD_PER_HOUR = "USD per accelerator-hour"
KEEP, USEFUL, DETAIL, SPARE = 0, 1, 2, 3
"""Priorities: a column with a higher number is dropped sooner; KEEP is never dropped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column as people see it; `name` is the field name of JSON and CSV."""

    name: str
    label: str
    unit: str | None = None
    priority: int = USEFUL
    digits: int = 3
    """Significant digits of a number that is not whole."""
    percent: bool = False
    """Shown as a percentage; the field itself stays a share."""
    chance: bool = False
    """A probability: a percentage that never claims certainty."""
    prose: bool = False
    """Sentences: where a terminal has no room for all columns they stand below each row."""
    moment: bool = False
    """A time stamp in milliseconds since 1970, shown as a date."""
    low: str | None = None
    """Name of the field with the lower end when the column shows an interval."""
    high: str | None = None

    @property
    def header(self) -> str:
        """Return the label with its unit, as a table header shows it; % stands in the cells."""
        return f"{self.label} [{self.unit}]" if self.unit else self.label


UNIT_SUFFIXES = {
    "_samples_per_s": "samples/s",
    "_per_accelerator_hour": "per accelerator-hour",
    "_min": "min",
    "_kj": "kJ",
    "_gib": "GiB",
    "_usd": "USD",
    "_ms": "ms",
    "_s": "s",
    "_w": "W",
}
"""Suffix of a field name -> unit in the header; the first that fits counts."""


KNOWN: dict[str, Column] = {
    column.name: column
    for column in (
        Column(name="rank", label="rank", priority=KEEP),
        Column(name="round", label="round", priority=USEFUL),
        Column(name="submitter", label="submitter", priority=KEEP),
        Column(name="system_id", label="system", priority=USEFUL),
        Column(name="system_name", label="system name", priority=SPARE),
        Column(name="benchmark", label="benchmark", priority=DETAIL),
        Column(name="accelerator_id", label="accelerator", priority=KEEP),
        Column(name="accelerator_model", label="accelerator as written", priority=SPARE),
        Column(name="accelerators", label="accelerators", priority=KEEP),
        Column(name="nodes", label="nodes", priority=SPARE),
        Column(name="division", label="division", priority=SPARE),
        Column(name="availability", label="availability", priority=SPARE),
        Column(
            name="time_to_train_min", label="time to train", unit="min", priority=KEEP, digits=4
        ),
        Column(name="unscaled_min", label="unscaled", unit="min", priority=SPARE, digits=4),
        Column(name="scaling_factor", label="scaling factor", priority=SPARE),
        Column(name="runs", label="runs", priority=DETAIL),
        Column(name="runs_failed", label="failed runs", priority=DETAIL),
        Column(name="distinct_runs", label="distinct runs", priority=SPARE),
        Column(name="speedup", label="speedup", priority=USEFUL),
        Column(name="efficiency", label="efficiency", priority=KEEP),
        Column(name="efficiency_plain", label="plain efficiency", priority=DETAIL),
        Column(name="efficiency_throughput", label="by throughput", priority=DETAIL),
        Column(name="efficiency_convergence", label="by convergence", priority=DETAIL),
        Column(name="efficiency_overhead", label="by overhead", priority=DETAIL),
        Column(name="accelerator_hours", label="accelerator-hours", priority=USEFUL),
        Column(name="score", label="score", priority=USEFUL),
        Column(name="variable", label="variable", priority=KEEP),
        Column(name="importance", label="importance", priority=KEEP),
        Column(name="agreement", label="agreement", percent=True, priority=USEFUL),
        Column(
            name="mutual_information",
            label="mutual information",
            unit="nats",
            priority=DETAIL,
        ),
        Column(name="n", label="n", priority=USEFUL),
        Column(name="cluster", label="group", priority=KEEP),
        Column(name="label", label="description", priority=KEEP),
        Column(name="size", label="size", priority=KEEP),
        Column(name="stability", label="stability", priority=USEFUL),
        Column(name="silhouette", label="silhouette", priority=DETAIL),
        Column(name="accelerators_min", label="fewest accelerators", priority=DETAIL),
        Column(name="accelerators_median", label="median accelerators", priority=USEFUL),
        Column(name="accelerators_max", label="most accelerators", priority=DETAIL),
        Column(
            name="time_to_train_min_median",
            label="median time",
            unit="min",
            priority=USEFUL,
            digits=4,
        ),
        Column(name="efficiency_median", label="median efficiency", priority=USEFUL),
        Column(
            name="accelerator_hours_median",
            label="median accelerator-hours",
            priority=DETAIL,
        ),
        Column(
            name="throughput_per_accelerator_median",
            label="median throughput per accelerator",
            unit="samples/s",
            priority=DETAIL,
        ),
        Column(
            name="throughput_per_accelerator",
            label="throughput per accelerator",
            unit="samples/s",
            priority=DETAIL,
        ),
        Column(name="newest_share", label="newest generation", percent=True, priority=DETAIL),
        Column(name="families", label="families", priority=SPARE),
        Column(name="medoid", label="typical configuration", priority=SPARE),
        Column(name="balanced", label="balanced", priority=USEFUL),
        Column(name="pareto", label="Pareto", priority=DETAIL),
        Column(name="probability_top1", label="in top 1", chance=True, priority=DETAIL),
        Column(name="probability_top3", label="in top 3", chance=True, priority=DETAIL),
        Column(name="probability_top10", label="in top 10", chance=True, priority=DETAIL),
        Column(name="curve", label="curve", priority=KEEP),
        Column(name="rule", label="rule", priority=KEEP),
        Column(name="reason", label="reason", priority=KEEP, prose=True),
        Column(name="sentence", label="sentence", priority=KEEP, prose=True),
        Column(name="low", label=f"low ({LEVEL})", priority=KEEP),
        Column(name="high", label=f"high ({LEVEL})", priority=KEEP),
        Column(name="start_ms", label="start", unit="UTC", moment=True),
        Column(name="stop_ms", label="stop", unit="UTC", moment=True),
        Column(name="cost_usd", label="cost", unit="USD", priority=KEEP),
        *(
            Column(name=f"{name}_usd_per_accelerator_hour", label=name, unit=USD_PER_HOUR)
            for name in ("price", "owned", "rented")
        ),
        Column(name="usd_per_accelerator_hour", label="price", unit=USD_PER_HOUR, priority=KEEP),
        Column(name="kind", label="kind", priority=KEEP),
        *(Column(name=name, label=name, priority=SPARE) for name in ("source", "notes")),
        *(Column(name=n, label=n, priority=DETAIL) for n in ("region", "confidence")),
        Column(name="instance_type", label="instance type", priority=DETAIL),
        Column(name="accelerators_per_instance", label="per instance", priority=DETAIL),
        Column(name="cost_owned_usd", label="one training owned", unit="USD"),
        Column(name="cost_rented_usd", label="one training rented", unit="USD"),
        Column(
            name="breakeven_utilisation",
            label="buying pays from utilisation",
            percent=True,
            priority=KEEP,
        ),
        Column(
            name="probability_meets_deadline", label="meets deadline", chance=True, priority=USEFUL
        ),
        Column(
            name="probability_within_budget", label="within budget", chance=True, priority=USEFUL
        ),
        *(
            Column(name=f"probability_a_{what}", label=f"A is {what}", chance=True)
            for what in ("faster", "cheaper")
        ),
        Column(name="probability_right", label="right break-even", chance=True),
        Column(name="cost_a_usd", label="cost of A", unit="USD"),
        Column(name="cost_b_usd", label="cost of B", unit="USD"),
        *(Column(name=name, label=name, priority=KEEP) for name in ("field", "a", "b")),
        Column(name="basis", label="basis", priority=USEFUL),
        Column(name="mdape", label="median error", percent=True, priority=KEEP),
        Column(name="mape", label="mean error", percent=True, priority=DETAIL),
        Column(name="coverage_50", label="inside 50 % interval", percent=True, priority=USEFUL),
        Column(name="coverage_80", label="inside 80 % interval", percent=True, priority=DETAIL),
        Column(name="coverage_90", label="inside 90 % interval", percent=True, priority=USEFUL),
        Column(name="coverage", label="coverage", percent=True, priority=USEFUL),
        Column(name="weight", label="weight", percent=True, priority=KEEP),
        Column(name="warnings", label="warnings", priority=SPARE),
    )
}
"""One row per field that wants more than the label made from its name."""


def column(name: str) -> Column:
    """Return how a field is shown; an unknown one gets a label and unit from its name.

    >>> column("time_to_train_min").header
    'time to train [min]'
    >>> column("host_memory_gib").header
    'host memory [GiB]'
    """
    if name in KNOWN:
        return KNOWN[name]
    for suffix, unit in UNIT_SUFFIXES.items():
        if name.endswith(suffix) and len(name) > len(suffix):
            return Column(name=name, label=words(name.removesuffix(suffix)), unit=unit)
    return Column(name=name, label=words(name.rpartition(".")[2] or name))


def words(name: str) -> str:
    """Return a field name as words.

    >>> words("loo_error")
    'loo error'
    """
    return name.replace("_", " ").strip()


def display_columns(names: Iterable[str]) -> tuple[Column, ...]:
    """Return the columns that people see: `x_low` and `x_high` become one interval beside `x`.

    `low_90` and `high_90` become one interval, too.

    >>> [c.header for c in display_columns(["rank", "rank_low", "rank_high"])]
    ['rank', 'rank 90 % interval']
    >>> [c.header for c in display_columns(["low_90", "high_90"])]
    ['90 % interval [min]']
    """
    listed = list(names)
    have = set(listed)
    ends = {f"{n}{end}" for n in listed if _has_interval(n, have) for end in ("_low", "_high")}
    columns: list[Column] = []
    for name in listed:
        level = name.removeprefix("low_")
        if level in LEVELS and name != level and f"high_{level}" in have:
            columns.append(_between(level))
            continue
        if name.removeprefix("high_") in LEVELS and f"low_{name[-2:]}" in have:
            continue
        base = interval_base(name)
        if name in ends and (base in have or name.endswith("_high")):
            continue
        shown = column(name)
        columns.append(shown)
        if _has_interval(name, have):
            columns.append(
                Column(
                    name=f"{name}_low..{name}_high",
                    label=f"{shown.label} {LEVEL} interval",
                    unit=shown.unit,
                    priority=max(USEFUL, shown.priority),
                    digits=shown.digits,
                    percent=shown.percent,
                    chance=shown.chance,
                    low=f"{name}_low",
                    high=f"{name}_high",
                )
            )
    return tuple(columns)


def _between(level: str) -> Column:
    """Return the interval of a predicted time at a level; the usual one never gives way."""
    label = f"{level} %"
    return Column(
        name=f"low_{level}..high_{level}",
        label=f"{label} interval",
        unit="min",
        priority=KEEP if label == LEVEL else DETAIL,
        digits=4,
        low=f"low_{level}",
        high=f"high_{level}",
    )


def interval_base(name: str) -> str:
    """Return the field whose interval end this is, or the name itself.

    >>> interval_base("speedup_low"), interval_base("speedup")
    ('speedup', 'speedup')
    """
    return name.removesuffix("_low").removesuffix("_high")


def _has_interval(name: str, have: set[str]) -> bool:
    return f"{name}_low" in have and f"{name}_high" in have
