"""The manifest: which files make up a catalogue, and what each must contain."""

import os
from pathlib import Path
from typing import Any, Final

import orjson

from equipoise.catalogue.columns import SCHEMA_VERSION, TABLES
from equipoise.errors import CatalogueError
from equipoise.structs import dataclass

MANIFEST_NAME: Final = "manifest.json"
FORMAT_NAME: Final = "equipoise-catalogue"
_REBUILD: Final = "build it again with `equipoise ingest SOURCE... --out DIR`"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEntry:
    """One Parquet file as the builder wrote it."""

    path: str
    """Relative to the catalogue folder."""
    sha256: str
    bytes: int
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceEntry:
    """Where a round came from."""

    round: str
    source: str | None
    revision: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a catalogue consists of; the only file whose replacement changes a catalogue."""

    schema_version: int
    package_version: str
    writer: str
    """Library that wrote the Parquet files; the same bytes need the same version of it."""
    raw_descriptions: bool
    """Whether systems keep their raw description (never in the bundled catalogue)."""
    files: dict[str, FileEntry]
    sources: tuple[SourceEntry, ...]

    def to_bytes(self) -> bytes:
        """Return the manifest as JSON with sorted keys."""
        content = {
            "format": FORMAT_NAME,
            "schema_version": self.schema_version,
            "package_version": self.package_version,
            "writer": self.writer,
            "raw_descriptions": self.raw_descriptions,
            "files": self.files,
            "sources": self.sources,
        }
        options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
        return orjson.dumps(content, option=options)


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a catalogue folder.

    Raises
    ------
    CatalogueError
        No catalogue here, a damaged manifest, or one of another schema version.
    """
    path = folder / MANIFEST_NAME
    try:
        content = orjson.loads(path.read_bytes())
    except FileNotFoundError as problem:
        where = "no catalogue in this folder" if folder.is_dir() else "no such folder"
        raise CatalogueError(f"{where}; {_REBUILD}", path=str(folder)) from problem
    except OSError as problem:
        raise CatalogueError(
            f"cannot be read: {problem.strerror or problem}", path=str(path)
        ) from problem
    except orjson.JSONDecodeError as problem:
        raise CatalogueError(f"damaged manifest ({problem}); {_REBUILD}", path=str(path)) from None
    if not isinstance(content, dict) or content.get("format") != FORMAT_NAME:
        raise CatalogueError(f"not a manifest of equipoise; {_REBUILD}", path=str(path))
    _refuse_other_schema(content.get("schema_version"), path)
    try:
        return _parse(content)
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        reason = f"damaged manifest ({type(problem).__name__}: {problem}); {_REBUILD}"
        raise CatalogueError(reason, path=str(path)) from problem


def _refuse_other_schema(version: object, path: Path) -> None:
    if version == SCHEMA_VERSION:
        return
    remedy = _REBUILD
    if isinstance(version, int) and version > SCHEMA_VERSION:
        remedy = f"update equipoise, or {_REBUILD}"
    raise CatalogueError(
        f"the catalogue has schema version {version}, this equipoise reads {SCHEMA_VERSION}; "
        f"{remedy}",
        path=str(path),
    )


def _parse(content: dict[str, Any]) -> Manifest:
    files = {name: FileEntry(**entry) for name, entry in content["files"].items()}
    if files.keys() != TABLES.keys():
        raise ValueError(f"tables {sorted(files)} instead of {sorted(TABLES)}")
    for entry in files.values():
        parts = Path(entry.path).parts
        if Path(entry.path).is_absolute() or ".." in parts:
            raise ValueError(f"file outside the catalogue: {entry.path!r}")
    return Manifest(
        schema_version=content["schema_version"],
        package_version=str(content["package_version"]),
        writer=str(content["writer"]),
        raw_descriptions=bool(content["raw_descriptions"]),
        files=files,
        sources=tuple(SourceEntry(**entry) for entry in content["sources"]),
    )


def write_durably(path: Path, content: bytes) -> None:
    """Write a file so that its bytes are on disk before this returns."""
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sha256(content: bytes) -> str:
    """Return the SHA-256 of some bytes in hexadecimal.

    >>> sha256(b"")[:8]
    'e3b0c442'
    """
    import hashlib

    return hashlib.sha256(content).hexdigest()
