import numpy as np
import pytest

from equipoise.errors import UnknownNameError
from equipoise.scaling.rules import (
    ALL_RULES,
    BELOW,
    DEFAULT_RULE,
    RULES,
    UNDETERMINED,
    RuleOptions,
    faster_than_all_smaller,
    rule_named,
)

OPTIONS = RuleOptions()
COUNTS = 2.0 ** np.arange(2, 12)
AMDAHL = 100.0 / COUNTS + 1.0
IDEAL = 100.0 / COUNTS
RISING = COUNTS**0.2


def index(rule: str, times: np.ndarray, *, counts: np.ndarray = COUNTS, options=OPTIONS) -> int:
    log_time = np.log(times)[None]
    efficiency = log_time[:, :1] - log_time + np.log(counts[0] / counts)
    return int(RULES[rule].kernel(counts, log_time, efficiency, options)[0])


def test_efficiency_is_the_largest_count_above_the_floor() -> None:
    efficiency = COUNTS[0] * AMDAHL[0] / (COUNTS * AMDAHL)
    expected = int(np.flatnonzero(efficiency >= 0.5)[-1])
    assert index("efficiency", AMDAHL) == expected
    strict = RuleOptions(efficiency_floor=0.9)
    assert index("efficiency", AMDAHL, options=strict) == np.flatnonzero(efficiency >= 0.9)[-1]
    assert index("efficiency", AMDAHL, options=RuleOptions(efficiency_floor=1.5)) == BELOW
    assert index("efficiency", IDEAL) == len(COUNTS)


def test_marginal_is_the_last_doubling_that_saved_enough() -> None:
    saved = 1 - AMDAHL[1:] / AMDAHL[:-1]
    assert index("marginal", AMDAHL) == np.flatnonzero(saved >= 0.25)[-1] + 1
    assert index("marginal", IDEAL) == len(COUNTS)
    assert index("marginal", COUNTS**-0.1) == 0


def test_marginal_counts_gains_per_doubling_over_at_least_one() -> None:
    counts = np.array([8.0, 64.0, 72.0, 144.0])
    # 64 -> 72 is a lucky step; from 8 to 72 the gain per doubling is what counts.
    times = np.array([60.0, 30.0, 25.0, 24.0])
    per_doubling = 1 - (25 / 60) ** (1 / np.log2(9))
    assert 0.2 < per_doubling < 0.25
    assert index("marginal", times, counts=counts) == 0


def test_marginal_at_exactly_the_gain_and_past_a_slower_count() -> None:
    counts = np.array([4.0, 8.0, 16.0])
    assert index("marginal", np.array([16.0, 12.0, 9.0]), counts=counts) == len(counts)
    # 8 is slower than 4, so the gain of 16 counts from 4: two doublings for 40 %.
    assert index("marginal", np.array([10.0, 11.0, 6.0]), counts=counts) == 0


def test_power_is_the_least_n_times_time_squared() -> None:
    assert index("power", AMDAHL) == np.argmin(COUNTS * AMDAHL**2)
    assert index("power", IDEAL) == len(COUNTS)
    assert index("power", COUNTS**-0.2) == 0


def test_utopia_and_crossing_by_the_literal_rule() -> None:
    speed, efficiency = 1 / AMDAHL, 1 / (AMDAHL * COUNTS)
    scaled = [(v - v.min()) / (v.max() - v.min()) for v in (speed, efficiency)]
    distance = np.hypot(1 - scaled[0], 1 - scaled[1])
    assert index("utopia", AMDAHL) == distance.argmin()
    assert index("crossing", AMDAHL) == np.flatnonzero(scaled[0] <= scaled[1])[-1]


def literal(rule: str, counts: list[float], times: list[float]) -> int:
    """Return the answer of a rule on min-max-scaled speed and efficiency, in its own words."""
    size = len(counts)
    speeds = [times[0] / t for t in times]
    worth = [all(times[i] < t for t in times[:i]) for i in range(size)]
    if rule == "knee":
        speeds = [max(speeds[: i + 1]) for i in range(size)]
    scaled = []
    for values in (speeds, [s / n for s, n in zip(speeds, counts, strict=True)]):
        low, high = min(values), max(values)
        if high - low <= 1e-12:
            return UNDETERMINED
        scaled.append([(v - low) / (high - low) for v in values])
    speed, efficiency = scaled
    if rule == "knee":
        rises = [
            s - (n - counts[0]) / (counts[-1] - counts[0])
            for s, n in zip(speed, counts, strict=True)
        ]
        return rises.index(max(rises)) if max(rises) > 1e-9 else UNDETERMINED
    if rule == "utopia":
        away = {i: np.hypot(1 - speed[i], 1 - efficiency[i]) for i in range(size) if worth[i]}
        nearest = min(away, key=lambda i: away[i])
        return size if nearest == size - 1 else nearest
    above = [i for i in range(size) if speed[i] > efficiency[i] + 1e-12]
    if not above:
        return size
    return max(i for i in range(max(above[0], 1)) if worth[i])


