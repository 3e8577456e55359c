"""Reading one log: what counts, what is forgiven, what is said."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.sources import records
from equipoise.sources.logs import number, read_log

START = 1_700_000_000_000


def line(key, time_ms, value=None, **metadata):
    content = {
        "namespace": "",
        "time_ms": time_ms,
        "event_type": "POINT_IN_TIME",
        "key": key,
        "value": value,
        "metadata": metadata,
    }
    return ":::MLLOG " + json.dumps(content)


START_LINE = line("run_start", START)
STOP_LINE = line("run_stop", START + 300_000, None, status="success")


def facts(*lines, end="\n"):
    return read_log([end.join(lines).encode() + end.encode()])


def test_times_status_and_values(mllog):
    log = read_log([mllog(batch="256", seed="12", seconds=90)])
    assert (log.start_ms, log.stop_ms, log.status) == (START, START + 90_000, "success")
    assert log.number("global_batch_size") == 256
    assert log.text("seed") == "12"
    assert [e.value for e in log.evaluations] == [0.76]
    assert log.evaluations[0].progress == {"epoch_num": 3}
    assert (log.init_start_ms, log.init_stop_ms) == (START - 7000, START - 1)
    assert log.notation == "mllog"
    assert log.warnings("p") == ()


def test_a_key_in_metadata_or_value_is_no_key(make_record):
    lines = [
        START_LINE,
        make_record("opt_name", START + 5, "run_stop", note="run_stop"),
        make_record("x", START + 6, {"key": "run_stop", "time_ms": 1}),
        'Namespace(name="run_stop") "key": "run_stop"',
    ]
    assert facts(*lines).stop_ms is None


@pytest.mark.parametrize(
    "before",
    ["0: ", " 12: ", "[3] ", "[1,3]<stdout>:", "\x1b[I", "\r 76% 72.5M/95.8M ", "a:::", "\ufeff"],
)
def test_text_before_the_token(before):
    log = facts(before + START_LINE, before + STOP_LINE)
    assert (log.start_ms, log.stop_ms) == (START, START + 300_000)
    assert log.damage_count == 0


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\r\r\n", "\x00\n", " \n", "\x1b[0m\n"])
def test_line_ends(end):
    log = facts(START_LINE, STOP_LINE, end=end)
    assert (log.start_ms, log.stop_ms, log.damage_count) == (START, START + 300_000, 0)


def test_two_records_on_one_line():
    log = facts("0: " + START_LINE + "1: " + line("init_stop", START - 1) + "2: " + STOP_LINE)
    assert (log.start_ms, log.init_stop_ms, log.stop_ms) == (START, START - 1, START + 300_000)
    assert log.damage_count == 0


def test_record_over_two_lines_is_read_and_said():
    broken = STOP_LINE.replace('"status"', '"sta\ntus"')
    log = facts(START_LINE, broken)
    assert (log.stop_ms, log.status) == (START + 300_000, "success")
    assert log.warnings("a/r.txt") == (
        "a/r.txt:2: record does not parse (cut line or control character); "
        "read together with the next line (key run_stop)",
    )


def test_damaged_line_costs_only_itself():
    damaged = line("opt_name", START - 5, "adamw").replace(', "metadata": {}', "XYZ")
    log = facts("text", damaged, START_LINE, STOP_LINE)
    assert (log.start_ms, log.stop_ms) == (START, START + 300_000)
    assert log.lost_keys == {"opt_name"}
    assert "r.txt:2: record does not parse" in log.warnings("r.txt")[0]


def test_a_lost_key_that_is_whole_elsewhere_is_not_lost():
    damaged = line("opt_name", START - 5, "adamw")[:-3]
    log = facts(damaged + "XX", line("opt_name", START - 4, "adamw"), START_LINE, STOP_LINE)
    assert log.damage_count == 1
    assert log.lost_keys == frozenset()


def test_file_ends_inside_a_record():
    log = read_log([(START_LINE + "\n" + STOP_LINE[:60]).encode()])
    assert log.stop_ms is None
    assert log.warnings("r.txt") == ("r.txt:2: file ends inside a record",)


def test_last_start_before_first_stop():
    again = line("run_start", START + 50_000)
    later = line("run_start", START + 400_000)
    log = facts(START_LINE, again, STOP_LINE, later, line("run_stop", START + 500_000))
    assert (log.start_ms, log.stop_ms, log.status) == (START + 50_000, START + 300_000, "success")
    assert "r.txt:2: 3 run_start records" in log.warnings("r.txt")[0]
    assert "2 run_stop records" in log.warnings("r.txt")[1]


def test_stop_before_start_in_the_file_pairs_with_the_first_start():
    log = facts(STOP_LINE, START_LINE, line("run_start", START + 1))
    assert (log.start_ms, log.stop_ms) == (START, START + 300_000)


def test_impossible_stamps_are_said_once_and_change_nothing():
    odd = [line("c", 18446744073708.008), line("c", 0), line("c", 111111111111), line("c", 9e12)]
    log = facts(*odd, START_LINE, STOP_LINE)
    assert (log.start_ms, log.stop_ms) == (START, START + 300_000)
    assert log.warnings("r.txt") == (
        "r.txt:1: time stamp 18446744073708.008 ms (year 2554) ignored (and 1 more)",
    )


def test_nan_and_infinity():
    bad = line("eval_accuracy", START, "NAN", epoch_num="INF")
    bad = bad.replace('"NAN"', "NaN").replace('"INF"', "Infinity")
    log = facts(START_LINE, bad, STOP_LINE)
    assert log.damage_count == 0
    assert log.evaluations[0].value is None
    assert log.evaluations[0].progress == {}


def test_latin_1_and_cut_utf_8(mllog):
    data = b"caf\xe9 \xff\xfe\n" + mllog().replace(b"train.py", b"tr\xe9\xe2\x96.py")
    log = read_log([data])
    assert log.stop_ms == START + 300_000
    assert log.damage_count == 0


def test_times_as_text_and_metadata_that_is_empty_text():
    log = facts(
        ':::MLLOG {"time_ms": "1700000000000", "key": "run_start", "value": "", "metadata": ""}',
        ':::MLLOG {"time_ms": 1700000060000.5, "key": "run_stop", "metadata": {"status": "done"}}',
    )
    assert (log.start_ms, log.stop_ms) == (START, 1700000060000.5)


def test_skipped_keys_are_skipped_and_statistics_sampled(monkeypatch):
    many = [line("tracked_stats", START + i, {"throughput": 100.0 + i % 3}) for i in range(400)]
    losses = [line("tracked_stats", START + i, {"train_loss": 1.0}) for i in range(50)]
    log = facts(*losses, START_LINE, *many, *losses, STOP_LINE)
    assert log.rate_per_s == 101.0
    assert 32 < len(log.rates_per_s) < 64


def test_throughput_key_counts_where_statistics_have_none():
    log = facts(START_LINE, line("throughput", START + 5, 7.0), STOP_LINE)
    assert log.rate_per_s == 7.0
    log = facts(START_LINE, line("tracked_stats", START + 9, {"train_step_time": 0.5}), STOP_LINE)
    assert log.step_time_s == 0.5


def test_v06_notation():
    log = facts(
        ':::MLL 1560828319.233 run_start: {"value": null, "metadata": {"lineno": 60}}',
        ":::MLL 1560828320.5 eval_accuracy: {\"value\": 0.5, metadata: {'epoch_num': 3, file: x}}",
        ':::MLL 1560828379.233 run_stop: {"value": null, "metadata": {"status": "success"}}',
    )
    assert log.notation == "mll"
    assert log.stop_ms - log.start_ms == pytest.approx(60_000, abs=1e-3)
    assert log.evaluations[0].progress == {"epoch_num": 3}


def test_v05_notation():
    log = facts(
        ":::MLPv0.5.0 resnet 1541670088.967104912 (train.py:10) run_start",
        "INFO:mlperf_compliance::::MLPv0.5.0 resnet 1541670088.967104912 (train.py:10) run_start",
        ':::MLPv0.5.0 resnet 1541670098.9 (t.py:1) eval_accuracy: {"epoch": 62, "value": 0.7501}',
        ':::MLPv0.5.0 resnet 1541670148.967104912 (train.py:10) run_stop: {"success": true}',
    )
    assert log.notation == "v0.5"
    assert log.stop_ms - log.start_ms == pytest.approx(60_000, abs=1e-3)
    assert log.status == "success"
    assert log.warnings("p") == ()
    assert log.evaluations[0].progress == {"epoch": 62}


def test_a_huge_line_and_many_tokens_without_line_ends(monkeypatch):
    monkeypatch.setattr(records, "WINDOW_BYTES", 4096)
    data = ("x" * 50_000 + START_LINE + "y" * 50_000 + STOP_LINE + "z" * 20_000).encode()
    log = read_log([data[i : i + 7000] for i in range(0, len(data), 7000)])
    assert (log.start_ms, log.stop_ms) == (START, START + 300_000)


def test_a_record_longer_than_a_window_is_damaged_and_nothing_else(monkeypatch):
    monkeypatch.setattr(records, "WINDOW_BYTES", 4096)
    long = line("note", START, "n" * 20_000)
    log = facts(START_LINE, long, STOP_LINE)
    assert (log.start_ms, log.stop_ms) == (START, START + 300_000)
    assert log.damage_count == 1


def test_deep_json_is_damage():
    deep = ':::MLLOG {"time_ms": 1, "key": "x", "value": ' + "[" * 100_000
    log = facts(START_LINE, deep, STOP_LINE)
    assert log.stop_ms == START + 300_000
    assert log.damage_count == 1


def test_number_refuses_what_is_none():
    assert number("1e3") == 1000
    assert [number(v) for v in (None, True, "x", [], float("inf"), 10**400)] == [None] * 6


FRAGMENTS = st.one_of(
    st.binary(max_size=60),
    st.sampled_from(
        [
            b":::MLLOG ",
            b":::MLLOG {",
            b":::MLL 1.5 run_start: {",
            b":::MLPv0.5.0 x 1 (a:1) run_stop",
            b'"key": "run_stop"',
            b"\n",
            b"\r",
            b"}}\n",
            b"{" * 40,
            line("run_start", START).encode(),
            line("run_stop", START + 5, None, status="aborted").encode(),
            line("eval_accuracy", START, {"a": [1]}, epoch_num="x").encode(),
            line("tracked_stats", START, {"throughput": "fast"}).encode(),
            b':::MLLOG {"time_ms": 1e999, "key": "run_start", "value": 1, "metadata": 3}\n',
            b':::MLLOG {"time_ms": [], "key": 7, "value": 1, "metadata": null}\n',
        ]
    ),
)


@given(st.lists(FRAGMENTS, max_size=30))
def test_never_raises(fragments):
    log = read_log([b"".join(fragments)])
    log.warnings("p")
    assert log.damage_count >= len(log.damages)


GARBAGE = st.lists(
    st.binary(max_size=80).filter(lambda b: b":::ML" not in b and b"\n" not in b), max_size=6
)


@given(GARBAGE, GARBAGE, GARBAGE, st.integers(1, 10**9))
def test_start_and_stop_are_found_among_garbage(first, second, third, duration):
    stop = line("run_stop", START + duration, None, status="success").encode()
    parts = [*first, START_LINE.encode(), *second, stop, *third]
    log = read_log([b"\n".join(parts)])
    assert (log.start_ms, log.stop_ms) == (START, START + duration)
    assert log.status == "success"


@given(st.lists(FRAGMENTS, max_size=20), st.integers(1, 50))
def test_pieces_do_not_matter(fragments, size):
    data = b"\n".join([*fragments, START_LINE.encode(), STOP_LINE.encode(), b""])
    whole = read_log([data])
    pieces = read_log([data[i : i + size] for i in range(0, len(data), size)])
    assert pieces == whole
