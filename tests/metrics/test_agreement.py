"""Agreement of orders and of groupings against SciPy, scikit-learn and counting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from equipoise.metrics.agreement import adjusted_rand, inversions, kendall_tau

rankings = st.integers(1, 25).flatmap(
    lambda m: st.tuples(*[arrays(np.int64, m, elements=st.integers(1, 6))] * 2)
)


@given(rankings)
def test_kendall_agrees_with_scipy(pair):
    from scipy.stats import kendalltau

    first, second = pair
    ours = kendall_tau(first, second)
    if len(set(first.tolist())) < 2 or len(set(second.tolist())) < 2:
        assert ours is None
    else:
        assert ours == pytest.approx(kendalltau(first, second).statistic)


@given(rankings)
def test_inversions_count_pairs(pair):
    first, second = pair
    m = len(first)
    expected = sum(
        (first[i] - first[k]) * (second[i] - second[k]) < 0 for i in range(m) for k in range(i)
    )
    assert inversions(first, second) == expected


@given(rankings)
def test_adjusted_rand_agrees_with_scikit_learn(pair):
    from sklearn.metrics import adjusted_rand_score

    first, second = pair
    assert adjusted_rand(first, second) == pytest.approx(adjusted_rand_score(first, second))
