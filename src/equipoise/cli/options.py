"""The options that many commands share, defined once."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from equipoise.cli import completion
from equipoise.cli.declare import Argument, Option


class Format(StrEnum):
    """How a table is written."""

    table = "table"
    json = "json"
    csv = "csv"
    markdown = "markdown"


class Division(StrEnum):
    """Which results count."""

    closed = "closed"
    open = "open"
    unverified = "unverified"
    all = "all"


_SELECT = "Selection"
_OUTPUT = "Output"

Benchmark = Annotated[
    str,
    Argument(
        help="Benchmark: id, pretty name or alias.",
        metavar="BENCHMARK",
        names=completion.benchmarks,
    ),
]
Rounds = Annotated[
    list[str] | None,
    Option(
        "--round",
        help="Round such as v4.1, or a range v3.0..v4.0; may be repeated. "
        "Default: the benchmark's largest block of compatible rounds.",
        names=completion.rounds,
        section=_SELECT,
    ),
]
DivisionOption = Annotated[Division, Option("--division", help="Division.", section=_SELECT)]
Submitters = Annotated[
    list[str] | None,
    Option("--submitter", help="Submitter; may be repeated.", section=_SELECT),
]
Accelerators = Annotated[
    list[str] | None,
    Option(
        "--accelerator",
        help="Accelerator id, family or vendor; may be repeated.",
        names=completion.accelerators,
        section=_SELECT,
    ),
]
Availability = Annotated[
    list[str] | None,
    Option(
        "--availability",
        help="onprem, cloud, preview or rdi; may be repeated.",
        section=_SELECT,
    ),
]
MinAccelerators = Annotated[
    int | None,
    Option("--min-accelerators", help="At least so many.", section=_SELECT),
]
MaxAccelerators = Annotated[
    int | None,
    Option("--max-accelerators", help="At most so many.", section=_SELECT),
]
KeepResubmitted = Annotated[
    bool,
    Option(
        "--keep-resubmitted",
        help="Keep runs submitted again in a later round or under another system.",
        section=_SELECT,
    ),
]
FormatOption = Annotated[Format, Option("--format", "-f", help="How to write it.", section=_OUTPUT)]
Out = Annotated[
    Path | None,
    Option("--out", "-o", help="File to write to.", section=_OUTPUT),
]
Seed = Annotated[
    int, Option("--seed", min=0, help="Seed of the resampling: same seed, same output.")
]
Groups = Annotated[str, Option("--k", help="Number of groups, or auto.")]
Report = Annotated[Path | None, Option("--report", help="Write a self-contained HTML report here.")]
RankingMethod = Annotated[
    str, Option("--method", help="Ranking method: {names}.", names=completion.rankings)
]
Weights = Annotated[
    str,
    Option(
        "--weights",
        help="Weights of the ranking: {names}, or name=weight,name=weight,...",
        names=completion.weightings,
    ),
]
Resamples = Annotated[int, Option("--resamples", min=1, max=100_000, help="Bootstrap resamples.")]


def selection(
    rounds: list[str] | None,
    division: Division,
    submitters: list[str] | None,
    accelerators: list[str] | None,
    availability: list[str] | None,
    min_accelerators: int | None,
    max_accelerators: int | None,
    keep_resubmitted: bool,
) -> dict[str, Any]:
    """Return the selection options as keyword arguments of a workflow function."""
    return {
        "rounds": rounds or (),
        "division": division.value,
        "submitters": submitters or (),
        "accelerators": accelerators or (),
        "availability": availability or (),
        "min_accelerators": min_accelerators,
        "max_accelerators": max_accelerators,
        "keep_resubmitted": keep_resubmitted,
    }
