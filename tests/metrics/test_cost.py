import pytest

from equipoise.metrics.cost import (
    accelerator_hours,
    cost_usd,
    marginal_cost_usd_per_saved_min,
)


def test_hours_and_cost() -> None:
    assert accelerator_hours([8, 64], [60.0, 9.0]).tolist() == [8.0, 9.6]
    assert cost_usd(64, 9.0, 2.0) == pytest.approx(19.2)


@pytest.mark.parametrize("price", [0.0, -1.0, float("nan")])
def test_a_price_that_is_not_above_zero_is_no_price(price: float) -> None:
    with pytest.raises(ValueError, match="above zero"):
        cost_usd(8, 60.0, price)


def test_the_price_of_a_saved_minute() -> None:
    dearer = marginal_cost_usd_per_saved_min(
        cost_usd=19.2, time_min=9.0, cheaper_cost_usd=16.0, cheaper_time_min=60.0
    )
    assert dearer == pytest.approx(3.2 / 51)
    assert (
        marginal_cost_usd_per_saved_min(
            cost_usd=19.2, time_min=60.0, cheaper_cost_usd=16.0, cheaper_time_min=60.0
        )
        is None
    )
