"""Entropy weights: a criterion counts by how unevenly its values are spread."""

import numpy as np

from equipoise.rank.methods.base import BoolArray, FloatArray
from equipoise.rank.weights.base import Weighting
from equipoise.rank.weights.equal import equal


def entropies(matrix: FloatArray) -> FloatArray:
    """Return E_j = -sum_i p_ij ln p_ij / ln m with p_ij = x_ij / sum_i x_ij, (n,).

    1 when all values are alike; values must not be negative, 0 ln 0 counts as 0.
    """
    m = matrix.shape[0]
    shares = matrix / matrix.sum(axis=0)
    logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0.0)
    result: FloatArray = -(shares * logs).sum(axis=0) / np.log(m)
    return result


def entropy(matrix: FloatArray, benefit: BoolArray) -> FloatArray:
    """Return w_j = (1 - E_j) / sum_k (1 - E_k); equal weights when nothing is spread.

    >>> entropy(np.array([[1.0, 1.0], [1.0, 3.0]]), np.ones(2, dtype=bool))
    array([0., 1.])
    """
    if matrix.shape[0] < 2:
        return equal(matrix, benefit)
    divergence = np.clip(1.0 - entropies(matrix), 0.0, None)
    divergence[divergence < ROUNDING] = 0.0
    total = divergence.sum()
    return divergence / total if total > 0.0 else equal(matrix, benefit)


ROUNDING = 1e-14
"""Below this a divergence is rounding of the logarithms."""

WEIGHTING = Weighting(
    name="entropy",
    title="entropy",
    kernel=entropy,
    nonnegative_only=True,
    source="Hwang, C.-L., Yoon, K.: Multiple Attribute Decision Making, Springer 1981, "
    "pp. 52-54, doi:10.1007/978-3-642-48318-9",
)
