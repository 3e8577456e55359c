"""Read rounds on a Dask cluster: the same batches, the same facts, on other machines.

The workers get small batches (names of files that they open themselves, or the bytes of a
stream) and send back the few facts that are kept as Arrow tables (`wire`), which Dask ships
as Arrow streams and not as pickled objects. The facts are put together in the order of the
batches, so the catalogue has the same bytes whatever the number of workers and whichever of
them died meanwhile.
"""

import time
from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from equipoise import __version__
from equipoise.errors import SourceError, UsageError
from equipoise.extras import need
from equipoise.sources.base import Batch, Source
from equipoise.sources.extract import Extracted, Task
from equipoise.sources.parallel import Extractor, Progress, batches_of, stays_here, work

CONNECT_S: Final = 10
"""How long a scheduler may take to answer."""

WAITING_PER_THREAD: Final = 3
"""Batches handed out ahead for each thread of the cluster; they bound the memory."""

RETRIES: Final = 3
"""How often a batch is tried again on another worker before it is read here."""

ALONE_S: Final = 60
"""How long a new worker is waited for when the last one is gone."""

LOOK_S: Final = 1.0
"""How often it is asked whether a worker is left while no answer comes."""

_NAP_S: Final = 0.005


@contextmanager
def connected(address: str) -> Iterator[Extractor]:
    """Yield what reads sources on the cluster of a scheduler, such as `tcp://host:8786`.

    Raises
    ------
    UsageError
        The extra `cluster` is not installed, the address is no scheduler, there is no
        worker, or a worker runs another version of equipoise.
    """
    client = _client(address)
    try:
        _refuse_other_versions(client, address)
        yield _ClusterReader(client, address)
    finally:
        client.close()


@contextmanager
def executor(address: str) -> Iterator[Executor]:
    """Yield an executor that runs functions on the workers of a scheduler.

    Raises
    ------
    UsageError, SourceError
        As `connected`; SourceError also when the cluster is lost on the way.
    """
    client = _client(address)
    try:
        _refuse_other_versions(client, address)
        yield client.get_executor(pure=False, retries=RETRIES)
    except (OSError, TimeoutError, CancelledError) as problem:
        raise SourceError(
            f"the cluster was lost: {_first_line(problem)}", path=address
        ) from problem
    finally:
        client.close()


def _client(address: str) -> Any:
    need("cluster", "a Dask cluster")
    distributed: Any = import_module("distributed")
    try:
        return distributed.Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as problem:
        raise UsageError(
            f"no Dask scheduler answers at {address!r} ({_first_line(problem)}); "
            "start one with `dask scheduler` and its workers with `dask worker ADDRESS`"
        ) from problem


def _refuse_other_versions(client: Any, address: str) -> None:
    try:
        found: dict[str, Any] = client.run(_version, on_error="return")
    except (OSError, TimeoutError) as problem:
        raise SourceError(f"the scheduler was lost: {_first_line(problem)}", path=address) from None
    if not found:
        raise UsageError(
            f"the scheduler at {address!r} has no worker; start some with `dask worker {address}`"
        )
    for worker, version in sorted(found.items()):
        if isinstance(version, BaseException):
            raise UsageError(
                f"worker {worker} cannot answer ({_first_line(version)}); "
                f"install 'equipoise[cluster]' {__version__} there"
            )
        if version != __version__:
            raise UsageError(
                f"worker {worker} has equipoise {_first_line(version)}, this is {__version__}; "
                "install the same version everywhere"
            )


def _version() -> str:
    """Return the version of a worker that has what it takes to answer."""
    need("cluster", "a worker")
    return __version__


def answer(batch: Batch, task: Task) -> dict[str, Any]:
    """Return the facts of a batch as Arrow tables; called in a worker of the cluster."""
    from equipoise.catalogue.wire import to_arrow

    return to_arrow(work(batch, task))


