"""Write an answer to the terminal or a file: results to stdout, messages to stderr."""

import contextlib
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from equipoise.errors import EquipoiseError, printable
from equipoise.workflow.answer import Answer

if TYPE_CHECKING:
    from equipoise.cli.command import Globals


def show(answer: Answer, *, form: str, out: Path | None, settings: "Globals") -> None:
    """Write the answer in one of the formats; warnings and remarks go to stderr."""
    from equipoise.report.tables import render

    text = render(
        answer,
        form=form,
        width=_width() if out is None else None,
        color=settings.color and out is None and sys.stdout.isatty(),
    )
    if out is None:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        write_file(out, text)
        say(f"wrote {printable(str(out))}", settings=settings)
    if form == "csv":  # the other formats carry their warnings
        for text in (*answer.notes, *(f"warning: {w}" for w in answer.warnings)):
            say(text, settings=settings)


def write_file(path: Path, text: str) -> None:
    """Write a file whole or not at all, making its folder.

    Raises
    ------
    EquipoiseError
        When the file cannot be written, with the reason of the system.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(text, encoding="utf-8", newline="")
        beside.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            beside.unlink()
        reason = error.strerror or str(error)
        raise EquipoiseError(f"cannot write {printable(str(path))}: {reason}") from error


def say(text: str, *, settings: "Globals") -> None:
    """Write a message to stderr unless the user asked for quiet."""
    if not settings.quiet:
        sys.stderr.write(f"{text}\n")


def _width() -> int | None:
    """Return the width of the terminal, None (no limit) when stdout is not one.

    COLUMNS wins; a terminal that does not tell its width (a bare pseudo-terminal says 0)
    counts as 80 columns.
    """
    if not sys.stdout.isatty():
        return None
    return shutil.get_terminal_size().columns
