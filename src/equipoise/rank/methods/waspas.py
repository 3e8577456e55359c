"""WASPAS: weighted sum and weighted product of ratio-normalised values, blended."""

import numpy as np

from equipoise.rank.methods.base import BoolArray, FloatArray, Method


def normalise(matrix: FloatArray, benefit: BoolArray) -> FloatArray:
    """Return x / max for benefits and min / x for costs; the values must be positive."""
    high = matrix.max(axis=-2, keepdims=True)
    low = matrix.min(axis=-2, keepdims=True)
    result: FloatArray = np.where(benefit, matrix / high, low / matrix)
    return result


def sum_and_product(
    matrix: FloatArray, weights: FloatArray, benefit: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Return the weighted sum and the weighted product model, (..., m) each."""
    ratios = normalise(matrix, benefit)
    row_weights = weights[..., None, :]
    total = (ratios * row_weights).sum(axis=-1)
    return total, np.exp((np.log(ratios) * row_weights).sum(axis=-1))


def blend(
    matrix: FloatArray, weights: FloatArray, benefit: BoolArray, *, blend: float = 0.5
) -> FloatArray:
    """Return lambda sum_j w_j r_ij + (1 - lambda) prod_j r_ij^w_j, 1 is best, (..., m).

    `blend` is lambda, the share of the weighted sum.

    >>> kernel = METHOD.kernel
    >>> kernel(np.array([[2.0, 1], [1, 4]]), np.array([0.5, 0.5]),
    ...        np.array([True, False])).round(3)
    array([1.   , 0.364])
    """
    total, product = sum_and_product(matrix, weights, benefit)
    return blend * total + (1.0 - blend) * product


def terms(
    matrix: FloatArray, weights: FloatArray, benefit: BoolArray, *, blend: float = 0.5
) -> FloatArray:
    """Return w_j (lambda r_ij + (1 - lambda) ln r_ij), (m, n).

    The product is not additive; its logarithm is, and stands in for it.
    """
    ratios = normalise(matrix, benefit)
    return weights * (blend * ratios + (1.0 - blend) * np.log(ratios))


METHOD = Method(
    name="waspas",
    title="WASPAS",
    direction="max",
    kernel=blend,
    terms=terms,
    positive_only=True,
    options={"blend": (0.0, 1.0)},
    source=(
        "Zavadskas, E. K., Turskis, Z., Antucheviciene, J., Zakarevicius, A.: Optimization of "
        "weighted aggregated sum product assessment, Elektronika ir Elektrotechnika 122(6), "
        "2012, 3-6, doi:10.5755/j01.eee.122.6.1810"
    ),
)
