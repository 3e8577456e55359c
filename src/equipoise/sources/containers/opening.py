"""Find out what the user named and open it as a source of one round."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from equipoise.errors import SourceError
from equipoise.sources.base import Source
from equipoise.sources.containers.folder import FolderSource, LogSource
from equipoise.sources.containers.limits import Limits
from equipoise.sources.containers.names import Place

if TYPE_CHECKING:
    from equipoise.sources.containers.streams import Opener

Progress = Callable[[str, int, int | None], None]
"""Called with what is going on, how much of it is done, and how much there is."""

_ENDINGS: Final = re.compile(r"(\.(tar|tgz|txz|tbz2?|tzst|zip|gz|xz|bz2|zst|zstd|git))+$")
_TAR_MAGIC: Final = slice(257, 262)
_HEAD_BYTES: Final = 512


def open_source(
    text_or_path: str | Path,
    *,
    round: str | None = None,  # noqa: A002 (the word of the domain)
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Source:
    """Open a folder, archive, repository, log or address as the source of one round.

    Parameters
    ----------
    text_or_path
        What the user named: a path, a git address (`https://`, `ssh://`, `file://`, with
        `#<branch or commit>` if not its HEAD), or an address of a store (`s3://` ...).
    round
        The round when the user says it; else it is taken from names.
    limits
        Bounds on what is read; None for the usual ones.
    progress
        Called while a git address is fetched.

    Raises
    ------
    SourceError
        When there is nothing there, or nothing that can be read as results.
    """
    limits = limits or Limits()
    label = str(text_or_path)
    if not label.strip():  # an empty path would be the current folder
        raise SourceError("the name is empty: name a folder, archive, repository or log")
    if isinstance(text_or_path, str) and "://" in label:
        return _open_address(label, round_name=round, limits=limits, progress=progress)
    path = Path(text_or_path)
    try:
        if path.is_dir():
            return _open_folder(path, label=label, round_name=round, limits=limits)
        if path.is_file():
            return _open_file(path, label=label, round_name=round, limits=limits)
        exists = path.exists()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SourceError(f"cannot be opened: {reason}", path=label) from error
    if exists:
        raise SourceError("is no folder and no file: name a folder, archive or log", path=label)
    from equipoise.sources.containers.gitclone import GitAddressSource, is_git_address

    if is_git_address(label):
        return GitAddressSource(label, limits=limits, round_name=round, progress=progress)
    raise SourceError("there is no such file or folder: check the path", path=label)


def _open_folder(path: Path, *, label: str, round_name: str | None, limits: Limits) -> Source:
    if not any((path / name).exists() for name in (".git", "HEAD")):
        return FolderSource(path, label=label, round_name=round_name, limits=limits)
    # Readers of other containers are loaded when one is met: it would delay every command.
    from equipoise.sources.containers.git import GitSource
    from equipoise.sources.containers.gitstore import find_git_dir

    git_dir = find_git_dir(path)
    if git_dir is None:
        return FolderSource(path, label=label, round_name=round_name, limits=limits)
    place = _repository_place(path)
    return GitSource(git_dir, place=place, label=label, round_name=round_name, limits=limits)


def _open_file(path: Path, *, label: str, round_name: str | None, limits: Limits) -> Source:
    from equipoise.sources.containers.streams import LocalFile

    opener = LocalFile(str(path.resolve()))
    archive = _open_archive(opener, path.name, label=label, round_name=round_name, limits=limits)
    if archive is not None:
        return archive
    return LogSource(path, label=label, round_name=round_name, limits=limits)


def _open_archive(
    opener: "Opener", name: str, *, label: str, round_name: str | None, limits: Limits
) -> Source | None:
    """Return the archive that the first bytes tell, whatever its name says."""
    with opener() as file:
        head = file.read(_HEAD_BYTES)
    if not head:
        raise SourceError("is empty: name a folder, archive or log with content", path=label)
    plain = archive_name(name)
    if head.startswith((b"PK\3\4", b"PK\5\6")):
        from equipoise.sources.containers.zip import ZipSource

        return ZipSource(opener, label=label, name=plain, round_name=round_name, limits=limits)
    from equipoise.sources.containers.streams import compression_of

    codec = compression_of(head)
    if codec is None and head[_TAR_MAGIC] != b"ustar" and not name.endswith(".tar"):
        return None
    from equipoise.sources.containers.tar import TarSource

    return TarSource(
        opener, codec=codec, label=label, name=plain, round_name=round_name, limits=limits
    )


def _open_address(
    url: str, *, round_name: str | None, limits: Limits, progress: Progress | None
) -> Source:
    """Open what lies at an address: an archive, a repository or a folder of a store."""
    from equipoise.sources.containers.gitclone import GitAddressSource, is_git_address
    from equipoise.sources.containers.gitstore import find_git_dir

    parts = urlsplit(url)
    name = parts.path.rstrip("/").rpartition("/")[2]
    archive = _ENDINGS.search(name) is not None and not name.endswith(".git")
    if parts.scheme == "file" and not parts.netloc:
        path = Path(unquote(parts.path))
        if archive or (path.is_dir() and find_git_dir(path) is None) or path.is_file():
            return open_source(path, round=round_name, limits=limits)
    if is_git_address(url) and not archive:
        return GitAddressSource(url, limits=limits, round_name=round_name, progress=progress)
    return _open_store(url, name, round_name=round_name, limits=limits)


def _open_store(url: str, name: str, *, round_name: str | None, limits: Limits) -> Source:
    from equipoise.sources.containers.remote import (
        RemoteFile,
        RemoteFolderSource,
        open_filesystem,
        unreachable,
    )

    filesystem, path = open_filesystem(url)
    try:
        is_folder = bool(filesystem.isdir(path))
        exists = is_folder or bool(filesystem.exists(path))
    except Exception as error:  # every store has its own errors
        raise unreachable(url, error) from error
    if not exists:
        raise SourceError("there is nothing at this address: check it", path=url)
    if is_folder:
        return RemoteFolderSource(filesystem, path, label=url, round_name=round_name, limits=limits)
    opener = RemoteFile(filesystem, path)
    archive = _open_archive(opener, name, label=url, round_name=round_name, limits=limits)
    if archive is None:
        raise SourceError("is no archive: name a folder of the store or an archive", path=url)
    return archive


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
    return Place(name=names[-1].rpartition("+")[2] or names[-1], above=tuple(names[:-1]))
