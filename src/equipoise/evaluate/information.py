"""Two other views beside permutation importance: mutual information, a sparse linear model."""

import numpy as np
from numpy.typing import NDArray

from equipoise.evaluate.encode import Block, Design
from equipoise.evaluate.lasso import lasso
from equipoise.metrics.distributions import chi_squared_tail
from equipoise.structs import dataclass

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BINS = 5
SIGNIFICANCE = 0.05
ALPHAS = 40
SMALL_COEFFICIENT = 0.01
"""Coefficients below this share of the target's deviation count as zero."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Information:
    """Mutual information of one variable with the target."""

    nats: float
    matters: bool


def mutual_information(block: Block, target: FloatArray, *, variables: int) -> Information:
    """Return the mutual information with the target after binning, bias-corrected, in nats.

    I = sum p(a,b) ln(p(a,b) / (p(a) p(b))) - (rows - 1)(columns - 1) / (2 n), with at most
    5 bins of equal counts (Miller 1955); it matters when the G-test (2 n I ~ chi-squared)
    rejects independence at 5 % over all `variables`.
    """
    known = np.isfinite(block.values)
    a = block.values[known] if block.levels else binned(block.values[known])
    b = binned(target[known])
    _, i = np.unique(a, return_inverse=True)
    _, j = np.unique(b, return_inverse=True)
    table = np.zeros((i.max() + 1, j.max() + 1))
    np.add.at(table, (i, j), 1.0)
    n = table.sum()
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / n
    full = table > 0
    plug_in = float((table[full] * np.log(table[full] / expected[full])).sum() / n)
    freedom = (table.shape[0] - 1) * (table.shape[1] - 1)
    if freedom == 0:
        return Information(nats=0.0, matters=False)
    p_value = chi_squared_tail(float(2 * n * plug_in), freedom)
    return Information(
        nats=max(0.0, plug_in - freedom / (2 * n)), matters=p_value < SIGNIFICANCE / variables
    )


def binned(values: FloatArray) -> FloatArray:
    """Return codes of at most 5 bins with about equal counts; few values stay themselves."""
    distinct = np.unique(values)
    if distinct.size <= BINS:
        return values
    edges = np.unique(np.quantile(values, np.linspace(0, 1, BINS + 1)[1:-1]))
    codes: FloatArray = np.searchsorted(edges, values, side="left").astype(float)
    return codes


def sparse_coefficients(
    design: Design, target: FloatArray, fold_of: IntArray
) -> tuple[FloatArray, float | None]:
    """Return the lasso's largest |coefficient| of every variable and its held-out R2.

    Columns and target are standardised; the penalty is the largest whose held-out error is
    within one standard error of the least (the folds keep groups together; Tibshirani
    1996, Breiman's rule). Zero means that the sparse model does without the variable.
    """
    deviation = float(target.std())
    y = (target - target.mean()) / (deviation if deviation > 0 else 1.0)
    alphas = _alphas(design.matrix, y)
    chosen_folds = np.unique(fold_of)
    # the last problem is all rows together
    parts = [*(fold_of != fold for fold in chosen_folds), np.ones(y.size, dtype=bool)]
    centres = np.array([design.matrix[inside].mean(axis=0) for inside in parts])
    levels = np.array([float(y[inside].mean()) for inside in parts])
    centred = [design.matrix[i] - c for i, c in zip(parts, centres, strict=True)]
    gram = np.array([x.T @ x / len(x) for x in centred])
    moment = np.array(
        [x.T @ (y[i] - v) / len(x) for x, i, v in zip(centred, parts, levels, strict=True)]
    )
    path = lasso(gram, moment, alphas)
    errors = []
    for fold, centre, level, weights in zip(chosen_folds, centres, levels, path, strict=False):
        predicted = level + (design.matrix[fold_of == fold] - centre) @ weights
        errors.append(((y[fold_of == fold, None] - predicted) ** 2).mean(axis=0))
    table = np.array(errors)
    mean, error = table.mean(axis=0), table.std(axis=0, ddof=1) / np.sqrt(len(table))
    best = int(mean.argmin())
    chosen = int(np.flatnonzero(mean <= mean[best] + error[best])[0])
    weights = np.abs(path[-1, :, chosen])
    weights[weights < SMALL_COEFFICIENT] = 0.0
    largest = [float(weights[b.columns].max(initial=0.0)) for b in design.blocks]
    return np.array(largest), 1 - float(mean[chosen])


def _alphas(matrix: FloatArray, target: FloatArray) -> FloatArray:
    """Return penalties from the one that empties the model down to a thousandth of it."""
    greatest = float(np.abs(matrix.T @ target).max(initial=0.0)) / target.size
    return np.geomspace(max(greatest, 1e-12), max(greatest, 1e-12) * 1e-3, ALPHAS)
