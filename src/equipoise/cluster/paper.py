"""How close the groups come to the five of paper 1."""

from collections.abc import Sequence

import numpy as np

from equipoise.cluster.results import ClusterRow, KChoice, PaperRow

PAPER_K = 5
BALANCED_RANGE = (4, 16)
"""Accelerators of the paper's most effective group."""
THOUSANDS = 1000


def paper_rows(
    rows: Sequence[ClusterRow], choices: Sequence[KChoice], *, balanced: int | None,
    largest: int | None,
) -> tuple[PaperRow, ...]:  # fmt: skip
    """Compare groups with what paper 1 says of its five groups on ResNet-50.

    Only what the published summaries say is compared: that there are five groups, that the
    most effective one has 4 to 16 accelerators of the newest generation, that it is used
    best, and that the group of the largest systems (thousands) is fastest and least
    efficient.
    """
    if not rows:
        return ()
    found = [_five(choices)]
    by_number = {row.cluster: row for row in rows}
    if balanced is not None:
        found += [_moderate(by_number[balanced]), _newest(by_number[balanced])]
        found.append(_best_used(by_number[balanced], rows))
    if largest is not None and len(rows) > 1:
        found += [_fastest(by_number[largest], rows), _least_efficient(by_number[largest], rows)]
    return tuple(found)


def _five(choices: Sequence[KChoice]) -> PaperRow:
    row = next((c for c in choices if c.k == PAPER_K), None)
    votes = 0 if row is None else row.votes
    stable = None if row is None else row.stability
    others = ", ".join(f"{c.k} ({c.votes})" for c in choices if c.votes)
    text = (
        f"{votes} of 3 criteria prefer five groups; preferred numbers (votes): {others or 'none'}"
    )
    if stable is not None:
        text += f"; the bootstrap Jaccard similarity at five is {stable:.2f}"
    return PaperRow(
        claim="the configurations form five groups",
        cluster=None,
        closeness=stable,
        evidence=text + ".",
    )


def _moderate(row: ClusterRow) -> PaperRow:
    low, high = np.log2(BALANCED_RANGE)
    own_low, own_high = np.log2(row.accelerators_min), np.log2(row.accelerators_max)
    shared = max(0.0, min(high, own_high) - max(low, own_low))
    whole = max(high, own_high) - min(low, own_low)
    inside = BALANCED_RANGE[0] <= row.accelerators_median <= BALANCED_RANGE[1]
    closeness = float(shared / whole) if whole > 0 else float(inside)
    return PaperRow(
        claim="the balanced group has a moderate number of accelerators (4 to 16)",
        cluster=row.cluster,
        closeness=closeness,
        evidence=f"{row.accelerators_min} to {row.accelerators_max} accelerators, median "
        f"{row.accelerators_median:g}; closeness is the shared part of both ranges (log scale).",
    )


def _newest(row: ClusterRow) -> PaperRow:
    share = row.newest_share
    text = "release years are not known" if share is None else f"{share:.0%} are"
    return PaperRow(
        claim="the balanced group has accelerators of the newest generation",
        cluster=row.cluster,
        closeness=share,
        evidence=f"{text}; families: {row.families}.",
    )


def _place(values: Sequence[float], own: float) -> float:
    """Return 1 for the least of the values, 0 for the greatest, by rank."""
    return 1 - sum(v < own for v in values) / (len(values) - 1)


def _best_used(row: ClusterRow, rows: Sequence[ClusterRow]) -> PaperRow:
    hours = [r.accelerator_hours_median or 0.0 for r in rows]
    own = row.accelerator_hours_median or 0.0
    return PaperRow(
        claim="the balanced group uses its accelerators best",
        cluster=row.cluster,
        closeness=_place(hours, own) if len(rows) > 1 else None,
        evidence=f"median {own:.3g} accelerator-hours; all groups: "
        + ", ".join(f"{h:.3g}" for h in hours)
        + ".",
    )


def _fastest(row: ClusterRow, rows: Sequence[ClusterRow]) -> PaperRow:
    times = [r.time_to_train_min_median for r in rows]
    reach = "thousands" if row.accelerators_max >= THOUSANDS else "no thousands"
    return PaperRow(
        claim="the largest systems (thousands of accelerators) take the shortest time",
        cluster=row.cluster,
        closeness=_place(times, row.time_to_train_min_median),
        evidence=f"{row.accelerators_min} to {row.accelerators_max} accelerators ({reach}); median "
        f"{row.time_to_train_min_median:.3g} min; all groups: "
        + ", ".join(f"{t:.3g}" for t in times)
        + ".",
    )


def _least_efficient(row: ClusterRow, rows: Sequence[ClusterRow]) -> PaperRow:
    rates = [r.throughput_per_accelerator_median for r in rows]
    known = [r for r in rates if r is not None]
    own = row.throughput_per_accelerator_median
    if own is None or len(known) < len(rows):
        known = [1 / r.accelerator_hours_median for r in rows if r.accelerator_hours_median]
        own = 1 / row.accelerator_hours_median if row.accelerator_hours_median else None
    return PaperRow(
        claim="the largest systems are the least efficient",
        cluster=row.cluster,
        closeness=None if own is None or len(known) < len(rows) else _place(known, own),
        evidence="median throughput per accelerator by group: "
        + ", ".join(f"{r:.3g}" for r in known)
        + ".",
    )
