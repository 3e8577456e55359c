import dataclasses
import datetime
import json
import math

import numpy as np
import pytest
from advise_builders import H100, candidate, configuration, price, price_list
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.advise import (
    EnergyAssumption,
    OfferBook,
    Prediction,
    Purchase,
    SpotAssumption,
    advise,
    bundled_prices,
    cheapest_under_deadline,
    fastest_under_budget,
    measured_candidates,
    predicted_candidates,
)
from equipoise.advise.prices import own_price
from equipoise.errors import UnknownNameError, UsageError

TODAY = datetime.date(2026, 2, 14)


def curve(sizes=(8, 16, 32, 64), **changes):
    return [candidate(n, 400.0 / n**0.85, **changes) for n in sizes]


def asked(candidates, **options):
    options = {"prices": price_list(), "today": TODAY} | options
    result = advise(candidates, **options)
    json.dumps(dataclasses.asdict(result), allow_nan=False)
    return result


@pytest.mark.parametrize("kind", ["on-demand", "spot"])
def test_cost_is_instances_times_hours_times_price(kind):
    prices = price_list(price(3.0), price(1.0, kind="spot"))
    spot = SpotAssumption(interruptions_per_instance_hour=0.0)
    row = asked([candidate(12, 45.0)], prices=prices, price_kind=kind, spot=spot).options[0]
    usd = {"on-demand": 3.0, "spot": 1.0}[kind]
    assert row.cost_usd == pytest.approx(2 * 8 * 0.75 * usd)
    assert (row.instances, row.rented_accelerators) == (2, 16)
    assert row.accelerator_hours == pytest.approx(12 * 0.75)
    assert row.price_age_days == 30


def test_bundled_cost_by_hand():
    row = asked([candidate(64, 30.0)], prices=bundled_prices()).options[0]
    expected = row.instances * 8 * 0.5 * row.price_usd_per_accelerator_hour
    assert row.cost_usd == pytest.approx(expected)
    assert row.instances == 8


def test_every_option_satisfies_the_limits_and_has_chances():
    result = asked(curve(), deadline_min=40.0, budget_usd=70.0)
    assert 0 < len(result.options) < 4
    assert any(row.pareto for row in result.options)
    for row in result.options:
        assert row.time_to_train_min <= 40.0
        assert row.cost_usd <= 70.0
        for chance in (row.probability_meets_deadline, row.probability_within_budget):
            assert 0.5 <= chance <= 1.0
        assert row.probability_both == min(
            row.probability_meets_deadline, row.probability_within_budget
        )
    assert [row.rank for row in result.options] == sorted(row.rank for row in result.options)
    assert sum(row.count for row in result.excluded) == 4 - len(result.options)
    assert result.near_misses == ()
    assert len(result.justification) == 2
    assert "accelerator-hours" in result.justification[0]


def test_chance_is_the_lognormal_one():
    wide = candidate(8, 60.0, time_log_sigma=0.2)
    row = asked([wide], deadline_min=60.0 * math.exp(0.2)).options[0]
    assert row.probability_meets_deadline == pytest.approx(0.8413447, abs=1e-6)
    assert row.time_to_train_min_high == pytest.approx(60.0 * math.exp(0.2 * 1.6448536))
    sure = asked([candidate(8, 60.0, time_log_sigma=0.0)], deadline_min=61.0).options[0]
    assert sure.probability_meets_deadline == 1.0


def test_objectives_order_the_options():
    fast = asked(curve(), objective="time").options
    cheap = asked(curve(), objective="cost").options
    balanced = asked(curve(), objective="balanced").options
    assert [row.accelerators for row in fast] == [64, 32, 16, 8]
    assert [row.accelerators for row in cheap] == [8, 16, 32, 64]
    assert {row.accelerators for row in balanced} == {8, 16, 32, 64}
    with pytest.raises(UnknownNameError, match="balanced"):
        asked(curve(), objective="green")


