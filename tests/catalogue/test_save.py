import errno
import math
import struct
from dataclasses import make_dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from equipoise.catalogue import save
from equipoise.catalogue.columns import RUNS, Column, Table
from equipoise.catalogue.save import encode

KINDS = ("text", "integer", "real", "truth", "texts")
Row = make_dataclass("Row", ["round", *KINDS], frozen=True)
ANY = Table(
    name="any",
    record=Row,
    identity=(),
    columns=(
        Column("round", "text", "round"),
        *(Column(kind, kind, f"one value of {kind}") for kind in KINDS),
    ),
    meaning="a column of every kind",
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
ROWS = st.builds(
    Row,
    round=st.sampled_from(["v4.1", "v5.0"]),
    text=st.none() | TEXT,
    integer=st.none() | st.integers(-(2**63), 2**63 - 1),
    real=st.none() | st.floats(allow_nan=False, allow_infinity=False),
    truth=st.none() | st.booleans(),
    texts=st.lists(TEXT, max_size=3).map(tuple),
)


def read(data: bytes, folder: Path) -> list[Any]:
    path = folder / "any.parquet"
    path.write_bytes(data)
    with duckdb.connect() as database:
        return database.execute(f"select * from read_parquet('{path}')").fetchall()


def exact(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """A row in which -0.0 differs from 0.0 and nothing else is rounded."""
    return tuple(
        (type(value).__name__, struct.pack("d", value) if isinstance(value, float) else value)
        for value in row
    )


def plain(row: Any) -> tuple[Any, ...]:
    return (row.round, row.text, row.integer, row.real, row.truth, list(row.texts))


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(rows=st.lists(ROWS, max_size=6), order=st.randoms())
def test_what_is_written_is_read_bit_for_bit(tmp_path: Path, rows: list[Any], order: Any) -> None:
    data, count = encode(rows, ANY, folder=tmp_path)
    assert count == len(rows)
    assert sorted(map(repr, map(exact, read(data, tmp_path)))) == sorted(
        repr(exact(plain(row))) for row in rows
    )
    order.shuffle(rows)
    assert encode(rows, ANY, folder=tmp_path)[0] == data


@pytest.mark.parametrize(
    ("column", "value"),
    [
        *(("text", text) for text in ("", "a\0b", "\0", "line\nline\r\n", "\ufeff", "\U0010ffff")),
        *(("integer", number) for number in (2**63 - 1, -(2**63), 2**53 + 1, 0)),
        *(("real", x) for x in (-0.0, 5e-324, math.ulp(1.0), 0.1 + 0.2, 1.7976931348623157e308)),
        *(("texts", texts) for texts in ((), ("",), ("\0", "ü", '"'))),
    ],
)
def test_odd_values_alone_in_their_column(tmp_path: Path, column: str, value: Any) -> None:
    empty: dict[str, Any] = dict.fromkeys(KINDS) | {"round": "v4.1", "texts": ()}
    row = Row(**empty | {column: value})
    other = Row(**empty)
    for rows in ([row], [row, other]):
        data, _ = encode(rows, ANY, folder=tmp_path)
        found = {repr(exact(found)) for found in read(data, tmp_path)}
        assert repr(exact(plain(row))) in found


def test_a_table_without_rows_has_its_columns(tmp_path: Path) -> None:
    data, count = encode([], RUNS, folder=tmp_path)
    (tmp_path / "runs.parquet").write_bytes(data)
    with duckdb.connect() as database:
        relation = database.execute(f"describe from '{tmp_path / 'runs.parquet'}'").fetchall()
    assert count == 0
    assert [row[0] for row in relation] == list(RUNS.names)


def test_rows_beyond_one_portion_and_one_row_group_keep_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [f"{number:06d}" for number in range(70_000)]
    rows = [Row("v4.1", text, int(text), int(text) / 7, None, ()) for text in reversed(texts)]
    data, _ = encode(rows, ANY, folder=tmp_path)
    assert [row[1] for row in read(data, tmp_path)] == texts
    monkeypatch.setattr(save, "_ROWS_AT_ONCE", 999)
    assert encode(rows, ANY, folder=tmp_path)[0] == data


def test_nothing_is_left_beside_the_tables(tmp_path: Path) -> None:
    folder = tmp_path / "it's [a] folder"
    folder.mkdir()
    encode([], ANY, folder=folder)
    assert not list(folder.iterdir())


def test_a_folder_that_cannot_be_written_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        encode([], ANY, folder=tmp_path / "absent")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ('IO Error: Could not write file "x": No space left on device', errno.ENOSPC),
        ('IO Error: Could not write file "x": File too large', errno.EFBIG),
        ("IO Error: something else\nmore", errno.EIO),
    ],
)
def test_what_the_database_says_of_the_disk(text: str, number: int) -> None:
    assert save._file_problem(duckdb.IOException(text)).errno == number
