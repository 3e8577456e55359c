"""Worker processes made by fork: each has a pipe for what to do and one for what it found.

A round is read in a second, so a process must start in a millisecond: it takes the loaded
readers over from this process, and no library for pools has to be loaded. Where fork is not
safe (see `parallel`), a pool of the standard library does the same.
"""

import errno
import fcntl
import gc
import os
import pickle
import resource
import select
import signal
import struct
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field
from io import FileIO
from typing import Any, Final, Generic, TypeVar

from equipoise.structs import dataclass

Item = TypeVar("Item")
Result = TypeVar("Result")

_LENGTH: Final = struct.Struct("<Q")
_AHEAD_BYTES: Final = select.PIPE_BUF * 4
"""A message up to this size (16 KiB) may wait in the pipe of a busy worker."""

_MOST_WAITING: Final = 2
"""Items that a worker has at a time: one in work, one waiting in the pipe."""

_SPARE_FILES: Final = 16
"""Files that can still be opened beside the pipes: the reading itself must never lack them."""


@dataclass(slots=True, eq=False)
class _Worker:
    """One worker process, as this process sees it."""

    pid: int
    tasks: FileIO
    results: FileIO
    life: int
    """Our end of a pipe that nothing is written to: it closes when this process is gone."""
    room: int
    """Bytes of a message that certainly fit into its empty pipe."""
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
        # Written to a busy worker, a message that does not fit would wait for it, and it for us.
        if worker.waiting and len(message) > min(_AHEAD_BYTES, worker.room):
            return False
        try:
            with _blocked({signal.SIGPIPE}):  # or the death of a worker could end us
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
        with _blocked(signal.valid_signals()):
            for worker in self._workers:
                _kill(worker.pid)
            while self._workers:
                self._bury(self._workers[-1])

    def _idle(self) -> _Worker | None:
        """Return a worker that has nothing to do, started if need be."""
        for worker in self._workers:
            if not worker.waiting:
                return worker
        if len(self._workers) < self._size:
            try:
                with _blocked(signal.valid_signals()):
                    self._workers.append(_start(self._work, self._workers))
            except OSError:  # the system refuses: those there are have to do
                self._size = len(self._workers)
            else:
                return self._workers[-1]
        return None

    def _bury(self, worker: _Worker) -> None:
        with _blocked(signal.valid_signals()):
            self._workers.remove(worker)
            self.lost.extend(worker.waiting)
            worker.waiting.clear()
            worker.tasks.close()
            worker.results.close()
            os.close(worker.life)
            _kill(worker.pid)
            with suppress(ChildProcessError):  # as in `_kill`
                os.waitpid(worker.pid, 0)


def _kill(pid: int) -> None:
    """End a worker, even one that is stopped, if it still is there.

    Where SIGCHLD is ignored, or the program waits for any child, a dead worker is gone at
    once and its number may be another process by now.
    """
    with suppress(ChildProcessError, ProcessLookupError):
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            os.kill(pid, signal.SIGKILL)


@contextmanager
def _blocked(numbers: Iterable[int]) -> Iterator[None]:
    """Keep signals waiting: their handlers may raise, and in a new worker they are not ours."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    try:
        yield
    finally:
        if signal.SIGPIPE not in before and signal.SIGPIPE in signal.sigpending():
            signal.sigwait({signal.SIGPIPE})
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start(work: Callable[[Any], Any], others: Sequence[_Worker]) -> _Worker:
    """Start one worker; signals are blocked, and stay so in the worker until it is set up."""
    ends: list[int] = []
    try:
        for _ in range(3):
            ends += os.pipe()
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if files != resource.RLIM_INFINITY and max(ends) + _SPARE_FILES >= files:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        pid = os.fork()
    except OSError:
        for end in ends:
            os.close(end)
        raise
    tasks_in, tasks_out, results_in, results_out, life_in, life_out = ends
    if pid:
        for end in (tasks_in, results_out, life_in):
            os.close(end)
        # Each of the two parts of a message may leave a page of the pipe unfilled.
        room = fcntl.fcntl(tasks_out, fcntl.F_GETPIPE_SZ) - select.PIPE_BUF
        # Without buffers: a second answer in one would be missed by `poll`.
        tasks, results = os.fdopen(tasks_out, "wb", 0), os.fdopen(results_in, "rb", 0)
        return _Worker(pid, tasks, results, life_out, room)
    try:
        for end in (tasks_out, results_in, life_out):
            os.close(end)
        for other in others:
            for end in (other.tasks.fileno(), other.results.fileno(), other.life):
                os.close(end)
        _serve(work, os.fdopen(tasks_in, "rb", 0), os.fdopen(results_out, "wb", 0), life_in)
    finally:  # also after an error: the item is then done by the parent, which shows it
        os._exit(0)


def _serve(work: Callable[[Any], Any], tasks: FileIO, results: FileIO, life: int) -> None:
    """Answer items until there is nobody to answer; runs in the worker."""
    _set_signals()
    gc.freeze()  # what came with the fork is not searched for garbage again and again
    threading.Thread(target=_end_with, args=(life,), daemon=True).start()
    while (message := _receive(tasks)) is not None:
        answer = work(pickle.loads(message))  # noqa: S301  (of our own process)
        _send(results, pickle.dumps(answer, pickle.HIGHEST_PROTOCOL))


def _set_signals() -> None:
    """Let every signal do what the system does: the handlers are of the program around us."""
    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _end_with(life: int) -> None:
    """End at once when the parent is gone, even in the middle of an item."""
    os.read(life, 1)
    os._exit(1)


def _send(stream: FileIO, message: bytes) -> None:
    for part in (_LENGTH.pack(len(message)), message):
        left = memoryview(part)
        while left:
            left = left[stream.write(left) :]


def _receive(stream: FileIO) -> bytearray | None:
    """Return one message, None if the other side is gone."""
    head = _read(stream, _LENGTH.size)
    return None if head is None else _read(stream, *_LENGTH.unpack(head))


def _read(stream: FileIO, size: int) -> bytearray | None:
    message = bytearray(size)
    left = memoryview(message)
    while left:
        count = stream.readinto(left)
        if not count:
            return None
        left = left[count:]
    return message
