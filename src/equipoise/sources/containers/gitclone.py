"""Fetch from a git address only what a round's results need: no history, no code.

First a clone without any file content (`blob:none`), then in one request the content of
the files under `results` and `systems`. A server without partial clones sends everything.
"""

import os
import re
import shutil
import subprocess
import tempfile
import weakref
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, Final
from urllib.parse import urlsplit

from equipoise.errors import SourceError, printable
from equipoise.sources.containers.git import GitSource
from equipoise.sources.containers.limits import Limits
from equipoise.sources.containers.names import Place

Progress = Callable[[str, int, int | None], None]
"""Called with what is going on, how much of it is done, and how much there is."""

_SCHEMES: Final = frozenset({"https", "http", "ssh", "git", "file"})
_SCP_LIKE: Final = re.compile(r"[A-Za-z0-9_][\w.-]*@[A-Za-z0-9][\w.-]*:(?!//)[^\s]+")
_REVISION: Final = re.compile(r"[A-Za-z0-9][\w./-]*")
_PROGRESS: Final = re.compile(rb"([A-Z][\w ]+):\s+\d+% \((\d+)/(\d+)\)")
_OBJECTS_PER_REQUEST: Final = 20_000

_USER_SETTINGS: Final = ("GIT_SSH", "GIT_ASKPASS", "GIT_SSL_", "GIT_HTTP_", "GIT_CONFIG")
"""The user's own way to reach servers stays in force: keys, certificates, proxies."""


def is_git_address(text: str) -> bool:
    """Return whether the text is an address that git fetches from.

    >>> is_git_address("https://example.org/training_results_v4.1")
    True
    >>> is_git_address("git@example.org:results.git"), is_git_address("s3://bucket/v4.1")
    (True, False)
    """
    if "://" in text:
        return urlsplit(text).scheme in _SCHEMES
    return _SCP_LIKE.fullmatch(text) is not None and not Path(text).exists()


class GitAddressSource(GitSource):
    """A round fetched from a git address; its copy lives as long as this object."""

    def __init__(
        self,
        address: str,
        *,
        limits: Limits,
        round_name: str | None = None,
        progress: Progress | None = None,
    ) -> None:
        url, _, revision = address.partition("#")
        folder = tempfile.mkdtemp(prefix="equipoise-clone-")
        self._cleanup = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        clone = _Clone(Path(folder), url, label=address, progress=progress)
        try:
            clone.fetch_commit(revision or "HEAD")
            names = [name for name in re.split(r"[/:]", url) if name]
            super().__init__(
                clone.folder,
                place=Place(name=names[-1].removesuffix(".git") if names else "repository"),
                label=address,
                limits=limits,
                round_name=round_name,
            )
            clone.fetch_objects(self.absent())
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Remove the copy."""
        self._cleanup()


class _Clone:
    """A bare repository of our own that fetches in two steps."""

    def __init__(self, folder: Path, url: str, *, label: str, progress: Progress | None) -> None:
        self.folder = folder
        self._label, self._progress = label, progress
        if shutil.which("git") is None:
            raise SourceError("a git address needs the program git: install it", path=label)
        self._run("init", "--quiet", "--bare", "--template=", str(folder))
        for key, value in (
            ("core.repositoryFormatVersion", "1"),
            ("extensions.partialClone", "origin"),
            ("remote.origin.url", url),
            ("remote.origin.promisor", "true"),
            ("remote.origin.partialCloneFilter", "blob:none"),
        ):
            self._run("config", key, value)

    def fetch_commit(self, revision: str) -> None:
        """Fetch one commit with its folders, and put HEAD on it."""
        if _REVISION.fullmatch(revision) is None:
            reason = f"{printable(revision)!r} after '#' is no branch, tag or commit"
            raise SourceError(reason, path=self._label)
        self._fetch("--depth=1", "--progress", "origin", revision)
        words = (self.folder / "FETCH_HEAD").read_text("utf-8", "replace").split()
        if not words:
            raise SourceError("the repository is empty", path=self._label)
        (self.folder / "HEAD").write_text(f"{words[0]}\n")

    def fetch_objects(self, oids: Iterable[bytes]) -> None:
        """Fetch the content of these files."""
        wanted = sorted(set(oids))
        for start in range(0, len(wanted), _OBJECTS_PER_REQUEST):
            part = wanted[start : start + _OBJECTS_PER_REQUEST]
            lines = b"".join(oid + b"\n" for oid in part)
            self._fetch("--progress", "--no-write-fetch-head", "--stdin", "origin", lines=lines)

    def _fetch(self, *arguments: str, lines: bytes = b"") -> None:
        self._run(
            "-c",
            "fetch.negotiationAlgorithm=noop",
            "fetch",
            "--no-tags",
            "--no-auto-maintenance",
            "--recurse-submodules=no",
            "--filter=blob:none",
            *arguments,
            lines=lines,
        )

    def _run(self, *arguments: str, lines: bytes = b"") -> None:
        process = subprocess.Popen(
            ["git", "-c", "core.hooksPath=/dev/null", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=_environment(self.folder),
        )
        try:
            if process.stdin is not None:
                process.stdin.write(lines)
                process.stdin.close()
            said = self._listen(process.stderr)
            if process.wait() != 0:
                raise SourceError(f"git cannot fetch this address: {said}", path=self._label)
        except BrokenPipeError as error:
            raise SourceError("git ended early", path=self._label) from error
        finally:
            process.kill()
            if process.stderr is not None:
                process.stderr.close()
            process.wait()

    def _listen(self, stderr: IO[bytes] | None) -> str:
        """Report progress while git runs; return its last words."""
        last = b""
        rest = b""
        while stderr is not None and (block := os.read(stderr.fileno(), 4096)):
            *parts, rest = (rest + block).replace(b"\r", b"\n").split(b"\n")
            for part in parts:
                found = _PROGRESS.search(part)
                if found is None:
                    last = part.strip() or last
                elif self._progress is not None:
                    stage = found[1].decode("ascii", "replace").lower()
                    self._progress(stage, int(found[2]), int(found[3]))
        return printable((rest.strip() or last).decode("utf-8", "replace")) or "no reason given"


def _environment(folder: Path) -> dict[str, str]:
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith("GIT_") or key.startswith(_USER_SETTINGS)
    }
    return kept | {
        "GIT_DIR": str(folder),
        "GIT_ALLOW_PROTOCOL": ":".join(sorted(_SCHEMES)),
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_PAGER": "cat",
        "LC_ALL": "C",
    }
