"""Stage 2: groups of alike configurations, described from their own numbers."""

from equipoise.cluster.analysis import cluster
from equipoise.cluster.results import (
    ClusterResult,
    ClusterRow,
    KChoice,
    MemberRow,
    MethodRow,
    PaperRow,
)

__all__ = [
    "ClusterResult",
    "ClusterRow",
    "KChoice",
    "MemberRow",
    "MethodRow",
    "PaperRow",
    "cluster",
]
