"""Whose measurements, which accelerators, how many: what advice and predictions start from."""

from typing import Any

import pytest

import equipoise as eq
from equipoise.errors import DataError, NothingFoundError, UsageError
from equipoise.workflow import terms
from equipoise.workflow.decisions import advise
from equipoise.workflow.prediction import predict

TYPED = "8=5h,16=2.9h"
H100, B200 = "h100-sxm5-80gb", "b200-sxm-180gb"
CSV = "accelerator,accelerators,time_to_train_min\n{name},8,300\n{name},16,174\n"


@pytest.fixture(scope="module")
def catalogue():
    with eq.open_catalogue() as found:
        yield found


def minutes(answer: Any) -> dict[tuple[str, int], float]:
    rows = answer.rows()
    return {(r["accelerator_id"], r["accelerators"]): r["time_to_train_min"] for r in rows}


def typed_job_on_64_b200(catalogue) -> Any:
    """Return the prediction of the typed job, which ran on H100, for 64 B200."""
    return predict(
        catalogue,
        "llama2_70b_lora",
        accelerator=B200,
        accelerators=[64],
        measured=TYPED,
        measured_on=H100,
    )


def test_a_job_is_predicted_elsewhere_from_where_it_was_measured(catalogue) -> None:
    given: dict[str, Any] = {"accelerators": [16, 64], "measured": TYPED}
    both = predict(
        catalogue, "llama2_70b_lora", accelerator=[H100, B200], measured_on=H100, **given
    )
    times = minutes(both)
    assert times[H100, 16] == pytest.approx(174, rel=0.05)
    assert times[B200, 64] < 0.6 * times[H100, 64]
    assert both.selection["measured_on"] == H100
    alone = predict(catalogue, "llama2_70b_lora", accelerator=B200, measured_on=H100, **given)
    assert minutes(alone)[B200, 64] == pytest.approx(times[B200, 64])
    assert not any("--measured-on" in text for text in both.warnings)


def test_what_was_assumed_of_typed_measurements_is_said(catalogue) -> None:
    answer = predict(
        catalogue, "llama2_70b_lora", accelerator=B200, accelerators=[64], measured=TYPED
    )
    assert answer.warnings[0].startswith("the measurements do not say their accelerator")
    assert B200 in answer.warnings[0]
    with pytest.raises(UsageError, match="--measured-on"):
        predict(catalogue, "bert", accelerator=[H100, B200], accelerators=[64], measured=TYPED)


def test_a_file_says_where_it_was_measured(catalogue, tmp_path) -> None:
    path = tmp_path / "job.csv"
    path.write_text(CSV.format(name=H100))
    answer = predict(
        catalogue, "llama2_70b_lora", accelerator=B200, accelerators=[64], measured=path
    )
    typed = typed_job_on_64_b200(catalogue)
    assert minutes(answer) == pytest.approx(minutes(typed))
    assert f"measured on {H100}, not on {B200}" in answer.rows()[0]["reason"]
    path.write_text(CSV.format(name="a fine machine"))
    unknown = predict(
        catalogue, "llama2_70b_lora", accelerator=B200, accelerators=[64], measured=path
    )
    assert unknown.warnings[0].startswith("the measurements do not say their accelerator")


def test_sizes_beyond_the_own_measurements_are_offered(catalogue) -> None:
    given: dict[str, Any] = {"measured": TYPED, "measured_on": H100, "like": "llama2_70b_lora"}
    counts = {row["accelerators"] for row in advise(catalogue, **given).rows()}
    assert {8, 16, 32, 64} <= counts
    assert max(counts) == 64  # four times the largest that was measured
    answer = advise(catalogue, accelerators=["b200"], deadline="40min", **given)
    assert {row["accelerator_id"] for row in answer.rows()} == {B200}
    predicted = typed_job_on_64_b200(catalogue)
    assert minutes(answer)[B200, 64] == pytest.approx(minutes(predicted)[B200, 64])


def test_a_selection_holds_for_own_measurements_and_predicted_sizes(catalogue) -> None:
    answer = advise(
        catalogue,
        measured=TYPED,
        measured_on=H100,
        like="llama2_70b_lora",
        accelerators=["b200"],
        min_accelerators=64,
        max_accelerators=64,
    )
    assert list(minutes(answer)) == [(B200, 64)]
    excluded = {row["reason"]: row["count"] for row in answer.rows("excluded")}
    assert excluded["not on the accelerators asked for"] == 2
    assert excluded["fewer accelerators than asked for"] > 0
    assert answer.selection["min_accelerators"] == 64
    published = advise(catalogue, "bert", min_accelerators=100, max_accelerators=600)
    assert all(100 <= row["accelerators"] <= 600 for row in published.rows())
    with pytest.raises(NothingFoundError):
        advise(catalogue, "bert", min_accelerators=64, max_accelerators=64, deadline="1s")


def test_measurements_and_own_prices_are_enough(catalogue, tmp_path) -> None:
    path = tmp_path / "prices.csv"
    path.write_text("accelerator,usd_per_accelerator_hour\nh100-sxm5-80gb,2.0\n")
    answer = advise(catalogue, measured=TYPED, prices=path)
    assert answer.warnings[0].startswith(f"taken to be measured on {H100}")
    row = next(r for r in answer.rows() if r["accelerators"] == 16)
    assert row["cost_usd"] == pytest.approx(16 * 2.9 * 2.0)
    path.write_text("accelerator,usd_per_accelerator_hour\nh100-sxm5-80gb,2\nb200-sxm-180gb,4\n")
    with pytest.raises(UsageError, match="--measured-on"):
        advise(catalogue, measured=TYPED, prices=path)


def test_a_price_list_without_a_usable_price_is_refused(catalogue, tmp_path) -> None:
    path = tmp_path / "prices.csv"
    path.write_text("accelerator,price_per_hour\nh100-sxm5-80gb,2.1\n")
    with pytest.raises(DataError, match=r"prices.csv:2: .* add the column"):
        advise(catalogue, "bert", prices=path)
    path.write_text("accelerator;usd_per_accelerator_hour\nh100-sxm5-80gb;2,10\n")
    row = advise(catalogue, "bert", prices=path, min_accelerators=64, max_accelerators=64).rows()[0]
    assert row["price_usd_per_accelerator_hour"] == 2.10
    path.write_text("accelerator,usd_per_accelerator_hour\nh100-sxm5-80gb,2.1\nour own chip,1.0\n")
    answer = advise(catalogue, "bert", prices=path)
    assert any("our own chip" in text for text in answer.warnings)


@pytest.mark.parametrize(
    ("amount", "rates", "dollars"),
    [
        ("500", None, 500.0),
        ("500usd", None, 500.0),
        ("$1,500", None, 1500.0),
        (250.0, None, 250.0),
        ("200eur", "EUR=1.08", 216.0),
        ("€200", "eur=1.08", 216.0),
        ("100 GBP", "EUR=1.08,GBP=1.27", 127.0),
    ],
)
def test_amounts_in_other_currencies_need_a_rate(amount, rates, dollars) -> None:
    assert terms.amount_usd(amount, rates) == pytest.approx(dollars)


@pytest.mark.parametrize("amount", ["200eur", "€200", "5 chf"])
def test_an_amount_without_its_rate_is_refused(amount: str) -> None:
    with pytest.raises(UsageError, match="--rate"):
        terms.amount_usd(amount, None)
