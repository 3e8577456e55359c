"""How much of a foreign container is read before it is refused, and the running count."""

from dataclasses import replace
from typing import Final

from equipoise.errors import SourceError, printable
from equipoise.structs import dataclass
from equipoise.units import BYTES_PER_GIB, BYTES_PER_MIB

RATIO_FLOOR_BYTES: Final = 64 * BYTES_PER_MIB
"""Compression ratios are judged from this much output on: a short text may pack well."""

OPTIONS: Final = {
    "max_ratio": "--max-ratio",
    "max_total_bytes": "--max-total-gib",
    "max_file_bytes": "--max-file-gib",
    "max_files": "--max-files",
}
"""Options of the command line that set a limit."""

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


def named(limit: str) -> str:
    """Return how messages name a limit: its name, and the option that sets it.

    >>> named("max_ratio"), named("max_path_depth")
    ('limit max_ratio (--max-ratio)', 'limit max_path_depth')
    """
    option = OPTIONS.get(limit)
    return f"limit {limit}" + (f" ({option})" if option else "")


def too_large(size: int, most: int) -> str:
    """Return why a file is not read.

    >>> too_large(9, 8)
    '9 bytes are over the limit of 8 bytes; if you trust it, raise the limit max_file_bytes \
(--max-file-gib)'
    """
    return (
        f"{size:,} bytes are over the limit of {most:,} bytes; "
        f"if you trust it, raise the {named('max_file_bytes')}"
    )


def limits_of(
    *,
    max_ratio: float | None = None,
    max_total_gib: float | None = None,
    max_file_gib: float | None = None,
    max_files: int | None = None,
) -> Limits:
    """Return limits from the options of the command line; None stands for the usual one."""
    usual = Limits()
    return replace(
        usual,
        max_ratio=usual.max_ratio if max_ratio is None else max_ratio,
        max_total_bytes=_bytes(max_total_gib, usual.max_total_bytes),
        max_file_bytes=_bytes(max_file_gib, usual.max_file_bytes),
        max_files=usual.max_files if max_files is None else max_files,
    )


def _bytes(gib: float | None, usual: int) -> int:
    return usual if gib is None else max(1, round(gib * BYTES_PER_GIB))


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
            f"{reason}; {self.read_before()}. If you trust it, raise the {named(limit)}",
            path=self.label,
        )

    def read_before(self) -> str:
        """Return what was read so far, for the messages of a container that breaks off."""
        text = _READ_BEFORE.format(files=self.files, bytes=self.bytes)
        return text if self.last is None else f"{text} (last: {printable(self.last)})"
