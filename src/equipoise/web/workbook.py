"""An answer as an Excel workbook; scores look like the official tables.

One sheet for each division and availability where the rows have them, with one column per
benchmark; every other table on a sheet of its own; footnotes and selection at the end.
"""

import io
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from equipoise.errors import printable
from equipoise.report.cells import flat
from equipoise.report.columns import column, words
from equipoise.report.tables import field_names
from equipoise.report.views import view

if TYPE_CHECKING:
    from equipoise.workflow.answer import Answer

OFFICIAL: Final = ("scores", "configurations")
"""Tables whose rows are official results."""
AVAILABILITIES: Final = {
    "onprem": "On-premises",
    "cloud": "Cloud",
    "preview": "Preview",
    "rdi": "RDI",
}
FACTS: Final = (
    ("Round", "round"),
    ("Submitter", "submitter"),
    ("System", "system_id"),
    ("Processor", "host_processor_model"),
    ("#", "host_processors"),
    ("Accelerator", "accelerator_model"),
    ("#", "accelerators"),
    ("Software", "framework"),
)
"""Columns of the official tables before the results."""
MOST_NAME: Final = 31
"""Letters of the name of a sheet."""
FORBIDDEN: Final = str.maketrans(dict.fromkeys("[]:*?/\\'", " "))
WIDEST: Final = 60


def workbook(answer: "Answer") -> bytes:
    """Return an answer as the bytes of an .xlsx file; no text becomes a formula or a link."""
    import xlsxwriter

    out = io.BytesIO()
    options = {
        "in_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
        "nan_inf_to_errors": False,
    }
    with xlsxwriter.Workbook(out, options) as book:
        writer = _Writer(book)
        for name, rows in answer.tables.items():
            records = [flat(row) for row in rows]
            if name in OFFICIAL:
                for title, sheet in official_sheets(records):
                    writer.official(title, sheet)
            writer.table(view(name).title, records)
        writer.notes(answer)
    return out.getvalue()


def official_sheets(
    records: Sequence[Mapping[str, Any]],
) -> list[tuple[str, list[Mapping[str, Any]]]]:
    """Return (name, rows) for every division and availability, closed and on-premises first."""
    order = [*AVAILABILITIES, None]
    divisions = ["closed", "open", "unverified", None]
    sheets: dict[tuple[int, int], tuple[str, list[Mapping[str, Any]]]] = {}
    for record in records:
        division, availability = record.get("division"), record.get("availability")
        place = (
            divisions.index(division) if division in divisions else len(divisions),
            order.index(availability) if availability in order else len(order),
        )
        shown = AVAILABILITIES.get(str(availability), availability or "availability unknown")
        name = f"{str(division or 'unknown').capitalize()} {shown}"
        sheets.setdefault(place, (name, []))[1].append(record)
    return [sheets[place] for place in sorted(sheets)]


class _Writer:
    """The sheets of one workbook."""

    def __init__(self, book: Any) -> None:
        self._book = book
        self._head = book.add_format({"bold": True, "text_wrap": True, "valign": "top"})
        self._names: set[str] = set()

    def sheet(self, title: str) -> Any:
        """Return a new sheet under a name that is allowed and not taken."""
        base = printable(title.translate(FORBIDDEN)).strip()[:MOST_NAME] or "Sheet"
        name, number = base, 1
        while name.lower() in self._names:
            number += 1
            ending = f" {number}"
            name = base[: MOST_NAME - len(ending)] + ending
        self._names.add(name.lower())
        return self._book.add_worksheet(name)

    def rows(self, title: str, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Write a table with its header frozen and filters on."""
        sheet = self.sheet(title)
        widths = [len(text) for text in head]
        for place, text in enumerate(head):
            sheet.write_string(0, place, text, self._head)
        last = 0
        for last, row in enumerate(rows, start=1):
            for place, value in enumerate(row):
                widths[place] = max(widths[place], _write(sheet, last, place, value))
        sheet.freeze_panes(1, 0)
        if head:
            sheet.autofilter(0, 0, last, len(head) - 1)
        for place, width in enumerate(widths):
            sheet.set_column(place, place, min(WIDEST, width + 2))

    def table(self, title: str, records: Sequence[Mapping[str, Any]]) -> None:
        """Write all fields of a table."""
        names = field_names([dict(record) for record in records])
        head = [column(name).header for name in names]
        self.rows(title, head, ([record.get(name) for name in names] for record in records))

    def official(self, title: str, records: Sequence[Mapping[str, Any]]) -> None:
        """Write results as the official tables: one line per system, a column per benchmark."""
        benchmarks = sorted({str(r.get("benchmark")) for r in records})
        lines: dict[tuple[Any, ...], dict[str, Any]] = {}
        for record in records:
            key = (record.get("round"), record.get("submitter"), record.get("system_id"))
            line = lines.setdefault(key, {**record, "host_processors": _processors(record)})
            line[f"time of {record.get('benchmark')}"] = record.get("time_to_train_min")
        head = [text for text, _ in FACTS] + [f"{name} [min]" for name in benchmarks]
        fields = [field for _, field in FACTS] + [f"time of {name}" for name in benchmarks]
        self.rows(title, head, ([line.get(field) for field in fields] for line in lines.values()))

    def notes(self, answer: "Answer") -> None:
        """Write what was asked for, warnings and footnotes."""
        rows: list[tuple[str, str]] = []
        if answer.headline:
            rows.append(("answer", answer.headline))
        rows += [
            (words(name), ", ".join(map(str, value)) if isinstance(value, list) else str(value))
            for name, value in answer.selection.items()
            if value not in (None, [], (), False)
        ]
        rows += [("warning", text) for text in answer.warnings]
        rows += [("note", text) for text in answer.footnotes]
        self.rows("Notes", ("what", "text"), rows)


def _processors(record: Mapping[str, Any]) -> int | None:
    nodes, each = record.get("nodes"), record.get("host_processors_per_node")
    return nodes * each if isinstance(nodes, int) and isinstance(each, int) else None


def _write(sheet: Any, row: int, place: int, value: Any) -> int:
    """Write one cell; return the width of its text."""
    if value is None:
        return 0
    if isinstance(value, bool):
        sheet.write_boolean(row, place, value)
        return 5
    if isinstance(value, int | float):
        if math.isfinite(value):
            sheet.write_number(row, place, value)
        return 12
    if isinstance(value, list | tuple):
        value = "; ".join("" if item is None else str(item) for item in value)
    text = printable(str(value))[:32_000]
    sheet.write_string(row, place, text)
    return len(text)
