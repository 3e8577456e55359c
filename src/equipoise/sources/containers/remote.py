"""Places reached through fsspec (`s3://`, `gs://`, `memory://` ...): folders and archives."""

from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, Final, cast

from equipoise.errors import SourceError, UsageError, printable
from equipoise.extras import MissingExtraError
from equipoise.sources.base import CHUNK_BYTES, WHOLE_FILE_BYTES, Batch, SourceFile
from equipoise.sources.containers.intake import (
    BATCH_FILES,
    MISSING_LIST,
    Intake,
    guarded,
    problem_file,
)
from equipoise.sources.containers.limits import Limits
from equipoise.sources.containers.names import CODE_FOLDER, TREE_FOLDERS, Layout, Place, tree_index
from equipoise.structs import dataclass
from equipoise.units import BYTES_PER_MIB

_GROUP_FILES: Final = 64
_GROUP_BYTES: Final = 32 * BYTES_PER_MIB
"""Files asked for together, so that a slow connection is used well."""


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """Opener of one file of a store."""

    filesystem: Any
    path: str

    def __call__(self) -> BinaryIO:
        """Return the file, opened at its start."""
        return cast("BinaryIO", self.filesystem.open(self.path, "rb"))


@dataclass(frozen=True, slots=True)
class RemoteEntry:
    """One file to be read: where it lies, and its path in the round."""

    location: str
    path: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteBatch:
    """Files of a store that a worker fetches by itself."""

    filesystem: Any
    entries: tuple[RemoteEntry, ...]
    listed: tuple[SourceFile, ...]

    @property
    def size(self) -> int:
        """Bytes of the files together."""
        return sum(entry.size for entry in self.entries)

    def files(self) -> Iterator[SourceFile]:
        """Yield the files of this batch."""
        yield from self.listed
        yield from read_entries(self.filesystem, self.entries)


class RemoteFolderSource:
    """Read a folder of a store."""

    kind = "remote folder"
    revision: str | None = None

    def __init__(
        self,
        filesystem: Any,
        path: str,
        *,
        label: str,
        limits: Limits,
        round_name: str | None = None,
    ) -> None:
        self.label = label
        self._filesystem, self._root, self._limits = filesystem, path.rstrip("/"), limits
        names = [name for name in path.split("/") if name] or ["root"]
        self._place = Place(name=names[-1], above=tuple(names[:-1]))
        self.own_logs, self._base, found = self._shape()
        self.round = round_name or found
        self.notes: tuple[str, ...] = ()
        """What the user should know about this source; complete after reading."""

    def files(self) -> Iterator[SourceFile]:
        """Yield every file of results."""
        for batch in self._groups(_GROUP_BYTES, _GROUP_FILES):
            yield from batch

    def batches(self, *, target_bytes: int) -> Iterator[Batch]:
        """Yield groups of files of about `target_bytes` for worker processes."""
        intake = self._intake()
        for entries, listed in self._collect(intake, target_bytes, BATCH_FILES):
            found = tuple(listed)
            if self.own_logs:
                read = read_entries(self._filesystem, entries)
                found, entries = (*found, *map(intake.own_log, read)), []
            yield RemoteBatch(filesystem=self._filesystem, entries=tuple(entries), listed=found)
        self._finish(intake)

    def _groups(self, target_bytes: int, target_files: int) -> Iterator[Iterator[SourceFile]]:
        intake = self._intake()
        for entries, listed in self._collect(intake, target_bytes, target_files):
            yield iter(listed)
            yield map(intake.own_log, read_entries(self._filesystem, entries))
        self._finish(intake)

    def _collect(
        self, intake: Intake, target_bytes: int, target_files: int
    ) -> Iterator[tuple[list[RemoteEntry], list[SourceFile]]]:
        entries: list[RemoteEntry] = []
        listed: list[SourceFile] = []
        size = 0
        for item in self._listing(intake):
            if isinstance(item, SourceFile):
                listed.append(item)
            else:
                entries.append(item)
                size += item.size
            if size >= target_bytes or len(entries) + len(listed) >= target_files:
                yield entries, listed
                entries, listed, size = [], [], 0
        yield entries, listed

    def _finish(self, intake: Intake) -> None:
        self.notes = tuple(intake.layout.notes)
        intake.finish()

    def _intake(self) -> Intake:
        intake = Intake(self._place, self._limits, self.label, own_logs=self.own_logs)
        intake.layout.base = self._base
        return intake

    def _shape(self) -> tuple[bool, tuple[str, ...], str | None]:
        """Return: own logs or not, what stands before the paths, and the round."""
        base = self._place.first_round_prefix()
        layout = Layout(place=self._place, label=self.label, base=base or ())
        for relative, _, _ in self._walk(only_results=True):
            parts = tuple(relative.split("/"))
            if tree_index(parts[:-1]) is not None or base:
                layout.locate(parts)
                return False, layout.base, layout.round()
        layout.base = self._place.submitter_prefix() or ()
        layout.own_logs = not layout.base
        return layout.own_logs, layout.base, layout.round()

    def _listing(self, intake: Intake) -> Iterator[RemoteEntry | SourceFile]:
        for relative, location, size in self._walk(only_results=not self.own_logs):
            if relative == MISSING_LIST and not self._base:
                yield from intake.absent(self._filesystem.cat_file(location))
                continue
            entry = intake.entry(relative, size)
            if entry is None:
                continue
            if entry.problem is not None:
                yield entry.problem
            elif not entry.read:
                yield SourceFile(path=entry.path, size=size)
            else:
                intake.budget.count_bytes(size)
                yield RemoteEntry(location, entry.path, size)

    def _walk(self, *, only_results: bool) -> Iterator[tuple[str, str, int]]:
        """Yield (relative path, location, size); folders of code are not listed."""
        stack = [(self._root, "", False)]
        while stack:
            folder, prefix, inside = stack.pop()
            below: list[tuple[str, str, bool]] = []
            for info in sorted(self._list(folder), key=lambda each: str(each["name"])):
                name = str(info["name"]).rstrip("/").rpartition("/")[2]
                if info.get("type") != "directory":
                    yield f"{prefix}{name}", str(info["name"]), int(info.get("size") or 0)
                elif inside or not (name.startswith(".") or (only_results and name == CODE_FOLDER)):
                    known = inside or name in TREE_FOLDERS
                    below.append((str(info["name"]), f"{prefix}{name}/", known))
            stack.extend(reversed(below))

    def _list(self, folder: str) -> list[dict[str, Any]]:
        try:
            found: list[dict[str, Any]] = self._filesystem.ls(folder, detail=True)
        except Exception as error:  # every store has its own errors
            raise unreachable(self.label, error) from error
        # An object store may list the folder as an empty object of the same name.
        return [each for each in found if str(each["name"]).rstrip("/") != folder.rstrip("/")]


