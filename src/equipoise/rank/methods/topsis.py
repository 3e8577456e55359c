"""TOPSIS: nearest to the ideal and farthest from the anti-ideal alternative."""

import numpy as np

from equipoise.rank.methods.base import BoolArray, FloatArray, Method, divide


def normalise(matrix: FloatArray) -> FloatArray:
    """Return r_ij = x_ij / sqrt(sum_i x_ij^2), shape of the matrix (vector normalisation)."""
    return divide(matrix, np.sqrt(np.square(matrix).sum(axis=-2, keepdims=True)))


def ideals(weighted: FloatArray, benefit: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Return the best and the worst weighted value of every criterion, (..., 1, n) each."""
    low = weighted.min(axis=-2, keepdims=True)
    high = weighted.max(axis=-2, keepdims=True)
    return np.where(benefit, high, low), np.where(benefit, low, high)


def closeness(
    matrix: FloatArray, weights: FloatArray, benefit: BoolArray, *, vector: bool = True
) -> FloatArray:
    """Return C_i = D-_i / (D+_i + D-_i), 1 at the ideal and 0 at the anti-ideal.

    D+_i and D-_i are the Euclidean distances of the weighted, vector-normalised row i to
    the ideal and to the anti-ideal point; 0.5 where both are 0 (all rows are alike).
    Without `vector` the values are taken as they are, for a matrix scaled beforehand.

    >>> closeness(np.array([[1.0, 4.0], [3.0, 2.0]]), np.array([0.5, 0.5]),
    ...           np.array([False, False])).round(4)
    array([0.5858, 0.4142])
    """
    weighted = (normalise(matrix) if vector else matrix) * weights[..., None, :]
    best, worst = ideals(weighted, benefit)
    to_best = np.sqrt(np.square(weighted - best).sum(axis=-1))
    to_worst = np.sqrt(np.square(weighted - worst).sum(axis=-1))
    return divide(to_worst, to_best + to_worst, empty=0.5)


def terms(
    matrix: FloatArray, weights: FloatArray, benefit: BoolArray, *, vector: bool = True
) -> FloatArray:
    """Return t_ij = ((v_ij - worst_j)^2 - (best_j - v_ij)^2) / (D+_i^2 + D-_i^2).

    Row sums are (D-^2 - D+^2) / (D-^2 + D+^2), which orders the rows as C does.
    """
    weighted = (normalise(matrix) if vector else matrix) * weights
    best, worst = ideals(weighted, benefit)
    near, far = np.square(weighted - best), np.square(weighted - worst)
    return divide(far - near, (near + far).sum(axis=-1, keepdims=True))


METHOD = Method(
    name="topsis",
    title="TOPSIS",
    direction="max",
    kernel=closeness,
    terms=terms,
    when_scaled={"vector": False},
    source=(
        "Hwang, C.-L., Yoon, K.: Multiple Attribute Decision Making, Springer 1981, "
        "pp. 128-140, doi:10.1007/978-3-642-48318-9"
    ),
)
