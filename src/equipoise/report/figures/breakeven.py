"""Break-even points: marked on the efficiency curves, and every rule beside the others."""

from collections.abc import Sequence
from typing import Any

from equipoise.report.cells import MISSING, number_text, percent_text
from equipoise.report.figures.base import (
    Figure,
    Spec,
    Values,
    count_axis,
    counted,
    figure,
    nominal_scale,
    tooltip,
)
from equipoise.report.figures.curves import CurvesView, curve_names, curve_styles
from equipoise.report.figures.identity import accelerator_name
from equipoise.report.figures.style import token
from equipoise.report.figures.time import efficiency_axis, horizontal
from equipoise.scaling.results import BreakevenResult, BreakevenRow, ScalingResult

ROW = 22
BEYOND = 1.25
"""Factor beyond the counts that are drawn to which an open interval reaches."""
OPEN: Spec = {"type": "rule", "strokeDash": [6, 4]}
"""The bar of an interval that lacks an end."""
LABEL_PLACES = (-17, 18, -31, 32)
"""Pixels from a mark to its label, the first that is free."""
LABEL_ROOM = 1.5
"""Factor between two counts whose labels do not touch."""


def breakeven_marked(
    scaling: ScalingResult, breakevens: BreakevenResult, *, curves: Sequence[str] | None = None
) -> Figure:
    """Return the efficiency curves with the default rule's break-even point on each."""
    view = CurvesView(scaling, curves)
    rows = [row for row in breakevens.breakevens if row.default and row.curve in view.curves]
    marks = [_mark(row, view.names[row.curve]) for row in rows if row.accelerators is not None]
    marks = [mark for mark in marks if mark.get("e") is not None]
    highs = [p.get("e_high") or p["e"] for p in view.points] + [p["e"] for p in view.lines]
    figure_ = view.figure(
        "breakeven",
        title="Efficiency with the break-even point of each curve",
        y={"field": "e", **efficiency_axis(highs)},
        low="e_low",
        high="e_high",
        under=[horizontal(1.0, field="e"), horizontal(breakevens.efficiency_floor, field="e")],
        over=_mark_layers(marks, _open_ends(marks, view.counts)),
        more=(
            f" Ringed diamonds mark the break-even point by the rule {breakevens.default_rule}, "
            "with its interval as a thick bar, dashed where an end is outside the measured range; "
            "the lower dotted line is the efficiency floor of "
            f"{breakevens.efficiency_floor:.0%}."
        ),
    )
    return Figure(
        name=figure_.name,
        title=figure_.title,
        description=figure_.description,
        spec=figure_.spec,
        rows=tuple(_row(row) for row in rows),
        notes=figure_.notes,
    )


# long: the definition of one chart, written out as data
def breakeven_rules(
    breakevens: BreakevenResult, *, curves: Sequence[str] | None = None, basis: str = "fitted"
) -> Figure:
    """Return the break-even point of each curve by every rule, with intervals."""
    wanted = {row.curve for row in breakevens.breakevens} if curves is None else set(curves)
    rows = [
        row
        for row in breakevens.breakevens
        if row.curve in wanted and row.basis == basis and row.accelerators is not None
    ]
    owners = {row.curve: row.accelerator_id for row in rows}
    named = curve_names(owners.items())
    values = [_mark(row, named[row.curve]) for row in rows]
    counts = [x for v in values for x in (v["n"], v.get("low"), v.get("high")) if x is not None]
    edges = [min(counts) / BEYOND, max(counts) * BEYOND] if counts else []
    by_name = {named[curve]: accelerator_name(owner) for curve, owner in owners.items()}
    whos = sorted(by_name)
    colours, shapes = nominal_scale(whos, curve_styles([by_name[name] for name in whos]))
    title = "Accelerator" if set(whos).isdisjoint(owners) else "Curve"
    who: Spec = {"field": "who", "type": "nominal", "title": title}
    y: Spec = {
        "field": "rule",
        "type": "nominal",
        "title": None,
        "sort": list(dict.fromkeys(row.rule for row in rows)),
        "axis": {"grid": True},
    }
    offset: Spec = {"field": "curve", "type": "nominal"}
    rules = len({row.rule for row in rows})
    drawn_curves = len({row.curve for row in rows})
    return figure(
        "breakeven-rules",
        title="Break-even point by every rule",
        description=(
            f"Break-even number of accelerators of {counted(drawn_curves, 'curve')} by "
            f"{counted(rules, 'rule')}, read off the {basis} curve; the bar is the interval, "
            "dashed where an end lies outside the measured range."
        ),
        body={
            "data": {"values": values},
            "layer": [
                {
                    "transform": [
                        {"filter": {"field": "low", "valid": True}},
                        {"filter": {"field": "high", "valid": True}},
                    ],
                    "mark": {"type": "rule", "strokeWidth": 3, "opacity": 0.4},
                    "encoding": {
                        "y": y,
                        "yOffset": offset,
                        "x": {"field": "low", "type": "quantitative"},
                        "x2": {"field": "high"},
                        "color": {**who, "scale": colours},
                    },
                },
                {
                    "data": {"values": _open_ends(values, edges)},
                    "mark": {**OPEN, "strokeWidth": 3, "opacity": 0.4},
                    "encoding": {
                        "y": y,
                        "yOffset": offset,
                        "x": {"field": "from", "type": "quantitative"},
                        "x2": {"field": "to"},
                        "color": {**who, "scale": colours},
                    },
                },
                {
                    "mark": {"type": "point", "filled": True, "size": 70},
                    "encoding": {
                        "y": y,
                        "yOffset": offset,
                        "x": {"field": "n", **count_axis([*counts, *edges])},
                        "color": {**who, "scale": colours},
                        "shape": {**who, "scale": shapes},
                        "tooltip": _tooltip(),
                    },
                },
            ],
        },
        rows=[_row(row) for row in rows],
        height=max(160, rules * max(ROW, 14 * drawn_curves)),
        names=whos,
    )


