"""The lasso of many problems at once against scikit-learn's, one problem after the other."""

import numpy as np
from sklearn.linear_model import lasso_path

from equipoise.evaluate.lasso import lasso


def test_every_problem_and_penalty_is_that_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    problems = []
    for n in (60, 80, 40):
        x = rng.normal(size=(n, 12)) @ (np.eye(12) + 0.5 * rng.normal(size=(12, 12)))
        x -= x.mean(axis=0)
        y = x[:, 0] - 2 * x[:, 3] + rng.normal(size=n)
        problems.append((x, y - y.mean()))
    penalties = np.geomspace(3.0, 0.003, 15)
    found = lasso(
        np.array([x.T @ x / len(x) for x, _ in problems]),
        np.array([x.T @ y / len(x) for x, y in problems]),
        penalties,
    )
    for (x, y), weights in zip(problems, found, strict=True):
        _, path, _ = lasso_path(
            np.asfortranarray(x), y, alphas=penalties, tol=1e-9, max_iter=100_000
        )
        np.testing.assert_allclose(weights, path, atol=2e-3)
        assert ((weights == 0) == (path == 0)).mean() > 0.95


def test_a_penalty_above_every_correlation_leaves_nothing() -> None:
    gram = np.array([[[1.0, 0.9], [0.9, 1.0]]])
    weights = lasso(gram, np.array([[0.5, -0.4]]), np.array([0.51, 0.1]))
    assert weights[0, :, 0].tolist() == [0.0, 0.0]
    assert weights[0, :, 1].any()


def test_no_columns_at_all() -> None:
    zero = lasso(np.zeros((1, 2, 2)), np.zeros((1, 2)), np.array([1.0]))
    assert zero.tolist() == [[[0.0], [0.0]]]
