"""The options that many commands share, defined once."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer


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
    str, typer.Argument(help="Benchmark: id, pretty name or alias.", metavar="BENCHMARK")
]
Rounds = Annotated[
    list[str] | None,
    typer.Option(
        "--round",
        help="Round such as v4.1, or a range v3.0..v4.0; may be repeated. "
        "Default: the benchmark's largest block of compatible rounds.",
        rich_help_panel=_SELECT,
    ),
]
DivisionOption = Annotated[
    Division, typer.Option("--division", help="Division.", rich_help_panel=_SELECT)
]
Submitters = Annotated[
    list[str] | None,
    typer.Option("--submitter", help="Submitter; may be repeated.", rich_help_panel=_SELECT),
]
Accelerators = Annotated[
    list[str] | None,
    typer.Option(
        "--accelerator",
        help="Accelerator id, family or vendor; may be repeated.",
        rich_help_panel=_SELECT,
    ),
]
Availability = Annotated[
    list[str] | None,
    typer.Option(
        "--availability",
        help="onprem, cloud, preview or rdi; may be repeated.",
        rich_help_panel=_SELECT,
    ),
]
MinAccelerators = Annotated[
    int | None,
    typer.Option("--min-accelerators", help="At least so many.", rich_help_panel=_SELECT),
]
MaxAccelerators = Annotated[
    int | None,
    typer.Option("--max-accelerators", help="At most so many.", rich_help_panel=_SELECT),
]
KeepResubmitted = Annotated[
    bool,
    typer.Option(
        "--keep-resubmitted",
        help="Keep runs submitted again in a later round or under another system.",
        rich_help_panel=_SELECT,
    ),
]
FormatOption = Annotated[
    Format, typer.Option("--format", "-f", help="How to write it.", rich_help_panel=_OUTPUT)
]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", help="File to write to.", rich_help_panel=_OUTPUT),
]
Seed = Annotated[
    int, typer.Option("--seed", min=0, help="Seed of the resampling: same seed, same output.")
]
Resamples = Annotated[
    int, typer.Option("--resamples", min=1, max=100_000, help="Bootstrap resamples.")
]


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
