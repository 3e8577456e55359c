"""A user's own measurements from CSV, JSON or Parquet: (count, time or throughput) per row.

Every row stands alone: a bad one is rejected with its line and the reason, and the others
are kept. A missing value is missing, never 0. Nothing here is verified by MLCommons.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, Final

from equipoise import facts
from equipoise.domain import Rejection
from equipoise.errors import DataError, SourceError, UnknownNameError, locate, printable
from equipoise.sources import numbers
from equipoise.sources.columns import COLUMNS, MEANINGS, NO_UNIT, NUMBERS, TIMES, plain_name
from equipoise.sources.layout import is_measurement_file
from equipoise.sources.numbers import Cell
from equipoise.sources.tabular import MAX_TABLE_BYTES, Cells, Sheet, read_sheet
from equipoise.structs import dataclass

__all__ = ["MeasurementRow", "MeasurementTable", "is_measurement_file", "read_measurements"]

SAME_TIME: Final = 1e-2
"""Relative difference up to which two times of one row are the same time."""
SHOWN: Final = 12
REMEDIES: Final[Mapping[str, str]] = {
    "missing-value": "; fill it in, or take the row out",
    "not-positive": "; write a number above 0, or take the row out",
    "not-finite": "; write a number, or take the row out",
    "bad-count": "; write a whole number such as 8",
    "times-disagree": "; correct the wrong one",
}
"""What to do about a row, where its reason does not say it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasurementRow:
    """One own measurement: a time, a throughput or both at a count of accelerators."""

    line: int | None
    """Line in the file; None in a format without lines."""
    accelerators: int
    time_to_train_min: float | None = None
    throughput_samples_per_s: float | None = None
    samples_to_converge: float | None = None
    accelerator_id: str | None = None
    accelerator_model: str | None = None
    """The accelerator as the file spells it."""
    label: str | None = None
    benchmark: str | None = None
    """Canonical id where the name is known, else the name as the file spells it."""
    price_usd_per_accelerator_hour: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasurementTable:
    """Measurements that can be used, what cannot be, and what is to be known."""

    label: str
    rows: tuple[MeasurementRow, ...]
    rejections: tuple[Rejection, ...] = ()
    notes: tuple[str, ...] = ()
    bytes: int = 0


def read_measurements(source: str | bytes | Path, *, label: str | None = None) -> MeasurementTable:
    r"""Return the measurements of a CSV, JSON or Parquet file, or of a text.

    Parameters
    ----------
    source
        Path of a file; bytes or a text of several lines are the content itself.
    label
        Name of the file in messages; the name of the path without.

    Raises
    ------
    SourceError
        The file cannot be read.
    DataError
        It is no table with a count and a time or throughput, or no row can be used.

    >>> table = read_measurements("n,time_s\n8,600\n16,\n")
    >>> [(row.accelerators, row.time_to_train_min) for row in table.rows]
    [(8, 10.0)]
    >>> [(entry.line, entry.reason) for entry in table.rejections]
    [(3, 'time_s is missing; fill it in, or take the row out')]
    """
    data, name = _content(source, label)
    sheet = read_sheet(data, label=name, known=lambda text: plain_name(text) in MEANINGS)
    return _Reading(sheet, name).table(len(data))


def _content(source: str | bytes | Path, label: str | None) -> tuple[bytes, str]:
    if isinstance(source, bytes):
        return source, label or "measurements"
    if isinstance(source, str) and ("\n" in source or "\r" in source):
        return source.encode("utf-8", "surrogatepass"), label or "measurements"
    path = Path(source)
    name = label or path.name or str(path)
    try:
        with path.open("rb") as file:
            return file.read(MAX_TABLE_BYTES + 1), name
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SourceError(f"cannot be read: {reason}", path=str(path)) from error


