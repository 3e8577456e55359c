"""Lines of equal accelerator-hours under a chart of time against accelerators, and a brush."""

import math
from copy import deepcopy
from dataclasses import replace
from typing import Any, Final

from equipoise.report.figures.base import Figure, Spec, counted, decimal_ticks
from equipoise.report.figures.style import token
from equipoise.units import MIN_PER_H

MOST_LINES: Final = 9
FINE: Final = 2.0
"""Below so many decades of accelerator-hours lines stand at 1, 2 and 5."""


def with_lines_of_equal_hours(figure: Figure) -> Figure:
    """Return the chart with a line for each round number of accelerator-hours n T / 60.

    On log-log axes perfect scaling runs along such a line: a point above it needs more
    accelerator-hours for the same training. A rectangle can be drawn to pick points out.
    """
    spec = deepcopy(figure.spec)
    layers = spec["layer"]
    points = layers[-1]
    x, y = (points["encoding"][axis]["scale"]["domain"] for axis in ("x", "y"))
    low, high = x[0] * y[0] / MIN_PER_H, x[1] * y[1] / MIN_PER_H
    values = [row for hours in line_hours(low, high) for row in _line(hours, x, y)]
    points["params"] = [*points.get("params", ()), {"name": "brush", "select": "interval"}]
    spec["layer"] = [*_layers(values), *layers]
    count = counted(len({row["hours"] for row in values}), "dotted line")
    return replace(
        figure,
        spec=spec,
        description=(
            f"{figure.description} Along each of the {count} the accelerator-hours are the "
            "same: perfect scaling runs along them, and what rises above one costs more."
        ),
    )


def line_hours(low: float, high: float) -> list[float]:
    """Return round numbers of accelerator-hours between two, at most nine.

    >>> line_hours(3, 4000)
    [10.0, 100.0, 1000.0]
    """
    decades = math.log10(high / low) if low > 0 and high > low else 0.0
    ticks = decimal_ticks(low, high)
    if decades > FINE:
        ticks = [tick for tick in ticks if math.isclose(math.log10(tick) % 1, 0, abs_tol=1e-9)]
    return ticks[:: max(1, math.ceil(len(ticks) / MOST_LINES))]


def _line(hours: float, x: list[float], y: list[float]) -> list[dict[str, Any]]:
    """Return both ends of the line n T = 60 h inside the axes."""
    product = hours * MIN_PER_H
    left, right = max(x[0], product / y[1]), min(x[1], product / y[0])
    if left >= right:
        return []
    label = f"{hours:,.0f} h" if hours >= 1 else f"{hours:g} h"
    return [
        {"n": n, "t": product / n, "hours": hours, "label": label if n == right else ""}
        for n in (left, right)
    ]


def _layers(values: list[dict[str, Any]]) -> list[Spec]:
    x: Spec = {"field": "n", "type": "quantitative"}
    y: Spec = {"field": "t", "type": "quantitative"}
    data = {"data": {"values": values}}
    return [
        {
            **data,
            "mark": {
                "type": "line",
                "color": token("muted"),
                "strokeDash": [1, 4],
                "strokeWidth": 1,
                "opacity": 0.8,
            },
            "encoding": {"x": x, "y": y, "detail": {"field": "hours", "type": "nominal"}},
        },
        {
            **data,
            "mark": {
                "type": "text",
                "align": "right",
                "dx": -2,
                "dy": -6,
                "fontSize": 10,
                "color": token("muted"),
            },
            "encoding": {"x": x, "y": y, "text": {"field": "label", "type": "nominal"}},
        },
    ]
