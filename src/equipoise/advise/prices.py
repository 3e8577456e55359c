"""Price lists: the bundled one and the user's own, row by row, nothing guessed.

A price of zero or a blank one is unknown. A price per instance is divided by the count of
the instance; one that does not grow with the count is no price per instance and is not
used. A row that cannot be read is skipped with a note and never breaks the rest.
"""

import csv
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from equipoise import facts
from equipoise.errors import DataError, UsageError, locate, printable
from equipoise.facts.prices import PRICE_KINDS, Price
from equipoise.structs import dataclass

USD = "USD"

NOT_STATED = "not stated"
"""Of an instance or a date that a price list does not give."""

PER_INSTANCE = ("price_per_hour", "price_per_instance_hour", "usd_per_instance_hour", "price")
PER_ACCELERATOR = (
    "usd_per_accelerator_hour",
    "price_per_accelerator_hour",
    "price_usd_per_accelerator_hour",
)
_EXTRA_KINDS = {"spot": "spot", "reserved_1y": "reserved-1y", "reserved_3y": "reserved-3y"}

COLUMNS = {
    "accelerator": ("accelerator_id", "accelerator", "gpu", "chip"),
    "count": ("accelerators_per_instance", "count", "accelerators", "gpus"),
    "instance": ("instance_type", "instance"),
    "provider": ("provider",),
    "region": ("region",),
    "as_of": ("as_of", "date"),
    "source": ("source",),
    "currency": ("currency",),
    "kind": ("kind", "price_kind"),
    "confidence": ("confidence",),
    "notes": ("notes", "note"),
}
"""What a cell means -> the column names that are accepted for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceList:
    """Prices that could be read, what is odd about them, and whose list it is."""

    prices: tuple[Price, ...]
    notes: tuple[str, ...]
    own: bool
    """The user's own list: every instance in it counts as rentable."""
    own_ids: frozenset[str] = frozenset()
    """Accelerators whose price in another list is the user's own."""

    def replaced(self, price: Price) -> "PriceList":
        """Return the list with an own price in place of all others of its accelerator."""
        others = tuple(p for p in self.prices if p.accelerator_id != price.accelerator_id)
        return replace(self, prices=(*others, price), own_ids=self.own_ids | {price.accelerator_id})


def own_price(accelerator_id: str, usd_per_accelerator_hour: float, *, kind: str) -> Price:
    """Return the user's own price of an accelerator, for any number of them."""
    return Price(
        accelerator_id=accelerator_id,
        provider="your own price",
        instance_type="own",
        accelerators_per_instance=None,
        kind=kind,
        usd_per_accelerator_hour=usd_per_accelerator_hour,
        region=None,
        as_of=NOT_STATED,
        source="the user's own measurements",
        confidence="own",
        notes=None,
    )


def bundled_prices() -> PriceList:
    """Return the dated prices that come with the package."""
    table = facts.price_table()
    return PriceList(prices=table.prices, notes=table.notes, own=False)


def read_price_list(
    lines: Iterable[str],
    *,
    label: str = "prices",
    usd_per_unit: Mapping[str, float] | None = None,
) -> PriceList:
    """Return the price list of a CSV text with a header.

    Parameters
    ----------
    lines : iterable of str
        Comma, semicolon or tab between the cells; a byte order mark is ignored.
    label : str
        Name of the file, for the notes.
    usd_per_unit : mapping, optional
        Rate of every other currency: US dollars for one unit.

    Raises
    ------
    DataError
        When there is no header with an accelerator and a price.
    """
    texts = [part for line in lines for part in line.removeprefix("\ufeff").splitlines()]
    header = next((text for text in texts if text.strip()), "")
    delimiter = max(",;\t", key=header.count)
    reader = csv.DictReader(texts, delimiter=delimiter, restkey="")
    names = {(name or "").strip().lower() for name in reader.fieldnames or ()}
    priced = {n for n in names if _price_column(n) is not None}
    if not names & set(COLUMNS["accelerator"]) or not priced:
        raise DataError(
            "a price list needs a column accelerator and one of "
            f"{', '.join((*PER_INSTANCE[:1], *PER_ACCELERATOR[:1]))}",
            path=label,
            line=1,
        )
    return price_list_of_rows(_numbered(reader, label), label=label, usd_per_unit=usd_per_unit)


