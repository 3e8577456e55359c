"""Walk a tar archive as a stream of pieces: one pass, no seeking, only wanted bytes kept.

Reads the formats that occur: POSIX ustar and pax, GNU (long names, large sizes), and the
old header without magic. The standard library's reader costs three times as much as
decompression itself; this one adds little to it because unwanted members are skipped
without a copy and a header costs one `struct` call.

Source: POSIX.1-2017, pax, "ustar interchange format" and "pax header block"; GNU tar
manual, "Basic Tar Format".
"""

import struct
from collections.abc import Iterator
from typing import Final

from equipoise.sources.containers.intake import DamagedError, Kind
from equipoise.structs import dataclass

BLOCK: Final = 512
_HEADER: Final = struct.Struct("100s8s8s8s12s12s8s1s100s6s2s32s32s8s8s155s12x")
_CHECKSUM: Final = slice(148, 156)
_ZEROS: Final = bytes(BLOCK)
_MAX_EXTENSION_BYTES: Final = 2**20
"""Longest accepted extended header: it holds names and numbers, not data."""

_KINDS: Final = {
    b"0": Kind.FILE,
    b"\0": Kind.FILE,
    b"7": Kind.FILE,
    b"1": Kind.HARDLINK,
    b"2": Kind.SYMLINK,
    b"3": Kind.DEVICE,
    b"4": Kind.DEVICE,
    b"6": Kind.DEVICE,
    b"S": Kind.DEVICE,
}
"""GNU sparse files (S) are not stored as their bytes: refused like a device."""


class TarError(DamagedError):
    """The stream is not a tar archive, or it is damaged or cut off."""


@dataclass(frozen=True, slots=True)
class Member:
    """One entry of a tar archive that is not a folder."""

    name: str
    size: int
    kind: Kind
    target: str


class PieceReader:
    """Take exact counts of bytes out of a stream of pieces."""

    __slots__ = ("_piece", "_pieces", "_start")

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._piece = b""
        self._start = 0

    def take(self, count: int) -> bytes:
        """Return the next bytes; fewer only where the stream ends."""
        start, end = self._start, self._start + count
        if end <= len(self._piece):
            self._start = end
            return self._piece[start:end]
        parts = []
        while count > 0 and (self._start < len(self._piece) or self._next()):
            part = memoryview(self._piece)[self._start : self._start + count]
            self._start += len(part)
            count -= len(part)
            parts.append(part)
        return b"".join(parts)

    def skip(self, count: int) -> int:
        """Pass over bytes without copying them; return how many were missing."""
        while count > 0:
            if self._start >= len(self._piece) and not self._next():
                return count
            step = min(count, len(self._piece) - self._start)
            self._start += step
            count -= step
        return 0

    def _next(self) -> bool:
        self._piece, self._start = next(self._pieces, b""), 0
        return bool(self._piece)


