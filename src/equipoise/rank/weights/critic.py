"""CRITIC weights: contrast of a criterion times its conflict with the others."""

import numpy as np

from equipoise.rank.methods.base import BoolArray, FloatArray, divide
from equipoise.rank.weights.base import Weighting
from equipoise.rank.weights.equal import equal


def information(matrix: FloatArray, benefit: BoolArray) -> FloatArray:
    """Return C_j = sigma_j sum_k (1 - r_jk) of the min-max scaled criteria, (n,).

    sigma is the standard deviation (n - 1) and r Pearson's correlation of the columns,
    scaled to 0 (worst) to 1 (best).
    """
    low, high = matrix.min(axis=0), matrix.max(axis=0)
    scaled = divide(matrix - low, high - low)
    scaled = np.where(benefit, scaled, 1.0 - scaled)
    centred = scaled - scaled.mean(axis=0)
    covariance = centred.T @ centred / (matrix.shape[0] - 1)
    sigma = np.sqrt(np.diag(covariance))
    correlation = divide(covariance, np.outer(sigma, sigma))
    conflict = np.clip(1.0 - correlation, 0.0, 2.0)
    np.fill_diagonal(conflict, 0.0)
    result: FloatArray = sigma * conflict.sum(axis=1)
    return result


def critic(matrix: FloatArray, benefit: BoolArray) -> FloatArray:
    """Return w_j = C_j / sum_k C_k; equal weights when no criterion conflicts with another."""
    if matrix.shape[0] < 2 or matrix.shape[1] < 2:
        return equal(matrix, benefit)
    found = information(matrix, benefit)
    total = found.sum()
    return found / total if total > ROUNDING else equal(matrix, benefit)


ROUNDING = 1e-12
"""Below this the information is rounding of perfectly correlated columns."""

WEIGHTING = Weighting(
    name="critic",
    title="CRITIC",
    kernel=critic,
    source="Diakoulaki, D., Mavrotas, G., Papayannakis, L.: Determining objective weights in "
    "multiple criteria problems: the CRITIC method, Computers & Operations Research 22(7), "
    "1995, 763-770, doi:10.1016/0305-0548(94)00059-H",
)
