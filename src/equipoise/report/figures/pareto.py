"""Cost against time: the options, the front nothing beats, and the recommended one."""

from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.report.cells import MISSING, record
from equipoise.report.figures.base import (
    Figure,
    Spec,
    counted,
    figure,
    log_axis,
    nominal_scale,
    tooltip,
)
from equipoise.report.figures.identity import accelerator_name
from equipoise.report.figures.style import accelerator_style, token


# long: the definition of one chart, written out as data
def pareto(
    options: Sequence[Any],
    *,
    cost: str = "cost_usd",
    cost_title: str = "Cost (USD)",
    deadline_min: float | None = None,
    budget: float | None = None,
) -> Figure:
    """Return time to train against cost, both log, with the Pareto front as a line.

    Parameters
    ----------
    options
        Rows with rank, pareto, accelerator_id, accelerators, time_to_train_min and `cost`.
    cost, cost_title
        Field of the cost and its axis title, such as accelerator_hours.
    deadline_min, budget
        Limits, drawn as lines.
    """
    rows = [record(row) for row in options]
    usable = [r for r in rows if r.get(cost) and r.get("time_to_train_min")]
    values = [_datum(row, cost) for row in usable]
    front = sorted((v for v in values if v["front"] == "yes"), key=lambda v: v["t"])
    whos = sorted({value["who"] for value in values})
    colours, shapes = nominal_scale(whos, [accelerator_style(who) for who in whos])
    who: Spec = {"field": "who", "type": "nominal", "title": "Accelerator"}
    x = {
        "field": "t",
        **log_axis([*(v["t"] for v in values), deadline_min], title="Time to train (min)"),
    }
    y = {"field": "c", **log_axis([*(v["c"] for v in values), budget], title=cost_title)}
    layers = _limits(deadline_min, budget)
    layers.append(_front())
    layers.append(
        {
            "data": {"name": "options"},
            "mark": {"type": "point", "filled": True, "size": 70},
            "encoding": {
                "x": x,
                "y": y,
                "color": {**who, "scale": colours},
                "shape": {**who, "scale": shapes},
                "opacity": {
                    "condition": {"test": "datum.front == 'yes'", "value": 1},
                    "value": 0.4,
                },
                "tooltip": tooltip(
                    ("who", "Accelerator"),
                    ("n", "Accelerators", ",d"),
                    ("t", "Time to train (min)", ",.4~r"),
                    ("c", cost_title, ",.4~r"),
                    ("rank", "Rank", "d"),
                    ("front", "On the Pareto front"),
                    ("why", "Why"),
                ),
            },
        }
    )
    layers += _recommended()
    missing = len(rows) - len(usable)
    return figure(
        "pareto",
        title="Cost against time to train",
        description=(
            f"{counted(len(values), 'option')} by time to train and cost. The stepped line joins "
            f"the {counted(len(front), 'option')} that nothing beats in both; the ringed one is "
            "recommended. Dotted lines are the deadline and the budget."
        ),
        body={"datasets": {"options": values, "front": front}, "layer": layers},
        rows=[_row(row, cost) for row in usable],
        notes=[f"{counted(missing, 'option')} without a cost not drawn."] if missing else [],
        names=whos,
    )


def _datum(row: Mapping[str, Any], cost: str) -> dict[str, Any]:
    accelerator = accelerator_name(row.get("accelerator_id"))
    datum = {
        "who": accelerator,
        "n": row["accelerators"],
        "t": row["time_to_train_min"],
        "c": row[cost],
        "rank": row.get("rank"),
        "front": "yes" if row.get("pareto") else "no",
        "label": f"{accelerator} × {row['accelerators']:,d}",
        "why": row.get("reason") or MISSING,
    }
    return {key: value for key, value in datum.items() if value is not None}


def _limits(deadline_min: float | None, budget: float | None) -> list[Spec]:
    rule = {"type": "rule", "color": token("muted"), "strokeDash": [2, 3]}
    layers: list[Spec] = []
    for field, channel, value in (("t", "x", deadline_min), ("c", "y", budget)):
        if value is not None:
            layers.append(
                {
                    "data": {"values": [{field: value}]},
                    "mark": rule,
                    "encoding": {channel: {"field": field, "type": "quantitative"}},
                }
            )
    return layers


def _front() -> Spec:
    return {
        "data": {"name": "front"},
        "mark": {
            "type": "line",
            "interpolate": "step-after",
            "color": token("muted"),
            "strokeWidth": 1.4,
        },
        "encoding": {
            "x": {"field": "t", "type": "quantitative"},
            "y": {"field": "c", "type": "quantitative"},
        },
    }


def _recommended() -> list[Spec]:
    first = {"data": {"name": "options"}, "transform": [{"filter": "datum.rank == 1"}]}
    x: Spec = {"field": "t", "type": "quantitative"}
    y: Spec = {"field": "c", "type": "quantitative"}
    ring = {
        "type": "point",
        "shape": "circle",
        "filled": False,
        "size": 320,
        "stroke": token("ink"),
        "strokeWidth": 2,
        "opacity": 1,
    }
    text = {"type": "text", "dy": -18, "fontWeight": 700, "color": token("ink")}
    halo = {**text, "stroke": token("surface"), "strokeWidth": 4, "strokeJoin": "round"}
    label = {"field": "label", "type": "nominal"}
    return [
        {**first, "mark": ring, "encoding": {"x": x, "y": y}},
        {**first, "mark": halo, "encoding": {"x": x, "y": y, "text": label}},
        {**first, "mark": text, "encoding": {"x": x, "y": y, "text": label}},
    ]


def _row(row: Mapping[str, Any], cost: str) -> dict[str, Any]:
    fields = ("rank", "pareto", "accelerator_id", "accelerators", "time_to_train_min", cost)
    return {name: row.get(name) for name in fields}
