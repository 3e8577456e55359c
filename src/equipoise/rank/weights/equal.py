"""Equal weights: no criterion counts more than another."""

import numpy as np

from equipoise.rank.methods.base import BoolArray, FloatArray
from equipoise.rank.weights.base import Weighting


def equal(matrix: FloatArray, benefit: BoolArray) -> FloatArray:
    """Return w_j = 1 / n for a matrix (m, n).

    >>> equal(np.ones((3, 4)), np.ones(4, dtype=bool))
    array([0.25, 0.25, 0.25, 0.25])
    """
    del benefit
    n = matrix.shape[-1]
    return np.full(n, 1.0 / n)


WEIGHTING = Weighting(
    name="equal",
    title="equal",
    kernel=equal,
    source="Dawes, R. M., Corrigan, B.: Linear models in decision making, Psychological "
    "Bulletin 81(2), 1974, 95-106, doi:10.1037/h0037613",
)
