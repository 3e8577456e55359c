"""Rounds of MLPerf Training: names, rulesets, dates, and ranges of rounds."""

from collections.abc import Iterable
from functools import cache, lru_cache

from equipoise.errors import UnknownNameError, UsageError
from equipoise.facts.tables import table
from equipoise.structs import dataclass

RANGE = ".."
"""What stands between the first and the last round of a range (`v3.0..v4.0`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One MLPerf Training publication."""

    name: str
    """Name as written everywhere: `v4.1`."""
    ruleset: str
    """Version of the rules and of the compliance checker: `4.1.0`."""
    published: bool
    """False for a draft whose results are not out yet."""
    publication_date: str | None
    """ISO date."""
    submission_deadline: str | None
    """ISO date."""
    benchmarks: tuple[str, ...]
    """Canonical ids of the benchmarks of the suite."""
    repository: str | None
    """Address of the public repository of results."""
    source: str
    confidence: str
    notes: str | None


@cache
def rounds() -> tuple[Round, ...]:
    """Return every round, oldest first.

    >>> [r.name for r in rounds()][:3]
    ['v0.5', 'v0.6', 'v0.7']
    """
    return tuple(
        Round(
            name=row.text("name"),
            ruleset=row.text("ruleset"),
            published=row.flag("published"),
            publication_date=row.optional("publication_date"),
            submission_deadline=row.optional("submission_deadline"),
            benchmarks=row.parts("benchmarks"),
            repository=row.optional("repository"),
            source=row.text("source"),
            confidence=row.text("confidence"),
            notes=row.optional("notes"),
        )
        for row in table("rounds")
    )


def round_named(name: str) -> Round:
    """Return a round by its name; the leading v and the case do not matter.

    Raises
    ------
    UnknownNameError
        No such round.

    >>> round_named("4.1").publication_date
    '2024-11-13'
    """
    return rounds()[round_index(name)]


@lru_cache(maxsize=256)
def round_index(name: str) -> int:
    """Return the place of a round in the order of publication, 0 for v0.5.

    Raises
    ------
    UnknownNameError
        No such round.

    >>> round_index("v0.7")
    2
    """
    places = _places()
    wanted = name.strip().lower()
    wanted = wanted if wanted.startswith("v") else f"v{wanted}"
    if wanted not in places:
        raise UnknownNameError("round", name, places)
    return places[wanted]


def expand_rounds(names: Iterable[str]) -> tuple[str, ...]:
    """Return the round names that names and ranges stand for, in order and once each.

    Raises
    ------
    UnknownNameError
        A round does not exist.
    UsageError
        A range runs backwards.

    >>> expand_rounds(["v3.0..v4.0", "v5.1"])
    ('v3.0', 'v3.1', 'v4.0', 'v5.1')
    """
    chosen: set[int] = set()
    for name in names:
        first, dots, last = name.partition(RANGE)
        start = round_index(first)
        stop = round_index(last) if dots else start
        if stop < start:
            raise UsageError(f"the range of rounds {name!r} runs backwards")
        chosen.update(range(start, stop + 1))
    return tuple(rounds()[place].name for place in sorted(chosen))


@cache
def _places() -> dict[str, int]:
    return {entry.name: place for place, entry in enumerate(rounds())}
