import base64
import io
import random
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import polars
import pyarrow
import pyarrow.parquet
import pytest

from equipoise.errors import DataError
from equipoise.sources import parquet
from equipoise.sources.measurements import read_measurements
from equipoise.sources.parquet import arrow_durations, read_parquet


def written(columns: dict[str, Any]) -> bytes:
    buffer = io.BytesIO()
    polars.DataFrame(columns).write_parquet(buffer)
    return buffer.getvalue()


def by_arrow(columns: list[Any], names: list[str]) -> bytes:
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns, names=names), buffer)
    return buffer.getvalue()


PLAIN = written({"accelerators": [8, 16], "time_s": [600.0, 300.0]})


def test_every_kind_of_cell() -> None:
    day, moment = date(2024, 5, 1), datetime(2024, 5, 1, 12, 30)
    columns = {
        "count": [8, 2**63 - 1],
        "large": polars.Series([2**64 - 1, None], dtype=polars.UInt64),
        "time": [5e-324, -0.0],
        "exact": [Decimal("600.5"), None],
        "text": ["a\0b", ""],
        "day": [day, None],
        "moment": [moment, None],
        "listed": [[1, 2], []],
        "nested": [{"a": 1, "b": {"c": 2}}, None],
        "empty": [None, None],
        "truth": [True, False],
    }
    found = read_parquet(written(columns), label="a.parquet")
    assert found.names == tuple(columns)
    first = (8, 2**64 - 1, 5e-324, Decimal("600.5"), "a\0b", day, moment, [1, 2])
    assert found.rows[0] == (*first, {"a": 1, "b": {"c": 2}}, None, True)
    assert str(found.rows[1][2]) == "-0.0"
    assert found.rows[1][0] == 2**63 - 1


def test_decimals_are_numbers_and_dates_are_not() -> None:
    day = date(2024, 5, 1)
    table = read_measurements(
        written({"n": [8, 16], "time_s": [Decimal("600.5"), Decimal("300")]}), label="a.parquet"
    )
    assert [row.time_to_train_min for row in table.rows] == [600.5 / 60, 5.0]
    for value, shown in ((day, "2024-05-01"), ([600], "[600]"), ({"a": 1}, "{'a': 1}")):
        with pytest.raises(DataError, match="no row can be used") as caught:
            read_measurements(written({"n": [8], "time_s": [value]}), label="a.parquet")
        assert f'a.parquet: row 1: time_s "{shown}" is not a number' in str(caught.value)


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_a_duration_is_no_bare_number(unit: str) -> None:
    """Parquet keeps it as an integer of the unit: 600 s must not become 600,000,000."""
    spans = polars.Series([timedelta(seconds=600), None], dtype=polars.Duration(unit))  # type: ignore[arg-type]
    data = written({"n": [8, 16], "time_s": spans, "hours": [None, 2]})
    assert read_parquet(data, label="a").rows[0][1] == timedelta(seconds=600)
    table = read_measurements(data, label="a.parquet")
    assert [row.accelerators for row in table.rows] == [16]
    assert table.rejections[0].reason == 'row 1: time_s "0:10:00" is not a number'


def test_the_schema_of_arrow_beside_the_columns() -> None:
    schema = pyarrow.schema(
        [
            ("n", pyarrow.int64()),
            ("a", pyarrow.duration("s")),
            ("b", pyarrow.duration("ms")),
            ("c", pyarrow.duration("us")),
            ("é", pyarrow.duration("ns")),
            ("s", pyarrow.struct([("inside", pyarrow.duration("s"))])),
        ]
    )
    message = schema.serialize().to_pybytes()
    assert arrow_durations(message) == {"a": 1, "b": 10**3, "c": 10**6, "é": 10**9}
    assert arrow_durations(pyarrow.schema([("n", pyarrow.int64())]).serialize().to_pybytes()) == {}


def test_files_of_arrow() -> None:
    spans = pyarrow.array([timedelta(seconds=90)], pyarrow.duration("s"))
    found = read_parquet(by_arrow([spans, [7]], ["span", "n"]), label="a")
    assert found.rows == ((timedelta(seconds=90), 7),)


@pytest.mark.parametrize(
    "kept", [b"", b"!", base64.b64encode(b"\0" * 7), base64.b64encode(b"x" * 99)]
)
def test_a_damaged_schema_of_arrow_is_no_schema(kept: bytes) -> None:
    table = pyarrow.table({"n": [8]}).replace_schema_metadata({"ARROW:schema": kept.decode()})
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(table, buffer, store_schema=False)
    assert read_parquet(buffer.getvalue(), label="a").rows == ((8,),)


def test_names_that_differ_in_case_alone_stay_as_they_are() -> None:
    data = written({"N": [8], "n": [9], "s": [{"n": 1}], "time_s": [60.0]})
    assert read_parquet(data, label="a").names == ("N", "n", "s", "time_s")


def test_a_file_without_rows_or_columns() -> None:
    assert read_parquet(written({"n": polars.Series([], dtype=polars.Int64)}), label="a").rows == ()
    with pytest.raises(DataError, match=r"a\.parquet"):
        read_measurements(written({}), label="a.parquet")


@pytest.mark.parametrize(
    "data",
    [b"PAR1PAR1", b"PAR1", PLAIN[:-9], PLAIN[:4] + b"\0" * 40 + b"PAR1", PLAIN[:-4] + b"xxxx"],
)
def test_a_damaged_file_is_named(data: bytes) -> None:
    with pytest.raises(DataError, match=r"^runs\.parquet: .*Parquet") as caught:
        read_parquet(data, label="runs.parquet")
    assert "\n" not in str(caught.value)
    assert "equipoise-" not in str(caught.value)


def test_flipped_bytes_give_rows_or_a_clear_error() -> None:
    chance = random.Random(7)
    refused = []
    for _ in range(80):
        data = bytearray(PLAIN)
        for _ in range(chance.randint(1, 4)):
            data[chance.randrange(4, len(data) - 4)] = chance.randrange(256)
        try:
            read_parquet(bytes(data), label="a.parquet")
        except DataError as error:
            refused.append(str(error))
    assert len(refused) > 20
    assert all(text.startswith("a.parquet: cannot be read as Parquet: ") for text in refused)


def test_too_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "MOST_ROWS", 1)
    with pytest.raises(DataError, match=r"a\.parquet: more rows than measurements have \(1\)"):
        read_parquet(PLAIN, label="a.parquet")


def test_the_database_reaches_no_other_file(tmp_path: Any) -> None:
    import duckdb

    other = tmp_path / "other.csv"
    other.write_text("a\n1\n")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "own.csv").write_text("a\n1\n")
    with parquet._private_database(str(inside)) as database:
        assert database.execute(f"from read_csv('{inside / 'own.csv'}')").fetchall() == [(1,)]
        with pytest.raises(duckdb.Error, match="disabled"):
            database.execute(f"from read_csv('{other}')")
