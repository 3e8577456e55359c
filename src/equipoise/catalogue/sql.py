"""A user's own SQL over a catalogue: read-only, in memory, with no way to a file or the net."""

# ruff: noqa: S608  (names come from the table of columns, values are parameters)

import datetime
import decimal
import math
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from equipoise.catalogue.columns import TABLES
from equipoise.catalogue.load import column_list, connection, damaged, parquet
from equipoise.catalogue.manifest import Manifest
from equipoise.errors import UsageError

if TYPE_CHECKING:
    import duckdb

MEMORY_LIMIT: Final = "2GB"
"""Most memory that one query may take."""

_LOOK_S: Final = 0.1
"""Longest time between two looks for an interrupt, seconds."""

_READING: Final = ("SELECT", "EXPLAIN", "MULTI")
"""Kinds of statement that only read; MULTI is a PIVOT, which is several SELECTs."""


class SqlResult(NamedTuple):
    """Names of the columns and the rows of a query."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


def sandbox(folder: Path, manifest: Manifest) -> "duckdb.DuckDBPyConnection":
    """Return a database that holds copies of the tables and can reach nothing else.

    Raises
    ------
    CatalogueError
        A file of the catalogue is missing or damaged.
    """
    import duckdb

    database = connection()
    for name in TABLES:
        source = parquet(folder, manifest, name)
        query = f"create table {name} as select {column_list(name)} from {source}"
        try:
            database.execute(query)
        except duckdb.Error as problem:
            database.close()
            raise damaged(folder, manifest, name, problem) from problem
    database.execute(f"set memory_limit = '{MEMORY_LIMIT}'")
    database.execute("set enable_external_access = false")
    database.execute("set lock_configuration = true")
    return database


def run(database: "duckdb.DuckDBPyConnection", query: str) -> SqlResult:
    """Return what one reading statement gives, values as plain Python.

    Raises
    ------
    UsageError
        Not exactly one statement, one that does more than read, or one that fails.
    """
    import duckdb

    tables = f"tables: {', '.join(TABLES)}"
    try:
        statements = duckdb.extract_statements(query)
        if len(statements) != 1:
            raise UsageError(f"{len(statements)} SQL statements; give exactly one SELECT")
        kind = str(statements[0].type).rpartition(".")[2]
        if kind not in _READING:
            raise UsageError(f"{kind} is refused: the catalogue is read-only; give a SELECT")
        cursor = database.cursor()
        described, fetched = _interruptible(cursor, query)
        columns = tuple(str(column[0]) for column in described)
        rows = tuple(tuple(plain(value) for value in row) for row in fetched)
    except (duckdb.CatalogException, duckdb.BinderException, duckdb.ParserException) as problem:
        raise UsageError(f"{_first_line(problem)}; {tables}") from problem
    except duckdb.Error as problem:
        raise UsageError(f"the query failed: {_first_line(problem)}") from problem
    return SqlResult(columns, rows)


def _interruptible(
    cursor: "duckdb.DuckDBPyConnection", query: str
) -> tuple[list[Any], list[tuple[Any, ...]]]:
    """Run a query so that Ctrl-C ends it: the database itself does not look for signals.

    The query runs beside; the caller's thread stays free to be interrupted.
    """
    from concurrent.futures import ThreadPoolExecutor, wait

    def execute() -> tuple[list[Any], list[tuple[Any, ...]]]:
        result = cursor.execute(query)
        return list(result.description or []), result.fetchall()

    with ThreadPoolExecutor(max_workers=1) as pool:
        running = pool.submit(execute)
        try:
            # An unbounded wait sleeps through an interrupt that another thread received.
            while not wait([running], timeout=_LOOK_S).done:
                pass
        except BaseException:
            while not running.done():  # an interrupt before the query has begun is forgotten
                cursor.interrupt()
                wait([running], timeout=_LOOK_S)
            raise
        return running.result()


def _first_line(problem: Exception) -> str:
    """Return what the database complains of without its picture of the query."""
    return str(problem).strip().partition("\n")[0]


def plain(value: Any) -> Any:
    """Return a value of the database as text, number, truth, list, mapping or None.

    >>> plain(decimal.Decimal("1.5")), plain(datetime.date(2024, 11, 13)), plain(math.nan)
    (1.5, '2024-11-13', None)
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, decimal.Decimal):
        if not value.is_finite():
            return None
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, dict):
        return {str(plain(key)): plain(part) for key, part in value.items()}
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).hex()
    if isinstance(value, uuid.UUID):
        return str(value)
    return str(value)
