"""How sure a ranking is: rank intervals, agreement of methods, rank reversal."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from equipoise.metrics.agreement import inversions, kendall_tau
from equipoise.rank.decision import Decision, scaler
from equipoise.rank.methods import METHODS, Method
from equipoise.rank.methods.base import BoolArray, FloatArray
from equipoise.rank.methods.spotis import matrix_bounds
from equipoise.rank.noise import Response
from equipoise.rank.ordering import IntArray, competition_ranks
from equipoise.rank.results import AgreementRow, ReversalResult
from equipoise.structs import dataclass

CELLS_AT_ONCE = 200_000
"""Resamples are ranked in blocks of at most this many matrix cells."""

MOST_RANKS = 2_000_000
"""Resamples x configurations that are worth drawing; more are cut with a warning."""

FEWEST_RESAMPLES = 100
TOP = (1, 3, 10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A decision with the scale on which methods see it."""

    decision: Decision
    log_scale: bool
    options: Mapping[str, Any]
    """Checked options of the chosen method."""

    def arguments(self, method: Method, *, chosen: bool) -> dict[str, Any]:
        """Return the keyword arguments of a kernel, bounds fixed to the decision."""
        result = dict(self.options) if chosen else {}
        if self.scaled(method):
            result.update(method.when_scaled)
        if method.uses_bounds and "bounds" not in result:
            result["bounds"] = matrix_bounds(self.values(method))
        return result

    def scaled(self, method: Method) -> bool:
        """Return whether the method sees 0 .. 1; one that divides sees the values."""
        return self.log_scale and not method.positive_only

    def benefit(self, method: Method) -> BoolArray:
        """Return the direction of the columns as the method sees them."""
        benefit = self.decision.benefit
        return np.ones_like(benefit) if self.scaled(method) else benefit

    def values(self, method: Method, matrix: FloatArray | None = None) -> FloatArray:
        """Return the decision's matrix, or another one, on the scale of the decision."""
        d = self.decision
        given = d.matrix if matrix is None else matrix
        return scaler(d.matrix, d.benefit, d.log)(given) if self.scaled(method) else given

    def common_view(self) -> dict[str, Any]:
        """Return the matrix and directions that the weights are computed from."""
        method = METHODS["topsis"]
        return {"matrix": self.values(method), "benefit": self.benefit(method)}

    def ranks(self, method: Method, weights: FloatArray, *, chosen: bool) -> IntArray:
        """Return the ranks (m,) by one method."""
        arguments = self.arguments(method, chosen=chosen)
        scores = method.scores(self.values(method), weights, self.benefit(method), **arguments)
        return competition_ranks(scores)


@dataclass(frozen=True, slots=True, kw_only=True)
class Robustness:
    """Rank intervals (m,) and probabilities (m, 3) of the top 1, 3 and 10."""

    low: IntArray
    high: IntArray
    top: FloatArray
    resamples: int


