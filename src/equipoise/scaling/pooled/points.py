"""Configurations to the points the pooled model learns from.

One point is the median score of all submitters with the same round, benchmark,
accelerator and n: submitters of like systems differ by a few per cent, and the median is
what the model predicts.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from equipoise import facts
from equipoise.domain import Configuration
from equipoise.errors import UnknownNameError
from equipoise.scaling.pooled.coordinates import Coordinates, Place, block_name, coordinates
from equipoise.structs import dataclass

Array = NDArray[np.float64]

LEFT_OUT: Final = frozenset({"minigo"})
"""MiniGo's time depends on self-play, its scores scatter too much to be pooled."""
MIN_RUNS_FOR_SPREAD: Final = 3
SPREAD_OTHERWISE: Final = 0.05
"""Log spread of the runs of a benchmark whose runs are not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """The median score of the submitters with the same round, accelerator and n."""

    place: Place
    block: str
    """Name of the block of compatible rounds."""
    time_to_train_min: float
    submitters: tuple[str, ...]
    """One entry per configuration."""
    keys: tuple[str, ...]
    """`round/submitter/system_id/benchmark` of each configuration."""
    run_variance: float
    """Sampling variance of the log score from the runs behind it."""

    @property
    def curve(self) -> tuple[str, str, str]:
        """Return (round, block, accelerator): the points that lie on one curve."""
        return self.place.round, self.block, self.place.accelerator_id

    @property
    def pair(self) -> tuple[str, str]:
        """Return (block, accelerator)."""
        return self.block, self.place.accelerator_id


def usable(configuration: Configuration) -> bool:
    """Return whether a configuration can teach the pooled model."""
    return (
        configuration.division == "closed"
        and configuration.benchmark not in LEFT_OUT
        and configuration.resubmission_of is None
        and configuration.accelerators > 0
        and np.isfinite(configuration.time_to_train_min)
        and configuration.time_to_train_min > 0
        and _has_facts(configuration)
    )


def _has_facts(configuration: Configuration) -> bool:
    """Return whether accelerator, benchmark and round are known and belong together."""
    try:
        facts.accelerator(configuration.accelerator_id or "")
        return facts.block_of(configuration.benchmark, configuration.round) is not None
    except UnknownNameError:
        return False


def pool_points(configurations: Iterable[Configuration]) -> tuple[Point, ...]:
    """Return the points of all usable configurations, in a fixed order.

    Runs that were published before under another name are counted once: of
    configurations of one benchmark with exactly the same run times the earliest is kept.
    """
    kept = _without_copies([c for c in configurations if usable(c)])
    spread = _run_spread(kept)
    groups: dict[tuple[str, str, str, int], list[Configuration]] = defaultdict(list)
    for c in kept:
        groups[c.benchmark, c.round, str(c.accelerator_id), c.accelerators].append(c)
    points = []
    for (benchmark, round_name, accelerator, n), members in groups.items():
        variance = np.mean(
            [spread[c.benchmark] ** 2 / max(_runs_kept(c), 1) for c in members]
        ) / len(members)
        points.append(
            Point(
                place=Place(benchmark, round_name, accelerator, n),
                block=block_name(benchmark, round_name),
                time_to_train_min=float(np.median([c.time_to_train_min for c in members])),
                submitters=tuple(c.submitter for c in members),
                keys=tuple(c.key for c in members),
                run_variance=float(variance),
            )
        )
    return tuple(
        sorted(
            points,
            key=lambda p: (
                p.block,
                facts.round_index(p.place.round),
                p.place.accelerator_id,
                p.place.accelerators,
            ),
        )
    )


def _without_copies(configurations: Sequence[Configuration]) -> list[Configuration]:
    ordered = sorted(configurations, key=lambda c: (facts.round_index(c.round), c.key))
    seen: set[tuple[str, tuple[float, ...]]] = set()
    kept = []
    for c in ordered:
        identity = (c.benchmark, tuple(sorted(c.run_times_min)))
        if len(c.run_times_min) >= MIN_RUNS_FOR_SPREAD:
            if identity in seen:
                continue
            seen.add(identity)
        kept.append(c)
    return kept


def _runs_kept(configuration: Configuration) -> int:
    runs = len(configuration.run_times_min) + configuration.runs_failed
    return runs - 2 * configuration.runs_dropped_each_end


def _run_spread(configurations: Sequence[Configuration]) -> dict[str, float]:
    """Return the typical log spread of the runs of each benchmark: median over systems."""
    spreads: dict[str, list[float]] = defaultdict(list)
    for c in configurations:
        spreads[c.benchmark]
        if len(c.run_times_min) >= MIN_RUNS_FOR_SPREAD and min(c.run_times_min) > 0:
            spreads[c.benchmark].append(float(np.std(np.log(c.run_times_min), ddof=1)))
    return {
        name: float(np.median(found)) if found else SPREAD_OTHERWISE
        for name, found in spreads.items()
    }


def submitter_shares(points: Sequence[Point], submitters: Sequence[str]) -> Array:
    """Return the share of each submitter in each point, shape (N, S)."""
    number = {name: column for column, name in enumerate(submitters)}
    shares = np.zeros((len(points), len(submitters)))
    for row, point in enumerate(points):
        for name in point.submitters:
            if name in number:
                shares[row, number[name]] += 1.0 / len(point.submitters)
    return shares


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Points with their arrays: what the model is fitted on."""

    points: tuple[Point, ...]
    submitters: tuple[str, ...]
    vocabulary: dict[str, dict[str, int]]
    at: Coordinates
    log_work: Array
    """(N,) log of n x time: accelerator-minutes."""
    configurations: Array
    """(N,) submitters behind each median."""
    run_variance: Array
    centre: float
    """Mean of log_work: the mean of the process before anything is known."""

    def __len__(self) -> int:
        return len(self.points)

    def take(self, index: NDArray[np.int64]) -> "Pool":
        """Return the pool of some of the points, with the same codes and its own centre."""
        return Pool(
            tuple(self.points[i] for i in index),
            self.submitters,
            self.vocabulary,
            self.at.take(index),
            self.log_work[index],
            self.configurations[index],
            self.run_variance[index],
            float(self.log_work[index].mean()),
        )

    def centred_at(self, centre: float) -> "Pool":
        """Return the same points with another centre, such as that of the known ones."""
        return replace(self, centre=centre)


def build_pool(points: Sequence[Point]) -> Pool:
    """Return the pool of these points."""
    submitters = tuple(sorted({name for point in points for name in point.submitters}))
    vocabulary: dict[str, dict[str, int]] = {}
    at = coordinates(
        [point.place for point in points],
        submitter_shares(points, submitters),
        vocabulary=vocabulary,
    )
    work = [np.log(p.place.accelerators * p.time_to_train_min) for p in points]
    return Pool(
        tuple(points),
        submitters,
        vocabulary,
        at,
        np.array(work),
        np.array([len(p.submitters) for p in points], dtype=np.float64),
        np.array([p.run_variance for p in points]),
        float(np.mean(work)),
    )
