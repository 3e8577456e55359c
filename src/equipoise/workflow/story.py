"""The words of a study: the answer in one sentence and a paragraph, from its own numbers."""

from typing import TYPE_CHECKING

from equipoise.domain import Configuration
from equipoise.structs import dataclass

if TYPE_CHECKING:
    from equipoise.cluster.results import ClusterResult, ClusterRow
    from equipoise.evaluate.results import ImportanceResult
    from equipoise.rank.results import RankingRow, RankResult
    from equipoise.scaling.results import BreakevenResult, BreakevenRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What the stages found about one benchmark."""

    benchmark: str
    configurations: tuple[Configuration, ...]
    importance: "ImportanceResult | None"
    clusters: "ClusterResult | None"
    ranking: "RankResult | None"
    breakevens: "BreakevenResult | None"
    curve: str | None


def quoted_curve(ranking: "RankResult | None", breakevens: "BreakevenResult | None") -> str | None:
    """Return the curve to quote: the leader's accelerator in its round, else the longest.

    A curve with a single count says nothing about more accelerators and is passed over.
    """
    if breakevens is None or not breakevens.curves:
        return None
    long_ones = [curve for curve in breakevens.curves if curve.points > 1]
    if not long_ones:
        return None
    if ranking is not None:
        for row in ranking.ranking:
            for curve in long_ones:
                if curve.accelerator_id == row.accelerator_id and curve.round == row.round:
                    return curve.curve
    return max(long_ones, key=lambda curve: (curve.points, curve.round, curve.curve)).curve


def answer(findings: Findings) -> str:
    """Return the answer in one sentence."""
    parts = [_group_part(findings.clusters), _leader_part(findings.ranking)]
    quoted = default_breakeven(findings)
    if quoted is not None:
        parts.append(_breakeven_part(quoted, findings.breakevens))
    said = [part for part in parts if part]
    if not said:
        count = len(findings.configurations)
        noun = "configuration is" if count == 1 else "configurations are"
        return (
            f"{findings.benchmark}: {count} {noun} too few for groups, a ranking or a "
            f"break-even point; {_listing(findings.configurations)}."
        )
    return f"{findings.benchmark}: {'; '.join(said)}."


def paragraphs(findings: Findings) -> tuple[str, ...]:
    """Return the findings in plain words, one paragraph for each stage that was done."""
    texts = [
        _evidence(findings),
        _importance_words(findings.importance),
        findings.clusters.sentence if findings.clusters else None,
        _large_words(findings.clusters),
        _ranking_words(findings.ranking),
        _breakeven_words(findings),
    ]
    return tuple(text for text in texts if text)


def default_breakeven(findings: Findings) -> "BreakevenRow | None":
    """Return the row to quote: the default rule on the quoted curve."""
    if findings.breakevens is None or findings.curve is None:
        return None
    for row in findings.breakevens.breakevens:
        if row.curve == findings.curve and row.default:
            return row
    return None


def counted(number: float) -> str:
    """Return a count or a figure with sensible digits.

    >>> [counted(x) for x in (3456, 13.512, 0.9)]
    ['3,456', '13.5', '0.9']
    """
    return f"{number:,.0f}" if number >= 100 or float(number).is_integer() else f"{number:.3g}"


def _listing(configurations: tuple[Configuration, ...]) -> str:
    shown = sorted(configurations, key=lambda c: c.time_to_train_min)[:3]
    return "; ".join(
        f"{c.submitter} {c.system_id}: {counted(c.time_to_train_min)} min on "
        f"{c.accelerators} x {c.accelerator_id or c.accelerator_model or 'CPU'}"
        for c in shown
    )


def _balanced(clusters: "ClusterResult | None") -> "ClusterRow | None":
    if clusters is None or clusters.balanced is None:
        return None
    return next((c for c in clusters.clusters if c.cluster == clusters.balanced), None)


def _range(row: "ClusterRow") -> str:
    if row.accelerators_min == row.accelerators_max:
        return f"{row.accelerators_min:,}"
    return f"{row.accelerators_min:,} to {row.accelerators_max:,}"


def _group_part(clusters: "ClusterResult | None") -> str | None:
    row = _balanced(clusters)
    if row is None or clusters is None or len(clusters.clusters) < 2:
        return None
    return (
        f"of {len(clusters.clusters)} groups the balanced one is number {row.cluster}, "
        f"{row.label} ({_range(row)} accelerators, median "
        f"{counted(row.time_to_train_min_median)} min)"
    )


def _leader_part(ranking: "RankResult | None") -> str | None:
    if ranking is None or not ranking.ranking:
        return None
    row = ranking.ranking[0]
    title = f"the {ranking.method.upper()} ranking"
    if len(ranking.ranking) == 1:
        return f"{_named(row)} is the only configuration"
    equals = [other for other in ranking.ranking[1:] if other.rank == row.rank]
    if len(equals) == 1:
        return f"{_named(row)} and {_named(equals[0])} lead {title} together"
    if equals:
        return f"{_named(row)} and {len(equals)} others that are equal lead {title}"
    return f"{_named(row)} leads {title}{_sureness(row)}"


def _named(row: "RankingRow") -> str:
    return (
        f"{row.submitter} {row.system_id} ({row.round}, {row.accelerators} x "
        f"{row.accelerator_id or row.accelerator_model or 'CPU'}, "
        f"{counted(row.time_to_train_min)} min)"
    )


def _sureness(row: "RankingRow") -> str:
    if row.probability_top10 is None:
        return ""
    from equipoise.rank.explain import rank_words

    return (
        f" ({rank_words(row)} under noise and other weights, among the first ten in "
        f"{row.probability_top10:.0%} of the resamples)"
    )


def _breakeven_part(row: "BreakevenRow", among: "BreakevenResult | None") -> str:
    if row.status == "undetermined":
        return f"on {row.curve} no break-even point can be told (rule {row.rule})"
    if row.accelerators is None:
        return f"on {row.curve} there is no break-even point inside the measured range"
    interval = ""
    if row.low is not None or row.high is not None:
        low = f"{row.low:,}" if row.low is not None else "fewer"
        high = f"{row.high:,}" if row.high is not None else "beyond the measured range"
        level = f"{100 * among.level:.0f} % interval " if among is not None else ""
        interval = f" ({level}{low} to {high})"
    return (
        f"on {row.curve} the break-even point (rule {row.rule}) is {row.accelerators:,} "
        f"accelerators{interval}"
    )


def _evidence(findings: Findings) -> str:
    found = findings.configurations
    rounds = tuple(dict.fromkeys(c.round for c in found))
    span = rounds[0] if len(rounds) == 1 else f"{rounds[0]} to {rounds[-1]}"
    submitters = len({c.submitter for c in found})
    return (
        f"The evidence: {_number(len(found), 'scored configuration')} of {findings.benchmark} "
        f"from {_number(submitters, 'submitter')} ({span}), {_counts(found)}."
    )


def _counts(found: tuple[Configuration, ...]) -> str:
    """Return how many accelerators there are; machines without any are named apart."""
    counts = [c.accelerators for c in found if c.accelerators > 0]
    bare = len(found) - len(counts)
    if not counts:
        return "without accelerators"
    low, high = min(counts), max(counts)
    span = _number(high, "accelerator")
    text = f"with {span}" if low == high else f"with {low:,} to {span}"
    return f"{text}, {bare:,} of them without any" if bare else text


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _importance_words(result: "ImportanceResult | None") -> str | None:
    if result is None:
        return None
    skill = f" {result.skill.sentence}" if result.skill else ""
    return f"{result.sentence}{skill}"


def _large_words(clusters: "ClusterResult | None") -> str | None:
    if clusters is None or clusters.largest is None:
        return None
    row = next((c for c in clusters.clusters if c.cluster == clusters.largest), None)
    if row is None or len(clusters.clusters) < 2 or row.efficiency_median is None:
        return None
    return (
        f"The largest systems (group {row.cluster}, {_range(row)} accelerators) need a median of "
        f"{counted(row.time_to_train_min_median)} min at a median relative efficiency of "
        f"{row.efficiency_median:.2f}."
    )


def _ranking_words(ranking: "RankResult | None") -> str | None:
    if ranking is None or not ranking.ranking:
        return None
    return ranking.why_first or None


def _breakeven_words(findings: Findings) -> str | None:
    row = default_breakeven(findings)
    return row.reason if row is not None else None
