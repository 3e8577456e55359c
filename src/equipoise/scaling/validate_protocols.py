"""What is left out and predicted: the protocols of `validate`, as data.

All of them use the points of the pooled model: closed division, MiniGo left out,
resubmitted configurations counted once, one point per (round, benchmark, accelerator, n)
with the median over submitters. A curve is the points of one round, benchmark and
accelerator.

* interior: every curve with at least four different n loses one point that is neither its
  smallest nor its largest.
* edge: every curve with at least four different n loses its smallest, then its largest.
* pair: every accelerator is left out of a benchmark (all rounds of the compatible block)
  that at least one other accelerator was measured on.
* family: every accelerator family (H100 in all its form factors) is left out everywhere.
* forward: trained on all earlier rounds, predict every point of the rounds v2.1-v5.1 whose
  benchmark and accelerator are known from them.
* own-job: a whole benchmark is left out; each of its curves with at least four different n
  is known by its two smallest n only, the name of the benchmark is not.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from equipoise import facts
from equipoise.scaling.pooled.points import Point
from equipoise.structs import dataclass

Index = NDArray[np.int64]

INTERIOR: Final = "interior"
EDGE: Final = "edge"
PAIR: Final = "pair"
FAMILY: Final = "family"
FORWARD: Final = "forward"
OWN_JOB: Final = "own-job"
PROTOCOLS: Final = (INTERIOR, EDGE, PAIR, FAMILY, FORWARD, OWN_JOB)
MIN_CURVE: Final = 4
"""Different counts that a curve of interior, edge and own-job has at least."""
KNOWN_OF_OWN_JOB: Final = 2
FORWARD_FROM: Final = "v2.1"
FORWARD_TO: Final = "v5.1"
FOLDS: Final = {"curves": 5, PAIR: 5, FAMILY: 6, OWN_JOB: 5}
"""Nested validation: hyperparameters are learnt this many times, without the test points."""


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """Points that are predicted together, from everything else that is visible."""

    protocol: str
    target: Index
    """Points that are predicted."""
    hidden: Index
    """Points that the prediction must not see (the target among them)."""
    shown: Index
    """Points of the own job that are given as measurements; empty otherwise."""


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """Cases whose hyperparameters are learnt together, from the `known` points only."""

    name: str
    cases: tuple[Case, ...]
    known: Index
    """No target and no hidden point of any case is among them."""
    admitted: bool
    """Points of the other cases of the fold are evidence too, at these hyperparameters."""


def curves_of(points: Sequence[Point]) -> list[list[int]]:
    """Return the curves with at least four counts, each by count."""
    curves: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for i, point in enumerate(points):
        curves[point.curve].append(i)
    ordered = [sorted(c, key=lambda i: points[i].place.accelerators) for c in curves.values()]
    return [curve for curve in ordered if len(curve) >= MIN_CURVE]


def cases_of(points: Sequence[Point], protocol: str) -> list[Case]:
    """Return all cases of a protocol but `forward`, whose cases are its folds."""
    if protocol == INTERIOR:
        return [_alone(INTERIOR, i) for curve in curves_of(points) for i in curve[1:-1]]
    if protocol == EDGE:
        return [_alone(EDGE, i) for curve in curves_of(points) for i in (curve[0], curve[-1])]
    if protocol == PAIR:
        return [_group(PAIR, g) for g in _pairs(points)]
    if protocol == FAMILY:
        return [_group(FAMILY, g) for g in _families(points)]
    return _own_jobs(points)


def folds_of(points: Sequence[Point], protocols: Sequence[str]) -> list[Fold]:
    """Return the folds of the protocols, in a fixed order.

    Interior and edge share their folds: the points of a curve are dealt out one by one,
    so that a fold takes at most one in five of them.
    """
    folds: list[Fold] = []
    point_wise = [p for p in (INTERIOR, EDGE) if p in protocols]
    if point_wise:
        cases = [case for p in point_wise for case in cases_of(points, p)]
        cases.sort(key=lambda c: int(c.target[0]))
        dealt = [cases[k :: FOLDS["curves"]] for k in range(FOLDS["curves"])]
        folds += [_fold(points, "curves", k, part) for k, part in enumerate(dealt) if part]
    for protocol in (PAIR, FAMILY):
        if protocol in protocols:
            dealt = _balanced(cases_of(points, protocol), FOLDS[protocol])
            folds += [_fold(points, protocol, k, part) for k, part in enumerate(dealt) if part]
    if OWN_JOB in protocols:
        cases = cases_of(points, OWN_JOB)
        by_block: dict[str, list[Case]] = defaultdict(list)
        for case in cases:
            by_block[points[case.target[0]].block].append(case)
        blocks = sorted(by_block.values(), key=lambda part: -sum(len(c.target) for c in part))
        for k in range(FOLDS[OWN_JOB]):
            part = [case for block in blocks[k :: FOLDS[OWN_JOB]] for case in block]
            if part:
                folds.append(_fold(points, OWN_JOB, k, part))
    if FORWARD in protocols:
        folds += _forward(points)
    return folds


def _alone(protocol: str, i: int) -> Case:
    return Case(protocol, np.array([i]), np.array([i]), np.array([], dtype=np.int64))


def _group(protocol: str, members: Sequence[int]) -> Case:
    index = np.array(members)
    return Case(protocol, index, index, np.array([], dtype=np.int64))


def _pairs(points: Sequence[Point]) -> list[list[int]]:
    pairs: dict[tuple[str, str], list[int]] = defaultdict(list)
    accelerators: dict[str, set[str]] = defaultdict(set)
    for i, point in enumerate(points):
        pairs[point.pair].append(i)
        accelerators[point.block].add(point.place.accelerator_id)
    return [found for (block, _), found in pairs.items() if len(accelerators[block]) > 1]


def _families(points: Sequence[Point]) -> list[list[int]]:
    families: dict[str, list[int]] = defaultdict(list)
    for i, point in enumerate(points):
        families[facts.accelerator(point.place.accelerator_id).family].append(i)
    return list(families.values()) if len(families) > 1 else []


def _own_jobs(points: Sequence[Point]) -> list[Case]:
    blocks: dict[str, list[int]] = defaultdict(list)
    for i, point in enumerate(points):
        blocks[point.block].append(i)
    return [
        Case(
            OWN_JOB,
            np.array(curve[KNOWN_OF_OWN_JOB:]),
            np.array(blocks[points[curve[0]].block]),
            np.array(curve[:KNOWN_OF_OWN_JOB]),
        )
        for curve in curves_of(points)
        if len(blocks) > 1
    ]


def _fold(points: Sequence[Point], name: str, k: int, cases: Sequence[Case]) -> Fold:
    hidden = np.unique(np.concatenate([case.hidden for case in cases]))
    known = np.setdiff1d(np.arange(len(points)), hidden)
    return Fold(f"{name} {k + 1}", tuple(cases), known, admitted=True)


def _balanced(cases: Sequence[Case], count: int) -> list[list[Case]]:
    parts: list[list[Case]] = [[] for _ in range(count)]
    sizes = [0] * count
    for case in sorted(cases, key=lambda c: -len(c.target)):
        k = int(np.argmin(sizes))
        parts[k].append(case)
        sizes[k] += len(case.target)
    return parts


def _forward(points: Sequence[Point]) -> list[Fold]:
    place = np.array([facts.round_index(p.place.round) for p in points])
    folds = []
    for number in range(facts.round_index(FORWARD_FROM), facts.round_index(FORWARD_TO) + 1):
        known = np.flatnonzero(place < number)
        pairs = {points[int(i)].pair for i in known}
        here = np.flatnonzero(place == number)
        target = np.array([i for i in here if points[int(i)].pair in pairs], dtype=np.int64)
        if len(target) and len(known):
            later = np.flatnonzero(place >= number)
            case = Case(FORWARD, target, later, np.array([], dtype=np.int64))
            name = f"forward {facts.rounds()[number].name}"
            folds.append(Fold(name, (case,), known, admitted=False))
    return folds
