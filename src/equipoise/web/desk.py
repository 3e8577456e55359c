"""Between requests and workers: each response is made once, in a process of its own.

Computing never runs in the process that answers requests, so a slow question delays only
those who ask the same. Without workers everything is computed in threads (for tests and
the static site).
"""

import asyncio
import logging
import multiprocessing
import os
import signal
import threading
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, Final

from equipoise.web.body import Body
from equipoise.web.cache import Responses
from equipoise.web.kitchen import Kind, Kitchen, Task, task

LOG: Final = logging.getLogger("equipoise.web")
MOST_PENDING: Final = 256
"""Different responses being made at a time; further ones are asked to come again."""
THREADS: Final = 4
MOST_WORKERS: Final = 4
SLOW: Final = ("validate",)
"""Questions that take minutes: one at a time, so that a worker is left for the others."""
MANIFEST: Final = "manifest.json"


class BusyError(Exception):
    """The response is not ready in time: ask again a little later, it is being made."""


def default_workers() -> int:
    """Return how many processes compute: as many as processors, two to four."""
    return max(2, min(MOST_WORKERS, os.cpu_count() or 1))


class Desk:
    """Takes tasks, hands out responses, and knows which state of the catalogue they are of."""

    def __init__(self, path: Path, *, workers: int = 0, timeout_s: float = 30.0) -> None:
        self._path, self._workers, self._timeout = path, workers, timeout_s
        self._executor: Executor | None = None
        self._kitchen = Kitchen(path) if not workers else None
        self.responses = Responses()
        self._slow = asyncio.Semaphore(1)
        self._leaving = False
        self._waiting: set[asyncio.Future[None]] = set()

    def start(self) -> None:
        """Make the workers; they load what they need while the server already answers."""
        if self._executor is None:
            self._executor = self._new_executor()

    def leave(self) -> None:
        """Let nobody wait any longer: the server is about to stop."""
        self._leaving = True
        for wait in self._waiting:
            if not wait.done():
                wait.set_result(None)

    def stop(self) -> None:
        """Let go of the workers; what they are at is dropped."""
        executor, self._executor = self._executor, None
        if executor is None:
            return
        processes = list(getattr(executor, "_processes", None) or {})
        executor.shutdown(wait=False, cancel_futures=True)
        for number in processes:
            _end(number)

    def version(self) -> tuple[int, ...]:
        """Return what changes when the catalogue is replaced."""
        try:
            found = (self._path / MANIFEST).stat()
        except OSError:
            return ()
        return found.st_mtime_ns, found.st_size, found.st_ino

    def ready(self, target: str) -> Body | None:
        """Return the response that was made for this address and is still true."""
        return self.responses.named((target, self.version()))

    async def serve(
        self, kind: Kind, name: str, params: dict[str, Any], *, target: str | None = None
    ) -> Body:
        """Return the response of a task, from memory where it was made before.

        Raises
        ------
        BusyError
            It takes longer than the time allowed, or too much is being made.
        """
        version = self.version()
        work = task(kind, name, params, version=version)
        if target is not None:
            self.responses.name((target, version), work)
        found = self.responses.get(work)
        if found is not None:
            return found
        if self.responses.pending >= MOST_PENDING:
            raise BusyError
        return await self._waited_for(work)

    async def _waited_for(self, work: Task) -> Body:
        """Return a response as soon as it is made, or give up waiting for it."""
        made = asyncio.ensure_future(self.responses.once(work, lambda: self._make(work)))
        left: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.add(left)
        either: set[asyncio.Future[Any]] = {made, left}
        try:
            await asyncio.wait(either, timeout=self._timeout, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._waiting.discard(left)
        if made.done():
            return made.result()
        made.cancel()  # only this wait: what is being made goes on
        raise BusyError

    async def _make(self, work: Task) -> Body:
        if work.name in SLOW and any(key == "protocols" for key, _ in work.params):
            async with self._slow:
                return await self._tried(work)
        return await self._tried(work)

    async def _tried(self, work: Task) -> Body:
        try:
            return await self._submit(work)
        except BrokenProcessPool as error:
            if self._leaving:
                raise BusyError from error
            LOG.warning("a worker ended unexpectedly; starting anew")
            self.stop()
            return await self._submit(work)

    async def _submit(self, work: Task) -> Body:
        self.start()
        executor = self._executor
        assert executor is not None
        loop = asyncio.get_running_loop()
        if self._kitchen is not None:
            return await loop.run_in_executor(executor, self._kitchen.cook, work)
        return await loop.run_in_executor(executor, _cook, work)

    def _new_executor(self) -> Executor:
        if not self._workers:
            return ThreadPoolExecutor(THREADS, thread_name_prefix="equipoise")
        return ProcessPoolExecutor(
            self._workers,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_open_kitchen,
            initargs=(self._path,),
        )


_kitchens: list[Kitchen] = []


def _open_kitchen(path: Path) -> None:
    """Prepare a worker process: its own kitchen; it ends with its parent and not by Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _kitchens.append(Kitchen(path))
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(0)


def _cook(work: Task) -> Body:
    return _kitchens[0].cook(work)


def _end(number: int) -> None:
    try:
        os.kill(number, signal.SIGTERM)
    except (OSError, ValueError):
        return
