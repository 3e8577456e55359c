"""Tables in four formats from one definition: terminal, JSON, CSV and Markdown."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Literal, Protocol, get_args

from equipoise.errors import UnknownNameError
from equipoise.report.cells import (
    Record,
    align_points,
    csv_cell,
    flat,
    is_missing,
    is_number,
    markdown_cell,
    record,
    shown_cell,
)
from equipoise.report.columns import Column, display_columns, interval_base
from equipoise.report.views import View, view
from equipoise.structs import dataclass

Format = Literal["table", "json", "csv", "markdown"]
FORMATS: tuple[Format, ...] = get_args(Format)


class Content(Protocol):
    """What can be rendered: named tables of rows (dataclasses or mappings), the first the main."""

    @property
    def tables(self) -> Mapping[str, Sequence[Any]]:
        """Return name -> rows."""

    @property
    def views(self) -> Mapping[str, View]:
        """Return how tables are shown where it differs from the usual view of their name."""

    @property
    def selection(self) -> Mapping[str, Any]:
        """Return what was asked for."""

    @property
    def extra(self) -> Mapping[str, Any]:
        """Return further members of the JSON object."""

    @property
    def headline(self) -> str | None:
        """Return the answer in a sentence."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Return remarks for people, shown below the tables."""

    @property
    def footnotes(self) -> tuple[str, ...]:
        """Return the footnotes."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return the warnings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """The plainest `Content`."""

    tables: Mapping[str, Sequence[Any]]
    views: Mapping[str, View] = field(default_factory=dict)
    selection: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    headline: str | None = None
    notes: tuple[str, ...] = ()
    footnotes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def render(
    content: Content,
    *,
    form: str = "table",
    width: int | None = None,
    color: bool = False,
    table: str | None = None,
) -> str:
    """Return content as text in one of the four formats, ending in a newline.

    Parameters
    ----------
    form
        table, json, csv or markdown.
    width
        Columns of the terminal (format table only); None for no limit.
    color
        Whether terminal escapes for bold and colour may be used (format table only).
    table
        Name of the table that CSV shows; the first one by default.

    Raises
    ------
    UnknownNameError
        There is no such format or table.
    """
    if form == "json":
        return json_text(content)
    if form == "csv":
        name = table or next(iter(content.tables), "")
        if name not in content.tables:
            raise UnknownNameError("table", name, content.tables)
        return csv_text(content.tables[name], names=view(name).columns)
    if form == "markdown":
        return markdown_text(content)
    if form == "table":
        from equipoise.report.terminal import terminal_text

        return terminal_text(content, width=width, color=color)
    raise UnknownNameError("format", form, FORMATS)


def json_text(content: Content) -> str:
    """Return `{"<rows>": [...], ..., "selection": {}, "footnotes": [], "warnings": []}`.

    Strict JSON (no NaN or Infinity: they become null), UTF-8 characters unescaped.
    """
    import orjson

    whole: dict[str, Any] = {
        name: [record(row) for row in rows] for name, rows in content.tables.items()
    }
    whole |= dict(content.extra)
    whole["selection"] = dict(content.selection)
    whole["footnotes"] = list(content.footnotes)
    whole["warnings"] = list(content.warnings)
    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE | orjson.OPT_SERIALIZE_NUMPY
    try:
        return orjson.dumps(whole, default=_json_default, option=options).decode()
    except TypeError:
        return orjson.dumps(encodable(whole), default=_json_default, option=options).decode()


def _json_default(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, set | frozenset):
        return sorted(value, key=str)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def encodable(value: object) -> object:
    """Return a value with lone surrogates escaped and integers beyond 64 bits as floats."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**63:
        return float(value)
    if isinstance(value, Mapping):
        return {str(encodable(str(k))): encodable(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [encodable(item) for item in value]
    if hasattr(value, "__dataclass_fields__"):
        return encodable(record(value))
    return value


def csv_text(rows: Sequence[Any], *, names: Sequence[str] = ()) -> str:
    """Return all rows and fields by RFC 4180 (CRLF, quotes doubled), mappings as `field.key`.

    A text cell that would start a formula in a spreadsheet gets a leading apostrophe.
    `names` is the header of an empty table.
    """
    records = [flat(row) for row in rows]
    header = field_names(records) or list(names)
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([csv_cell(name) for name in header])
    writer.writerows([[csv_cell(row.get(name)) for name in header] for row in records])
    return out.getvalue()


def field_names(records: Iterable[Record]) -> list[str]:
    """Return the fields of all rows in the order of their first appearance."""
    names: dict[str, None] = {}
    for row in records:
        names.update(dict.fromkeys(row))
    return list(names)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A table ready for people: columns and the text of every cell."""

    title: str
    columns: tuple[Column, ...]
    cells: tuple[tuple[str, ...], ...]
    """Row by row."""
    records: tuple[Record, ...]
    numeric: tuple[bool, ...]
    """Column by column: whether it is aligned as numbers."""
    left_out: int
    """Rows beyond the limit."""


def shown(
    name: str,
    rows: Sequence[Any],
    *,
    how: View | None = None,
    whole: str = " ",
    point: str = " ",
) -> Shown:
    """Return columns and cell texts of a table, decimal points aligned, empty columns left out.

    `whole` and `point` pad missing decimals: blanks for a terminal, figure and punctuation
    space for proportional type.
    """
    how = how or view(name)
    everything = [flat(row) for row in rows]
    records = everything if how.limit is None else everything[: how.limit]
    names = wanted_names(how, field_names(everything))
    columns = tuple(_relabelled(c, how) for c in display_columns(names) if not _empty(c, records))
    numeric = tuple(_numeric(c, records) for c in columns)
    texts: list[list[str]] = []
    for column, is_numeric in zip(columns, numeric, strict=True):
        cells = [shown_cell(row, column) for row in records]
        plain = is_numeric and column.low is None and not (column.percent or column.chance)
        texts.append(align_points(cells, whole=whole, point=point) if plain else cells)
    return Shown(
        title=how.title,
        columns=columns,
        cells=tuple(zip(*texts, strict=True)),
        records=tuple(records),
        numeric=numeric,
        left_out=len(everything) - len(records),
    )


def _relabelled(column: Column, how: View) -> Column:
    label = how.labels.get(column.name)
    return column if label is None else replace(column, label=label)


def wanted_names(how: View, present: Sequence[str]) -> list[str]:
    """Return the fields to show: the chosen ones with their interval ends, or all."""
    if not how.columns:
        return list(present)
    names: list[str] = []
    for name in how.columns:
        opened = [p for p in present if p.startswith(f"{name}.")] or [name]
        ends = [p for p in present if interval_base(p) == name and p != name]
        names += [n for n in (*opened, *ends) if n not in names]
    return names


def _empty(column: Column, records: Sequence[Record]) -> bool:
    names = [column.low, column.high] if column.low and column.high else [column.name]
    return all(is_missing(row.get(str(n))) for row in records for n in names)


def _numeric(column: Column, records: Sequence[Record]) -> bool:
    name = column.low or column.name
    values = [row.get(name) for row in records if row.get(name) is not None]
    return bool(values) and all(is_number(value) for value in values)


def markdown_text(content: Content) -> str:
    """Return content as Markdown: tables with every markup character escaped."""
    blocks = [markdown_cell(content.headline)] if content.headline else []
    for name, rows in content.tables.items():
        how = content.views.get(name) or view(name)
        if how.hidden:
            continue
        table = shown(name, rows, how=how)
        if not table.cells and len(content.tables) > 1:
            continue
        blocks.append(f"**{markdown_cell(table.title)}**")
        if not table.cells:
            blocks.append("No rows.")
            continue
        lines = [_pipes(markdown_cell(c.header) for c in table.columns)]
        lines.append(_pipes("---:" if number else ":---" for number in table.numeric))
        lines += [_pipes(markdown_cell(cell.strip()) for cell in row) for row in table.cells]
        blocks.append("\n".join(lines))
        if table.left_out:
            blocks.append(f"{table.left_out:,d} more rows are in the CSV and JSON output.")
    blocks += [markdown_cell(note) for note in content.notes]
    marked = [f"Warning: {text}" for text in unsaid(content.warnings, content.headline)]
    marked += list(content.footnotes)
    if marked:
        blocks.append("\n".join(f"- {markdown_cell(text)}" for text in marked))
    return "\n\n".join(blocks) + "\n"


def unsaid(warnings: Iterable[str], headline: str | None) -> list[str]:
    """Return the warnings that the headline does not say already.

    >>> unsaid(["Too few.", "Odd."], "Nothing to see. Too few.")
    ['Odd.']
    """
    return [text for text in warnings if headline is None or text not in headline]


def _pipes(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
