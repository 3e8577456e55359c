"""Files with the name of a table that are something else."""

import gzip
import sqlite3

import pytest

from equipoise.errors import DataError
from equipoise.sources.foreign import foreign_kind
from equipoise.sources.measurements import read_measurements

TABLE = b"accelerators,time_s\n8,600\n"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (gzip.compress(TABLE, mtime=0), "is no table but bytes compressed with gzip: unpack it"),
        (b"PK\x03\x04" + bytes(50), "Excel workbook: export the sheet as CSV"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(50), "old Excel workbook"),
        (b"\n <!DOCTYPE html><table>", "a web page or XML"),
        (b'0: :::MLLOG {"key": "run_start"}\n', "a training log: give it the ending .txt or .log"),
        (bytes(range(256)) * 4, "neither text nor Parquet"),
        (b"ARROW1\0\0", "write it as Parquet or CSV"),
    ],
)
def test_what_it_is_and_what_to_do(tmp_path, data, said):
    for ending in ("csv", "json", "parquet"):
        path = tmp_path / f"runs.{ending}"
        path.write_bytes(data)
        with pytest.raises(DataError) as caught:
            read_measurements(path)
        assert said in str(caught.value)
        assert str(caught.value).startswith(f"runs.{ending}: ")


def test_a_database_is_told(tmp_path):
    path = tmp_path / "runs.csv"
    with sqlite3.connect(path) as database:
        database.execute("create table t (n int)")
    with pytest.raises(DataError, match="an SQLite database"):
        read_measurements(path)


@pytest.mark.parametrize(
    "data",
    [
        TABLE,
        b"\xef\xbb\xbf" + TABLE,
        TABLE.decode().encode("utf-16"),
        b"n,time_s,label\n8,600,caf\xe9\n",
        b'[{"n": 8, "time_s": 600}]',
        b"n,time_s\n8,600\n\0\n",
        b"n,time_s,label\n8,600,\x1b[31mred\n",
    ],
)
@pytest.mark.parametrize("ending", ["csv", "json", "parquet"])
def test_the_content_counts_and_not_the_ending(tmp_path, data, ending):
    assert foreign_kind(data) is None
    path = tmp_path / f"runs.{ending}"
    path.write_bytes(data)
    (row,) = read_measurements(path).rows
    assert (row.accelerators, row.time_to_train_min) == (8, 10)
