"""Bootstrap stability of groups, and many k-means fits at once."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equipoise.cluster.methods import Method, centres, group, nearest_centre

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
ROUNDS = 30
"""Lloyd iterations of the fits to resamples."""
STARTS = 3


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
        middle, _ = batch_kmeans(points[draws], k, rng=rng)
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


def batch_kmeans(
    batches: FloatArray, k: int, *, rng: np.random.Generator, starts: int = STARTS
) -> tuple[FloatArray, FloatArray]:
    """Return centres (B, k, d) and inertia (B,) of k-means on B point sets (B, n, d) at once.

    k-means++ starts (Arthur and Vassilvitskii 2007) and Lloyd iterations; the best of
    `starts` for each set. Made for hundreds of small fits, where one library call for each
    would cost far more than the arithmetic.
    """
    best_centres = np.zeros((len(batches), k, batches.shape[2]))
    best = np.full(len(batches), np.inf)
    for _ in range(starts):
        middle = _plus_plus(batches, k, rng=rng)
        for _ in range(ROUNDS):
            moved = _moved(batches, middle)
            if np.allclose(moved, middle, rtol=0, atol=1e-6):
                break
            middle = moved
        inertia = _squared(batches, middle).min(axis=2).sum(axis=1)
        better = inertia < best
        best[better], best_centres[better] = inertia[better], middle[better]
    return best_centres, best


def _squared(batches: FloatArray, middle: FloatArray) -> FloatArray:
    cross = batches @ middle.transpose(0, 2, 1)
    squares = (batches**2).sum(axis=2)[:, :, None] + (middle**2).sum(axis=2)[:, None, :]
    result: FloatArray = np.maximum(squares - 2 * cross, 0.0)
    return result


def _plus_plus(batches: FloatArray, k: int, *, rng: np.random.Generator) -> FloatArray:
    count, n = batches.shape[0], batches.shape[1]
    rows = np.arange(count)
    middle: FloatArray = batches[rows, rng.integers(n, size=count)][:, None]
    nearest: FloatArray = _squared(batches, middle)[:, :, 0]
    for _ in range(1, k):
        edges = np.cumsum(nearest, axis=1)
        draw = rng.random(count)[:, None] * edges[:, -1:]
        place = np.minimum((edges < draw).sum(axis=1), n - 1)
        new = batches[rows, place][:, None]
        middle = np.concatenate([middle, new], axis=1)
        nearest = np.minimum(nearest, _squared(batches, new)[:, :, 0])
    return middle


def _moved(batches: FloatArray, middle: FloatArray) -> FloatArray:
    labels = _squared(batches, middle).argmin(axis=2)
    member = (labels[:, :, None] == np.arange(middle.shape[1])).astype(float)
    sizes = member.sum(axis=1)
    sums = member.transpose(0, 2, 1) @ batches
    full = sizes > 0
    result = middle.copy()
    result[full] = sums[full] / sizes[full][:, None]
    return result
