"""A tar archive, plain or compressed: streamed once, never unpacked to disk."""

from collections.abc import Iterator
from contextlib import closing

from equipoise.errors import SourceError
from equipoise.sources.base import CHUNK_BYTES, WHOLE_FILE_BYTES, SourceFile
from equipoise.sources.containers.intake import Intake, Kind, guarded, problem_file
from equipoise.sources.containers.limits import Limits
from equipoise.sources.containers.names import Place, clean_parts, round_of_name
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
        self.round = round_name or self._inner_round() or self._place.round()
        self.notes: tuple[str, ...] = ()
        """What the user should know about this source; complete after reading."""

    def files(self) -> Iterator[SourceFile]:
        """Yield every file of results in the order of the archive.

        Raises
        ------
        SourceError
            When the archive is damaged, cut off, over the limits or without results.
        """
        intake = Intake(self._place, self._limits, self.label)
        yield from self._pass(intake)
        if intake.useful == 0 and intake.layout.prefix is None and intake.budget.files:
            # No folder of results anywhere: what it holds may be the user's own logs.
            intake = Intake(self._place, self._limits, self.label, own_logs=True)
            yield from self._pass(intake)
        self.notes = tuple(intake.layout.notes)
        intake.finish()

    def _pass(self, intake: Intake) -> Iterator[SourceFile]:
        stream = read_ahead(pieces(self._opener, self._codec, intake.budget))
        with closing(stream):  # type: ignore[type-var]
            walk = TarWalk(stream, self._limits)
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

    def _inner_round(self) -> str | None:
        """Return the round that the first folder of the archive says."""
        intake = Intake(self._place, self._limits, self.label)
        with closing(pieces(self._opener, self._codec, intake.budget)) as stream:  # type: ignore[type-var]
            try:
                first = next(TarWalk(stream, self._limits).members(), None)
            except TarError as error:
                raise self._broken(intake, str(error)) from error
        parts = clean_parts(first.name) if first else None
        return round_of_name(parts[0]) if parts and len(parts) > 1 else None
