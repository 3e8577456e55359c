"""The model behind stage 1: a ridge regression, and trees on what it leaves over."""

import numpy as np
from numpy.typing import NDArray

from equipoise.evaluate.encode import Block, Design
from equipoise.evaluate.trees import Forest, Table, grow
from equipoise.structs import dataclass

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
TREES = 24
LEAF = 3
SHARE = 0.5
"""Share of the variables that a node of a tree looks at."""
RIDGE = 3.0
"""Penalty on standardised columns."""
BELOW = 0.25
"""A missing number stands this share of the range below the least one: trees can tell it apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A fitted model: intercept + what each variable adds linearly + mean of the trees."""

    intercept: float
    added: FloatArray
    """(n, variables) linear part of every variable at every row of the design."""
    forest: Forest

    def predict(self, index: IntArray) -> FloatArray:
        """Return predictions (m,) for rows that take variable v from row index[m, v].

        Rows of the design are asked for by equal numbers in all columns; other rows are put
        together from several, which is all that shuffling and partial dependence need.
        """
        every = np.arange(self.added.shape[1])
        linear: FloatArray = self.intercept + self.added[index, every].sum(axis=1)
        return linear + self.forest.predict(index)


def whole_rows(rows: IntArray, variables: int) -> IntArray:
    """Return the index (rows, variables) that takes every variable from the same row."""
    return np.repeat(rows[:, None], variables, axis=1)


def tree_table(design: Design) -> Table:
    """Return the variables of a design as trees ask them: numbers, and codes of levels."""
    values, levels = [], []
    for block in design.blocks:
        column, count = _complete(block)
        values.append(column)
        levels.append(count)
    return Table(values=np.array(values, dtype=np.float32), levels=np.array(levels))


def _complete(block: Block) -> tuple[FloatArray, int]:
    missing = ~np.isfinite(block.values)
    column = block.values.copy()
    if block.levels:
        column[missing] = len(block.levels)
        return column, len(block.levels) + int(missing.any())
    known = column[~missing]
    column[missing] = known.min() - BELOW * np.ptp(known)
    return column, 0


def fit(
    design: Design, table: Table, target: FloatArray, rows: IntArray, *, rng: np.random.Generator
) -> Model:
    """Fit the ridge regression to rows, then extremely randomised trees to its residuals.

    The linear part carries laws such as time ~ 1/n beyond the sizes seen, the trees carry
    thresholds and interactions.
    """
    matrix, y = design.matrix[rows], target[rows]
    centre, mean = matrix.mean(axis=0), float(y.mean())
    x = matrix - centre
    weights = np.linalg.solve(x.T @ x + RIDGE * np.eye(x.shape[1]), x.T @ (y - mean))
    intercept = mean - float(centre @ weights)
    starts = [block.columns.start for block in design.blocks]
    added = np.add.reduceat(design.matrix * weights, starts, axis=1)
    left = y - intercept - added[rows].sum(axis=1)
    forest = grow(table, rows, left, trees=TREES, leaf=LEAF, share=SHARE, rng=rng)
    return Model(intercept=intercept, added=added, forest=forest)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOut:
    """One fold: a model and the rows that it has not seen."""

    model: Model
    rows: IntArray
    repeat: int
    predicted: FloatArray
    """(rows,) held-out predictions."""


def fit_folds(
    design: Design, target: FloatArray, fold_of: IntArray, *, repeat: int,
    rng: np.random.Generator,
) -> list[HeldOut]:  # fmt: skip
    """Fit one model for each fold on the rows outside it."""
    table = tree_table(design)
    result = []
    for fold in np.unique(fold_of):
        rows = np.flatnonzero(fold_of == fold)
        model = fit(design, table, target, np.flatnonzero(fold_of != fold), rng=rng)
        predicted = model.predict(whole_rows(rows, len(design.blocks)))
        result.append(HeldOut(model=model, rows=rows, repeat=repeat, predicted=predicted))
    return result


def r_squared(target: FloatArray, predicted: FloatArray, weights: FloatArray) -> float | None:
    """Return 1 - sum w (y - p)^2 / sum w (y - mean)^2, None for a constant target."""
    mean = float(np.average(target, weights=weights))
    total = float((weights * (target - mean) ** 2).sum())
    if total <= 0:
        return None
    return 1 - float((weights * (target - predicted) ** 2).sum()) / total
