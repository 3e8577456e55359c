"""Walk the directory at the end of a zip archive, one entry at a time.

The standard library's reader builds an object for every entry before the first can be
read, which for a million small files takes most of a gigabyte; here memory stays flat.

Source: PKWARE APPNOTE.TXT 6.3.10, sections 4.3 (records), 4.4.4 (flags), 4.5.3 (zip64).
"""

import stat
import struct
import zlib
from collections.abc import Iterator
from typing import BinaryIO, Final

from equipoise.sources.containers.intake import DamagedError, Kind
from equipoise.structs import dataclass
from equipoise.units import BYTES_PER_MIB

_END: Final = struct.Struct("<4s4H2LH")
_END_64_LOCATOR: Final = struct.Struct("<4sLQL")
_END_64: Final = struct.Struct("<4sQ2H2L4Q")
_ENTRY: Final = struct.Struct("<4s6H3L5H2L")
_LOCAL: Final = struct.Struct("<4s5H3L2H")
_MAX_POSITION: Final = 2**62
_MAX_COMMENT: Final = 65_535
_FULL_32: Final = 0xFFFFFFFF
_ENCRYPTED: Final = 0x1
_UTF8: Final = 0x800
_UNIX: Final = 3
STORED: Final = 0
DEFLATED: Final = 8
_PIECE_BYTES: Final = BYTES_PER_MIB // 4


class ZipError(DamagedError):
    """The file is not a zip archive, or it is damaged or cut off."""


@dataclass(frozen=True, slots=True)
class ZipMember:
    """One entry of a zip archive that is not a folder."""

    name: str
    size: int
    kind: Kind
    packed: int
    """Bytes it takes in the archive."""
    offset: int
    """Where its local header starts."""
    method: int
    crc: int
    encrypted: bool

    @property
    def refusal(self) -> str | None:
        """Return why the bytes cannot be had, if so."""
        if self.encrypted:
            return "is encrypted"
        if self.method not in {STORED, DEFLATED}:
            return f"is compressed by method {self.method}: only deflate is read"
        return None


def members(file: BinaryIO) -> Iterator[ZipMember]:
    """Yield every entry of the directory that is not a folder.

    Raises
    ------
    ZipError
        When there is no directory or it is damaged.
    """
    count, start, shift = _find_directory(file)
    _seek(file, start)
    for _ in range(count):
        head = file.read(_ENTRY.size)
        if len(head) < _ENTRY.size or not head.startswith(b"PK\1\2"):
            raise ZipError("its directory is damaged")
        fields = _ENTRY.unpack(head)
        _, made_by, _, flags, method, _, _, crc, packed, size = fields[:10]
        name_length, extra_length, comment_length, _, _, attributes, offset = fields[10:]
        raw = file.read(name_length)
        extra = file.read(extra_length)
        after = file.tell() + comment_length
        size, packed, offset = _large(extra, size, packed, offset)
        name = _name(raw, flags)
        if not name.endswith("/"):
            kind = _kind(attributes >> 16) if made_by >> 8 == _UNIX else Kind.FILE
            encrypted = bool(flags & _ENCRYPTED)
            yield ZipMember(name, size, kind, packed, offset + shift, method, crc, encrypted)
        file.seek(after)


def read_pieces(file: BinaryIO, member: ZipMember) -> Iterator[bytes]:
    """Yield the bytes of a member; never more than its stated size.

    Raises
    ------
    ZipError
        When the data is damaged, or is not what the directory states.
    """
    _seek(file, member.offset)
    head = file.read(_LOCAL.size)
    if len(head) < _LOCAL.size or not head.startswith(b"PK\3\4"):
        raise ZipError("its header is damaged")
    *_, name_length, extra_length = _LOCAL.unpack(head)
    file.seek(name_length + extra_length, 1)
    crc, produced = 0, 0
    pieces = _stored(file, member) if member.method == STORED else _inflate(file, member)
    try:
        for piece in pieces:
            produced += len(piece)
            if produced > member.size:
                raise ZipError(f"it unpacks to more than the stated {member.size:,} bytes")
            crc = zlib.crc32(piece, crc)
            yield piece
    except zlib.error as error:
        raise ZipError(f"its data is damaged: {error}") from error
    if produced < member.size:
        raise ZipError(f"its data ends {member.size - produced:,} bytes early")
    if crc != member.crc:
        raise ZipError("its checksum is wrong")


