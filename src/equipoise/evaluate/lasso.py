"""The lasso for many penalties and folds at once."""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
MOST_STEPS = 500
SETTLED = 1e-4
"""Standardised coefficients that change less than this between two steps have settled."""


def lasso(gram: FloatArray, moment: FloatArray, penalties: FloatArray) -> FloatArray:
    """Return the coefficients (problems, columns, penalties) of lasso regressions.

    Each minimises w'Gw / 2 - w'm + a |w|_1 for G = X'X / n (problems, columns, columns),
    m = X'y / n (problems, columns) and every penalty a, by accelerated proximal gradient
    steps that start over when a step goes uphill.

    Sources: Tibshirani, "Regression shrinkage and selection via the lasso", JRSS B 58 (1996);
    Beck and Teboulle, "A fast iterative shrinkage-thresholding algorithm", SIAM J. Imaging
    Sciences 2 (2009); O'Donoghue and Candes, "Adaptive restart for accelerated gradient
    schemes", Foundations of Computational Mathematics 15 (2015).

    >>> lasso(np.eye(2)[None], np.array([[3.0, -0.5]]), np.array([1.0]))[0, :, 0].tolist()
    [2.0, 0.0]
    """
    steepest = np.linalg.eigvalsh(gram)[:, -1][:, None, None]
    step = 1.0 / np.where(steepest > 0, steepest, 1.0)
    shrink = step * penalties
    weights = np.zeros((*moment.shape, penalties.size))
    ahead, pace = weights, np.ones((len(moment), 1, penalties.size))
    for _ in range(MOST_STEPS):
        slope = gram @ ahead - moment[:, :, None]
        moved = ahead - step * slope
        new = moved - np.clip(moved, -shrink, shrink)
        change = new - weights
        uphill = ((ahead - new) * change).sum(axis=1, keepdims=True) > 0
        faster = (1 + np.sqrt(1 + 4 * pace**2)) / 2
        ahead = new + np.where(uphill, 0.0, (pace - 1) / faster) * change
        weights, pace = new, np.where(uphill, 1.0, faster)
        if float(np.abs(change).max(initial=0.0)) < SETTLED:
            break
    return weights
