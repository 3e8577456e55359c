"""Many small k-means fits at once: resamples, references, starts."""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
ROUNDS = 40
"""Most Lloyd iterations of a fit."""
SETTLED = 1e-6
"""Centres that move less than this have settled."""


def batch_kmeans(
    batches: FloatArray, k: int, *, rng: np.random.Generator, starts: int
) -> tuple[FloatArray, FloatArray]:
    """Return centres (B, k, d) and inertia (B,) of k-means on B point sets (B, n, d).

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
            if float(np.abs(moved - middle).max()) < SETTLED:
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
    nearest: FloatArray = _squared(batches, middle).min(axis=2)
    for _ in range(1, k):
        edges: FloatArray = np.cumsum(nearest, axis=1)
        draw = rng.random((count, 1)) * edges[:, -1:]
        place = np.minimum((edges < draw).sum(axis=1), n - 1)
        new = batches[rows, place][:, None]
        middle = np.concatenate([middle, new], axis=1)
        nearest = np.minimum(nearest, _squared(batches, new)[:, :, 0])
    return middle


def _moved(batches: FloatArray, middle: FloatArray) -> FloatArray:
    """Return the mean of the points nearest to each centre; an empty one stays."""
    nearness = (middle**2).sum(axis=2)[:, None, :] - 2 * (batches @ middle.transpose(0, 2, 1))
    labels = nearness.argmin(axis=2)
    member = (labels[:, :, None] == np.arange(middle.shape[1])).astype(float)
    sizes = member.sum(axis=1)
    sums = member.transpose(0, 2, 1) @ batches
    full = sizes > 0
    result = middle.copy()
    result[full] = sums[full] / sizes[full][:, None]
    return result


def kmeans(points: FloatArray, k: int, *, starts: int, rng: np.random.Generator) -> IntArray:
    """Return labels (n,) of the best of many starts of k-means on points (n, d)."""
    middle, inertia = batch_kmeans(np.repeat(points[None], starts, axis=0), k, starts=1, rng=rng)
    nearness = _squared(points[None], middle[int(inertia.argmin())][None])[0]
    return np.asarray(nearness.argmin(axis=1), dtype=np.int64)
