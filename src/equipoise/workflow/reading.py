"""Read results: official scores of a source, catalogues opened and built."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from equipoise.domain import VERIFIED_DIVISIONS, Score
from equipoise.errors import DataError, locate
from equipoise.workflow.answer import Answer

if TYPE_CHECKING:
    from equipoise.catalogue import Catalogue
    from equipoise.sources.base import RoundData
    from equipoise.sources.containers import Limits

Progress = Callable[[int, int | None], None]


def open_catalogue(path: str | Path | None = None) -> "Catalogue":
    """Return the catalogue in a folder, by default EQUIPOISE_CATALOGUE or the bundled one.

    Raises
    ------
    CatalogueError
        When there is none, it is damaged, or another version wrote it.
    """
    from equipoise.catalogue import Catalogue

    return Catalogue.open(None if path is None else Path(path))


def read_scores(
    *sources: str | Path,
    round: str | None = None,  # noqa: A002  (the name of the option)
    benchmark: str | None = None,
    workers: int = 1,
    strict: bool = False,
    limits: "Limits | None" = None,
    progress: Progress | None = None,
) -> Answer:
    """Return the official scores of rounds: folders, archives, repositories or single logs.

    A CSV, JSON or Parquet file holds own measurements; `benchmark` is that of rows without one.
    Sources are read by `workers` processes, 0 stands for one on each core; `limits` bounds what
    an archive or a folder may make them read (`equipoise.sources.containers.Limits`).

    Raises
    ------
    SourceError
        When a source cannot be read at all.
    DataError
        When nothing usable was found, or with `strict` when anything was rejected.
    """
    read = _read(
        sources,
        round=round,
        benchmark=benchmark,
        workers=workers,
        limits=limits,
        progress=progress,
    )
    rounds = tuple(read)
    scores = [score for data in rounds for score in data.scores]
    rejections = [rejection for data in rounds for rejection in data.rejections]
    warnings = tuple(f"{data.source}: {note}" for data in rounds for note in _said(data))
    if not scores and not any(data.runs for data in rounds):
        raise DataError(_nothing(rounds))
    if strict and rejections:
        raise DataError(
            f"{len(rejections)} rejections, the first: "
            f"{locate(rejections[0].reason, rejections[0].path, rejections[0].line)}; "
            "run without --strict to see all"
        )
    return Answer(
        command="scores",
        tables={
            "scores": scores,
            "rejections": rejections,
        },
        selection={"sources": [str(s) for s in sources], "rounds": [d.round for d in rounds]},
        footnotes=_footnotes(scores),
        warnings=warnings,
        result=rounds,
    )


def build_catalogue(
    *sources: str | Path,
    out: str | Path,
    append: bool = False,
    round: str | None = None,  # noqa: A002
    benchmark: str | None = None,
    workers: int = 0,
    strict: bool = False,
    keep_raw: bool = True,
    scheduler: str | None = None,
    limits: "Limits | None" = None,
    progress: Progress | None = None,
) -> Answer:
    """Build a catalogue from sources, or extend one with `append`; returns what was read.

    `limits` bounds what a source may make it read (`equipoise.sources.containers.Limits`).

    Raises
    ------
    SourceError, CatalogueError, DataError
        When a source cannot be read, the catalogue cannot be written, or with `strict`
        when anything was rejected; an existing catalogue is then unchanged.
    """
    from equipoise.catalogue.ingest import ingest

    report = ingest(
        [str(source) for source in sources],
        Path(out),
        append=append,
        round_override=round,
        benchmark=benchmark,
        workers=workers,
        strict=strict,
        keep_raw=keep_raw,
        scheduler=scheduler,
        limits=limits,
        progress=progress,
    )
    return Answer(
        command="ingest",
        tables={"rounds": report.rounds},
        selection={"sources": [str(s) for s in sources], "out": str(out)},
        notes=(f"catalogue: {out}",),
        warnings=report.warnings,
        result=report,
    )


def _read(
    sources: Sequence[str | Path],
    *,
    round: str | None,  # noqa: A002
    benchmark: str | None,
    workers: int,
    limits: "Limits | None",
    progress: Progress | None,
) -> "Iterable[RoundData]":
    from equipoise.sources.assemble import read_round
    from equipoise.sources.containers import open_source
    from equipoise.sources.layout import is_measurement_file
    from equipoise.sources.parallel import cores

    for text in sources:
        if is_measurement_file(text):
            from equipoise.sources.measured_round import read_measured_round

            yield read_measured_round(text, round=round, benchmark=benchmark)
            continue
        source = open_source(text, round=round, limits=limits)
        yield read_round(source, round=round, workers=workers or cores(), progress=progress)


def _said(data: "RoundData") -> Iterable[str]:
    """Yield the notes of a round, whether it is known, and how its system files were read."""
    from equipoise.facts import rounds

    yield from data.notes
    if data.round not in {known.name for known in rounds()} and any(
        score.division in VERIFIED_DIVISIONS for score in data.scores
    ):
        yield f"round {data.round!r} is not known: no quality targets, 1 run dropped at each end"
    for system in data.systems:
        yield from system.warnings


def _nothing(rounds: "Sequence[RoundData]") -> str:
    described = ", ".join(f"{data.source} ({data.files} files)" for data in rounds)
    return (
        f"no result logs found in {described}; expected "
        "<Submitter>/results/<system>/<benchmark>/result_*.txt, a folder of logs, or one log"
    )


def _footnotes(scores: Sequence[Score]) -> tuple[str, ...]:
    from equipoise.report.footnotes import footnotes

    return footnotes(
        rounds=tuple(dict.fromkeys(score.round for score in scores)),
        divisions=tuple(dict.fromkeys(score.division or "unverified" for score in scores)),
        derived=False,
    )
