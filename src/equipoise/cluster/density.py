"""HDBSCAN: groups are dense regions, whatever their number; the rest is noise."""

import numpy as np
from numpy.typing import NDArray

from equipoise.cluster.joined import root

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
CLOSEST = 1e-12
"""Points nearer than this are at the same place."""


def hdbscan(points: FloatArray, *, least: int) -> IntArray:
    """Return labels (n,) of points (n, d), -1 for noise; groups have at least `least` points.

    Points are joined by a minimum spanning tree of mutual reachability (the greatest of
    their distance and the distances of both to their least-th nearest point, itself
    counted); splits that leave fewer than `least` points on a side only shed points, and
    the groups that persist longest are chosen (excess of mass).

    Source: Campello, Moulavi and Sander, "Density-based clustering based on hierarchical
    density estimates", PAKDD 2013.
    """
    n = len(points)
    if n < 2 * least:
        return np.full(n, -1, dtype=np.int64)
    edges = _spanning_tree(points, _core_distances(points, least))
    children, height, size = _dendrogram(edges, n)
    group_of, parent, persistence = _condensed(children, height, size, least)
    return _labels(group_of, parent, _chosen(parent, persistence))


def _core_distances(points: FloatArray, least: int) -> FloatArray:
    core = np.empty(len(points))
    for i, point in enumerate(points):
        squares = ((points - point) ** 2).sum(axis=1)
        core[i] = np.sqrt(np.partition(squares, least - 1)[least - 1])
    return core


def _spanning_tree(points: FloatArray, core: FloatArray) -> list[tuple[float, int, int]]:
    """Return the edges (distance, point, point) of a minimum spanning tree (Prim 1957)."""
    n = len(points)
    best, source = np.full(n, np.inf), np.zeros(n, dtype=np.int64)
    outside = np.ones(n, dtype=bool)
    edges, new = [], 0
    for _ in range(n - 1):
        outside[new] = False
        distance = np.sqrt(((points - points[new]) ** 2).sum(axis=1))
        reach = np.maximum(np.maximum(distance, core), core[new])
        nearer = outside & (reach < best)
        best[nearer], source[nearer] = reach[nearer], new
        new = int(np.where(outside, best, np.inf).argmin())
        edges.append((float(best[new]), int(source[new]), new))
    return sorted(edges)


def _dendrogram(
    edges: list[tuple[float, int, int]], n: int
) -> tuple[list[tuple[int, int]], list[float], list[int]]:
    """Return children, height and size of the nodes n, n + 1, ... of single linkage."""
    top, size = list(range(2 * n - 1)), [1] * n
    children, height = [], []
    for distance, i, j in edges:
        a, b = root(top, i), root(top, j)
        top[a] = top[b] = len(size)
        size.append(size[a] + size[b])
        children.append((a, b))
        height.append(distance)
    return children, height, size


def _condensed(
    children: list[tuple[int, int]], height: list[float], size: list[int], least: int
) -> tuple[IntArray, list[int], list[float]]:
    """Return the group that each point leaves last, the parent of groups, their persistence.

    Group 0 is everything; a group's persistence is the sum over its points of 1 / distance
    where the point leaves it, less 1 / distance where the group began.
    """
    n = len(children) + 1
    group_of = np.zeros(n, dtype=np.int64)
    parent, born, persistence = [-1], [0.0], [0.0]
    stack = [(2 * n - 2, 0)]
    while stack:
        node, group = stack.pop()
        density = 1 / max(height[node - n], CLOSEST)
        halves = children[node - n]
        split = all(size[half] >= least for half in halves)
        for half in halves:
            if split:
                parent.append(group)
                born.append(density)
                persistence.append(0.0)
                stack.append((half, len(parent) - 1))
            elif size[half] >= least:
                stack.append((half, group))
                continue
            else:
                group_of[_points_under(half, children, n)] = group
            persistence[group] += size[half] * (density - born[group])
    return group_of, parent, persistence


def _points_under(node: int, children: list[tuple[int, int]], n: int) -> list[int]:
    found, stack = [], [node]
    while stack:
        at = stack.pop()
        if at < n:
            found.append(at)
        else:
            stack.extend(children[at - n])
    return found


def _chosen(parent: list[int], persistence: list[float]) -> list[bool]:
    """Return which groups are kept: those that persist longer than the groups inside them.

    Everything together (group 0) is no group; children come after their parents.
    """
    inside = [0.0] * len(parent)
    alone = [True] * len(parent)
    for group in range(len(parent) - 1, 0, -1):
        alone[group] = persistence[group] >= inside[group]
        inside[parent[group]] += max(persistence[group], inside[group])
    kept, covered = [False] * len(parent), [False] * len(parent)
    for group in range(1, len(parent)):
        covered[group] = covered[parent[group]] or kept[parent[group]]
        kept[group] = alone[group] and not covered[group]
    return kept


def _labels(group_of: IntArray, parent: list[int], kept: list[bool]) -> IntArray:
    """Return the kept group that each point left last or that holds it, numbered from 0."""
    number: list[int] = []
    count = 0
    for group, up in enumerate(parent):
        if kept[group]:
            number.append(count)
            count += 1
        else:
            number.append(-1 if up < 0 else number[up])
    labels: IntArray = np.array(number, dtype=np.int64)[group_of]
    return labels
