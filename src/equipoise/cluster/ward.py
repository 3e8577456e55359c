"""Agglomerative grouping by Ward's criterion."""

import numpy as np
from numpy.typing import NDArray

from equipoise.cluster.joined import root

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def ward(points: FloatArray, k: int) -> IntArray:
    """Return labels (n,) of k groups of points (n, d), merged pair by pair.

    The two groups whose union adds least to the sum of squares inside groups,
    |A| |B| / (|A| + |B|) |mean A - mean B|^2, become one (Ward 1963); a chain of nearest
    neighbours finds the merges in n^2 steps (Murtagh and Contreras 2012).
    """
    n = len(points)
    middle, sizes = points.astype(float), np.ones(n)
    cost = np.full(n, np.inf)
    merges: list[tuple[float, int, int]] = []
    chain: list[int] = []
    while len(merges) < n - 1:
        if not chain:
            chain.append(int(np.flatnonzero(sizes)[0]))
        last = chain[-1]
        there = sizes > 0
        there[last] = False
        cost.fill(np.inf)
        away = ((middle[there] - middle[last]) ** 2).sum(axis=1)
        cost[there] = away * sizes[there] * sizes[last] / (sizes[there] + sizes[last])
        nearest = int(cost.argmin())
        # on a tie the one before in the chain: otherwise the chain could go round for ever
        if len(chain) > 1 and cost[chain[-2]] <= cost[nearest]:
            nearest = chain[-2]
        if len(chain) < 2 or nearest != chain[-2]:
            chain.append(nearest)
            continue
        del chain[-2:]
        kept, gone = sorted((last, nearest))
        merges.append((float(cost[nearest]), kept, gone))
        both = sizes[kept] + sizes[gone]
        middle[kept] = (sizes[kept] * middle[kept] + sizes[gone] * middle[gone]) / both
        sizes[kept], sizes[gone] = both, 0.0
    return _cut(merges, n, k)


def _cut(merges: list[tuple[float, int, int]], n: int, k: int) -> IntArray:
    """Return labels after the n - k cheapest merges."""
    parent = list(range(n))
    for _, kept, gone in sorted(merges, key=lambda merge: merge[0])[: max(0, n - k)]:
        parent[root(parent, gone)] = root(parent, kept)
    _, labels = np.unique([root(parent, i) for i in range(n)], return_inverse=True)
    return np.asarray(labels, dtype=np.int64).reshape(-1)