def read_entries(filesystem: Any, entries: Sequence[RemoteEntry]) -> Iterator[SourceFile]:
    """Yield the files with their bytes, fetched together; a failure is said for its file."""
    small = [entry for entry in entries if entry.size <= WHOLE_FILE_BYTES]
    for start in range(0, len(small), _GROUP_FILES):
        group = small[start : start + _GROUP_FILES]
        found = filesystem.cat([entry.location for entry in group], on_error="return")
        for entry in group:
            content = found.get(entry.location)
            if isinstance(content, bytes):
                yield SourceFile(path=entry.path, size=len(content), data=content)
            else:
                reason = f"cannot be fetched: {printable(str(content))}"
                yield problem_file(entry.path, entry.size, "unreadable", reason)
    for entry in entries:
        if entry.size > WHOLE_FILE_BYTES:
            chunks = guarded(_chunks(filesystem, entry.location), entry.path)
            yield SourceFile(path=entry.path, size=entry.size, chunks=chunks)


def _chunks(filesystem: Any, location: str) -> Iterator[bytes]:
    with filesystem.open(location, "rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk


def open_filesystem(url: str) -> tuple[Any, str]:
    """Return the store of an address and the path in it.

    Raises
    ------
    UsageError
        When fsspec or the package for this kind of store is not installed.
    SourceError
        When the address cannot be opened.
    """
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise MissingExtraError(printable(url), "remote", ("fsspec",)) from error
    try:
        filesystem, path = url_to_fs(url)
    except ImportError as error:
        raise UsageError(
            f"{printable(url)}: this kind of address needs another package ({error}); install "
            "the extra with: pip install 'equipoise[remote]'"
        ) from error
    except ValueError as error:
        raise SourceError(f"cannot be opened: {printable(str(error))}", path=url) from error
    return filesystem, str(path)


def unreachable(url: str, error: Exception) -> SourceError:
    """Return the error for a store that does not answer as wanted."""
    detail = printable(str(error)) or type(error).__name__
    return SourceError(f"cannot be read from its store: {detail}", path=url)
