import numpy as np
import pytest

from equipoise.scaling.replicates import pooled_log_spread, score_replicates


def test_runs_are_resampled_and_three_run_scores_use_the_pooled_spread(
    configuration, curve, rng
) -> None:
    given = [
        *curve([(8, 60.0), (16, 31.0)], spread=0.05),
        configuration(accelerators=64, time_to_train_min=9.0, run_times_min=(9.0, 9.1, 8.9)),
        configuration(accelerators=128, time_to_train_min=5.0),
    ]
    replicates = score_replicates(given, resamples=400, level=0.9, rng=rng)
    assert replicates.basis == ("runs", "runs", "pooled", None)
    spread = replicates.log_deviation.std(axis=1)
    assert (spread[:3] > 0).all()
    assert spread[3] == 0
    assert replicates.pooled_spread is not None
    # Three runs with one dropped at each end leave the middle one: wider than a mean of eight.
    assert spread[2] > 1.2 * spread[0]


def test_equal_runs_are_not_certainty(configuration, curve, rng) -> None:
    given = [
        *curve([(8, 60.0)], spread=0.05),
        configuration(accelerators=16, time_to_train_min=30.0, run_times_min=(30.0,) * 10),
    ]
    replicates = score_replicates(given, resamples=200, level=0.9, rng=rng)
    assert replicates.basis[1] == "pooled"
    assert replicates.log_deviation[1].std() > 0


def test_resamples_without_a_score_are_drawn_again(configuration, rng) -> None:
    times = tuple(np.linspace(10, 12, 9))
    given = [configuration(run_times_min=times, runs_failed=1, time_to_train_min=11.5)]
    replicates = score_replicates(given, resamples=500, level=0.9, rng=rng)
    assert replicates.basis == ("runs",)
    assert np.isfinite(replicates.log_deviation).all()


def test_more_failures_than_the_rule_allows_leave_the_pooled_spread(configuration, rng) -> None:
    times = tuple(np.linspace(10, 12, 8))
    given = [configuration(run_times_min=times, runs_failed=2, time_to_train_min=11.0)]
    assert score_replicates(given, resamples=50, level=0.9, rng=rng).basis == ("pooled",)


def test_pooled_spread(configuration) -> None:
    given = [
        configuration(run_times_min=(1.0, np.e)),
        configuration(run_times_min=(2.0, 2.0 * np.e, 2.0 * np.e**2)),
        configuration(run_times_min=(5.0,)),
    ]
    spread, freedom = pooled_log_spread(given)
    assert freedom == 3
    assert spread == pytest.approx(np.sqrt((0.5 + 2.0) / 3))
    assert pooled_log_spread(given[2:]) == (None, 0)


def test_the_same_seed_gives_the_same_replicates(curve) -> None:
    given = curve([(8, 60.0), (16, 31.0)])
    first, second = (
        score_replicates(given, resamples=50, level=0.9, rng=np.random.default_rng(1))
        for _ in range(2)
    )
    assert np.array_equal(first.log_deviation, second.log_deviation)
