"""Permutation importance on held-out folds, with intervals over groups."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from equipoise.evaluate.encode import Design
from equipoise.evaluate.model import HeldOut, whole_rows
from equipoise.metrics.distributions import normal_quantile, student_quantile
from equipoise.structs import dataclass

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
SHUFFLES = 3
RESAMPLES = 1000
LEVEL = 0.90


@dataclass(frozen=True, slots=True, kw_only=True)
class Rise:
    """Half the rise of the held-out squared error when a set of variables is shuffled."""

    importance: float
    low: float
    high: float


def permutation_importance(
    design: Design,
    target: FloatArray,
    held_out: Sequence[HeldOut],
    sets: Sequence[Sequence[int]],
    groups: IntArray,
    *,
    rng: np.random.Generator,
) -> list[Rise]:
    """Return for every set of variables the share of the variance that it explains.

    I_s = mean over held-out rows, folds and shuffles of ((y - p_s)^2 - (y - p)^2) / (2 var(y)),
    with p_s the prediction after the columns of set s are shuffled among the held-out rows
    (Breiman 2001). Half of the rise is the variance that the set explains, alone and
    together with others (Gregorutti, Michel and Saint-Pierre 2015). The interval is a
    bootstrap over groups, rows of a group staying together, widened for the small number
    of groups (Student's t) and for folds that share training rows, by
    sqrt(1 + K / (K - 1)) for K folds (Nadeau and Bengio 2003).
    """
    n = target.size
    rises = np.zeros((len(sets), n))
    visits = np.zeros(n)
    for fold in held_out:
        rises[:, fold.rows] += _fold_rises(design, target, fold, sets, rng=rng)
        visits[fold.rows] += 1
    rises /= np.maximum(visits, 1)
    variance = float(target.var())
    rises /= 2 * variance if variance > 0 else 1.0
    folds = len({fold.rows.tobytes() for fold in held_out if fold.repeat == held_out[0].repeat})
    return _intervals(rises, groups, folds, rng=rng)


def _fold_rises(
    design: Design, target: FloatArray, fold: HeldOut, sets: Sequence[Sequence[int]], *,
    rng: np.random.Generator,
) -> FloatArray:  # fmt: skip
    rows, size = fold.rows, fold.rows.size
    index = np.repeat(whole_rows(rows, len(design.blocks))[None], len(sets) * SHUFFLES, axis=0)
    for s, members in enumerate(sets):
        for shuffle in range(SHUFFLES):
            index[s * SHUFFLES + shuffle][:, list(members)] = rng.permutation(rows)[:, None]
    predicted = fold.model.predict(index.reshape(-1, len(design.blocks)))
    squared = (target[rows] - predicted.reshape(len(sets), SHUFFLES, size)) ** 2
    rise: FloatArray = squared.mean(axis=1) - (target[rows] - fold.predicted) ** 2
    return rise


def _intervals(
    rises: FloatArray, groups: IntArray, folds: int, *, rng: np.random.Generator
) -> list[Rise]:
    """Bootstrap over groups: ratio of summed rises to summed sizes."""
    _, inverse = np.unique(groups, return_inverse=True)
    count = int(inverse.max()) + 1
    sums = np.zeros((rises.shape[0], count))
    for s in range(rises.shape[0]):
        sums[s] = np.bincount(inverse, weights=rises[s], minlength=count)
    sizes = np.bincount(inverse, minlength=count).astype(float)
    draws = rng.multinomial(count, np.full(count, 1 / count), size=RESAMPLES).astype(float)
    means = (draws @ sums.T) / (draws @ sizes)[:, None]
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(means, [tail, 1 - tail], axis=0)
    centre = sums.sum(axis=1) / sizes.sum()
    wider = np.sqrt(1 + folds / max(1, folds - 1)) * student_quantile(1 - tail, max(1, count - 1))
    wider /= normal_quantile(1 - tail)
    return [
        Rise(
            importance=float(c),
            low=float(c - wider * max(0.0, c - a)),
            high=float(c + wider * max(0.0, b - c)),
        )
        for c, a, b in zip(centre, low, high, strict=True)
    ]
