"""Why efficiency is lost: throughput, convergence and overhead, or why that is unknown."""

from collections import defaultdict
from collections.abc import Iterable
from statistics import median
from typing import Final

from equipoise.domain import Configuration
from equipoise.metrics.speedup import EfficiencyFactors, efficiency_factors, training_share
from equipoise.structs import dataclass

GREATEST_TRAINING_SHARE: Final = 1.1
"""Training cannot take longer than the whole run; a tenth is left for how throughput is
averaged and for scores that drop the fastest and slowest run."""
LEAST_TRAINING_SHARE: Final = 0.2
"""Below this the units of samples or throughput are taken to be wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decomposition:
    """The three factors, or the reason why there are none."""

    factors: EfficiencyFactors | None
    reason: str | None


def decompose(configuration: Configuration, reference: Configuration) -> Decomposition:
    """Return E = E_throughput E_convergence E_overhead of a configuration.

    The factors are empty, with the reason, when throughput X or samples N to converge are
    missing on either side, or when N / X does not fit the time to train: then their units
    differ. The product equals the relative efficiency exactly whenever they are given.
    """
    for role, one in (("", configuration), ("reference ", reference)):
        problem = inconsistency(one)
        if problem is not None:
            return Decomposition(factors=None, reason=f"{role}{problem}")
    share, reference_share = _share(configuration), _share(reference)
    if share is None or reference_share is None:  # pragma: no cover - inconsistency() saw to it
        return Decomposition(factors=None, reason="throughput or samples are missing")
    factors = efficiency_factors(
        accelerators=configuration.accelerators,
        time_min=configuration.time_to_train_min,
        samples_to_converge=configuration.samples_to_converge or 0.0,
        throughput_samples_per_s=configuration.throughput_samples_per_s or 0.0,
        reference_accelerators=reference.accelerators,
        reference_time_min=reference.time_to_train_min,
        reference_samples_to_converge=reference.samples_to_converge or 0.0,
        reference_throughput_samples_per_s=reference.throughput_samples_per_s or 0.0,
    )
    return Decomposition(factors=factors, reason=None)


def inconsistency(configuration: Configuration) -> str | None:
    """Return why throughput and samples of a configuration cannot be used, or None."""
    share = _share(configuration)
    if share is None:
        missing = [
            name
            for name, value in (
                ("throughput", configuration.throughput_samples_per_s),
                ("samples to converge", configuration.samples_to_converge),
            )
            if value is None or value <= 0
        ]
        return f"{' and '.join(missing)} not logged"
    if share > GREATEST_TRAINING_SHARE:
        return (
            f"samples / throughput is {share:.3g} times the time to train: their units do not agree"
        )
    if share < LEAST_TRAINING_SHARE:
        return (
            f"samples / throughput is only {share:.2g} of the time to train: "
            "their units do not agree"
        )
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageRow:
    """How many configurations of a benchmark and round can be decomposed."""

    benchmark: str
    round: str
    configurations: int
    decomposable: int
    not_logged: int
    disagreeing: int
    """Samples, throughput and time contradict each other."""
    training_share_median: float | None
    """Median of (N / X) / T over the decomposable ones."""


def coverage(configurations: Iterable[Configuration]) -> tuple[CoverageRow, ...]:
    """Return where logs allow the decomposition, by benchmark and round in name order."""
    groups: dict[tuple[str, str], list[Configuration]] = defaultdict(list)
    for configuration in configurations:
        if configuration.time_to_train_min > 0:
            groups[configuration.benchmark, configuration.round].append(configuration)
    rows = []
    for (benchmark, round_name), members in sorted(groups.items()):
        shares = [_share(configuration) for configuration in members]
        good = [s for s in shares if s is not None and _consistent(s)]
        missing = sum(share is None for share in shares)
        rows.append(
            CoverageRow(
                benchmark=benchmark,
                round=round_name,
                configurations=len(members),
                decomposable=len(good),
                not_logged=missing,
                disagreeing=len(members) - len(good) - missing,
                training_share_median=median(good) if good else None,
            )
        )
    return tuple(rows)


def _consistent(share: float) -> bool:
    return LEAST_TRAINING_SHARE <= share <= GREATEST_TRAINING_SHARE


def _share(configuration: Configuration) -> float | None:
    samples = configuration.samples_to_converge
    throughput = configuration.throughput_samples_per_s
    if samples is None or throughput is None or samples <= 0 or throughput <= 0:
        return None
    return training_share(
        time_min=configuration.time_to_train_min,
        samples_to_converge=samples,
        throughput_samples_per_s=throughput,
    )
