"""Partial dependence: the predicted target with one set of variables moved on purpose."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from equipoise.evaluate.encode import Block, Design
from equipoise.evaluate.model import HeldOut, whole_rows
from equipoise.evaluate.results import DependencePoint

FloatArray = NDArray[np.float64]
POINTS = 9
DONORS = 4
BACKGROUND = 40
"""Configurations over which predictions are averaged."""


def dependence(
    design: Design,
    held_out: Sequence[HeldOut],
    members: Sequence[int],
    *,
    log: bool,
    rng: np.random.Generator,
) -> tuple[DependencePoint, ...]:
    """Return the mean prediction at each value of a set's first variable.

    f(v) = mean over configurations of the prediction with the set's columns taken from
    configurations that have value v, so that variables that move together (accelerators
    and nodes) stay possible (Friedman 2001, on sets). `low` and `high` are the least and
    greatest of the models of the folds.
    """
    block, width = design.blocks[members[0]], len(design.blocks)
    base = rng.permutation(len(design.matrix))[:BACKGROUND]
    grid = _grid(block)
    near = [_rows_at(block, value) for value in grid]
    asked = []
    for rows in near:
        donors = rows if rows.size <= DONORS else rng.choice(rows, DONORS, replace=False)
        index = whole_rows(np.tile(base, donors.size), width)
        index[:, list(members)] = np.repeat(donors, base.size)[:, None]
        asked.append(index)
    ends = np.cumsum([len(index) for index in asked])[:-1]
    predicted = [fold.model.predict(np.concatenate(asked)) for fold in held_out]
    means = np.array([[part.mean() for part in np.split(p, ends)] for p in predicted])
    return tuple(
        _point(block, value, means[:, i], near[i].size, log=log) for i, value in enumerate(grid)
    )


def _grid(block: Block) -> list[float]:
    known = block.values[np.isfinite(block.values)]
    distinct, counts = np.unique(known, return_counts=True)
    if block.levels:
        common = np.argsort(-counts, kind="stable")[:POINTS]
        return [float(distinct[i]) for i in sorted(common)]
    if distinct.size <= POINTS:
        return [float(v) for v in distinct]
    wanted = np.linspace(known.min(), known.max(), POINTS)
    nearest = {float(distinct[np.abs(distinct - w).argmin()]) for w in wanted}
    return sorted(nearest)


def _rows_at(block: Block, value: float) -> NDArray[np.int64]:
    if block.levels:
        return np.flatnonzero(block.values == value)
    grid = np.array(_grid(block))
    known = np.flatnonzero(np.isfinite(block.values))
    nearest = np.abs(block.values[known, None] - grid[None]).argmin(axis=1)
    rows: NDArray[np.int64] = known[grid[nearest] == value]
    return rows


def _point(block: Block, value: float, means: FloatArray, n: int, *, log: bool) -> DependencePoint:
    shown = np.exp(means) if log else means
    centre = float(np.exp(means.mean())) if log else float(means.mean())
    # ten digits: 2**log2(448) is 448 again
    number = float(f"{2.0**value:.10g}") if block.variable.log else value
    return DependencePoint(
        variable=block.variable.name,
        value=None if block.levels else number,
        category=block.levels[int(value)] if block.levels else None,
        target=centre,
        low=float(shown.min()),
        high=float(shown.max()),
        n=n,
    )
