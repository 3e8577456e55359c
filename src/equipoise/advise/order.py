"""The order of feasible options: Pareto front, marginal cost and the objective."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from equipoise.advise.results import MEASURED, OWN, OptionRow
from equipoise.metrics.cost import marginal_cost_usd_per_saved_min
from equipoise.rank.decision import scaler
from equipoise.rank.methods import METHODS
from equipoise.rank.ordering import competition_ranks, pareto_front

OBJECTIVES = ("balanced", "time", "cost")


def front(rows: Sequence[OptionRow]) -> list[bool]:
    """Return which rows no other row beats in time and cost.

    Rows without a price are compared with each other by time and accelerator-hours.
    """
    result = [False] * len(rows)
    for priced in (True, False):
        members = [i for i, row in enumerate(rows) if (row.cost_usd is not None) == priced]
        if not members:
            continue
        matrix = np.array([[rows[i].time_to_train_min, _expense(rows[i])] for i in members])
        for i, kept in zip(members, pareto_front(matrix, np.zeros(2, dtype=bool)), strict=True):
            result[i] = bool(kept)
    return result


def marginal_costs(rows: Sequence[OptionRow], pareto: Sequence[bool]) -> list[float | None]:
    """Return dollars per minute saved against the next slower option of the front."""
    result: list[float | None] = [None] * len(rows)
    curve = sorted(
        (i for i, row in enumerate(rows) if pareto[i] and row.cost_usd is not None),
        key=lambda i: -rows[i].time_to_train_min,
    )
    for slower, faster in pairwise(curve):
        result[faster] = marginal_cost_usd_per_saved_min(
            cost_usd=_expense(rows[faster]),
            time_min=rows[faster].time_to_train_min,
            cheaper_cost_usd=_expense(rows[slower]),
            cheaper_time_min=rows[slower].time_to_train_min,
        )
    return result


def order(rows: Sequence[OptionRow], objective: str) -> list[int]:
    """Return the rank of every row, 1 best; rows without a price come after the others.

    Equal ranks are kept for rows that are equal in everything the objective looks at.
    """
    result = [0] * len(rows)
    start = 0
    for priced in (True, False):
        members = [i for i, row in enumerate(rows) if (row.cost_usd is not None) == priced]
        if not members:
            continue
        ranks = competition_ranks(_merit([rows[i] for i in members], objective))
        for i, rank in zip(members, ranks.tolist(), strict=True):
            result[i] = start + rank
        start += len(members)
    return result


def _merit(
    rows: Sequence[OptionRow], objective: str
) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    times = np.array([row.time_to_train_min for row in rows])
    expenses = np.array([_expense(row) for row in rows])
    if objective == "balanced":
        # A prediction has to be better even at the slow end of its interval; cost is time
        # times a fixed rate, so that its slow end is its dear end.
        slow = np.array([_caution(row) for row in rows])
        times, expenses = times * slow, expenses * slow
    else:
        first, second = (times, expenses) if objective == "time" else (expenses, times)
        # Ranks make one number of two: the second decides between equals of the first.
        place = competition_ranks(-first) * (len(rows) + 1.0) + competition_ranks(-second)
        return np.asarray(-place, dtype=np.float64)
    chances = np.array([1.0 if r.probability_both is None else r.probability_both for r in rows])
    matrix = np.stack([times, expenses, chances], axis=1)
    benefit = np.array([False, False, True])
    # Chances that differ by less than a percent would be stretched to the whole scale.
    differs = np.ptp(matrix, axis=0) > np.array([0.0, 0.0, LEAST_CHANCE])
    if not differs.any():
        return np.zeros(len(rows))
    matrix, benefit = matrix[:, differs], benefit[differs]
    log = np.array([True, True, False])[differs]
    scaled = scaler(matrix, benefit, log)(matrix)
    weights = np.full(matrix.shape[1], 1.0 / matrix.shape[1])
    merit = METHODS["topsis"].scores(scaled, weights, np.ones_like(benefit), vector=False)
    return np.asarray(merit, dtype=np.float64)


LEAST_CHANCE = 0.01
"""Chances to keep the limits that differ by less do not count."""


def _caution(row: OptionRow) -> float:
    """Return the slow end of the interval over the median for predictions, 1 for what was run."""
    if row.basis in (MEASURED, OWN):
        return 1.0
    return row.time_to_train_min_high / row.time_to_train_min


def _expense(row: OptionRow) -> float:
    return row.accelerator_hours if row.cost_usd is None else row.cost_usd
