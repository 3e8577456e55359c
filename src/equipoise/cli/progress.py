"""A progress bar on stderr: only on a terminal, only when it takes more than a second."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Advance = Callable[[int, int | None], None]


@contextmanager
def progress(label: str, *, unit: str = "bytes") -> Iterator[Advance | None]:
    """Yield a function (done, in total or None), or None when stderr is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    started, bar, task = time.monotonic(), None, None

    def advance(done: int, total: int | None) -> None:
        nonlocal bar, task
        if bar is None:
            if time.monotonic() - started < 1:
                return
            bar = _bar(unit)
            bar.start()
            task = bar.add_task(label, total=total)
        bar.update(task, completed=done, total=total)

    try:
        yield advance
    finally:
        if bar is not None:
            bar.stop()


def _bar(unit: str) -> Any:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TransferSpeedColumn,
    )

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        *(
            (DownloadColumn(), TransferSpeedColumn())
            if unit == "bytes"
            else (MofNCompleteColumn(),)
        ),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
