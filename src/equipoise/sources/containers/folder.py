"""A folder: a round, a submitter, a system, a benchmark, or a single log."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from equipoise.errors import SourceError
from equipoise.sources.base import CHUNK_BYTES, WHOLE_FILE_BYTES, Batch, SourceFile
from equipoise.sources.containers.intake import (
    BATCH_FILES,
    MISSING_LIST,
    Intake,
    Kind,
    guarded,
    is_log,
    no_results,
    problem_file,
)
from equipoise.sources.containers.limits import Limits, too_large
from equipoise.sources.containers.names import CODE_FOLDER, TREE_FOLDERS, Layout, Place, tree_index
from equipoise.structs import dataclass

_PROBE_ENTRIES: Final = 200_000
"""Entries looked at for a folder `results` before a folder counts as one of own logs."""

_FLAGS: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


@dataclass(frozen=True, slots=True)
class Found:
    """Something that a walk came across."""

    relative: str
    location: str
    kind: Kind
    size: int
    target: str
    """Where a link points, or why it cannot be read."""


@dataclass(frozen=True, slots=True)
class FolderEntry:
    """One file to be read: where it lies, and its path in the round."""

    location: str
    path: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderBatch:
    """Files of a folder that a worker opens by itself; what needs no reading comes along."""

    entries: tuple[FolderEntry, ...]
    listed: tuple[SourceFile, ...]
    max_file_bytes: int

    @property
    def size(self) -> int:
        """Bytes of the files together."""
        return sum(entry.size for entry in self.entries)

    def files(self) -> Iterator[SourceFile]:
        """Yield the files of this batch."""
        yield from self.listed
        for entry in self.entries:
            yield read_entry(entry, self.max_file_bytes)


class FolderSource:
    """Read a folder, never following a link below it and never writing to it."""

    kind = "folder"
    revision: str | None = None

    def __init__(
        self, path: Path, *, label: str, limits: Limits, round_name: str | None = None
    ) -> None:
        self.label = label
        self._limits = limits
        self._root = path.resolve()
        names = self._root.parts[1:]
        self._place = Place(name=names[-1] if names else "root", above=names[:-1])
        self.own_logs, self._base, found = self._shape()
        self.round = round_name or found
        self.notes: tuple[str, ...] = ()
        """What the user should know about this source; complete after reading."""

    def files(self) -> Iterator[SourceFile]:
        """Yield every file of results, read one after the other."""
        intake = self._intake()
        for item in self._listing(intake):
            if isinstance(item, SourceFile):
                yield item
            else:
                yield intake.own_log(read_entry(item, self._limits.max_file_bytes))
        self._finish(intake)

    def batches(self, *, target_bytes: int) -> Iterator[Batch]:
        """Yield groups of files of about `target_bytes` for worker processes."""
        intake = self._intake()
        entries: list[FolderEntry] = []
        listed: list[SourceFile] = []
        size = 0
        for item in self._listing(intake):
            if isinstance(item, SourceFile):
                listed.append(item)
            elif self.own_logs:
                listed.append(intake.own_log(read_entry(item, self._limits.max_file_bytes)))
            else:
                entries.append(item)
            size += item.size
            if size >= target_bytes or len(entries) + len(listed) >= BATCH_FILES:
                yield self._batch(entries, listed)
                entries, listed, size = [], [], 0
        if entries or listed:
            yield self._batch(entries, listed)
        self._finish(intake)

    def _batch(self, entries: list[FolderEntry], listed: list[SourceFile]) -> FolderBatch:
        return FolderBatch(
            entries=tuple(entries),
            listed=tuple(listed),
            max_file_bytes=self._limits.max_file_bytes,
        )

    def _intake(self) -> Intake:
        intake = Intake(self._place, self._limits, self.label, own_logs=self.own_logs)
        intake.layout.base = self._base
        return intake

    def _finish(self, intake: Intake) -> None:
        self.notes = tuple(intake.layout.notes)
        intake.finish()

    def _shape(self) -> tuple[bool, tuple[str, ...], str | None]:
        """Return: own logs or not, what stands before the paths, and the round."""
        seen = 0
        base = self._place.first_round_prefix()
        layout = Layout(place=self._place, label=self.label, base=base or ())
        for found in walk(self._root, only_results=True):
            seen += 1
            parts = tuple(found.relative.split("/"))
            if tree_index(parts[:-1]) is not None or base:
                layout.locate(parts)
                return False, layout.base, layout.round()
            if seen >= _PROBE_ENTRIES:
                break
        if seen == 0:
            raise no_results(self.label, 0)
        layout.base = self._place.submitter_prefix() or ()
        layout.own_logs = not layout.base
        return layout.own_logs, layout.base, layout.round()

    def _listing(self, intake: Intake) -> Iterator[FolderEntry | SourceFile]:
        yield from self._absent(intake)
        yield from self._system_file(intake)
        for found in walk(self._root, only_results=not self.own_logs):
            entry = intake.entry(found.relative, found.size, found.kind, found.target)
            if entry is None:
                continue
            if entry.problem is not None:
                yield entry.problem
            elif not entry.read:
                yield SourceFile(path=entry.path, size=found.size)
            else:
                intake.budget.count_bytes(found.size)
                yield FolderEntry(found.location, entry.path, found.size)

    def _absent(self, intake: Intake) -> Iterator[SourceFile]:
        listing = self._root / MISSING_LIST
        if not self._base and listing.is_file() and not listing.is_symlink():
            found = read_entry(FolderEntry(str(listing), MISSING_LIST, 0), WHOLE_FILE_BYTES)
            for file in intake.absent(found.data or b""):
                if not os.path.lexists(self._root / file.path):
                    yield file

    def _system_file(self, intake: Intake) -> Iterator[FolderEntry]:
        """Yield the description of the system when only a part of its results is read."""
        if len(self._base) < 3 or self._base[1] != "results":
            return
        submitter = self._root.parents[len(self._base) - 2]
        location = submitter / "systems" / f"{self._base[2]}.json"
        if location.is_file() and not location.is_symlink():
            intake.budget.count_file(str(location))
            path = f"{self._base[0]}/systems/{location.name}"
            yield FolderEntry(str(location), path, location.stat().st_size)


class LogSource:
    """Read a single log, with the names that the folders around it give."""

    kind = "log"
    revision: str | None = None

    def __init__(
        self, path: Path, *, label: str, limits: Limits, round_name: str | None = None
    ) -> None:
        self.label = label
        self._limits = limits
        self._file = path.resolve()
        names = self._file.parent.parts[1:]
        self._place = Place(name=names[-1] if names else "root", above=names[:-1])
        self._base = self._place.first_round_prefix() or self._place.submitter_prefix()
        self.own_logs = self._base is None
        """Whether it lies in no folder of results: the user's own run."""
        self.round = round_name or self._intake().layout.round()
        self.notes: tuple[str, ...] = ()

    def files(self) -> Iterator[SourceFile]:
        """Yield the log, and the description of its system when it lies in a round."""
        base = self._base
        intake = self._intake()
        size = self._file.stat().st_size
        entry = intake.entry(self._file.name, size)
        if entry is None or entry.problem is not None:
            reason = entry.problem.problem if entry and entry.problem else "not a log"
            raise SourceError(reason or "not a log", path=self.label)
        if base is not None and base[1:2] == ("results",) and len(base) >= 3:
            yield from self._system_file(base)
        found = read_entry(
            FolderEntry(str(self._file), entry.path, size), self._limits.max_file_bytes
        )
        if found.data is not None and not is_log(found.data):
            raise no_results(self.label, 1)
        self.notes = tuple(intake.layout.notes)
        yield found

    def _intake(self) -> Intake:
        intake = Intake(self._place, self._limits, self.label, own_logs=self.own_logs)
        intake.layout.base = self._base or ()
        return intake

    def _system_file(self, base: tuple[str, ...]) -> Iterator[SourceFile]:
        submitter = self._file.parents[len(base) - 1]
        location = submitter / "systems" / f"{base[2]}.json"
        if location.is_file() and not location.is_symlink():
            path = f"{base[0]}/systems/{location.name}"
            yield read_entry(
                FolderEntry(str(location), path, location.stat().st_size),
                self._limits.max_file_bytes,
            )


