"""A pool of worker processes, where they cannot be made by fork.

That is elsewhere than on Linux, and beside threads; see `parallel`.
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
from contextlib import contextmanager
from multiprocessing.connection import wait as wait_for_end
from multiprocessing.context import BaseContext
from typing import Any, Final

from equipoise.sources.base import Batch
from equipoise.sources.extract import Extracted, Task
from equipoise.sources.parallel import stays_here, work

WAITING_PER_WORKER: Final = 3
"""Batches handed out ahead; with their size they bound the memory."""


_MAIN: Final = threading.Lock()


class Pool(ProcessPoolExecutor):
    """A pool of processes that know the modules of equipoise, and not the program around it.

    The standard library runs the script of the program again in every process that it starts.
    One that does not expect it would do everything twice, and fail in the middle.
    """

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Hand over a call; this is when processes are started."""
        with _without_script():
            return super().submit(fn, *args, **kwargs)


@contextmanager
def _without_script() -> Iterator[None]:
    main = vars(sys.modules["__main__"])
    with _MAIN:
        names = [name for name in ("__spec__", "__file__") if name in main]
        hidden: dict[str, Any] = {name: main.pop(name) for name in names}
        main["__spec__"] = None
        try:
            yield
        finally:
            main.update(hidden)


def in_pool(batches: Iterable[Batch], task: Task, workers: int) -> Iterator[Extracted]:
    """Yield the facts of every batch as they come; a lost worker's batches are read here."""
    waiting: dict[Future[Extracted], Batch] = {}
    pool = _pool(workers)
    try:
        for batch in batches:
            if pool is None or stays_here(batch):
                yield work(batch, task)
                continue
            try:
                waiting[pool.submit(work, batch, task)] = batch
            except (BrokenProcessPool, OSError):  # a worker died, or none can be started
                yield from _results(list(waiting), waiting, task)
                _close(pool)
                pool = None
                yield work(batch, task)
            while len(waiting) >= workers * WAITING_PER_WORKER:
                done, _ = wait(waiting, return_when=FIRST_COMPLETED)
                yield from _results(done, waiting, task)
        yield from _results(list(waiting), waiting, task)
    finally:
        if pool is not None:
            _close(pool)


def _pool(workers: int) -> Pool | None:
    """Return the workers, None where the system has no locks to share between processes."""
    try:
        return Pool(workers, mp_context=_context(), initializer=_begin_worker)
    except (OSError, ImportError, NotImplementedError):
        return None


def _close(pool: Pool) -> None:
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
    gc.freeze()  # the loaded readers are not searched for garbage again and again
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
        except Exception:  # it died, or failed: then so does this process, and shows it
            yield work(batch, task)


def _context() -> BaseContext:
    """Return how to start workers: not by fork, which copies threads in no known state."""
    methods = multiprocessing.get_all_start_methods()
    return multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
