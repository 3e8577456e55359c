"""From sources to a catalogue: open, read and score every source, then build at once."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from equipoise.catalogue.builder import Built, build_locked
from equipoise.catalogue.link import round_key
from equipoise.catalogue.store import exclusive
from equipoise.errors import DataError, UsageError, locate
from equipoise.sources.assemble import read_round
from equipoise.sources.base import RoundData, Source
from equipoise.sources.containers import Limits, open_source
from equipoise.sources.measured_round import read_measured_round
from equipoise.sources.measurements import is_measurement_file
from equipoise.sources.parallel import Extractor, extract_all
from equipoise.structs import dataclass

Progress = Callable[[int, int | None], None]
"""Told the bytes or files done so far and, where known, all of them."""

REJECTIONS_NAMED: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestedRound:
    """What one source gave: a row of the answer of `ingest`."""

    round: str
    source: str
    systems: int
    runs: int
    scores: int
    rejections: int
    seconds: float
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport:
    """What was read and what the catalogue holds now."""

    rounds: tuple[IngestedRound, ...]
    built: Built
    warnings: tuple[str, ...]


def ingest(
    sources: Sequence[str | Path],
    out: Path,
    *,
    append: bool = False,
    round_override: str | None = None,
    workers: int = 1,
    strict: bool = False,
    keep_raw: bool = True,
    progress: Progress | None = None,
    scheduler: str | None = None,
    benchmark: str | None = None,
    limits: Limits | None = None,
) -> IngestReport:
    """Read sources and write their catalogue, or add them to one with `append`.

    Parameters
    ----------
    sources
        Folders, archives, repositories, addresses, logs or files of own measurements.
    out
        Folder of the catalogue.
    append
        Keep what the catalogue holds.
    round_override
        Round of every source, where their names do not say it.
    workers
        Processes that read; 0 is one for each core.
    strict
        Build nothing when anything was rejected.
    keep_raw
        Keep raw system descriptions; False makes the bundled form.
    progress
        Told the bytes read so far.
    scheduler
        Address of a Dask scheduler whose workers read instead of local processes.
    benchmark
        Of own measurements that name none.
    limits
        Bounds on what one source may make us read; None for the usual ones.

    Raises
    ------
    UsageError
        No source was named, or there is no cluster at the address.
    SourceError
        A source cannot be opened or read at all.
    DataError
        Nothing usable was found, or, with `strict`, something was rejected.
    CatalogueError
        The catalogue cannot be written. In every case the former one is whole.
    """
    if not sources:
        raise UsageError("no source; name a folder, an archive, a repository or a log")
    with exclusive(Path(out)), _extractor(scheduler) as extractor:
        read: list[RoundData] = []
        rows: list[IngestedRound] = []
        for text in sources:
            began = time.perf_counter()
            if is_measurement_file(text):
                data = read_measured_round(text, round=round_override, benchmark=benchmark)
            else:
                source = open_source(text, round=round_override, limits=limits)
                data = read_round(
                    source,
                    round=round_override,
                    workers=workers or os.cpu_count() or 1,
                    progress=progress,
                    keep_raw=keep_raw,
                    extractor=extractor,
                )
                data = replace(data, revision=data.revision or revision_of(source))
            _refuse_empty(data)
            read.append(data)
            rows.append(_row(data, time.perf_counter() - began))
        if strict:
            _refuse_rejections(read)
        built = build_locked(read, Path(out), append=append, keep_raw=keep_raw)
    rows.sort(key=lambda row: (round_key(row.round), row.source))
    return IngestReport(rounds=tuple(rows), built=built, warnings=_warnings(read, built))


@contextmanager
def _extractor(scheduler: str | None) -> Iterator[Extractor]:
    """Yield what reads the files: processes here, or the workers of a cluster."""
    if scheduler is None:
        yield extract_all
        return
    from equipoise.catalogue.fleet import connected

    with connected(scheduler) as extractor:
        yield extractor


def revision_of(source: Source) -> str | None:
    """Return the commit that a source reads, None for one that is not a git repository."""
    revision = getattr(source, "revision", None)
    return revision if isinstance(revision, str) else None


def _row(data: RoundData, seconds: float) -> IngestedRound:
    return IngestedRound(
        round=data.round,
        source=data.source,
        systems=len(data.systems),
        runs=len(data.runs),
        scores=sum(score.time_to_train_min is not None for score in data.scores),
        rejections=len(data.rejections),
        seconds=round(seconds, 3),
        bytes=data.bytes,
    )


def _refuse_empty(data: RoundData) -> None:
    if data.runs or data.systems:
        return
    raise DataError(
        f"no result log and no system file among {data.files} files; expected "
        "<Submitter>/results/<system>/<benchmark>/result_*.txt",
        path=data.source,
    )


def _refuse_rejections(read: Sequence[RoundData]) -> None:
    found = [rejection for data in read for rejection in data.rejections]
    if not found:
        return
    named = "; ".join(locate(r.reason, r.path, r.line) for r in found[:REJECTIONS_NAMED])
    more = f"; and {len(found) - REJECTIONS_NAMED} more" if len(found) > REJECTIONS_NAMED else ""
    raise DataError(f"{len(found)} rejected, so nothing was built (strict): {named}{more}")


def _warnings(read: Sequence[RoundData], built: Built) -> tuple[str, ...]:
    notes = [f"{data.round}: {note}" for data in read for note in data.notes]
    read_otherwise = sum(bool(system.warnings) for data in read for system in data.systems)
    if read_otherwise:
        notes.append(
            f"{read_otherwise} system files were not read as they are written; see them with "
            "`equipoise scores` and in the column warnings of the table systems"
        )
    rejected = sum(len(data.rejections) for data in read)
    if rejected:
        notes.append(f"{rejected} rejected; see them with `equipoise list rejections`")
    if built.copies:
        notes.append(
            f"{built.copies} logs are copies of {built.groups} runs published before; "
            f"{built.resubmissions} scores only repeat another configuration"
        )
    return tuple(notes)
