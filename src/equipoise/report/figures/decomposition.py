"""Where efficiency goes: throughput, convergence and overhead stacked on a log scale."""

from equipoise.report.figures.base import Figure, Spec, Values, figure, tooltip
from equipoise.report.figures.style import token
from equipoise.scaling.results import ScalingPoint, ScalingResult

FACTORS = {
    "throughput": ("Throughput per accelerator", "c1"),
    "convergence": ("Samples to converge", "c3"),
    "overhead": ("Start, evaluation and the rest", "c6"),
}
"""Factor -> (name, colour)."""
WHOLE = "Efficiency"


# long: the definition of one chart, written out as data
def decomposition(result: ScalingResult, *, curve: str | None = None) -> Figure:
    """Return the three factors of efficiency of one curve, stacked from 100 % at each count.

    E = E_throughput x E_convergence x E_overhead, so on a log scale the three bars add up to
    the efficiency: what hangs down is lost, what stands above 100 % is gained. Without
    `curve` the one with most decomposed counts is drawn.
    """
    name = curve or decomposed_curve(result)
    points = _points(result, name)
    values = [datum for point in points for datum in _bars(point)]
    y: Spec = {
        "field": "loss",
        "type": "quantitative",
        "title": "Efficiency (log scale)",
        "axis": {
            "values": list(range(-6, 9)),
            "labelExpr": "format(pow(2, datum.value), '.3~p')",
        },
    }
    x: Spec = {
        "field": "n",
        "type": "ordinal",
        "title": "Accelerators",
        "axis": {"format": ",d", "labelAngle": 0, "labelOverlap": "greedy"},
    }
    names = [label for label, _ in FACTORS.values()]
    return figure(
        "decomposition",
        title="Where the efficiency goes" + (f": {name}" if name else ""),
        description=(
            "Bars hanging down from 100 % show how much efficiency each factor costs at each "
            "number of accelerators, on a log scale so that the three factors multiply to the "
            "efficiency, which the diamond marks. Bars above 100 % are gains."
        ),
        body={
            "datasets": {"factors": values, "wholes": [_whole(point) for point in points]},
            "layer": [
                {
                    "data": {"name": "factors"},
                    "transform": [{"calculate": "log(datum.factor) / LN2", "as": "loss"}],
                    "mark": {"type": "bar", "stroke": token("surface"), "strokeWidth": 1},
                    "encoding": {
                        "x": x,
                        "y": {**y, "stack": "zero"},
                        "color": {
                            "field": "name",
                            "type": "nominal",
                            "title": "Factor",
                            "scale": {
                                "domain": names,
                                "range": [token(colour) for _, colour in FACTORS.values()],
                            },
                        },
                        "order": {"field": "order", "type": "quantitative"},
                        "tooltip": tooltip(
                            ("sys", "System"),
                            ("n", "Accelerators", ",d"),
                            ("name", "Factor"),
                            ("factor", "Value", ".3f"),
                        ),
                    },
                },
                {
                    "data": {"name": "wholes"},
                    "transform": [{"calculate": "log(datum.factor) / LN2", "as": "loss"}],
                    "mark": {
                        "type": "point",
                        "shape": "diamond",
                        "filled": True,
                        "size": 90,
                        "color": token("ink"),
                        "stroke": token("surface"),
                    },
                    "encoding": {
                        "x": x,
                        "y": y,
                        "tooltip": tooltip(
                            ("sys", "System"),
                            ("n", "Accelerators", ",d"),
                            ("factor", WHOLE, ".3f"),
                        ),
                    },
                },
            ],
        },
        rows=[_row(point) for point in points],
        names=names,
    )


def decomposed_curve(result: ScalingResult, *, prefer: str | None = None) -> str | None:
    """Return the curve with most decomposed counts, None when no curve has two.

    `prefer` is taken when it has two.
    """
    counts = {
        row.curve: len({p.accelerators for p in _points(result, row.curve)})
        for row in result.curves
    }
    if prefer is not None and counts.get(prefer, 0) > 1:
        return prefer
    best = max(counts, key=lambda name: (counts[name], name), default=None)
    return best if best is not None and counts[best] > 1 else None


def _points(result: ScalingResult, curve: str | None) -> list[ScalingPoint]:
    chosen = [
        point
        for point in result.points
        if point.curve == curve
        and point.on_curve
        and point.efficiency_throughput is not None
        and point.efficiency_convergence is not None
        and point.efficiency_overhead is not None
    ]
    return sorted(chosen, key=lambda point: point.accelerators)


def _bars(point: ScalingPoint) -> Values:
    return [
        {
            "n": point.accelerators,
            "sys": point.system_id,
            "name": label,
            "order": order,
            "factor": getattr(point, f"efficiency_{factor}"),
        }
        for order, (factor, (label, _)) in enumerate(FACTORS.items())
    ]


def _whole(point: ScalingPoint) -> dict[str, object]:
    return {"n": point.accelerators, "sys": point.system_id, "factor": point.efficiency}


def _row(point: ScalingPoint) -> dict[str, object]:
    fields = ("system_id", "accelerators", "efficiency")
    factors = tuple(f"efficiency_{factor}" for factor in FACTORS)
    return {name: getattr(point, name) for name in (*fields, *factors)}
