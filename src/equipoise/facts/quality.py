"""What the official rulesets demand of a run: the bounds of eval_accuracy and the rest.

The compliance checker of mlperf-logging has one set of rules per round, division and
benchmark. Its demands are kept here as data: numbers with the name of the rule file.
"""

import math
from collections.abc import Mapping
from functools import cache

from equipoise.facts.benchmarks import benchmark
from equipoise.facts.rounds import round_index, rounds
from equipoise.facts.tables import Row, table
from equipoise.structs import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """The interval in which one quality metric must lie."""

    metric: str | None
    """Name of the metric where an evaluation has several (BBOX, FID); else None."""
    minimum: float | None
    minimum_inclusive: bool
    maximum: float | None
    maximum_inclusive: bool

    def holds(self, value: float) -> bool:
        """Return whether a value lies in the interval; NaN never does.

        >>> Bound(metric=None, minimum=0.72, minimum_inclusive=True, maximum=1.0,
        ...       maximum_inclusive=False).holds(0.72)
        True
        """
        if math.isnan(value):
            return False
        if self.minimum is not None:
            low_enough = value >= self.minimum if self.minimum_inclusive else value > self.minimum
            if not low_enough:
                return False
        if self.maximum is not None:
            return value <= self.maximum if self.maximum_inclusive else value < self.maximum
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityRule:
    """What one ruleset demands of the evaluations of a run."""

    round: str
    division: str
    benchmark_id: str
    bounds: tuple[Bound, ...]
    """Empty if the ruleset names no bound (v0.6)."""
    at_least_one: bool
    """True: one evaluation that passes is enough; False: there is no bound to pass."""
    min_evaluations: int
    """Evaluations that must be logged."""
    progress_key: str | None
    """Metadata key that every evaluation must carry; None: any or none of them."""
    evaluation_key: str
    """The logged key; evaluations of several metrics are grouped by `progress_key`."""
    source: str
    confidence: str

    def passes(self, value: float | Mapping[str, float]) -> bool:
        """Return whether one evaluation meets every bound.

        A mapping gives the value of each metric; a missing metric does not pass. A plain
        number passes only where the rule has one metric.

        >>> quality_rule("v4.1", "closed", "bert").passes(0.7201)
        True
        >>> quality_rule("v4.1", "closed", "stable_diffusion").passes({"FID": 80, "CLIP": 0.16})
        True
        """
        if isinstance(value, Mapping):
            return all(_metric_holds(bound, value) for bound in self.bounds)
        if any(bound.metric is not None for bound in self.bounds):
            return False
        return all(bound.holds(float(value)) for bound in self.bounds)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRule:
    """What a ruleset demands of every run of a division, whatever the benchmark."""

    round: str
    division: str
    success_required: bool
    """True: run_stop must say status success; False: it must only have a status."""
    init_limit_min: float | None
    """Longest time between the first init_start and init_stop; None: not checked."""
    exactly_one: tuple[str, ...]
    """Keys that must be logged once; equal copies are forgiven from v0.7 on."""
    at_least_one: tuple[str, ...]
    """Keys that must be logged."""
    source: str


@cache
def run_rule(round_name: str, division: str) -> RunRule | None:
    """Return what every run of a round and division must satisfy, or None.

    >>> run_rule("v0.6", "closed").success_required, run_rule("v4.1", "open").init_limit_min
    (True, 240.0)
    """
    wanted = rounds()[round_index(round_name)].name
    for row in table("run_rules"):
        if row.text("round") == wanted and row.text("division") == division:
            return RunRule(
                round=wanted,
                division=division,
                success_required=row.flag("success_required"),
                init_limit_min=row.number("init_limit_min"),
                exactly_one=row.parts("exactly_one"),
                at_least_one=row.parts("at_least_one"),
                source=row.text("source"),
            )
    return None


def quality_rule(
    round_name: str,
    division: str,
    benchmark_id: str,
    *,
    global_batch_size: float | None = None,
) -> QualityRule | None:
    """Return what the ruleset of a round demands of eval_accuracy, or None.

    BERT v0.7 (closed) has one bound below and another from a global batch size of 8192 on;
    without a batch size the stricter one is returned.

    Raises
    ------
    UnknownNameError
        The round or the benchmark does not exist.

    >>> rule = quality_rule("v0.7", "closed", "bert", global_batch_size=16384)
    >>> rule.bounds[0].minimum
    0.706
    """
    wanted = rounds()[round_index(round_name)].name, division, benchmark(benchmark_id).id
    for row in _rows().get(wanted, ()):
        least, below = row.number("batch_size_min"), row.number("batch_size_below")
        if least is not None and (global_batch_size is None or global_batch_size < least):
            continue
        if below is not None and global_batch_size is not None and global_batch_size >= below:
            continue
        return _rule(row)
    return None


def quality_rules() -> tuple[QualityRule, ...]:
    """Return every rule, by round, division and benchmark."""
    return tuple(_rule(row) for rows in _rows().values() for row in rows)


def _metric_holds(bound: Bound, values: Mapping[str, float]) -> bool:
    if bound.metric is None:
        return len(values) == 1 and all(bound.holds(float(v)) for v in values.values())
    return bound.metric in values and bound.holds(float(values[bound.metric]))


@cache
def _rows() -> dict[tuple[str, str, str], tuple[Row, ...]]:
    rows: dict[tuple[str, str, str], tuple[Row, ...]] = {}
    for row in table("quality_rules"):
        key = row.text("round"), row.text("division"), row.text("benchmark_id")
        rows[key] = (*rows.get(key, ()), row)
    return rows


def _rule(row: Row) -> QualityRule:
    return QualityRule(
        round=row.text("round"),
        division=row.text("division"),
        benchmark_id=row.text("benchmark_id"),
        bounds=tuple(_bound(row, text) for text in row.parts("bounds")),
        at_least_one=row.flag("at_least_one"),
        min_evaluations=row.count("min_evaluations") or 0,
        progress_key=row.optional("progress_key"),
        evaluation_key=row.text("evaluation_key"),
        source=row.text("source"),
        confidence=row.text("confidence"),
    )


def _bound(row: Row, text: str) -> Bound:
    """Read `metric in [low, high)`; a round bracket excludes its end, a blank end is open."""
    metric, found, interval = text.rpartition(" in ")
    opening, closing = interval[:1], interval[-1:]
    low, comma, high = interval[1:-1].partition(",")
    if not (found and comma and opening in "[(" and closing in "])"):
        raise row.error(f"no bound: {text!r}")
    try:
        return Bound(
            metric=None if metric == "value" else metric,
            minimum=float(low) if low.strip() else None,
            minimum_inclusive=opening == "[",
            maximum=float(high) if high.strip() else None,
            maximum_inclusive=closing == "]",
        )
    except ValueError:
        raise row.error(f"no bound: {text!r}") from None
