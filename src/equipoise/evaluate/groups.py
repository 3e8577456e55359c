"""Groups: variables that cannot be told apart, and configurations that are near-copies."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from equipoise.domain import Configuration
from equipoise.evaluate.encode import Block, association
from equipoise.metrics.variables import accelerator_fact

IntArray = NDArray[np.int64]
SAME = 0.8
"""Variables that are all associated at least this much are shuffled together."""
FEWEST_GROUPS = 4


def variable_sets(blocks: Sequence[Block]) -> tuple[tuple[int, ...], ...]:
    """Return sets of variables that the data cannot tell apart (complete linkage).

    Every two variables of a set are associated by at least 0.8. The variable known best
    comes first in its set (ties: order of the registry).
    """
    count = len(blocks)
    if count < 2:
        return tuple((i,) for i in range(count))
    apart = np.full((count, count), np.inf)
    for i in range(count):
        for j in range(i + 1, count):
            apart[i, j] = apart[j, i] = 1 - association(blocks[i], blocks[j])
    sets = {i: [i] for i in range(count)}
    while apart.min() <= 1 - SAME:
        i, j = sorted(int(place) for place in np.unravel_index(apart.argmin(), apart.shape))
        sets[i] += sets.pop(j)
        apart[i] = apart[:, i] = np.maximum(apart[i], apart[j])
        apart[j] = apart[:, j] = np.inf
    ordered = sorted(sets.values(), key=min)
    return tuple(tuple(sorted(s, key=lambda i: (-blocks[i].known, i))) for s in ordered)


def near_copies(configurations: Sequence[Configuration]) -> tuple[IntArray, str]:
    """Return the group of every configuration and what the groups are.

    A group is one accelerator family in one round: the systems of several submitters in a
    round are often the same hardware and software. With fewer than 4 such groups it is
    one system (submitter, accelerator), with fewer still one configuration.
    """
    choices = (
        ("accelerator family and round", [(_family(c), c.round) for c in configurations]),
        ("submitter and accelerator", [(c.submitter, _family(c)) for c in configurations]),
        ("submitter and system", [(c.submitter, c.system_id) for c in configurations]),
    )
    enough = [choice for choice in choices if len(set(choice[1])) >= FEWEST_GROUPS]
    what, keys = enough[0] if enough else choices[-1]
    place = {key: i for i, key in enumerate(sorted(set(keys)))}
    return np.array([place[key] for key in keys], dtype=np.int64), what


def _family(c: Configuration) -> str:
    family = accelerator_fact(c.accelerator_id, "family").value
    return str(family or c.accelerator_id or c.accelerator_model or "")


def folds(groups: IntArray, *, count: int, rng: np.random.Generator) -> IntArray:
    """Return the fold of every configuration: whole groups, folds of about equal size.

    Groups are taken from the largest to the smallest (equal ones in random order), each
    into the fold with the fewest configurations so far.
    """
    sizes = np.bincount(groups)
    order = rng.permutation(sizes.size)
    order = order[np.argsort(-sizes[order], kind="stable")]
    load = np.zeros(min(count, sizes.size))
    fold_of = np.zeros(sizes.size, dtype=np.int64)
    for group in order:
        lightest = np.flatnonzero(load == load.min())
        fold_of[group] = rng.choice(lightest)
        load[fold_of[group]] += sizes[group]
    result: IntArray = fold_of[groups]
    return result
