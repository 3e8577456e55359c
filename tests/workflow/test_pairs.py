import pytest

import equipoise as eq
from equipoise.errors import UsageError
from equipoise.workflow.pairs import like_pair


@pytest.fixture(scope="module")
def catalogue():
    return eq.open_catalogue()


def test_two_accelerators_are_compared_at_one_count_of_one_round(catalogue):
    answer = eq.compare(catalogue, "mi355x", "b200", benchmark="llama2_70b_lora")
    fields = {row.field: row for row in answer.result.fields}
    assert fields["accelerator_id"].a == "mi355x"
    assert fields["accelerator_id"].b == "b200-sxm-180gb"
    assert fields["accelerators"].same
    assert fields["round"].same
    (row,) = [r for r in answer.tables["same_count"] if r.accelerators == fields["accelerators"].a]
    assert row.time_ratio == pytest.approx(answer.result.time_ratio)
    assert "90 % interval" in answer.headline


def test_a_comparison_names_the_prices_that_its_costs_rest_on(catalogue):
    answer = eq.compare(catalogue, "mi355x", "b200", benchmark="llama2_70b_lora")
    (row,) = answer.tables["comparison"]
    assert len(answer.notes) == 2
    for note, price in zip(answer.notes, (row["price_a"], row["price_b"]), strict=True):
        assert price in note
        assert "USD per accelerator-hour" in price


def test_other_names_are_no_accelerators_and_no_common_count_is_said(catalogue):
    assert like_pair((), "XE9680x8H100", "b200") is None
    assert like_pair((), "XE9680x8H100", "1xXE9680x8MI300X") is None
    with pytest.raises(UsageError, match="same number of accelerators"):
        eq.compare(catalogue, "tpu", "b200", benchmark="flux1")


def test_a_mistyped_configuration_is_answered_in_a_line(catalogue):
    with pytest.raises(UsageError, match="did you mean") as said:
        eq.compare(catalogue, "1xXE9680Lx8B200-SXM-180G", "mi355x", benchmark="llama2_70b_lora")
    assert "choices" not in str(said.value)
    assert len(str(said.value)) < 300
