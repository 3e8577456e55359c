"""Bootstrap replicates of the scores of many configurations at once."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from equipoise.domain import Configuration
from equipoise.metrics.bootstrap import (
    MIN_RUNS_FOR_BOOTSTRAP,
    resampled_scores,
    simulated_score_factors,
    small_sample_expansion,
    student_expansion,
)
from equipoise.scaling.results import BASIS_POOLED, BASIS_RUNS
from equipoise.structs import dataclass

Array = NDArray[np.float64]

MIN_POOLED_FREEDOM = 3
"""Fewer degrees of freedom than this make no pooled spread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreReplicates:
    """Log deviations of resampled scores from the score, one row per configuration."""

    log_deviation: Array
    """(C, B); zero where there is no basis."""
    basis: tuple[str | None, ...]
    """runs, pooled or None of each configuration."""
    pooled_spread: float | None
    """Standard deviation of the log time of one run, over all configurations."""


def score_replicates(
    configurations: Sequence[Configuration],
    *,
    resamples: int,
    level: float,
    rng: np.random.Generator,
) -> ScoreReplicates:
    """Return bootstrap replicates of every score.

    With five runs or more a configuration's own runs are resampled through the official
    rule and the deviations widened for their small number; with fewer, or when its runs
    are all equal, runs are simulated with the pooled spread of the benchmark. A resample
    without a score (too many failed runs drawn) is drawn again among the others.

    Parameters
    ----------
    configurations : sequence of Configuration
        All of one benchmark, C of them.
    resamples : int
        B.
    level : float
        Level of the intervals to be read off.
    rng : numpy.random.Generator
        Source of the draws.
    """
    deviation = np.zeros((len(configurations), resamples))
    basis: list[str | None] = [None] * len(configurations)
    spread, freedom = pooled_log_spread(configurations)
    enough, few = _grouped(configurations)
    for (failed, dropped, _), members in enough.items():
        own_times = np.array([configurations[i].run_times_min for i in members])
        scores = resampled_scores(
            own_times, runs_failed=failed, dropped_each_end=dropped, resamples=resamples, rng=rng
        )
        logs = _logs_with_scores(scores, rng)
        widened = small_sample_expansion(own_times.shape[1] + failed, level=level)
        deviation[members] = widened * (logs - np.median(logs, axis=1, keepdims=True))
        for index in members:
            basis[index] = BASIS_RUNS
    if spread is not None:
        widened = student_expansion(freedom, level=level)
        for (runs, dropped), members in few.items():
            factors = simulated_score_factors(
                runs=runs,
                dropped_each_end=dropped,
                log_spread=spread,
                size=(len(members), resamples),
                rng=rng,
            )
            deviation[members] = widened * np.log(factors)
            for index in members:
                basis[index] = BASIS_POOLED
    return ScoreReplicates(log_deviation=deviation, basis=tuple(basis), pooled_spread=spread)


def _grouped(
    configurations: Sequence[Configuration],
) -> tuple[dict[tuple[int, int, int], list[int]], dict[tuple[int, int], list[int]]]:
    """Return those with enough runs by (failed, dropped, runs), others by (runs, dropped).

    Those without runs are in neither.
    """
    enough: dict[tuple[int, int, int], list[int]] = defaultdict(list)
    few: dict[tuple[int, int], list[int]] = defaultdict(list)
    for index, configuration in enumerate(configurations):
        times, failed = configuration.run_times_min, configuration.runs_failed
        dropped, runs = configuration.runs_dropped_each_end, len(times) + failed
        if not times:
            continue
        fits_rule = runs >= MIN_RUNS_FOR_BOOTSTRAP and runs > 2 * dropped and failed <= dropped
        if fits_rule and max(times) > min(times):
            enough[failed, dropped, runs].append(index)
        else:
            few[runs, dropped if runs > 2 * dropped else 0].append(index)
    return enough, few


def pooled_log_spread(
    configurations: Sequence[Configuration],
) -> tuple[float | None, int]:
    """Return the pooled standard deviation of log run times, and its degrees of freedom.

    sqrt(sum of squares within configurations / sum of (runs - 1)).
    """
    squares, freedom = 0.0, 0
    for configuration in configurations:
        if len(configuration.run_times_min) > 1:
            logs = np.log(configuration.run_times_min)
            squares += float(((logs - logs.mean()) ** 2).sum())
            freedom += len(logs) - 1
    if freedom < MIN_POOLED_FREEDOM or squares <= 0:
        return None, freedom
    return float(np.sqrt(squares / freedom)), freedom


def _logs_with_scores(scores: Array, rng: np.random.Generator) -> Array:
    """Return log scores; those without a score are drawn again from the same row."""
    logs = np.log(scores)
    for row in np.flatnonzero(~np.isfinite(logs).all(axis=1)):
        finite = logs[row][np.isfinite(logs[row])]
        if finite.size == 0:
            logs[row] = 0.0
            continue
        missing = ~np.isfinite(logs[row])
        logs[row, missing] = rng.choice(finite, size=int(missing.sum()))
    return np.asarray(logs)
