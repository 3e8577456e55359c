"""The terms of advice: price lists, rates, spot, energy, purchase, from what a user writes."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from equipoise import facts
from equipoise.errors import DataError, UsageError, printable

if TYPE_CHECKING:
    from equipoise.advise import EnergyAssumption, PriceList, Purchase, SpotAssumption
    from equipoise.workflow.measured import OwnJob

SHOWN: Final = 5
"""Reasons named of a price list that cannot be used."""
CODE_LETTERS: Final = 3
SIGNS: Final = {"€": "EUR", "£": "GBP", "¥": "JPY"}
YEARS: Final = 4.0
UTILISATION: Final = 0.6
POWER_USD_PER_KWH: Final = 0.12


def price_list(prices: str | Path | None, rates: str | None) -> "PriceList":
    """Return the bundled price list or the user's own from a file.

    Raises
    ------
    UsageError
        When the file cannot be read or a rate is not of the form EUR=1.08.
    """
    from equipoise.advise import bundled_prices, read_price_list

    if prices is None:
        return bundled_prices()
    try:
        text = Path(prices).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the price list {prices}: {error}") from error
    label = Path(prices).name
    found = read_price_list(text.splitlines(), label=label, usd_per_unit=parse_rates(rates))
    if not any(price.usd_per_accelerator_hour for price in found.prices):
        reasons = "; ".join(found.notes[:SHOWN]) or "no row has a price"
        raise DataError(f"{label}: no price of this list can be used: {reasons}")
    return found


def amount_usd(amount: str | float, rates: str | None) -> float:
    """Return US dollars of `500usd`, `500`, or of `500eur` with a rate for EUR.

    >>> round(amount_usd("200 EUR", "EUR=1.08"), 6)
    216.0

    Raises
    ------
    UsageError
        No amount, or of a currency without a rate.
    """
    from equipoise.advise import parse_amount_usd

    text = str(amount).strip()
    for sign, code in SIGNS.items():
        text = text.replace(sign, code)
    known = parse_rates(rates)
    letters = re.sub(r"[^A-Za-z]", "", text).upper()
    if len(letters) != CODE_LETTERS or letters == "USD":
        return parse_amount_usd(str(amount))
    if letters not in known:
        raise UsageError(
            f"{printable(str(amount))} is in {letters}: state a rate, --rate {letters}=... "
            f"(US dollars for one {letters})"
        )
    return parse_amount_usd(re.sub(r"[A-Za-z]", "", text)) * known[letters]


def parse_rates(text: str | None) -> dict[str, float]:
    """Return currency -> US dollars for one unit.

    >>> parse_rates("EUR=1.08, GBP=1.27")
    {'EUR': 1.08, 'GBP': 1.27}
    """
    found: dict[str, float] = {}
    for item in (text or "").split(","):
        if not item.strip():
            continue
        name, _, value = item.partition("=")
        try:
            found[name.strip().upper()] = float(value)
        except ValueError as error:
            raise UsageError(f"rate {item.strip()!r} is not CURRENCY=USD, such as EUR=1.08") from (
                error
            )
    return found


def with_own_price(
    prices: "PriceList", job: "OwnJob", accelerator_id: str | None, *, kind: str
) -> "PriceList":
    """Return the list with the price of the user's own measurements for their accelerator.

    It stands in for every other price of that accelerator, counts for any number of
    accelerators, and for whatever kind of price was asked for.
    """
    from equipoise.advise.offers import KINDS
    from equipoise.advise.prices import own_price

    if job.price_usd_per_accelerator_hour is None or accelerator_id is None or kind not in KINDS:
        return prices
    return prices.replaced(
        own_price(accelerator_id, job.price_usd_per_accelerator_hour, kind=KINDS[kind][0])
    )


def spot(interruptions: float | None, lost: str | float | None) -> "SpotAssumption | None":
    """Return what is assumed of spot instances, None without a word of the user."""
    from equipoise.advise import SpotAssumption, parse_duration_min

    given = {}
    if interruptions is not None:
        given["interruptions_per_instance_hour"] = interruptions
    if lost is not None:
        text = str(lost)
        bare = text.replace(".", "", 1).isdecimal()
        given["lost_min"] = parse_duration_min(f"{text}min" if bare else text)
    return SpotAssumption(**given) if given else None


def energy(
    wanted: bool, grid_g_per_kwh: float | None, pue: float | None
) -> "EnergyAssumption | None":
    """Return what a planning estimate of energy assumes, None unless asked for."""
    from equipoise.advise import EnergyAssumption

    if not wanted and grid_g_per_kwh is None:
        return None
    given = {} if pue is None else {"pue": pue}
    return EnergyAssumption(grid_g_per_kwh=grid_g_per_kwh, **given)


def purchases(
    text: str | float | None,
    *,
    years: float | None,
    utilisation: float | None,
    power_price: float | None,
    running_cost: float | None,
    pue: float | None,
) -> "dict[str, Purchase]":
    """Return accelerator id -> its purchase, from a price per accelerator.

    `35000usd` is the price of every accelerator, `h200=38000usd,b200=50000usd` those of
    the named ones (id, family or vendor).

    Raises
    ------
    UsageError
        For a price that cannot be understood, or terms of a purchase without a price.
    """
    from equipoise.advise import EnergyAssumption, Purchase

    terms = (years, utilisation, power_price, running_cost)
    if text is None:
        if any(term is not None for term in terms):
            raise UsageError("terms of a purchase need its price: add --purchase, such as 35000usd")
        return {}
    assumed = EnergyAssumption() if pue is None else EnergyAssumption(pue=pue)
    return {
        accelerator_id: Purchase(
            accelerator_id=accelerator_id,
            price_usd_per_accelerator=usd,
            years=YEARS if years is None else years,
            utilisation=UTILISATION if utilisation is None else utilisation,
            power_price_usd_per_kwh=POWER_USD_PER_KWH if power_price is None else power_price,
            running_usd_per_accelerator_year=0.0 if running_cost is None else running_cost,
            energy=assumed,
        )
        for accelerator_id, usd in _purchase_prices(str(text)).items()
    }


def _purchase_prices(text: str) -> dict[str, float]:
    from equipoise.advise import parse_amount_usd

    if "=" not in text:
        usd = parse_amount_usd(text)
        return {accelerator.id: usd for accelerator in facts.accelerators()}
    found: dict[str, float] = {}
    for item in text.split(","):
        name, equals, amount = item.partition("=")
        if not equals:
            raise UsageError(
                f"purchase {printable(item.strip())!r} is not ACCELERATOR=USD, such as "
                "h200=38000usd (no comma inside an amount)"
            )
        for accelerator_id in facts.accelerators_matching(name.strip()):
            found[accelerator_id] = parse_amount_usd(amount)
    return found
