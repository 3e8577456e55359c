"""The charts of the scaling analysis and of break-even, by name."""

from equipoise.report.figures.base import Charts, charts_of
from equipoise.report.figures.breakeven import breakeven_rules
from equipoise.report.figures.curves import scaling_efficiency, scaling_speedup, scaling_time
from equipoise.report.figures.decomposition import decomposition
from equipoise.scaling.results import BreakevenResult, ScalingResult


def charts(result: ScalingResult) -> Charts:
    """Return chart name -> function that draws it."""
    return charts_of(
        {
            "time": lambda: scaling_time(result),
            "speedup": lambda: scaling_speedup(result),
            "efficiency": lambda: scaling_efficiency(result),
            "decomposition": lambda: decomposition(result),
        }
    )


def breakeven_charts(result: BreakevenResult) -> Charts:
    """Return chart name -> function that draws it."""
    return charts_of({"rules": lambda: breakeven_rules(result)})
