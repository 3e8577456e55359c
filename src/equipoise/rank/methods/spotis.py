"""SPOTIS: weighted distance to the ideal inside bounds that are fixed beforehand."""

import numpy as np

from equipoise.rank.methods.base import BoolArray, FloatArray, Method, divide


def matrix_bounds(matrix: FloatArray) -> FloatArray:
    """Return the smallest and largest value of every criterion, (n, 2)."""
    return np.stack([matrix.min(axis=-2), matrix.max(axis=-2)], axis=-1)


def distances(
    matrix: FloatArray, weights: FloatArray, benefit: BoolArray, *, bounds: FloatArray
) -> FloatArray:
    """Return w_j |x_ij - s*_j| / (max_j - min_j), (..., m, n), with s* the ideal bound."""
    low, high = bounds[:, 0], bounds[:, 1]
    ideal = np.where(benefit, high, low)
    return divide(np.abs(matrix - ideal), high - low) * weights[..., None, :]


def distance(
    matrix: FloatArray, weights: FloatArray, benefit: BoolArray, *, bounds: FloatArray
) -> FloatArray:
    """Return d_i = sum_j w_j |x_ij - s*_j| / (max_j - min_j), 0 is best, (..., m).

    Bounds (n, 2) are the smallest and largest value that can occur. As long as they stay,
    the score of one alternative does not depend on the others: no rank reversal.

    >>> distance(np.array([[1.0], [4.0]]), np.array([1.0]), np.array([True]),
    ...          bounds=np.array([[0.0, 5.0]]))
    array([0.8, 0.2])
    """
    result: FloatArray = distances(matrix, weights, benefit, bounds=bounds).sum(axis=-1)
    return result


def terms(
    matrix: FloatArray, weights: FloatArray, benefit: BoolArray, *, bounds: FloatArray
) -> FloatArray:
    """Return minus the weighted distances (m, n): the rows sum to minus the score."""
    return -distances(matrix, weights, benefit, bounds=bounds)


METHOD = Method(
    name="spotis",
    title="SPOTIS",
    direction="min",
    kernel=distance,
    terms=terms,
    uses_bounds=True,
    source=(
        "Dezert, J., Tchamova, A., Han, D., Tacnet, J.-M.: The SPOTIS rank reversal free "
        "method for multi-criteria decision-making support, FUSION 2020, "
        "doi:10.23919/FUSION45008.2020.9190347"
    ),
)