@pytest.mark.parametrize("rule", ["utopia", "crossing", "knee"])
def test_the_rules_on_scaled_curves_do_what_they_say(rule: str) -> None:
    rng = np.random.default_rng(17)
    seen = set()
    for _ in range(300):
        counts = np.sort(rng.choice(np.arange(1.0, 40.0), 6, replace=False))
        slope = rng.uniform(-0.2, 1.4)
        times = 50.0 * counts**-slope * np.exp(0.3 * rng.standard_normal(6))
        found = index(rule, times, counts=counts)
        assert found == literal(rule, counts.tolist(), times.tolist())
        seen.add(found)
    assert seen >= {1, 2, 3}


def test_crossing_at_a_tie_at_once_and_never() -> None:
    # With twice the speed at four times the count both scaled values are equal in between.
    assert index("crossing", np.array([3.0, 2.0, 1.5]), counts=np.array([1.0, 2.0, 4.0])) == 1
    hardly = np.array([10.0, 6.0, 5.9, 5.8])
    assert index("crossing", hardly, counts=np.array([1.0, 2.0, 4.0, 8.0])) == 0
    assert index("crossing", COUNTS**-1.2) == len(COUNTS)


def test_crossing_goes_back_to_a_count_that_is_worth_it() -> None:
    times = 90.0 / np.array([1.0, 0.9, 3.0, 3.1])
    assert index("crossing", times, counts=np.array([1.0, 2.0, 4.0, 8.0])) == 0


def test_knee_of_a_narrow_range() -> None:
    times = 1.0 / np.array([1.0, 1.4, 1.5])
    assert index("knee", times, counts=np.array([8.0, 12.0, 16.0])) == 1


def test_knee_equals_kneed() -> None:
    kneed = pytest.importorskip("kneed")
    for offset in (0.2, 1.0, 3.0):
        times = 100.0 / COUNTS + offset
        found = kneed.KneeLocator(COUNTS, 1 / times, S=1.0, curve="concave", direction="increasing")
        assert COUNTS[index("knee", times)] == found.knee


def test_curves_without_any_bend_have_no_knee_and_no_balance() -> None:
    assert index("knee", IDEAL) == UNDETERMINED
    assert index("utopia", IDEAL) == UNDETERMINED
    assert index("crossing", IDEAL) == UNDETERMINED
    assert index("knee", RISING) == UNDETERMINED


@pytest.mark.parametrize("rule", ["efficiency", "marginal", "power"])
def test_a_rising_curve_is_best_at_its_smallest_count(rule: str) -> None:
    assert index(rule, RISING) == 0


@pytest.mark.parametrize("rule", ALL_RULES)
def test_no_rule_advises_past_the_fastest_count(rule: str) -> None:
    times = 100.0 / COUNTS + 0.002 * COUNTS + 0.01
    assert index(rule, times) <= times.argmin()


@pytest.mark.parametrize("rule", ALL_RULES)
def test_a_count_slower_than_a_smaller_one_is_never_the_answer(rule: str) -> None:
    times = AMDAHL.copy()
    times[4] = times[3] * 1.1
    assert index(rule, times) != 4


def test_superlinear_curves_go_on() -> None:
    superlinear = COUNTS**-1.2
    for rule in ("efficiency", "marginal", "power", "utopia"):
        assert index(rule, superlinear) == len(COUNTS)
    assert index("knee", superlinear) == UNDETERMINED


def test_many_curves_at_once_equal_one_by_one() -> None:
    rng = np.random.default_rng(6)
    logs = np.log(AMDAHL) + 0.2 * rng.standard_normal((200, len(COUNTS)))
    efficiency = logs[:, :1] - logs + np.log(COUNTS[0] / COUNTS)
    for rule in RULES.values():
        together = rule.kernel(COUNTS, logs, efficiency, OPTIONS)
        alone = [
            int(rule.kernel(COUNTS, logs[[i]], efficiency[[i]], OPTIONS)[0]) for i in range(200)
        ]
        assert together.tolist() == alone


def test_the_envelope() -> None:
    flags = faster_than_all_smaller(np.log(np.array([[4.0, 4.0, 3.0, 3.5, 2.0]])))
    assert flags.tolist() == [[True, False, True, False, True]]


def test_default_thresholds() -> None:
    assert (OPTIONS.efficiency_floor, OPTIONS.marginal_gain, OPTIONS.level) == (0.5, 0.25, 0.9)


def test_names() -> None:
    assert DEFAULT_RULE in RULES
    assert rule_named("Power").source
    with pytest.raises(UnknownNameError, match="did you mean 'efficiency'"):
        rule_named("eficiency")


def test_what_each_rule_needs_and_stands_on() -> None:
    needs = {name: (r.least_points, r.depends_on_range, r.threshold) for name, r in RULES.items()}
    assert needs == {
        "efficiency": (2, False, True),
        "marginal": (2, False, True),
        "power": (2, False, False),
        "utopia": (3, True, False),
        "crossing": (3, True, True),
        "knee": (3, True, False),
    }
