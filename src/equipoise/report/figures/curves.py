"""Scaling curves: measured points, the fitted line (solid) and its extrapolation (dashed)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from equipoise.report.cells import record, submitter_text
from equipoise.report.figures.base import (
    EXTRAPOLATED,
    FITTED,
    Figure,
    Spec,
    Values,
    count_axis,
    counted,
    dash_channel,
    figure,
    known,
    log_axis,
    nominal_scale,
    positive_range,
    tooltip,
)
from equipoise.report.figures.identity import accelerator_name
from equipoise.report.figures.style import SHAPES, accelerator_style, token
from equipoise.report.figures.time import efficiency_axis, horizontal
from equipoise.scaling.results import CurveRow, FittedPoint, ScalingResult

POINT_FIELDS = ("n", "t", "s", "e", "who", "curve", "sub", "sys", "best")
LINE_FIELDS = ("n", "who", "segment", "part")
MOST_CURVES = 8
"""Curves in one chart; more cannot be told apart."""


def leading_curves(result: ScalingResult, *, limit: int = MOST_CURVES) -> tuple[CurveRow, ...]:
    """Return the curves with the most accelerator counts, in the order of the result."""
    ordered = sorted(result.curves, key=lambda c: (-c.points, -c.accelerators_max, c.curve))
    names = {curve.curve for curve in ordered[:limit]}
    return tuple(curve for curve in result.curves if curve.curve in names)


def scaling_time(result: ScalingResult, *, curves: Sequence[str] | None = None) -> Figure:
    """Return time to train against accelerators along the curves, log-log."""
    view = CurvesView(result, curves)
    times = [p["t"] for p in view.points] + [p["t"] for p in view.lines]
    axis = log_axis(times, title="Time to train (min)")
    return view.figure(
        "scaling-time",
        title="Time to train along the curves",
        y={"field": "t", **axis},
        low="t_low",
        high="t_high",
    )


def scaling_efficiency(result: ScalingResult, *, curves: Sequence[str] | None = None) -> Figure:
    """Return relative efficiency against accelerators along the curves, with bands."""
    view = CurvesView(result, curves)
    highs = [p.get("e_high") or p["e"] for p in view.points] + [p["e"] for p in view.lines]
    return view.figure(
        "scaling-efficiency",
        title="Efficiency along the curves",
        y={"field": "e", **efficiency_axis(highs)},
        low="e_low",
        high="e_high",
        under=[horizontal(1.0, field="e")],
    )


def scaling_speedup(result: ScalingResult, *, curves: Sequence[str] | None = None) -> Figure:
    """Return speedup against accelerators along the curves with the ideal line, log-log."""
    view = CurvesView(result, curves)
    axis = log_axis([p["s"] for p in view.points] + [p["s"] for p in view.lines], title="Speedup")
    return view.figure(
        "scaling-speedup",
        title="Speedup along the curves, with the ideal line",
        y={"field": "s", **axis},
        low="s_low",
        high="s_high",
        under=[view.ideal()],
    )


class CurvesView:
    """The rows of some curves of a result, in the short names that the charts use."""

    def __init__(self, result: ScalingResult, names: Sequence[str] | None) -> None:
        chosen = (
            leading_curves(result)
            if names is None
            else tuple(c for c in result.curves if c.curve in names)
        )
        self.result = result
        self.curves = {curve.curve: curve for curve in chosen}
        self.left_out = len(result.curves) - len(chosen) if names is None else 0
        self.names = curve_names((c.curve, c.accelerator_id) for c in chosen)
        self.points = [
            _point(p, self.names[p.curve]) for p in result.points if p.curve in self.curves
        ]
        self.lines = _segments(result.fitted, self.names)
        self.whos = list(dict.fromkeys(self.names.values()))

    @property
    def counts(self) -> list[float]:
        """Return all accelerator counts drawn."""
        return [p["n"] for p in self.points] + [p["n"] for p in self.lines]

    def colour(self) -> tuple[Spec, Spec]:
        """Return colour and shape channel: the accelerator's own, the same in all charts."""
        owners = {name: self.curves[curve].accelerator_id for curve, name in self.names.items()}
        styles = curve_styles([accelerator_name(owners[who]) for who in self.whos])
        colours, shapes = nominal_scale(self.whos, styles)
        title = "Accelerator" if set(self.whos).isdisjoint(self.names) else "Curve"
        channel: dict[str, Any] = {"field": "who", "type": "nominal", "title": title}
        return {**channel, "scale": colours}, {**channel, "scale": shapes}

    def ideal(self) -> Spec:
        """Return one line of ideal speedup n / n_r for each reference count."""
        low, high = positive_range(self.counts)
        top = positive_range([p["s"] for p in self.points] + [p["s"] for p in self.lines])[1]
        values: Values = []
        for n_r in sorted({curve.reference_accelerators for curve in self.curves.values()}):
            if n_r <= 0:
                continue
            ends = (max(low, n_r), min(high, top * n_r))
            values += [{"n": n, "s": n / n_r, "curve": f"ideal from {n_r}"} for n in ends]
        return {
            "data": {"values": values},
            "mark": {
                "type": "line",
                "color": token("muted"),
                "strokeWidth": 1,
                "strokeDash": [2, 3],
                "clip": True,
            },
            "encoding": {
                "x": {"field": "n", "type": "quantitative"},
                "y": {"field": "s", "type": "quantitative"},
                "detail": {"field": "curve", "type": "nominal"},
            },
        }

    def band(self, low: str, high: str) -> Spec:
        """Return the interval of the fitted line as a band in the colour of the curve."""
        return {
            "data": {"name": "lines"},
            "transform": [known(low), known(high)],
            "mark": {"type": "area", "opacity": 0.14, "clip": True, "line": False},
            "encoding": {
                "x": {"field": "n", "type": "quantitative"},
                "y": {"field": low, "type": "quantitative"},
                "y2": {"field": high},
                "color": {"field": "who", "type": "nominal"},
                "detail": {"field": "segment", "type": "nominal"},
            },
        }

    def ends(self, y: Spec) -> list[Spec]:
        """Return labels at the last point of curves that share an accelerator, and so a colour."""
        last: dict[str, dict[str, Any]] = {}
        for point in self.points:
            name = point["curve"]
            if self.names[name] == name and point["best"] and point.get(y["field"]) is not None:
                kept = last.setdefault(name, point)
                last[name] = max(kept, point, key=lambda p: p["n"])
        values = [
            {
                "n": point["n"],
                y["field"]: point[y["field"]],
                "label": name.replace(self.curves[name].accelerator_id or "", "").strip() or name,
            }
            for name, point in last.items()
        ]
        mark = {"type": "text", "align": "left", "dx": 8, "dy": -8, "color": token("ink")}
        text = {"field": "label", "type": "nominal"}
        x = {"field": "n", "type": "quantitative"}
        return [
            {
                "data": {"values": values},
                "mark": mark,
                "encoding": {"x": x, "y": y, "text": text},
            }
            for _ in range(bool(values))
        ]

    def figure(
        self,
        name: str,
        *,
        title: str,
        y: Spec,
        low: str,
        high: str,
        under: Sequence[Spec] = (),
        over: Sequence[Spec] = (),
        more: str = "",
    ) -> Figure:
        """Return the chart: bands, lines, intervals of the points, points."""
        colour, shape = self.colour()
        x = {"field": "n", **count_axis(self.counts)}
        y_plain = {"field": y["field"], "type": "quantitative"}
        layers: list[Spec] = [*under]
        if any(p.get(low) is not None for p in self.lines):
            layers.append(self.band(low, high))
        if self.lines:
            layers.append(_line(y_plain))
        layers += [_whiskers(low, high), _marks(x, y, colour, shape)]
        layers += [*self.ends(y_plain), *over]
        notes = [
            f"{counted(self.left_out, 'curve')} with fewer counts not drawn."
            for _ in range(bool(self.left_out))
        ]
        return figure(
            name,
            title=title,
            description=(
                f"{counted(len(self.curves), 'curve')} with "
                f"{counted(len(self.points), 'measured configuration')}. Points are measured, "
                "with their interval as a thin bar; solid lines are fitted, dashed lines are "
                f"extrapolated beyond the measured counts.{more}"
            ),
            body={
                "datasets": {
                    "points": _only(self.points, {*POINT_FIELDS, y["field"], low, high}),
                    "lines": _only(self.lines, {*LINE_FIELDS, y["field"], low, high}),
                },
                "layer": layers,
            },
            rows=_table(self.result, set(self.curves)),
            notes=notes,
            names=self.whos,
        )


