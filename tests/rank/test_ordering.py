import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from equipoise.rank.ordering import competition_ranks, pareto_front

small = st.integers(0, 5).map(float)


@given(arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 20)), elements=small))
def test_ranks_count_the_better_ones(scores):
    ranks = competition_ranks(scores)
    for row, given_ranks in zip(scores, ranks, strict=True):
        assert given_ranks.tolist() == [1 + int((row > value).sum()) for value in row]


def test_rounding_does_not_break_a_tie():
    assert competition_ranks(np.array([0.1 + 0.2, 0.3, 0.29])).tolist() == [1, 1, 3]


@given(arrays(np.float64, st.tuples(st.integers(1, 20), st.integers(1, 5)), elements=small))
def test_front_is_what_nothing_dominates(matrix):
    benefit = np.arange(matrix.shape[1]) % 2 == 0
    costs = np.where(benefit, -matrix, matrix)
    dominated = [
        any((other <= row).all() and (other < row).any() for other in costs) for row in costs
    ]
    assert pareto_front(matrix, benefit).tolist() == [not d for d in dominated]
