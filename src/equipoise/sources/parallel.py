"""Spread the reading of a round over processes, with bounded memory.

A folder or a repository is split into batches that each worker opens by itself; the files
of a stream are collected here and their bytes handed over. Small sources are read in this
process: starting workers costs more than it gains.
"""

import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final, Protocol

from equipoise.facts import (
    benchmark_of_folder,
    benchmarks,
    identify_accelerator,
    quality_rule,
    rounds,
)
from equipoise.sources.base import Batch, BatchedSource, MemoryBatch, Source, SourceFile
from equipoise.sources.extract import Extracted, Task, extract, extract_into
from equipoise.units import BYTES_PER_MIB

BATCH_BYTES: Final = 6 * BYTES_PER_MIB
BATCH_FILES: Final = 2000
WORTH_WORKERS_BYTES: Final = 24 * BYTES_PER_MIB
WORTH_WORKERS_BATCHES: Final = 5
"""Below both a source is read in this process; a batch of many tiny files has few bytes."""

_THREADED_PACKAGES: Final = ("duckdb", "polars", "pyarrow")

Progress = Callable[[int, int | None], None]


class Extractor(Protocol):
    """Whatever reads all files of a source, in this process, in several, or elsewhere."""

    def __call__(
        self, source: Source, task: Task, *, workers: int, progress: Progress | None = None
    ) -> Extracted:
        """Return the facts of every file of a source."""
        ...


def extract_all(
    source: Source, task: Task, *, workers: int, progress: Progress | None = None
) -> Extracted:
    """Return the facts of every file of a source.

    Parameters
    ----------
    source
        Where the files are.
    task
        What the workers must know.
    workers
        Processes; 1 reads here. The facts are the same for any number.
    progress
        Called with the bytes read so far and their total, if known.
    """
    found = Extracted()
    if workers <= 1 or _is_daemon():
        for file in source.files():
            extract_into(found, file, task)
            if progress is not None:
                progress(found.bytes, None)
        return found
    batches = iter(batches_of(source))
    first: list[Batch] = []
    size = 0
    for batch in batches:
        if stays_here(batch):
            found.add(extract(batch.files(), task))
            continue
        first.append(batch)
        size += batch.size
        if size >= WORTH_WORKERS_BYTES or len(first) >= WORTH_WORKERS_BATCHES:
            break
    else:
        for batch in first:
            found.add(extract(batch.files(), task))
        if progress is not None:
            progress(found.bytes, found.bytes)
        return found
    for part in _in_processes(chain(first, batches), task, workers):
        found.add(part)
        if progress is not None:
            progress(found.bytes, None)
    return found


def cores() -> int:
    """Return how many processor cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _in_processes(batches: Iterable[Batch], task: Task, workers: int) -> Iterator[Extracted]:
    """Yield the facts of every batch as they come; a lost worker's batches are read here."""
    if not _may_fork():
        from equipoise.sources.pooled import in_pool

        yield from in_pool(batches, task, workers)
        return
    from equipoise.sources.forked import Crew

    _load_facts()
    crew: Crew[Batch, Extracted] = Crew(partial(work, task=task), workers)
    try:
        for batch in batches:
            if stays_here(batch):
                yield work(batch, task)
                continue
            while not crew.give(batch, ahead=not isinstance(batch, MemoryBatch)):
                if not crew.busy:  # no worker can be started
                    crew.lost.append(batch)
                    break
                yield from crew.answers()
            yield from _lost(crew.lost, task)
        while crew.busy:
            yield from crew.answers()
            yield from _lost(crew.lost, task)
    finally:
        crew.dismiss()


def _load_facts() -> None:
    """Read the fact tables that every log needs: processes made by fork have them then."""
    first = rounds()[0].name
    benchmark_of_folder(first, "")
    quality_rule(first, "closed", benchmarks()[0].id)
    identify_accelerator("")


def _lost(batches: list[Batch], task: Task) -> Iterator[Extracted]:
    while batches:
        yield work(batches.pop(), task)


def work(batch: Batch, task: Task) -> Extracted:
    """Return the facts of a batch; called in a worker."""
    return extract(batch.files(), task)


def stays_here(batch: Batch) -> bool:
    """Return whether a batch holds a stream, which cannot be handed to another process."""
    return isinstance(batch, MemoryBatch) and any(f.chunks is not None for f in batch.members)


def batches_of(source: Source) -> Iterator[Batch]:
    """Yield the files of a source in batches that workers can read."""
    if isinstance(source, BatchedSource):
        yield from source.batches(target_bytes=BATCH_BYTES)
        return
    members: list[SourceFile] = []
    size = 0
    for file in source.files():
        if file.chunks is not None:
            yield MemoryBatch(members=(file,))
            continue
        members.append(file)
        size += file.size if file.data is not None else 0
        if size >= BATCH_BYTES or len(members) >= BATCH_FILES:
            yield MemoryBatch(members=tuple(members))
            members, size = [], 0
    if members:
        yield MemoryBatch(members=tuple(members))


def _is_daemon() -> bool:
    """Return whether this is a process that may not have children."""
    loaded = sys.modules.get("multiprocessing")
    return loaded is not None and bool(loaded.current_process().daemon)


def _may_fork() -> bool:
    """Return whether workers may be made by fork: only while this process has one thread."""
    return sys.platform == "linux" and _single_threaded()


def _single_threaded() -> bool:
    if threading.active_count() > 1 or any(name in sys.modules for name in _THREADED_PACKAGES):
        return False
    try:
        return len(list(Path("/proc/self/task").iterdir())) == 1
    except OSError:
        return False