def _only(values: Values, fields: set[str]) -> Values:
    """Return the values without the fields that a chart does not draw."""
    return [{key: row[key] for key in row if key in fields} for row in values]


def curve_names(curves: Iterable[tuple[str, str | None]]) -> dict[str, str]:
    """Return curve -> its name in the legend: the accelerator, or itself where two share one.

    >>> curve_names([("v4.1 a", "a"), ("v4.1 b", "b"), ("v4.0 b", "b")])
    {'v4.1 a': 'a', 'v4.1 b': 'v4.1 b', 'v4.0 b': 'v4.0 b'}
    """
    owners = {name: accelerator_name(accelerator) for name, accelerator in curves}
    counts = Counter(owners.values())
    return {name: owner if counts[owner] == 1 else name for name, owner in owners.items()}


def curve_styles(accelerators: Sequence[str]) -> list[tuple[str, str]]:
    """Return colour and shape of curves: the accelerator's, later ones of it in other shapes."""
    styles: list[tuple[str, str]] = []
    taken: dict[str, int] = {}
    for name in accelerators:
        colour, shape = accelerator_style(name)
        place = taken.setdefault(name, 0)
        taken[name] += 1
        others = [other for other in SHAPES.values() if other != shape]
        styles.append((colour, shape if not place else others[(place - 1) % len(others)]))
    return styles