def test_a_dominated_option_is_off_the_front_and_behind_its_better():
    for objective in ("balanced", "time", "cost"):
        options = asked([*curve(), candidate(32, 50.0)], objective=objective).options
        worse = next(row for row in options if row.time_to_train_min == 50.0)
        better = next(row for row in options if row.accelerators == 32 and row is not worse)
        assert not worse.pareto
        assert better.pareto
        assert better.rank < worse.rank


def test_marginal_cost_along_the_front():
    options = {row.accelerators: row for row in asked(curve()).options}
    assert options[8].marginal_cost_usd_per_saved_min is None
    saved = options[8].time_to_train_min - options[16].time_to_train_min
    extra = options[16].cost_usd - options[8].cost_usd
    assert options[16].marginal_cost_usd_per_saved_min == pytest.approx(extra / saved)


@given(
    seed=st.integers(0, 10_000),
    deadline=st.floats(1.0, 200.0),
    budget=st.floats(1.0, 500.0),
    more=st.floats(1.0, 3.0),
    kind=st.sampled_from(["on-demand", "spot"]),
)
@settings(max_examples=60, deadline=None)
def test_wider_limits_never_remove_an_option(seed, deadline, budget, more, kind):
    rng = np.random.default_rng(seed)
    candidates = [
        candidate(int(n), float(300.0 / n**0.8 * rng.lognormal(0, 0.3)))
        for n in 2 ** rng.integers(0, 8, 12)
    ]
    prices = price_list(price(3.0, 8), price(3.4, 1), price(1.1, 4, kind="spot"))

    def kept(deadline_min, budget_usd):
        result = asked(
            candidates,
            prices=prices,
            price_kind=kind,
            deadline_min=deadline_min,
            budget_usd=budget_usd,
        )
        return {(row.accelerators, row.time_to_train_min) for row in result.options}

    narrow = kept(deadline, budget)
    assert narrow <= kept(deadline * more, budget)
    assert narrow <= kept(deadline, budget * more)
    assert narrow <= kept(None, budget)
    assert narrow <= kept(deadline, None)


def test_a_single_option_is_said_as_the_only_one():
    result = asked(curve()[:1])
    assert len(result.options) == 1
    assert "the only option that satisfies" in result.sentence
    assert "The choice is the only one within the limits" in result.justification[1]


def test_tighter_limits_end_in_near_misses_that_would_work():
    candidates = curve()
    result = asked(candidates, deadline_min=20.0, budget_usd=33.0)
    assert result.options == ()
    assert result.justification == ()
    assert "the budget would have to be" in result.sentence
    assert "the deadline would have to be" in result.sentence
    for miss in result.near_misses:
        again = asked(
            candidates,
            deadline_min=max(20.0, miss.deadline_needed_min or 0.0),
            budget_usd=max(33.0, miss.budget_needed_usd or 0.0),
        )
        assert miss.accelerators in {row.accelerators for row in again.options}


def test_without_a_price_a_budget_excludes_and_no_budget_comes_last():
    unpriced = candidate(8, 5.0, accelerator_id="tpu-v4")
    with_budget = asked([*curve(), unpriced], budget_usd=1000.0)
    assert "tpu-v4" not in {row.accelerator_id for row in with_budget.options}
    assert any("price is known" in row.reason for row in with_budget.excluded)
    free = asked([*curve(), unpriced])
    assert free.options[-1].accelerator_id == "tpu-v4"
    assert free.options[-1].cost_usd is None
    assert any("come last" in text for text in free.warnings)


def test_too_many_accelerators_and_unusable_inputs_are_counted():
    result = asked(curve(), max_accelerators=16, left_out={"accelerator not identified": 3})
    assert {row.accelerators for row in result.options} == {8, 16}
    assert {row.reason: row.count for row in result.excluded} == {
        "accelerator not identified": 3,
        "more accelerators than allowed": 2,
    }


