"""Finished responses kept in memory: least recently used go first, computed once at a time."""

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Final, Generic, TypeVar

from equipoise.units import BYTES_PER_MIB
from equipoise.web.body import Body

BYTES: Final = 192 * BYTES_PER_MIB
"""Memory for finished responses."""
ANSWERS: Final = 48
"""Answers that one worker keeps: pages, tables and charts of the same question share one."""
NAMES: Final = 20_000
"""Addresses that are remembered for kept responses."""
Value = TypeVar("Value")


class Responses:
    """Responses by key, bounded by their bytes; only used inside the event loop."""

    def __init__(self, limit: int = BYTES) -> None:
        self._limit, self._bytes = limit, 0
        self._kept: OrderedDict[Hashable, Body] = OrderedDict()
        self._pending: dict[Hashable, asyncio.Task[Body]] = {}
        self._names: OrderedDict[Hashable, Hashable] = OrderedDict()

    @property
    def pending(self) -> int:
        """Return how many responses are being made."""
        return len(self._pending)

    def name(self, name: Hashable, key: Hashable) -> None:
        """Give the response of a key another name, such as the address it was asked by."""
        self._names[name] = key
        while len(self._names) > NAMES:
            self._names.popitem(last=False)

    def named(self, name: Hashable) -> Body | None:
        """Return a kept response by its other name."""
        key = self._names.get(name)
        return None if key is None else self.get(key)

    def get(self, key: Hashable) -> Body | None:
        """Return a kept response."""
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
        return found

    def keep(self, key: Hashable, body: Body) -> None:
        """Keep a response; the least recently used make room."""
        if body.size > self._limit:
            return
        old = self._kept.pop(key, None)
        self._bytes += body.size - (old.size if old else 0)
        self._kept[key] = body
        while self._bytes > self._limit:
            self._bytes -= self._kept.popitem(last=False)[1].size

    async def once(self, key: Hashable, make: Callable[[], Awaitable[Body]]) -> Body:
        """Return the response of a key, made once however many ask for it meanwhile.

        A caller that gives up does not stop the making: the next one finds it done.
        """
        found = self.get(key)
        if found is not None:
            return found
        task = self._pending.get(key)
        if task is None:
            task = asyncio.ensure_future(self._make(key, make))
            task.add_done_callback(_looked_at)
            self._pending[key] = task
        return await asyncio.shield(task)

    async def _make(self, key: Hashable, make: Callable[[], Awaitable[Body]]) -> Body:
        try:
            body = await make()
            if body.status < 500:
                self.keep(key, body)
            return body
        finally:
            self._pending.pop(key, None)


def _looked_at(task: "asyncio.Task[Body]") -> None:
    """Take note of an error that nobody waits for any more; those who wait get it too."""
    if not task.cancelled():
        task.exception()


class Kept(Generic[Value]):
    """A few values by key for threads; each is made once, the least recently used go first."""

    def __init__(self, limit: int = ANSWERS) -> None:
        self._limit = limit
        self._values: OrderedDict[Hashable, Value] = OrderedDict()
        self._making: dict[Hashable, threading.Lock] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key; errors are not kept."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
            gate = self._making.setdefault(key, threading.Lock())
        with gate:
            with self._lock:
                if key in self._values:
                    return self._values[key]
            try:
                value = make()
            finally:
                with self._lock:
                    self._making.pop(key, None)
            with self._lock:
                self._values[key] = value
                while len(self._values) > self._limit:
                    self._values.popitem(last=False)
            return value
