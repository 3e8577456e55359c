"""Link runs that were published more than once, and scores that only repeat others.

The rule of what is the same run is that of `sources.copies` and stands only there. The readers
apply it inside one round; here it is applied to the whole catalogue, whose rounds may be read at
different times and in any order, and what a reader linked is linked anew. Only here scores
learn which other configuration they repeat.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from equipoise.domain import Run, Score
from equipoise.sources.copies import originals as same_as
from equipoise.structs import dataclass

RoundKey = tuple[int, int, int, str]
ConfigurationKey = tuple[str, str, str, str, str]

_VERSION: Final = re.compile(r"v(\d{1,6})\.(\d{1,6})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """Runs and scores that know their originals, and how many there were."""

    runs: tuple[Run, ...]
    scores: tuple[Score, ...]
    groups: int
    """Runs that were published more than once."""
    copies: int
    """Logs that are a copy of an earlier one."""
    resubmissions: int
    """Scores whose successful runs were all published first by one other configuration."""


@cache
def round_key(name: str) -> RoundKey:
    """Return a sort key: published rounds in their order, then every other name.

    >>> sorted(["v10.0", "own", "v5.1", "v0.7"], key=round_key)
    ['v0.7', 'v5.1', 'v10.0', 'own']
    """
    match = _VERSION.fullmatch(name)
    if match is None:
        return (1, 0, 0, name)
    return (0, int(match[1]), int(match[2]), name)


def configuration_of(record: Run | Score) -> ConfigurationKey:
    """Return the identity of the configuration that a run or a score belongs to."""
    return (
        record.round,
        record.submitter,
        record.system_id,
        record.benchmark,
        record.benchmark_folder,
    )


def place_of(run: Run) -> str:
    """Return `round:path`, the way in which copies name their original."""
    return f"{run.round}:{run.path}"


def link(runs: Iterable[Run], scores: Iterable[Score]) -> Linked:
    """Return runs with `duplicate_of` and scores with `distinct_runs`, `resubmission_of`.

    The first place in the order (round, submitter, system, benchmark, path) is the
    original. Earlier links are forgotten, so that adding an older round links anew.
    """
    ordered = sorted(runs, key=_run_order)
    originals = [ordered[index] for index in same_as(ordered)]
    linked = tuple(
        _pointing(run, None if first is run else place_of(first))
        for run, first in zip(ordered, originals, strict=True)
    )
    members: dict[ConfigurationKey, list[tuple[Run, Run]]] = defaultdict(list)
    for run, first in zip(ordered, originals, strict=True):
        members[configuration_of(run)].append((run, first))
    new_scores = tuple(_relate(score, members.get(configuration_of(score), ())) for score in scores)
    copied = [first for run, first in zip(ordered, originals, strict=True) if first is not run]
    return Linked(
        runs=linked,
        scores=new_scores,
        groups=len({id(first) for first in copied}),
        copies=len(copied),
        resubmissions=sum(score.resubmission_of is not None for score in new_scores),
    )


def _run_order(run: Run) -> tuple[RoundKey, str, str, str, str, str]:
    return (
        round_key(run.round),
        run.submitter,
        run.system_id,
        run.benchmark,
        run.benchmark_folder,
        run.path,
    )


def _pointing(run: Run, original: str | None) -> Run:
    return run if run.duplicate_of == original else replace(run, duplicate_of=original)


def _relate(score: Score, members: Sequence[tuple[Run, Run]]) -> Score:
    """Return a score with the count of its distinct runs and the score that it repeats."""
    distinct = len({id(first) for _, first in members})
    sources = {configuration_of(first) for run, first in members if run.success}
    own = configuration_of(score)
    resubmission = None
    if len(sources) == 1:
        source = next(iter(sources))
        if source != own:
            resubmission = "/".join(source[:4])
    return replace(score, distinct_runs=distinct, resubmission_of=resubmission)
