"""Join what several sources say, round by round and submitter by submitter."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from pathlib import PurePosixPath
from typing import Any, Final

from equipoise.catalogue.columns import TABLES, Table
from equipoise.catalogue.tables import full_key
from equipoise.domain import UNVERIFIED_DIVISION, Rejection, Run, Score, System
from equipoise.sources.base import RoundData
from equipoise.structs import dataclass

GIT_SOURCE: Final = "git"
"""Name of a source that its commit identifies, wherever the repository lies."""

Origin = tuple[str | None, str | None]
"""Name of a source and its commit."""


@dataclass(slots=True)
class Part:
    """The rows of one submitter in one round."""

    systems: list[System] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    scores: list[Score] = field(default_factory=list)


@dataclass(slots=True)
class Holding:
    """One round while it is put together."""

    parts: dict[str, Part] = field(default_factory=dict)
    rejections: list[Rejection] = field(default_factory=list)
    origins: set[Origin] = field(default_factory=set)
    notes: set[str] = field(default_factory=set)

    def part(self, submitter: str) -> Part:
        """Return the rows of a submitter, made on first use."""
        return self.parts.setdefault(submitter, Part())

    def count(self, name: str) -> int:
        """Return the number of rows of a table."""
        return sum(len(getattr(part, name)) for part in self.parts.values())


def joined(rounds: Iterable[RoundData]) -> dict[str, Holding]:
    """Return what sources say by round; rows that several of them give count once.

    Of two rows with one identity and different content the first in the order of the
    table stays and the other becomes a rejection, whatever the order of the sources.
    """
    held: dict[str, Holding] = {}
    for data in rounds:
        holding = held.setdefault(data.round, Holding())
        for system in data.systems:
            holding.part(system.submitter).systems.append(system)
        for run in data.runs:
            holding.part(run.submitter).runs.append(run)
        for score in data.scores:
            holding.part(score.submitter).scores.append(score)
        holding.rejections.extend(replace(entry, round=data.round) for entry in data.rejections)
        name = GIT_SOURCE if data.revision else source_name(data.source)
        holding.origins.add((name, data.revision))
        holding.notes.update(data.notes)
    for holding in held.values():
        for part in holding.parts.values():
            part.systems, doubles = _once(part.systems, TABLES["systems"])
            holding.rejections.extend(doubles)
            part.runs, doubles = _once(part.runs, TABLES["runs"])
            holding.rejections.extend(doubles)
            part.scores, doubles = _once(part.scores, TABLES["scores"])
            holding.rejections.extend(doubles)
        holding.rejections = list(dict.fromkeys(holding.rejections))
    return held


def _once(records: list[Any], table: Table) -> tuple[list[Any], list[Rejection]]:
    """Return records with one per identity, and rejections of the others that differ."""
    identities = {_identity(record, table) for record in records}
    if len(identities) == len(records):
        return records, []
    kept: dict[tuple[Any, ...], Any] = {}
    doubles = []
    for record in sorted(records, key=full_key(table)):
        first = kept.setdefault(_identity(record, table), record)
        if first is not record and first != record:
            doubles.append(_double(record, table))
    return list(kept.values()), doubles


def _identity(record: Any, table: Table) -> tuple[Any, ...]:
    return tuple(getattr(record, name) for name in table.identity)


def _double(record: Any, table: Table) -> Rejection:
    path = getattr(record, "path", None) or "/".join(_identity(record, table)[1:])
    return Rejection(
        round=record.round,
        path=path,
        line=None,
        code="given-twice",
        reason=f"two sources give different {table.name} under this name; one is left out",
    )


def replace_rounds(held: dict[str, Holding], fresh: Mapping[str, Holding]) -> None:
    """Put freshly read rounds in the place of those that are held.

    Data of several submitters replace the whole round. Data of a single one (one
    submitter, one benchmark) and own runs may be a part: they replace the systems and the
    configurations they hold, and everything else stays.
    """
    for name, new in fresh.items():
        old = held.get(name)
        if old is None or (len(new.parts) > 1 and not _own(new)):
            held[name] = new
            continue
        for submitter, part in new.parts.items():
            _replace_part(old, submitter, part)
        read = {source for source, _ in new.origins}
        kept = [entry for entry in old.rejections if entry.path not in read]
        old.rejections = list(dict.fromkeys((*kept, *new.rejections)))
        old.origins |= new.origins
        old.notes |= new.notes


def _own(holding: Holding) -> bool:
    """Return whether these are only own runs, which never stand for a whole round."""
    scores = [score for part in holding.parts.values() for score in part.scores]
    return all(score.division == UNVERIFIED_DIVISION for score in scores)


def _replace_part(old: Holding, submitter: str, new: Part) -> None:
    part = old.part(submitter)
    systems = {system.system_id for system in new.systems}
    read = {(run.system_id, run.benchmark_folder) for run in new.runs}
    read |= {(score.system_id, score.benchmark_folder) for score in new.scores}
    part.systems = [s for s in part.systems if s.system_id not in systems] + new.systems
    for name in ("runs", "scores"):
        kept = [
            record
            for record in getattr(part, name)
            if (record.system_id, record.benchmark_folder) not in read
        ]
        setattr(part, name, kept + getattr(new, name))
    folders = [f"{submitter}/results/{system}/{folder}" for system, folder in read]
    files = {f"{submitter}/systems/{system}.json" for system in systems}
    old.rejections = [
        entry
        for entry in old.rejections
        if entry.path not in files and not _inside(entry.path, folders)
    ]


def _inside(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def parts(held: Mapping[str, Holding]) -> Iterator[Part]:
    """Yield the parts of all rounds."""
    for holding in held.values():
        yield from holding.parts.values()


def source_name(label: str) -> str:
    """Return the last part of a path or address: where it lies is nobody's business.

    >>> source_name("/home/me/rounds/v4.1.tar.zst"), source_name("https://host/x/round.git/")
    ('v4.1.tar.zst', 'round.git')
    """
    return PurePosixPath(label.replace("\\", "/").rstrip("/")).name or label
