"""Write an answer to the terminal or a file: results to stdout, messages to stderr."""

import contextlib
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from equipoise.errors import EquipoiseError, locate, printable
from equipoise.workflow.answer import Answer

if TYPE_CHECKING:
    from equipoise.cli.command import Globals


MOST_REJECTED: Final = 50


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
    if form == "csv":  # the other formats carry their warnings and rejections
        for text in (*answer.notes, *(f"warning: {w}" for w in answer.warnings)):
            say(printable(text), settings=settings)
        for text in _rejected(answer):
            say(text, settings=settings)


def _rejected(answer: Answer) -> list[str]:
    """Return what was not used, where CSV has no place for it beside the main table."""
    main, *others = answer.tables or ("rejections",)
    if main == "rejections" or "rejections" not in others:
        return []
    rows = answer.tables["rejections"]
    texts = [f"rejected: {locate(r.reason, r.path, r.line)} ({r.code})" for r in rows]
    if len(texts) > MOST_REJECTED:
        more = len(texts) - MOST_REJECTED
        texts[MOST_REJECTED:] = [f"rejected: {more} more; --format json has all"]
    return [printable(text) for text in texts]


def write_file(path: Path, text: str) -> None:
    """Write a file whole or not at all, making its folder.

    Raises
    ------
    EquipoiseError
        When the file cannot be written, with the reason of the system.
    """
    shown = printable(str(path))
    if path.is_dir():
        raise EquipoiseError(f"cannot write {shown}: it is a folder; name a file in it")
    if path.exists() and not path.is_file():  # a device or a pipe is written to, never replaced
        _write_into(path, text)
        return
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(text, encoding="utf-8", newline="")
        beside.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            beside.unlink()
        reason = error.strerror or str(error)
        raise EquipoiseError(f"cannot write {shown}: {reason}") from error


def _write_into(path: Path, text: str) -> None:
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            file.write(text)
    except OSError as error:
        reason = error.strerror or str(error)
        raise EquipoiseError(f"cannot write {printable(str(path))}: {reason}") from error


def say(text: str, *, settings: "Globals") -> None:
    """Write a message to stderr unless the user asked for quiet."""
    if not settings.quiet:
        sys.stderr.write(f"{text}\n")


def _width() -> int | None:
    """Return the width of the terminal, None (no limit) when stdout is not one.

    COLUMNS wins there, but not in a pipe, where nothing may be left out; a terminal that
    does not tell its width (a bare pseudo-terminal says 0) counts as 80 columns.
    """
    if not sys.stdout.isatty():
        return None
    return shutil.get_terminal_size().columns
