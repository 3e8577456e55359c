import datetime

import pytest
from advise_builders import H100, price, price_list

from equipoise.advise import EnergyAssumption, OfferBook, Purchase, SpotAssumption
from equipoise.advise.offers import age_days, rentable_sizes
from equipoise.advise.quantities import parse_amount_usd, parse_duration_min
from equipoise.errors import UnknownNameError, UsageError


def test_whole_instances_are_rented():
    offer = OfferBook(price_list(price(3.0, 8))).cheapest(H100, 12)
    assert (offer.instances, offer.rented_accelerators) == (2, 16)
    assert offer.cost_usd(30.0) == pytest.approx(16 * 0.5 * 3.0)


def test_rounding_can_make_the_dearer_price_cheaper():
    book = OfferBook(price_list(price(3.0, 8), price(3.5, 4, instance_type="x4")))
    assert book.cheapest(H100, 12).price.instance_type == "x4"
    assert book.cheapest(H100, 8).price.instance_type == "x8"


def test_bundled_singles_do_not_make_a_cluster_but_the_users_do():
    singles = price(1.0, 1)
    assert OfferBook(price_list(singles, own=False)).cheapest(H100, 16, per_node=8) is None
    assert OfferBook(price_list(singles, own=True)).cheapest(H100, 16, per_node=8).instances == 16
    assert OfferBook(price_list(singles, own=False)).cheapest(H100, 1) is not None


def test_offers_that_do_not_say_what_is_rented_together_fill_one_node():
    loose = price(1.0, None)
    book = OfferBook(price_list(loose, own=False))
    assert book.cheapest(H100, 8, per_node=8).instances is None
    assert book.cheapest(H100, 16, per_node=8) is None


def test_reserved_means_one_or_three_years():
    prices = price_list(price(2.0, kind="reserved-1y"), price(1.0, kind="reserved-3y"))
    assert OfferBook(prices, kind="reserved").cheapest(H100, 8).usd_per_hour == 8.0
    assert OfferBook(prices, kind="reserved-1y").cheapest(H100, 8).usd_per_hour == 16.0
    with pytest.raises(UnknownNameError):
        OfferBook(prices, kind="gift")


def test_sizes_fill_instances():
    book = OfferBook(price_list(price(3.0, 8), price(3.0, 2, instance_type="x2")))
    assert rentable_sizes(book, H100, most=40) == (2, 4, 8, 16, 32)
    assert rentable_sizes(book, "unknown", most=40) == ()


def test_spot_time_grows_with_instances_and_may_never_end():
    spot = SpotAssumption(interruptions_per_instance_hour=0.1, lost_min=30.0)
    assert spot.stretched_min(60.0, 2) == pytest.approx(60.0 / 0.9)
    assert spot.stretched_min(60.0, 20) is None


def test_age_of_a_price():
    today = datetime.date(2026, 2, 14)
    assert age_days(price(), today) == 30
    assert age_days(price(as_of="not stated"), today) is None


def test_energy_by_hand():
    energy = EnergyAssumption(load=0.8, host_factor=1.25, pue=1.5, grid_g_per_kwh=400.0)
    kwh = energy.energy_kwh(H100, 8, 30.0)
    assert kwh == pytest.approx(8 * 0.7 * 0.8 * 1.25 * 1.5 * 0.5)
    assert energy.carbon_kg(kwh) == pytest.approx(kwh * 0.4)
    assert energy.energy_kwh("no such thing", 8, 30.0) is None
    assert EnergyAssumption().carbon_kg(kwh) is None
    assert "not an MLPerf metric" in energy.words()


@pytest.mark.parametrize("odd", [{"load": 0.0}, {"pue": 0.9}, {"grid_g_per_kwh": -1.0}])
def test_odd_energy_assumptions_are_refused(odd):
    with pytest.raises(UsageError):
        EnergyAssumption(**odd)


def purchase(**changes) -> Purchase:
    fields = {
        "accelerator_id": H100,
        "price_usd_per_accelerator": 40_000.0,
        "years": 4.0,
        "utilisation": 0.5,
        "power_price_usd_per_kwh": 0.1,
        "energy": EnergyAssumption(load=1.0, host_factor=1.0, pue=1.0),
    }
    return Purchase(**(fields | changes))


def test_purchase_by_hand():
    owned = purchase()
    power = 0.7 * 0.1
    assert owned.usd_per_accelerator_hour == pytest.approx(10_000 / (8760 * 0.5) + power)
    assert owned.cost_usd(8, 90.0) == pytest.approx(12 * owned.usd_per_accelerator_hour)
    limit = owned.breakeven_utilisation(3.0)
    assert limit == pytest.approx(10_000 / (8760 * (3.0 - power)))
    at_limit = purchase(utilisation=limit)
    assert at_limit.usd_per_accelerator_hour == pytest.approx(3.0)
    assert f"{limit:.0%}" in owned.words(3.0)


def test_purchase_that_never_pays():
    assert purchase().breakeven_utilisation(0.05) is None
    assert "renting is cheaper" in purchase().words(0.05)
    assert "renting is cheaper" in purchase(price_usd_per_accelerator=4e5).words(3.0)
    unknown = purchase(accelerator_id="no such thing")
    assert unknown.usd_per_accelerator_hour is None
    assert unknown.cost_usd(8, 10.0) is None
    with pytest.raises(UsageError):
        purchase(utilisation=1.5)


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("2h", 120.0),
        ("30min", 30.0),
        ("1h30min", 90.0),
        ("90 s", 1.5),
        ("1.5h", 90.0),
        ("2d", 2880),
        ("2 weeks", 20160),
    ],
)
def test_durations(text, minutes):
    assert parse_duration_min(text) == pytest.approx(minutes)


@pytest.mark.parametrize("text", ["", "2", "h", "2 fortnights", "-2h", "0h", "2h or so", "1e400h"])
def test_odd_durations_are_refused(text):
    with pytest.raises(UsageError):
        parse_duration_min(text)


@pytest.mark.parametrize("text", ["500usd", "$500", "500", "500 USD", "0,500usd", "$ 500.00"])
def test_amounts(text):
    assert parse_amount_usd(text) == pytest.approx(500.0)


@pytest.mark.parametrize(
    ("text", "dollars"), [("$2M", 2e6), ("2Musd", 2e6), ("20 kUSD", 2e4), ("1.5k", 1500.0)]
)
def test_thousands_and_millions(text, dollars):
    assert parse_amount_usd(text) == pytest.approx(dollars)


@pytest.mark.parametrize("text", ["", "usd", "500eur", "2kM", "-500", "0", "5 hundred"])
def test_odd_amounts_are_refused(text):
    with pytest.raises(UsageError):
        parse_amount_usd(text)
