"""Two other views beside permutation importance: mutual information, a sparse linear model."""

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equipoise.evaluate.encode import Block, Design

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
    from scipy.stats import chi2

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
    p_value = float(chi2.sf(2 * n * plug_in, freedom))
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
    from sklearn.linear_model import lasso_path

    deviation = float(target.std())
    y = (target - target.mean()) / (deviation if deviation > 0 else 1.0)
    alphas = _alphas(design.matrix, y)
    errors = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # slow convergence at the smallest penalties is harmless
        for fold in np.unique(fold_of):
            inside, outside = fold_of == fold, fold_of != fold
            centre, level = design.matrix[outside].mean(axis=0), float(y[outside].mean())
            x = np.asfortranarray(design.matrix[outside] - centre)
            _, path, _ = lasso_path(x, y[outside] - level, alphas=alphas, tol=1e-3)
            predicted = level + (design.matrix[inside] - centre) @ path
            errors.append(((y[inside, None] - predicted) ** 2).mean(axis=0))
        table = np.array(errors)
        mean, error = table.mean(axis=0), table.std(axis=0, ddof=1) / np.sqrt(len(table))
        best = int(mean.argmin())
        chosen = int(np.flatnonzero(mean <= mean[best] + error[best])[0])
        _, path, _ = lasso_path(
            np.asfortranarray(design.matrix), y, alphas=alphas[: chosen + 1], tol=1e-3
        )
    weights = np.abs(path[:, -1])
    weights[weights < SMALL_COEFFICIENT] = 0.0
    largest = [float(weights[b.columns].max(initial=0.0)) for b in design.blocks]
    return np.array(largest), 1 - float(mean[chosen])


def _alphas(matrix: FloatArray, target: FloatArray) -> FloatArray:
    """Return penalties from the one that empties the model down to a thousandth of it."""
    greatest = float(np.abs(matrix.T @ target).max(initial=0.0)) / target.size
    return np.geomspace(max(greatest, 1e-12), max(greatest, 1e-12) * 1e-3, ALPHAS)
