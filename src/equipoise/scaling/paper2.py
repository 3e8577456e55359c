"""The second paper's setting: four workloads of MLPerf Training v4.1 in one table."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from equipoise.domain import Configuration
from equipoise.errors import NothingFoundError
from equipoise.scaling.analysis import RESAMPLES
from equipoise.scaling.breakeven import breakeven
from equipoise.scaling.curves import SLOWEST, SMALLEST
from equipoise.scaling.fit import LEVEL
from equipoise.scaling.locate import FITTED
from equipoise.scaling.results import (
    BreakevenResult,
    Paper2Result,
    Paper2Row,
    ScalingPoint,
    ScalingResult,
)
from equipoise.scaling.summary import scaling

PAPER2_BENCHMARKS: Final = ("bert", "llama2_70b_lora", "retinanet", "stable_diffusion")
PAPER2_ROUND: Final = "v4.1"
PAPER2_DIVISION: Final = "closed"
PAPER2_REFERENCE: Final = SLOWEST


def paper2(
    configurations: Mapping[str, Sequence[Configuration]],
    *,
    rng: np.random.Generator,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
) -> Paper2Result:
    """Return the second paper's table: every configuration of its four workloads.

    Speedup and efficiency are relative to the slowest small machine of the workload over
    all vendors, as in the paper; `efficiency_own` is relative to the smallest count of the
    same accelerator, which the break-even rests on too.

    Parameters
    ----------
    configurations : mapping of benchmark id to configurations
        v4.1, closed division. A workload that is absent is named in the warnings.
    rng : numpy.random.Generator
        Source of the resamples.
    level, resamples
        As for `scaling`.

    Raises
    ------
    NothingFoundError
        When none of the four workloads is there.
    """
    rows: list[Paper2Row] = []
    tables: list[ScalingResult] = []
    breakevens: list[BreakevenResult] = []
    warnings: list[str] = []
    for benchmark in PAPER2_BENCHMARKS:
        given = configurations.get(benchmark, ())
        if not given:
            warnings.append(f"{benchmark}: no configuration in the selection")
            continue
        table = scaling(
            given, rng=rng, reference=PAPER2_REFERENCE, level=level, resamples=resamples
        )
        points = breakeven(given, rng=rng, reference=SMALLEST, level=level, resamples=resamples)
        tables.append(table)
        breakevens.append(points)
        rows.extend(_rows(table, points))
        warnings.extend(f"{benchmark}: {text}" for text in table.warnings)
    if not rows:
        raise NothingFoundError(f"none of {', '.join(PAPER2_BENCHMARKS)} is in the selection")
    return Paper2Result(
        rows=tuple(rows),
        scaling=tuple(tables),
        breakeven=tuple(breakevens),
        warnings=tuple(warnings),
    )


def _rows(table: ScalingResult, points: BreakevenResult) -> list[Paper2Row]:
    smallest: dict[str, ScalingPoint] = {}
    for point in table.points:
        if point.on_curve:
            first = smallest.setdefault(point.curve, point)
            if point.accelerators < first.accelerators:
                smallest[point.curve] = point
    answers = {
        row.curve: row.accelerators
        for row in points.breakevens
        if row.default and row.basis == FITTED
    }
    return [
        Paper2Row(
            benchmark=point.benchmark,
            curve=point.curve,
            submitter=point.submitter,
            system_id=point.system_id,
            accelerator_id=point.accelerator_id,
            accelerators=point.accelerators,
            time_to_train_min=point.time_to_train_min,
            time_to_train_min_low=point.time_to_train_min_low,
            time_to_train_min_high=point.time_to_train_min_high,
            speedup=point.speedup,
            efficiency=point.efficiency,
            efficiency_low=point.efficiency_low,
            efficiency_high=point.efficiency_high,
            efficiency_own=point.efficiency / smallest[point.curve].efficiency,
            accelerator_hours=point.accelerator_hours,
            breakeven_accelerators=answers.get(point.curve),
        )
        for point in table.points
    ]
