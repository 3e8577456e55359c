"""Ranks with ties and the Pareto front."""

from bisect import bisect_left, bisect_right

import numpy as np
from numpy.typing import NDArray

from equipoise.rank.methods.base import BoolArray, FloatArray

IntArray = NDArray[np.int64]

TIE_TOLERANCE = 1e-12
"""Scores closer than this share of the largest one differ by rounding alone."""


def competition_ranks(scores: FloatArray) -> IntArray:
    """Return ranks (..., m) of scores (..., m), the largest is 1; ties share (1, 2, 2, 4).

    >>> competition_ranks(np.array([0.5, 0.9, 0.5, 0.1]))
    array([2, 1, 2, 4])
    """
    order = np.argsort(-scores, axis=-1, kind="stable")
    ranked = np.take_along_axis(scores, order, axis=-1)
    scale = np.abs(scores).max(axis=-1, keepdims=True)
    steps = ranked[..., :-1] - ranked[..., 1:] > TIE_TOLERANCE * scale
    edge = np.ones((*steps.shape[:-1], 1), dtype=bool)
    index = np.arange(scores.shape[-1])
    first = np.maximum.accumulate(
        np.where(np.concatenate([edge, steps], axis=-1), index, 0), axis=-1
    )
    ranks = np.empty(scores.shape, dtype=np.int64)
    np.put_along_axis(ranks, order, first + 1, axis=-1)
    return ranks


def pareto_front(matrix: FloatArray, benefit: BoolArray) -> BoolArray:
    """Return the mask (m,) of the rows that no other row dominates.

    A row dominates another when it is at least as good in every criterion and better in
    one; equal rows do not dominate each other. Criteria that order the rows alike count
    once; up to three different ones take m log m, more take m times the size of the front.
    """
    costs = np.where(benefit, -matrix, matrix)
    # Ranks replace the values: they compare alike and neither overflow nor round.
    ranks = np.stack([np.unique(c, return_inverse=True)[1].reshape(-1) for c in costs.T], axis=1)
    ranks = np.unique(ranks, axis=1)
    rows, back = np.unique(ranks, axis=0, return_inverse=True)
    keep = _front_of_three(rows) if rows.shape[1] <= _SWEEP else _front(rows)
    return keep[back.reshape(-1)]


_SWEEP = 3
"""Criteria that one sweep with a staircase can decide."""


def _front_of_three(rows: IntArray) -> BoolArray:
    """Sweep rows (m, <= 3) in lexicographic order, keeping a staircase of the last two.

    Every earlier row is at least as good in the first criterion, so a row is dominated
    exactly when an earlier one is at least as good in the other two.
    """
    padded = np.zeros((len(rows), _SWEEP), dtype=np.int64)
    padded[:, : rows.shape[1]] = rows
    keep = np.zeros(len(rows), dtype=bool)
    seconds: list[int] = []
    thirds: list[int] = []
    for i, (_, second, third) in enumerate(padded.tolist()):
        place = bisect_right(seconds, second)
        if place and thirds[place - 1] <= third:
            continue
        keep[i] = True
        start = bisect_left(seconds, second)
        end = start
        while end < len(thirds) and thirds[end] >= third:
            end += 1
        seconds[start:end] = [second]
        thirds[start:end] = [third]
    return keep


def _front(rows: IntArray) -> BoolArray:
    # A row can only be dominated by one with a smaller sum of ranks.
    keep = np.zeros(len(rows), dtype=bool)
    alive = np.argsort(rows.sum(axis=1), kind="stable")
    while len(alive):
        head, rest = alive[0], alive[1:]
        keep[head] = True
        alive = rest[~(rows[head] <= rows[rest]).all(axis=1)]
    return keep