class TarWalk:
    """Iterate over the members; between two steps the bytes of the last one may be taken."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._reader = PieceReader(pieces)
        self._left = 0
        """Bytes of the current member that nobody took yet."""
        self._padding = 0
        self.complete = False
        """Whether the mark for the end of the archive was seen."""

    def members(self) -> Iterator[Member]:
        """Yield every member that is not a folder.

        Raises
        ------
        TarError
            When a header is damaged or the stream ends inside a member.
        """
        extended: dict[str, str] = {}
        global_extended: dict[str, str] = {}
        first = True
        while True:
            self._pass()
            block = self._reader.take(BLOCK)
            if not block or block == _ZEROS:
                self.complete = bool(block)
                return
            member, flag = self._parse(block, {**global_extended, **extended}, first=first)
            first = False
            if flag in b"LKxXg":
                content = self._extension(member.size)
                if flag == b"g":
                    global_extended.update(_pax(content))
                elif flag in b"xX":
                    extended.update(_pax(content))
                else:
                    extended["path" if flag == b"L" else "linkpath"] = _text(content)
                continue
            stored = 0 if flag in b"123456" and flag != b"" else member.size
            sparse = any(key.startswith("GNU.sparse") for key in extended)
            extended = {}
            self._left, self._padding = stored, -stored % BLOCK
            if flag == b"5" or (flag in b"0\0" and member.name.endswith("/")):
                continue
            yield member if not sparse else Member(member.name, member.size, Kind.DEVICE, "")

    def data(self) -> bytes:
        """Return the bytes of the current member."""
        size, self._left = self._left, 0
        data = self._reader.take(size)
        if len(data) < size:
            raise TarError(f"it ends {size - len(data):,} bytes before the end of a file")
        return data

    def chunks(self, chunk_bytes: int) -> Iterator[bytes]:
        """Yield the bytes of the current member in pieces, for a large file."""
        while self._left > 0:
            size = min(self._left, chunk_bytes)
            data = self._reader.take(size)
            self._left -= size
            if len(data) < size:
                raise TarError("it ends in the middle of a file")
            yield data

    def _pass(self) -> None:
        rest = self._left + self._padding
        self._left = self._padding = 0
        missing = self._reader.skip(rest)
        if missing:
            raise TarError(f"it ends {missing:,} bytes before the end of a file")

    def _extension(self, size: int) -> bytes:
        if size > _MAX_EXTENSION_BYTES:
            raise TarError(f"a header of {size:,} bytes")
        self._left, self._padding = size, -size % BLOCK
        return self.data()

    def _parse(
        self, block: bytes, extended: dict[str, str], *, first: bool
    ) -> tuple[Member, bytes]:
        if len(block) < BLOCK:
            raise TarError("it ends in the middle of a header")
        name, _, _, _, size, _, checksum, flag, link, magic, *_, prefix = _HEADER.unpack(block)
        if _number(checksum) not in _sums(block):
            raise TarError("it is no tar archive" if first else "a header is damaged")
        path = _text(name)
        if magic == b"ustar\0" and prefix[0]:
            path = f"{_text(prefix)}/{path}"
        stored = _number(size)
        if flag not in b"LKxXg":
            path = extended.get("path", path)
            stored = _size(extended, stored)
        if stored < 0:
            raise TarError("a header has a negative size")
        target = extended.get("linkpath", _text(link))
        kind = _KINDS.get(flag, Kind.FILE)
        return Member(path, stored, kind, target if kind is not Kind.FILE else ""), flag


def _size(extended: dict[str, str], stored: int) -> int:
    text = extended.get("size", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else stored


def _sums(block: bytes) -> tuple[int, int]:
    """Return the checksum of a header, and the one that old writers made of signed bytes."""
    rest = block[: _CHECKSUM.start] + b" " * 8 + block[_CHECKSUM.stop :]
    unsigned = sum(rest)
    if rest.isascii():
        return unsigned, unsigned
    return unsigned, unsigned - 256 * sum(byte > 127 for byte in rest)


def _number(raw: bytes) -> int:
    """Return an octal field, or a binary one as GNU tar writes for large values."""
    if raw[0] & 0x80:
        value = int.from_bytes(raw, "big", signed=False) & ((1 << (8 * len(raw) - 1)) - 1)
        return value if raw[0] != 0xFF else -1
    digits = raw.split(b"\0", 1)[0].strip()
    if not digits:
        return 0
    try:
        return int(digits, 8)
    except ValueError:
        return -1


def _text(raw: bytes) -> str:
    return raw.split(b"\0", 1)[0].decode("utf-8", "surrogateescape")


def _pax(content: bytes) -> dict[str, str]:
    """Return the records `<length> <key>=<value>` of an extended header."""
    found: dict[str, str] = {}
    position = 0
    while position < len(content):
        digits, _, _ = content[position : position + 21].partition(b" ")
        if not digits.isdigit():
            break
        length = int(digits)
        record = content[position + len(digits) + 1 : position + length]
        key, equals, value = record.partition(b"=")
        if length <= len(digits) + 1 or not equals:
            raise TarError("an extended header is damaged")
        found[_text(key)] = value.rstrip(b"\n").decode("utf-8", "surrogateescape")
        position += length
    return found