class _ClusterReader:
    """Reads the files of a source on the workers of a cluster."""

    def __init__(self, client: Any, address: str) -> None:
        self._client = client
        self._address = address

    def __call__(
        self, source: Source, task: Task, *, workers: int, progress: Progress | None = None
    ) -> Extracted:
        """Return the facts of every file of a source; `workers` is the cluster's affair."""
        self._refuse_unseen(source)
        try:
            return self._read(source, task, progress)
        except (OSError, TimeoutError) as problem:
            raise SourceError(
                f"the cluster at {self._address} was lost: {_first_line(problem)}; the former "
                "catalogue is whole",
                path=source.label,
            ) from problem

    def _refuse_unseen(self, source: Source) -> None:
        """Refuse a local path that a worker cannot see: it would lose every file in it."""
        path = Path(source.label)
        if "://" in source.label or not path.exists():
            return
        seen: dict[str, bool] = self._client.run(_exists, str(path.resolve()))
        blind = sorted(worker for worker, there in seen.items() if not there)
        if blind:
            raise SourceError(
                f"worker {blind[0]} cannot see it; put it where all workers can read it, or "
                "name an object store (s3://..., gs://...)",
                path=source.label,
            )

    def _read(self, source: Source, task: Task, progress: Progress | None) -> Extracted:
        distributed: Any = import_module("distributed")
        ahead = max(1, sum(self._client.nthreads().values())) * WAITING_PER_THREAD
        parts: dict[int, Extracted] = {}
        waiting: dict[str, tuple[int, Batch]] = {}
        results = distributed.as_completed(loop=self._client.loop)
        watch = _Watch(self._client, self._address)
        done = 0

        def keep(place: int, part: Extracted) -> None:
            nonlocal done
            parts[place] = part
            done += part.bytes
            if progress is not None:
                progress(done, None)

        for place, batch in enumerate(batches_of(source)):
            if stays_here(batch):
                keep(place, work(batch, task))
                continue
            while len(waiting) >= ahead:
                keep(*_outcome(watch.next(results), waiting, task, watch))
            future = self._client.submit(answer, batch, task, pure=False, retries=RETRIES)
            waiting[future.key] = (place, batch)
            results.add(future)
        while waiting:
            keep(*_outcome(watch.next(results), waiting, task, watch))
        found = Extracted()
        for place in sorted(parts):
            found.add(parts[place])
        return found


class _Watch:
    """Waits for answers as long as there are workers; Dask alone would wait for ever."""

    def __init__(self, client: Any, address: str) -> None:
        self._client = client
        self._address = address
        self._alone_since: float | None = None

    def next(self, results: Any) -> Any:
        """Return the next future that is done."""
        looked = time.monotonic()
        while not results.has_ready():
            if time.monotonic() - looked >= LOOK_S:
                self._look()
                looked = time.monotonic()
            time.sleep(_NAP_S)
        return next(results)

    def result(self, future: Any) -> Any:
        """Return an answer; one that was lost with its worker is worked out by another."""
        while True:
            try:
                return future.result(timeout=LOOK_S)
            except TimeoutError:
                self._look()

    def _look(self) -> None:
        now = time.monotonic()
        if self._client.nthreads():
            self._alone_since = None
        elif self._alone_since is None:
            self._alone_since = now
        elif now - self._alone_since >= ALONE_S:
            raise TimeoutError(
                f"no worker is left; start some with `dask worker {self._address}` and ask again"
            )


def _outcome(
    future: Any, waiting: dict[str, tuple[int, Batch]], task: Task, watch: _Watch
) -> tuple[int, Any]:
    """Return the facts of a batch; one that no worker could read is read here."""
    from equipoise.catalogue.wire import from_arrow

    place, batch = waiting.pop(future.key)
    if future.status == "finished":
        try:
            return place, from_arrow(watch.result(future))
        except (OSError, TimeoutError):
            raise
        except Exception:
            return place, work(batch, task)
    return place, work(batch, task)


def _exists(path: str) -> bool:
    return Path(path).exists()


def _first_line(problem: object) -> str:
    return str(problem).strip().partition("\n")[0] or type(problem).__name__
