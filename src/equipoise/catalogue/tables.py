"""Domain objects and the rows of tables: sorted, and fit for every reader of Parquet."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace
from typing import Any, Final

from equipoise.catalogue.columns import Column, Table
from equipoise.catalogue.link import round_key

SHORT_TEXT: Final = 120
"""Longest text of a fact in the bundled catalogue, characters."""
SHORT_MESSAGE: Final = 300
"""Longest warning or reason, which are our own words, in the bundled catalogue."""

_INTEGER_LIMIT: Final = 2**63


def sort_key(table: Table) -> Callable[[Any], tuple[Any, ...]]:
    """Return the key that puts the rows of a table into their one order.

    Published rounds come in their order, then the identity decides; all columns do where
    a table has none. Columns that can be empty put the empty value first.
    """
    names = tuple(name for name in table.identity or table.names if name != "round")

    def key(record: Any) -> tuple[Any, ...]:
        values = [getattr(record, name) for name in names]
        if not table.identity:
            values = [(value is not None, value) for value in values]
        return (round_key(record.round or ""), *values)

    return key


def full_key(table: Table) -> Callable[[Any], tuple[Any, ...]]:
    """Return a key that tells any two different rows apart, also of one identity."""

    def key(record: Any) -> tuple[Any, ...]:
        values = (getattr(record, name) for name in table.names)
        return tuple((value is not None, value) for value in values)

    return key


def cleaned(record: Any, table: Table) -> Any:
    """Return a record that every reader of Parquet can hold.

    Integers beyond 64 bits and numbers that are not finite become missing, with a warning
    where the table has a place for it; text that is not valid Unicode is escaped.
    """
    changes: dict[str, Any] = {}
    lost: list[str] = []
    for column in table.columns:
        value = getattr(record, column.name)
        if value is None:
            continue
        clean = _clean(value, column)
        if clean is None:
            lost.append(column.name)
        if clean is not value:
            changes[column.name] = clean
    if lost and "warnings" in table.names:
        before = changes.get("warnings", getattr(record, "warnings", ()))
        changes["warnings"] = (
            *before,
            *(f"{name}: not a usable number, left out" for name in lost),
        )
    return replace(record, **changes) if changes else record


def _clean(value: Any, column: Column) -> Any:
    if column.kind == "real":
        return _finite(value)
    if column.kind == "integer":
        return value if -_INTEGER_LIMIT <= value < _INTEGER_LIMIT else None
    if column.kind == "text":
        return _unicode(value)
    if column.kind == "texts":
        return tuple(_unicode(part) for part in value)
    return value


def _finite(value: float) -> float | None:
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _unicode(text: str) -> str:
    if text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def without_free_text(record: Any, table: Table) -> Any:
    """Return a record fit for the bundled catalogue: short facts, no raw description."""
    changes: dict[str, Any] = {
        name: None for name in table.free_text if getattr(record, name) is not None
    }
    for column in table.columns:
        if column.name in table.free_text or column.name in table.identity:
            continue
        value = getattr(record, column.name)
        if not value or column.name in _WHOLE:
            continue
        if column.kind == "texts":
            short: Any = tuple(shortened(part, SHORT_MESSAGE) for part in value)
        elif column.kind == "text":
            short = shortened(value, SHORT_MESSAGE if column.name == "reason" else SHORT_TEXT)
        else:
            continue
        if short != value:
            changes[column.name] = short
    return replace(record, **changes) if changes else record


_WHOLE: Final = frozenset({"path", "duplicate_of", "resubmission_of"})
"""Names that others refer to: never shortened."""


def shortened(text: str, limit: int = SHORT_TEXT) -> str:
    r"""Return text with runs of white space made one blank and its length limited.

    >>> shortened("8x  400Gb\n InfiniBand")
    '8x 400Gb InfiniBand'
    >>> len(shortened("x" * 500))
    120
    """
    joined = " ".join(text.split())
    return joined if len(joined) <= limit else joined[: limit - 3] + "..."


def decode(rows: Iterable[Sequence[Any]], table: Table) -> list[Any]:
    """Return rows, with the columns of the table in their order, as domain objects."""
    names = table.names
    lists = tuple(i for i, column in enumerate(table.columns) if column.kind == "texts")
    records = []
    for row in rows:
        values = list(row)
        for index in lists:
            values[index] = tuple(values[index] or ())
        records.append(table.record(**dict(zip(names, values, strict=True))))
    return records


def field_names(record: type[Any]) -> tuple[str, ...]:
    """Return the names of a dataclass's fields in their order."""
    return tuple(field.name for field in fields(record))
