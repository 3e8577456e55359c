"""Extremely randomised trees: what they must fit, and the trees of scikit-learn beside them."""

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesRegressor

from equipoise.evaluate.trees import LEAF, Forest, Table, grow


def numbers(matrix: np.ndarray) -> Table:
    return Table(
        values=np.asarray(matrix.T, dtype=np.float32),
        levels=np.zeros(matrix.shape[1], dtype=np.int64),
    )


def at_rows(forest: Forest, rows: np.ndarray) -> np.ndarray:
    width = len(forest.table.levels)
    return forest.predict(np.repeat(rows[:, None], width, axis=1))


def sample(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    x = rng.uniform(size=(n, 5))
    y = 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3]
    return x, y + 0.5 * rng.normal(size=n)


def test_held_out_error_is_that_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    x, y = sample(rng, 600)
    inside, outside = np.arange(300), np.arange(300, 600)
    forest = grow(numbers(x), inside, y[inside], trees=60, leaf=3, share=0.6, rng=rng)
    ours = float(((at_rows(forest, outside) - y[outside]) ** 2).mean())
    peer = ExtraTreesRegressor(60, min_samples_leaf=3, max_features=0.6, random_state=0)
    theirs = float(((peer.fit(x[inside], y[inside]).predict(x[outside]) - y[outside]) ** 2).mean())
    assert ours == pytest.approx(theirs, rel=0.15)
    assert ours < 0.3 * y.var()


def test_leaves_hold_enough_rows_and_their_mean() -> None:
    rng = np.random.default_rng(1)
    x, y = sample(rng, 80)
    forest = grow(numbers(x), np.arange(80), y, trees=1, leaf=4, share=1.0, rng=rng)
    predicted = at_rows(forest, np.arange(80))
    for value in np.unique(predicted):
        members = predicted == value
        assert members.sum() >= 4
        assert value == pytest.approx(y[members].mean())
    assert (forest.variable == LEAF).sum() == np.unique(predicted).size


def test_sets_of_levels_that_no_threshold_on_the_codes_could_tell_apart() -> None:
    rng = np.random.default_rng(2)
    codes = rng.integers(6, size=300)
    y = np.isin(codes, [0, 2, 5]).astype(float)
    table = Table(values=codes[None].astype(np.float32), levels=np.array([6]))
    forest = grow(table, np.arange(300), y, trees=20, leaf=3, share=1.0, rng=rng)
    np.testing.assert_allclose(at_rows(forest, np.arange(300)), y)


def test_rows_put_together_from_several_take_each_variable_from_its_row() -> None:
    rng = np.random.default_rng(3)
    x = rng.uniform(size=(200, 2))
    y = 5 * (x[:, 0] > 0.5) + (x[:, 1] > 0.5)
    forest = grow(numbers(x), np.arange(200), y, trees=30, leaf=1, share=1.0, rng=rng)
    high, low = int(x.min(axis=1).argmax()), int(x.max(axis=1).argmin())
    index = np.array([[high, low], [low, high], [high, high], [low, low]])
    np.testing.assert_allclose(forest.predict(index), [5, 1, 6, 0], atol=0.7)


def test_a_constant_table_and_few_rows_stay_one_leaf() -> None:
    rng = np.random.default_rng(4)
    flat = grow(numbers(np.ones((9, 2))), np.arange(9), np.arange(9.0), trees=2, leaf=3,
                share=0.5, rng=rng)  # fmt: skip
    few = grow(numbers(rng.uniform(size=(5, 2))), np.arange(5), np.arange(5.0), trees=2, leaf=3,
               share=0.5, rng=rng)  # fmt: skip
    np.testing.assert_allclose(at_rows(flat, np.arange(2)), 4.0)
    np.testing.assert_allclose(at_rows(few, np.arange(2)), 2.0)


def test_same_generator_same_forest() -> None:
    x, y = sample(np.random.default_rng(5), 60)
    one, two = (
        at_rows(
            grow(numbers(x), np.arange(60), y, trees=5, leaf=2, share=0.5,
                 rng=np.random.default_rng(6)),
            np.arange(60),
        )
        for _ in range(2)
    )  # fmt: skip
    np.testing.assert_array_equal(one, two)
