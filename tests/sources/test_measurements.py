"""Own measurements: every dialect is read, every bad row is named, none kills the others."""

import io
import json
import math
from pathlib import Path

import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.errors import DataError, SourceError
from equipoise.sources.measurements import (
    MeasurementTable,
    is_measurement_file,
    read_measurements,
)

HEADER = "accelerators,time_s\n"


def pairs(table: MeasurementTable) -> list[tuple[int, float | None]]:
    """Return count and minutes of every row."""
    return [(row.accelerators, row.time_to_train_min) for row in table.rows]


def refused(table: MeasurementTable) -> list[tuple[int | None, str]]:
    """Return line and code of every rejection."""
    return [(entry.line, entry.code) for entry in table.rejections]


def test_the_case_of_a_csv_with_byte_order_mark(shared: Path) -> None:
    folder = shared / "cases" / "70-own-runs-csv-with-bom"
    table = read_measurements(folder / "input" / "runs.csv")
    first, last = table.rows
    expected = json.loads((folder / "expected.json").read_text())["rows_ok"][0]
    assert (first.label, first.accelerators) == (expected["system"], expected["accelerators"])
    assert first.time_to_train_min == expected["seconds"] / 60
    assert (last.accelerators, last.line) == (1024, 4)
    (missing,) = table.rejections
    assert (missing.path, missing.line, missing.code) == ("runs.csv", 3, "missing-value")
    assert missing.reason == "seconds is missing; fill it in, or take the row out"
    assert first.benchmark == "resnet"


@pytest.mark.parametrize(
    "text",
    [
        "accelerators,time_s\n8,600\n16,330\n",
        "\ufeffgpus;seconds\r\n8;600\r\n16;330\r\n",
        "n\ttime_s\r8\t600\r16\t330",
        '"N"|"Time [s]"\n"8"|"600"\n"16"|"330"\n',
        "sep=;\nnum_gpus;time_s\n8;600,0\n16;330,0\n",
        "# measured in May\n\naccelerators,time_to_train_min\n8,10\n,,\n16,5.5\n",
        "n,hours\n8,0.16666666666666666\n16,0.09166666666666667\n",
        "accelerators , Time to train (min),note\n8,10,\n16,5.5,\n",
        '[{"accelerators": 8, "time_s": 600}, {"gpus": "16", "minutes": 5.5}]',
        '{"measurements": [{"n": 8, "time_s": 600}, {"n": 16, "time_s": 330.0},]}',
        '{"n": 8, "time_s": 600}\n{"n": 16, "time_s": 330}\n',
    ],
)
def test_every_dialect_gives_the_same(text: str) -> None:
    for content in (text.encode(), text.encode("utf-16")):
        table = read_measurements(content)
        assert pairs(table) == [(8, pytest.approx(10.0)), (16, pytest.approx(5.5))]
        assert not table.rejections


def test_parquet(tmp_path: Path) -> None:
    frame = polars.DataFrame(
        {"accelerators": [8, 16, None], "time_s": [600.0, math.nan, 3.0], "label": ["a", "b", "c"]}
    )
    frame.write_parquet(tmp_path / "runs.parquet")
    table = read_measurements(tmp_path / "runs.parquet")
    assert pairs(table) == [(8, 10.0)]
    assert [entry.reason for entry in table.rejections] == [
        'row 2: time_s "nan" is not a finite number; write a number, or take the row out',
        "row 3: accelerators is missing; fill it in, or take the row out",
    ]
    whole = (tmp_path / "runs.parquet").read_bytes()
    for damaged in (whole[:-9], whole[:4] + b"\0" * 40 + b"PAR1", b"PAR1PAR1"):
        with pytest.raises(DataError, match="Parquet"):
            read_measurements(damaged)


def test_every_bad_row_is_named_and_the_good_ones_are_kept() -> None:
    table = read_measurements(
        "n,time_s\n8,nan\n0,5\n-8,6\n8.5,7\n8,1,5\n8,600 s\n8,0\n8\n,3\n8,-2\n8,inf\n16,300\n",
        label="runs.csv",
    )
    assert pairs(table) == [(16, 5.0)]
    assert refused(table) == [
        *((2, "not-finite"), (3, "not-positive"), (4, "not-positive"), (5, "bad-count")),
        *((6, "bad-record"), (7, "not-a-number"), (8, "not-positive"), (9, "missing-value")),
        *((10, "missing-value"), (11, "not-positive"), (12, "not-finite")),
    ]
    assert {entry.path for entry in table.rejections} == {"runs.csv"}


