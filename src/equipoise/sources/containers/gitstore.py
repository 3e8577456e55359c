"""Read objects of a git repository without obeying anything that lies in it.

The repository may belong to someone else. Its configuration, hooks, filters and remotes
are never consulted: git runs in an empty repository of our own, made for the purpose in a
temporary folder, that only borrows the object store. An absent object of a partial clone
is therefore just absent; nothing can be fetched for it and nothing can be executed.
"""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import IO, Final

from equipoise.errors import SourceError
from equipoise.structs import dataclass
from equipoise.units import BYTES_PER_MIB

_OBJECT_ID: Final = re.compile(rb"[0-9a-f]{40}([0-9a-f]{24})?")
_PIPE_BYTES: Final = BYTES_PER_MIB
_MAX_POINTERS: Final = 5
"""Symbolic references followed from HEAD."""

SYMLINK_MODE: Final = b"120000"


@dataclass(frozen=True, slots=True)
class Blob:
    """One file of a commit."""

    mode: bytes
    oid: bytes
    path: bytes


@dataclass(frozen=True, slots=True)
class Repository:
    """Where the objects of a repository lie, and the commit to read."""

    objects: str
    commit: str

    @property
    def sha256(self) -> bool:
        """Return whether object names are SHA-256."""
        return len(self.commit) == 64


def find_git_dir(path: Path) -> Path | None:
    """Return the git directory of a bare or ordinary repository or work tree, if it is one."""
    inner = path / ".git"
    if inner.is_file():
        text = _small_text(inner).strip()
        if text.startswith("gitdir:"):
            target = (path / text.removeprefix("gitdir:").strip()).resolve()
            return target if (target / "HEAD").is_file() else None
        return None
    for candidate in (inner, path):
        if (candidate / "HEAD").is_file() and (candidate / "objects").is_dir():
            return candidate
    return None


def open_repository(git_dir: Path, *, label: str) -> Repository:
    """Return the object store of a repository and the commit its HEAD names.

    Raises
    ------
    SourceError
        When git is not installed or HEAD names no commit.
    """
    if shutil.which("git") is None:
        raise SourceError(
            "reading a git repository needs the program git: install it, or name a folder "
            "or an archive",
            path=label,
        )
    common = git_dir
    pointer = git_dir / "commondir"
    if pointer.is_file():
        common = (git_dir / _small_text(pointer).strip()).resolve()
    commit = _resolve_head(git_dir, common) or _ask_git(git_dir)
    if commit is None:
        raise SourceError(
            "HEAD of this git repository names no commit: check one out, or clone it again",
            path=label,
        )
    return Repository(objects=str((common / "objects").resolve()), commit=commit)


def list_blobs(repository: Repository, *, label: str) -> Iterator[Blob]:
    """Yield every file of the commit, names as raw bytes.

    Raises
    ------
    SourceError
        When the folders of the commit cannot be read from this clone.
    """
    with _git(repository, "ls-tree", "-r", "-z", "--full-tree", repository.commit) as process:
        rest = b""
        stdout = _pipe(process.stdout)
        while block := stdout.read(_PIPE_BYTES):
            *records, rest = (rest + block).split(b"\0")
            for record in records:
                head, _, path = record.partition(b"\t")
                mode, kind, oid = head.split(b" ")[:3]
                if kind == b"blob":
                    yield Blob(mode, oid, path)
        if process.wait() != 0:
            raise SourceError(
                "the list of files cannot be read from this git repository: it is damaged, "
                "or a clone without trees; clone it again (a blobless clone is enough)",
                path=label,
            )


def blob_facts(
    repository: Repository, oids: Iterable[bytes]
) -> Iterator[tuple[int | None, bytes | None]]:
    """Yield size and delta base of every blob in the order given; size None: absent.

    A blob may be stored as its difference to another one, the delta base; reading blobs of
    one family together in one process saves unpacking the base again.
    """
    form = "--batch-check=%(objectname) %(objecttype) %(objectsize) %(deltabase)"
    with _fed(repository, ("cat-file", form, "--buffer"), oids) as stdout:
        for line in stdout:
            base = line.rstrip(b"\n").rpartition(b" ")[2]
            size = _size(line)
            yield size, base if size is not None and base.strip(b"0") else None


class BlobReader:
    """Read blobs in the order of their object names, through one git process."""

    def __init__(self, stdout: IO[bytes]) -> None:
        self._stdout = stdout
        self._left = 0
        """Bytes of the current blob that nobody took yet, its final newline included."""

    def next_size(self) -> int | None:
        """Go to the next blob and return its size; None when it is absent."""
        self._skip()
        line = self._stdout.readline()
        if not line:
            raise EOFError
        size = _size(line)
        self._left = 0 if size is None else size + 1
        return size

    def data(self) -> bytes:
        """Return the bytes of the current blob."""
        size, self._left = self._left - 1, 0
        data = self._stdout.read(size)
        if len(data) < size or not self._stdout.read(1):
            raise EOFError
        return data

    def chunks(self, chunk_bytes: int) -> Iterator[bytes]:
        """Yield the bytes of the current blob in pieces, for a large one."""
        while self._left > 1:
            data = self._stdout.read(min(chunk_bytes, self._left - 1))
            if not data:
                raise EOFError
            self._left -= len(data)
            yield data

    def _skip(self) -> None:
        while self._left > 0:
            data = self._stdout.read(min(self._left, _PIPE_BYTES))
            if not data:
                raise EOFError
            self._left -= len(data)


