"""A claim, the evidence it is tested on, and how a verdict comes out of numbers."""

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Final

from equipoise.domain import Configuration
from equipoise.structs import dataclass
from equipoise.workflow.analyses import generator
from equipoise.workflow.selection import select

if TYPE_CHECKING:
    from equipoise.catalogue import Catalogue
    from equipoise.cluster.results import ClusterResult, ClusterRow
    from equipoise.evaluate.results import ImportanceResult
    from equipoise.rank.results import RankResult
    from equipoise.report.figures.base import Figure
    from equipoise.scaling.results import BreakevenResult, ScalingPoint, ScalingResult

CONFIRMED: Final = "holds"
PARTLY: Final = "holds in part"
NOT_SUPPORTED: Final = "does not hold"
CANNOT_BE_TESTED: Final = "cannot be tested"
VERDICTS: Final = (CONFIRMED, PARTLY, NOT_SUPPORTED, CANNOT_BE_TESTED)

RANKING_PAPER: Final = "ranking paper"
SCALING_PAPER: Final = "scaling paper"
PAPER1_BENCHMARK: Final = "resnet"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What the data say on one claim."""

    verdict: str
    evidence: str
    """The numbers in a sentence, the disagreement said plainly."""
    numbers: Mapping[str, float | None]
    """The same numbers by name, the unit in the name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One claim in our words, how it is tested, and the chart that shows it."""

    source: str
    """Name of the text that says it."""
    claim: str
    test: str
    """What is computed, and which outcome means which verdict."""
    judge: "Callable[[Evidence], Finding]"
    figure: str | None = None
    """Name of the chart in `Evidence.figures`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimRow:
    """One claim with its verdict."""

    id: int
    source: str
    claim: str
    verdict: str
    """holds, holds in part, does not hold or cannot be tested."""
    evidence: str
    numbers: Mapping[str, float | None]
    test: str
    figure: str | None
    """Name of the chart that shows it."""


class Evidence:
    """The analyses that the claims are tested on, each computed once when first asked for."""

    def __init__(self, catalogue: "Catalogue", *, resamples: int, seed: int) -> None:
        self.catalogue = catalogue
        self.resamples = resamples
        self.seed = seed
        self._workloads: dict[str, tuple[ScalingResult, BreakevenResult]] = {}

    @cached_property
    def resnet(self) -> tuple[Configuration, ...]:
        """Return the configurations of the first paper's benchmark."""
        return select(self.catalogue, PAPER1_BENCHMARK)[1]

    @cached_property
    def clusters(self) -> "ClusterResult":
        """Return stage 2 with the five groups of the paper."""
        from equipoise.cluster import cluster
        from equipoise.cluster.paper import PAPER_K

        return cluster(self.resnet, k=PAPER_K, rng=generator(self.seed))

    @cached_property
    def importance(self) -> "ImportanceResult":
        """Return stage 1."""
        from equipoise.evaluate import importance

        return importance(self.resnet, rng=generator(self.seed))

    @cached_property
    def ranking(self) -> "RankResult":
        """Return stage 3 with the default method and equal weights."""
        from equipoise.rank import rank

        return rank(self.resnet, resamples=self.resamples, rng=generator(self.seed))

    @cached_property
    def resnet_scaling(self) -> "ScalingResult":
        """Return the scaling curves of the first paper's benchmark."""
        from equipoise.scaling.summary import scaling

        return scaling(self.resnet, rng=generator(self.seed), resamples=self.resamples)

    def workload(self, benchmark: str) -> "tuple[ScalingResult, BreakevenResult]":
        """Return scaling and break-even of one workload of the second paper."""
        from equipoise.scaling.breakeven import scaling_and_breakeven

        if benchmark not in self._workloads:
            self._workloads[benchmark] = scaling_and_breakeven(
                self.round_of(benchmark), rng=generator(self.seed), resamples=self.resamples
            )
        return self._workloads[benchmark]

    def round_of(self, benchmark: str) -> tuple[Configuration, ...]:
        """Return the configurations of a workload in the second paper's round."""
        from equipoise.scaling.paper2 import PAPER2_ROUND

        return select(self.catalogue, benchmark, rounds=[PAPER2_ROUND])[1]

    def group(self, number: int | None) -> "ClusterRow | None":
        """Return one of the groups."""
        return next((row for row in self.clusters.clusters if row.cluster == number), None)

    def figure(self, name: str) -> "Figure":
        """Return a chart of the analyses."""
        from equipoise.report.figures.breakeven import breakeven_marked
        from equipoise.report.figures.curves import leading_curves, scaling_efficiency
        from equipoise.report.figures.decomposition import decomposition
        from equipoise.report.figures.importance import importance
        from equipoise.report.figures.ranking import ranking
        from equipoise.report.figures.time import efficiency_by_cluster, time_by_cluster

        drawers: dict[str, Callable[[], Figure]] = {
            "groups-time": lambda: time_by_cluster(self.clusters),
            "groups-efficiency": lambda: efficiency_by_cluster(self.clusters),
            "variables": lambda: importance(self.importance),
            "ranking": lambda: ranking(self.ranking),
            "curves": lambda: scaling_efficiency(self.resnet_scaling),
            "lost-efficiency": lambda: decomposition(self.resnet_scaling),
        }
        if name in drawers:
            return drawers[name]()
        scaling, points = self.workload(name)
        curves = [curve.curve for curve in leading_curves(scaling)]
        return breakeven_marked(scaling, points, curves=curves)


def curves_of(scaling: "ScalingResult") -> "dict[str, list[ScalingPoint]]":
    """Return the best point of each count on every curve with two counts or more."""
    found: dict[str, list[ScalingPoint]] = {}
    for point in sorted(scaling.points, key=lambda p: p.accelerators):
        if point.on_curve:
            found.setdefault(point.curve, []).append(point)
    return {name: points for name, points in found.items() if len(points) > 1}


def graded(parts: Iterable[bool]) -> str:
    """Return holds when all parts hold, in part when some do.

    >>> graded([True, True]), graded([True, False]), graded([False])
    ('holds', 'holds in part', 'does not hold')
    """
    held = list(parts)
    if all(held):
        return CONFIRMED
    return PARTLY if any(held) else NOT_SUPPORTED


def by_share(share: float, *, most: float = 0.9, some: float = 0.5) -> str:
    """Return the verdict on something that should hold in every case.

    >>> by_share(0.95), by_share(0.6), by_share(0.2)
    ('holds', 'holds in part', 'does not hold')
    """
    if share >= most:
        return CONFIRMED
    return PARTLY if share > some else NOT_SUPPORTED


def untestable(why: str, **numbers: float | None) -> Finding:
    """Return the finding that the data cannot decide."""
    return Finding(verdict=CANNOT_BE_TESTED, evidence=why, numbers=numbers)
