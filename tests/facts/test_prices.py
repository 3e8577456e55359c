"""Prices: a broken row never breaks the rest, and zero is unknown."""

import datetime

import pytest

from equipoise import facts
from equipoise.facts.tables import Row

GOOD = {
    "accelerator_id": "h100-sxm5-80gb",
    "provider": "p",
    "instance_type": "8x",
    "accelerators_per_instance": "8",
    "kind": "on-demand",
    "usd_per_accelerator_hour": "3.00",
    "currency": "USD",
    "region": "us",
    "as_of": "2026-09",
    "as_of_precision": "month",
    "source": "example price list",
    "confidence": "high",
    "notes": "",
}


def read(**changes: str) -> facts.PriceTable:
    return facts.parse_prices([Row({**GOOD, **changes}, "own.csv", 2), Row(GOOD, "own.csv", 3)])


def test_a_good_row() -> None:
    whole = read()
    assert whole.notes == ()
    assert whole.prices[0].usd_per_accelerator_hour == 3.0
    assert whole.prices[0].usd_per_instance_hour == 24.0
    assert whole.prices[0].age_days(datetime.date(2026, 9, 11)) == 10


@pytest.mark.parametrize(
    ("column", "value", "reason"),
    [
        ("usd_per_accelerator_hour", "call us", "is no number"),
        ("usd_per_accelerator_hour", "-1", "no price"),
        ("usd_per_accelerator_hour", "nan", "no price"),
        ("usd_per_accelerator_hour", "inf", "no price"),
        ("accelerators_per_instance", "eight", "is no number"),
        ("accelerators_per_instance", "0", "no instance size"),
        ("accelerator_id", "h100", "unknown accelerator 'h100'"),
        ("accelerator_id", "", "is blank"),
        ("kind", "hourly", "unknown kind"),
        ("currency", "EUR", "needs a stated rate"),
        ("as_of", "last week", "no date"),
        ("source", " ", "is blank"),
    ],
)
def test_a_broken_row_is_skipped_with_a_note(column: str, value: str, reason: str) -> None:
    whole = read(**{column: value})
    assert len(whole.prices) == 1
    assert len(whole.notes) == 1
    assert reason in whole.notes[0]
    assert whole.notes[0].startswith("own.csv:2: ")


@pytest.mark.parametrize("value", ["0", "0.0", ""])
def test_zero_and_blank_are_unknown(value: str) -> None:
    whole = read(usd_per_accelerator_hour=value)
    assert whole.prices[0].usd_per_accelerator_hour is None
    assert whole.prices[0].usd_per_instance_hour is None
    assert bool(whole.notes) == bool(value)


def test_bundled_prices_by_hand() -> None:
    found = {
        (p.instance_type, p.kind): p
        for p in facts.prices()
        if p.provider == "aws" and p.accelerator_id == "h100-sxm5-80gb"
    }
    assert found["p5.48xlarge", "on-demand"].usd_per_accelerator_hour == 6.88
    assert found["p5.48xlarge", "spot"].usd_per_accelerator_hour == 1.7808
    assert found["p5.48xlarge", "capacity-block"].usd_per_accelerator_hour == 4.916
    kinds = {p.kind for p in facts.prices()}
    assert {"on-demand", "spot", "reserved-1y", "reserved-3y"} <= kinds


def test_an_unknown_bundled_price_stays_unknown() -> None:
    unknown = [p for p in facts.prices() if p.usd_per_accelerator_hour is None]
    assert [(p.instance_type, p.kind) for p in unknown] == [("p5e.48xlarge", "on-demand")]