def test_an_open_quote_costs_its_own_row_only() -> None:
    table = read_measurements('n,time_s,note\n8,"600,x\n16,300,y\n32,150,"two\nlines"\n64,90,\n')
    assert pairs(table) == [(16, 5.0), (32, 2.5), (64, 1.5)]
    assert refused(table) == [(2, "bad-record")]


def test_european_decimals() -> None:
    assert pairs(read_measurements("gpus;minutes\n8;1.234,5\n16;700\n")) == [(8, 1234.5), (16, 700)]
    table = read_measurements('n,time_s\n8,"1,234"\n16,600\n', label="t.csv")
    assert refused(table) == [(2, "ambiguous-number")]
    assert "write 1.234 or 1234" in table.rejections[0].reason
    decided = read_measurements('n,time_to_train_min\n8,"1,234"\n16,9.5\n')
    assert pairs(decided) == [(8, 1234.0), (16, 9.5)]


def test_other_columns_decide_about_a_number_with_two_readings() -> None:
    text = "gpus;minutes;price\n8;1.024;2,50\n16;600;2,50\n"
    table = read_measurements(text, label="t.csv")
    assert pairs(table) == [(8, 1024.0), (16, 600.0)]
    assert table.notes == (
        't.csv: minutes: "1.024" read as 1024, by the decimal mark of the other numbers',
    )
    plain = read_measurements(text.replace("2,50", "2.50"), label="t.csv")
    assert (pairs(plain), plain.notes) == ([(8, 1.024), (16, 600.0)], ())
    said = read_measurements('n,minutes\n8,"1,024"\n16,"600,25"\n', label="t.csv").notes
    assert said == (
        't.csv: minutes: "1,024" read as 1.024, by the decimal mark of the other numbers',
    )


def test_latin_1_is_read_and_said() -> None:
    table = read_measurements("n,time_s,label\n8,600,Café\n".encode("latin-1"), label="a.csv")
    assert table.rows[0].label == "Café"
    assert table.notes == ("a.csv: is not UTF-8: read as Latin-1",)


def test_columns_that_mean_nothing_are_named() -> None:
    table = read_measurements("n,time_s,colour,\n8,600,red,\n", label="a.csv")
    assert table.notes == ("a.csv: columns not used: colour",)


def test_a_column_given_twice() -> None:
    same = read_measurements("n,n,time_s\n8,8,60\n", label="a.csv")
    assert same.notes == ("a.csv: column n stands there 2 times with the same content",)
    with pytest.raises(DataError, match=r"a\.csv:1: two columns are named n \(the 1st and the 2nd"):
        read_measurements("n,n,time_s\n8,9,60\n", label="a.csv")


def test_two_names_for_one_thing_fill_each_other() -> None:
    table = read_measurements("time_s,seconds,n\n60,,1\n,120,2\n")
    assert pairs(table) == [(1, 1.0), (2, 2.0)]