def _point(point: Any, who: str) -> dict[str, Any]:
    """Return a measured point under the short names of the charts."""
    row = {
        "curve": point.curve,
        "who": who,
        "n": point.accelerators,
        "t": point.time_to_train_min,
        "t_low": point.time_to_train_min_low,
        "t_high": point.time_to_train_min_high,
        "s": point.speedup,
        "s_low": point.speedup_low,
        "s_high": point.speedup_high,
        "e": point.efficiency,
        "e_low": point.efficiency_low,
        "e_high": point.efficiency_high,
        "sub": submitter_text(record(point)),
        "sys": point.system_id,
        "best": point.on_curve,
    }
    return {key: value for key, value in row.items() if value is not None}


def _segments(fitted: Sequence[FittedPoint], names: dict[str, str]) -> Values:
    """Return the fitted points cut into solid and dashed stretches that touch each other."""
    values: Values = []
    by_curve: dict[str, list[FittedPoint]] = {name: [] for name in names}
    for point in fitted:
        if point.curve in by_curve:
            by_curve[point.curve].append(point)
    for name, points in by_curve.items():
        stretch, previous = 0, None
        for point in sorted(points, key=lambda p: p.accelerators):
            if previous is not None and previous.extrapolated != point.extrapolated:
                stretch += 1
                joint = point if previous.extrapolated else previous
                outside = previous if previous.extrapolated else point
                # the dashed stretch reaches over to the measured range
                edge_stretch = stretch - 1 if previous.extrapolated else stretch
                values.append(_line_point(joint, outside, names[name], edge_stretch))
            values.append(_line_point(point, point, names[name], stretch))
            previous = point
    return values


def _line_point(point: FittedPoint, part_of: FittedPoint, who: str, stretch: int) -> dict[str, Any]:
    row = {
        "curve": point.curve,
        "segment": f"{point.curve} {stretch}",
        "who": who,
        "part": EXTRAPOLATED if part_of.extrapolated else FITTED,
        "n": point.accelerators,
        "t": point.time_to_train_min,
        "t_low": point.time_to_train_min_low,
        "t_high": point.time_to_train_min_high,
        "s": point.speedup,
        "e": point.efficiency,
        "e_low": point.efficiency_low,
        "e_high": point.efficiency_high,
    }
    return {key: value for key, value in row.items() if value is not None}


def _line(y: Spec) -> Spec:
    return {
        "data": {"name": "lines"},
        "mark": {"type": "line", "strokeWidth": 1.8, "clip": True, "opacity": 0.9},
        "encoding": {
            "x": {"field": "n", "type": "quantitative"},
            "y": y,
            "color": {"field": "who", "type": "nominal"},
            "detail": {"field": "segment", "type": "nominal"},
            "strokeDash": dash_channel(),
        },
    }


def _whiskers(low: str, high: str) -> Spec:
    return {
        "data": {"name": "points"},
        "transform": [known(low), known(high)],
        "mark": {"type": "rule", "strokeWidth": 1.2, "opacity": 0.55},
        "encoding": {
            "x": {"field": "n", "type": "quantitative"},
            "y": {"field": low, "type": "quantitative"},
            "y2": {"field": high},
            "color": {"field": "who", "type": "nominal"},
        },
    }


def _marks(x: Spec, y: Spec, colour: Spec, shape: Spec) -> Spec:
    return {
        "data": {"name": "points"},
        "mark": {"type": "point", "filled": True, "size": 60},
        "encoding": {
            "x": x,
            "y": y,
            "color": colour,
            "shape": shape,
            "opacity": {
                "condition": {"test": "datum.best", "value": 0.95},
                "value": 0.4,
            },
            "tooltip": tooltip(
                ("sys", "System"),
                ("sub", "Submitter"),
                ("curve", "Curve"),
                ("n", "Accelerators", ",d"),
                ("t", "Time to train (min)", ",.4~r"),
                ("s", "Speedup", ",.3~r"),
                ("e", "Efficiency", ".1%"),
            ),
        },
    }


def _table(result: ScalingResult, curves: set[str]) -> Values:
    fields = (
        *("curve", "submitter", "system_id", "accelerators", "time_to_train_min"),
        *("speedup", "efficiency", "efficiency_low", "efficiency_high", "accelerator_hours"),
    )
    return [
        {name: getattr(point, name) for name in fields}
        for point in result.points
        if point.curve in curves
    ]
