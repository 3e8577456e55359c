"""Bootstrap of an MLPerf score: resample the runs, apply the official rule, repeat."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from equipoise.metrics.distributions import normal_quantile, student_quantile

Array = NDArray[np.float64]

MIN_RUNS_FOR_BOOTSTRAP: Final = 5
"""With fewer runs the bootstrap has too few different outcomes to mean anything."""


def resampled_scores(
    times_min: Array,
    *,
    runs_failed: int,
    dropped_each_end: int,
    resamples: int,
    rng: np.random.Generator,
) -> Array:
    r"""Return bootstrap scores of configurations that have equally many runs.

    Each resample draws R + F runs with replacement from the R successful and F failed
    ones (a failed run is infinitely slow), drops the d fastest and the d slowest and
    averages the rest; more failures than are dropped make it infinite (no score).

    Parameters
    ----------
    times_min : array, shape (C, R)
        Times of the successful runs of C configurations, minutes.
    runs_failed, dropped_each_end : int
        F and d.
    resamples : int
        B.
    rng : numpy.random.Generator
        Source of the draws.

    Returns
    -------
    array, shape (C, B)
        Scores in minutes; infinite where a resample has no score.

    Raises
    ------
    ValueError
        If 2 d runs are not fewer than R + F.

    Notes
    -----
    Score rule: MLCommons training_rules, section "Benchmark results"; bootstrap: Efron,
    "Bootstrap methods: another look at the jackknife", Annals of Statistics 7 (1979).

    Examples
    --------
    >>> times = np.array([[10.0, 10.0, 10.0, 10.0, 10.0]])
    >>> scores = resampled_scores(
    ...     times, runs_failed=0, dropped_each_end=1, resamples=3, rng=np.random.default_rng(1)
    ... )
    >>> scores.tolist()
    [[10.0, 10.0, 10.0]]
    """
    configurations, successes = times_min.shape
    runs = successes + runs_failed
    if runs <= 2 * dropped_each_end:
        raise ValueError(f"{runs} runs leave nothing when {dropped_each_end} are dropped each end")
    ranked = np.sort(times_min, axis=1)
    # Ranks stand for times: small integers sort much faster, and failed runs are the last ranks.
    dtype = np.uint8 if runs <= np.iinfo(np.uint8).max else np.uint16
    ranks = rng.integers(0, runs, size=(configurations, resamples, runs), dtype=dtype)
    ranks.sort(axis=2)
    kept = ranks[:, :, dropped_each_end : runs - dropped_each_end]
    padded = np.concatenate([ranked, np.full((configurations, runs_failed), np.inf)], axis=1)
    offsets = (np.arange(configurations) * runs)[:, None, None]
    scores: Array = padded.ravel().take(kept + offsets).mean(axis=2)
    return scores


def simulated_score_factors(
    *,
    runs: int,
    dropped_each_end: int,
    log_spread: float,
    size: tuple[int, ...],
    rng: np.random.Generator,
) -> Array:
    """Return score / expected score of simulated log-normal runs under the official rule.

    Each factor is the trimmed mean of exp(s z) over `runs` standard normal z, divided by
    the median factor, so that only the spread is added: the stand-in for a bootstrap when
    a configuration has too few runs of its own.

    Parameters
    ----------
    runs, dropped_each_end : int
        Runs of the configuration and runs dropped at each end.
    log_spread : float
        s, the standard deviation of the log time of one run.
    size : tuple of int
        Shape of the result.
    rng : numpy.random.Generator
        Source of the draws.
    """
    drawn = np.exp(log_spread * rng.standard_normal((*size, runs)))
    drawn.sort(axis=-1)
    factors = drawn[..., dropped_each_end : runs - dropped_each_end].mean(axis=-1)
    centred: Array = factors / np.median(factors, axis=-1, keepdims=True)
    return centred


def small_sample_expansion(runs: int, *, level: float) -> float:
    """Return the factor by which bootstrap deviations of a mean of few runs are widened.

    sqrt(m / (m - 1)) t(m - 1) / z: the bootstrap variance is too small by (m - 1) / m,
    and normal-like quantiles of an estimated spread have to be Student's.

    Source: Hesterberg, "What teachers should know about the bootstrap", The American
    Statistician 69 (2015), section 4 (expanded percentile interval).

    >>> round(small_sample_expansion(10, level=0.9), 3)
    1.175
    """
    return float(np.sqrt(runs / (runs - 1.0))) * student_expansion(runs - 1, level=level)


def student_expansion(freedom: float, *, level: float) -> float:
    """Return t(freedom) / z at a level: how much wider an estimated spread makes intervals.

    >>> round(student_expansion(4, level=0.9), 3)
    1.296
    """
    tail = (1.0 + level) / 2.0
    return student_quantile(tail, freedom) / normal_quantile(tail)


def percentile_interval(replicates: Array, *, level: float) -> tuple[Array, Array]:
    """Return the lower and upper percentiles that enclose `level` along the last axis.

    >>> low, high = percentile_interval(np.arange(101.0), level=0.9)
    >>> round(float(low), 9), round(float(high), 9)
    (5.0, 95.0)
    """
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(replicates, [tail, 1.0 - tail], axis=-1)
    return low, high
