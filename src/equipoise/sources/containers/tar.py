"""A tar archive, plain or compressed: streamed, never unpacked to disk."""

from collections.abc import Iterator
from contextlib import closing
from functools import cached_property

from equipoise.errors import SourceError
from equipoise.sources.base import CHUNK_BYTES, WHOLE_FILE_BYTES, MemoryBatch, SourceFile
from equipoise.sources.containers.intake import BATCH_FILES, Intake, Kind, guarded, problem_file
from equipoise.sources.containers.limits import Limits
from equipoise.sources.containers.names import Place, clean_parts, tree_index
from equipoise.sources.containers.streams import Opener, pieces, read_ahead
from equipoise.sources.containers.tarwalk import Member, TarError, TarWalk


class TarSource:
    """Read a tar archive through an opener, so that it may lie anywhere."""

    revision: str | None = None

    def __init__(
        self,
        opener: Opener,
        *,
        codec: str | None,
        label: str,
        name: str,
        limits: Limits,
        round_name: str | None = None,
    ) -> None:
        self.label = label
        self.kind = "tar" if codec is None else f"tar.{codec}"
        self._opener, self._codec, self._limits = opener, codec, limits
        self._place = Place(name=name)
        self._round = round_name
        self.notes: tuple[str, ...] = ()
        """What the user should know about this source; complete after reading."""

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
        stream = pieces(self._opener, self._codec, intake.budget)
        try:
            for member in TarWalk(stream).members():
                intake.budget.count_file(member.name)
                parts = clean_parts(member.name)
                if parts is not None and tree_index(parts[:-1]) is not None:
                    intake.layout.locate(parts)
                    return False, intake.layout.round()
        except TarError as error:
            raise self._broken(intake, str(error)) from error
        finally:
            stream.close()
        return True, self._place.round()

    def files(self) -> Iterator[SourceFile]:
        """Yield every file of results in the order of the archive.

        Raises
        ------
        SourceError
            When the archive is damaged, cut off, over the limits or without results.
        """
        intake = self._intake(own_logs=self.own_logs)
        with closing(read_ahead(pieces(self._opener, self._codec, intake.budget))) as stream:
            yield from self._walk(stream, intake)
        self.notes = tuple(intake.layout.notes)
        intake.finish()

    def batches(self, *, target_bytes: int) -> Iterator[MemoryBatch]:
        """Yield groups of files with their bytes, for worker processes.

        Decompressed here without the thread that `files` uses: the cores are busy with the
        workers, and a process with a thread cannot start workers by fork.
        """
        intake = self._intake(own_logs=self.own_logs)
        members: list[SourceFile] = []
        size = 0
        with closing(pieces(self._opener, self._codec, intake.budget)) as stream:
            for file in self._walk(stream, intake):
                if file.chunks is not None:
                    yield MemoryBatch(members=(file,))
                    continue
                members.append(file)
                size += len(file.data or b"")
                if size >= target_bytes or len(members) >= BATCH_FILES:
                    yield MemoryBatch(members=tuple(members))
                    members, size = [], 0
        if members:
            yield MemoryBatch(members=tuple(members))
        self.notes = tuple(intake.layout.notes)
        intake.finish()

    def _intake(self, *, own_logs: bool) -> Intake:
        return Intake(self._place, self._limits, self.label, own_logs=own_logs)

    def _walk(self, stream: Iterator[bytes], intake: Intake) -> Iterator[SourceFile]:
        walk = TarWalk(stream)
        try:
            for member in walk.members():
                yield from self._member(walk, member, intake)
        except TarError as error:
            raise self._broken(intake, str(error)) from error
        if not walk.complete and intake.budget.files:
            reason = f"no mark for the end of the archive: {intake.budget.read_before()}"
            yield problem_file(self.label, 0, "archive-cut-off", reason)

    def _member(self, walk: TarWalk, member: Member, intake: Intake) -> Iterator[SourceFile]:
        if member.kind is Kind.FILE and intake.is_missing_list(member.name):
            if member.size <= WHOLE_FILE_BYTES:
                yield from intake.absent(walk.data())
            return
        entry = intake.entry(member.name, member.size, member.kind, member.target)
        if entry is None:
            return
        if entry.problem is not None:
            yield entry.problem
        elif not entry.read:
            yield SourceFile(path=entry.path, size=member.size)
        elif member.size > WHOLE_FILE_BYTES:
            chunks = guarded(walk.chunks(CHUNK_BYTES), self.label)
            yield SourceFile(path=entry.path, size=member.size, chunks=chunks)
        else:
            yield intake.own_log(SourceFile(path=entry.path, size=member.size, data=walk.data()))

    def _broken(self, intake: Intake, reason: str) -> SourceError:
        if intake.budget.files == 0:
            text = f"cannot be read as an archive: {reason}; expected .tar (.gz, .xz, .bz2, .zst)"
        else:
            text = (
                f"the archive is damaged or cut off: {reason}; {intake.budget.read_before()}. "
                "Fetch it again, or unpack what is whole and name the folder"
            )
        return SourceError(text, path=self.label)
