"""Domain objects to Parquet bytes with DuckDB: the same bytes for the same content."""

import errno
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any, Final

from equipoise.catalogue.columns import Kind, Table
from equipoise.catalogue.load import connection
from equipoise.catalogue.store import PARTIAL_PREFIX
from equipoise.catalogue.tables import cleaned, sort_key

COMPRESSION: Final = "zstd"
COMPRESSION_LEVEL: Final = 12
ROW_GROUP_ROWS: Final = 65_536

_ROWS_AT_ONCE: Final = 16_384
"""Rows handed to the database together; bounds the memory that their copies take."""

_SQL_TYPES: Final[Mapping[Kind, str]] = MappingProxyType(
    {
        "text": "VARCHAR",
        "integer": "BIGINT",
        "real": "DOUBLE",
        "truth": "BOOLEAN",
        "texts": "VARCHAR[]",
    }
)


def encode(records: Iterable[Any], table: Table, *, folder: Path) -> tuple[bytes, int]:
    """Return the Parquet bytes of a table and its number of rows.

    The bytes depend on the set of records alone, not on the order in which they come.

    Parameters
    ----------
    records
        Rows of the table in any order.
    table
        Its columns.
    folder
        Where the file may lie for a moment; what a dead builder leaves there is swept.

    Raises
    ------
    OSError
        The file cannot be written.
    """
    rows = sorted((cleaned(record, table) for record in records), key=sort_key(table))
    with TemporaryDirectory(prefix=PARTIAL_PREFIX, dir=folder) as scratch:
        path = Path(scratch, f"{table.name}.parquet")
        _write(rows, table, path)
        return path.read_bytes(), len(rows)


def _write(rows: Sequence[Any], table: Table, path: Path) -> None:
    """Write rows in their order; values go to the database as they are, not as text."""
    import duckdb

    declared = ", ".join(f'"{c.name}" {_SQL_TYPES[c.kind]}' for c in table.columns)
    given = ", ".join(
        f"unnest(${i}::{_SQL_TYPES[column.kind]}[])" for i, column in enumerate(table.columns, 1)
    )
    with connection() as database:
        # One thread keeps the order of the rows, and with it the bytes, the same everywhere.
        database.execute("set threads = 1")
        database.execute(f"create table written ({declared})")
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            part = rows[start : start + _ROWS_AT_ONCE]
            database.execute(f"insert into written select {given}", _columns(part, table))
        literal = str(path.absolute()).replace("'", "''")
        try:
            database.execute(
                f"copy written to '{literal}' (format parquet, compression {COMPRESSION}, "
                f"compression_level {COMPRESSION_LEVEL}, row_group_size {ROW_GROUP_ROWS}, "
                "use_tmp_file false)"
            )
        except duckdb.IOException as problem:
            raise _file_problem(problem) from problem


def _columns(rows: Sequence[Any], table: Table) -> list[list[Any]]:
    return [
        [
            list(value) if column.kind == "texts" else value
            for value in (getattr(row, column.name) for row in rows)
        ]
        for column in table.columns
    ]


def _file_problem(problem: Exception) -> OSError:
    """Return the error of the system that the database tells in words."""
    text = str(problem).partition("\n")[0]
    for number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        if os.strerror(number) in text:
            return OSError(number, os.strerror(number))
    return OSError(errno.EIO, text)
