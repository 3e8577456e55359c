"""Claims of the ranking paper on ResNet-50: the five groups, the balanced one, the ranking."""

import math
from statistics import median
from typing import TYPE_CHECKING, Final

from equipoise.cluster.paper import BALANCED_RANGE, PAPER_K, THOUSANDS
from equipoise.report.cells import number_text
from equipoise.workflow.claims.base import (
    RANKING_PAPER,
    Claim,
    Evidence,
    Finding,
    curves_of,
    graded,
    untestable,
)

if TYPE_CHECKING:
    from equipoise.cluster.results import ClusterRow

STABLE: Final = 0.75
"""Bootstrap Jaccard similarity from which a group counts as stable (Hennig 2007)."""
FIRST: Final = 10
HALF: Final = 0.5
QUARTER: Final = 0.25
HUGE: Final = 512
NO_GROUP: Final = "The grouping found no balanced group or no group of the largest systems."


def five_groups(evidence: Evidence) -> Finding:
    """See whether any criterion prefers five, and whether five are stable."""
    choice = next((c for c in evidence.clusters.choices if c.k == PAPER_K), None)
    if choice is None or choice.stability is None:
        return untestable("Five groups could not be judged.")
    preferred = ", ".join(f"{c.k}" for c in evidence.clusters.choices if c.votes)
    stable = choice.stability >= STABLE
    return Finding(
        verdict=graded([choice.votes > 0, stable]),
        evidence=f"Five groups are {'stable' if stable else 'not stable'} (mean bootstrap Jaccard "
        f"similarity {choice.stability:.2f}), but {choice.votes} of 3 criteria prefer five; they "
        f"prefer {preferred or 'no number'}. Five is a choice, not a property of the data."
        if choice.votes == 0
        else f"{choice.votes} of 3 criteria prefer five groups (preferred: {preferred}); mean "
        f"bootstrap Jaccard similarity {choice.stability:.2f}.",
        numbers={"votes": choice.votes, "stability": choice.stability},
    )


def moderate_newest(evidence: Evidence) -> Finding:
    """See whether the balanced group is the moderate one of the newest generation."""
    row = evidence.group(evidence.clusters.balanced)
    if row is None:
        return untestable(NO_GROUP)
    low, high = BALANCED_RANGE
    inside = low <= row.accelerators_min and row.accelerators_max <= high
    newest = row.newest_share or 0.0
    return Finding(
        verdict=graded([inside, low <= row.accelerators_median <= high, newest > HALF]),
        evidence=f"The balanced group has {row.accelerators_min} to {row.accelerators_max} "
        f"accelerators (median {row.accelerators_median:g}), {newest:.0%} of the newest "
        f"generation of the data ({row.families}).",
        numbers={
            "accelerators_min": row.accelerators_min,
            "accelerators_median": row.accelerators_median,
            "accelerators_max": row.accelerators_max,
            "newest_share": newest,
            "configurations": row.size,
        },
    )


def strong_processors(evidence: Evidence) -> Finding:
    """Compare the host processors of the balanced group with those of all others."""
    from equipoise.metrics.variables import readings

    balanced = evidence.clusters.balanced
    if balanced is None:
        return untestable(NO_GROUP)
    keys = {m.key for m in evidence.clusters.members if m.cluster == balanced}
    numbers: dict[str, float | None] = {}
    better = []
    said = []
    for name, words in (
        ("host_cores_per_accelerator", "cores per accelerator"),
        ("host_processor_year", "launch year of the processor"),
    ):
        values = zip(evidence.resnet, readings(evidence.resnet, name), strict=True)
        known = [(c.key in keys, float(r.value)) for c, r in values if r.value is not None]
        own = [value for inside, value in known if inside]
        others = [value for inside, value in known if not inside]
        if not own or not others:
            continue
        numbers |= {f"{name}_balanced": median(own), f"{name}_others": median(others)}
        better.append(median(own) > median(others))
        said.append(f"{words}: median {median(own):g} against {median(others):g} in the others")
    if not better:
        return untestable("The host processors are not known.")
    return Finding(
        verdict=graded(better),
        evidence="; ".join(said).capitalize() + ". Newer accelerators come in newer hosts, so "
        "this alone says nothing about a cause (see the claim on processors).",
        numbers=numbers,
    )


