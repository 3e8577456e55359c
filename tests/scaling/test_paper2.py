import numpy as np
import pytest

from equipoise.errors import NothingFoundError
from equipoise.scaling.paper2 import PAPER2_BENCHMARKS, paper2


def test_one_table_over_the_workloads(curve, configuration) -> None:
    points = [(n, 100.0 / n + 1.0) for n in (4, 8, 16, 32, 64, 128)]
    slow = configuration(
        accelerators=2, time_to_train_min=400.0, accelerator_id="l40s-48gb", benchmark="bert"
    )
    given = {
        "bert": [*curve(points, benchmark="bert"), slow],
        "retinanet": curve(points, benchmark="retinanet"),
    }
    result = paper2(given, rng=np.random.default_rng(0), resamples=100)
    assert [row.benchmark for row in result.rows] == ["bert"] * 7 + ["retinanet"] * 6
    four = next(r for r in result.rows if r.benchmark == "bert" and r.accelerators == 4)
    assert four.speedup == pytest.approx(400 / 26)
    assert four.efficiency == pytest.approx(2 * 400 / (4 * 26))
    assert four.efficiency_own == 1.0
    assert four.breakeven_accelerators == pytest.approx(108, abs=2)
    assert "llama2_70b_lora: no configuration in the selection" in result.warnings
    assert len(result.scaling) == len(result.breakeven) == 2


def test_nothing_at_all() -> None:
    with pytest.raises(NothingFoundError, match=PAPER2_BENCHMARKS[0]):
        paper2({}, rng=np.random.default_rng(0))
