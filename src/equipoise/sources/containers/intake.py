"""What every container does with one entry: where it belongs, whether to read it, refuse it."""

import enum
from collections.abc import Iterator
from typing import Final

from equipoise.errors import SourceError, printable
from equipoise.sources.base import SourceFile, needs_bytes
from equipoise.sources.containers.limits import Budget, Limits, too_large
from equipoise.sources.containers.names import (
    TREE_FOLDERS,
    Layout,
    MisplacedError,
    Place,
    clean_parts,
)
from equipoise.structs import dataclass

MISSING_LIST: Final = "MISSING"
"""A reduced copy of a round lists in this file what was left out."""

_LOG_TOKENS: Final = (b":::MLL", b":::MLPv")
"""Stand in the lines of an MLPerf log since v0.6 (`:::MLLOG`, `:::MLL`), and in v0.5."""

_OWN_LOG_ENDINGS: Final = (".txt", ".log", ".out", ".stdout")


BATCH_FILES: Final = 4_000
"""Most files of one batch for a worker, also those that are only listed."""


class DamagedError(Exception):
    """A container is not what it seems, damaged, or cut off; the text says what is wrong."""


class Kind(enum.Enum):
    """What an entry of a container is."""

    FILE = "file"
    SYMLINK = "symbolic link"
    HARDLINK = "hard link"
    DEVICE = "device, pipe or socket"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Entry:
    """One accepted entry: its path in the round, and what to do with it."""

    path: str
    read: bool
    """Whether the bytes matter; else only the name is handed on."""
    problem: SourceFile | None = None
    """The entry as it must be handed on instead of being read."""


class Intake:
    """Decide about the entries of one pass over a container."""

    def __init__(self, place: Place, limits: Limits, label: str, *, own_logs: bool = False) -> None:
        self.limits = limits
        self.layout = Layout(place=place, label=label, own_logs=own_logs)
        self.budget = Budget(limits, label)
        self.useful = 0
        """Files of results so far; none at the end is an error."""
        self.missing: list[str] = []
        self._paths: set[str] = set()

    def entry(self, raw: str, size: int, kind: Kind = Kind.FILE, target: str = "") -> Entry | None:
        """Return what to do with an entry; None when it is no part of the results.

        Parameters
        ----------
        raw
            Name in the container, undecodable bytes as surrogates.
        size
            Bytes, as the container says.
        kind, target
            What it is; where it points, for a link.
        """
        self.budget.count_file(raw)
        parts = clean_parts(raw)
        if parts is None:
            return _refused(raw, size, "unsafe-path", "its path leads out of the container")
        if len(parts) > self.limits.max_path_depth or len(raw) > self.limits.max_path_bytes:
            return _refused(raw, size, "over-limit", "its path is over the limit of length")
        try:
            located = self.layout.locate(parts)
        except MisplacedError:
            reason = "lies in a folder 'results' below the level of the others"
            return _refused("/".join(parts), size, "odd-place", reason)
        if located is None:
            if kind is Kind.SYMLINK and parts[-1] in TREE_FOLDERS:
                return self._link_or_device("/".join(parts), size, kind, target)
            return None
        path = "/".join(located)
        return self._judge(path, size, kind, target)

    def _judge(self, path: str, size: int, kind: Kind, target: str) -> Entry | None:
        if kind is not Kind.FILE:
            return self._link_or_device(path, size, kind, target)
        read = needs_bytes(path) or (
            self.layout.own_logs and path.endswith((*_OWN_LOG_ENDINGS, "scaling.json"))
        )
        if read and size > self.limits.max_file_bytes:
            return _refused(path, size, "over-limit", too_large(size, self.limits.max_file_bytes))
        if read and path in self._paths:
            # An archive that was added to holds both: which one counts is not for us to say.
            return _refused(path, size, "twice", "the same path is in the container twice")
        if read:
            self._paths.add(path)
            self.useful += "/results/" in path
        return Entry(path, read)

    def _link_or_device(self, path: str, size: int, kind: Kind, target: str) -> Entry:
        if kind is Kind.SYMLINK and "/systems/" in path and target:
            # Round v0.6 shares system files: the text names the file that holds the facts.
            text = target.encode("utf-8", "surrogateescape")
            return Entry(path, False, SourceFile(path=path, size=len(text), data=text))
        if kind is Kind.UNREADABLE:
            return _refused(path, size, "unreadable", f"cannot be read: {target}")
        aim = f" to {printable(target)!r}" if target else ""
        self.useful += "/results/" in path
        code = "not-a-file" if kind is Kind.DEVICE else "link"
        return _refused(path, size, code, f"is a {kind.value}{aim} and is not followed")

    def own_log(self, file: SourceFile) -> SourceFile:
        """Return the file, without its bytes if it is some other text than a log."""
        if not self.layout.own_logs or file.data is None or needs_bytes(file.path):
            return file
        if file.path.endswith(".json") or is_log(file.data):
            return file
        self.useful -= 1
        return SourceFile(path=file.path, size=file.size)

    def is_missing_list(self, raw: str) -> bool:
        """Return whether this entry is the list of left-out files of a reduced copy."""
        if not raw.endswith(MISSING_LIST):
            return False
        parts = clean_parts(raw)
        return parts is not None and parts[-1] == MISSING_LIST and len(parts) <= 2

    def absent(self, listing: bytes) -> Iterator[SourceFile]:
        """Yield the files that the list of a reduced copy names."""
        for line in listing.decode("utf-8", "surrogateescape").splitlines():
            parts = clean_parts(line.strip())
            if parts is None:
                continue
            name = "/".join(parts)
            self.budget.count_file(name)
            if not needs_bytes(name):
                yield SourceFile(path=name, size=0)
                continue
            self.useful += "/results/" in name
            reason = f"not in this copy: listed in {MISSING_LIST}"
            yield problem_file(name, 0, "not-in-this-copy", reason)

    def finish(self, hint: str = "") -> None:
        """Raise `SourceError`, with a hint, when the whole container held no results."""
        if self.useful <= 0:
            raise no_results(self.layout.label, self.budget.files, hint)


def guarded(chunks: Iterator[bytes], label: str) -> Iterator[bytes]:
    """Yield the pieces of a large file; what breaks off becomes a `SourceError`."""
    try:
        yield from chunks
    except (DamagedError, EOFError, OSError) as error:
        reason = f"breaks off in the middle of a file: {str(error) or 'no more data'}"
        raise SourceError(reason, path=label) from error


def is_log(data: bytes) -> bool:
    """Return whether some line is one of an MLPerf log."""
    return any(token in data for token in _LOG_TOKENS)


def no_results(label: str, files: int, hint: str = "") -> SourceError:
    """Return the error for a container in which there is nothing to read."""
    seen = "it is empty" if files == 0 else f"{files:,} entries, none of them results"
    return SourceError(
        f"no MLPerf results here ({seen}); name a round (<Submitter>/results/<system>/"
        "<benchmark>/result_0.txt), one of these folders, a log with :::MLLOG lines, "
        "an archive or git repository of them, or own measurements in a file that ends in .csv, "
        f".json or .parquet{hint}",
        path=label,
    )


def _refused(path: str, size: int, code: str, reason: str) -> Entry:
    return Entry(path, False, problem_file(path, size, code, reason))


def problem_file(path: str, size: int, code: str, reason: str) -> SourceFile:
    """Return the entry that stands for a file whose bytes cannot be had."""
    return SourceFile(path=path, size=size, problem=reason, problem_code=code)
