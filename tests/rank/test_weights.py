import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.errors import UnknownNameError, UsageError
from equipoise.rank.weights import WEIGHTINGS, normalised_weights, parse_weights, weighting_named


def table(seed: int, m: int = 15, n: int = 4):
    rng = np.random.default_rng(seed)
    return rng.lognormal(0.0, 1.0, (m, n)), rng.random(n) < 0.5


@pytest.mark.parametrize("seed", range(6))
def test_entropy_and_critic_agree_with_pymcdm(seed):
    from pymcdm import normalizations, weights
    from pymcdm.helpers import normalize_matrix

    matrix, benefit = table(seed)
    types = np.where(benefit, 1, -1)
    assert WEIGHTINGS["entropy"].kernel(matrix, benefit) == pytest.approx(
        weights.entropy_weights(matrix)
    )
    scaled = normalize_matrix(matrix, normalizations.minmax_normalization, types)
    assert WEIGHTINGS["critic"].kernel(matrix, benefit) == pytest.approx(
        weights.critic_weights(scaled)
    )


@pytest.mark.parametrize("name", WEIGHTINGS)
@given(seed=st.integers(0, 5000), m=st.integers(1, 12), n=st.integers(1, 6))
def test_weights_are_shares_and_do_not_know_units(name, seed, m, n):
    matrix, benefit = table(seed, m, n)
    weights = WEIGHTINGS[name].kernel(matrix, benefit)
    assert (weights >= 0.0).all()
    assert weights.sum() == pytest.approx(1.0)
    units = np.random.default_rng(seed).lognormal(0.0, 3.0, n)
    assert WEIGHTINGS[name].kernel(matrix * units, benefit) == pytest.approx(weights)


@pytest.mark.parametrize("name", WEIGHTINGS)
def test_equal_columns_get_equal_weights(name):
    column = np.array([1.0, 2.0, 5.0])
    weights = WEIGHTINGS[name].kernel(np.stack([column, column], axis=1), np.array([True, True]))
    assert weights == pytest.approx([0.5, 0.5])


def test_every_weighting_has_a_source():
    assert all(entry.source and entry.name == name for name, entry in WEIGHTINGS.items())


@pytest.mark.parametrize(
    "text", ["", "time", "time=", "=1", "time=x", "time=1,time=2", "time=1;cost=2"]
)
def test_odd_weight_texts_are_refused(text):
    with pytest.raises(UsageError):
        parse_weights(text)


@pytest.mark.parametrize(
    "weights", [{}, {"a": 0.0}, {"a": -1.0, "b": 2.0}, {"a": float("nan")}, {"a": float("inf")}]
)
def test_odd_weights_are_refused(weights):
    with pytest.raises(UsageError):
        normalised_weights(weights)


def test_an_alias_given_beside_its_name_is_refused():
    with pytest.raises(UsageError, match="two weights"):
        normalised_weights({"time": 1.0, "minutes": 1.0}, resolve=lambda name: "time_to_train_min")


@given(st.dictionaries(st.text(min_size=1), st.floats(0.0, 1e300), min_size=1))
def test_weights_are_normalised_without_overflow(weights):
    if max(weights.values()) > 0.0:
        found = normalised_weights(weights)
        assert sum(found.values()) == pytest.approx(1.0)


def test_unknown_weighting_lists_the_choices():
    with pytest.raises(UnknownNameError, match="entropy"):
        weighting_named("entropie")