@dataclass(slots=True)
class _Reading:
    """One sheet while its cells get their meaning."""

    sheet: Sheet
    label: str
    columns: dict[str, list[int]] = field(default_factory=dict)
    """What columns mean -> their places, the properly named one first."""
    cells: dict[str, list[Cell]] = field(default_factory=dict)
    rejections: list[Rejection] = field(default_factory=list)
    notes: dict[str, None] = field(default_factory=dict)

    def table(self, size: int) -> MeasurementTable:
        """Return what the sheet says."""
        for text in self.sheet.notes:
            self._note(text)
        self._find_columns()
        for bad in self.sheet.bad:
            self._reject(bad.line, bad.code, bad.reason)
        mark = self._mark()
        for meaning in NUMBERS:
            if meaning in self.columns:
                self.cells[meaning] = self._column(meaning, mark)
        found = [self._row(index, cells) for index, cells in enumerate(self.sheet.rows)]
        rows = tuple(row for row in found if row is not None)
        self.rejections.sort(key=lambda entry: entry.line or 0)
        if not rows:
            raise DataError(self._nothing(), path=None)
        return MeasurementTable(
            label=self.label,
            rows=rows,
            rejections=tuple(self.rejections),
            notes=tuple(self.notes),
            bytes=size,
        )

    def _find_columns(self) -> None:
        ignored: list[str] = []
        places: dict[str, dict[str, list[int]]] = {}
        for place, raw in enumerate(self.sheet.header):
            name = plain_name(raw)
            meaning = MEANINGS.get(name)
            if meaning is None:
                ignored.extend([raw] if raw.strip() else [])
            else:
                places.setdefault(meaning, {}).setdefault(name, []).append(place)
        for meaning, named in places.items():
            names = [name for name in COLUMNS[meaning] if name in named]
            self.columns[meaning] = [self._one_of(name, named[name]) for name in names]
            if len(names) > 1:
                others = ", ".join(names[1:])
                self._note(f"column {others} used only where {names[0]} says nothing")
        if ignored:
            shown = ", ".join(printable(name) for name in ignored[:SHOWN])
            more = f" and {len(ignored) - SHOWN} more" if len(ignored) > SHOWN else ""
            self._note(f"columns not used: {shown}{more}")
        self._refuse_missing(ignored)

    def _one_of(self, name: str, places: Sequence[int]) -> int:
        """Return the place of a column whose name may stand there several times."""
        first = places[0]
        for place in places[1:]:
            if any(row.values[place] != row.values[first] for row in self.sheet.rows):
                raise DataError(
                    f"two columns are named {name} (the {_ordinal(first)} and the "
                    f"{_ordinal(place)}) and differ; rename one",
                    path=self.label,
                    line=self.sheet.header_line,
                )
        if len(places) > 1:
            self._note(f"column {name} stands there {len(places)} times with the same content")
        return first

    def _refuse_missing(self, ignored: Sequence[str]) -> None:
        wanted = []
        if "accelerators" not in self.columns:
            wanted.append("accelerators (how many)")
        if not any(name in self.columns for name in (*TIMES, "throughput_samples_per_s")):
            wanted.append("one of time_to_train_min, time_s, throughput_samples_per_s")
        if not wanted:
            return
        hints = [
            f'; "{printable(raw.strip())}" does not say its unit: name it {NO_UNIT[plain]}'
            for raw in ignored
            if (plain := plain_name(raw)) in NO_UNIT
        ]
        there = ", ".join(printable(name) for name in self.sheet.header[:SHOWN]) or "none"
        raise DataError(
            f"measurements need {' and '.join(wanted)} as a column; there are: {there}"
            + "".join(hints),
            path=self.label,
            line=self.sheet.header_line,
        )

    def _column(self, meaning: str, mark: numbers.Mark | None) -> list[Cell]:
        """Return the cells of a column as numbers above zero."""
        name = self.sheet.header[self.columns[meaning][0]].strip() or meaning
        values = [self._value(meaning, row) for row in self.sheet.rows]
        whole = meaning == "accelerators"
        texts = [value for value in values if isinstance(value, str)]
        cells = numbers.read_column(texts, name=name, whole=whole, elsewhere=mark)
        if not whole:
            self._note_decided(name, texts, cells)
        read = iter(cells)
        refine = numbers.count if whole else numbers.positive
        found = []
        for value in values:
            cell = next(read) if isinstance(value, str) else _typed(value, name)
            found.append(refine(cell, name=name, text=str(value)))
        return found

    def _mark(self) -> numbers.Mark | None:
        """Return the decimal mark that some column proves and none contradicts."""
        marks: set[numbers.Mark] = set()
        for meaning in NUMBERS:
            if meaning in self.columns and meaning != "accelerators":
                values = [self._value(meaning, row) for row in self.sheet.rows]
                mark, mixed = numbers.decimal_mark([v for v in values if isinstance(v, str)])
                if mixed:
                    return None
                marks.update([mark] if mark else [])
        return marks.pop() if len(marks) == 1 else None

    def _note_decided(self, name: str, texts: Sequence[str], cells: Sequence[Cell]) -> None:
        """Say what a number with two readings was taken for, once in a column."""
        for text, cell in zip(texts, cells, strict=True):
            if numbers.decided(text, cell):
                self._note(
                    f'{printable(name)}: "{printable(text.strip())}" read as {cell.value:.12g}, '
                    "by the decimal mark of the other numbers"
                )
                return

    def _value(self, meaning: str, row: Cells) -> Any:
        """Return the first value of a row that says something under this meaning."""
        for place in self.columns[meaning]:
            value = row.values[place]
            missing = isinstance(value, str) and value.strip().lower() in numbers.MISSING
            if value is not None and not missing:
                return value
        return row.values[self.columns[meaning][0]]

    def _row(self, index: int, row: Cells) -> MeasurementRow | None:
        count = self.cells["accelerators"][index]
        if count.value is None:
            self._refuse(row, count)
            return None
        minutes = self._minutes(index, row)
        rate = self._number("throughput_samples_per_s", index)
        found = minutes if minutes is not None and minutes.code != "missing-value" else rate
        found = found or minutes
        if found is None or found.value is None:
            self._refuse(row, found or Cell(code="missing-value", reason="no time"))
            return None
        if rate is not None and rate.value is None and rate.code != "missing-value":
            self._note(f"{row.place}{rate.reason}: taken as unknown", row.line)
        accelerator_id, model = self._accelerator(row)
        return MeasurementRow(
            line=row.line,
            accelerators=int(count.value),
            time_to_train_min=None if minutes is None else minutes.value,
            throughput_samples_per_s=None if rate is None else rate.value,
            samples_to_converge=self._optional("samples_to_converge", index, row),
            accelerator_id=accelerator_id,
            accelerator_model=model,
            label=self._text("label", row),
            benchmark=self._benchmark(row),
            price_usd_per_accelerator_hour=self._optional(
                "price_usd_per_accelerator_hour", index, row
            ),
        )

    def _number(self, meaning: str, index: int) -> Cell | None:
        return self.cells[meaning][index] if meaning in self.cells else None

    def _minutes(self, index: int, row: Cells) -> Cell | None:
        """Return the time of a row in minutes, from whichever column has it."""
        cells = [(c, units) for name, units in TIMES.items() if (c := self._number(name, index))]
        wrong = [c for c, _ in cells if c.value is None and c.code != "missing-value"]
        if wrong:
            return wrong[0]
        times = [cell.value / units for cell, units in cells if cell.value is not None]
        if not times:
            return cells[0][0] if cells else None
        if max(times) - min(times) > SAME_TIME * max(times):
            reason = f"its times disagree: {min(times):.6g} and {max(times):.6g} min"
            return Cell(code="times-disagree", reason=reason)
        return Cell(value=times[0])

    def _optional(self, meaning: str, index: int, row: Cells) -> float | None:
        cell = self._number(meaning, index)
        if cell is None:
            return None
        if cell.value is None and cell.code != "missing-value":
            self._note(f"{row.place}{cell.reason}: taken as unknown", row.line)
        return cell.value

    def _text(self, meaning: str, row: Cells) -> str | None:
        if meaning not in self.columns:
            return None
        value = self._value(meaning, row)
        text = "" if value is None else str(value).strip()
        return None if text.lower() in numbers.MISSING else text

    def _accelerator(self, row: Cells) -> tuple[str | None, str | None]:
        raw = self._text("accelerator", row)
        if raw is None:
            return None, None
        match = facts.identify_accelerator(raw)
        if match.accelerator_id is not None or match.no_accelerator:
            return match.accelerator_id, raw
        try:
            ids = facts.accelerators_matching(raw)
        except UnknownNameError as error:
            self._note(f"{_nearest(error)}: its rows count as an unknown accelerator")
            return None, raw
        if len(ids) == 1:
            return ids[0], raw
        self._note(f"accelerator {printable(raw)} may be {', '.join(ids)}: write which")
        return None, raw

    def _benchmark(self, row: Cells) -> str | None:
        raw = self._text("benchmark", row)
        if raw is None:
            return None
        try:
            return facts.benchmark(raw).id
        except UnknownNameError as error:
            self._note(f"{_nearest(error)}: kept under that name")
            return raw

    def _refuse(self, row: Cells, cell: Cell) -> None:
        code = cell.code or "missing-value"
        self._reject(row.line, code, f"{row.place}{cell.reason}{REMEDIES.get(code, '')}")

    def _reject(self, line: int | None, code: str, reason: str) -> None:
        self.rejections.append(
            Rejection(round=None, path=self.label, line=line, code=code, reason=reason)
        )

    def _note(self, text: str, line: int | None = None) -> None:
        self.notes[locate(text, self.label, line)] = None

    def _nothing(self) -> str:
        if not self.rejections:
            return locate("a header without rows: no measurement", self.label, None)
        named = [locate(r.reason, r.path, r.line) for r in self.rejections[:SHOWN]]
        more = len(self.rejections) - SHOWN
        rest = [f"and {more} more"] if more > 0 else []
        return "no row can be used: " + "; ".join((*named, *rest))


def _nearest(error: UnknownNameError) -> str:
    """Return the text about an unknown name with the nearest choices only."""
    return str(error).partition(" choices:")[0].rstrip("?;")


def _typed(value: Any, name: str) -> Cell:
    """Return a cell of a format that knows numbers."""
    if value is None:
        return Cell(code="missing-value", reason=f"{name} is missing")
    try:
        number = float("x" if isinstance(value, bool | bytes | bytearray) else value)
    except (TypeError, ValueError, OverflowError):
        shown = printable(str(value)[: numbers.MOST_CHARACTERS])
        return Cell(code="not-a-number", reason=f'{name} "{shown}" is not a number')
    if number in (float("inf"), float("-inf")) or number != number:
        return Cell(code="not-finite", reason=f'{name} "{value}" is not a finite number')
    return Cell(value=number)


def _ordinal(place: int) -> str:
    number = place + 1
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10 if number % 100 // 10 != 1 else 0, "th")
    return f"{number}{ending}"