def affordable(resamples: int, m: int) -> int:
    """Return how many resamples of m configurations are drawn.

    >>> affordable(1000, 300), affordable(1000, 100_000)
    (1000, 100)
    """
    return min(resamples, max(FEWEST_RESAMPLES, MOST_RANKS // max(m, 1)))


def rank_intervals(
    problem: Problem,
    method: Method,
    *,
    factors: FloatArray,
    weights: FloatArray,
    moves: Sequence[Response],
    level: float,
) -> Robustness:
    """Return how the ranks vary over resampled times (m, B) and weights (B, n).

    `moves` says for each used criterion how its values follow the times. The interval
    encloses `level` of the resampled ranks and the rank itself is the caller's to add.
    """
    resamples, m = weights.shape[0], factors.shape[0]
    ranks = np.empty((resamples, m), dtype=np.int32)
    arguments = problem.arguments(method, chosen=True)
    benefit = problem.benefit(method)
    for block in _blocks(resamples, m * len(moves)):
        matrix = resampled_matrix(problem.decision.matrix, factors[:, block].T, moves)
        values = problem.values(method, matrix)
        ranks[block] = competition_ranks(
            method.scores(values, weights[block], benefit, **arguments)
        )
    tail = (1.0 - level) / 2.0
    ordered = np.sort(ranks, axis=0)
    last = resamples - 1
    return Robustness(
        low=ordered[int(np.floor(tail * last))].astype(np.int64),
        high=ordered[int(np.ceil((1.0 - tail) * last))].astype(np.int64),
        top=np.stack([(ranks <= k).mean(axis=0) for k in TOP], axis=1),
        resamples=resamples,
    )


def resampled_matrix(
    matrix: FloatArray, factors: FloatArray, moves: Sequence[Response]
) -> FloatArray:
    """Return the matrices (B, m, n) that belong to the time factors (B, m)."""
    result = np.empty((*factors.shape, matrix.shape[1]))
    logs = np.log(factors)
    for j, move in enumerate(moves):
        shift = logs * move.own + logs[:, move.reference_of] * move.reference
        result[..., j] = matrix[:, j] * np.exp(shift)
    return result


def agreement(
    rankings: Mapping[str, IntArray],
) -> tuple[AgreementRow, ...]:
    """Return Kendall's tau of every pair of methods."""
    names = list(rankings)
    return tuple(
        AgreementRow(
            method=a,
            other=b,
            kendall_tau=kendall_tau(rankings[a], rankings[b]),
            same_first=bool(((rankings[a] == 1) & (rankings[b] == 1)).any()),
        )
        for i, a in enumerate(names)
        for b in names[i + 1 :]
    )


def reversal(problem: Problem, method: Method, weights: FloatArray) -> ReversalResult:
    """Return what adding one alternative that is clearly worse in everything changes.

    The added row is worse than the worst value of every criterion: half the smallest
    positive benefit, twice the largest positive cost, otherwise half the range beyond.
    Scales and norms follow the longer matrix; SPOTIS keeps its bounds, as it prescribes.
    """
    before = problem.ranks(method, weights, chosen=True)
    d = problem.decision
    matrix = np.vstack([d.matrix, worse_than_all(d.matrix, d.benefit)])
    longer = replace(problem, decision=replace(d, matrix=matrix))
    arguments = longer.arguments(method, chosen=True)
    values = longer.values(method)
    if method.uses_bounds:
        arguments["bounds"] = problem.arguments(method, chosen=True)["bounds"]
        values = problem.values(method, matrix)
    scores = method.scores(values, weights, longer.benefit(method), **arguments)
    after = competition_ranks(scores[:-1])
    turned = inversions(before, after)
    m = len(before)
    counts = np.unique(before, return_counts=True)[1]
    pairs = m * (m - 1) // 2 - int((counts * (counts - 1) // 2).sum())
    return ReversalResult(
        reversed_pairs=turned,
        pairs=pairs,
        first_changed=not bool(((before == 1) & (after == 1)).any()),
        largest_shift=int(np.abs(before - after).max()),
        share=turned / pairs if pairs else 0.0,
    )


def worse_than_all(matrix: FloatArray, benefit: BoolArray) -> FloatArray:
    """Return one row (n,) that every row of the matrix (m, n) dominates clearly.

    >>> worse_than_all(np.array([[2.0, 4.0], [6.0, 1.0]]), np.array([True, False]))
    array([1., 8.])
    """
    low, high = matrix.min(axis=0), matrix.max(axis=0)
    beyond = (high - low) / 2.0 + np.where(high > low, 0.0, 1.0)
    bad_benefit = np.where(low > 0.0, low / 2.0, low - beyond)
    bad_cost = np.where(high > 0.0, high * 2.0, high + beyond)
    row: FloatArray = np.where(benefit, bad_benefit, bad_cost)
    return row


def all_rankings(
    problem: Problem, method: Method, weights: FloatArray, *, usable: Callable[[Method], bool]
) -> dict[str, IntArray]:
    """Return the ranks of every method that can work with the values."""
    return {
        name: problem.ranks(other, weights, chosen=other is method)
        for name, other in METHODS.items()
        if usable(other)
    }


def _blocks(resamples: int, cells: int) -> Iterator[slice]:
    size = max(1, CELLS_AT_ONCE // max(cells, 1))
    for start in range(0, resamples, size):
        yield slice(start, min(start + size, resamples))
