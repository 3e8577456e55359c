"""Commands that read results: official scores, and building a catalogue."""

from pathlib import Path
from typing import Annotated

from equipoise.cli.declare import Argument, Option
from equipoise.cli.progress import progress
from equipoise.workflow.answer import Answer

Sources = Annotated[
    list[str],
    Argument(
        help="Folder, archive (.tar.zst, .zip ...), git repository or its address, s3:// and "
        "gs://, single log, own measurements (.csv, .json, .parquet).",
        metavar="SOURCE...",
    ),
]
RoundOption = Annotated[
    str | None, Option("--round", help="Round, where the source does not say it.")
]
MeasuredBenchmark = Annotated[
    str | None,
    Option("--benchmark", help="Benchmark of own measurements that name none."),
]
Workers = Annotated[int, Option("--workers", min=0, help="Processes; 0 takes one for each core.")]
Strict = Annotated[bool, Option("--strict", help="Exit code 1 when anything was rejected.")]


_LIMITS = "Limits of what one source may make it read"
MaxRatio = Annotated[
    float | None,
    Option(
        "--max-ratio",
        min=1,
        help="Most bytes that a byte of an archive may unpack to. Default: 500.",
        section=_LIMITS,
    ),
]
MaxTotal = Annotated[
    float | None,
    Option(
        "--max-total-gib",
        min=0,
        metavar="GIB",
        help="Most GiB of all files, unpacked. Default: 64.",
        section=_LIMITS,
    ),
]
MaxFile = Annotated[
    float | None,
    Option(
        "--max-file-gib",
        min=0,
        metavar="GIB",
        help="Most GiB of one file; a larger one is not read. Default: 4.",
        section=_LIMITS,
    ),
]
MaxFiles = Annotated[
    int | None,
    Option("--max-files", min=1, help="Most entries. Default: 5000000.", section=_LIMITS),
]


def scores(
    sources: Sources,
    *,
    round: RoundOption = None,  # noqa: A002  (the name of the option)
    benchmark: MeasuredBenchmark = None,
    workers: Workers = 0,
    strict: Strict = False,
    max_ratio: MaxRatio = None,
    max_total_gib: MaxTotal = None,
    max_file_gib: MaxFile = None,
    max_files: MaxFiles = None,
) -> Answer:
    """Compute the official scores of rounds without building anything.

    Example: equipoise scores results-v4.1.tar.zst --format json --out scores.json
    """
    from equipoise.sources.containers import limits_of
    from equipoise.workflow import reading

    limits = limits_of(
        max_ratio=max_ratio,
        max_total_gib=max_total_gib,
        max_file_gib=max_file_gib,
        max_files=max_files,
    )
    with progress("reading") as advance:
        return reading.read_scores(
            *sources,
            round=round,
            benchmark=benchmark,
            workers=workers,
            strict=strict,
            limits=limits,
            progress=advance,
        )


def ingest(
    sources: Sources,
    *,
    out: Annotated[Path, Option("--out", "-o", help="Folder of the catalogue.")],
    append: Annotated[
        bool, Option("--append", help="Keep what the catalogue already holds.")
    ] = False,
    round: RoundOption = None,  # noqa: A002
    benchmark: MeasuredBenchmark = None,
    workers: Workers = 0,
    strict: Strict = False,
    bundled: Annotated[
        bool,
        Option("--bundled", help="Facts only: no raw descriptions, as in the bundled catalogue."),
    ] = False,
    scheduler: Annotated[
        str | None,
        Option("--scheduler", help="Dask scheduler (tcp://host:8786) whose workers read the logs."),
    ] = None,
    max_ratio: MaxRatio = None,
    max_total_gib: MaxTotal = None,
    max_file_gib: MaxFile = None,
    max_files: MaxFiles = None,
) -> Answer:
    """Build a catalogue from rounds, or extend one.

    Example: equipoise ingest results-v4.1.tar.zst results-v5.1/ --out my-catalogue
    """
    from equipoise.sources.containers import limits_of
    from equipoise.workflow import reading

    limits = limits_of(
        max_ratio=max_ratio,
        max_total_gib=max_total_gib,
        max_file_gib=max_file_gib,
        max_files=max_files,
    )
    with progress("ingesting") as advance:
        return reading.build_catalogue(
            *sources,
            out=out,
            append=append,
            round=round,
            benchmark=benchmark,
            workers=workers,
            strict=strict,
            keep_raw=not bundled,
            scheduler=scheduler,
            limits=limits,
            progress=advance,
        )