def test_no_candidate_at_all_is_said():
    result = asked([], deadline_min=10.0)
    assert result.options == ()
    assert "no candidate at all" in result.sentence


def test_spot_assumption_is_stated_and_stretches_time_and_cost():
    prices = price_list(price(1.0, kind="spot"))
    spot = SpotAssumption(interruptions_per_instance_hour=0.1, lost_min=60.0)
    result = asked([candidate(8, 60.0)], prices=prices, price_kind="spot", spot=spot)
    assert result.options[0].time_to_train_min == pytest.approx(60.0 / 0.9)
    assert result.options[0].cost_usd == pytest.approx(8.0 / 0.9)
    assert any(text.startswith("spot: 0.1 interruptions") for text in result.assumptions)
    never = asked([candidate(80, 60.0)], prices=prices, price_kind="spot", spot=spot)
    assert "ever finishing" in never.excluded[0].reason


def test_energy_is_only_estimated_on_request():
    assert asked(curve()).options[0].energy_estimate_kwh is None
    energy = EnergyAssumption(grid_g_per_kwh=300.0)
    result = asked(curve(), energy=energy)
    assert all(row.energy_estimate_kwh > 0.0 for row in result.options)
    assert all(row.carbon_estimate_kg > 0.0 for row in result.options)
    assert any("not an MLPerf metric" in text for text in result.assumptions)


@pytest.mark.parametrize(
    "odd", [{"deadline_min": 0.0}, {"budget_usd": -5.0}, {"max_accelerators": 0}]
)
def test_impossible_limits_are_refused(odd):
    with pytest.raises(UsageError, match="more than 0"):
        asked(curve(), **odd)


def test_iso_time_and_iso_cost():
    other = [candidate(n, 250.0 / n**0.9, accelerator_id="b200-sxm-180gb") for n in (8, 16)]
    prices = price_list(price(3.0), price(6.0, accelerator_id="b200-sxm-180gb"))
    options = asked([*curve(), *other], prices=prices).options
    in_time = cheapest_under_deadline(options, deadline_min=39.0)
    assert {(o.accelerator_id, o.accelerators) for o in in_time} == {
        (H100, 16),
        ("b200-sxm-180gb", 8),
    }
    assert in_time[0].cost_usd <= in_time[1].cost_usd
    in_money = fastest_under_budget(options, budget_usd=45.0)
    assert all(o.cost_usd <= 45.0 for o in in_money)


# --- candidates ----------------------------------------------------------------------------


def test_the_latest_round_stands_for_a_group():
    candidates, left_out = measured_candidates(
        [
            configuration(12.0, round="v4.0"),
            configuration(10.0, submitter="A"),
            configuration(11.0, submitter="B"),
            configuration(4.0, 32),
            configuration(500.0, 0, accelerator_id=None),
            configuration(9.0, accelerator_id=None),
        ]
    )
    assert left_out == {"no accelerators (CPU only)": 1, "accelerator not identified": 1}
    group = next(c for c in candidates if c.accelerators == 8)
    assert group.round == "v4.1"
    assert group.configurations == 2
    assert group.time_median_min == pytest.approx(math.sqrt(110.0))
    between = math.log(1.1) / math.sqrt(2.0)
    assert group.time_log_sigma > between
    assert group.submitter == "A"


def test_own_measurements_stay_unverified_and_apart():
    own = configuration(9.0, division="unverified", submitter="us", round="own")
    candidates, _ = measured_candidates([configuration(10.0), own])
    assert {(c.basis, c.verified) for c in candidates} == {("measured", True), ("own", False)}
    row = next(o for o in asked(list(candidates)).options if not o.verified)
    assert "not verified by MLCommons" in row.reason


