"""A git repository, bare or ordinary: the files of its HEAD, read through `git cat-file`."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from equipoise.sources.base import CHUNK_BYTES, WHOLE_FILE_BYTES, Batch, SourceFile
from equipoise.sources.containers.gitstore import (
    SYMLINK_MODE,
    Blob,
    BlobReader,
    Repository,
    blob_facts,
    blob_reader,
    list_blobs,
    open_repository,
)
from equipoise.sources.containers.intake import (
    BATCH_FILES,
    MISSING_LIST,
    Intake,
    Kind,
    guarded,
    problem_file,
)
from equipoise.sources.containers.limits import Limits, too_large
from equipoise.sources.containers.names import Place
from equipoise.structs import dataclass

_ABSENT: Final = "not in this clone: the repository was cloned without this file"
_ONLY_COMMITTED: Final = (
    "; of a repository only what is committed is read: to read files as they lie in the work "
    "tree, name a folder inside it"
)
_GROUP: Final = 50_000
"""Blobs that are sorted into batches together."""


@dataclass(frozen=True, slots=True)
class GitEntry:
    """One blob to be read, and its path in the round."""

    oid: bytes
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GitBatch:
    """Blobs that a worker reads through its own git process."""

    repository: Repository
    entries: tuple[GitEntry, ...]
    listed: tuple[SourceFile, ...]
    size: int
    max_file_bytes: int

    def files(self) -> Iterator[SourceFile]:
        """Yield the files of this batch."""
        yield from self.listed
        yield from _read(self.repository, self.entries, self.max_file_bytes)


class GitSource:
    """Read the commit that HEAD of a repository names."""

    kind = "git"
    own_logs = False

    def __init__(
        self,
        git_dir: Path,
        *,
        place: Place,
        label: str,
        limits: Limits,
        round_name: str | None = None,
    ) -> None:
        self.label = label
        self._limits = limits
        self._place = place
        self._repository = open_repository(git_dir, label=label)
        self.round = round_name or place.round()
        self.notes: tuple[str, ...] = ()
        """What the user should know about this source; complete after reading."""

    @property
    def revision(self) -> str:
        """Return the commit that is read."""
        return self._repository.commit

    def files(self) -> Iterator[SourceFile]:
        """Yield every file of results of the commit, read through one git process.

        Raises
        ------
        SourceError
            When the repository is damaged, over the limits, or holds no results.
        """
        intake = Intake(self._place, self._limits, self.label)
        listing = self._listing(intake)
        while group := list(islice(listing, _GROUP)):
            yield from (item for item in group if isinstance(item, SourceFile))
            entries = [item for item in group if isinstance(item, GitEntry)]
            for file in _read(self._repository, entries, self._limits.max_file_bytes):
                intake.budget.count_bytes(file.size)
                yield file
        self._finish(intake)

    def batches(self, *, target_bytes: int) -> Iterator[Batch]:
        """Yield groups of blobs of about `target_bytes` for worker processes."""
        intake = Intake(self._place, self._limits, self.label)
        listing = self._listing(intake)
        while group := list(islice(listing, _GROUP)):
            listed = tuple(item for item in group if isinstance(item, SourceFile))
            entries: list[GitEntry] = []
            size = 0
            for entry, found in self._by_family(group):
                intake.budget.count_bytes(found)
                entries.append(entry)
                size += found
                if size >= target_bytes or len(entries) >= BATCH_FILES:
                    yield self._batch(entries, listed, size)
                    entries, listed, size = [], (), 0
            if entries or listed:
                yield self._batch(entries, listed, size)
        self._finish(intake)

    def _finish(self, intake: Intake) -> None:
        self.notes = tuple(intake.layout.notes)
        intake.finish(_ONLY_COMMITTED)

    def _by_family(self, group: list[GitEntry | SourceFile]) -> Iterator[tuple[GitEntry, int]]:
        """Yield blobs with their sizes, those stored as differences to one another together."""
        entries = [item for item in group if isinstance(item, GitEntry)]
        facts = list(blob_facts(self._repository, [entry.oid for entry in entries]))
        parent: dict[bytes, bytes] = {}
        for entry, (_, base) in zip(entries, facts, strict=False):
            if base is not None:
                parent[_root(parent, entry.oid)] = _root(parent, base)
        families: dict[bytes, list[tuple[GitEntry, int]]] = {}
        for entry, (size, _) in zip(entries, facts, strict=False):
            families.setdefault(_root(parent, entry.oid), []).append((entry, size or 0))
        for family in families.values():
            yield from family

    def absent(self) -> Iterator[bytes]:
        """Yield the object names of files that would be read but are not in this clone."""
        intake = Intake(self._place, self._limits, self.label)
        listing = self._items(intake)
        while group := list(islice(listing, _GROUP)):
            wanted = [item.oid for item in group if isinstance(item, GitEntry)]
            facts = blob_facts(self._repository, wanted)
            for oid, (size, _) in zip(wanted, facts, strict=False):
                if size is None:
                    yield oid

    def _batch(
        self, entries: list[GitEntry], listed: tuple[SourceFile, ...], size: int
    ) -> GitBatch:
        return GitBatch(
            repository=self._repository,
            entries=tuple(entries),
            listed=listed,
            size=size,
            max_file_bytes=self._limits.max_file_bytes,
        )

    def _listing(self, intake: Intake) -> Iterator[GitEntry | SourceFile]:
        """Yield what is read and what is only named; last what a reduced copy leaves out."""
        left_out: GitEntry | None = None
        present: set[str] = set()
        for item in self._items(intake):
            if isinstance(item, GitEntry) and item.path == MISSING_LIST:
                left_out = item
                continue
            present.add(item.path)
            yield item
        if left_out is not None:
            for found in _read(self._repository, [left_out], WHOLE_FILE_BYTES):
                for file in intake.absent(found.data or b""):
                    if file.path not in present:
                        yield file

    def _items(self, intake: Intake) -> Iterator[GitEntry | SourceFile]:
        for blob in list_blobs(self._repository, label=self.label):
            item = self._item(blob, intake)
            if item is not None:
                yield item

    def _item(self, blob: Blob, intake: Intake) -> GitEntry | SourceFile | None:
        if blob.path == MISSING_LIST.encode() and blob.mode != SYMLINK_MODE:
            return GitEntry(blob.oid, MISSING_LIST)
        raw = blob.path.decode("utf-8", "surrogateescape")
        link = blob.mode == SYMLINK_MODE
        if link and "/systems/" in raw:
            # The content of a link is the name it points to, the same text as elsewhere.
            link = False
        entry = intake.entry(raw, 0, Kind.SYMLINK if link else Kind.FILE)
        if entry is None:
            return None
        if entry.problem is not None:
            return entry.problem
        if not entry.read:
            return SourceFile(path=entry.path, size=0)
        return GitEntry(blob.oid, entry.path)


def _root(parent: dict[bytes, bytes], oid: bytes) -> bytes:
    """Return the representative of a family, shortening the way to it."""
    while (above := parent.get(oid, oid)) != oid:
        parent[oid] = oid = parent.get(above, above)
    return oid


def _read(
    repository: Repository, entries: Sequence[GitEntry], max_file_bytes: int
) -> Iterator[SourceFile]:
    """Yield the blobs through one git process; an error of git is said for each file."""
    if not entries:
        return
    with blob_reader(repository, [entry.oid for entry in entries]) as reader:
        for entry in entries:
            try:
                yield _file(reader, entry, reader.next_size(), max_file_bytes)
            except EOFError:
                reason = "git stopped before the end of this file: check with git fsck"
                yield problem_file(entry.path, 0, "unreadable", reason)


def _file(reader: BlobReader, entry: GitEntry, size: int | None, max_file_bytes: int) -> SourceFile:
    if size is None:
        return problem_file(entry.path, 0, "not-in-this-clone", _ABSENT)
    if size > max_file_bytes:
        return problem_file(entry.path, size, "over-limit", too_large(size, max_file_bytes))
    if size > WHOLE_FILE_BYTES:
        return SourceFile(
            path=entry.path, size=size, chunks=guarded(reader.chunks(CHUNK_BYTES), entry.path)
        )
    return SourceFile(path=entry.path, size=size, data=reader.data())
