"""VIKOR: a compromise between the group's utility and the largest single regret."""

import numpy as np

from equipoise.rank.methods.base import BoolArray, FloatArray, Method, divide


def regrets(matrix: FloatArray, weights: FloatArray, benefit: BoolArray) -> FloatArray:
    """Return w_j (f*_j - f_ij) / (f*_j - f-_j), (..., m, n); 0 for a constant criterion."""
    low = matrix.min(axis=-2, keepdims=True)
    high = matrix.max(axis=-2, keepdims=True)
    best = np.where(benefit, high, low)
    return divide(np.abs(best - matrix), high - low) * weights[..., None, :]


def utility_and_regret(
    matrix: FloatArray, weights: FloatArray, benefit: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Return S (sum of the weighted regrets) and R (the largest one), (..., m) each."""
    weighted = regrets(matrix, weights, benefit)
    return weighted.sum(axis=-1), weighted.max(axis=-1)


def compromise(
    matrix: FloatArray, weights: FloatArray, benefit: BoolArray, *, v: float = 0.5
) -> FloatArray:
    """Return Q = v (S - S*) / (S- - S*) + (1 - v) (R - R*) / (R- - R*), 0 is best.

    v is the weight of the group's utility S against the single regret R; a part whose
    values are all alike counts 0.

    >>> compromise(np.array([[1.0, 3000], [2, 3750], [5, 4500]]), np.array([0.5, 0.5]),
    ...            np.array([False, True]))
    array([1., 0., 1.])
    """
    utility, regret = utility_and_regret(matrix, weights, benefit)
    return v * _spread(utility) + (1.0 - v) * _spread(regret)


def compromise_set(
    matrix: FloatArray, weights: FloatArray, benefit: BoolArray, *, v: float = 0.5
) -> BoolArray:
    """Return the mask (m,) of the alternatives that VIKOR proposes together.

    The best one alone when it is ahead by DQ = 1 / (m - 1) in Q and also best in S or R;
    the best two when only the second condition fails; otherwise all within DQ.
    """
    utility, regret = utility_and_regret(matrix, weights, benefit)
    q = v * _spread(utility) + (1.0 - v) * _spread(regret)
    if len(q) < 2:
        return np.ones(len(q), dtype=bool)
    near: BoolArray = q - q.min() < 1.0 / (len(q) - 1)
    first: BoolArray = q == q.min()
    if near.sum() > first.sum():
        return near
    stable = (utility[first].min() == utility.min()) or (regret[first].min() == regret.min())
    if stable or first.all():
        return first
    second: BoolArray = q == q[~first].min()
    return first | second


def terms(
    matrix: FloatArray, weights: FloatArray, benefit: BoolArray, *, v: float = 0.5
) -> FloatArray:
    """Return minus the weighted regrets (m, n): the additive part S of the score."""
    del v  # S alone is additive; R is the largest term of the same table
    return -regrets(matrix, weights, benefit)


def _spread(values: FloatArray) -> FloatArray:
    low = values.min(axis=-1, keepdims=True)
    return divide(values - low, values.max(axis=-1, keepdims=True) - low)


METHOD = Method(
    name="vikor",
    title="VIKOR",
    direction="min",
    kernel=compromise,
    terms=terms,
    options={"v": (0.0, 1.0)},
    source=(
        "Opricovic, S., Tzeng, G.-H.: Compromise solution by MCDM methods, European Journal "
        "of Operational Research 156(2), 2004, 445-455, doi:10.1016/S0377-2217(03)00020-1"
    ),
)