def walk(root: Path, *, only_results: bool) -> Iterator[Found]:
    """Yield everything below that is not a folder; links are reported, never followed.

    Folders of code and hidden folders are not entered outside of results. Names come
    sorted, so two walks agree.
    """
    stack: list[tuple[str, str, bool]] = [("", str(root), False)]
    while stack:
        prefix, folder, inside = stack.pop()
        folders: list[tuple[str, str, bool]] = []
        try:
            with os.scandir(folder) as entries:
                names = sorted(
                    (entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries
                )
        except OSError as error:
            if not prefix:
                reason = f"cannot be listed: {error.strerror}"
                raise SourceError(reason, path=str(root)) from error
            yield Found(prefix, folder, Kind.UNREADABLE, 0, str(error.strerror))
            continue
        for name, is_folder in names:
            location, relative = f"{folder}/{name}", f"{prefix}{name}"
            if not is_folder:
                yield _found(relative, location)
            elif inside or not (name.startswith(".") or (only_results and name == CODE_FOLDER)):
                folders.append((f"{relative}/", location, inside or name in TREE_FOLDERS))
        stack.extend(reversed(folders))


def _found(relative: str, location: str) -> Found:
    try:
        status = os.lstat(location)
        if stat.S_ISREG(status.st_mode):
            return Found(relative, location, Kind.FILE, status.st_size, "")
        if stat.S_ISLNK(status.st_mode):
            target = os.fspath(Path(location).readlink())
            return Found(relative, location, Kind.SYMLINK, status.st_size, target)
    except OSError as error:
        return Found(relative, location, Kind.UNREADABLE, 0, str(error.strerror))
    return Found(relative, location, Kind.DEVICE, 0, "")


def read_entry(entry: FolderEntry, max_file_bytes: int) -> SourceFile:
    """Return the file with its bytes, in chunks when it is large, or with the problem."""
    try:
        descriptor = os.open(entry.location, _FLAGS)
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
        return problem_file(entry.path, entry.size, "unreadable", reason)
    try:
        size = os.fstat(descriptor).st_size
        if size > max_file_bytes:
            reason = too_large(size, max_file_bytes)
            return problem_file(entry.path, size, "over-limit", reason)
        if size > WHOLE_FILE_BYTES:
            return SourceFile(
                path=entry.path,
                size=size,
                chunks=guarded(_chunks(entry.location, size), entry.path),
            )
        return SourceFile(path=entry.path, size=size, data=_read_all(descriptor, size))
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
        return problem_file(entry.path, entry.size, "unreadable", reason)
    finally:
        os.close(descriptor)


def _read_all(descriptor: int, size: int) -> bytes:
    data = os.read(descriptor, size)
    while len(data) < size:
        more = os.read(descriptor, size - len(data))
        if not more:
            break
        data += more
    return data


def _chunks(location: str, size: int) -> Iterator[bytes]:
    descriptor = os.open(location, _FLAGS)
    try:
        while size > 0:
            chunk = os.read(descriptor, min(size, CHUNK_BYTES))
            if not chunk:
                return
            size -= len(chunk)
            yield chunk
    finally:
        os.close(descriptor)
