"""Parquet files of strangers -> names of columns and rows, with bounds.

The only place outside the catalogue that asks DuckDB: for reading one file, in a private
database that reaches nothing else.
"""

import base64
import struct
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from equipoise.errors import DataError
from equipoise.structs import dataclass

if TYPE_CHECKING:
    import duckdb

PARQUET_MAGIC: Final = b"PAR1"
MOST_ROWS: Final = 1_000_000
"""A file of measurements has fewer; repeated values take next to no room in the file."""
MEMORY_LIMIT: Final = "1GiB"

_ARROW_SCHEMA: Final = b"ARROW:schema"
_ARROW_DURATION: Final = 18
_PER_SECOND: Final = (1, 10**3, 10**6, 10**9)
"""Units of Arrow's durations: seconds, milli-, micro-, nanoseconds."""


@dataclass(frozen=True, slots=True)
class Rows:
    """A file of columns, row by row."""

    names: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


def read_parquet(data: bytes, *, label: str) -> Rows:
    """Return what a Parquet file holds.

    Parameters
    ----------
    data
        The file.
    label
        Its name, for messages.

    Raises
    ------
    DataError
        It is damaged, or larger than measurements are.
    """
    import duckdb

    if not data.endswith(PARQUET_MAGIC) or len(data) < 3 * len(PARQUET_MAGIC):
        raise DataError("is a Parquet file that is cut off", path=label)
    with TemporaryDirectory(prefix="equipoise-") as folder:
        path = Path(folder, "rows.parquet")
        path.write_bytes(data)
        try:
            with _private_database(folder) as database:
                found = _read(database, str(path))
        except (duckdb.Error, ValueError, OverflowError, IndexError) as error:
            reason = str(error).partition("\n")[0].replace(str(path), label)
            raise DataError(f"cannot be read as Parquet: {reason}", path=label) from error
    if len(found.rows) > MOST_ROWS:
        raise DataError(f"more rows than measurements have ({MOST_ROWS:,})", path=label)
    return found


def _private_database(folder: str) -> "duckdb.DuckDBPyConnection":
    """Return a database in memory that reads files of this folder and nothing else."""
    import duckdb

    database = duckdb.connect(
        ":memory:",
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "python_enable_replacements": "false",
            "temp_directory": "",
            "memory_limit": MEMORY_LIMIT,
            "threads": "1",
        },
    )
    database.execute("set allowed_directories = [$folder]", {"folder": folder})
    database.execute("set enable_external_access = false")
    return database


def _read(database: "duckdb.DuckDBPyConnection", path: str) -> Rows:
    names = _names(database, path)
    literal = path.replace("'", "''")
    rows = database.execute(f"from read_parquet('{literal}')").fetchmany(MOST_ROWS + 1)
    scales = _durations(database, path)
    spans = {i: scales[name] for i, name in enumerate(names) if name in scales}
    if spans:
        rows = [_with_spans(row, spans) for row in rows]
    return Rows(names, tuple(rows))


def _names(database: "duckdb.DuckDBPyConnection", path: str) -> tuple[str, ...]:
    """Return the columns as the file spells them: a query would rename `N` beside `n`."""
    query = "select name, num_children from parquet_schema($path)"
    (_, count), *fields = database.execute(query, {"path": path}).fetchall()
    names: list[str] = []
    at = 0
    while len(names) < (count or 0):
        names.append(fields[at][0])
        at = _after(fields, at)
    return tuple(names)


def _after(fields: Sequence[tuple[str, int | None]], at: int) -> int:
    """Return the place after a field and everything inside it."""
    open_places = 1
    while open_places:
        open_places += (fields[at][1] or 0) - 1
        at += 1
    return at


def _with_spans(row: tuple[Any, ...], spans: dict[int, int]) -> tuple[Any, ...]:
    return tuple(
        timedelta(seconds=value / spans[i]) if i in spans and isinstance(value, int) else value
        for i, value in enumerate(row)
    )


def _durations(database: "duckdb.DuckDBPyConnection", path: str) -> dict[str, int]:
    """Return the columns that are durations, with their units per second.

    Parquet stores them as bare integers; only the schema of Arrow beside it tells that 600
    seconds are not the number 600,000,000.
    """
    query = "select value from parquet_kv_metadata($path) where key = $key"
    kept = database.execute(query, {"path": path, "key": _ARROW_SCHEMA}).fetchone()
    if kept is None:
        return {}
    try:
        return arrow_durations(base64.b64decode(kept[0]))
    except (struct.error, ValueError, IndexError):
        return {}


def arrow_durations(message: bytes) -> dict[str, int]:
    """Return the durations of an encapsulated Arrow schema, with their units per second.

    The message is a FlatBuffer after four or eight bytes of prefix: a table has, at a signed
    distance before it, the places of its fields. Format: arrow.apache.org/docs/format, files
    Message.fbs and Schema.fbs.
    """
    start = 8 if message[:4] == b"\xff\xff\xff\xff" else 4

    def number(form: str, at: int) -> int:
        value: int = struct.unpack_from(f"<{form}", message, at)[0]
        return value

    def target(at: int) -> int:
        return at + number("I", at)

    def place(table: int, index: int) -> int | None:
        listed = table - number("i", table)
        entry = 4 + 2 * index
        distance = number("H", listed + entry) if entry < number("H", listed) else 0
        return table + distance if distance else None

    header = place(target(start), 2)
    fields = place(target(header), 1) if header is not None else None
    if fields is None:
        return {}
    found = {}
    vector = target(fields)
    for entry in range(vector + 4, vector + 4 + 4 * number("I", vector), 4):
        field = target(entry)
        name, kind, details = place(field, 0), place(field, 2), place(field, 3)
        if name is None or kind is None or details is None:
            continue
        if number("B", kind) == _ARROW_DURATION:
            unit = place(target(details), 0)
            text = target(name)
            spelt = message[text + 4 : text + 4 + number("I", text)].decode("utf-8", "replace")
            found[spelt] = _PER_SECOND[1 if unit is None else number("h", unit)]
    return found
