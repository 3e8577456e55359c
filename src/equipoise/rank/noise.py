"""Score noise and weight perturbation: what the rank intervals are drawn from."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from equipoise.domain import Configuration
from equipoise.metrics.bootstrap import (
    MIN_RUNS_FOR_BOOTSTRAP,
    resampled_scores,
    simulated_score_factors,
    small_sample_expansion,
)
from equipoise.metrics.criteria import MEASURED, throughput_sources
from equipoise.rank.methods.base import FloatArray
from equipoise.rank.ordering import IntArray

WEIGHT_CONCENTRATION = 50.0
"""Dirichlet concentration: a weight of 0.25 varies with a standard deviation of 0.06."""

DEFAULT_LOG_SPREAD = 0.02
"""Spread of the log time of one run where no configuration has enough runs to say."""


def time_factors(
    configurations: Sequence[Configuration],
    *,
    resamples: int,
    level: float,
    rng: np.random.Generator,
) -> tuple[FloatArray, int]:
    """Return resampled score / score (m, B) and how many borrowed their spread.

    The runs of a configuration are resampled through the official rule and the deviations
    of the logarithm widened for the small sample. A resample that has no score because of
    drawn failures counts as slow as the slowest one that has. Configurations with fewer
    than five successful runs, or whose runs are all equal, borrow the median spread of
    the others.
    """
    m = len(configurations)
    factors = np.ones((m, resamples))
    groups: dict[tuple[int, int, int], list[int]] = {}
    borrowing: list[int] = []
    for i, c in enumerate(configurations):
        times, dropped = c.run_times_min, c.runs_dropped_each_end
        enough = len(times) >= MIN_RUNS_FOR_BOOTSTRAP and len(set(times)) > 1
        if enough and c.runs_failed <= dropped and len(times) + c.runs_failed > 2 * dropped:
            groups.setdefault((len(times), c.runs_failed, dropped), []).append(i)
        else:
            borrowing.append(i)
    for (runs, failed, dropped), members in groups.items():
        times_min = np.array([configurations[i].run_times_min for i in members])
        drawn = resampled_scores(
            times_min, runs_failed=failed, dropped_each_end=dropped, resamples=resamples, rng=rng
        )
        kept = runs + failed - 2 * dropped
        wider = small_sample_expansion(kept, level=level) if kept > 1 else 1.0
        nominal = np.sort(times_min, axis=1)[:, dropped : dropped + kept].mean(axis=1)
        finite = np.where(np.isfinite(drawn), drawn, -np.inf)
        slowest = np.maximum(finite.max(axis=1, initial=-np.inf), nominal)
        drawn = np.where(np.isfinite(drawn), drawn, slowest[:, None])
        factors[members] = (drawn / nominal[:, None]) ** wider
    if borrowing:
        spread = _pooled_log_spread(configurations)
        for i in borrowing:
            c = configurations[i]
            runs = max(1, len(c.run_times_min))
            dropped = c.runs_dropped_each_end if runs > 2 * c.runs_dropped_each_end else 0
            factors[i] = simulated_score_factors(
                runs=runs,
                dropped_each_end=dropped,
                log_spread=spread,
                size=(resamples,),
                rng=rng,
            )
    return factors, len(borrowing)


def perturbed_weights(
    weights: FloatArray,
    *,
    resamples: int,
    rng: np.random.Generator,
    concentration: float = WEIGHT_CONCENTRATION,
) -> FloatArray:
    """Return Dirichlet weights (B, n) with mean w and variance w (1 - w) / (kappa + 1).

    Frazier, P. et al. and the stochastic multi-criteria literature use the same idea:
    Lahdelma, R., Salminen, P.: SMAA-2, Operations Research 49(3), 2001, 444-454.
    """
    drawn = rng.standard_gamma(concentration * weights, size=(resamples, len(weights)))
    total = drawn.sum(axis=1, keepdims=True)
    result: FloatArray = np.where(total > 0.0, drawn / np.where(total > 0.0, total, 1.0), weights)
    return result


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """How the values of one criterion (m,) move with the times to train.

    value_i' = value_i rho_i^own_i rho_r(i)^reference_i with rho = resampled / score and r
    the reference configuration of i.
    """

    own: FloatArray
    reference: FloatArray
    reference_of: IntArray


def responses(configurations: Sequence[Configuration]) -> dict[str, Response]:
    """Return the response of every criterion of the registry to the times to train.

    Measured throughput, utilisation and spread stay when a time is drawn again: a score
    varies mostly because runs need more or fewer samples to converge. Throughput that was
    computed from the time goes with 1 / T; accelerator-hours, and energy at constant
    power, go with T; efficiencies with T_r / T.
    """
    m = len(configurations)
    zero, one, self_ = np.zeros(m), np.ones(m), np.arange(m)
    sources = throughput_sources(configurations)
    rate = np.array([0.0 if source == MEASURED else -1.0 for source in sources])

    def plain(own: FloatArray) -> Response:
        return Response(own=own, reference=zero, reference_of=self_)

    def relative(reference_of: IntArray) -> Response:
        return Response(own=-one, reference=one, reference_of=reference_of)

    return {
        "time_to_train_min": plain(one),
        "throughput_samples_per_s": plain(rate),
        "throughput_per_accelerator": plain(rate),
        "efficiency": relative(_references(configurations, _benchmark, _hours)),
        "scaling_efficiency": relative(_references(configurations, _curve, _size)),
        "accelerator_hours": plain(one),
        "utilisation": plain(zero),
        "energy_kj": plain(one),
        "run_spread": plain(zero),
    }


def _hours(c: Configuration) -> tuple[float, float]:
    hours = c.accelerators * c.time_to_train_min
    return (hours if c.accelerators > 0 else np.inf, hours)


def _size(c: Configuration) -> tuple[float, float]:
    return (c.accelerators, c.accelerators * c.time_to_train_min)


def _benchmark(c: Configuration) -> tuple[str, ...]:
    return (c.benchmark,)


def _curve(c: Configuration) -> tuple[str, ...]:
    return (c.benchmark, c.round, c.accelerator_id or c.accelerator_model or c.key)


def _references(
    configurations: Sequence[Configuration],
    group: Callable[[Configuration], tuple[str, ...]],
    order: Callable[[Configuration], tuple[float, float]],
) -> IntArray:
    first: dict[tuple[str, ...], int] = {}
    for i, c in enumerate(configurations):
        if c.accelerators <= 0:
            continue
        key = group(c)
        if key not in first or order(c) < order(configurations[first[key]]):
            first[key] = i
    return np.array([first.get(group(c), i) for i, c in enumerate(configurations)], dtype=np.int64)


def _pooled_log_spread(configurations: Sequence[Configuration]) -> float:
    spreads = [
        float(np.std(np.log(c.run_times_min), ddof=1))
        for c in configurations
        if len(c.run_times_min) >= MIN_RUNS_FOR_BOOTSTRAP and min(c.run_times_min) > 0.0
    ]
    return float(np.median(spreads)) if spreads else DEFAULT_LOG_SPREAD