def test_predictions_fill_the_rentable_sizes_that_were_not_measured():
    asked_for = []

    def predict(wanted):
        asked_for.extend(wanted)
        return [
            "beyond the data"
            if n == 64
            else Prediction(
                time_median_min=400.0 / n, time_log_sigma=0.2, basis="interpolated", reason="a law"
            )
            for _, n in wanted
        ]

    measured = [candidate(16, 30.0)]
    found, refused = predicted_candidates(
        predict, OfferBook(price_list()), measured=measured, most=64
    )
    assert asked_for == [(H100, 8), (H100, 32), (H100, 64)]
    assert [(c.accelerators, c.basis, c.verified) for c in found] == [
        (8, "interpolated", False),
        (32, "interpolated", False),
    ]
    assert refused == {"beyond the data": 1}
    reasons = [row.reason for row in asked([*measured, *found], left_out=refused).options]
    assert sum("a law" in reason for reason in reasons) == 2


def test_a_predicted_first_choice_names_the_best_measured_one():
    options = [candidate(16, 10.0, basis="extrapolated"), candidate(8, 39.0)]
    need = asked(options, deadline_min=40.0, objective="time").justification[0]
    assert "Nobody has measured it; the best option that was measured is 8 x" in need
    alone = asked(options[:1], deadline_min=40.0).justification[0]
    assert "Nobody has measured any of the options." in alone
    measured = asked(options[1:], deadline_min=40.0).justification[0]
    assert "Nobody" not in measured


def test_predictions_are_held_to_linear_scaling_from_the_next_smaller_measurement():
    measured = [candidate(8, 80.0), candidate(32, 30.0), candidate(128, 20.0)]

    def predict(wanted):
        return [Prediction(time_median_min=1.0, time_log_sigma=0.1, basis="x") for _ in wanted]

    found, _ = predicted_candidates(predict, OfferBook(price_list()), measured=measured, most=512)
    times = {c.accelerators: c.time_median_min for c in found}
    assert times == {16: 40.0, 64: 15.0, 256: 10.0, 512: 5.0}
    assert all("held to linear scaling" in c.reason for c in found)


def test_a_measured_option_is_preferred_inside_the_interval_of_a_prediction():
    measured = candidate(8, 60.0)
    guess = candidate(16, 28.0, basis="extrapolated", time_log_sigma=0.2)
    assert asked([measured, guess]).options[0].basis == "measured"
    sure = dataclasses.replace(guess, time_log_sigma=0.001)
    assert asked([measured, sure]).options[0].basis == "extrapolated"
    assert asked([measured, guess], objective="time").options[0].basis == "extrapolated"


def test_buying_stands_beside_renting_with_the_breakeven_utilisation():
    terms = Purchase(
        accelerator_id=H100,
        price_usd_per_accelerator=35040.0,
        years=4.0,
        utilisation=0.5,
        power_price_usd_per_kwh=0.0,
    )
    result = asked(curve(), purchases={H100: terms, "a100-sxm4-80gb": terms})
    (row,) = result.purchases  # nothing of the other accelerator is an option
    assert row.owned_usd_per_accelerator_hour == pytest.approx(2.0)
    assert row.breakeven_utilisation == pytest.approx(1.0 / 3.0)  # rented for 3 USD
    assert row.cost_owned_usd == pytest.approx(row.cost_rented_usd * 2.0 / 3.0)
    assert "buying pays from 33% utilisation on" in row.reason
    assert any("written off over 4 years" in text for text in result.assumptions)
    assert asked(curve()).purchases == ()


def test_an_own_price_replaces_those_of_its_accelerator_for_any_number():
    bundled = price_list(price(3.0), price(1.0, accelerator_id="a100-sxm4-80gb"), own=False)
    book = OfferBook(bundled.replaced(own_price(H100, 2.5, kind="on-demand")))
    assert book.cheapest(H100, 100).usd_per_hour == pytest.approx(250.0)
    assert book.cheapest("a100-sxm4-80gb", 8).usd_per_hour == pytest.approx(8.0)
