import pytest

import equipoise as eq
from equipoise.errors import UsageError
from equipoise.workflow import terms

H100 = "h100-sxm5-80gb"
NO_TERMS = {"years": None, "utilisation": None, "power_price": None, "running_cost": None}


@pytest.fixture(scope="module")
def catalogue():
    return eq.open_catalogue()


def test_one_price_is_for_every_accelerator_and_a_family_for_all_of_it():
    everything = terms.purchases("35000usd", **NO_TERMS, pue=None)
    assert everything[H100].price_usd_per_accelerator == 35000.0
    assert len(everything) > 20
    named = terms.purchases("h100=30000usd,h200=38000", **NO_TERMS | {"years": 5.0}, pue=1.1)
    assert named[H100].price_usd_per_accelerator == 30000.0
    assert named[H100].years == 5.0
    assert named[H100].energy.pue == 1.1
    assert named["h200-sxm5-141gb"].price_usd_per_accelerator == 38000.0
    assert "a100-sxm4-80gb" not in named


@pytest.mark.parametrize(
    ("text", "given"),
    [
        (None, {"years": 3.0}),
        ("abc", {}),
        ("h100=30000,40000", {}),
        ("nosuch=30000", {}),
        ("30000", {"utilisation": 1.5}),
        ("30000", {"years": 0.0}),
    ],
)
def test_a_purchase_that_cannot_be_understood_is_refused(text, given):
    with pytest.raises(UsageError):
        terms.purchases(text, **NO_TERMS | given, pue=None)


def test_the_loss_of_an_interruption_is_minutes_or_a_duration():
    assert terms.spot(None, None) is None
    assert terms.spot(0.1, "20").lost_min == 20.0
    assert terms.spot(None, "1h").lost_min == 60.0
    assert terms.spot(0.1, 7.5).interruptions_per_instance_hour == 0.1


def test_the_price_of_the_users_own_file_is_used(catalogue, tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("accelerators,time_to_train_min,accelerator,price\n8,180,h100-sxm5-80gb,2.5\n")
    answer = eq.advise(catalogue, measured=path)
    row = next(o for o in answer.result.options if o.basis == "own")
    assert row.cost_usd == pytest.approx(8 * 3.0 * 2.5)
    assert row.price_source == "the user's own measurements"


def test_advice_has_iso_time_iso_cost_and_purchases(catalogue):
    answer = eq.advise(
        catalogue,
        "llama2_70b_lora",
        deadline="30min",
        budget="300usd",
        purchase="35000usd",
        utilisation=0.8,
    )
    options = answer.result.options
    cheapest = {row.accelerator_id: row for row in answer.tables["cheapest"]}
    assert cheapest == {
        name: min((o for o in options if o.accelerator_id == name), key=lambda o: o.cost_usd)
        for name in {o.accelerator_id for o in options}
    }
    assert {row.accelerator_id for row in answer.tables["fastest"]} == set(cheapest)
    assert {row.utilisation for row in answer.tables["purchases"]} == {0.8}
    assert options[0].basis == "measured"


def test_own_measurements_are_predicted_elsewhere_as_predict_does(catalogue):
    from equipoise.workflow.prediction import own_candidates

    own, ask = own_candidates(catalogue, [(8, 180.0)], accelerator_id=H100, like="bert")
    (elsewhere, here) = ask([("h200-sxm5-141gb", 16), (H100, 16)])
    told = eq.predict(
        catalogue, "bert", accelerator=H100, accelerators="16", measured="8=180min"
    ).result.predictions[0]
    assert own[0].time_median_min == 180.0
    assert here.time_median_min == pytest.approx(told.time_to_train_min)
    assert elsewhere.basis == "new_accelerator"
    assert elsewhere.time_median_min < here.time_median_min


def test_advice_says_that_the_measurements_contradict_the_benchmark_they_are_said_to_be_like(
    catalogue,
):
    own = {"measured": "64=172800min,128=88000min,256=46000min", "measured_on": H100}
    said = eq.advise(catalogue, like="llama31_8b", deadline="6w", budget="$2M", **own)
    told = eq.predict(
        catalogue, "llama31_8b", accelerator=H100, accelerators="512", measured=own["measured"]
    )
    doubts = [text for text in told.warnings if "contradict the curve of llama31_8b" in text]
    assert len(doubts) == 1
    assert "likest" not in doubts[0]
    assert doubts[0] in said.warnings
    (row,) = (
        o for o in said.tables["options"] if (o.accelerator_id, o.accelerators) == (H100, 512)
    )
    (predicted,) = told.result.predictions
    assert row.time_to_train_min == pytest.approx(predicted.time_to_train_min)
    assert "a deadline of 42 days" in " ".join(said.notes)
    assert "e+0" not in " ".join((said.headline or "", *said.notes, *said.warnings))
    free = eq.advise(catalogue, deadline="6w", budget="$2M", **own)
    assert not any("contradict" in text for text in free.warnings)


def test_a_suggestion_says_large_numbers_in_full(catalogue):
    answer = eq.suggest(
        catalogue, measured="64=172800min,128=88000min,256=46000min", accelerator=H100
    )
    assert not any("e+0" in row.reason for row in answer.tables["suggestions"])
