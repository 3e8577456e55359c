"""Bootstrap stability of groups (Hennig 2007)."""

import numpy as np
from numpy.typing import NDArray

from equipoise.cluster.kmeans import batch_kmeans
from equipoise.cluster.methods import Method, centres, group, nearest_centre
from equipoise.structs import dataclass

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
STARTS = 2
"""Starts of each k-means fit to a resample."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stability:
    """How groups survive when the configurations are drawn again."""

    clusters: FloatArray
    """(k,) mean Jaccard similarity of each group with its best match."""
    members: FloatArray
    """(n,) share of the resamples in which a point stays in its group."""


def bootstrap_stability(
    points: FloatArray, labels: IntArray, *, method: Method, resamples: int,
    rng: np.random.Generator,
) -> Stability:  # fmt: skip
    """Group resamples of the points and compare with the groups of all points.

    J(A, B) = |A and B| / |A or B| for each group A with its best match B, after every point
    has joined the nearest centre of the resample's groups; mean over resamples (Hennig
    2007, "Cluster-wise assessment of cluster stability").
    """
    k = int(labels.max()) + 1
    if k < 1:
        return Stability(clusters=np.zeros(0), members=np.zeros(len(points)))
    draws = rng.integers(len(points), size=(resamples, len(points)))
    if method.name == "kmeans":
        middle, _ = batch_kmeans(points[draws], k, starts=STARTS, rng=rng)
        distance = (middle**2).sum(axis=2)[:, None, :] - 2 * points @ middle.transpose(0, 2, 1)
        again = list(distance.argmin(axis=2))
    else:
        again = [_again(points, draw, method, k, rng=rng) for draw in draws]
    own = (labels[:, None] == np.arange(k)).astype(float)
    total = np.zeros(k)
    stays = np.zeros(len(points))
    for found in again:
        other = (found[:, None] == np.arange(max(k, int(found.max()) + 1))).astype(float)
        both = own.T @ other
        either = own.sum(axis=0)[:, None] + other.sum(axis=0)[None] - both
        jaccard = both / np.maximum(either, 1)
        total += jaccard.max(axis=1)
        match = jaccard.argmax(axis=1)
        stays += (labels >= 0) & (found == match[np.maximum(labels, 0)])
    return Stability(clusters=total / resamples, members=stays / resamples)


def _again(
    points: FloatArray, draw: IntArray, method: Method, k: int, *, rng: np.random.Generator
) -> IntArray:
    sample = points[draw]
    labels = group(sample, method=method, k=k, rng=rng)
    if (labels < 0).all():
        return np.full(len(points), -1, dtype=np.int64)
    return nearest_centre(points, centres(sample, labels))
