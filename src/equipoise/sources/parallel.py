"""Spread the reading of a round over processes, with bounded memory.

A folder or a repository is split into batches that each worker opens by itself; the files
of a stream are collected here and their bytes handed over. Small sources are read in this
process: starting workers costs more than it gains.
"""

import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import chain
from multiprocessing.connection import wait as wait_for_end
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import Final, Protocol

from equipoise.sources.base import Batch, BatchedSource, MemoryBatch, Source, SourceFile
from equipoise.sources.extract import Extracted, Task, extract, extract_into
from equipoise.units import BYTES_PER_MIB

BATCH_BYTES: Final = 6 * BYTES_PER_MIB
BATCH_FILES: Final = 2000
WORTH_WORKERS_BYTES: Final = 24 * BYTES_PER_MIB
"""Below this a source is read in this process."""

WAITING_PER_WORKER: Final = 3
"""Batches handed out ahead; with their size they bound the memory."""

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
    if workers <= 1 or multiprocessing.current_process().daemon:  # such a process has no children
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
        if size >= WORTH_WORKERS_BYTES:
            break
    if size < WORTH_WORKERS_BYTES:
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
    waiting: dict[Future[Extracted], Batch] = {}
    pool = _pool(workers)
    try:
        for batch in batches:
            if pool is None or stays_here(batch):
                yield extract(batch.files(), task)
                continue
            try:
                waiting[pool.submit(work, batch, task)] = batch
            except (BrokenProcessPool, OSError):  # a worker died, or none can be started
                yield from _results(list(waiting), waiting, task)
                _close(pool)
                pool = None
                yield extract(batch.files(), task)
            while len(waiting) >= workers * WAITING_PER_WORKER:
                done, _ = wait(waiting, return_when=FIRST_COMPLETED)
                yield from _results(done, waiting, task)
        yield from _results(list(waiting), waiting, task)
    finally:
        if pool is not None:
            _close(pool)


def _pool(workers: int) -> ProcessPoolExecutor | None:
    """Return the workers, None where the system has no locks to share between processes."""
    try:
        return ProcessPoolExecutor(workers, mp_context=_context(), initializer=_begin_worker)
    except (OSError, ImportError, NotImplementedError):
        return None


def _close(pool: ProcessPoolExecutor) -> None:
    # When the system refuses the last worker, the pool leaves those before it waiting.
    processes = list((getattr(pool, "_processes", None) or {}).values())
    managed = getattr(pool, "_executor_manager_thread", None) is not None
    pool.shutdown(wait=True, cancel_futures=True)
    for process in processes if not managed else ():
        process.terminate()
        process.join()


def _begin_worker() -> None:
    """Let a worker end at once, silently, when interrupted and when its parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.freeze()  # what came with the fork is not searched for garbage again and again
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait_for_end([sentinel])
    os._exit(1)


def _results(
    done: Iterable[Future[Extracted]], waiting: dict[Future[Extracted], Batch], task: Task
) -> Iterator[Extracted]:
    for future in done:
        batch = waiting.pop(future)
        try:
            yield future.result()
        except BrokenProcessPool:
            yield extract(batch.files(), task)


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


def _context() -> BaseContext:
    """Return how to start workers: by fork only while this process has a single thread."""
    methods = multiprocessing.get_all_start_methods()
    if "fork" in methods and sys.platform == "linux" and _single_threaded():
        return multiprocessing.get_context("fork")
    return multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")


def _single_threaded() -> bool:
    if threading.active_count() > 1 or any(name in sys.modules for name in _THREADED_PACKAGES):
        return False
    try:
        return len(list(Path("/proc/self/task").iterdir())) == 1
    except OSError:
        return False
