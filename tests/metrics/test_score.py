"""The olympic score and its edges."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.metrics.energy import node_energy_kj, switch_energy_kj
from equipoise.metrics.score import kept_runs, mean_of, olympic_score, too_many_failures


def literal(times, dropped):
    """Return the score as the rule is written: failures are infinitely slow."""
    ordered = sorted(math.inf if t is None else t for t in times)
    kept = ordered[dropped : len(ordered) - dropped]
    if not kept or math.inf in kept:
        return None
    return sum(kept) / len(kept)


TIMES = st.lists(st.one_of(st.none(), st.floats(0.01, 1e6)), max_size=45)


@given(TIMES, st.sampled_from([1, 4]))
def test_equals_the_rule_as_written(times, dropped):
    found, expected = olympic_score(times, dropped_each_end=dropped), literal(times, dropped)
    if expected is None:
        assert found is None
    else:
        assert found == pytest.approx(expected, rel=1e-12)


@given(TIMES, st.randoms())
def test_the_order_of_the_runs_does_not_matter(times, random):
    shuffled = times[:]
    random.shuffle(shuffled)
    first = olympic_score(times, dropped_each_end=1)
    assert olympic_score(shuffled, dropped_each_end=1) == first


def test_an_aborted_run_is_not_the_fastest():
    seconds = [339, 340, 341, 342, None]
    assert olympic_score(seconds, dropped_each_end=1) == 341


@pytest.mark.parametrize(
    ("times", "expected"),
    [([], None), ([1.0], None), ([1.0, 2.0], None), ([1.0, None], None), ([1.0, 2.0, 4.0], 2.0)],
)
def test_few_runs(times, expected):
    assert olympic_score(times, dropped_each_end=1) == expected


def test_kept_runs_are_fastest_first_and_stable():
    assert kept_runs([3.0, 1.0, 2.0, 2.0, 9.0], dropped_each_end=1) == (2, 3, 0)
    assert kept_runs([None, None, 1.0], dropped_each_end=1) == ()


def test_mean_of_missing_values():
    assert mean_of([], ()) is None
    assert mean_of([1.0, None, 3.0], (0, 2)) == 2.0
    assert mean_of([1.0, None, 3.0], (0, 1)) is None


def test_too_many_failures():
    assert too_many_failures(40, 4, dropped_each_end=4) is None
    assert too_many_failures(40, 5, dropped_each_end=4).startswith("5 of 40 runs")


def test_energy_formulas():
    assert node_energy_kj(watt_ms=5e6, measured_ms=1e4, run_ms=2e4, conversion_efficiency=0.5) == 5
    assert node_energy_kj(watt_ms=5e6, measured_ms=0.0, run_ms=2e4) is None
    assert switch_energy_kj(power_w=50.0, run_ms=2e4, conversion_efficiency=0.5) == 0.5
