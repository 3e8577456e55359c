"""PROMETHEE II: net outranking flow, counted by sorting instead of pair by pair."""

import numpy as np

from equipoise.rank.methods.base import BoolArray, FloatArray, Method


def usual_flows(matrix: FloatArray, benefit: BoolArray) -> FloatArray:
    """Return phi_j(i) = (beaten by i - beating i) / (m - 1), (..., m, n), in m log m.

    This is the net flow of one criterion with the usual preference function: one
    alternative is preferred as soon as it is better at all.
    """
    m = matrix.shape[-2]
    if m < 2:
        return np.zeros(matrix.shape)
    columns = np.swapaxes(np.where(benefit, matrix, -matrix), -1, -2)
    order = np.argsort(columns, axis=-1, kind="stable")
    ranked = np.take_along_axis(columns, order, axis=-1)
    differs = ranked[..., 1:] != ranked[..., :-1]
    edge = np.ones((*differs.shape[:-1], 1), dtype=bool)
    index = np.arange(m)
    starts = np.where(np.concatenate([edge, differs], axis=-1), index, 0)
    ends = np.where(np.concatenate([differs, edge], axis=-1), index, m - 1)
    below = np.maximum.accumulate(starts, axis=-1)
    last = np.minimum.accumulate(ends[..., ::-1], axis=-1)[..., ::-1]
    flows = np.empty(columns.shape)
    np.put_along_axis(flows, order, (below + last - (m - 1)) / (m - 1), axis=-1)
    return np.swapaxes(flows, -1, -2)


def linear_flows(
    matrix: FloatArray, benefit: BoolArray, indifference: FloatArray, preference: FloatArray
) -> FloatArray:
    """Return the net flows (m, n) with the linear preference function, in m log m.

    The preference for a difference d is 0 up to q = indifference (n,), 1 from
    p = preference (n,) on and (d - q) / (p - q) between; p = q is the U-shape, q = 0 the
    V-shape. Thresholds are in the units of the criteria.
    """
    m, n = matrix.shape
    if m < 2:
        return np.zeros(matrix.shape)
    columns = np.where(benefit, matrix, -matrix)
    flows = np.empty(matrix.shape)
    for j in range(n):
        q, p = float(indifference[j]), float(preference[j])
        positive = _one_sided(columns[:, j], q, p)
        negative = _one_sided(-columns[:, j], q, p)
        flows[:, j] = (positive - negative) / (m - 1)
    return flows


def net_flow(
    matrix: FloatArray,
    weights: FloatArray,
    benefit: BoolArray,
    *,
    indifference: FloatArray | None = None,
    preference: FloatArray | None = None,
) -> FloatArray:
    """Return phi_i = sum_j w_j phi_j(i), from -1 to 1, (..., m).

    The usual preference function without thresholds, the linear one with both.

    >>> net_flow(np.array([[4.0, 3, 2], [3, 2, 4], [5, 1, 3]]), np.array([0.5, 0.3, 0.2]),
    ...          np.ones(3, dtype=bool)).round(2)
    array([ 0.1, -0.3,  0.2])
    """
    flows = _flows(matrix, benefit, indifference, preference)
    result: FloatArray = (flows * weights[..., None, :]).sum(axis=-1)
    return result


def terms(
    matrix: FloatArray,
    weights: FloatArray,
    benefit: BoolArray,
    *,
    indifference: FloatArray | None = None,
    preference: FloatArray | None = None,
) -> FloatArray:
    """Return w_j phi_j(i) (m, n): the rows sum to the net flow exactly."""
    return _flows(matrix, benefit, indifference, preference) * weights


def _flows(
    matrix: FloatArray,
    benefit: BoolArray,
    indifference: FloatArray | None,
    preference: FloatArray | None,
) -> FloatArray:
    if indifference is None or preference is None:
        return usual_flows(matrix, benefit)
    if matrix.ndim == 2:
        return linear_flows(matrix, benefit, indifference, preference)
    return np.stack([_flows(part, benefit, indifference, preference) for part in matrix])


def _one_sided(values: FloatArray, q: float, p: float) -> FloatArray:
    """Return sum_k P(x_i - x_k) for every i by prefix sums over the sorted values."""
    ranked = np.sort(values)
    sums = np.concatenate([[0.0], np.cumsum(ranked)])
    full = np.searchsorted(ranked, values - p, side="right")
    if p <= q:
        return np.searchsorted(ranked, values - q, side="left").astype(np.float64)
    some = np.maximum(np.searchsorted(ranked, values - q, side="left"), full)
    partial: FloatArray = ((some - full) * (values - q) - (sums[some] - sums[full])) / (p - q)
    return full + partial


METHOD = Method(
    name="promethee",
    title="PROMETHEE II",
    direction="max",
    kernel=net_flow,
    terms=terms,
    source=(
        "Brans, J.-P., Vincke, P.: A preference ranking organisation method, Management "
        "Science 31(6), 1985, 647-656, doi:10.1287/mnsc.31.6.647"
    ),
)
