"""Find out what the user named and open it as a source of one round."""

import re
from pathlib import Path
from typing import Final

from equipoise.errors import SourceError
from equipoise.sources.base import Source
from equipoise.sources.containers.folder import FolderSource, LogSource
from equipoise.sources.containers.git import GitSource
from equipoise.sources.containers.gitstore import find_git_dir
from equipoise.sources.containers.limits import Limits
from equipoise.sources.containers.names import Place
from equipoise.sources.containers.streams import compression_of
from equipoise.sources.containers.tar import TarSource

_ENDINGS: Final = re.compile(r"(\.(tar|tgz|txz|tbz2?|tzst|zip|gz|xz|bz2|zst|zstd|git))+$")
_TAR_MAGIC: Final = slice(257, 262)


def open_source(
    text_or_path: str | Path,
    *,
    round: str | None = None,  # noqa: A002 (the word of the domain)
    limits: Limits | None = None,
) -> Source:
    """Open a folder, archive, git repository or log as the source of one round.

    Parameters
    ----------
    text_or_path
        What the user named.
    round
        The round when the user says it; else it is taken from names.
    limits
        Bounds on what is read; None for the usual ones.

    Raises
    ------
    SourceError
        When there is nothing there, or nothing that can be read as results.
    """
    limits = limits or Limits()
    label = str(text_or_path)
    path = Path(text_or_path)
    try:
        if path.is_dir():
            return _open_folder(path, label=label, round_name=round, limits=limits)
        if path.is_file():
            return _open_file(path, label=label, round_name=round, limits=limits)
    except OSError as error:
        raise SourceError(f"cannot be opened: {error.strerror}", path=label) from error
    if path.exists():
        raise SourceError("is no folder and no file: name a folder, archive or log", path=label)
    raise SourceError("there is no such file or folder: check the path", path=label)


def _open_folder(path: Path, *, label: str, round_name: str | None, limits: Limits) -> Source:
    git_dir = find_git_dir(path)
    if git_dir is None:
        return FolderSource(path, label=label, round_name=round_name, limits=limits)
    return GitSource(
        git_dir, place=_repository_place(path), label=label, round_name=round_name, limits=limits
    )


def _open_file(path: Path, *, label: str, round_name: str | None, limits: Limits) -> Source:
    with path.open("rb") as file:
        head = file.read(512)
    if not head:
        raise SourceError("is empty: name a folder, archive or log with content", path=label)
    codec = compression_of(head)
    if codec is None and head[_TAR_MAGIC] != b"ustar" and not path.name.endswith(".tar"):
        return LogSource(path, label=label, round_name=round_name, limits=limits)
    absolute = path.resolve()
    return TarSource(
        lambda: absolute.open("rb"),
        codec=codec,
        label=label,
        name=archive_name(path.name),
        round_name=round_name,
        limits=limits,
    )


def archive_name(name: str) -> str:
    """Return the name of an archive without its endings.

    >>> archive_name("v5.1.tar.zst"), archive_name("Dell.tgz")
    ('v5.1', 'Dell')
    """
    return _ENDINGS.sub("", name) or name


def _repository_place(path: Path) -> Place:
    """Return the names around a repository; `x.git`, `.git` and `repo` say nothing."""
    names = [part for part in path.resolve().parts[1:] if part not in {".git", "repo"}]
    names = [name.removesuffix(".git") for name in names] or ["repository"]
    tail = names[-1].rpartition("+")[2]
    return Place(name=tail or names[-1], above=tuple(names[:-1]))
