"""How far two orders, or two groupings, of the same things agree."""

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]


def kendall_tau(first: IntArray, second: IntArray) -> float | None:
    """Return Kendall's tau-b of two rankings, None when one has nothing but ties.

    tau_b = (concordant - discordant) / sqrt((pairs - ties_1)(pairs - ties_2)), in m log m.
    Kendall, M. G.: The treatment of ties in ranking problems, Biometrika 33(3), 1945.

    >>> kendall_tau(np.array([1, 2, 3]), np.array([1, 3, 2])).__round__(4)
    0.3333
    """
    m = len(first)
    pairs = m * (m - 1) // 2
    ties_1, ties_2 = _tied_pairs(first), _tied_pairs(second)
    if pairs in (ties_1, ties_2):
        return None
    both = _tied_pairs(first * (int(second.max()) + 1) + second)
    discordant = inversions(first, second)
    concordant = pairs - ties_1 - ties_2 + both - discordant
    span = np.sqrt(float(pairs - ties_1)) * np.sqrt(float(pairs - ties_2))
    return float(np.clip((concordant - discordant) / span, -1.0, 1.0))


def inversions(first: IntArray, second: IntArray) -> int:
    """Return the pairs that `first` and `second` order strictly the other way round.

    >>> inversions(np.array([1, 2, 3]), np.array([3, 2, 1]))
    3
    """
    # Equal ranks of `first` are put in the order of `second`: they are no inversion.
    values = second[np.lexsort((second, first))]
    total = 0
    width = 1
    m = len(values)
    values = values.copy()
    while width < m:
        # Whole level of a merge sort at once: blocks are told apart by an offset.
        block = np.arange(m) // (2 * width)
        right = (np.arange(m) // width) % 2 == 1
        offset = int(values.max()) + 1 if m else 1
        keys = values + block * offset
        left_keys = keys[~right]
        counts = np.searchsorted(left_keys, keys[right], side="right")
        sizes = np.cumsum(np.bincount(block[~right], minlength=int(block[-1]) + 1))
        total += int((sizes[block[right]] - counts).sum())
        values = values[np.argsort(keys, kind="stable")]
        width *= 2
    return total


def adjusted_rand(first: IntArray, second: IntArray) -> float:
    """Return the adjusted Rand index of two labellings: 1 when equal, about 0 by chance.

    With pairs together in both B, in the first A, in the second C, of all N:
    (B - A C / N) / ((A + C) / 2 - A C / N); two labellings without any choice are equal.
    Hubert and Arabie: Comparing partitions, Journal of Classification 2, 1985.

    >>> adjusted_rand(np.array([0, 0, 1, 1]), np.array([5, 5, 3, 3]))
    1.0
    >>> round(adjusted_rand(np.array([0, 0, 1, 2]), np.array([0, 0, 1, 1])), 4)
    0.5714
    """
    _, codes = np.unique(np.column_stack([first, second]), axis=0, return_inverse=True)
    together = _tied_pairs(codes.reshape(-1))
    in_first, in_second = _tied_pairs(first), _tied_pairs(second)
    pairs = len(first) * (len(first) - 1) // 2
    if in_first == in_second == together:
        return 1.0
    by_chance = in_first * in_second / pairs
    return float((together - by_chance) / ((in_first + in_second) / 2 - by_chance))


def _tied_pairs(values: IntArray) -> int:
    counts = np.unique(values, return_counts=True)[1].astype(np.int64)
    return int((counts * (counts - 1) // 2).sum())
