"""A progress bar on stderr: only on a terminal, only when it takes more than a second."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Advance = Callable[[int, int | None], None]


@contextmanager
def progress(label: str) -> Iterator[Advance | None]:
    """Yield a function (bytes done, bytes in total or None), or None when not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    started, bar, task = time.monotonic(), None, None

    def advance(done: int, total: int | None) -> None:
        nonlocal bar, task
        if bar is None:
            if time.monotonic() - started < 1:
                return
            bar = _bar()
            bar.start()
            task = bar.add_task(label, total=total)
        bar.update(task, completed=done, total=total)

    try:
        yield advance
    finally:
        if bar is not None:
            bar.stop()


def _bar() -> Any:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TransferSpeedColumn,
    )

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
