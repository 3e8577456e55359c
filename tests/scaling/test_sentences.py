import pytest

from equipoise.scaling.sentences import accelerator_label, percent, times


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(2.0, "2 times"), (3.56, "3.6 times"), (14.4, "14 times"), (0.05, "0.05 times")],
)
def test_ratios(ratio: float, text: str) -> None:
    assert times(ratio) == text


def test_shares_and_names() -> None:
    assert percent(0.5) == "50 %"
    assert accelerator_label("h100-sxm5-80gb", None) == "NVIDIA H100 SXM5 80GB"
    assert accelerator_label(None, "Odd X1") == "Odd X1"
    assert accelerator_label("not-known", None) == "not-known"
    assert accelerator_label(None, None) == "accelerators"