def fast_and_efficient(evidence: Evidence) -> Finding:
    """Place the balanced group among the groups by time and by accelerator-hours."""
    row = evidence.group(evidence.clusters.balanced)
    if row is None:
        return untestable(NO_GROUP)
    groups = evidence.clusters.clusters
    faster = sum(g.time_to_train_min_median < row.time_to_train_min_median for g in groups)
    cheaper = sum(_hours(g) < _hours(row) for g in groups)
    return Finding(
        verdict=graded([faster <= QUARTER * len(groups), cheaper == 0]),
        evidence=f"Of {len(groups)} groups, {cheaper} use fewer accelerator-hours than the "
        f"balanced one (median {_hours(row):.2f}) and {faster} are faster than it (median "
        f"{number_text(row.time_to_train_min_median)} min).",
        numbers={
            "groups_cheaper": cheaper,
            "groups_faster": faster,
            "accelerator_hours_median": row.accelerator_hours_median,
            "time_to_train_min_median": row.time_to_train_min_median,
            "efficiency_median": row.efficiency_median,
        },
    )


def largest_fastest(evidence: Evidence) -> Finding:
    """See whether the group of the largest systems is the fastest, and how large it is."""
    row = evidence.group(evidence.clusters.largest)
    if row is None:
        return untestable(NO_GROUP)
    times = [g.time_to_train_min_median for g in evidence.clusters.clusters]
    fastest = min(evidence.resnet, key=lambda c: c.time_to_train_min)
    most = max(c.accelerators for c in evidence.resnet)
    return Finding(
        verdict=graded([row.time_to_train_min_median == min(times), most >= THOUSANDS]),
        evidence=f"The group of the largest systems ({row.accelerators_min:,} to "
        f"{row.accelerators_max:,} accelerators) takes a median of "
        f"{row.time_to_train_min_median:.2f} min, the shortest of all groups being "
        f"{min(times):.2f} min. The fastest single system has {fastest.accelerators:,} "
        f"({fastest.time_to_train_min:.3f} min), the largest one {most:,}.",
        numbers={
            "time_to_train_min_median": row.time_to_train_min_median,
            "fastest_accelerators": fastest.accelerators,
            "fastest_time_min": fastest.time_to_train_min,
            "most_accelerators": most,
        },
    )


def largest_least_efficient(evidence: Evidence) -> Finding:
    """See whether the group of the largest systems is the least efficient."""
    row = evidence.group(evidence.clusters.largest)
    balanced = evidence.group(evidence.clusters.balanced)
    if row is None or balanced is None or row.efficiency_median is None:
        return untestable(NO_GROUP)
    known = [g.efficiency_median for g in evidence.clusters.clusters]
    least = row.efficiency_median == min(e for e in known if e is not None)
    curves = curves_of(evidence.resnet_scaling).values()
    ends = [points[-1].efficiency for points in curves if points[-1].accelerators >= HUGE]
    own = median(ends) if ends else None
    ratio = _hours(row) / _hours(balanced)
    return Finding(
        verdict=graded([least, own is not None and own < HALF]),
        evidence=f"Median relative efficiency {row.efficiency_median:.2f} against "
        f"{balanced.efficiency_median or math.nan:.2f} in the balanced group; one training "
        f"costs {ratio:.1f} times the accelerator-hours. Several generations are compared here; "
        f"against the smallest count of the same accelerator and round, systems "
        f"of {HUGE} and more keep {own if own is not None else math.nan:.2f} (median of "
        f"{len(ends)} curves).",
        numbers={
            "efficiency_median": row.efficiency_median,
            "efficiency_median_balanced": balanced.efficiency_median,
            "accelerator_hours_ratio": ratio,
            "efficiency_own_median": own,
            "curves": len(ends),
        },
    )


def small_beats_large(evidence: Evidence) -> Finding:
    """Compare every balanced with every largest system by time and by rank."""
    groups = {m.key: m.cluster for m in evidence.clusters.members}
    rows = evidence.ranking.ranking
    key = "{0.round}/{0.submitter}/{0.system_id}/{0.benchmark}".format
    small = [r for r in rows if groups.get(key(r)) == evidence.clusters.balanced]
    large = [r for r in rows if groups.get(key(r)) == evidence.clusters.largest]
    if not small or not large:
        return untestable(NO_GROUP)
    pairs = len(small) * len(large)
    by_time = sum(s.time_to_train_min < g.time_to_train_min for s in small for g in large) / pairs
    by_rank = sum(s.rank < g.rank for s in small for g in large) / pairs
    return Finding(
        verdict=graded([by_time > HALF, by_rank > HALF]),
        evidence=f"Of {pairs:,} pairs of a balanced and a largest system, the smaller one ranks "
        f"higher by several criteria in {by_rank:.0%}; in training time alone it wins "
        f"{by_time:.0%}.",
        numbers={"pairs": pairs, "share_by_time": by_time, "share_by_rank": by_rank},
    )