def test_times_that_disagree_are_refused() -> None:
    table = read_measurements("n,time_s,time_to_train_min\n8,60,1\n8,60,2\n")
    assert refused(table) == [(3, "times-disagree")]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("n,time\n8,1\n", '"time" does not say its unit: name it time_s or time_to_train_min'),
        ("n,throughput\n8,1\n", "name it throughput_samples_per_s"),
        ("time_s\n8\n", "need accelerators"),
        ("accelerators\n8\n", "one of time_to_train_min, time_s, throughput_samples_per_s"),
        ("n,time_s\n", "a header without rows"),
        ("n,time_s\n8,\n", "no row can be used: measurements:2: time_s is missing"),
        ("[1, 2]", "as a column"),
        ("{", "not JSON"),
        ('{"measurements": 3}', "no list of objects"),
        ("[" * 9999, "JSON"),
        ('[{"n": 8, "time_s": ' + "9" * 5000 + "}]", "JSON"),
        ("\0\1\2", "neither text nor Parquet"),
    ],
)
def test_nothing_usable_is_an_error_that_says_why(text: str, reason: str) -> None:
    with pytest.raises(DataError) as raised:
        read_measurements(text.encode())
    assert reason in str(raised.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be read"):
        read_measurements(tmp_path / "no.csv")
    assert not is_measurement_file(tmp_path / "no.csv")
    (tmp_path / "Runs.CSV").write_text(HEADER + "8,60\n")
    assert is_measurement_file(tmp_path / "Runs.CSV")
    assert not is_measurement_file(tmp_path)
    assert not is_measurement_file("a\0b.csv")


def test_lines_of_json_items() -> None:
    table = read_measurements(
        '{"measurements": [\n {"n": 8,\n "time_s": 600},\n {"n": 16, "time_s": null}, 7,\n'
        '{"n": true, "time_s": 1}, {"n": 32, "time_s": NaN}, {"n": 4, "time_s": [1]}]}'
    )
    assert [row.line for row in table.rows] == [2]
    assert refused(table) == [
        *((4, "bad-record"), (4, "missing-value")),
        *((5, "not-a-number"), (5, "not-finite"), (5, "not-a-number")),
    ]


def test_accelerators_and_benchmarks_by_any_name() -> None:
    table = read_measurements(
        "n,time_s,gpu,workload,price\n"
        "8,60,NVIDIA H100-SXM5-80GB,ResNet-50 v1.5,2.5\n"
        "8,60,H100,bert,0\n"
        "8,60,h10,brt,\n",
        label="a.csv",
    )
    assert [row.accelerator_id for row in table.rows] == ["h100-sxm5-80gb", None, None]
    assert [row.accelerator_model for row in table.rows][1:] == ["H100", "h10"]
    assert [row.benchmark for row in table.rows] == ["resnet", "bert", "brt"]
    assert [row.price_usd_per_accelerator_hour for row in table.rows] == [2.5, None, None]
    notes = "\n".join(table.notes)
    assert "accelerator H100 may be h100-sxm5-80gb" in notes
    assert "unknown accelerator 'h10'; did you mean 'h100'" in notes
    assert "unknown benchmark 'brt'; did you mean 'bert'" in notes
    assert 'a.csv:3: price "0" is not above 0: taken as unknown' in notes


def test_throughput_may_stand_for_a_time() -> None:
    table = read_measurements("n,samples_per_s,time_s\n8,100,\n16,200,30\n32,,\n64,x,60\n")
    rates = [(row.accelerators, row.throughput_samples_per_s) for row in table.rows]
    assert rates == [(8, 100.0), (16, 200.0), (64, None)]
    assert refused(table) == [(4, "missing-value")]


@given(
    st.lists(
        st.tuples(
            st.integers(min_value=1, max_value=10**6),
            st.floats(min_value=0.01, max_value=1e7).map(lambda x: round(x, 2)),
        ),
        min_size=1,
        max_size=8,
    ),
    st.sampled_from(["en", "de"]),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.booleans(),
)
def test_what_is_written_is_read(
    rows: list[tuple[int, float]], country: str, end: str, mark: bool
) -> None:
    swap = str.maketrans(",.", ".,") if country == "de" else {}
    if country == "de":  # a count 5.000 alone may be 5 or 5000 and is refused
        rows = [(n % 1000 or 1, s) for n, s in rows]
    cells = [(f"{n:,}".translate(swap), f"{s:,.2f}".translate(swap)) for n, s in rows]
    lines = ["accelerators;time_to_train_min", *(f'"{n}";"{s}"' for n, s in cells), ""]
    text = ("\ufeff" if mark else "") + end.join(lines)
    table = read_measurements(text.encode())
    assert pairs(table) == [(n, pytest.approx(s)) for n, s in rows]
    assert [row.line for row in table.rows] == list(range(2, len(rows) + 2))


@given(st.integers(min_value=0, max_value=4), st.text(max_size=30))
def test_a_bad_row_anywhere_leaves_the_others(place: int, rubbish: str) -> None:
    good = ["8,600", "16,300", "32,150", "64,80"]
    lines = [*good[:place], rubbish, *good[place:]]
    table = read_measurements((HEADER + "\n".join(lines) + "\n").encode("utf-8", "replace"))
    assert {8, 16, 32, 64} <= {row.accelerators for row in table.rows}


@settings(max_examples=200)
@given(
    st.one_of(
        st.binary(max_size=200),
        st.text(max_size=200).map(lambda t: t.encode("utf-8", "replace")),
        st.text(alphabet='8,."\n\r\t;n-e{}[]:time_s', max_size=80).map(
            lambda t: (HEADER + t).encode()
        ),
        st.binary(max_size=60).map(lambda b: b"PAR1" + b + b"PAR1"),
        st.recursive(
            st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(st.sampled_from(["n", "time_s", "label", "x"]), inner, max_size=4)
            ),
        ).map(lambda v: json.dumps([v]).encode()),
    )
)
def test_no_content_breaks_the_reader(content: bytes) -> None:
    try:
        table = read_measurements(content, label="x")
    except DataError:
        return
    assert table.rows
    for row in table.rows:
        assert row.accelerators >= 1
        for value in (row.time_to_train_min, row.throughput_samples_per_s):
            assert value is None or 0 < value < math.inf


def test_a_large_file_is_refused_before_it_is_read_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("equipoise.sources.tabular.MAX_TABLE_BYTES", 10)
    with pytest.raises(DataError, match="are more than measurements have"):
        read_measurements(io.BytesIO(b"n,time_s\n8,60\n").getvalue())
