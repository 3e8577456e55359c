"""Facts as Arrow tables, and back without loss: how the workers of a cluster answer.

There is one table for each kind of fact in `Extracted`. Its columns are the fields of the data
classes with the types of their annotations; a data class inside another one, or one of a pair,
gives columns with its name in front (`place.path`). Where nothing is declared (`Any`, what a log
says) a cell is JSON. A value that its column cannot hold as it is, such as an integer beyond
64 bits or one where a real number is declared, stands in the column `unfit` of its row. So what
comes out equals what went in, types included, and the catalogue has the same bytes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from itertools import chain
from typing import Any, Final, get_args, get_origin, get_type_hints

import pyarrow

from equipoise.catalogue.cells import Codec, codec_of, dumps, each, loads
from equipoise.sources.extract import Extracted
from equipoise.sources.lines import Lines
from equipoise.structs import dataclass

TOTALS: Final = "totals"
"""The table of one row with the numbers that are counted over all files."""

UNFIT: Final = "unfit"
"""The column with what the others of its row cannot hold, as JSON: column -> value."""

PAIRS: Final[Mapping[str, tuple[str, ...]]] = {
    "links": ("place", "target"),
    "runs": ("run", "verdict"),
    "undecided": ("place", "log"),
    "factors": ("place", "factor"),
}
"""Kinds of facts that are several things at once: what each of them is called."""


@dataclass(frozen=True, slots=True)
class _Column:
    name: str
    codec: Codec


def to_arrow(found: Extracted) -> dict[str, Any]:
    """Return facts as Arrow tables, one for each kind that there is, and `totals`.

    Raises
    ------
    TypeError, ValueError, RecursionError
        A value is none of JSON, has more digits than Python writes, or is nested too deeply.
    """
    tables = {TOTALS: _table(_totals(), [[getattr(found, c.name)] for c in _totals()])}
    for name, kinds in _kinds().items():
        facts: list[Any] = getattr(found, name)
        if facts:
            parts = [facts] if name not in PAIRS else list(zip(*facts, strict=True))
            spread = chain.from_iterable(map(_spread, kinds, parts))
            tables[name] = _table(_columns(name), spread)
    return tables


def from_arrow(tables: Mapping[str, Any]) -> Extracted:
    """Return the facts that Arrow tables hold.

    Raises
    ------
    ValueError
        The tables or their columns are not those of this version.
    """
    if TOTALS not in tables or tables.keys() - {TOTALS, *_kinds()}:
        raise ValueError(f"tables of another version: {', '.join(sorted(tables))}")
    found = Extracted()
    for column, values in zip(_totals(), _values(tables[TOTALS], _totals()), strict=True):
        setattr(found, column.name, values[0])
    for name, kinds in _kinds().items():
        if name in tables:
            columns = _values(tables[name], _columns(name))
            parts = [_gather(kind, columns) for kind in kinds]
            setattr(found, name, parts[0] if name not in PAIRS else list(zip(*parts, strict=True)))
    return found


def schemas() -> dict[str, Any]:
    """Return the schema of every table by its name."""
    return {TOTALS: _schema(_totals()), **{name: _schema(_columns(name)) for name in _kinds()}}


@cache
def _totals() -> tuple[_Column, ...]:
    hints = get_type_hints(Extracted)
    return tuple(_Column(name, codec_of(int)) for name, kind in hints.items() if kind is int)


@cache
def _kinds() -> Mapping[str, tuple[Any, ...]]:
    """Return the kinds of facts with the types of their parts: most have only one."""
    hints = get_type_hints(Extracted)
    lists = {name: get_args(kind)[0] for name, kind in hints.items() if get_origin(kind) is list}
    return {n: get_args(kind) if n in PAIRS else (kind,) for n, kind in lists.items()}


@cache
def _columns(name: str) -> tuple[_Column, ...]:
    """Return the columns of a kind of fact."""
    parts = zip(PAIRS.get(name, ("",)), _kinds()[name], strict=True)
    return tuple(column for prefix, kind in parts for column in _below(prefix, kind))


def _below(name: str, kind: Any) -> Iterator[_Column]:
    inside = _fields(kind)
    if inside is None:
        yield _Column(name, codec_of(kind))
        return
    for field, one in inside.items():
        yield from _below(f"{name}.{field}" if name else field, one)


@cache
def _fields(kind: Any) -> Mapping[str, Any] | None:
    """Return the types of the fields of a data class that is spread over columns, else None."""
    if not is_dataclass(kind) or kind is Lines:
        return None
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


def _spread(kind: Any, values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Yield the values of every column, the objects of a type being given."""
    inside = _fields(kind)
    if inside is None:
        yield values
        return
    for field, one in inside.items():
        yield from _spread(one, [getattr(value, field) for value in values])


def _gather(kind: Any, values: Iterator[list[Any]]) -> list[Any]:
    """Return the objects of a type, the values of their columns being next in the iterator."""
    inside = _fields(kind)
    if inside is None:
        return next(values)
    columns = [_gather(one, values) for one in inside.values()]
    return [kind(**dict(zip(inside, row, strict=True))) for row in zip(*columns, strict=True)]


def _schema(columns: Sequence[_Column]) -> Any:
    named = [(column.name, column.codec.arrow) for column in columns]
    return pyarrow.schema([*named, (UNFIT, pyarrow.string())])


def _table(columns: Sequence[_Column], spread: Iterable[Sequence[Any]]) -> Any:
    """Return the table of some columns with their values."""
    schema = _schema(columns)
    cells: list[list[Any]] = []
    unfit: dict[int, dict[str, Any]] = {}
    for column, values in zip(columns, spread, strict=True):
        plain = each(column.codec.put, values)
        for row, one in enumerate(plain):
            if one is not None and not column.codec.fits(one):
                unfit.setdefault(row, {})[column.name] = one
                plain[row] = None
        cells.append(plain)
    cells.append([dumps(unfit[row]) if row in unfit else None for row in range(len(cells[0]))])
    arrays = map(pyarrow.array, cells, schema.types)
    return pyarrow.Table.from_arrays(list(arrays), schema=schema)


def _values(table: Any, columns: Sequence[_Column]) -> Iterator[list[Any]]:
    """Yield the values of every column of a table."""
    if not table.schema.equals(_schema(columns)):
        raise ValueError("the columns of a table are those of another version")
    marked = enumerate(table.column(UNFIT).to_pylist())
    unfit = {row: loads(text) for row, text in marked if text is not None}
    for column in columns:
        plain = table.column(column.name).to_pylist()
        for row, spare in unfit.items():
            if column.name in spare:
                plain[row] = spare[column.name]
        yield each(column.codec.take, plain)
