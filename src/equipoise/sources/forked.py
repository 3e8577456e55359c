"""Worker processes made by fork: each has a pipe for what to do and one for what it found.

A round is read in a second, so a process must start in a millisecond: it takes the loaded
readers over from this process, and no library for pools has to be loaded. Where fork is not
safe (see `parallel`), a pool of the standard library does the same.
"""

import gc
import os
import pickle
import select
import signal
import struct
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import Any, BinaryIO, Final, Generic, TypeVar

from equipoise.structs import dataclass

Item = TypeVar("Item")
Result = TypeVar("Result")

_LENGTH: Final = struct.Struct("<Q")
_AHEAD_BYTES: Final = select.PIPE_BUF * 4
"""A message up to this size (16 KiB) fits into a pipe and can wait there for a busy worker."""

_MOST_WAITING: Final = 2
"""Items that a worker has at a time: one in work, one waiting in the pipe."""


@dataclass(slots=True, eq=False)
class _Worker:
    """One worker process, as this process sees it."""

    pid: int
    tasks: BinaryIO
    results: BinaryIO
    life: int
    """Our end of a pipe that nothing is written to: it closes when this process is gone."""
    waiting: deque[Any] = field(default_factory=deque)
    """What it was given and has not answered, in order."""


class Crew(Generic[Item, Result]):
    """Processes that answer items in any order; none is started before it is needed."""

    def __init__(self, work: Callable[[Item], Result], size: int) -> None:
        self._work = work
        self._size = size
        self._workers: list[_Worker] = []
        self.lost: list[Item] = []
        """Items whose worker died: to be done here, by whoever takes them from this list."""

    def give(self, item: Item, *, ahead: bool) -> bool:
        """Hand over an item; False if no worker has room, or if there can be none.

        Parameters
        ----------
        item
            What is to be done; it is pickled.
        ahead
            Whether it may wait in the pipe of a busy worker, if it is small.
        """
        worker = self._idle()
        if worker is None and ahead:
            worker = next((w for w in self._workers if len(w.waiting) < _MOST_WAITING), None)
        if worker is None:
            return False
        message = pickle.dumps(item, pickle.HIGHEST_PROTOCOL)
        if worker.waiting and len(message) > _AHEAD_BYTES:
            return False
        try:
            _send(worker.tasks, message)
        except OSError:  # it died
            self._bury(worker)
            self.lost.append(item)
        else:
            worker.waiting.append(item)
        return True

    @property
    def busy(self) -> bool:
        """Return whether an answer is to come."""
        return any(worker.waiting for worker in self._workers)

    def answers(self) -> Iterator[Result]:
        """Wait for at least one answer, or for the death of a worker."""
        poll = select.poll()
        by_end = {worker.results.fileno(): worker for worker in self._workers if worker.waiting}
        for end in by_end:
            poll.register(end, select.POLLIN)
        for end, _ in poll.poll():
            worker = by_end[end]
            message = _receive(worker.results)
            if message is None:
                self._bury(worker)
                continue
            worker.waiting.popleft()
            answer: Result = pickle.loads(message)  # noqa: S301  (of our own process)
            yield answer

    def dismiss(self) -> None:
        """End all workers."""
        for worker in self._workers:
            os.kill(worker.pid, signal.SIGTERM)
        while self._workers:
            self._bury(self._workers[-1])

    def _idle(self) -> _Worker | None:
        """Return a worker that has nothing to do, started if need be."""
        for worker in self._workers:
            if not worker.waiting:
                return worker
        if len(self._workers) < self._size:
            try:
                self._workers.append(_start(self._work, self._workers))
            except OSError:  # the system refuses: those there are have to do
                self._size = len(self._workers)
            else:
                return self._workers[-1]
        return None

    def _bury(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        self.lost.extend(worker.waiting)
        worker.waiting.clear()
        worker.tasks.close()
        worker.results.close()
        os.close(worker.life)
        os.waitpid(worker.pid, 0)


def _start(work: Callable[[Any], Any], others: Sequence[_Worker]) -> _Worker:
    """Start one worker."""
    ends: list[int] = []
    try:
        for _ in range(3):
            ends += os.pipe()
        pid = os.fork()
    except OSError:
        for end in ends:
            os.close(end)
        raise
    tasks_in, tasks_out, results_in, results_out, life_in, life_out = ends
    if pid:
        for end in (tasks_in, results_out, life_in):
            os.close(end)
        return _Worker(pid, os.fdopen(tasks_out, "wb", 0), os.fdopen(results_in, "rb"), life_out)
    try:
        for end in (tasks_out, results_in, life_out):
            os.close(end)
        for other in others:
            for end in (other.tasks.fileno(), other.results.fileno(), other.life):
                os.close(end)
        _serve(work, os.fdopen(tasks_in, "rb"), os.fdopen(results_out, "wb", 0), life_in)
    finally:  # also after an error: the item is then done by the parent, which shows it
        os._exit(0)


def _serve(work: Callable[[Any], Any], tasks: BinaryIO, results: BinaryIO, life: int) -> None:
    """Answer items until there is nobody to answer; runs in the worker."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    gc.freeze()  # what came with the fork is not searched for garbage again and again
    threading.Thread(target=_end_with, args=(life,), daemon=True).start()
    while (message := _receive(tasks)) is not None:
        answer = work(pickle.loads(message))  # noqa: S301  (of our own process)
        _send(results, pickle.dumps(answer, pickle.HIGHEST_PROTOCOL))


def _end_with(life: int) -> None:
    """End at once when the parent is gone, even in the middle of an item."""
    os.read(life, 1)
    os._exit(1)


def _send(stream: BinaryIO, message: bytes) -> None:
    for part in (_LENGTH.pack(len(message)), message):
        left = memoryview(part)
        while left:
            left = left[stream.write(left) :]


def _receive(stream: BinaryIO) -> bytes | None:
    """Return one message, None if the other side is gone."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (size,) = _LENGTH.unpack(head)
    message = stream.read(size)
    return message if len(message) == size else None
