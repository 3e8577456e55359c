import numpy as np
import pytest

from equipoise.errors import DataError
from equipoise.scaling.average import average_laws, replicate_curve
from equipoise.scaling.fit import LawFit, fit_law
from equipoise.scaling.laws import LAWS

COUNTS = np.array([4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0])
TIMES = (100.0 / COUNTS + 1.0) * np.exp(0.02 * np.sin(3 * COUNTS))


def all_fits(points: int) -> list[LawFit]:
    fits = []
    for law in LAWS.values():
        try:
            fits.append(fit_law(law, COUNTS[:points], TIMES[:points]))
        except DataError:
            continue
    return fits


@pytest.mark.parametrize(
    ("points", "basis"), [(8, "aicc"), (6, "aicc"), (5, "loo"), (3, "loo"), (2, "interpolation")]
)
def test_weights(points: int, basis: str) -> None:
    average = average_laws(all_fits(points))
    assert average is not None
    assert average.basis == basis
    assert sum(average.weights) == pytest.approx(1.0)
    assert (average.spread is None) == (basis == "interpolation")


def test_akaike_weights_by_hand() -> None:
    fits = [fit_law(name, COUNTS, TIMES) for name in ("power", "amdahl")]
    average = average_laws(fits)
    assert average is not None
    ratio = np.exp(-0.5 * ((fits[0].aicc or 0) - (fits[1].aicc or 0)))
    assert average.weights[0] / average.weights[1] == pytest.approx(ratio, rel=1e-9)


def test_a_law_that_its_bounds_reduce_to_a_simpler_one_counts_once() -> None:
    times = 100.0 / COUNTS + 1.0 - 0.001 * COUNTS**0.5
    fits = [fit_law(name, COUNTS, times) for name in ("amdahl", "usl", "communication")]
    average = average_laws(fits)
    assert average is not None
    assert average.weights == (1.0, 0.0, 0.0)


def test_the_average_lies_between_its_laws_and_nothing_gives_nothing() -> None:
    fits = [fit_law(name, COUNTS, TIMES) for name in ("power", "gustafson")]
    average = average_laws(fits)
    assert average is not None
    far = np.array([4096.0])
    logs = sorted(float(np.log(fit.time_min(far)[0])) for fit in fits)
    assert logs[0] <= average.log_time(far)[0] <= logs[1]
    assert average_laws([]) is None


def test_leaving_a_point_out() -> None:
    fits = [fit_law("amdahl", COUNTS, TIMES)]
    average = average_laws(fits)
    assert average is not None
    without = average.log_time_without(7, COUNTS)
    literal = fit_law("amdahl", COUNTS[:7], TIMES[:7]).time_min(COUNTS)
    assert without is not None
    assert np.exp(without) == pytest.approx(literal, rel=1e-4)


def test_bands_of_the_averaged_curve_cover_the_truth() -> None:
    rng = np.random.default_rng(8)
    truth = np.log(100.0 / COUNTS + 1.0)
    grid = np.array([4.0, 23.0, 90.0, 512.0])
    target = np.log(100.0 / grid + 1.0)
    covered = np.zeros(len(grid))
    series = 120
    for _ in range(series):
        times = np.exp(truth + 0.05 * rng.standard_normal(len(COUNTS)))
        average = average_laws([fit_law(name, COUNTS, times) for name in ("amdahl", "usl")])
        assert average is not None
        drawn = replicate_curve(average, np.zeros((200, len(COUNTS))), level=0.9, rng=rng)
        low, high = np.quantile(drawn.log_time(grid), [0.05, 0.95], axis=0)
        covered += (low <= target) & (target <= high)
    share = covered / series
    assert (share >= 0.8).all(), share
    assert (share <= 0.99).all(), share
