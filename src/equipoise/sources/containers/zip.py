"""A zip archive, read through the directory at its end; nothing is unpacked to disk."""

from collections.abc import Iterator
from contextlib import closing
from functools import cached_property
from typing import BinaryIO, Final

from equipoise.errors import SourceError
from equipoise.sources.base import WHOLE_FILE_BYTES, Batch, SourceFile
from equipoise.sources.containers.intake import BATCH_FILES, Intake, Kind, guarded, problem_file
from equipoise.sources.containers.limits import RATIO_FLOOR_BYTES, Limits, named
from equipoise.sources.containers.names import Place, clean_parts, tree_index
from equipoise.sources.containers.streams import Opener
from equipoise.sources.containers.zipwalk import ZipError, ZipMember, members, read_pieces
from equipoise.structs import dataclass

_MAX_LINK_BYTES: Final = 4096


@dataclass(frozen=True, slots=True)
class ZipEntry:
    """One member to be read, and its path in the round."""

    member: ZipMember
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ZipBatch:
    """Members of an archive that a worker opens by itself."""

    opener: Opener
    entries: tuple[ZipEntry, ...]
    listed: tuple[SourceFile, ...]

    @property
    def size(self) -> int:
        """Bytes of the files together."""
        return sum(entry.member.size for entry in self.entries)

    def files(self) -> Iterator[SourceFile]:
        """Yield the files of this batch."""
        yield from self.listed
        with closing(self.opener()) as file:
            for entry in self.entries:
                yield _file(file, entry)


class ZipSource:
    """Read a zip archive through an opener of a file that can seek."""

    kind = "zip"
    revision: str | None = None

    def __init__(
        self,
        opener: Opener,
        *,
        label: str,
        name: str,
        limits: Limits,
        round_name: str | None = None,
    ) -> None:
        self.label = label
        self._opener, self._limits = opener, limits
        self._place = Place(name=name)
        self._round = round_name
        self.notes: tuple[str, ...] = ()
        """What the user should know about this source; complete after reading."""

    def files(self) -> Iterator[SourceFile]:
        """Yield every file of results in the order of the directory.

        Raises
        ------
        SourceError
            When the archive is damaged, cut off, over the limits or without results.
        """
        intake = self._intake(own_logs=self.own_logs)
        with closing(self._opener()) as listing, closing(self._opener()) as file:
            for item in self._listing(listing, intake):
                found = item if isinstance(item, SourceFile) else _file(file, item)
                yield intake.own_log(found)
        self._finish(intake)

    def batches(self, *, target_bytes: int) -> Iterator[Batch]:
        """Yield groups of members of about `target_bytes` for worker processes."""
        intake = self._intake(own_logs=self.own_logs)
        entries: list[ZipEntry] = []
        listed: list[SourceFile] = []
        size = 0
        with closing(self._opener()) as file, closing(self._opener()) as data:
            for item in self._listing(file, intake):
                if isinstance(item, SourceFile):
                    listed.append(item)
                elif intake.layout.own_logs:
                    listed.append(intake.own_log(_file(data, item)))
                    size += item.member.size
                else:
                    entries.append(item)
                    size += item.member.size
                if size >= target_bytes or len(entries) + len(listed) >= BATCH_FILES:
                    yield self._batch(entries, listed)
                    entries, listed, size = [], [], 0
        if entries or listed:
            yield self._batch(entries, listed)
        self._finish(intake)

    def _batch(self, entries: list[ZipEntry], listed: list[SourceFile]) -> ZipBatch:
        return ZipBatch(opener=self._opener, entries=tuple(entries), listed=tuple(listed))

    def _intake(self, *, own_logs: bool) -> Intake:
        return Intake(self._place, self._limits, self.label, own_logs=own_logs)

    def _finish(self, intake: Intake) -> None:
        self.notes = tuple(intake.layout.notes)
        intake.finish()

    @property
    def round(self) -> str | None:
        """Return the round that the user, the outer folder or the name says."""
        return self._round or self._shape[1]

    @property
    def own_logs(self) -> bool:
        """Return whether there is no folder of results: the user's own runs."""
        return self._shape[0]

    @cached_property
    def _shape(self) -> tuple[bool, str | None]:
        """Return whether these are own logs, and the round; reads to the first result."""
        intake = self._intake(own_logs=False)
        with closing(self._opener()) as file:
            for member in self._members(file, intake):
                parts = clean_parts(member.name)
                if parts is not None and tree_index(parts[:-1]) is not None:
                    intake.layout.locate(parts)
                    return False, intake.layout.round()
        return True, self._place.round()

    def _members(self, file: BinaryIO, intake: Intake) -> Iterator[ZipMember]:
        try:
            yield from members(file)
        except ZipError as error:
            raise SourceError(
                f"the archive is damaged or cut off: {error}; {intake.budget.read_before()}. "
                "Fetch it again, or name an unpacked folder",
                path=self.label,
            ) from error

    def _listing(self, file: BinaryIO, intake: Intake) -> Iterator[ZipEntry | SourceFile]:
        length = file.seek(0, 2)
        for member in self._members(file, intake):
            if member.kind is Kind.FILE and intake.is_missing_list(member.name):
                yield from self._absent(member, intake)
                continue
            target = self._target(member) if member.kind is Kind.SYMLINK else ""
            entry = intake.entry(member.name, member.size, member.kind, target)
            if entry is None:
                continue
            if entry.problem is not None:
                yield entry.problem
            elif not entry.read:
                yield SourceFile(path=entry.path, size=member.size)
            else:
                intake.budget.count_bytes(member.size)
                intake.budget.check_ratio(produced=intake.budget.bytes, consumed=length)
                yield self._checked(member, entry.path)

    def _checked(self, member: ZipMember, path: str) -> ZipEntry | SourceFile:
        ratio = member.size / max(member.packed, 1)
        if member.refusal is not None:
            return problem_file(path, member.size, "unreadable", member.refusal)
        if ratio > self._limits.max_ratio and member.size > RATIO_FLOOR_BYTES:
            reason = (
                f"unpacks to {ratio:,.0f} times its size; if you trust it, "
                f"raise the {named('max_ratio')}"
            )
            return problem_file(path, member.size, "over-limit", reason)
        return ZipEntry(member, path)

    def _absent(self, member: ZipMember, intake: Intake) -> Iterator[SourceFile]:
        if member.size <= WHOLE_FILE_BYTES and member.refusal is None:
            with closing(self._opener()) as file:
                content = _file(file, ZipEntry(member, member.name)).data
            yield from intake.absent(content or b"")

    def _target(self, member: ZipMember) -> str:
        if member.size > _MAX_LINK_BYTES or member.refusal is not None:
            return ""
        with closing(self._opener()) as file:
            content = _file(file, ZipEntry(member, member.name)).data
        return (content or b"").decode("utf-8", "surrogateescape")


def _file(file: BinaryIO, entry: ZipEntry) -> SourceFile:
    member = entry.member
    pieces = read_pieces(file, member)
    if member.size > WHOLE_FILE_BYTES:
        return SourceFile(path=entry.path, size=member.size, chunks=guarded(pieces, entry.path))
    try:
        return SourceFile(path=entry.path, size=member.size, data=b"".join(pieces))
    except (ZipError, OSError) as error:
        return problem_file(entry.path, member.size, "damaged", f"cannot be unpacked: {error}")
