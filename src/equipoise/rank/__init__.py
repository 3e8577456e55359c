"""Stage 3: multi-criteria ranking and its robustness."""

from equipoise.rank.matrix import rank_matrix
from equipoise.rank.methods import METHODS, method_named
from equipoise.rank.ordering import competition_ranks, pareto_front
from equipoise.rank.ranking import DEFAULT_CRITERIA, rank
from equipoise.rank.results import (
    AgreementRow,
    CriterionRow,
    MatrixResult,
    MatrixRow,
    RankingRow,
    RankResult,
    ReversalResult,
    SetAside,
)
from equipoise.rank.weights import WEIGHTINGS, parse_weights, weighting_named

__all__ = [
    "DEFAULT_CRITERIA",
    "METHODS",
    "WEIGHTINGS",
    "AgreementRow",
    "CriterionRow",
    "MatrixResult",
    "MatrixRow",
    "RankResult",
    "RankingRow",
    "ReversalResult",
    "SetAside",
    "competition_ranks",
    "method_named",
    "pareto_front",
    "parse_weights",
    "rank",
    "rank_matrix",
    "weighting_named",
]
