"""The charts of stage 2, by name."""

from equipoise.cluster.results import ClusterResult
from equipoise.report.figures.base import Charts, charts_of
from equipoise.report.figures.time import efficiency_by_cluster, time_by_cluster


def charts(result: ClusterResult) -> Charts:
    """Return chart name -> function that draws it."""
    return charts_of(
        {
            "time": lambda: time_by_cluster(result),
            "efficiency": lambda: efficiency_by_cluster(result),
        }
    )
