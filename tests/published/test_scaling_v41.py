"""Efficiency of H100-SXM5 in MLPerf Training v4.1, closed division.

Figures computed independently from the official scores of the round (best score per
count, relative to 4 accelerators); https://github.com/mlcommons/training_results_v4.1.
"""

from collections.abc import Sequence

import numpy as np
import pytest

from equipoise.domain import Configuration
from equipoise.errors import CatalogueError
from equipoise.scaling.breakeven import breakeven
from equipoise.scaling.paper2 import PAPER2_BENCHMARKS, paper2
from equipoise.scaling.rules import ALL_RULES
from equipoise.scaling.summary import scaling

EFFICIENCY = {
    "bert": {8: 0.94, 64: 0.71, 3472: 0.10},
    "llama2_70b_lora": {8: 1.06, 64: 0.80, 512: 0.22, 1024: 0.19},
    "retinanet": {8: 0.98, 64: 0.73, 2528: 0.14},
    "stable_diffusion": {8: 0.94, 64: 0.60, 1024: 0.17},
}
CURVE = "v4.1 h100-sxm5-80gb"


def published(benchmark: str) -> Sequence[Configuration]:
    from equipoise.catalogue import Catalogue

    try:
        with Catalogue.open(None) as catalogue:
            found = catalogue.configurations(benchmark=benchmark, rounds=["v4.1"])
    except CatalogueError as error:
        pytest.skip(f"no bundled catalogue: {error}")
    return found


@pytest.mark.parametrize("benchmark", EFFICIENCY)
def test_relative_efficiency(benchmark: str) -> None:
    result = scaling(published(benchmark), rng=np.random.default_rng(0), resamples=100)
    points = {p.accelerators: p for p in result.points if p.curve == CURVE and p.on_curve}
    for count, efficiency in EFFICIENCY[benchmark].items():
        assert points[count].efficiency == pytest.approx(efficiency, abs=0.005)
        assert points[count].efficiency_low is not None
    for point in result.points:
        if point.efficiency_throughput is not None:
            product = (
                point.efficiency_throughput
                * (point.efficiency_convergence or 0.0)
                * (point.efficiency_overhead or 0.0)
            )
            assert product == pytest.approx(point.efficiency, rel=1e-9)


def test_every_rule_answers_for_llama2_70b_lora() -> None:
    result = breakeven(published("llama2_70b_lora"), rng=np.random.default_rng(0), resamples=200)
    rows = [row for row in result.breakevens if row.curve == CURVE]
    assert {row.rule for row in rows} == set(ALL_RULES)
    for row in rows:
        assert row.reason
        assert row.interval_basis is not None
        assert row.low is not None


def test_the_papers_table_over_four_workloads() -> None:
    result = paper2(
        {benchmark: published(benchmark) for benchmark in PAPER2_BENCHMARKS},
        rng=np.random.default_rng(0),
        resamples=100,
    )
    assert {row.benchmark for row in result.rows} == set(PAPER2_BENCHMARKS)
    assert all(row.speedup > 0 for row in result.rows)
