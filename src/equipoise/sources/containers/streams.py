"""Decompressed bytes of a file in pieces, with bounds against decompression bombs.

Every codec is driven piece by piece: a bomb is stopped after the piece that exceeds the
bound, and no more than one piece and the codec's own window are ever in memory.
"""

import bz2
import lzma
import queue
import sys
import threading
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import BinaryIO, Final, Protocol

from equipoise.errors import SourceError
from equipoise.sources.containers.limits import Budget
from equipoise.structs import dataclass
from equipoise.units import BYTES_PER_MIB

PIECE_BYTES: Final = BYTES_PER_MIB
"""Size of one decompressed piece: larger ones fall out of the processor's cache."""

_INPUT_BYTES: Final = BYTES_PER_MIB // 4
_AHEAD: Final = 8
"""Pieces that are decompressed ahead while the reader works on one."""

Opener = Callable[[], BinaryIO]
"""Opens the file anew at its start; picklable where workers open it."""


@dataclass(frozen=True, slots=True)
class LocalFile:
    """Opener of a file of this machine."""

    path: str

    def __call__(self) -> BinaryIO:
        """Return the file, opened at its start."""
        return Path(self.path).open("rb")


MAGIC: Final = (
    (b"\x28\xb5\x2f\xfd", "zst"),
    (b"\x1f\x8b", "gz"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"BZh", "bz2"),
)
_ZSTD_SKIPPABLE: Final = b"\x2a\x4d\x18"


def compression_of(head: bytes) -> str | None:
    r"""Return the codec that the first bytes of a file tell: zst, gz, xz, bz2 or None.

    >>> compression_of(b"\x1f\x8b\x08"), compression_of(b"v4.1/") is None
    ('gz', True)
    """
    if head[1:4] == _ZSTD_SKIPPABLE and 0x50 <= head[0] <= 0x5F:
        return "zst"
    return next((name for magic, name in MAGIC if head.startswith(magic)), None)


def pieces(opener: Opener, codec: str | None, budget: Budget) -> Generator[bytes, None, None]:
    """Yield the decompressed content; bounds are those of the budget.

    Raises
    ------
    SourceError
        When the data is damaged, ends early, or exceeds the limits.
    """
    with closing(opener()) as file:
        counted = _Counted(file)
        produced = 0
        for piece in _decode(counted, codec, budget):
            produced += len(piece)
            budget.count_bytes(len(piece))
            if codec is not None:
                budget.check_ratio(produced=produced, consumed=counted.bytes)
            yield piece


def read_ahead(
    source: Generator[bytes, None, None],
) -> Generator[bytes, None, None]:
    """Yield the same pieces, decompressed by a thread while the caller works.

    The codecs release the interpreter lock, so on two cores decompression costs nothing
    but the longer of the two times. The thread ends with the iterator.
    """
    ready: queue.Queue[bytes | BaseException | None] = queue.Queue(maxsize=_AHEAD)
    stop = threading.Event()

    def put(item: bytes | BaseException | None) -> bool:
        while not stop.is_set():
            try:
                ready.put(item, timeout=0.1)
            except queue.Full:
                continue
            return True
        return False

    def work() -> None:
        last: BaseException | None = None
        try:
            for piece in source:
                if not put(piece):
                    return
        except BaseException as error:  # handed to the reader, who raises it
            last = error
        finally:
            source.close()
        put(last)

    thread = threading.Thread(target=work, name="equipoise-read-ahead", daemon=True)
    thread.start()
    try:
        while True:
            item = ready.get()
            if item is None:
                return
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        stop.set()
        thread.join()


class _Counted:
    """A file that counts what was read from it."""

    __slots__ = ("_file", "bytes")

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.bytes = 0

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self.bytes += len(data)
        return data


class _Decoder(Protocol):
    """What bz2, lzma and zstd offer, and `_Gzip` below."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


class _Gzip:
    """One gzip member with the interface of `bz2.BZ2Decompressor`."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def needs_input(self) -> bool:
        return not self._inner.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        return self._inner.decompress(self._inner.unconsumed_tail + data, max(max_length, 0))


def _decode(file: _Counted, codec: str | None, budget: Budget) -> Iterator[bytes]:
    try:
        if codec is None:
            while piece := file.read(PIECE_BYTES):
                yield piece
        elif codec == "zst":
            yield from _zstd(file, budget)
        else:
            yield from _members(file, _decoder_factory(codec, budget), budget)
    except (lzma.LZMAError, zlib.error, OSError) as error:
        raise _damaged(budget, str(error)) from error


def _decoder_factory(codec: str, budget: Budget) -> Callable[[], _Decoder]:
    if codec == "gz":
        return _Gzip
    if codec == "bz2":
        return bz2.BZ2Decompressor
    limit = budget.limits.max_window_bytes
    return lambda: lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=limit)


def _members(file: _Counted, new: Callable[[], _Decoder], budget: Budget) -> Iterator[bytes]:
    """Yield the content of one or several compressed members after each other."""
    decoder, fresh = new(), True
    data = b""
    while True:
        if decoder.eof:
            rest = (decoder.unused_data or b"").lstrip(b"\0")
            data = rest or file.read(_INPUT_BYTES).lstrip(b"\0")
            if not data:
                return
            decoder, fresh = new(), True
        elif not data and decoder.needs_input:
            data = file.read(_INPUT_BYTES)
            if not data:
                if fresh and budget.bytes:
                    return
                raise _damaged(budget, "it ends in the middle of the compressed data")
        piece = decoder.decompress(data, PIECE_BYTES)
        data, fresh = b"", False
        if piece:
            yield piece


def _zstd(file: _Counted, budget: Budget) -> Iterator[bytes]:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd

    largest = zstd.DecompressionParameter.window_log_max
    least, most = largest.bounds()
    window = budget.limits.max_window_bytes
    options: dict[int, int] = {largest: min(max(window.bit_length() - 1, least), most)}
    try:
        yield from _members(file, lambda: zstd.ZstdDecompressor(options=options), budget)
    except zstd.ZstdError as error:
        text = str(error)
        if "memory" in text or "window" in text.lower():
            limit = f"{window:,} bytes"
            text = f"it asks for more memory than {limit}; raise the limit max_window_bytes"
        raise _damaged(budget, text) from error


def _damaged(budget: Budget, reason: str) -> SourceError:
    return SourceError(
        f"the archive is damaged or cut off: {reason}; {budget.read_before()}. "
        "Fetch it again, or unpack what is whole and name the folder",
        path=budget.label,
    )
