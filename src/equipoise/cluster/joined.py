"""Which of the things that were joined, pair by pair, belong together."""


def root(parent: list[int], i: int) -> int:
    """Return what stands for all that i was joined with, shortening the way to it.

    >>> root([0, 0, 1], 2)
    0
    """
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i
