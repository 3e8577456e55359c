import numpy as np
import pytest

from equipoise.scaling.kernel import fit_batch, refit_batch
from equipoise.scaling.laws import LAWS

COUNTS = np.array([4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 512.0, 1024.0])
CENTRE = np.log(100.0 / COUNTS + 1.0 + 0.2 * np.log2(COUNTS))


@pytest.mark.parametrize("name", [name for name in LAWS if name != "power"])
def test_no_other_solver_finds_a_better_fit(name: str) -> None:
    from scipy.optimize import least_squares

    law = LAWS[name]
    rng = np.random.default_rng(2)
    logs = CENTRE + 0.1 * rng.standard_normal((6, len(COUNTS)))
    own = fit_batch(law, COUNTS, logs)
    assert (own.coefficients >= 0).all()
    for log_time, squares in zip(logs, own.squares, strict=True):
        start = np.full(law.size, 1.0 if law.response == "time" else 0.01)
        other = least_squares(
            lambda c, y=log_time: y - law.log_time(c[None], COUNTS)[0],
            start,
            bounds=(0, np.inf),
            x_scale="jac",
            xtol=1e-13,
            ftol=1e-13,
            gtol=1e-13,
        )
        assert squares <= 2 * other.cost * (1 + 1e-7)


@pytest.mark.parametrize("name", LAWS)
def test_refits_from_a_centre_agree_with_full_fits(name: str) -> None:
    law = LAWS[name]
    rng = np.random.default_rng(3)
    logs = CENTRE + 0.05 * rng.standard_normal((200, len(COUNTS)))
    centre = fit_batch(law, COUNTS, CENTRE[None]).coefficients[0]
    fast = refit_batch(law, COUNTS, logs, centre=centre)
    full = fit_batch(law, COUNTS, logs)
    difference = law.log_time(fast.coefficients, COUNTS) - law.log_time(full.coefficients, COUNTS)
    assert np.abs(difference).max() < 0.02
    assert np.median(np.abs(difference).max(axis=1)) < 5e-3


def test_a_weight_of_zero_leaves_a_point_out() -> None:
    law = LAWS["communication"]
    logs = CENTRE + 0.05 * np.sin(COUNTS)
    keep = np.arange(len(COUNTS)) != 3
    weighted = fit_batch(law, COUNTS, logs[None], weights=keep[None].astype(float))
    without = fit_batch(law, COUNTS[keep], logs[keep][None])
    assert weighted.coefficients == pytest.approx(without.coefficients, rel=1e-6)


def test_error_in_throughput_of_a_law_of_log_time_is_refused() -> None:
    with pytest.raises(ValueError, match="log error only"):
        fit_batch(LAWS["power"], COUNTS, CENTRE[None], error="throughput")
