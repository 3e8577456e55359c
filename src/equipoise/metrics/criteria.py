"""The one registry of criteria: what a configuration is judged by, as data.

A criterion has a name (with its unit), a direction, a source and a sentence on who has
it; its values are computed for a whole selection at once, because relative efficiency
and estimated throughput need the other configurations. Missing is None in `column` and
NaN in the float array of `values` (NaN never leaves the computing layers).
"""

from collections.abc import Callable, Sequence
from statistics import fmean, median, stdev
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from equipoise import facts, units
from equipoise.domain import Configuration
from equipoise.errors import UnknownNameError
from equipoise.metrics.parse import precision
from equipoise.structs import dataclass

Column = list[float | None]
Direction = Literal["min", "max"]

MEASURED = "measured"
COMPUTED = "computed"
ESTIMATED = "estimated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One way to judge a configuration."""

    name: str
    label: str
    unit: str
    """"1" for a plain ratio."""
    direction: Direction
    """min: less is better (a cost); max: more is better (a benefit)."""
    log: bool
    """Whether ratios count: values are positive and are compared on a log scale."""
    time_power: float
    """k where the value goes with T^k when a time to train is drawn again: 1 for hours, 0 for
    what was measured apart from the time. `rank.noise` knows those that also depend on others."""
    official: bool
    """True only for figures that MLPerf itself defines; all others are derived."""
    source: str
    availability: str
    compute: Callable[[Sequence[Configuration]], Column]


def criterion(name: str) -> Criterion:
    """Return the criterion of that name or alias; raise UnknownNameError otherwise.

    >>> criterion("throughput").name
    'throughput_samples_per_s'
    """
    wanted = name.strip().lower().replace("-", "_")
    found = CRITERIA.get(ALIASES.get(wanted, wanted))
    if found is None:
        raise UnknownNameError("criterion", name, CRITERIA)
    return found


def column(configurations: Sequence[Configuration], name: str) -> Column:
    """Return one criterion for every configuration; None where it is not known."""
    return criterion(name).compute(configurations)


def values(configurations: Sequence[Configuration], names: Sequence[str]) -> NDArray[np.float64]:
    """Return the criteria as a float array (configurations, names), NaN where missing."""
    table = np.full((len(configurations), len(names)), np.nan)
    for j, name in enumerate(names):
        table[:, j] = [np.nan if v is None else v for v in column(configurations, name)]
    return table


def throughput_sources(configurations: Sequence[Configuration]) -> list[str | None]:
    """Say for every configuration where its throughput comes from.

    `measured`: logged, or samples over training time; `computed`: the configuration's own
    samples to converge over its whole time to train (a lower bound: the time includes
    evaluation and start); `estimated`: the median samples to converge of the selection
    over its time, that is its relative speed in the unit of the others; None: no
    configuration of the selection says how many samples it needed.
    """
    typical = _typical_samples(configurations)
    return [_throughput(c, typical)[1] for c in configurations]


def _typical_samples(configurations: Sequence[Configuration]) -> float | None:
    known = [c.samples_to_converge for c in configurations if c.samples_to_converge]
    return median(known) if known else None


def _throughput(c: Configuration, typical: float | None) -> tuple[float | None, str | None]:
    if c.throughput_samples_per_s:
        return c.throughput_samples_per_s, MEASURED
    seconds = c.time_to_train_min * units.S_PER_MIN
    if seconds <= 0:
        return None, None
    if c.samples_to_converge:
        return c.samples_to_converge / seconds, COMPUTED
    return (typical / seconds, ESTIMATED) if typical else (None, None)


def _time(configurations: Sequence[Configuration]) -> Column:
    return [c.time_to_train_min if c.time_to_train_min > 0 else None for c in configurations]


def _throughput_column(configurations: Sequence[Configuration]) -> Column:
    typical = _typical_samples(configurations)
    return [_throughput(c, typical)[0] for c in configurations]


def _per_accelerator(configurations: Sequence[Configuration]) -> Column:
    rates = _throughput_column(configurations)
    return [
        x / c.accelerators if x is not None and c.accelerators > 0 else None
        for c, x in zip(configurations, rates, strict=True)
    ]


def _hours(configurations: Sequence[Configuration]) -> Column:
    return [
        c.accelerators * c.time_to_train_min / units.MIN_PER_H
        if c.accelerators > 0 and c.time_to_train_min > 0
        else None
        for c in configurations
    ]


def _efficiency(configurations: Sequence[Configuration]) -> Column:
    """E = (n_r T_r) / (n T), r = the configuration with the fewest accelerator-hours.

    Work is compared only inside one benchmark.
    """
    hours = _hours(configurations)
    best: dict[str, float] = {}
    for c, h in zip(configurations, hours, strict=True):
        if h is not None:
            best[c.benchmark] = min(h, best.get(c.benchmark, h))
    return [
        None if h is None else best[c.benchmark] / h
        for c, h in zip(configurations, hours, strict=True)
    ]


def _scaling_efficiency(configurations: Sequence[Configuration]) -> Column:
    """E = (n_r T_r) / (n T), r = the smallest n of the same benchmark, round, accelerator."""
    hours = _hours(configurations)
    first: dict[tuple[str, str, str], tuple[int, float]] = {}
    sizes: dict[tuple[str, str, str], set[int]] = {}
    for c, h in zip(configurations, hours, strict=True):
        curve = _curve(c)
        if h is None or curve is None:
            continue
        candidate = (c.accelerators, h)
        first[curve] = min(candidate, first.get(curve, candidate))
        sizes.setdefault(curve, set()).add(c.accelerators)
    result: Column = []
    for c, h in zip(configurations, hours, strict=True):
        curve = _curve(c)
        alone = curve is None or len(sizes.get(curve, ())) < 2
        result.append(None if h is None or curve is None or alone else first[curve][1] / h)
    return result


