"""Files of rows as people keep them: CSV of any dialect, JSON and Parquet -> cells.

Here a file is only taken apart: into a header and numbered rows of cells. What the cells
mean is said in `measurements`.
"""

import csv
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import Any, Final

from equipoise.errors import DataError
from equipoise.sources.foreign import foreign_kind
from equipoise.sources.jsontext import MAX_JSON_BYTES, NotJsonError, decode_text, load_loose
from equipoise.sources.parquet import PARQUET_MAGIC
from equipoise.structs import dataclass
from equipoise.units import BYTES_PER_MIB

MAX_TABLE_BYTES: Final = 64 * BYTES_PER_MIB
"""A file of measurements is never larger."""

DELIMITERS: Final = ",;\t|"
MOST_LINES_OF_A_ROW: Final = 50
"""A quoted cell over more lines is an opened quote that nobody closed."""

_LINE_ENDS: Final = re.compile(r"\r\n|\r|\n")
_SEPARATOR_LINE: Final = re.compile(r"sep=(.)", re.IGNORECASE)
_LIST_OPENS: Final = re.compile(r'\s*(?:\{\s*"measurements"\s*:\s*)?\[')
_BETWEEN: Final = re.compile(r"[\s,]*")


@dataclass(frozen=True, slots=True)
class Cells:
    """One row: where it stands and its cells, as many as the header has names."""

    line: int | None
    """Line of the file; None in a format without lines."""
    place: str
    """`row 3: ` where there is no line, else empty."""
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that cannot be taken apart."""

    line: int | None
    code: str
    reason: str


@dataclass(slots=True)
class Sheet:
    """A file taken apart."""

    header: tuple[str, ...]
    header_line: int | None = 1
    rows: list[Cells] = field(default_factory=list)
    bad: list[BadRow] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_sheet(data: bytes, *, label: str, known: Callable[[str], bool]) -> Sheet:
    """Take a file apart; its first bytes say what it is.

    Parameters
    ----------
    data
        The file.
    label
        Its name, for messages.
    known
        Whether a name of a column is one that matters; tells the delimiter of a CSV file.

    Raises
    ------
    DataError
        It is empty, too large, or no table at all.
    """
    if len(data) > MAX_TABLE_BYTES:
        reason = f"{len(data):,} bytes are more than measurements have ({MAX_TABLE_BYTES:,})"
        raise DataError(reason, path=label)
    if data.startswith(PARQUET_MAGIC):
        return _parquet(data, label)
    kind = foreign_kind(data)
    if kind is not None:
        raise DataError(f"is no table but {kind}", path=label)
    text = decode_text(data)
    if not text.strip():
        raise DataError("is empty: expected a header and rows of measurements", path=label)
    is_json = text.lstrip().startswith(("[", "{"))
    sheet = _json(data, text, label) if is_json else _csv(text, label, known)
    if not _is_unicode(data):
        sheet.notes.append("is not UTF-8: read as Latin-1")
    return sheet


def _is_unicode(data: bytes) -> bool:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _csv(text: str, label: str, known: Callable[[str], bool]) -> Sheet:
    lines = _LINE_ENDS.split(text)
    start, fixed = _first_line(lines)
    if start is None:
        raise DataError("is empty: expected a header and rows of measurements", path=label)
    delimiter = fixed or _delimiter(lines[start], known)
    header, _ = _record(lines, start, delimiter)
    if header is None:
        raise DataError("the header is no line of CSV", path=label, line=start + 1)
    sheet = Sheet(tuple(name.strip() for name in header), start + 1)
    at = start + 1
    while at < len(lines):
        at = _row(sheet, lines, at, delimiter, known)
    return sheet


def _first_line(lines: Sequence[str]) -> tuple[int | None, str | None]:
    """Return the index of the header and the delimiter that a line `sep=;` sets."""
    fixed = None
    for index, line in enumerate(lines):
        match = _SEPARATOR_LINE.fullmatch(line.strip(" "))
        if match is not None and fixed is None:
            fixed = match[1]
        elif not _skipped(line):
            return index, fixed
    return None, fixed


def _skipped(line: str) -> bool:
    """Return whether a line is blank, only delimiters, or a remark."""
    return line.lstrip().startswith("#") or not line.strip(DELIMITERS + ' \0"')


def _delimiter(header: str, known: Callable[[str], bool]) -> str:
    """Return the delimiter under which most names of the header mean something."""

    def merit(delimiter: str) -> tuple[int, int]:
        cells = _record([header], 0, delimiter)[0] or []
        return sum(known(cell) for cell in cells), len(cells)

    return max(DELIMITERS, key=merit)


def _record(lines: Sequence[str], at: int, delimiter: str) -> tuple[list[str] | None, int]:
    """Return the cells of the record that begins at a line, and the lines it takes."""
    taken = 0

    def feed() -> Iterator[str]:
        nonlocal taken
        for line in lines[at : at + MOST_LINES_OF_A_ROW]:
            taken += 1
            yield f"{line}\n"
        raise csv.Error

    try:
        return next(csv.reader(feed(), delimiter=delimiter, strict=True)), taken
    except csv.Error:
        return None, 1


def _row(
    sheet: Sheet, lines: Sequence[str], at: int, delimiter: str, known: Callable[[str], bool]
) -> int:
    """Read the record that begins at a line; return the line after it."""
    if _skipped(lines[at]):
        return at + 1
    line = at + 1
    cells, taken = _record(lines, at, delimiter)
    width = len(sheet.header)
    if cells is not None and taken > 1 and _swallows(sheet.header, cells, known):
        cells = None
    if cells is None:
        reason = "is no record of CSV: check the quotation marks"
        sheet.bad.append(BadRow(line, "bad-record", reason))
        return at + 1
    while len(cells) > width and not cells[-1].strip():
        cells.pop()
    if len(cells) > width:
        reason = (
            f"{len(cells)} cells where the header has {width}; put a cell that holds "
            f"{'a comma' if delimiter == ',' else repr(delimiter)} in quotation marks"
        )
        sheet.bad.append(BadRow(line, "bad-record", reason))
        return at + taken
    cells += [""] * (width - len(cells))
    sheet.rows.append(Cells(line, "", tuple(cells)))
    return at + taken


def _swallows(header: Sequence[str], cells: Sequence[str], known: Callable[[str], bool]) -> bool:
    """Return whether a record over several lines is an open quote and not a long remark."""
    if len(header) != len(cells):
        return True
    return any(known(n) and "\n" in c.strip() for n, c in zip(header, cells, strict=True))


def _json(data: bytes, text: str, label: str) -> Sheet:
    if len(data) > MAX_JSON_BYTES:
        reason = f"{len(data):,} bytes of JSON are too many ({MAX_JSON_BYTES:,}): use CSV"
        raise DataError(reason, path=label)
    try:
        loose = load_loose(data)
    except NotJsonError as error:
        listed = _json_lines(text)
        if listed is None:
            raise DataError(error.reason, path=label, line=error.line) from None
        return _objects(listed, [])
    except ValueError:  # a number of thousands of digits
        raise DataError("is JSON with a number that is too long", path=label) from None
    value = loose.value
    if isinstance(value, dict):
        value = value.get("measurements", [value])
    if not isinstance(value, list):
        reason = 'is JSON but no list of objects; expected [{"accelerators": 8, ...}, ...]'
        raise DataError(reason, path=label)
    lines = _lines_of_items(text, len(value))
    notes = [text for _, text in loose.warnings]
    return _objects(list(zip(lines, value, strict=True)), notes)


def _json_lines(text: str) -> list[tuple[int | None, Any]] | None:
    """Return one JSON value a line; None if a line is none."""
    found: list[tuple[int | None, Any]] = []
    for number, line in enumerate(_LINE_ENDS.split(text), start=1):
        if line.strip():
            try:
                found.append((number, json.loads(line)))
            except (ValueError, RecursionError):
                return None
    return found


def _lines_of_items(text: str, count: int) -> list[int | None]:
    """Return the line on which each item of the list begins, as far as that can be said."""
    unknown: list[int | None] = [None] * count
    opening = _LIST_OPENS.match(text)
    if opening is None:
        return unknown
    decoder = json.JSONDecoder(strict=False)
    at, line, counted = opening.end(), 1, 0
    for index in range(count):
        gap = _BETWEEN.match(text, at)
        at = gap.end() if gap is not None else at
        line, counted = line + text.count("\n", counted, at), at
        unknown[index] = line
        try:
            _, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            break
    return unknown


def _objects(items: Sequence[tuple[int | None, Any]], notes: list[str]) -> Sheet:
    header = dict.fromkeys(str(k) for _, item in items if isinstance(item, dict) for k in item)
    sheet = Sheet(tuple(header), None, notes=notes)
    for index, (line, item) in enumerate(items, start=1):
        place = "" if line is not None else f"item {index}: "
        if isinstance(item, dict):
            values = tuple(item.get(name) for name in header)
            sheet.rows.append(Cells(line, place, values))
        else:
            sheet.bad.append(BadRow(line, "bad-record", f"{place}is no object"))
    return sheet


def _parquet(data: bytes, label: str) -> Sheet:
    from equipoise.sources.parquet import read_parquet

    found = read_parquet(data, label=label)
    rows = [Cells(None, f"row {i}: ", values) for i, values in enumerate(found.rows, start=1)]
    return Sheet(found.names, None, rows)
