"""Read the Parquet files of a catalogue with DuckDB."""

# ruff: noqa: S608  (names come from the table of columns, values are parameters)

from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.catalogue.columns import TABLES
from equipoise.catalogue.manifest import Manifest
from equipoise.catalogue.tables import decode
from equipoise.errors import CatalogueError

if TYPE_CHECKING:
    import duckdb


def connection() -> "duckdb.DuckDBPyConnection":
    """Return a private database in memory that installs and downloads nothing."""
    import duckdb

    return duckdb.connect(
        ":memory:",
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "python_enable_replacements": "false",
            "temp_directory": "",
        },
    )


def parquet(folder: Path, manifest: Manifest, name: str) -> str:
    """Return the SQL expression that scans the file of a table."""
    path = str((folder / manifest.files[name].path).absolute()).replace("'", "''")
    literal = "".join(f"[{char}]" if char in "[*?" else char for char in path)
    return f"read_parquet(['{literal}'])"


def column_list(name: str) -> str:
    """Return the columns of a table, quoted, in their order."""
    return ", ".join(f'"{column}"' for column in TABLES[name].names)


def read_table(folder: Path, manifest: Manifest, name: str) -> list[Any]:
    """Return every row of a table as domain objects.

    Raises
    ------
    CatalogueError
        The file is missing or damaged.
    """
    import duckdb

    query = f"select {column_list(name)} from {parquet(folder, manifest, name)}"
    with connection() as database:
        try:
            return decode(database.execute(query).fetchall(), TABLES[name])
        except duckdb.Error as problem:
            raise damaged(folder, manifest, name, problem) from problem


def damaged(folder: Path, manifest: Manifest, name: str, problem: Exception) -> CatalogueError:
    """Return the error for a table that cannot be read."""
    first = str(problem).partition("\n")[0]
    return CatalogueError(
        f"damaged or missing table {name} ({first}); restore the catalogue or build it again",
        path=str(folder / manifest.files[name].path),
    )
