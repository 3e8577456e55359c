"""Reading of the fact tables: CSV with a header, blank means unknown."""

import csv
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from equipoise.errors import DataError

DATA = Path(__file__).with_name("data")
"""Folder of the fact tables: one CSV file per kind of fact."""


@cache
def digest() -> str:
    """Return the SHA-256 of all fact tables: it changes with any fact."""
    import hashlib  # 4 ms that only catalogues need

    found = hashlib.sha256()
    for path in sorted(DATA.glob("*.csv")):
        found.update(path.name.encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


class Row:
    """One line of a fact table: typed access to its cells, errors that name file and line."""

    __slots__ = ("cells", "line", "path")

    def __init__(self, cells: dict[str, str], path: str, line: int) -> None:
        self.cells, self.path, self.line = cells, path, line

    def text(self, column: str) -> str:
        """Return a cell that must not be blank."""
        value = self.optional(column)
        if value is None:
            raise self.error(f"column {column!r} is blank")
        return value

    def optional(self, column: str) -> str | None:
        """Return a cell, or None if it is blank."""
        try:
            return self.cells[column].strip() or None
        except KeyError:
            raise self.error(f"column {column!r} is missing") from None

    def number(self, column: str) -> float | None:
        """Return a cell as a number, or None if it is blank."""
        value = self.optional(column)
        if value is None:
            return None
        try:
            return float(value)
        except ValueError:
            raise self.error(f"column {column!r} is no number: {value!r}") from None

    def count(self, column: str) -> int | None:
        """Return a cell as a whole number, or None if it is blank."""
        value = self.number(column)
        if value is None:
            return None
        if value != int(value):
            raise self.error(f"column {column!r} is no whole number: {value!r}")
        return int(value)

    def flag(self, column: str) -> bool:
        """Return a cell that says yes or no."""
        value = self.text(column)
        if value not in ("yes", "no"):
            raise self.error(f"column {column!r} is neither yes nor no: {value!r}")
        return value == "yes"

    def parts(self, column: str) -> tuple[str, ...]:
        """Return the entries of a cell that lists several, separated by semicolons."""
        value = self.optional(column)
        return () if value is None else tuple(part.strip() for part in value.split(";"))

    def error(self, reason: str) -> DataError:
        """Return an error about this row."""
        return DataError(reason, path=self.path, line=self.line)


def read_rows(path: Path) -> Iterator[Row]:
    """Yield the rows of one CSV file; every row must have the header's columns.

    Raises
    ------
    DataError
        A row has more or fewer cells than the header.
    """
    with path.open(encoding="utf-8", newline="") as stream:
        reader = csv.reader(stream)
        header = next(reader, [])
        for cells in reader:
            if len(cells) != len(header):
                reason = f"{len(cells)} cells where the header has {len(header)}"
                raise DataError(reason, path=path.name, line=reader.line_num)
            yield Row(dict(zip(header, cells, strict=True)), path.name, reader.line_num)


@cache
def table(name: str) -> tuple[Row, ...]:
    """Return all rows of the fact table `data/<name>.csv`, read once."""
    return tuple(read_rows(DATA / f"{name}.csv"))
