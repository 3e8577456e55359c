"""Buying beside renting: what an owned accelerator-hour costs and when it pays."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import field

from equipoise.advise.energy import EnergyAssumption
from equipoise.advise.results import OptionRow, PurchaseRow
from equipoise.errors import UsageError
from equipoise.structs import dataclass
from equipoise.units import H_PER_YEAR, MIN_PER_H


@dataclass(frozen=True, slots=True, kw_only=True)
class Purchase:
    """The purchase of a system, per accelerator, all prices in US dollars."""

    accelerator_id: str
    price_usd_per_accelerator: float
    """Purchase price of the whole system over its accelerators."""
    years: float
    """Time over which it is written off."""
    utilisation: float
    """Share of all hours in which it trains."""
    power_price_usd_per_kwh: float
    running_usd_per_accelerator_year: float = 0.0
    """Staff, space, support."""
    energy: EnergyAssumption = field(default_factory=EnergyAssumption)

    def __post_init__(self) -> None:
        """Refuse amounts that cannot be."""
        if not (0.0 < self.price_usd_per_accelerator < math.inf and 0.0 < self.years < math.inf):
            raise UsageError("purchase price and years must be more than 0")
        if not 0.0 < self.utilisation <= 1.0:
            raise UsageError("utilisation must be more than 0 and at most 1")
        if self.power_price_usd_per_kwh < 0.0 or self.running_usd_per_accelerator_year < 0.0:
            raise UsageError("power price and running costs must be 0 or more")

    @property
    def usd_per_year(self) -> float:
        """Return the yearly cost of owning one accelerator, power aside."""
        return self.price_usd_per_accelerator / self.years + self.running_usd_per_accelerator_year

    @property
    def power_usd_per_hour(self) -> float | None:
        """Return the power cost of one busy accelerator-hour, None without a TDP."""
        kwh = self.energy.energy_kwh(self.accelerator_id, 1, MIN_PER_H)
        return None if kwh is None else kwh * self.power_price_usd_per_kwh

    @property
    def usd_per_accelerator_hour(self) -> float | None:
        """Return what one used accelerator-hour costs: owning / (8760 u) + power."""
        power = self.power_usd_per_hour
        if power is None:
            return None
        return self.usd_per_year / (H_PER_YEAR * self.utilisation) + power

    def cost_usd(self, accelerators: int, time_min: float) -> float | None:
        """Return the cost of one training on owned accelerators."""
        rate = self.usd_per_accelerator_hour
        return None if rate is None else rate * accelerators * time_min / MIN_PER_H

    def breakeven_utilisation(self, rent_usd_per_accelerator_hour: float) -> float | None:
        """Return the utilisation from which buying is cheaper than renting.

        u* = owning per year / (8760 (rent - power)); None when renting costs no more than
        the power alone or no TDP is known; above 1: renting is always cheaper.

        >>> purchase = Purchase(accelerator_id="h100-sxm5-80gb", years=4.0, utilisation=0.6,
        ...                     price_usd_per_accelerator=35040.0, power_price_usd_per_kwh=0.0)
        >>> purchase.breakeven_utilisation(4.0), round(purchase.usd_per_accelerator_hour, 4)
        (0.25, 1.6667)
        """
        power = self.power_usd_per_hour
        if power is None or rent_usd_per_accelerator_hour <= power:
            return None
        return self.usd_per_year / (H_PER_YEAR * (rent_usd_per_accelerator_hour - power))

    def words(self, rent_usd_per_accelerator_hour: float) -> str:
        """Return the comparison with renting in one sentence."""
        rate = self.usd_per_accelerator_hour
        limit = self.breakeven_utilisation(rent_usd_per_accelerator_hour)
        if rate is None:
            return f"no power figure is known for {self.accelerator_id}: buying is not computed"
        text = (
            f"owned, an accelerator-hour costs {rate:.2f} USD at {self.utilisation:.0%} "
            f"utilisation over {self.years:g} years, rented {rent_usd_per_accelerator_hour:.2f} USD"
        )
        if limit is None or limit > 1.0:
            return f"{text}: renting is cheaper at every utilisation"
        return f"{text}: buying pays from {limit:.0%} utilisation on"

    def assumed(self) -> str:
        """Return what the price of an owned accelerator-hour rests on."""
        e = self.energy
        running = self.running_usd_per_accelerator_year
        return (
            f"a purchase is written off over {self.years:g} years at {self.utilisation:.0%} "
            f"utilisation, without interest; power at {self.power_price_usd_per_kwh:g} USD/kWh: "
            f"TDP x {e.load:g} load x {e.host_factor:g} for hosts x PUE {e.pue:g}; running costs "
            f"of {running:,.0f} USD per accelerator and year"
        )


def purchase_rows(
    options: Iterable[OptionRow], purchases: Mapping[str, Purchase]
) -> tuple[PurchaseRow, ...]:
    """Return buying beside renting for the best option of every accelerator, best first."""
    best: dict[str, OptionRow] = {}
    for option in sorted(options, key=lambda row: row.rank):
        best.setdefault(option.accelerator_id, option)
    return tuple(
        _purchase_row(option, purchases[name]) for name, option in best.items() if name in purchases
    )


def _purchase_row(option: OptionRow, purchase: Purchase) -> PurchaseRow:
    rent = option.price_usd_per_accelerator_hour
    return PurchaseRow(
        accelerator_id=option.accelerator_id,
        accelerators=option.accelerators,
        time_to_train_min=option.time_to_train_min,
        price_usd_per_accelerator=purchase.price_usd_per_accelerator,
        owned_usd_per_accelerator_hour=purchase.usd_per_accelerator_hour,
        rented_usd_per_accelerator_hour=rent,
        cost_owned_usd=purchase.cost_usd(option.accelerators, option.time_to_train_min),
        cost_rented_usd=option.cost_usd,
        utilisation=purchase.utilisation,
        breakeven_utilisation=None if rent is None else purchase.breakeven_utilisation(rent),
        reason="no price to rent it is known" if rent is None else purchase.words(rent),
    )
