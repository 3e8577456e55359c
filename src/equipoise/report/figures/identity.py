"""Who a point is: accelerator, submitter or group as a name with colour and shape."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from equipoise.cluster.results import ClusterResult
from equipoise.report.figures.base import Spec, nominal_scale
from equipoise.report.figures.style import (
    NO_ACCELERATOR,
    OTHER,
    accelerator_style,
    commonest,
    named_styles,
    numbered_styles,
    token,
)

ColourBy = Literal["accelerator", "submitter", "cluster"]
MOST_NAMES = 14
"""Legend entries at most; the rarest share one entry."""
NO_GROUP = "in no group"


def accelerator_name(accelerator_id: str | None) -> str:
    """Return the id, or the words for an accelerator that was not identified."""
    return accelerator_id or NO_ACCELERATOR


def group_name(cluster: int | None, label: str) -> str:
    """Return the name of a group in legends and tables.

    >>> group_name(2, "few newest accelerators")
    '2 · few newest accelerators'
    """
    return NO_GROUP if cluster is None else f"{cluster} · {label}"


def identity_channels(
    names: Iterable[str], *, colour_by: ColourBy, title: str, groups: Sequence[str] = ()
) -> tuple[Spec, Spec, set[str]]:
    """Return colour channel, shape channel and the names that keep their own entry.

    `groups` lists all groups in their order, so that a group keeps its colour whatever is
    shown.
    """
    listed = list(names)
    if colour_by == "cluster":
        kept = set(listed)
        ordered = [name for name in groups if name in kept]
        styles = dict(zip(groups, numbered_styles(len(groups)), strict=True))
        pairs = [styles[name] for name in ordered]
        if NO_GROUP in kept:
            ordered, pairs = [*ordered, NO_GROUP], [*pairs, (token("other"), "circle")]
    else:
        kept = commonest(listed, MOST_NAMES)
        ordered = sorted(kept) + ([OTHER] if set(listed) - kept else [])
        if colour_by == "accelerator":
            pairs = [accelerator_style(name) for name in ordered]
        else:
            pairs = named_styles(ordered)
    colours, shapes = nominal_scale(ordered, pairs)
    channel: dict[str, Any] = {"field": "who", "type": "nominal", "title": title}
    return {**channel, "scale": colours}, {**channel, "scale": shapes}, kept


def group_names(clusters: ClusterResult) -> list[str]:
    """Return the names of all groups in their order."""
    return [group_name(row.cluster, row.label) for row in clusters.clusters]