def price_list_of_rows(
    rows: Iterable[tuple[int, Mapping[str, object]]],
    *,
    label: str = "prices",
    usd_per_unit: Mapping[str, float] | None = None,
) -> PriceList:
    """Return the price list of numbered rows (line, column name -> cell)."""
    rates = _checked_rates(usd_per_unit or {})
    read: list[_Read] = []
    notes: list[str] = []
    for line, cells in rows:
        row = _Row(cells=_cleaned(cells), path=label, line=line)
        try:
            read.extend(_prices(row, rates, notes))
        except DataError as error:
            notes.append(f"{error}; row skipped")
    notes.extend(_flat_prices(read, label))
    notes.extend(_dear_spot(read, label))
    if any(item.assumed_usd for item in read):
        notes.append(f"{printable(label)}: no currency is given: prices are read as US dollars")
    return PriceList(prices=tuple(item.price for item in read), notes=tuple(notes), own=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    cells: Mapping[str, str]
    path: str
    line: int

    def get(self, meaning: str) -> str | None:
        for name in COLUMNS[meaning]:
            if self.cells.get(name):
                return self.cells[name]
        return None

    def error(self, reason: str) -> DataError:
        return DataError(reason, path=self.path, line=self.line)

    def place(self, text: str) -> str:
        return locate(text, self.path, self.line)

    def number(self, column: str) -> float | None:
        """Return a positive number; None for a blank, a zero or a missing column."""
        text = self.cells.get(column, "").lstrip("$").strip()
        if not text:
            return None
        if DECIMAL_COMMA.fullmatch(text):  # one or two digits: never a group of thousands
            text = text.replace(",", ".")
        try:
            value = float(text)
        except ValueError:
            raise self.error(f"{column} is {printable(text)!r}, which is no number") from None
        if not math.isfinite(value) or value < 0.0:
            raise self.error(f"{column} is {printable(text)!r}, which is no price")
        return value or None


@dataclass(slots=True, kw_only=True)
class _Read:
    price: Price
    line: int
    per_instance: bool
    assumed_usd: bool


def _prices(row: _Row, rates: Mapping[str, float], notes: list[str]) -> list[_Read]:
    name = row.get("accelerator")
    if name is None:
        raise row.error("no accelerator is named")
    count = _count(row)
    currency = row.get("currency")
    rate = _rate(row, currency, rates)
    found: list[_Read] = []
    for column in row.cells:
        part = _price_column(column)
        if part is None:
            continue
        prefix, per_instance = part
        kind = _EXTRA_KINDS[prefix] if prefix else _kind(row)
        value = row.number(column)
        if value is None and prefix:
            continue  # a blank second price is no row of its own
        if value is None and row.cells[column]:
            notes.append(row.place(f"{column} is 0: the price is unknown, not free"))
        if value is not None and per_instance:
            if count is None:
                raise row.error(
                    f"{column} is per instance, but the row says no count: add the column "
                    f"{COLUMNS['count'][0]}, or call the price {PER_ACCELERATOR[0]}"
                )
            value /= count
        for accelerator_id in _accelerators(row, name, notes):
            price = Price(
                accelerator_id=accelerator_id,
                provider=row.get("provider") or "own list",
                instance_type=row.get("instance") or NOT_STATED,
                accelerators_per_instance=count,
                kind=kind,
                usd_per_accelerator_hour=None if value is None else value * rate,
                region=row.get("region"),
                as_of=row.get("as_of") or NOT_STATED,
                source=row.get("source") or f"{row.path}, line {row.line}",
                confidence=row.get("confidence") or "own",
                notes=row.get("notes"),
            )
            found.append(
                _Read(
                    price=price,
                    line=row.line,
                    per_instance=per_instance,
                    assumed_usd=currency is None,
                )
            )
    return found


def _price_column(name: str) -> tuple[str, bool] | None:
    """Return (prefix of the kind, whether per instance), None for no price column."""
    prefix = next((p for p in _EXTRA_KINDS if name.startswith(f"{p}_")), "")
    rest = name.removeprefix(f"{prefix}_") if prefix else name
    if rest in PER_ACCELERATOR:
        return prefix, False
    return (prefix, True) if rest in PER_INSTANCE else None


def _kind(row: _Row) -> str:
    given = (row.get("kind") or "on-demand").lower().replace("_", "-").replace(" ", "-")
    kind = {"ondemand": "on-demand", "reserved": "reserved-1y"}.get(given, given)
    if kind not in PRICE_KINDS:
        raise row.error(f"unknown kind of price {printable(given)!r}: {', '.join(PRICE_KINDS)}")
    return kind


def _count(row: _Row) -> int | None:
    text = row.get("count")
    if text is None:
        return None
    try:
        count = float(text)
    except ValueError:
        raise row.error(f"{printable(text)!r} accelerators is no count") from None
    if not math.isfinite(count) or count < 1 or count != int(count):
        raise row.error(f"{printable(text)!r} accelerators is no count")
    return int(count)


def _rate(row: _Row, currency: str | None, rates: Mapping[str, float]) -> float:
    code = (currency or USD).upper()
    if code == USD:
        return 1.0
    if code not in rates:
        shown = printable(code)
        raise row.error(f"the price is in {shown}: state a rate (US dollars for one {shown})")
    return rates[code]


def _accelerators(row: _Row, name: str, notes: list[str]) -> tuple[str, ...]:
    known = {entry.id for entry in facts.accelerators()}
    if name.lower() in known:
        return (name.lower(),)
    match = facts.identify_accelerator(name)
    if match.accelerator_id is not None:
        return (match.accelerator_id,)
    if match.candidates:
        note = row.place(
            f"{printable(name)} may be {', '.join(match.candidates)}: the price is used for each"
        )
        if note not in notes:
            notes.append(note)
        return match.candidates
    note = row.place(f"{printable(name)} is no known accelerator: kept under that name")
    if note not in notes:
        notes.append(note)
    return (name,)


def _flat_prices(read: list[_Read], label: str) -> Iterator[str]:
    """Withdraw per-instance prices that do not grow with the count, and say so."""
    groups: dict[tuple[str, str, str], list[_Read]] = {}
    for item in read:
        price = item.price
        if item.per_instance and price.usd_per_instance_hour is not None:
            groups.setdefault((price.provider, price.accelerator_id, price.kind), []).append(item)
    for (_, accelerator_id, kind), items in groups.items():
        counts = sorted({i.price.accelerators_per_instance or 0 for i in items})
        totals = [i.price.usd_per_instance_hour or 0.0 for i in items]
        if len(counts) < 2 or max(totals) - min(totals) > SAME_PRICE * max(totals):
            continue
        for item in items:
            if item.price.accelerators_per_instance != 1:
                item.price = replace(item.price, usd_per_accelerator_hour=None)
        listed = f"{', '.join(map(str, counts[:-1]))} and {counts[-1]}"
        yield (
            f"{printable(label)}: {printable(accelerator_id)}, {kind}: price is the same for "
            f"{listed} accelerators: looks like a price per accelerator in a per-instance "
            f"column; used for single ones only (name the column {PER_ACCELERATOR[0]} if it is)"
        )


SAME_PRICE = 1e-9
DECIMAL_COMMA = re.compile(r"\d+,\d{1,2}")


def _dear_spot(read: list[_Read], label: str) -> Iterator[str]:
    on_demand = {
        (i.line, i.price.accelerator_id): i.price.usd_per_accelerator_hour
        for i in read
        if i.price.kind == "on-demand"
    }
    for item in read:
        price = item.price
        usual = on_demand.get((item.line, price.accelerator_id))
        spot = price.usd_per_accelerator_hour
        if price.kind == "spot" and usual is not None and spot is not None and spot > usual:
            text = f"spot of {price.provider} {price.instance_type} is dearer than on demand: kept"
            yield locate(text, label, item.line)


def _checked_rates(rates: Mapping[str, float]) -> dict[str, float]:
    for code, rate in rates.items():
        if not math.isfinite(rate) or rate <= 0.0:
            raise UsageError(f"the rate of {printable(code)} must be more than 0, not {rate}")
    return {code.upper(): rate for code, rate in rates.items()}


def _numbered(
    reader: "csv.DictReader[str]", label: str
) -> Iterator[tuple[int, Mapping[str, object]]]:
    try:
        for cells in reader:
            yield reader.line_num, cells
    except csv.Error as error:
        raise DataError(f"no CSV: {error}", path=label, line=reader.line_num) from error


def _cleaned(cells: Mapping[str, object]) -> dict[str, str]:
    return {
        str(name).strip().lower(): "" if cell is None else str(cell).strip()
        for name, cell in cells.items()
        if name
    }
