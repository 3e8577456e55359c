"""Build a catalogue from what was read, or add to one that exists."""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from equipoise import __version__
from equipoise.catalogue.columns import TABLES, RoundEntry
from equipoise.catalogue.link import Linked, link, round_key
from equipoise.catalogue.load import read_table
from equipoise.catalogue.manifest import MANIFEST_NAME, Manifest, SourceEntry, read_manifest
from equipoise.catalogue.merge import Holding, joined, parts, replace_rounds
from equipoise.catalogue.save import encode
from equipoise.catalogue.store import commit, exclusive, refusal
from equipoise.catalogue.tables import without_free_text
from equipoise.errors import CatalogueError, UnknownNameError
from equipoise.facts.rounds import round_named
from equipoise.sources.base import RoundData
from equipoise.structs import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """What a build left in the catalogue."""

    path: Path
    manifest: Manifest
    rounds: tuple[RoundEntry, ...]
    groups: int
    """Runs that were published more than once."""
    copies: int
    """Logs that are a copy of an earlier one."""
    resubmissions: int
    """Scores that only repeat another configuration."""


def build(
    rounds: Iterable[RoundData], out: Path, *, append: bool = False, keep_raw: bool = True
) -> Built:
    """Write a catalogue of these rounds, whole or not at all.

    The bytes depend on the content alone: not on the order of the rounds, the place of
    the sources or the time.

    Parameters
    ----------
    rounds
        What the readers found; data of the same round are joined.
    out
        Folder of the catalogue: new, empty, or a catalogue.
    append
        Keep what the catalogue holds. A round read again is replaced; data of a single
        submitter (a part of a round, own logs) replace their own configurations only.
    keep_raw
        Keep raw system descriptions and long texts; the bundled catalogue does not.

    Raises
    ------
    CatalogueError
        Nothing to write, the folder is not fit, another builder is at work, or the disk
        is full; the former catalogue is whole.
    """
    with exclusive(out):
        return build_locked(rounds, out, append=append, keep_raw=keep_raw)


def build_locked(rounds: Iterable[RoundData], out: Path, *, append: bool, keep_raw: bool) -> Built:
    """Do as `build` for a caller that holds the lock of the folder."""
    held: dict[str, Holding] = {}
    if append and (out / MANIFEST_NAME).exists():
        former = read_manifest(out)
        keep_raw = keep_raw and former.raw_descriptions
        held = _held_by(out, former)
    replace_rounds(held, joined(rounds))
    if not held:
        raise CatalogueError("nothing to build a catalogue from", path=str(out))
    linked = link(
        (run for part in parts(held) for run in part.runs),
        (score for part in parts(held) for score in part.scores),
    )
    entries = _entries(held, linked)
    records: dict[str, Iterable[Any]] = {
        "rounds": entries,
        "systems": [system for part in parts(held) for system in part.systems],
        "runs": linked.runs,
        "scores": linked.scores,
        "rejections": [entry for holding in held.values() for entry in holding.rejections],
    }
    manifest = commit(
        out,
        _encoded(records, out, keep_raw=keep_raw),
        sources=_sources(held),
        raw_descriptions=keep_raw,
        package_version=__version__,
        writer=_writer(),
    )
    return Built(
        path=out,
        manifest=manifest,
        rounds=entries,
        groups=linked.groups,
        copies=linked.copies,
        resubmissions=linked.resubmissions,
    )


def _encoded(
    records: Mapping[str, Iterable[Any]], folder: Path, *, keep_raw: bool
) -> dict[str, tuple[bytes, int]]:
    tables = {}
    for name, rows in records.items():
        table = TABLES[name]
        kept = rows if keep_raw else [without_free_text(row, table) for row in rows]
        try:
            tables[name] = encode(kept, table, folder=folder)
        except OSError as problem:
            raise refusal(problem, folder) from problem
    return tables


def _held_by(out: Path, manifest: Manifest) -> dict[str, Holding]:
    """Return what the catalogue of a folder holds, by round."""
    held = {
        entry.round: Holding(notes=set(entry.notes))
        for entry in read_table(out, manifest, "rounds")
    }
    for source in manifest.sources:
        held[source.round].origins.add((source.source, source.revision))
    for name in ("systems", "runs", "scores"):
        for record in read_table(out, manifest, name):
            getattr(held[record.round].part(record.submitter), name).append(record)
    for rejection in read_table(out, manifest, "rejections"):
        held[rejection.round].rejections.append(rejection)
    return held


def _entries(held: Mapping[str, Holding], linked: Linked) -> tuple[RoundEntry, ...]:
    """Return one row per round with its counts."""
    copies = Counter(run.round for run in linked.runs if run.duplicate_of is not None)
    return tuple(_entry(name, held[name], copies[name]) for name in sorted(held, key=round_key))


def _entry(name: str, holding: Holding, copies: int) -> RoundEntry:
    names = sorted({source for source, _ in holding.origins if source})
    revisions = sorted({revision for _, revision in holding.origins if revision})
    return RoundEntry(
        round=name,
        publication_date=_publication_date(name),
        source=", ".join(names) or None,
        revision=", ".join(revisions) or None,
        bytes=sum(run.bytes or 0 for part in holding.parts.values() for run in part.runs),
        systems=holding.count("systems"),
        runs=holding.count("runs"),
        scores=holding.count("scores"),
        rejections=len(holding.rejections),
        runs_linked=copies,
        notes=tuple(sorted(holding.notes)),
    )


def _sources(held: Mapping[str, Holding]) -> tuple[SourceEntry, ...]:
    return tuple(
        SourceEntry(round=name, source=source, revision=revision)
        for name in sorted(held, key=round_key)
        for source, revision in sorted(
            held[name].origins, key=lambda origin: (origin[0] or "", origin[1] or "")
        )
    )


def _publication_date(name: str) -> str | None:
    try:
        return round_named(name).publication_date
    except UnknownNameError:
        return None


def _writer() -> str:
    import duckdb

    return f"duckdb {duckdb.__version__}"
