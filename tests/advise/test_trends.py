import dataclasses
import json

import pytest
from advise_builders import configuration

from equipoise.advise import trends

OLD, NEW = "a100-sxm4-80gb", "h100-sxm5-80gb"


def seen(*configurations):
    result = trends(configurations)
    json.dumps(dataclasses.asdict(result), allow_nan=False)
    return result


def run(round_name, accelerator, time, n=8, **changes):
    return configuration(
        time,
        n,
        round=round_name,
        accelerator_id=accelerator,
        system_id=f"{accelerator}-{time}",
        **changes,
    )


def test_hardware_and_software_multiply_to_the_whole():
    result = seen(
        run("v2.0", OLD, 40.0),
        run("v2.1", OLD, 32.0),
        run("v2.1", NEW, 16.0),
        run("v3.0", NEW, 14.0),
    )
    first, second = result.gains
    assert first.basis == "old accelerator again"
    assert first.total_gain == pytest.approx(2.5)
    assert first.software_gain == pytest.approx(1.25)
    assert first.hardware_gain == pytest.approx(2.0)
    assert second.basis == "same accelerator"
    assert second.hardware_gain == pytest.approx(1.0)
    assert result.total_gain == pytest.approx(40.0 / 14.0)
    for gain in result.gains:
        assert gain.software_gain * gain.hardware_gain == pytest.approx(gain.total_gain)
    assert [(s.accelerator_id, s.gain) for s in result.software] == [
        (OLD, pytest.approx(1.25)),
        (NEW, pytest.approx(16.0 / 14.0)),
    ]


def test_both_ways_of_splitting_are_averaged():
    result = seen(
        run("v2.0", OLD, 40.0),
        run("v2.0", NEW, 50.0),
        run("v2.1", OLD, 32.0),
        run("v2.1", NEW, 20.0),
    )
    gain = result.gains[0]
    assert gain.basis == "both"
    assert gain.software_gain == pytest.approx((1.25 * 2.5) ** 0.5)


def test_a_step_without_a_common_accelerator_is_not_split():
    result = seen(run("v2.0", OLD, 40.0), run("v2.1", NEW, 16.0))
    assert result.gains[0].software_gain is None
    assert result.gains[0].basis == "unknown"
    assert result.software_gain is None
    assert "cannot be split" in result.warnings[0]


def test_best_and_typical_time_of_a_cell():
    result = seen(
        run("v2.0", OLD, 40.0),
        run("v2.0", OLD, 44.0, submitter="B"),
        run("v2.0", OLD, 60.0, submitter="C"),
    )
    row = result.trends[0]
    assert (row.time_best_min, row.time_typical_min, row.configurations) == (40.0, 44.0, 3)
    assert "No count was measured in two rounds" in result.sentence


def test_counts_are_kept_apart_and_rounds_go_in_order():
    result = seen(run("v2.1", OLD, 30.0), run("v2.0", OLD, 40.0), run("v2.1", OLD, 16.0, n=16))
    assert [row.round for row in result.trends] == ["v2.0", "v2.1", "v2.1"]
    assert len(result.gains) == 1


def test_nothing_and_nameless_configurations():
    assert seen().trends == ()
    result = seen(configuration(accelerator_id=None), configuration(accelerators=0))
    assert result.trends == ()
    assert "2 configurations without a known accelerator" in result.warnings[0]
