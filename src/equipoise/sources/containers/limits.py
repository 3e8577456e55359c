"""How much of a foreign container is read before it is refused, and the running count."""

from dataclasses import dataclass
from typing import Final

from equipoise.errors import SourceError, printable
from equipoise.units import BYTES_PER_GIB, BYTES_PER_MIB

RATIO_FLOOR_BYTES: Final = 64 * BYTES_PER_MIB
"""Compression ratios are judged from this much output on: a short text may pack well."""

_READ_BEFORE: Final = "{files} files and {bytes:,} bytes were read before"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds on what one container may make us read; every one can be raised by the user.

    Beyond a bound on one file (size, depth or length of its path) that file becomes a
    problem entry; beyond a bound on the whole, reading stops with a `SourceError`.
    """

    max_total_bytes: int = 64 * BYTES_PER_GIB
    """Bytes of the whole container after decompression."""
    max_file_bytes: int = 4 * BYTES_PER_GIB
    max_files: int = 5_000_000
    """Entries of the container, also those that are not read."""
    max_ratio: float = 500.0
    """Bytes out per compressed byte in; logs of real rounds stay under 40."""
    max_path_depth: int = 40
    max_path_bytes: int = 4096
    max_window_bytes: int = BYTES_PER_GIB // 2
    """Memory that an archive may ask for to be decompressed (`zstd --long`, xz)."""

    def __post_init__(self) -> None:
        """Refuse bounds that would let nothing through."""
        for name in self.__slots__:
            if getattr(self, name) <= 0:
                raise SourceError(f"limit {name} must be above 0, not {getattr(self, name)}")


class Budget:
    """Count what one pass over a container has read, and stop it beyond the limits."""

    __slots__ = ("bytes", "files", "label", "last", "limits")

    def __init__(self, limits: Limits, label: str) -> None:
        self.limits, self.label = limits, label
        self.files = 0
        self.bytes = 0
        self.last: str | None = None
        """Path of the entry counted last, for messages."""

    def count_file(self, path: str) -> None:
        """Count one more entry; raise `SourceError` when there are too many."""
        self.files += 1
        self.last = path
        if self.files > self.limits.max_files:
            raise self.stop(f"holds more than {self.limits.max_files:,} entries", "max_files")

    def count_bytes(self, count: int) -> None:
        """Count bytes after decompression; raise `SourceError` when there are too many."""
        self.bytes += count
        if self.bytes > self.limits.max_total_bytes:
            size = f"{self.limits.max_total_bytes:,} bytes"
            raise self.stop(f"holds more than {size}", "max_total_bytes")

    def check_ratio(self, *, produced: int, consumed: int) -> None:
        """Raise `SourceError` when a stream unpacks to far more than it is long."""
        if produced > RATIO_FLOOR_BYTES and produced > self.limits.max_ratio * max(consumed, 1):
            raise self.stop(
                f"unpacks to more than {self.limits.max_ratio:g} times its size", "max_ratio"
            )

    def stop(self, reason: str, limit: str) -> SourceError:
        """Return the error that names the container, the limit and what was read."""
        return SourceError(
            f"{reason}; {self.read_before()}. If you trust it, raise the limit {limit}",
            path=self.label,
        )

    def read_before(self) -> str:
        """Return what was read so far, for the messages of a container that breaks off."""
        text = _READ_BEFORE.format(files=self.files, bytes=self.bytes)
        return text if self.last is None else f"{text} (last: {printable(self.last)})"
