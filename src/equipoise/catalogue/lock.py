"""One builder at a time: a lock that the operating system frees when its holder dies."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from equipoise.errors import CatalogueError

LOCK_NAME: Final = ".lock"


@contextmanager
def builder_lock(folder: Path) -> Iterator[None]:
    """Hold the lock of a catalogue folder; a second builder is refused at once.

    The lock belongs to the open file, so a killed builder leaves no stale lock: the file
    may stay, the lock does not.

    Raises
    ------
    CatalogueError
        Another process builds in this folder, or the folder cannot be written.
    """
    path = folder / LOCK_NAME
    try:
        handle = _acquire(path)
    except BlockingIOError as problem:
        holder = _holder(path)
        raise CatalogueError(
            f"another builder{holder} is writing this catalogue; wait for it or use another folder",
            path=str(folder),
        ) from problem
    except OSError as problem:
        raise CatalogueError(
            f"cannot write here: {problem.strerror or problem}", path=str(folder)
        ) from problem
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(handle)


def _acquire(path: Path) -> int:
    """Return a locked descriptor of the file that has this name now."""
    import fcntl

    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _same_file(handle, path):
                os.ftruncate(handle, 0)
                os.write(handle, f"process {os.getpid()} on {socket.gethostname()}".encode())
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _same_file(handle: int, path: Path) -> bool:
    """Return whether the name still leads to this open file (its holder unlinks it)."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def _holder(path: Path) -> str:
    """Return ` (process P on HOST)` as the holder wrote it, or nothing."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
    return f" ({text})" if text.isprintable() and text else ""
