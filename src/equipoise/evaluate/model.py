"""The model behind stage 1: a ridge regression, and trees on what it leaves over."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
TREES = 40
LEAF = 3
RIDGE = 3.0
"""Penalty on standardised columns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A fitted model: intercept + X w + mean of the trees at X."""

    intercept: float
    weights: FloatArray
    trees: tuple[Any, ...]
    """Low-level trees of scikit-learn: no checks of the input for each of them."""

    def predict(self, matrix: FloatArray) -> FloatArray:
        """Return predictions (n,) for rows (n, columns)."""
        table = np.ascontiguousarray(matrix, dtype=np.float32)
        linear: FloatArray = self.intercept + matrix @ self.weights
        for tree in self.trees:
            linear += tree.predict(table)[:, 0] / len(self.trees)
        return linear


def fit(matrix: FloatArray, target: FloatArray, *, rng: np.random.Generator) -> Model:
    """Fit the ridge regression, then extremely randomised trees on its residuals.

    The linear part carries laws such as time ~ 1/n beyond the sizes seen, the trees carry
    thresholds and interactions (Geurts, Ernst and Wehenkel 2006).
    """
    from sklearn.tree import ExtraTreeRegressor

    centre = matrix.mean(axis=0)
    x, mean = matrix - centre, float(target.mean())
    gram = x.T @ x + RIDGE * np.eye(x.shape[1])
    weights = np.linalg.solve(gram, x.T @ (target - mean))
    intercept = mean - float(centre @ weights)
    table = np.ascontiguousarray(matrix, dtype=np.float32)
    left = np.ascontiguousarray((target - intercept - matrix @ weights)[:, None])
    # A loop over single trees: the forest class spends more on bookkeeping than on growing.
    grown = tuple(
        ExtraTreeRegressor(min_samples_leaf=LEAF, max_features=0.5, random_state=int(seed))
        .fit(table, left, check_input=False)
        .tree_
        for seed in rng.integers(2**31, size=TREES)
    )
    return Model(intercept=intercept, weights=weights, trees=grown)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOut:
    """One fold: a model and the rows that it has not seen."""

    model: Model
    rows: IntArray
    repeat: int
    predicted: FloatArray
    """(rows,) held-out predictions."""


def fit_folds(
    matrix: FloatArray, target: FloatArray, fold_of: IntArray, *, repeat: int,
    rng: np.random.Generator,
) -> list[HeldOut]:  # fmt: skip
    """Fit one model for each fold on the rows outside it."""
    result = []
    for fold in np.unique(fold_of):
        rows = np.flatnonzero(fold_of == fold)
        model = fit(matrix[fold_of != fold], target[fold_of != fold], rng=rng)
        predicted = model.predict(matrix[rows])
        result.append(HeldOut(model=model, rows=rows, repeat=repeat, predicted=predicted))
    return result


def r_squared(target: FloatArray, predicted: FloatArray, weights: FloatArray) -> float | None:
    """Return 1 - sum w (y - p)^2 / sum w (y - mean)^2, None for a constant target."""
    mean = float(np.average(target, weights=weights))
    total = float((weights * (target - mean) ** 2).sum())
    if total <= 0:
        return None
    return 1 - float((weights * (target - predicted) ** 2).sum()) / total
