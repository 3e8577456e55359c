"""What every container offers and what reading a round returns.

A container (folder, archive, git repository ...) yields `SourceFile`s in any order; the
meaning side (`assemble.read_round`) consumes them once and keeps only small objects, so
memory stays flat whatever the size of a round.
"""

from collections.abc import Iterator
from dataclasses import field
from typing import Final, Protocol, runtime_checkable

from equipoise.domain import Rejection, Run, Score, System
from equipoise.structs import dataclass
from equipoise.units import BYTES_PER_MIB

WHOLE_FILE_BYTES: Final = 64 * BYTES_PER_MIB
"""Up to this size a file comes as one `bytes` object, above it in chunks."""

CHUNK_BYTES: Final = 8 * BYTES_PER_MIB
"""Size of the pieces in which a larger file is handed over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """One file of a source.

    Exactly one of these holds: `data` (the bytes), `chunks` (a file above
    `WHOLE_FILE_BYTES`, to be consumed before the next file is asked for), `problem` (why
    the bytes cannot be had), or none of them (`needs_bytes(path)` is false: listed only).
    """

    path: str
    """POSIX, relative to the round: `<Submitter>/results/<system>/<benchmark>/result_0.txt`."""
    size: int
    data: bytes | None = None
    chunks: Iterator[bytes] | None = field(default=None, repr=False, compare=False)
    problem: str | None = None
    """For example "not in this clone: ..." or "over the size limit ..."."""
    problem_code: str = "unreadable"
    """Code of the rejection that a problem becomes: not-in-this-clone, over-limit, ..."""

    def pieces(self) -> Iterator[bytes]:
        """Yield the content piece by piece; nothing when the bytes cannot be had."""
        if self.data is not None:
            yield self.data
        elif self.chunks is not None:
            yield from self.chunks


class Source(Protocol):
    """A place that holds one round or a part of one."""

    @property
    def label(self) -> str:
        """What the user typed, for messages."""
        ...

    @property
    def round(self) -> str | None:
        """Round that the name or the top folder says, such as `v4.1`; else None."""
        ...

    @property
    def kind(self) -> str:
        """Such as folder, tar, zip, git or log."""
        ...

    def files(self) -> Iterator[SourceFile]:
        """Yield every file once, in any order, with flat memory."""
        ...


class Batch(Protocol):
    """A picklable group of files that another process can open and read by itself."""

    @property
    def size(self) -> int:
        """Bytes of the files together (an estimate is enough)."""
        ...

    def files(self) -> Iterator[SourceFile]:
        """Yield the files of this batch; called in the worker."""
        ...


@runtime_checkable
class BatchedSource(Source, Protocol):
    """A source whose files can be listed cheaply and read in several processes.

    Folders and git repositories are; a stream (tar, zip member order) is not: there the
    reader itself collects files into batches and hands their bytes to the workers.
    """

    def batches(self, *, target_bytes: int) -> Iterator[Batch]:
        """Yield batches of about `target_bytes`, together every file exactly once."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryBatch:
    """Files whose bytes are already here; the batch of sources that are streams."""

    members: tuple[SourceFile, ...]

    @property
    def size(self) -> int:
        """Bytes of the files together."""
        return sum(member.size for member in self.members)

    def files(self) -> Iterator[SourceFile]:
        """Yield the files."""
        yield from self.members


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundData:
    """Everything that one source says about one round."""

    round: str
    source: str
    systems: tuple[System, ...] = ()
    runs: tuple[Run, ...] = ()
    scores: tuple[Score, ...] = ()
    rejections: tuple[Rejection, ...] = ()
    notes: tuple[str, ...] = ()
    bytes: int = 0
    files: int = 0
    revision: str | None = None
    """Commit that was read, when the source is a git repository."""


_BYTES_ENDINGS: Final = (".txt", ".json", ".log", ".out")


def needs_bytes(path: str) -> bool:
    """Return whether the content of this file can matter (else only its name is noted).

    A container may skip reading, and yield with neither data nor problem, every file for
    which this is false; it must not skip the name itself.

    >>> needs_bytes("A/results/s/bert/result_0.txt"), needs_bytes("A/systems/s.json")
    (True, True)
    >>> needs_bytes("A/benchmarks/bert/run.sh"), needs_bytes("A/results/s/bert/.DS_Store")
    (False, False)
    """
    *folders, name = path.split("/")
    if "systems" in folders:
        return not name.startswith(".")
    if "results" not in folders:
        return False
    folder = folders[-1]
    if name.startswith("result_") or name in {"scaling.json", "entry.json"}:
        return True
    return "power" in folders and folder.startswith("result_") and name.endswith(_BYTES_ENDINGS)