def _seek(file: BinaryIO, position: int) -> None:
    """Go to a stated position; what it states may be anything."""
    if not 0 <= position <= _MAX_POSITION:
        raise ZipError("it points far outside of itself")
    file.seek(position)


def _stored(file: BinaryIO, member: ZipMember) -> Iterator[bytes]:
    left = min(member.packed, member.size)
    while left > 0 and (piece := file.read(min(left, _PIECE_BYTES))):
        left -= len(piece)
        yield piece


def _inflate(file: BinaryIO, member: ZipMember) -> Iterator[bytes]:
    inflater = zlib.decompressobj(wbits=-zlib.MAX_WBITS)
    left = member.packed
    while not inflater.eof:
        data = inflater.unconsumed_tail
        if not data:
            data = file.read(min(left, _PIECE_BYTES)) if left > 0 else b""
            left -= len(data)
            if not data:
                return
        piece = inflater.decompress(data, _PIECE_BYTES)
        if piece:
            yield piece


def _find_directory(file: BinaryIO) -> tuple[int, int, int]:
    """Return the count of entries, where the directory starts, and bytes before the archive."""
    length = file.seek(0, 2)
    tail_start = max(0, length - _END.size - _MAX_COMMENT)
    file.seek(tail_start)
    tail = file.read()
    position = tail.rfind(b"PK\5\6")
    if position < 0 or len(tail) - position < _END.size:
        raise ZipError("it has no directory at its end")
    _, _, _, _, count, size, start, _ = _END.unpack_from(tail, position)
    end = tail_start + position
    found = _find_directory_64(file, end)
    if found is not None:
        return found
    shift = end - size - start
    if shift < 0:
        raise ZipError("its directory is damaged")
    return count, start + shift, shift


def _find_directory_64(file: BinaryIO, end: int) -> tuple[int, int, int] | None:
    if end < _END_64_LOCATOR.size:
        return None
    file.seek(end - _END_64_LOCATOR.size)
    signature, _, position, _ = _END_64_LOCATOR.unpack(file.read(_END_64_LOCATOR.size))
    if signature != b"PK\6\7":
        return None
    # With bytes before the archive the stated position is short of the true one.
    for at in (position, end - _END_64_LOCATOR.size - _END_64.size):
        if not 0 <= at < end:
            continue
        file.seek(at)
        record = file.read(_END_64.size)
        if len(record) == _END_64.size and record.startswith(b"PK\6\6"):
            *_, count, _, start = _END_64.unpack(record)
            return count, start + at - position, at - position
    raise ZipError("its zip64 directory is damaged")


def _large(extra: bytes, size: int, packed: int, offset: int) -> tuple[int, int, int]:
    """Return sizes and offset, from the zip64 field where the short ones are full."""
    values = [size, packed, offset]
    position = 0
    while position + 4 <= len(extra):
        tag, length = struct.unpack_from("<2H", extra, position)
        if tag == 1:
            field = extra[position + 4 : position + 4 + length]
            for index, value in enumerate(values):
                if value == _FULL_32 and len(field) >= 8:
                    values[index] = struct.unpack_from("<Q", field)[0]
                    field = field[8:]
        position += 4 + length
    return values[0], values[1], values[2]


def _name(raw: bytes, flags: int) -> str:
    if not flags & _UTF8:
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            text = raw.decode("cp437")
    else:
        text = raw.decode("utf-8", "surrogateescape")
    # Some writers on Windows put backslashes where the format wants slashes.
    return text.replace("\\", "/") if "/" not in text else text


def _kind(mode: int) -> Kind:
    if mode == 0 or stat.S_ISREG(mode) or stat.S_IFMT(mode) == 0:
        return Kind.FILE
    return Kind.SYMLINK if stat.S_ISLNK(mode) else Kind.DEVICE
