import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.advise import bundled_prices, read_price_list
from equipoise.advise.offers import OfferBook
from equipoise.errors import DataError, EquipoiseError, UsageError


def read_case(shared, name, **options):
    folder = shared / "cases" / name
    text = (folder / "input" / "prices.csv").read_text().splitlines()
    found = read_price_list(text, label="prices.csv", **options)
    return found, json.loads((folder / "expected.json").read_text())


def by_provider(found, kind):
    return {p.provider: p.usd_per_accelerator_hour for p in found.prices if p.kind == kind}


def test_case_price_zero_means_unknown(shared):
    found, expected = read_case(shared, "90-price-zero-means-unknown")
    on_demand = by_provider(found, "on-demand")
    wanted = dict(expected["on_demand_per_accelerator_hour"])
    del wanted["P5"]
    assert on_demand == pytest.approx(wanted)
    accelerator = found.prices[0].accelerator_id
    cheapest = OfferBook(found).cheapest(accelerator, 1)
    assert cheapest.price.provider == expected["cheapest_on_demand"]
    spot = OfferBook(found, kind="spot").cheapest(accelerator, 8)
    assert {spot.price.provider: spot.usd_per_accelerator_hour} == pytest.approx(
        expected["cheapest_spot_per_accelerator"]
    )
    notes = "\n".join(found.notes)
    assert "prices.csv:3: price_per_hour is 0: the price is unknown, not free" in notes
    assert "spot of P4 d1 is dearer than on demand: kept" in notes
    assert "prices.csv:6: the price is in EUR: state a rate" in notes
    job = expected["job"]
    offers = OfferBook(found).offers(accelerator, job["accelerators"])
    first = next(offer for offer in offers if offer.price.provider == "P1")
    assert first.cost_usd(job["minutes"]) == pytest.approx(job["P1_cost"])
    assert first.instances == 8


def test_case_with_a_stated_rate(shared):
    found, _ = read_case(shared, "90-price-zero-means-unknown", usd_per_unit={"eur": 1.1})
    assert by_provider(found, "on-demand")["P5"] == pytest.approx(2.75)


def test_case_price_does_not_grow_with_count(shared):
    found, expected = read_case(shared, "91-price-does-not-grow-with-count")
    assert any(expected["warning"] in note for note in found.notes)
    prices = {p.accelerators_per_instance: p.usd_per_accelerator_hour for p in found.prices}
    assert prices == {1: 0.79, 2: None, 8: None}
    assert {p.accelerator_id for p in found.prices} == {"A6000"}


def test_a_column_per_accelerator_is_not_divided():
    found = read_price_list(
        [
            "accelerator,count,usd_per_accelerator_hour,spot_usd_per_accelerator_hour",
            "h100-sxm5-80gb,8,3.5,1.5",
        ]
    )
    assert [(p.kind, p.usd_per_accelerator_hour) for p in found.prices] == [
        ("on-demand", 3.5),
        ("spot", 1.5),
    ]


def test_byte_order_mark_semicolons_and_dollar_signs_are_read():
    found = read_price_list(["\ufeffaccelerator;count;price_per_hour", "H100-SXM-80GB;8;$24"])
    assert found.prices[0].usd_per_accelerator_hour == 3.0
    assert any("read as US dollars" in note for note in found.notes)


def test_broken_rows_do_not_break_the_rest():
    found = read_price_list(
        [
            "accelerator,count,price_per_hour,kind",
            "h100-sxm5-80gb,8,free,on-demand",
            "h100-sxm5-80gb,eight,24,on-demand",
            "h100-sxm5-80gb,8,-1,on-demand",
            "h100-sxm5-80gb,8,inf,on-demand",
            "h100-sxm5-80gb,8,24,barter",
            ",8,24,on-demand",
            "h100-sxm5-80gb,,24,on-demand",
            "h100-sxm5-80gb,8,24,on_demand,too,many",
        ],
        label="p.csv",
    )
    assert [p.usd_per_accelerator_hour for p in found.prices] == [3.0]
    skipped = [note for note in found.notes if note.endswith("row skipped")]
    assert [note.split(":")[1] for note in skipped] == list("2345678")


def test_an_ambiguous_name_is_used_for_each_and_said():
    found = read_price_list(["accelerator,count,price_per_hour,currency", "H100,8,24,USD"])
    assert "h100-sxm5-80gb" in {p.accelerator_id for p in found.prices}
    assert "may be" in found.notes[0]


@pytest.mark.parametrize("lines", [[], ["a,b"], ["accelerator,count"], ["price_per_hour"]])
def test_a_list_without_the_columns_is_refused(lines):
    with pytest.raises(DataError, match="needs a column accelerator"):
        read_price_list(lines)


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan"), float("inf")])
def test_an_impossible_rate_is_refused(rate):
    with pytest.raises(UsageError, match="rate"):
        read_price_list(["accelerator,price_per_hour"], usd_per_unit={"EUR": rate})


@given(st.lists(st.lists(st.text(max_size=8), min_size=1, max_size=5).map(",".join), max_size=5))
def test_any_text_is_read_or_refused(rows):
    header = "accelerator,count,price_per_hour,currency"
    try:
        found = read_price_list([header, *rows])
    except EquipoiseError:
        return
    for price in found.prices:
        assert price.usd_per_accelerator_hour is None or price.usd_per_accelerator_hour > 0.0


def test_the_bundled_list_is_dated_and_not_the_users():
    found = bundled_prices()
    assert not found.own
    assert all(p.as_of and p.source for p in found.prices)
