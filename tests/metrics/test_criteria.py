"""The registry of criteria: complete, correct on small numbers, honest about what is missing."""

import math
from typing import Any

import numpy as np
import pytest

from equipoise.domain import Configuration
from equipoise.errors import UnknownNameError
from equipoise.metrics import criteria


def configuration(**kwargs: Any) -> Configuration:
    base: dict[str, Any] = {
        "round": "v3.0",
        "submitter": "Lab",
        "system_id": "one",
        "benchmark": "resnet",
        "division": "closed",
        "time_to_train_min": 60.0,
        "accelerators": 8,
        "accelerator_id": "a100-sxm4-80gb",
    }
    return Configuration(**{**base, **kwargs})


def test_every_criterion_says_what_it_is() -> None:
    for name, item in criteria.CRITERIA.items():
        assert item.name == name
        assert item.label
        assert item.unit
        assert item.source
        assert item.availability
        assert item.direction in ("min", "max")
        assert len(item.compute([configuration(), configuration()])) == 2
        assert item.compute([]) == []


def test_aliases_lead_to_criteria() -> None:
    for alias, name in criteria.ALIASES.items():
        assert criteria.criterion(alias) is criteria.CRITERIA[name]
    with pytest.raises(UnknownNameError, match="throughput_samples_per_s"):
        criteria.criterion("thruput_samples_per_s")


def test_values_of_a_small_selection() -> None:
    rows = [
        configuration(time_to_train_min=60.0, accelerators=8, throughput_samples_per_s=800.0),
        configuration(time_to_train_min=40.0, accelerators=16, system_id="two"),
    ]
    table = criteria.values(rows, ["time_to_train_min", "accelerator_hours", "efficiency"])
    expected = [[60.0, 8.0, 1.0], [40.0, 16 * 40 / 60, 8.0 / (16 * 40 / 60)]]
    np.testing.assert_allclose(table, expected)
    assert criteria.column(rows, "scaling_efficiency") == pytest.approx([1.0, 0.75])


def test_throughput_falls_back_and_says_so() -> None:
    rows = [
        configuration(throughput_samples_per_s=1000.0, samples_to_converge=3_000_000.0),
        configuration(samples_to_converge=3_600_000.0),
        configuration(time_to_train_min=30.0),
    ]
    assert criteria.throughput_sources(rows) == ["measured", "computed", "estimated"]
    assert criteria.column(rows, "throughput") == pytest.approx(
        [1000.0, 1000.0, 3_300_000.0 / 1800.0]
    )
    assert criteria.throughput_sources(rows[2:]) == [None]
    assert criteria.column(rows[2:], "throughput_per_accelerator") == [None]


def test_cpu_only_system_has_no_figure_per_accelerator() -> None:
    rows = [configuration(accelerators=0, throughput_samples_per_s=10.0), configuration()]
    names = ["throughput_per_accelerator", "accelerator_hours", "efficiency"]
    for name in names:
        assert criteria.column(rows, name)[0] is None
    assert np.isnan(criteria.values(rows, names)[0]).all()


def test_a_curve_of_one_size_has_no_scaling_efficiency() -> None:
    rows = [configuration(), configuration(system_id="two", time_to_train_min=50.0)]
    assert criteria.column(rows, "scaling_efficiency") == [None, None]


def test_efficiency_compares_only_inside_one_benchmark() -> None:
    rows = [configuration(), configuration(benchmark="bert", time_to_train_min=10.0)]
    assert criteria.column(rows, "efficiency") == [1.0, 1.0]


def test_run_spread() -> None:
    rows = [configuration(run_times_min=(9.0, 10.0, 11.0)), configuration(run_times_min=(9.0,))]
    assert criteria.column(rows, "run_spread") == [pytest.approx(0.1), None]


def test_utilisation_needs_a_stated_precision() -> None:
    known = configuration(throughput_samples_per_s=20_000.0, precision="fp16")
    silent = configuration(throughput_samples_per_s=20_000.0)
    first, second = criteria.column([known, silent], "utilisation")
    assert first is not None
    assert 0 < first < 1
    assert second is None


def test_unit_of_time_and_order_of_rows_do_not_change_efficiency() -> None:
    rows = [
        configuration(time_to_train_min=10.0 * (i + 1), accelerators=2**i, system_id=str(i))
        for i in range(5)
    ]
    forward = criteria.column(rows, "efficiency")
    backward = criteria.column(rows[::-1], "efficiency")[::-1]
    assert forward == backward
    assert all(v is not None and math.isfinite(v) for v in forward)
