"""Predicted time to train with its intervals, measured points beside it."""

from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.report.cells import MISSING, record
from equipoise.report.figures.base import (
    DASHED,
    SOLID,
    Figure,
    Spec,
    count_axis,
    counted,
    figure,
    known,
    log_axis,
    nominal_scale,
    tooltip,
)
from equipoise.report.figures.identity import accelerator_name
from equipoise.report.figures.style import accelerator_style

BASES = ("measured", "interpolated", "extrapolated", "new_accelerator")
INSIDE = ("measured", "interpolated")
INSIDE_WORDS = "within what was measured"


def prediction(predictions: Sequence[Any], *, measured: Sequence[Any] = ()) -> Figure:
    """Return predictions with 50 and 90 % bands, log-log.

    Parameters
    ----------
    predictions
        Rows with accelerator_id, accelerators, time_to_train_min, low_50, high_50, low_90,
        high_90 and basis.
    measured
        Rows with accelerators and time_to_train_min that were measured, drawn as points.
    """
    rows = [record(row) for row in predictions]
    points = [record(row) for row in measured]
    values = [_datum(row) for row in rows]
    own = [_datum(row) | {"b": "measured"} for row in points]
    whos = sorted({value["who"] for value in (*values, *own)})
    colours, shapes = nominal_scale(whos, [accelerator_style(who) for who in whos])
    who: Spec = {"field": "who", "type": "nominal", "title": "Accelerator"}
    colour = {**who, "scale": colours}
    x_plain: Spec = {"field": "n", "type": "quantitative"}
    x = {**x_plain, **count_axis([v["n"] for v in (*values, *own)])}
    ends = [v.get(key) for v in (*values, *own) for key in ("t", "l90", "h90")]
    y = {"field": "t", **log_axis(ends, title="Time to train (min)")}
    layers = [
        _band("l90", "h90", 0.13, x_plain, colour),
        _band("l50", "h50", 0.24, x_plain, colour),
    ]
    layers += [_whisker(x_plain, colour), _line(x_plain, colour)]
    layers.append(_points("predictions", x, y, {**colour}, {**who, "scale": shapes}, hollow=True))
    if own:
        layers.append(_points("measured", x, y, colour, {**who, "scale": shapes}, hollow=False))
    return figure(
        "prediction",
        title="Predicted time to train",
        description=(
            f"{counted(len(values), 'prediction')} of time to train with 50 % (dark) and 90 % "
            f"(light) intervals and {counted(len(own), 'measured point')}. Filled points are "
            "measured, hollow ones predicted; the line is dashed where it leaves what was "
            "measured."
        ),
        body={"datasets": {"predictions": _stretches(values), "measured": own}, "layer": layers},
        rows=[_row(row) for row in rows],
        names=[*whos, INSIDE_WORDS],
    )


def _datum(row: Mapping[str, Any]) -> dict[str, Any]:
    datum = {
        "who": accelerator_name(row.get("accelerator_id")),
        "n": row["accelerators"],
        "t": row["time_to_train_min"],
        "l50": row.get("low_50"),
        "h50": row.get("high_50"),
        "l90": row.get("low_90"),
        "h90": row.get("high_90"),
        "b": row.get("basis"),
        "sys": row.get("system_id") or row.get("label") or MISSING,
    }
    return {key: value for key, value in datum.items() if value is not None}


def _stretches(values: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the predictions in order, each marked solid or dashed with its stretch of line."""
    ordered = sorted(values, key=lambda v: (v["who"], v["n"]))
    marked: list[dict[str, Any]] = []
    stretch = 0
    for i, value in enumerate(ordered):
        part = "inside" if value.get("b") in INSIDE else "beyond"
        before = marked[-1] if i and marked[-1]["who"] == value["who"] else None
        if before is None or before["part"] != part:
            stretch += 1
        if before is not None and before["part"] != part:
            beyond = {"part": "beyond", "seg": stretch}
            if part == "beyond":
                marked.append({**before, **beyond, "joint": True})
            else:
                marked.append({**value, "part": "beyond", "seg": stretch - 1, "joint": True})
        marked.append({**value, "part": part, "seg": stretch})
    return marked


def _band(low: str, high: str, opacity: float, x: Spec, colour: Spec) -> Spec:
    return {
        "data": {"name": "predictions"},
        "transform": [known(low), known(high)],
        "mark": {"type": "area", "opacity": opacity},
        "encoding": {
            "x": x,
            "y": {"field": low, "type": "quantitative"},
            "y2": {"field": high},
            "color": colour,
        },
    }


def _whisker(x: Spec, colour: Spec) -> Spec:
    return {
        "data": {"name": "predictions"},
        "transform": [known("l90"), known("h90")],
        "mark": {"type": "rule", "opacity": 0.5},
        "encoding": {
            "x": x,
            "y": {"field": "l90", "type": "quantitative"},
            "y2": {"field": "h90"},
            "color": colour,
        },
    }


def _line(x: Spec, colour: Spec) -> Spec:
    return {
        "data": {"name": "predictions"},
        "mark": {"type": "line", "strokeWidth": 1.8},
        "encoding": {
            "x": x,
            "y": {"field": "t", "type": "quantitative"},
            "color": colour,
            "detail": {"field": "seg", "type": "nominal"},
            "strokeDash": {
                "field": "part",
                "type": "nominal",
                "title": "Line",
                "scale": {"domain": ["inside", "beyond"], "range": [list(SOLID), list(DASHED)]},
                "legend": {
                    "labelExpr": (f"datum.label == 'inside' ? '{INSIDE_WORDS}' : 'beyond it'")
                },
            },
        },
    }


def _points(name: str, x: Spec, y: Spec, colour: Spec, shape: Spec, *, hollow: bool) -> Spec:
    return {
        "data": {"name": name},
        "transform": [{"filter": "!datum.joint"}],
        "mark": {"type": "point", "filled": not hollow, "size": 70, "strokeWidth": 1.8},
        "encoding": {
            "x": x,
            "y": y,
            "color": colour,
            "shape": shape,
            "tooltip": tooltip(
                ("who", "Accelerator"),
                *([] if hollow else [("sys", "System")]),
                ("n", "Accelerators", ",d"),
                ("t", "Time to train (min)", ",.4~r"),
                *(
                    [
                        ("l50", "50 % low", ",.4~r"),
                        ("h50", "50 % high", ",.4~r"),
                        ("l90", "90 % low", ",.4~r"),
                        ("h90", "90 % high", ",.4~r"),
                    ]
                    if hollow
                    else []
                ),
                ("b", "Basis"),
            ),
        },
    }


def _row(row: Mapping[str, Any]) -> dict[str, Any]:
    fields = ("accelerator_id", "accelerators", "time_to_train_min", "low_50", "high_50")
    return {name: row.get(name) for name in (*fields, "low_90", "high_90", "basis")}