def first_not_largest(evidence: Evidence) -> Finding:
    """Look at the counts of the first ten of the ranking."""
    rows = sorted(evidence.ranking.ranking, key=lambda r: r.rank)
    top = rows[:FIRST]
    low, high = BALANCED_RANGE
    moderate = sum(low <= r.accelerators <= high for r in top)
    largest = max(r.accelerators for r in rows)
    at = min(r.rank for r in rows if r.accelerators == largest)
    leader = rows[0]
    return Finding(
        verdict=graded([at > FIRST, low <= leader.accelerators <= high]),
        evidence=f"The largest system ({largest:,} accelerators) has rank {at} of {len(rows)}. But "
        f"rank 1 has {leader.accelerators:,} accelerators and {moderate} of the first {len(top)} "
        f"have {low} to {high} ({evidence.ranking.method.upper()}, equal weights): a large, recent "
        "and well-scaling system can lead."
        if leader.accelerators > high
        else f"The largest system ({largest:,}) has rank {at} of {len(rows)}; rank 1 has "
        f"{leader.accelerators:,}, and {moderate} of the first {len(top)} have {low} to {high}.",
        numbers={
            "largest_accelerators": largest,
            "largest_rank": at,
            "first_accelerators": leader.accelerators,
            "moderate_in_first_ten": moderate,
        },
    )


def purchase(evidence: Evidence) -> Finding:
    """Compare the accelerators and hours behind one training of both groups."""
    small = evidence.group(evidence.clusters.balanced)
    large = evidence.group(evidence.clusters.largest)
    if small is None or large is None:
        return untestable(NO_GROUP)
    capital = large.accelerators_median / small.accelerators_median
    faster = small.time_to_train_min_median / large.time_to_train_min_median
    return Finding(
        verdict=graded([capital > faster, _hours(small) < _hours(large)]),
        evidence=f"The median largest system has {capital:.0f} times the accelerators of the "
        f"median balanced one and is {faster:.0f} times as fast. Purchase prices are not "
        "published with the results; what counts here is accelerators per unit of speed.",
        numbers={"accelerators_ratio": capital, "speed_ratio": faster},
    )


def _hours(row: "ClusterRow") -> float:
    return row.accelerator_hours_median or math.nan


CLAIMS: Final = (
    Claim(
        source=RANKING_PAPER,
        claim="The configurations fall into five groups.",
        test="k-means with five groups: holds when one of three criteria prefers five and the "
        "groups are stable (Jaccard similarity 0.75), in part with one of the two.",
        judge=five_groups,
        figure="groups-time",
    ),
    Claim(
        source=RANKING_PAPER,
        claim="The balanced group has a moderate number, 4 to 16, of newest accelerators.",
        test="Balanced is the group with the fewest accelerator-hours that is still fast. "
        "Holds when range, median and generation (more than a half newest) agree.",
        judge=moderate_newest,
        figure="groups-time",
    ),
    Claim(
        source=RANKING_PAPER,
        claim="The balanced group has strong host processors.",
        test="Median cores per accelerator and launch year, both above those of the others.",
        judge=strong_processors,
    ),
    Claim(
        source=RANKING_PAPER,
        claim="The balanced group trains very fast and uses its accelerators well.",
        test="Holds when no group uses fewer accelerator-hours and at most a quarter of "
        "the groups is faster; in part with one of the two.",
        judge=fast_and_efficient,
        figure="groups-efficiency",
    ),
    Claim(
        source=RANKING_PAPER,
        claim="The largest systems, of thousands of accelerators, take the shortest time.",
        test="The group of the largest has the least median time, and thousands exist.",
        judge=largest_fastest,
        figure="groups-time",
    ),
    Claim(
        source=RANKING_PAPER,
        claim="The largest systems are far less efficient.",
        test="The group of the largest has the least median relative efficiency, and on their "
        "own curves systems of 512 and more keep less than a half; in part with one of the two.",
        judge=largest_least_efficient,
        figure="groups-efficiency",
    ),
    Claim(
        source=RANKING_PAPER,
        claim="A small, well-tuned system often does better than a very large one.",
        test="Pairs of a balanced and a largest system: the smaller one wins more than half by "
        "time and by rank (holds), by one of them (in part).",
        judge=small_beats_large,
        figure="ranking",
    ),
    Claim(
        source=RANKING_PAPER,
        claim="The best configurations are not those with the most accelerators.",
        test="The largest system is not among the first ten, and the first has 4 to 16; "
        "in part with one of the two.",
        judge=first_not_largest,
        figure="ranking",
    ),
    Claim(
        source=RANKING_PAPER,
        claim="A chosen number of top accelerators is a better purchase than the largest cluster.",
        test="Accelerators grow more than speed from the balanced to the largest group, and a "
        "training takes more accelerator-hours.",
        judge=purchase,
        figure="groups-efficiency",
    ),
)
"""In the order of the text."""
