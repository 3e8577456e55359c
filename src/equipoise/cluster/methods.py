"""Clustering methods: one row each, labels 0, 1, ... and -1 for noise."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from equipoise.cluster.density import hdbscan
from equipoise.cluster.kmeans import kmeans
from equipoise.cluster.mixture import mixture
from equipoise.cluster.space import DECIMALS
from equipoise.cluster.ward import ward
from equipoise.errors import UnknownNameError
from equipoise.structs import dataclass

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
STARTS = 20
FEW_STARTS = 3
"""Starts of k-means on many points."""
MOST_FOR_ALL_PAIRS = 4000
"""Methods that look at all pairs see a sample of this size; the rest joins the nearest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One way to group points."""

    name: str
    label: str
    needs_k: bool
    all_pairs: bool
    """Cost grows with the square of the number of points."""
    fit: Callable[[FloatArray, int, int], IntArray]
    """(points (n, d), k, seed) -> labels (n,)."""


def method(name: str) -> Method:
    """Return the method of that name; raise UnknownNameError otherwise.

    >>> method("kmeans").label
    'k-means'
    """
    wanted = name.strip().lower().replace("_", "").replace("-", "").replace(" ", "")
    wanted = {"gmm": "mixture", "gaussianmixture": "mixture", "ward": "agglomerative"}.get(
        wanted, wanted
    )
    if wanted not in METHODS:
        raise UnknownNameError("clustering method", name, METHODS)
    return METHODS[wanted]


def group(points: FloatArray, *, method: Method, k: int, rng: np.random.Generator) -> IntArray:
    """Return labels 0, 1, ... (-1 is noise) of points (n, d) in at most k groups.

    k is lowered to the number of distinct points; equal points share a label.
    """
    if not points.size:
        return np.zeros(len(points), dtype=np.int64)
    unique, inverse = np.unique(points.round(DECIMALS), axis=0, return_inverse=True)
    k = min(k, len(unique))
    if method.needs_k and k >= len(unique):
        return np.asarray(inverse, dtype=np.int64).reshape(-1)
    if k <= 1 and method.needs_k:
        return np.zeros(len(points), dtype=np.int64)
    seed = int(rng.integers(2**31))
    if not method.all_pairs or len(points) <= MOST_FOR_ALL_PAIRS:
        return _numbered(method.fit(points, k, seed))
    sample = np.sort(rng.choice(len(points), MOST_FOR_ALL_PAIRS, replace=False))
    labels = _numbered(method.fit(points[sample], k, seed))
    result = nearest_centre(points, centres(points[sample], labels))
    result[sample] = labels
    return result


def centres(points: FloatArray, labels: IntArray) -> FloatArray:
    """Return the mean point (k, d) of every label 0..k-1; noise has none."""
    k = int(labels.max()) + 1
    inside = labels >= 0
    sizes = np.bincount(labels[inside], minlength=k).astype(float)
    sums = np.zeros((k, points.shape[1]))
    np.add.at(sums, labels[inside], points[inside])
    result: FloatArray = sums / sizes[:, None]
    return result


def nearest_centre(points: FloatArray, middle: FloatArray) -> IntArray:
    """Return for every point (n, d) the place of the nearest centre (k, d)."""
    if not len(middle):
        return np.full(len(points), -1, dtype=np.int64)
    distance = (middle**2).sum(axis=1) - 2 * points @ middle.T
    return np.asarray(distance.argmin(axis=1), dtype=np.int64)


def _numbered(labels: IntArray) -> IntArray:
    """Return labels without gaps; -1 stays."""
    kept = np.unique(labels[labels >= 0])
    result = np.full(labels.size, -1, dtype=np.int64)
    inside = labels >= 0
    result[inside] = np.searchsorted(kept, labels[inside])
    return result


def _kmeans(points: FloatArray, k: int, seed: int) -> IntArray:
    starts = STARTS if len(points) <= MOST_FOR_ALL_PAIRS else FEW_STARTS
    return kmeans(points, k, starts=starts, rng=np.random.default_rng(seed))


def _mixture(points: FloatArray, k: int, seed: int) -> IntArray:
    """Return the most likely component, the expectation-maximisation started from k-means."""
    return mixture(points, _numbered(_kmeans(points, k, seed)))


def _agglomerative(points: FloatArray, k: int, seed: int) -> IntArray:
    del seed  # deterministic
    return ward(points, k)


def _hdbscan(points: FloatArray, k: int, seed: int) -> IntArray:
    del k, seed  # finds the number of groups itself; deterministic
    least = max(2, min(len(points) // 2, round(np.sqrt(len(points)) / 2)))
    if len(points) < 4:
        return np.zeros(len(points), dtype=np.int64)
    return hdbscan(points, least=least)


_REGISTRY = (
    Method(name="kmeans", label="k-means", needs_k=True, all_pairs=False, fit=_kmeans),
    Method(name="mixture", label="Gaussian mixture", needs_k=True, all_pairs=False, fit=_mixture),
    Method(name="agglomerative", label="agglomerative (Ward)", needs_k=True, all_pairs=True,
           fit=_agglomerative),
    Method(name="hdbscan", label="HDBSCAN", needs_k=False, all_pairs=True, fit=_hdbscan),
)  # fmt: skip
METHODS: dict[str, Method] = {item.name: item for item in _REGISTRY}
"""Every clustering method by name; the first is the default."""
