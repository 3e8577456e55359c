"""What renting n accelerators costs: whole instances, the cheapest offer, its age."""

import datetime
import math
from collections.abc import Iterable, Mapping

from equipoise.advise.prices import NOT_STATED, PriceList
from equipoise.errors import UnknownNameError
from equipoise.facts.prices import PRICE_KINDS, Price
from equipoise.structs import dataclass
from equipoise.units import MIN_PER_H

KINDS: Mapping[str, tuple[str, ...]] = {
    **{kind: (kind,) for kind in PRICE_KINDS},
    "reserved": ("reserved-1y", "reserved-3y"),
}
"""What can be asked for -> kinds of prices that satisfy it."""

NODE = 4
"""Accelerators per instance that a training on several needs when no node is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpotAssumption:
    """How interruptions of spot instances lengthen a training.

    Every instance is interrupted `interruptions_per_instance_hour` times an hour; each
    time the whole job loses `lost_min` (half a checkpoint interval and the restart).
    """

    interruptions_per_instance_hour: float = 0.005
    lost_min: float = 15.0

    def stretched_min(self, time_min: float, instances: int) -> float | None:
        """Return T / (1 - lambda instances lost), None when the job never gets on.

        >>> SpotAssumption(interruptions_per_instance_hour=0.05, lost_min=12.0).stretched_min(
        ...     60.0, 10).__round__(2)
        66.67
        """
        lost = self.interruptions_per_instance_hour * instances * self.lost_min / MIN_PER_H
        return time_min / (1.0 - lost) if lost < 1.0 else None

    def words(self) -> str:
        """Return the assumption in words."""
        return (
            f"spot: {self.interruptions_per_instance_hour:g} interruptions per instance-hour, "
            f"{self.lost_min:g} min of the whole job lost each time (assumed, not measured)"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """n accelerators rented as whole instances at one price."""

    price: Price
    usd_per_accelerator_hour: float
    accelerators: int
    instances: int | None
    """None where single accelerators are sold without instances."""
    rented_accelerators: int

    @property
    def usd_per_hour(self) -> float:
        """Return the price of everything that is rented."""
        return self.usd_per_accelerator_hour * self.rented_accelerators

    def cost_usd(self, time_min: float) -> float:
        """Return instances x accelerators x hours x price per accelerator-hour."""
        return self.usd_per_hour * time_min / MIN_PER_H

    def words(self) -> str:
        """Return what is rented, in words with the date of the price."""
        p = self.price
        what = (
            f"{self.rented_accelerators} accelerators"
            if self.instances is None
            else f"{self.instances} x {p.instance_type}"
        )
        return (
            f"{what} at {p.provider}, {self.usd_per_accelerator_hour:.2f} USD per "
            f"accelerator-hour {p.kind} ({dated(p.as_of)})"
        )


def dated(as_of: str | None) -> str:
    """Return the date of a price in words.

    >>> dated("2026-03"), dated("not stated")
    ('as of 2026-03', 'date not stated')
    """
    return "date not stated" if as_of in (None, NOT_STATED) else f"as of {as_of}"


class OfferBook:
    """The offers of one kind in a price list, by accelerator."""

    def __init__(self, prices: PriceList, *, kind: str = "on-demand") -> None:
        if kind not in KINDS:
            raise UnknownNameError("kind of price", kind, KINDS)
        self.own = prices.own
        self.own_ids = prices.own_ids
        self.kind = kind
        self._known: dict[str, list[tuple[float, Price]]] = {}
        for price in prices.prices:
            usd = price.usd_per_accelerator_hour
            if usd is not None and price.kind in KINDS[kind]:
                self._known.setdefault(price.accelerator_id, []).append((usd, price))

    @property
    def accelerator_ids(self) -> tuple[str, ...]:
        """Return every accelerator with a known price of the kind."""
        return tuple(self._known)

    def offers(
        self, accelerator_id: str, accelerators: int, *, per_node: int | None = None
    ) -> list[Offer]:
        """Return every offer for n accelerators, cheapest first.

        Of the bundled list, instances with fewer accelerators than a node of the measured
        system (`per_node`) are left out for a training that fills one: nobody trains on 64
        single rented accelerators without a network between them. Offers that do not say
        what is rented together are used up to one node. The user's own list is taken as it
        is.
        """
        node = per_node or NODE
        found = []
        for usd, price in self._known.get(accelerator_id, ()):
            size = price.accelerators_per_instance
            together = node if size is None else size
            own = self.own or accelerator_id in self.own_ids
            if not own and together < (accelerators if size is None else min(accelerators, node)):
                continue
            instances = None if size is None else math.ceil(accelerators / size)
            found.append(
                Offer(
                    price=price,
                    usd_per_accelerator_hour=usd,
                    accelerators=accelerators,
                    instances=instances,
                    rented_accelerators=accelerators
                    if size is None or instances is None
                    else instances * size,
                )
            )
        return sorted(found, key=lambda o: (o.usd_per_hour, o.rented_accelerators))

    def cheapest(
        self, accelerator_id: str, accelerators: int, *, per_node: int | None = None
    ) -> Offer | None:
        """Return the cheapest offer for n accelerators, None when there is none."""
        return next(iter(self.offers(accelerator_id, accelerators, per_node=per_node)), None)


def rentable_sizes(
    book: OfferBook, accelerator_id: str, *, most: int, per_node: int | None = None
) -> tuple[int, ...]:
    """Return the counts 1, 2, 4, ... up to `most` that fill whole instances of some offer.

    >>> from equipoise.advise.prices import bundled_prices
    >>> rentable_sizes(OfferBook(bundled_prices()), "gb200", most=64)
    (4, 8, 16, 32, 64)
    """
    sizes: set[int] = set()
    for offer in book.offers(accelerator_id, 1, per_node=per_node):
        count = offer.price.accelerators_per_instance or 1
        while count <= most:
            if book.cheapest(accelerator_id, count, per_node=per_node) is not None:
                sizes.add(count)
            count *= 2
    return tuple(sorted(sizes))


def age_days(price: Price, today: datetime.date) -> int | None:
    """Return the age of a price in days, None when its date is not stated."""
    try:
        return price.age_days(today)
    except ValueError:
        return None


def oldest_words(offers: Iterable[Offer], today: datetime.date) -> str | None:
    """Return how old the oldest of the prices in use is, None when no date is stated."""
    dated = [
        (age, offer.price.as_of)
        for offer in offers
        if (age := age_days(offer.price, today)) is not None
    ]
    if not dated:
        return None
    age, as_of = max(dated)
    return f"the oldest price in use is of {as_of}, up to {age} days old"