@contextmanager
def blob_reader(repository: Repository, oids: Iterable[bytes]) -> Iterator[BlobReader]:
    """Open a reader for these blobs; the git process ends with the block."""
    with _fed(repository, ("cat-file", "--batch", "--buffer"), oids) as stdout:
        yield BlobReader(stdout)


def _size(line: bytes) -> int | None:
    fields = line.split()
    return int(fields[2]) if len(fields) >= 3 and fields[1] == b"blob" else None


def clean_environment() -> dict[str, str]:
    """Return the environment for git: no variable and no configuration steers it."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    return kept | {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_PAGER": "cat",
        "LC_ALL": "C",
    }


@contextmanager
def _git(
    repository: Repository, *arguments: str, stdin: int = subprocess.DEVNULL
) -> Iterator[subprocess.Popen[bytes]]:
    with tempfile.TemporaryDirectory(prefix="equipoise-git-") as folder:
        _write_shell_repository(Path(folder), sha256=repository.sha256)
        environment = clean_environment()
        environment["GIT_DIR"] = folder
        environment["GIT_OBJECT_DIRECTORY"] = repository.objects
        process = subprocess.Popen(
            ["git", *arguments],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            cwd=folder,
            bufsize=_PIPE_BYTES,
        )
        try:
            yield process
        finally:
            process.kill()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(OSError, ValueError):
                        pipe.close()
            process.wait()


@contextmanager
def _fed(
    repository: Repository, command: tuple[str, ...], oids: Iterable[bytes]
) -> Iterator[IO[bytes]]:
    """Run git and write object names to it from a thread, so that neither side waits."""
    with _git(repository, *command, stdin=subprocess.PIPE) as process:
        stdin = _pipe(process.stdin)

        def feed() -> None:
            with suppress(OSError, ValueError):
                for oid in oids:
                    stdin.write(oid + b"\n")
                stdin.close()

        thread = Thread(target=feed, name="equipoise-git-feed", daemon=True)
        thread.start()
        try:
            yield _pipe(process.stdout)
        finally:
            process.kill()
            thread.join()


def _write_shell_repository(folder: Path, *, sha256: bool) -> None:
    """Write the least that git accepts as a repository, with our own configuration."""
    (folder / "objects").mkdir()
    (folder / "refs").mkdir()
    (folder / "HEAD").write_text("ref: refs/heads/none\n")
    version, extension = ("1", "[extensions]\n\tobjectFormat = sha256\n") if sha256 else ("0", "")
    (folder / "config").write_text(
        f"[core]\n\trepositoryformatversion = {version}\n\tbare = true\n{extension}"
    )


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise RuntimeError("the process was started without this pipe")
    return pipe


def _resolve_head(git_dir: Path, common: Path) -> str | None:
    """Return the commit of HEAD from the files of the repository."""
    text = _small_text(git_dir / "HEAD").strip()
    for _ in range(_MAX_POINTERS):
        if not text.startswith("ref:"):
            break
        name = text.removeprefix("ref:").strip()
        if not name.startswith("refs/") or ".." in name.split("/"):
            return None
        text = _small_text(git_dir / name).strip() or _small_text(common / name).strip()
        text = text or _packed(common, name)
    return text if _OBJECT_ID.fullmatch(text.encode("utf-8", "replace")) else None


def _packed(common: Path, name: str) -> str:
    try:
        with (common / "packed-refs").open("rb") as file:
            for line in file:
                oid, _, ref = line.rstrip(b"\n").partition(b" ")
                if ref == os.fsencode(name):
                    return oid.decode("ascii", "replace")
    except OSError:
        pass
    return ""


def _ask_git(git_dir: Path) -> str | None:
    """Return the commit of HEAD from git itself, for other stores of references."""
    command = [
        "git",
        "-c",
        "safe.directory=*",
        "-c",
        "core.fsmonitor=false",
        f"--git-dir={git_dir}",
    ]
    done = subprocess.run(
        [*command, "rev-parse", "--verify", "--end-of-options", "HEAD^{commit}"],
        env=clean_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    commit = done.stdout.strip()
    return commit.decode("ascii") if _OBJECT_ID.fullmatch(commit) else None


def _small_text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return os.fsdecode(file.read(4096))
    except OSError:
        return ""
