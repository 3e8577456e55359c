"""Prices as dated facts: who asks how much for an accelerator-hour, where, when, how.

A row that cannot be read is skipped with a note and never breaks the rest; a price of zero
or a blank one is unknown, not free.
"""

import datetime
import math
from collections.abc import Iterable
from functools import cache

from equipoise.errors import DataError
from equipoise.facts.accelerators import accelerators
from equipoise.facts.tables import Row, table
from equipoise.structs import dataclass

PRICE_KINDS = (
    "on-demand",
    "spot",
    "reserved-1y",
    "reserved-3y",
    "capacity-block",
    "accelerator-only",
)
"""How an accelerator is rented. capacity-block: paid in advance for some days;
accelerator-only: the host that comes with it is not in the price."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What one accelerator-hour costs at one provider."""

    accelerator_id: str
    provider: str
    instance_type: str
    accelerators_per_instance: int | None
    """Accelerators that are rented together; None where any number can be had."""
    kind: str
    """One of PRICE_KINDS."""
    usd_per_accelerator_hour: float | None
    """None if unknown (never 0)."""
    region: str | None
    as_of: str
    """ISO date, or as much of it as is known (`2025-11`, `2026`)."""
    source: str
    confidence: str
    notes: str | None

    @property
    def usd_per_instance_hour(self) -> float | None:
        """Return the price of the whole instance, where its size and price are known.

        >>> price = next(p for p in prices() if p.instance_type == "p4d.24xlarge")
        >>> round(price.usd_per_instance_hour, 2)
        21.96
        """
        if self.usd_per_accelerator_hour is None or self.accelerators_per_instance is None:
            return None
        return self.usd_per_accelerator_hour * self.accelerators_per_instance

    def age_days(self, today: datetime.date) -> int:
        """Return how old the price is at a date, at most: blanks count as the first day.

        >>> prices()[0].age_days(datetime.date(2026, 1, 1)) >= 31
        True
        """
        year, month, day = (*self.as_of.split("-"), "1", "1")[:3]
        return (today - datetime.date(int(year), int(month), int(day))).days


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceTable:
    """The prices that could be read and notes about the rows that could not."""

    prices: tuple[Price, ...]
    notes: tuple[str, ...]


def prices() -> tuple[Price, ...]:
    """Return every bundled price that can be read, in the order of the fact table.

    >>> prices()[0].provider, prices()[0].kind
    ('aws', 'on-demand')
    """
    return price_table().prices


@cache
def price_table() -> PriceTable:
    """Return the bundled prices with the notes about skipped rows."""
    return parse_prices(table("prices"))


def parse_prices(rows: Iterable[Row]) -> PriceTable:
    """Return the prices of rows in the form of the bundled table.

    A row with a text where a number must be, an unknown accelerator, kind or date, or
    another currency is skipped with a note that names file, line and reason.
    """
    read: list[Price] = []
    notes: list[str] = []
    known = frozenset(entry.id for entry in accelerators())
    for row in rows:
        try:
            price = _price(row, known)
        except DataError as error:
            notes.append(f"{error}; row skipped")
            continue
        read.append(price)
        if row.number("usd_per_accelerator_hour") == 0:
            notes.append(f"{row.error('a price of 0 is unknown, not free')}")
    return PriceTable(prices=tuple(read), notes=tuple(notes))


def _price(row: Row, known: frozenset[str]) -> Price:
    accelerator_id, kind, as_of = row.text("accelerator_id"), row.text("kind"), row.text("as_of")
    if accelerator_id not in known:
        raise row.error(f"unknown accelerator {accelerator_id!r}")
    if kind not in PRICE_KINDS:
        raise row.error(f"unknown kind of price {kind!r}")
    if row.text("currency") != "USD":
        raise row.error(f"currency {row.text('currency')!r} needs a stated rate to USD")
    _check_date(row, as_of)
    return Price(
        accelerator_id=accelerator_id,
        provider=row.text("provider"),
        instance_type=row.text("instance_type"),
        accelerators_per_instance=_positive_count(row),
        kind=kind,
        usd_per_accelerator_hour=_positive_price(row),
        region=row.optional("region"),
        as_of=as_of,
        source=row.text("source"),
        confidence=row.text("confidence"),
        notes=row.optional("notes"),
    )


def _positive_price(row: Row) -> float | None:
    value = row.number("usd_per_accelerator_hour")
    if value is None or value == 0:
        return None
    if not math.isfinite(value) or value < 0:
        raise row.error(f"no price: {value}")
    return value


def _positive_count(row: Row) -> int | None:
    count = row.count("accelerators_per_instance")
    if count is not None and count < 1:
        raise row.error(f"no instance size: {count}")
    return count


def _check_date(row: Row, as_of: str) -> None:
    parts = as_of.split("-")
    try:
        datetime.date.fromisoformat("-".join((*parts, "01", "01")[:3]))
    except ValueError:
        raise row.error(f"no date: {as_of!r}") from None
