"""Time to train against accelerators, both on log scales, one point per configuration."""

from collections.abc import Sequence
from typing import Any

from equipoise.cluster.results import ClusterResult
from equipoise.domain import Configuration
from equipoise.report.cells import submitter_text
from equipoise.report.figures.base import (
    Figure,
    Spec,
    Values,
    count_axis,
    counted,
    figure,
    log_axis,
    tooltip,
)
from equipoise.report.figures.identity import (
    ColourBy,
    accelerator_name,
    group_name,
    group_names,
    identity_channels,
)
from equipoise.report.figures.style import OTHER, token

FAR_ABOVE = 5.0
"""Efficiency from which its axis is logarithmic."""
TITLES = {"accelerator": "Accelerator", "submitter": "Submitter", "cluster": "Group"}


def time_by(
    configurations: Sequence[Configuration], *, colour_by: ColourBy = "accelerator"
) -> Figure:
    """Return time to train against accelerators coloured by accelerator or submitter."""
    ordered = sorted(configurations, key=lambda c: (c.accelerators, c.time_to_train_min, c.key))
    rows: Values = [
        {
            "round": c.round,
            "submitter": c.submitter,
            "system_id": c.system_id,
            "accelerator_id": c.accelerator_id,
            "accelerators": c.accelerators,
            "time_to_train_min": c.time_to_train_min,
            **({} if c.verified else {"division": c.division}),
        }
        for c in ordered
    ]
    by_accelerator = colour_by == "accelerator"
    names = [accelerator_name(c.accelerator_id) if by_accelerator else c.submitter for c in ordered]
    return _scatter(rows, names, colour_by=colour_by, y="time_to_train_min")


def time_by_cluster(clusters: ClusterResult) -> Figure:
    """Return time to train against accelerators coloured by group (stage 2)."""
    return _scatter(*_members(clusters), colour_by="cluster", y="time_to_train_min", of=clusters)


def efficiency_by_cluster(clusters: ClusterResult) -> Figure:
    """Return relative efficiency against accelerators coloured by group (stage 2)."""
    return _scatter(*_members(clusters), colour_by="cluster", y="efficiency", of=clusters)


def _members(clusters: ClusterResult) -> tuple[Values, list[str]]:
    members = sorted(clusters.members, key=lambda m: (m.accelerators, m.time_to_train_min, m.key))
    rows = [
        {
            "cluster": m.cluster,
            "round": m.round,
            "submitter": m.submitter,
            "system_id": m.system_id,
            "accelerator_id": m.accelerator_id,
            "accelerators": m.accelerators,
            "time_to_train_min": m.time_to_train_min,
            "efficiency": m.efficiency,
        }
        for m in members
    ]
    return rows, [group_name(m.cluster, m.label) for m in members]


def _scatter(
    rows: Values,
    names: list[str],
    *,
    colour_by: ColourBy,
    y: str,
    of: ClusterResult | None = None,
) -> Figure:
    groups = group_names(of) if of else ()
    usable = [
        (row, name)
        for row, name in zip(rows, names, strict=True)
        if row["accelerators"] > 0 and row[y] is not None and row[y] > 0
    ]
    colour, shape, kept = identity_channels(
        (name for _, name in usable),
        colour_by=colour_by,
        title=TITLES[colour_by],
        groups=groups,
    )
    values = [_datum(row, name, kept) for row, name in usable]
    counts = [row["accelerators"] for row, _ in usable]
    measured = [row[y] for row, _ in usable]
    what = "Time to train" if y == "time_to_train_min" else "Efficiency"
    axis = (
        log_axis(measured, title="Time to train (min)")
        if y == "time_to_train_min"
        else efficiency_axis(measured)
    )
    missing = len(rows) - len(usable)
    layers: list[Spec] = [_points(colour, shape, axis, counts, y)]
    if y == "efficiency":
        layers.insert(0, horizontal(1.0))
    return figure(
        f"{'time' if y == 'time_to_train_min' else y}-by-{colour_by}",
        title=f"{what} against accelerators, by {TITLES[colour_by].lower()}",
        description=(
            f"{what} of {counted(len(usable), 'configuration')} against their number of "
            f"accelerators, coloured by {TITLES[colour_by].lower()}. Each point is measured; "
            "a choice in the legend picks one out."
        ),
        body={"data": {"values": values}, "layer": layers},
        rows=[row for row, _ in usable],
        notes=[f"{counted(missing, 'configuration')} without a value not drawn."]
        if missing
        else [],
        names=colour["scale"]["domain"],
    )


def _datum(row: dict[str, Any], name: str, kept: set[str]) -> dict[str, Any]:
    """Return what the chart needs of a row under short names, empty ones left out."""
    return {
        "who": name if name in kept else OTHER,
        "n": row["accelerators"],
        "t": row["time_to_train_min"],
        **({"e": row["efficiency"]} if row.get("efficiency") is not None else {}),
        "a": accelerator_name(row["accelerator_id"]),
        "s": submitter_text(row),
        "sys": row["system_id"],
        "r": row["round"],
    }


def _points(colour: Spec, shape: Spec, axis: Spec, counts: list[float], y: str) -> Spec:
    fields: list[Any] = [
        ("sys", "System"),
        ("s", "Submitter"),
        ("r", "Round"),
        ("a", "Accelerator"),
        ("n", "Accelerators", ",d"),
        ("t", "Time to train (min)", ",.4~r"),
    ]
    if y == "efficiency":
        fields.append(("e", "Efficiency", ".2f"))
    if colour["title"] == TITLES["cluster"]:
        fields.append(("who", "Group"))
    return {
        "params": [
            {"name": "pick", "select": {"type": "point", "fields": ["who"]}, "bind": "legend"}
        ],
        "mark": {"type": "point", "filled": True, "size": 55, "strokeWidth": 1},
        "encoding": {
            "x": {"field": "n", **count_axis(counts)},
            "y": {"field": "t" if y == "time_to_train_min" else "e", **axis},
            "color": colour,
            "shape": shape,
            "opacity": {"condition": {"param": "pick", "value": 0.85}, "value": 0.08},
            "tooltip": tooltip(*fields),
        },
    }


def efficiency_axis(values: Sequence[float | None]) -> Spec:
    """Return the y channel of relative efficiency, from zero to above one.

    Where the reference is another, much slower machine the efficiencies span decades: then
    the axis is logarithmic.
    """
    top = max([1.1, *(1.05 * v for v in values if v is not None)])
    if top > FAR_ABOVE:
        axis = log_axis([1.0, *values], title="Efficiency relative to the reference")
        return {**axis, "axis": {**axis["axis"], "format": ",.0%"}}
    return {
        "type": "quantitative",
        "title": "Efficiency relative to the reference",
        "scale": {"domain": [0, top], "nice": False},
        "axis": {"format": ".0%"},
    }


def horizontal(value: float, *, field: str = "level") -> Spec:
    """Return a thin line across the chart at one height."""
    return {
        "data": {"values": [{field: value}]},
        "mark": {"type": "rule", "color": token("muted"), "strokeDash": [2, 3], "strokeWidth": 1},
        "encoding": {"y": {"field": field, "type": "quantitative"}},
    }
