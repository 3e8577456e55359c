"""What a report needs to know of a study."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from equipoise.cluster.results import ClusterResult
from equipoise.domain import Configuration
from equipoise.evaluate.results import ImportanceResult
from equipoise.rank.results import RankResult
from equipoise.scaling.results import BreakevenResult, ScalingResult


class StudyLike(Protocol):
    """A study of one benchmark; a stage that could not be done is None."""

    @property
    def title(self) -> str:
        """Return the heading of the report."""

    @property
    def selection(self) -> Mapping[str, Any]:
        """Return what was asked for."""

    @property
    def configurations(self) -> Sequence[Configuration]:
        """Return the configurations that were studied."""

    @property
    def importance(self) -> ImportanceResult | None:
        """Return stage 1."""

    @property
    def clusters(self) -> ClusterResult | None:
        """Return stage 2."""

    @property
    def ranking(self) -> RankResult | None:
        """Return stage 3."""

    @property
    def scaling(self) -> ScalingResult | None:
        """Return the scaling curves."""

    @property
    def breakevens(self) -> BreakevenResult | None:
        """Return the break-even points."""

    @property
    def curve(self) -> str | None:
        """Return the curve whose break-even point the answer quotes."""

    @property
    def answer(self) -> str:
        """Return the answer in a sentence."""

    @property
    def paragraphs(self) -> tuple[str, ...]:
        """Return the answer in plain words with the numbers."""

    @property
    def footnotes(self) -> tuple[str, ...]:
        """Return the footnotes."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return the warnings."""
