"""Two configurations side by side: what differs, by how much, how sure."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from equipoise import facts
from equipoise.advise.justify import chance
from equipoise.advise.offers import Offer, OfferBook
from equipoise.advise.prices import PriceList
from equipoise.advise.results import ComparedField, CompareResult
from equipoise.advise.same_count import same_count, same_count_words
from equipoise.domain import Configuration
from equipoise.errors import UsageError
from equipoise.metrics.bootstrap import percentile_interval
from equipoise.scaling.replicates import score_replicates
from equipoise.units import figure

FIELDS = (
    "round",
    "submitter",
    "system_id",
    "division",
    "availability",
    "accelerator_id",
    "accelerators",
    "nodes",
    "accelerators_per_node",
    "time_to_train_min",
    "throughput_samples_per_s",
    "samples_to_converge",
    "global_batch_size",
    "energy_kj",
    "precision",
    "tensor_parallelism",
    "pipeline_parallelism",
    "accelerator_interconnect",
    "host_processor_model",
    "host_processors_per_node",
    "host_memory_gib",
    "host_networking",
    "framework",
)
"""What is put side by side."""


def compare(
    a: Configuration,
    b: Configuration,
    *,
    rng: np.random.Generator,
    pool: Sequence[Configuration] = (),
    prices: PriceList | None = None,
    price_kind: str = "on-demand",
    resamples: int = 2000,
    level: float = 0.9,
) -> CompareResult:
    """Return two configurations side by side, or refuse when they cannot be compared.

    Parameters
    ----------
    a, b : Configuration
        Of one benchmark and one block of compatible rounds.
    rng : numpy.random.Generator
        For the bootstrap of both scores.
    pool : sequence of Configuration, optional
        Other configurations of the benchmark: their spread stands in for too few runs.
    prices : PriceList, optional
        With it, costs are compared too.
    price_kind : str
        Kind of price.
    resamples, level
        Of the interval of the ratio.

    Raises
    ------
    UsageError
        For different benchmarks or rounds that may not be compared.
    """
    _require_comparable(a, b)
    others = [c for c in pool if c.key not in {a.key, b.key}]
    drawn = score_replicates([a, b, *others], resamples=resamples, level=level, rng=rng)
    known = drawn.basis[0] is not None and drawn.basis[1] is not None
    ratio = a.time_to_train_min / b.time_to_train_min
    difference = drawn.log_deviation[0] - drawn.log_deviation[1] + np.log(ratio)
    offers = _offers(a, b, prices, price_kind)
    costs = tuple(
        None if offer is None else offer.cost_usd(c.time_to_train_min)
        for c, offer in zip((a, b), offers, strict=True)
    )
    cost_ratio = costs[0] / costs[1] if costs[0] is not None and costs[1] is not None else None
    cheaper = None
    if known and cost_ratio is not None:
        # The rate of each is fixed: cost differs from time by a constant factor.
        cheaper = _share_below(difference + np.log(cost_ratio / ratio))
    low, high = percentile_interval(np.exp(difference), level=level)
    faster = _share_below(difference) if known else None
    hours = None
    if a.accelerators > 0 and b.accelerators > 0:
        hours = ratio * a.accelerators / b.accelerators
    warnings = [] if known else ["the runs say nothing about the noise of both scores"]
    if prices is not None and cost_ratio is None:
        warnings.append(f"no {price_kind} price is known for both, so costs are not compared")
    if a.key == b.key:
        warnings.append("both are the same configuration")
    bounds = (float(low), float(high)) if known else None
    alike = same_count([a, b, *others], a, b)
    return CompareResult(
        a=a.key,
        b=b.key,
        fields=tuple(_compared(name, getattr(a, name), getattr(b, name)) for name in FIELDS),
        time_ratio=ratio,
        time_ratio_low=None if bounds is None else bounds[0],
        time_ratio_high=None if bounds is None else bounds[1],
        accelerator_hours_ratio=hours,
        probability_a_faster=faster,
        cost_a_usd=costs[0],
        cost_b_usd=costs[1],
        cost_ratio=cost_ratio,
        probability_a_cheaper=cheaper,
        level=level,
        price_a=None if offers[0] is None else offers[0].words(),
        price_b=None if offers[1] is None else offers[1].words(),
        same_count=alike,
        sentence=_sentence(a, b, ratio, bounds, faster, cost_ratio, cheaper)
        + same_count_words(alike, a, b),
        warnings=tuple(warnings),
    )


def _require_comparable(a: Configuration, b: Configuration) -> None:
    if a.benchmark != b.benchmark:
        raise UsageError(
            f"{a.benchmark} and {b.benchmark} are different benchmarks: times to train of "
            "different trainings cannot be compared"
        )
    block_a, block_b = (facts.block_of(c.benchmark, c.round) for c in (a, b))
    if block_a is None or block_b is None or block_a == block_b:
        return
    raise UsageError(
        f"results of {a.benchmark} in {a.round} and {b.round} cannot be compared: the benchmark "
        f"changed between {_span(block_a.rounds)} and {_span(block_b.rounds)}"
    )


def _span(rounds: Sequence[str]) -> str:
    return rounds[0] if len(rounds) == 1 else f"{rounds[0]}-{rounds[-1]}"


def _offers(
    a: Configuration, b: Configuration, prices: PriceList | None, kind: str
) -> tuple[Offer | None, Offer | None]:
    if prices is None:
        return None, None
    book = OfferBook(prices, kind=kind)
    return _offer(a, book), _offer(b, book)


def _offer(c: Configuration, book: OfferBook) -> Offer | None:
    if c.accelerator_id is None or c.accelerators <= 0:
        return None
    return book.cheapest(c.accelerator_id, c.accelerators, per_node=c.accelerators_per_node)


def _share_below(differences: "np.ndarray[Any, np.dtype[np.float64]]") -> float:
    """Return P(difference < 0), equals counted half."""
    return float((differences < 0.0).mean() + 0.5 * (differences == 0.0).mean())


def _compared(name: str, a: Any, b: Any) -> ComparedField:
    same = None if a is None and b is None else a == b
    return ComparedField(field=name, a=a, b=b, same=same)


def _sentence(
    a: Configuration,
    b: Configuration,
    ratio: float,
    bounds: tuple[float, float] | None,
    faster: float | None,
    cost_ratio: float | None,
    cheaper: float | None,
) -> str:
    first, second = (
        f"{c.accelerators} x {c.accelerator_id or c.accelerator_model}" for c in (a, b)
    )
    text = f"A ({first}, {a.submitter} {a.round}) takes {figure(ratio)} times as long "
    if bounds is not None:
        text += f"(90 % interval {figure(bounds[0])} to {figure(bounds[1])}) "
    text += f"as B ({second}, {b.submitter} {b.round})"
    if faster is not None:
        text += f"; A is faster with a probability of {chance(faster)}"
    if cost_ratio is not None:
        text += f"; A costs {figure(cost_ratio)} times as much"
        if cheaper is not None:
            text += f" and is cheaper with a probability of {chance(cheaper)}"
    return f"{text}."