def _curve(c: Configuration) -> tuple[str, str, str] | None:
    name = c.accelerator_id or c.accelerator_model
    return (c.benchmark, c.round, name) if name else None


def _utilisation(configurations: Sequence[Configuration]) -> Column:
    """MFU = FLOPs per sample x X / (n x peak dense FLOP/s at the precision used)."""
    result: Column = []
    for c in configurations:
        flops, peak = _flops_per_sample(c), _peak_tflops(c)
        rate = c.throughput_samples_per_s
        if not flops or not peak or not rate or c.accelerators <= 0:
            result.append(None)
            continue
        result.append(flops * rate / (c.accelerators * peak * units.FLOPS_PER_TFLOPS))
    return result


def _flops_per_sample(c: Configuration) -> float | None:
    try:
        block = facts.block_of(c.benchmark, c.round)
    except UnknownNameError:
        return None  # a user's own job: no sourced figure
    return None if block is None else block.train_flops_per_sample


def _peak_tflops(c: Configuration) -> float | None:
    used = precision(c.precision).value
    if c.accelerator_id is None or not isinstance(used, str):
        return None
    try:
        return facts.accelerator(c.accelerator_id).peak_tflops(used)
    except UnknownNameError:
        return None


def _energy(configurations: Sequence[Configuration]) -> Column:
    return [c.energy_kj if c.energy_kj else None for c in configurations]


def _spread(configurations: Sequence[Configuration]) -> Column:
    """Return s / mean of the times of the successful runs (s with n - 1), 3 runs or more."""
    result: Column = []
    for c in configurations:
        times = c.run_times_min
        enough = len(times) >= FEWEST_RUNS_FOR_SPREAD and fmean(times) > 0
        result.append(stdev(times) / fmean(times) if enough else None)
    return result


FEWEST_RUNS_FOR_SPREAD = 3

_REGISTRY = (
    Criterion(
        name="time_to_train_min",
        label="time to train",
        unit="min",
        direction="min",
        log=True,
        time_power=1.0,
        official=True,
        source="MLPerf's score: olympic mean of the runs, times the scaling factor",
        availability="every configuration",
        compute=_time,
    ),
    Criterion(
        name="throughput_samples_per_s",
        label="throughput",
        unit="samples/s",
        direction="max",
        log=True,
        time_power=-1.0,
        official=False,
        source="logged or computed from samples; else samples to converge over time to train "
        "(own, or the median of the selection: see throughput_sources)",
        availability="most since v1.0; all once one configuration knows its samples",
        compute=_throughput_column,
    ),
    Criterion(
        name="throughput_per_accelerator",
        label="throughput per accelerator",
        unit="samples/s",
        direction="max",
        log=True,
        time_power=-1.0,
        official=False,
        source="throughput_samples_per_s / accelerators",
        availability="as throughput; not for CPU-only systems",
        compute=_per_accelerator,
    ),
    Criterion(
        name="efficiency",
        label="efficiency",
        unit="1",
        direction="max",
        log=True,
        time_power=-1.0,
        official=False,
        source="relative efficiency (n_r T_r) / (n T) with r the configuration of the selection "
        "with the fewest accelerator-hours: work per accelerator and minute, best = 1",
        availability="every configuration with accelerators",
        compute=_efficiency,
    ),
    Criterion(
        name="scaling_efficiency",
        label="scaling efficiency",
        unit="1",
        direction="max",
        log=True,
        time_power=-1.0,
        official=False,
        source="relative efficiency (n_r T_r) / (n T) with r the smallest n of the same "
        "benchmark, round and accelerator",
        availability="curves with two sizes or more",
        compute=_scaling_efficiency,
    ),
    Criterion(
        name="accelerator_hours",
        label="accelerator-hours",
        unit="h",
        direction="min",
        log=True,
        time_power=1.0,
        official=False,
        source="accelerators x time to train",
        availability="every configuration with accelerators",
        compute=_hours,
    ),
    Criterion(
        name="utilisation",
        label="utilisation (MFU)",
        unit="1",
        direction="max",
        log=True,
        time_power=0.0,
        official=False,
        source="training FLOPs per sample x throughput / (accelerators x dense peak at the "
        "precision used)",
        availability="where FLOPs per sample, precision, peak and throughput are all known",
        compute=_utilisation,
    ),
    Criterion(
        name="energy_kj",
        label="energy",
        unit="kJ",
        direction="min",
        log=True,
        time_power=1.0,
        official=True,
        source="measured power logs, by MLPerf's rule",
        availability="few systems, v4.0 and later",
        compute=_energy,
    ),
    Criterion(
        name="run_spread",
        label="run-to-run spread",
        unit="1",
        direction="min",
        log=False,
        time_power=0.0,
        official=False,
        source="standard deviation / mean of the times of the successful runs",
        availability="three successful runs or more",
        compute=_spread,
    ),
)

CRITERIA: dict[str, Criterion] = {item.name: item for item in _REGISTRY}
"""Every criterion by name, in the order in which tables show them."""

ALIASES = {
    "time": "time_to_train_min",
    "time_to_train": "time_to_train_min",
    "minutes": "time_to_train_min",
    "score": "time_to_train_min",
    "throughput": "throughput_samples_per_s",
    "hours": "accelerator_hours",
    "mfu": "utilisation",
    "energy": "energy_kj",
    "spread": "run_spread",
}
"""Short names that users may type."""
