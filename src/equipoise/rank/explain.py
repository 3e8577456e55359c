"""Plain words for a ranking: names of configurations and why the first one is first."""

from collections.abc import Mapping, Sequence

from equipoise.domain import Configuration
from equipoise.metrics.criteria import criterion
from equipoise.rank.decision import listed
from equipoise.rank.results import RankingRow


def configuration_name(c: Configuration | RankingRow) -> str:
    """Return `8 x h100-sxm5-80gb of NVIDIA (v4.0, dgxh100_n1)`."""
    accelerator = c.accelerator_id or c.accelerator_model or "accelerators"
    return f"{c.accelerators} x {accelerator} of {c.submitter} ({c.round}, {c.system_id})"


def why_first(ranking: Sequence[RankingRow], *, title: str) -> str:
    """Return one sentence on the leader, its strongest criteria and how sure its rank is."""
    if not ranking or ranking[0].score is None:
        return ""
    first = ranking[0]
    whose = "their" if sum(row.rank == 1 for row in ranking) > 1 else "its"
    strong = _words(first.contributions, positive=True)
    weak = _words(first.contributions, positive=False)
    equals = [row for row in ranking[1:] if row.rank == 1]
    if equals:
        others = (
            configuration_name(equals[0]) if len(equals) == 1 else f"{len(equals)} more of them"
        )
        text = f"{configuration_name(first)} and {others} are equal and first by {title}"
    else:
        text = f"{configuration_name(first)} is first by {title}"
    if strong:
        text += f", because of {whose} {listed(strong)}"
    if weak:
        text += f" and in spite of {whose} {listed(weak)}"
    text += " (compared with the average configuration)."
    if first.probability_top1 is not None and first.probability_top3 is not None:
        which = "The first named" if equals else "It"
        text += (
            f" {which} stays first in {first.probability_top1:.0%} and in the top three in "
            f"{first.probability_top3:.0%} of the resamples ({rank_words(first)})."
        )
    return text


def rank_words(row: RankingRow) -> str:
    """Return `rank 2 to 5`, or `rank 1` where the interval has one rank only."""
    if row.rank_low == row.rank_high:
        return f"rank {row.rank_low}"
    return f"rank {row.rank_low} to {row.rank_high}"


def _words(contributions: Mapping[str, float], *, positive: bool) -> list[str]:
    sign = 1.0 if positive else -1.0
    total = sum(abs(value) for value in contributions.values())
    found = [
        (sign * value, name)
        for name, value in contributions.items()
        if sign * value > NOTEWORTHY * total
    ]
    return [criterion(name).label for _, name in sorted(found, key=lambda pair: -pair[0])]


NOTEWORTHY = 0.05
"""Smallest share of the sum of the contributions that is worth a word."""
