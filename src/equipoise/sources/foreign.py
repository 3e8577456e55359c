"""What a file that should be a table is instead, told by its first bytes."""

from typing import Final

_BEGINNINGS: Final[tuple[tuple[bytes, str], ...]] = (
    (b"PK\x03\x04", "a zip archive or an Excel workbook: export the sheet as CSV"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel workbook: export the sheet as CSV"),
    (b"\x1f\x8b", "bytes compressed with gzip: unpack it"),
    (b"(\xb5/\xfd", "bytes compressed with zstd: unpack it"),
    (b"\xfd7zXZ\x00", "bytes compressed with xz: unpack it"),
    (b"BZh", "bytes compressed with bzip2: unpack it"),
    (b"SQLite format 3\x00", "an SQLite database: export the table as CSV"),
    (b"ARROW1", "an Arrow (Feather) file: write it as Parquet or CSV"),
    (b"ORC", "an ORC file: write it as Parquet or CSV"),
    (b"Obj\x01", "an Avro file: write it as Parquet or CSV"),
    (b"%PDF", "a PDF document: export the table as CSV"),
)
_LOOKED_AT: Final = 4096
_TOKEN: Final = b":::ML"
_MARKUP: Final = (b"<!doctype", b"<html", b"<?xml")
_NO_CONTROLS: Final = bytes(range(ord(" "), 256)) + b"\t\n\r\x0b\x0c\x1b\x1a"
"""Bytes that text may hold."""
_BINARY_SHARE: Final = 0.08
"""Share of control characters from which on bytes are no text."""


def foreign_kind(data: bytes) -> str | None:
    r"""Return what bytes are that are no table, and what to do; None if they may be one.

    >>> foreign_kind(b"\x1f\x8b\x08"), foreign_kind(b"n,time_s\n8,600\n")
    ('bytes compressed with gzip: unpack it', None)
    """
    for beginning, kind in _BEGINNINGS:
        if data.startswith(beginning):
            return kind
    head = data[:_LOOKED_AT]
    if head.lstrip().lower().startswith(_MARKUP):
        return "a web page or XML: export the table as CSV"
    if _TOKEN in head.partition(b"\n")[0]:
        return "a training log: give it the ending .txt or .log, or name its folder"
    if not head.startswith((b"\xff\xfe", b"\xfe\xff")) and _is_binary(head):
        return "bytes that are neither text nor Parquet: check which file this is"
    return None


def _is_binary(head: bytes) -> bool:
    controls = len(head.translate(None, _NO_CONTROLS))
    return controls > _BINARY_SHARE * len(head)
