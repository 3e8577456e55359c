"""Extremely randomised regression trees, all trees of a forest grown and asked at once.

A level of every tree is one step on whole arrays. The tables of stage 1 have a few hundred rows:
loading the library that grows such trees one by one takes longer than the whole stage.
"""

import numpy as np
from numpy.typing import NDArray

from equipoise.structs import dataclass

FloatArray = NDArray[np.float64]
SmallArray = NDArray[np.float32]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
LEAF = -1
"""Variable of a node that is not split."""
MOST_LEVELS = 62
"""Levels of a category: the ones that go left are bits of one number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Variables of rows: numbers, or codes 0, 1, ... of the levels of a category."""

    values: SmallArray
    """(variables, rows); no missing value."""
    levels: IntArray
    """(variables,) levels of a category, 0 for a number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forest:
    """Nodes of all trees in one list; the right child of a node follows its left child."""

    table: Table
    trees: int
    """The first nodes are the roots."""
    variable: IntArray
    """(nodes,) variable that is asked, LEAF at a leaf."""
    threshold: SmallArray
    """(nodes,) numbers up to this go left."""
    members: IntArray
    """(nodes,) levels that go left, bit by bit."""
    left: IntArray
    """(nodes,) left child."""
    value: FloatArray
    """(nodes,) mean target of the rows that the node was grown from."""

    def predict(self, index: IntArray) -> FloatArray:
        """Return mean predictions (n,) for rows that take variable v from row index[n, v]."""
        n, width = index.shape
        asked = self.table.values[np.arange(width), index].ravel()
        category = self.table.levels > 0
        reached = np.repeat(np.arange(self.trees), n)
        at, moving = reached.copy(), np.arange(reached.size)
        start = np.tile(np.arange(n) * width, self.trees)
        while moving.size:
            variable = self.variable[at]
            inner = np.flatnonzero(variable >= 0)
            reached[moving] = at
            at, moving, start, variable = at[inner], moving[inner], start[inner], variable[inner]
            value = asked[start + variable]
            right = value > self.threshold[at]
            named = np.flatnonzero(category[variable])
            bit = self.members[at[named]] >> value[named].astype(np.int64)
            right[named] = (bit & 1) == 0
            at = self.left[at] + right
        mean: FloatArray = self.value[reached].reshape(self.trees, n).mean(axis=0)
        return mean


def grow(
    table: Table, rows: IntArray, target: FloatArray, *, trees: int, leaf: int, share: float,
    rng: np.random.Generator,
) -> Forest:  # fmt: skip
    """Grow trees on some rows, whose splits are the best of random cuts.

    At a node, a share of the variables is drawn from those that vary there. A number is cut
    at a threshold drawn evenly between its least and greatest value, a category into two
    random sets of levels; the cut that lowers the sum of squares of the target (rows,) most
    and leaves `leaf` rows on both sides is taken. Every tree sees all rows.

    Source: Geurts, Ernst and Wehenkel, "Extremely randomized trees", Machine Learning 63 (2006).
    """
    place = np.tile(np.arange(rows.size), trees)
    sizes, total = np.full(trees, rows.size), trees
    mine, small = table.values[:, rows], target.astype(np.float32)
    levels = []
    while sizes.size:
        starts = np.cumsum(sizes) - sizes
        value = np.add.reduceat(target[place], starts) / sizes
        wide = np.flatnonzero(sizes >= 2 * leaf)
        place, node = _rows_of(place, starts, sizes, wide)
        cut = _cuts(
            Table(values=mine[:, place], levels=table.levels), small[place], sizes[wide],
            leaf=leaf, share=share, rng=rng,
        )  # fmt: skip
        split = np.flatnonzero(cut.variable >= 0)
        variable, left = np.full(sizes.size, LEAF), np.zeros(sizes.size, dtype=np.int64)
        threshold = np.zeros(sizes.size, dtype=np.float32)
        members = np.zeros(sizes.size, dtype=np.int64)
        variable[wide], threshold[wide], members[wide] = cut.variable, cut.threshold, cut.members
        left[wide[split]] = total + 2 * np.arange(split.size)
        levels.append((variable, threshold, members, left, value))
        child = np.full(wide.size, -1)
        child[split] = 2 * np.arange(split.size)
        kept = np.flatnonzero(child[node] >= 0)
        side = child[node[kept]] + ~cut.goes_left[kept]
        place = place[kept][np.argsort(side, kind="stable")]
        sizes = np.bincount(side, minlength=2 * split.size)
        total += sizes.size
    columns = [np.concatenate(column) for column in zip(*levels, strict=True)]
    return Forest(
        table=table, trees=trees, variable=columns[0], threshold=columns[1], members=columns[2],
        left=columns[3], value=columns[4],
    )  # fmt: skip


def _rows_of(
    place: IntArray, starts: IntArray, sizes: IntArray, chosen: IntArray
) -> tuple[IntArray, IntArray]:
    """Return the rows of the chosen nodes, one node after the other, and the node of each."""
    counts = sizes[chosen]
    node = np.repeat(np.arange(chosen.size), counts)
    offset = np.arange(node.size) - np.repeat(np.cumsum(counts) - counts, counts)
    return place[starts[chosen][node] + offset], node


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cut:
    """The cut of every node, and the rows of all nodes that go left."""

    variable: IntArray
    threshold: SmallArray
    members: IntArray
    goes_left: BoolArray


def _cuts(
    table: Table, target: SmallArray, sizes: IntArray, *, leaf: int, share: float,
    rng: np.random.Generator,
) -> _Cut:  # fmt: skip
    """Return the best random cut of nodes whose rows lie one node after the other."""
    if not sizes.size:
        none = np.zeros(0, dtype=np.int64)
        return _Cut(variable=none, threshold=np.zeros(0, dtype=np.float32), members=none,
                    goes_left=np.zeros(0, dtype=bool))  # fmt: skip
    starts, node = np.cumsum(sizes) - sizes, np.repeat(np.arange(sizes.size), sizes)
    asked = table.values.copy()
    # a category is a number after its levels got random places: a threshold makes random sets
    named = np.flatnonzero(table.levels)
    most = int(table.levels.max(initial=0))
    places = rng.random((named.size, most, sizes.size), dtype=np.float32)
    codes = table.values[named].astype(np.int64)
    asked[named] = places[np.arange(named.size)[:, None], codes, node]
    low = np.minimum.reduceat(asked, starts, axis=1)
    high = np.maximum.reduceat(asked, starts, axis=1)
    threshold = low + rng.random(low.shape, dtype=np.float32) * (high - low)
    below = asked <= np.repeat(threshold, sizes, axis=1)
    gain = _gain(below, target, sizes, starts, leaf=leaf)
    first = np.where(_drawn(high > low, share=share, rng=rng), gain, -1.0)
    # no allowed cut through the variables drawn: the others are looked at as well
    first = np.where(first.max(axis=0) > 0, first, gain)
    best, every = first.argmax(axis=0), np.arange(sizes.size)
    variable = np.where(first[best, every] > 0, best, LEAF)
    chosen = threshold[best, every]
    members = np.zeros(sizes.size, dtype=np.int64)
    for k, v in enumerate(named):
        at = np.flatnonzero(variable == v)
        inside = (places[k, :, at] <= chosen[at, None]).astype(np.int64)
        members[at] = inside @ (1 << np.arange(most))
    return _Cut(variable=variable, threshold=chosen, members=members,
                goes_left=below[best[node], np.arange(node.size)])  # fmt: skip


def _gain(
    below: BoolArray, target: SmallArray, sizes: IntArray, starts: IntArray, *, leaf: int
) -> FloatArray:
    """Return how much each cut (variables, nodes) lowers the sum of squares, -1 if not allowed."""
    few = np.add.reduceat(below.view(np.uint8), starts, axis=1, dtype=np.int64)
    many = sizes - few
    mean = np.add.reduceat(target, starts) / sizes
    centred = target - np.repeat(mean, sizes).astype(np.float32)
    # about the mean of the node the right part sums to minus the left part
    part = np.add.reduceat(below * centred, starts, axis=1).astype(np.float64)
    allowed = (few >= leaf) & (many >= leaf)
    squared: FloatArray = part**2 * (1 / np.maximum(few, 1) + 1 / np.maximum(many, 1))
    return np.where(allowed, squared, -1.0)


def _drawn(vary: BoolArray, *, share: float, rng: np.random.Generator) -> BoolArray:
    """Return which variables (variables, nodes) are drawn: a share of all, of those that vary."""
    count = max(1, round(share * len(vary)))
    keys = np.where(vary, rng.random(vary.shape, dtype=np.float32), 2.0)
    drawn: BoolArray = (keys <= np.partition(keys, count - 1, axis=0)[count - 1]) & vary
    return drawn
