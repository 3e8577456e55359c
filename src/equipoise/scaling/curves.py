"""Group configurations into curves, choose the best score per count and the reference."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

import numpy as np

from equipoise.domain import VERIFIED_DIVISIONS, Configuration
from equipoise.errors import DataError, NothingFoundError, UnknownNameError, UsageError
from equipoise.structs import dataclass

BY_ACCELERATOR: Final = "accelerator"
BY_SUBMITTER: Final = "accelerator+submitter"
GROUPINGS: Final = (BY_ACCELERATOR, BY_SUBMITTER)

SMALLEST: Final = "smallest"
SLOWEST: Final = "slowest"
NAMED: Final = 3
"""Machines without accelerators that a warning names."""
SMALL_MACHINE_ACCELERATORS: Final = 8
"""`slowest` looks among machines up to this size (one usual server), if there are any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Configurations of one round, division and accelerator; all members are indices."""

    name: str
    round: str
    division: str
    accelerator_id: str | None
    submitter: str | None
    members: tuple[int, ...]
    """All configurations, by count and then score."""
    best: tuple[int, ...]
    """The best score of each count, by count."""
    alternatives: tuple[tuple[int, ...], ...]
    """All configurations of each count, the best first."""
    reference: int

    @property
    def points(self) -> int:
        """Return the number of different counts."""
        return len(self.best)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseFloor:
    """Spread between submitters who measured the same count."""

    log_spread: float | None
    groups: int
    max_ratio: float | None


def usable_configurations(
    configurations: Sequence[Configuration],
) -> tuple[tuple[Configuration, ...], tuple[str, ...]]:
    """Return the configurations that can lie on a curve, and why the others cannot.

    Raises
    ------
    DataError
        When they belong to several benchmarks.
    NothingFoundError
        When none is left.
    """
    benchmarks = sorted({configuration.benchmark for configuration in configurations})
    if len(benchmarks) > 1:
        raise DataError(
            f"scores of one benchmark only can be compared, not {', '.join(benchmarks)}"
        )
    good, warnings, bare = [], [], []
    for configuration in configurations:
        time_min = configuration.time_to_train_min
        if not configuration.accelerators or configuration.accelerators < 0:
            bare.append(configuration.key)
        elif not time_min or not np.isfinite(time_min) or time_min < 0:
            warnings.append(f"{configuration.key} has no time to train above zero: left out")
        else:
            good.append(configuration)
    if not good:
        raise NothingFoundError("no configuration with a count of accelerators and a score is left")
    if bare:
        verb = "has" if len(bare) == 1 else "have"
        named = ", ".join(bare[:NAMED]) + (", ..." if len(bare) > NAMED else "")
        warnings.append(f"{named}: {verb} no accelerators, on no curve ({len(bare)})")
    return tuple(good), tuple(warnings)


def build_curves(
    configurations: Sequence[Configuration], *, by: str, reference: str
) -> tuple[Curve, ...]:
    """Return the curves by round, division and accelerator (and submitter), in name order.

    Parameters
    ----------
    configurations : sequence of Configuration
        Usable ones.
    by : str
        accelerator or accelerator+submitter.
    reference : str
        smallest: the smallest count of the same curve; slowest: the slowest of all
        machines of up to eight accelerators (paper 2); or a system: `system_id`,
        `submitter/system_id` or the whole key, of the same round if it is there.

    Raises
    ------
    UsageError, UnknownNameError
        For an unknown grouping or reference.
    """
    if by not in GROUPINGS:
        raise UsageError(f"curves are by {' or '.join(GROUPINGS)}, not by {by!r}")
    groups: dict[tuple[str, str, str, str], list[int]] = defaultdict(list)
    for index, configuration in enumerate(configurations):
        groups[
            configuration.round,
            configuration.accelerator_id or configuration.accelerator_model or "unknown",
            configuration.division,
            configuration.submitter if by == BY_SUBMITTER else "",
        ].append(index)
    named = _reference_candidates(configurations, reference)
    curves = []
    for (round_name, accelerator, division, submitter), members in sorted(groups.items()):
        ordered = sorted(
            members,
            key=lambda i: (
                configurations[i].accelerators,
                configurations[i].time_to_train_min,
                configurations[i].key,
            ),
        )
        counts: dict[int, list[int]] = defaultdict(list)
        for index in ordered:
            counts[configurations[index].accelerators].append(index)
        submitters = {configurations[i].submitter for i in members}
        curves.append(
            Curve(
                name=_name(round_name, accelerator, division, submitter),
                round=round_name,
                division=division,
                accelerator_id=configurations[ordered[0]].accelerator_id,
                submitter=next(iter(submitters)) if len(submitters) == 1 else None,
                members=tuple(ordered),
                best=tuple(group[0] for group in counts.values()),
                alternatives=tuple(tuple(group) for group in counts.values()),
                reference=_reference_of(configurations, round_name, ordered, named),
            )
        )
    return tuple(curves)


def noise_floor(configurations: Sequence[Configuration], curve: Curve) -> NoiseFloor:
    """Return the spread between submitters at equal counts of a curve.

    s = sqrt(sum of squared log deviations from the mean of the count / sum of (m - 1))
    over the best score of each of m submitters: differences smaller than this are not
    differences of hardware or scale.
    """
    squares, freedom, ratio, groups = 0.0, 0, None, 0
    for members in curve.alternatives:
        best: dict[str, float] = {}
        for index in members:
            configuration = configurations[index]
            best.setdefault(configuration.submitter, configuration.time_to_train_min)
        if len(best) < 2:
            continue
        logs = np.log(list(best.values()))
        squares += float(((logs - logs.mean()) ** 2).sum())
        freedom += len(logs) - 1
        groups += 1
        ratio = max(ratio or 1.0, float(np.exp(logs.max() - logs.min())))
    spread = float(np.sqrt(squares / freedom)) if freedom else None
    return NoiseFloor(log_spread=spread, groups=groups, max_ratio=ratio)


def _name(round_name: str, accelerator: str, division: str, submitter: str) -> str:
    parts = [round_name, accelerator]
    if division != VERIFIED_DIVISIONS[0]:
        parts.append(division)
    if submitter:
        parts.append(submitter)
    return " ".join(parts)


def _reference_candidates(
    configurations: Sequence[Configuration], reference: str
) -> tuple[int, ...]:
    """Return indices of the named reference, nothing for `smallest`."""
    if reference == SMALLEST:
        return ()
    if reference == SLOWEST:
        small = [
            i
            for i, configuration in enumerate(configurations)
            if configuration.accelerators <= SMALL_MACHINE_ACCELERATORS
        ] or range(len(configurations))
        return (max(small, key=lambda i: configurations[i].time_to_train_min),)
    wanted = reference.strip().lower()
    matches = tuple(
        i
        for i, configuration in enumerate(configurations)
        if wanted
        in (
            configuration.system_id.lower(),
            f"{configuration.submitter}/{configuration.system_id}".lower(),
            configuration.key.rpartition("/")[0].lower(),
            configuration.key.lower(),
        )
    )
    if not matches:
        choices = {configuration.system_id for configuration in configurations}
        raise UnknownNameError("reference", reference, {SMALLEST, SLOWEST} | choices)
    return matches


def _reference_of(
    configurations: Sequence[Configuration],
    round_name: str,
    ordered: Sequence[int],
    named: tuple[int, ...],
) -> int:
    if not named:
        return ordered[0]
    same_round = [i for i in named if configurations[i].round == round_name]
    return min(same_round or named, key=lambda i: configurations[i].time_to_train_min)
