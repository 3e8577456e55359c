import numpy as np
import pytest

from equipoise.metrics.bootstrap import (
    percentile_interval,
    resampled_scores,
    simulated_score_factors,
    small_sample_expansion,
)


def literal_score(times: list[float], dropped: int) -> float:
    """The rule in words: sort, drop the fastest and slowest, average the rest."""
    kept = sorted(times)[dropped : len(times) - dropped]
    return sum(kept) / len(kept)


@pytest.mark.parametrize(("successes", "failed", "dropped"), [(10, 0, 1), (9, 1, 1), (36, 4, 4)])
def test_the_kernel_equals_the_literal_rule(successes: int, failed: int, dropped: int) -> None:
    times = np.random.default_rng(5).uniform(10, 12, size=(3, successes))
    fast = resampled_scores(
        times,
        runs_failed=failed,
        dropped_each_end=dropped,
        resamples=50,
        rng=np.random.default_rng(7),
    )
    # The same draws, as ranks of the sorted runs with the failed ones last.
    ranks = np.random.default_rng(7).integers(
        0, successes + failed, size=(3, 50, successes + failed), dtype=np.uint8
    )
    for row, own in enumerate(times):
        runs = [*sorted(own.tolist()), *[float("inf")] * failed]
        for resample in range(50):
            drawn = [runs[rank] for rank in ranks[row, resample]]
            assert fast[row, resample] == pytest.approx(literal_score(drawn, dropped), rel=1e-12)


def test_more_failures_than_are_dropped_is_no_score() -> None:
    scores = resampled_scores(
        np.full((1, 8), 10.0),
        runs_failed=2,
        dropped_each_end=1,
        resamples=400,
        rng=np.random.default_rng(0),
    )
    assert set(np.unique(scores)) == {10.0, np.inf}


def test_too_few_runs_for_the_rule() -> None:
    with pytest.raises(ValueError, match="leave nothing"):
        resampled_scores(
            np.ones((1, 2)),
            runs_failed=0,
            dropped_each_end=1,
            resamples=5,
            rng=np.random.default_rng(0),
        )


def test_simulated_factors_are_centred_and_trimming_narrows_them() -> None:
    rng = np.random.default_rng(3)
    plain = simulated_score_factors(
        runs=10, dropped_each_end=0, log_spread=0.1, size=(4000,), rng=rng
    )
    assert np.median(plain) == pytest.approx(1.0)
    assert np.log(plain).std() == pytest.approx(0.1 / np.sqrt(10), rel=0.05)


@pytest.mark.parametrize(("runs", "dropped"), [(5, 1), (10, 1), (40, 4)])
def test_intervals_of_the_score_cover_the_expected_score(runs: int, dropped: int) -> None:
    rng = np.random.default_rng(runs)
    many = np.sort(np.exp(0.05 * rng.standard_normal((50_000, runs))), axis=1)
    expected = many[:, dropped : runs - dropped].mean()
    times = np.exp(0.05 * rng.standard_normal((600, runs)))
    scores = np.sort(times, axis=1)[:, dropped : runs - dropped].mean(axis=1)
    drawn = resampled_scores(times, runs_failed=0, dropped_each_end=dropped, resamples=400, rng=rng)
    logs = np.log(drawn)
    widened = small_sample_expansion(runs, level=0.9)
    deviations = widened * (logs - np.median(logs, axis=1, keepdims=True))
    low, high = percentile_interval(deviations, level=0.9)
    covered = (scores * np.exp(low) <= expected) & (expected <= scores * np.exp(high))
    assert 0.85 <= covered.mean() <= 0.95
