"""Score noise and weight perturbation: what the rank intervals are drawn from."""

from collections.abc import Callable, Sequence

import numpy as np

from equipoise.domain import Configuration
from equipoise.metrics.criteria import CRITERIA, MEASURED, throughput_sources
from equipoise.rank.methods.base import FloatArray
from equipoise.rank.ordering import IntArray
from equipoise.scaling.replicates import score_replicates
from equipoise.scaling.results import BASIS_POOLED
from equipoise.structs import dataclass

WEIGHT_CONCENTRATION = 50.0
"""Dirichlet concentration: a weight of 0.25 varies with a standard deviation of 0.06."""


def time_factors(
    configurations: Sequence[Configuration],
    *,
    resamples: int,
    level: float,
    rng: np.random.Generator,
) -> tuple[FloatArray, tuple[str, ...]]:
    """Return resampled score / score (m, B), and what to say about where they come from.

    The runs of a configuration are resampled through the official rule; with too few of
    them the pooled spread of all runs stands in (see `scaling.replicates`).
    """
    drawn = score_replicates(configurations, resamples=resamples, level=level, rng=rng)
    m = len(configurations)
    pooled, unknown = drawn.basis.count(BASIS_POOLED), drawn.basis.count(None)
    texts = []
    if pooled:
        texts.append(
            f"{pooled} of {m} configurations have too few runs of their own for a bootstrap: "
            "their noise is the typical one of the others"
        )
    if unknown:
        texts.append(
            f"the run-to-run noise of {unknown} of {m} configurations is unknown: their rank "
            "intervals show the weights and the noise of the others alone"
        )
    return np.exp(drawn.log_deviation), tuple(texts)


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

    own_rule = {
        "throughput_samples_per_s": plain(rate),
        "throughput_per_accelerator": plain(rate),
        "efficiency": relative(_references(configurations, _benchmark, _hours)),
        "scaling_efficiency": relative(_references(configurations, _curve, _size)),
    }
    return {
        name: own_rule.get(name) or plain(item.time_power * one) for name, item in CRITERIA.items()
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
