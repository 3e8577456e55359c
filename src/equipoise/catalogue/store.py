"""Replace a catalogue as a whole: written beside the old one, switched in one rename.

A catalogue folder holds `manifest.json` and one folder `tables-<digest>` that it names.
New tables go to a folder of their own; replacing the manifest is the one step that makes
them the catalogue, so whenever a builder dies, the folder holds the old catalogue or the
new one, whole. Leftovers of a dead builder are swept by the next one.
"""

import errno
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from equipoise.catalogue.columns import SCHEMA_VERSION
from equipoise.catalogue.lock import LOCK_NAME, builder_lock
from equipoise.catalogue.manifest import (
    MANIFEST_NAME,
    FileEntry,
    Manifest,
    SourceEntry,
    sha256,
    sync_folder,
    write_durably,
)
from equipoise.errors import CatalogueError

TABLES_PREFIX: Final = "tables-"
PARTIAL_PREFIX: Final = ".partial-"
_DIGEST_LENGTH: Final = 12


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Make a folder ready for a catalogue and hold its lock.

    Raises
    ------
    CatalogueError
        The folder holds other things than a catalogue, cannot be made or written, or
        another builder is at work in it.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        strangers = sorted(entry.name for entry in folder.iterdir() if not _ours(entry.name))
    except OSError as problem:
        raise refusal(problem, folder) from problem
    if strangers and not (folder / MANIFEST_NAME).exists():
        raise CatalogueError(
            f"the folder is not a catalogue and not empty ({strangers[0]!r} is in it); "
            "choose an empty or a new folder",
            path=str(folder),
        )
    with builder_lock(folder):
        yield


def commit(
    folder: Path,
    tables: Mapping[str, tuple[bytes, int]],
    *,
    sources: tuple[SourceEntry, ...],
    raw_descriptions: bool,
    package_version: str,
    writer: str,
) -> Manifest:
    """Make these tables (Parquet bytes and rows by name) the catalogue of a folder.

    To be called with the lock held (`exclusive`).

    Raises
    ------
    CatalogueError
        The disk is full or a file cannot be written; the former catalogue is whole.
    """
    sums = {name: sha256(content) for name, (content, _) in tables.items()}
    joined = "\n".join(f"{name} {sums[name]}" for name in sorted(sums))
    home = TABLES_PREFIX + sha256(joined.encode())[:_DIGEST_LENGTH]
    manifest = Manifest(
        schema_version=SCHEMA_VERSION,
        package_version=package_version,
        writer=writer,
        raw_descriptions=raw_descriptions,
        files={
            name: FileEntry(
                path=f"{home}/{name}.parquet", sha256=sums[name], bytes=len(content), rows=rows
            )
            for name, (content, rows) in sorted(tables.items())
        },
        sources=sources,
    )
    partial = folder / f"{PARTIAL_PREFIX}{os.getpid()}"
    try:
        _sweep(folder, keep=None)
        _write_tables(partial, tables)
        _place_tables(partial, folder / home)
        _switch(folder, manifest)
    except OSError as problem:
        shutil.rmtree(partial, ignore_errors=True)
        raise refusal(problem, folder) from problem
    _sweep(folder, keep=home)
    return manifest


def _write_tables(partial: Path, tables: Mapping[str, tuple[bytes, int]]) -> None:
    partial.mkdir()
    for name, (content, _) in tables.items():
        write_durably(partial / f"{name}.parquet", content)
    sync_folder(partial)


def _place_tables(partial: Path, home: Path) -> None:
    """Give the tables their final folder; one of that name has the same or damaged content."""
    if home.exists():
        for path in sorted(partial.iterdir()):
            path.replace(home / path.name)
        partial.rmdir()
        sync_folder(home)
    else:
        partial.replace(home)
    sync_folder(home.parent)


def _switch(folder: Path, manifest: Manifest) -> None:
    """Replace the manifest: the moment in which the new catalogue becomes the catalogue."""
    partial = folder / f"{PARTIAL_PREFIX}{MANIFEST_NAME}"
    try:
        write_durably(partial, manifest.to_bytes())
        partial.replace(folder / MANIFEST_NAME)
    except OSError:
        partial.unlink(missing_ok=True)
        raise
    sync_folder(folder)


def _sweep(folder: Path, *, keep: str | None) -> None:
    """Remove leftovers of dead builders and, when `keep` is given, all other tables."""
    for entry in folder.iterdir():
        stale = keep is not None and entry.name.startswith(TABLES_PREFIX) and entry.name != keep
        if stale or entry.name.startswith(PARTIAL_PREFIX):
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry, ignore_errors=True)
            else:
                entry.unlink(missing_ok=True)


def _ours(name: str) -> bool:
    return name in {MANIFEST_NAME, LOCK_NAME} or name.startswith((TABLES_PREFIX, PARTIAL_PREFIX))


def refusal(problem: OSError, folder: Path) -> CatalogueError:
    """Return the error for a catalogue that the system does not let be written."""
    if problem.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
        reason = "the disk is full"
    else:
        reason = f"cannot be written: {problem.strerror or problem}"
    kept = "the former catalogue is whole" if (folder / MANIFEST_NAME).exists() else "nothing built"
    return CatalogueError(f"{reason}; {kept}", path=str(folder))
