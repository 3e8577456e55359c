"""A finished response: bytes, compressed once, with an entity tag of their content."""

import gzip
import hashlib
from dataclasses import field
from typing import Final

from equipoise.structs import dataclass

HTML: Final = "text/html; charset=utf-8"
JSON: Final = "application/json"
PROBLEM: Final = "application/problem+json"
LEAST_COMPRESSED: Final = 600
"""Bytes from which compressing is worth it."""
COMPRESSIBLE: Final = ("text/", "application/json", "application/problem", "image/svg")
LEVEL: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """Everything that is sent, but for what depends on the client."""

    status: int
    media_type: str
    content: bytes
    compressed: bytes | None
    """The content by gzip; None where that saves nothing."""
    tag: str
    """Strong entity tag of the uncompressed content."""
    headers: tuple[tuple[str, str], ...] = field(default=())

    @property
    def size(self) -> int:
        """Return the bytes that it takes in memory."""
        return len(self.content) + len(self.compressed or b"")


def body(
    content: bytes | str,
    *,
    media_type: str,
    status: int = 200,
    headers: tuple[tuple[str, str], ...] = (),
) -> Body:
    """Return content ready to be sent."""
    data = content.encode() if isinstance(content, str) else content
    compressed = None
    if len(data) >= LEAST_COMPRESSED and media_type.startswith(COMPRESSIBLE):
        packed = gzip.compress(data, LEVEL, mtime=0)
        compressed = packed if len(packed) < len(data) else None
    return Body(
        status=status,
        media_type=media_type,
        content=data,
        compressed=compressed,
        tag=hashlib.sha256(data).hexdigest()[:24],
        headers=headers,
    )