def _mark(row: BreakevenRow, who: str) -> dict[str, Any]:
    mark = {
        "curve": row.curve,
        "who": who,
        "rule": row.rule,
        "n": row.accelerators,
        "low": row.low,
        "high": row.high,
        "e": row.efficiency,
        "between": open_interval(row.low, row.high),
        "time": MISSING if row.time_to_train_min is None else number_text(row.time_to_train_min),
        "share": MISSING if row.efficiency is None else percent_text(row.efficiency),
        "label": f"{row.accelerators:,d}" if row.accelerators is not None else "",
    }
    return {key: value for key, value in mark.items() if value is not None}


def _open_ends(marks: Values, counts: Sequence[float]) -> Values:
    """Return the marks whose interval lacks an end, drawn to the edge of the counts there.

    A mark without a bar would look like the surest one, and is the least sure.
    """
    return [
        {**mark, "from": mark.get("low", min(counts)), "to": mark.get("high", max(counts))}
        for mark in marks
        if "low" not in mark or "high" not in mark
    ]


def _mark_layers(marks: Values, opened: Values) -> list[Spec]:
    data = {"data": {"values": marks}}
    x: Spec = {"field": "n", "type": "quantitative"}
    y: Spec = {"field": "e", "type": "quantitative"}
    colour: Spec = {"field": "who", "type": "nominal"}
    return [
        {
            **data,
            "transform": [
                {"filter": {"field": "low", "valid": True}},
                {"filter": {"field": "high", "valid": True}},
            ],
            "mark": {"type": "rule", "strokeWidth": 5, "opacity": 0.35, "strokeCap": "round"},
            "encoding": {
                "x": {"field": "low", "type": "quantitative"},
                "x2": {"field": "high"},
                "y": y,
                "color": colour,
            },
        },
        {
            "data": {"values": opened},
            "mark": {**OPEN, "strokeWidth": 5, "opacity": 0.35},
            "encoding": {
                "x": {"field": "from", "type": "quantitative"},
                "x2": {"field": "to"},
                "y": y,
                "color": colour,
            },
        },
        {
            **data,
            "mark": {
                "type": "point",
                "shape": "diamond",
                "size": 260,
                "filled": True,
                "stroke": token("ink"),
                "strokeWidth": 2,
                "opacity": 1,
            },
            "encoding": {"x": x, "y": y, "color": colour, "tooltip": _tooltip()},
        },
        *(
            {
                "data": {"values": values},
                "mark": {"type": "text", "dy": dy, "fontWeight": 700, "color": token("ink")},
                "encoding": {"x": x, "y": y, "text": {"field": "label", "type": "nominal"}},
            }
            for values, dy in _spread(marks)
        ),
    ]


def _spread(marks: Values) -> list[tuple[Values, int]]:
    """Return the marks with the height of their labels: neighbours never share a place."""
    places: dict[int, Values] = {}
    ends = dict.fromkeys(LABEL_PLACES, 0.0)
    for mark in sorted(marks, key=lambda m: m["n"]):
        free = [dy for dy, end in ends.items() if mark["n"] > end * LABEL_ROOM]
        dy = free[0] if free else min(ends, key=lambda place: ends[place])
        ends[dy] = mark["n"]
        places.setdefault(dy, []).append(mark)
    return [(places[dy], dy) for dy in LABEL_PLACES if dy in places]


def _tooltip() -> list[Spec]:
    return tooltip(
        ("curve", "Curve"),
        ("rule", "Rule"),
        ("n", "Break-even (accelerators)", ",d"),
        ("between", "Interval"),
        ("time", "Time to train (min)"),
        ("share", "Efficiency"),
    )


def _row(row: BreakevenRow) -> dict[str, Any]:
    fields = ("curve", "rule", "accelerators", "low", "high", "time_to_train_min", "efficiency")
    return {name: getattr(row, name) for name in (*fields, "reason")}


def open_interval(low: int | None, high: int | None) -> str:
    """Return an interval of counts that may be open at an end.

    >>> open_interval(8, None)
    '8 to beyond the measured range'
    """
    if low is None and high is None:
        return "none can be had"
    first = "below the measured range" if low is None else f"{low:,d}"
    last = "beyond the measured range" if high is None else f"{high:,d}"
    return f"{first} to {last}"
