import dataclasses
import json

import numpy as np
import pytest
from advise_builders import configuration, price, price_list

from equipoise.advise import compare
from equipoise.errors import UsageError


def compared(a, b, **options):
    result = compare(a, b, rng=np.random.default_rng(1), **options)
    json.dumps(dataclasses.asdict(result), allow_nan=False)
    return result


def test_ratio_interval_and_chances():
    a, b = configuration(10.0, system_id="a"), configuration(20.0, 16, system_id="b")
    result = compared(a, b, prices=price_list(price(3.0)))
    assert result.time_ratio == 0.5
    assert result.time_ratio_low < 0.5 < result.time_ratio_high
    assert result.probability_a_faster == 1.0
    assert result.cost_a_usd == pytest.approx(4.0)
    assert result.cost_b_usd == pytest.approx(16.0)
    assert result.cost_ratio == pytest.approx(0.25)
    assert result.accelerator_hours_ratio == pytest.approx(0.25)
    assert result.probability_a_cheaper == 1.0
    assert "more than 99 %" in result.sentence


def test_a_and_b_swap():
    a, b = configuration(10.0, system_id="a"), configuration(10.05, system_id="b")
    forth, back = compared(a, b), compared(b, a)
    assert forth.time_ratio == pytest.approx(1.0 / back.time_ratio)
    assert forth.probability_a_faster == pytest.approx(1.0 - back.probability_a_faster, abs=0.05)
    assert 0.2 < forth.probability_a_faster < 0.95


def test_differences_are_marked():
    a = configuration(10.0, framework="x")
    b = configuration(10.0, framework="y", system_id="b")
    same = {row.field: row.same for row in compared(a, b).fields}
    assert not same["framework"]
    assert same["accelerators"]


def test_without_runs_the_chance_is_unknown_unless_others_say():
    a = configuration(10.0, run_times_min=(), system_id="a")
    b = configuration(11.0, run_times_min=(11.0,), system_id="b")
    alone = compared(a, b)
    assert alone.probability_a_faster is None
    assert alone.time_ratio_low is None
    assert "say nothing" in alone.warnings[0]
    single = configuration(10.0, run_times_min=(10.0,), system_id="a")
    helped = compared(single, b, pool=[configuration(5.0), configuration(6.0, 16)])
    assert helped.probability_a_faster > 0.5


def test_no_price_is_said():
    a = configuration(10.0)
    b = configuration(9.0, accelerator_id="tpu-v4", system_id="b")
    result = compared(a, b, prices=price_list(price()))
    assert result.cost_ratio is None
    assert "costs are not compared" in result.warnings[0]


def test_other_benchmarks_and_incompatible_rounds_are_refused():
    with pytest.raises(UsageError, match="different benchmarks"):
        compared(configuration(), configuration(benchmark="resnet"))
    with pytest.raises(UsageError, match="cannot be compared"):
        compared(configuration(round="v0.7"), configuration(round="v4.1"))


def test_the_same_configuration_is_noticed():
    result = compared(configuration(), configuration())
    assert result.time_ratio == 1.0
    assert "same configuration" in result.warnings[-1]


def test_what_neither_states_is_neither_the_same_nor_different():
    result = compared(configuration(10.0, system_id="a"), configuration(20.0, system_id="b"))
    unknown = [row for row in result.fields if row.a is None and row.b is None]
    assert unknown
    assert all(row.same is None for row in unknown)
