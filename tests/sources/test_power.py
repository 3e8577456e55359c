"""Measured power: the formulas of both eras, damaged and odd files."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.sources.layout import place_of
from equipoise.sources.power import read_power
from equipoise.units import BYTES_PER_MIB

PATH = "A/results/s/resnet/power/result_0/node_0.txt"
START = 1_700_000_000_000


def measured(make_record, readings, *, start=START, stop=START + 100_000, extra=()):
    lines = [make_record("power_measurement_start", start), *extra]
    lines += [make_record("power_reading", START + ms, watts) for ms, watts in readings]
    if stop is not None:
        lines.append(make_record("power_measurement_stop", stop))
    return "\n".join(lines).encode()


def read(data, round_name="v4.1", path=PATH):
    return read_power([data], place_of(path), round_name=round_name)


def test_sum_of_readings(make_record):
    file = read(measured(make_record, [(40_000, 100), (100_000, 200.5)]))
    assert file.watt_ms == 100 * 40_000 + 200.5 * 60_000
    assert (file.start_ms, file.end_ms, file.readings) == (START, START + 100_000, 2)
    assert (file.conversion_efficiency, file.is_switch) == (1.0, False)


def test_readings_written_by_any_logger(make_record):
    compact = (
        ':::MLLOG {"namespace":"","time_ms":%d,"event_type":"POINT_IN_TIME",'
        '"key":"power_reading","value":250,"metadata":""}'
    )
    spaced = (
        ':::MLLOG {"namespace": "", "time_ms": %d, "event_type": "POINT_IN_TIME", '
        '"key": "power_reading", "value": 250.0, "metadata": {}}'
    )
    lines = [
        make_record("power_measurement_start", START),
        compact % (START + 10_000),
        spaced % (START + 20_000),
        "0: " + make_record("power_reading", START + 30_000, "250"),
        ':::MLLOG {"namespace": "", "time_ms": 17',
    ]
    file = read("\r\n".join(lines).encode())
    assert (file.watt_ms, file.readings, file.damage_count) == (250 * 30_000, 3, 1)
    assert file.end_ms == START + 30_000


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_readings_with_metadata(make_record, end):
    odd = [
        make_record("power_reading", START + 30_000, 250, host='node "3" \u00e9'),
        make_record("power_reading", START + 40_000, 250, host={"rack": [1, 2.5e3]}),
        make_record("power_reading", START + 50_000, 250).replace('"lineno": 1', '"lineno": 01'),
        make_record("power_reading", START + 60_000, 250) + " a tail",
    ]
    lines = [
        make_record("power_measurement_start", START),
        make_record("power_reading", START + 10_000, 250, host="3"),
        make_record("power_reading", START + 20_000, 250, host=None, kind="AC") + odd[0],
        *odd[1:],
    ]
    file = read(("\n".join(lines) + end).encode())
    # `01` is no JSON number: that line is damaged, and two records on one line count once each
    assert (file.readings, file.watt_ms) == (5, 250 * 60_000)
    assert file.damage_count == 1


def test_readings_count_by_their_stamps_and_only_in_the_window(make_record):
    readings = [(60_000, 300), (30_000, 100), (150_000, 900)]
    file = read(measured(make_record, readings))
    assert file.watt_ms == 100 * 30_000 + 300 * 30_000
    assert file.end_ms == START + 100_000


def test_the_first_formula_takes_the_order_of_the_file(make_record):
    readings = [(60_000, 300), (30_000, 100), (150_000, 900)]
    file = read(measured(make_record, readings), "v4.0")
    assert file.watt_ms == 300 * 60_000 + 100 * -30_000 + 900 * 120_000
    assert file.end_ms == START + 150_000


@pytest.mark.parametrize("round_name", ["v4.0", "v4.1"])
@pytest.mark.parametrize("stop", [START, START - 5, None])
def test_a_stop_that_repeats_the_start_ends_nothing(make_record, round_name, stop):
    file = read(measured(make_record, [(50_000, 100), (90_000, 100)], stop=stop), round_name)
    assert (file.watt_ms, file.end_ms) == (100 * 90_000, START + 90_000)
    assert file.stop_repeats_start is (stop is not None)


def test_efficiency_and_switch(make_record):
    extra = (make_record("conversion_eff", START, 0.9),)
    assert read(measured(make_record, [], extra=extra)).conversion_efficiency == 0.9
    lines = [make_record("conversion_eff", START, 0.8)]
    lines += [make_record("interconnect_power_est", START, w) for w in (16_100, 5)]
    file = read("\n".join(lines).encode(), path=PATH.replace("node_0", "sw_0"))
    assert (file.is_switch, file.switch_w, file.conversion_efficiency) == (True, 16_100, 0.8)


def test_nothing_measured(make_record):
    file = read(b"hello")
    assert (file.start_ms, file.end_ms, file.readings) == (None, None, 0)
    file = read(make_record("power_reading", START, 5).encode())
    assert (file.start_ms, file.readings) == (None, 0)


_ODD_NUMBERS = ["0", "250", "250.5", "007", "5.", ".5", "-3", "1e3", "NaN", '"250"', "null"]
_ENDINGS = [
    ', "metadata": ""}',
    ', "metadata": {"host": "1", "lineno": 88}}',
    ', "metadata": {"host": "2"}} ',
    ', "metadata": {"host": "2"}',
    ', "metadata": {}, "time_ms": 5}',
    ', "metadata": {}, "value": 7}',
    ', "metadata": {}, "v\\u0061lue": 7}',
    ', "metadata": {}, "key": "conversion_eff"}',
]


@given(
    st.lists(
        st.tuples(st.sampled_from(_ODD_NUMBERS), st.sampled_from(_ENDINGS)), min_size=1, max_size=12
    )
)
def test_a_reading_counts_the_same_wherever_it_stands(readings):
    """Most readings are taken by their beginning and a known ending; none differs for it."""
    texts = [
        f':::MLLOG {{"namespace": "", "time_ms": {START + 1000 * (place + 1)}, '
        f'"event_type": "POINT_IN_TIME", "key": "power_reading", "value": {value}{ending}'
        for place, (value, ending) in enumerate(readings)
    ]
    start = f':::MLLOG {{"namespace": "", "time_ms": {START}, "event_type": "INTERVAL_START", '
    start += '"key": "power_measurement_start", "value": null, "metadata": ""}'
    alone = [read(f"{start}\n{text}\n".encode(), "v4.0") for text in texts]
    together = read("\n".join([start, *texts, ""]).encode(), "v4.0")
    assert together.damage_count == sum(file.damage_count for file in alone)
    assert together.readings == sum(file.readings for file in alone)


def test_long_endings_are_not_kept(make_record):
    def pieces():
        yield f"{make_record('power_measurement_start', START)}\n".encode()
        for place in range(1, 41):
            yield f"{make_record('power_reading', START + place, 5)}\n".encode()
            yield f"{place:01000000}\n".encode()

    tracemalloc.start()
    try:
        file = read_power(pieces(), place_of(PATH), round_name="v4.1")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (file.readings, file.watt_ms) == (40, 200)
    assert peak < 20 * BYTES_PER_MIB


def test_a_reading_takes_little_memory(make_record):
    reading = f"{make_record('power_reading', START + 1, 5)}\n".encode()
    pieces = [f"{make_record('power_measurement_start', START)}\n".encode()]
    pieces += [reading * 5_000] * 20
    tracemalloc.start()
    try:
        file = read_power(pieces, place_of(PATH), round_name="v4.1")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (file.readings, file.watt_ms) == (100_000, 5)
    assert peak < 23 * BYTES_PER_MIB
