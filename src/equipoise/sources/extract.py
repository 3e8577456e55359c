"""One file of a round -> the few facts of it that are kept; runs in worker processes."""

from collections.abc import Iterable
from dataclasses import field, replace
from functools import lru_cache
from typing import Final

from equipoise.domain import VERIFIED_DIVISIONS, Rejection, Run, System
from equipoise.errors import UnknownNameError
from equipoise.facts import benchmark, benchmark_of_folder
from equipoise.sources.base import SourceFile, needs_bytes
from equipoise.sources.factors import Factor, read_factor
from equipoise.sources.jsontext import MAX_JSON_BYTES
from equipoise.sources.layout import FilePlace, Kind, place_of
from equipoise.sources.logs import LogFacts, read_log
from equipoise.sources.power import PowerFile, read_power
from equipoise.sources.runs import Place, Verdict, make_run
from equipoise.sources.systems import link_target, read_system
from equipoise.structs import dataclass

NOT_A_SCORE_FACTOR: Final = "bad-scaling-factor"


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What a worker must know besides the files."""

    round: str
    unverified: bool = False
    """Whether the logs are the user's own runs."""
    keep_raw: bool = False


@dataclass(slots=True)
class Extracted:
    """Facts of some files, small and picklable."""

    systems: list[System] = field(default_factory=list)
    entries: list[System] = field(default_factory=list)
    """Systems described in the results folder, used where `systems/` has none."""
    links: list[tuple[FilePlace, str]] = field(default_factory=list)
    """Descriptions that only name another one."""
    runs: list[tuple[Run, Verdict]] = field(default_factory=list)
    undecided: list[tuple[Place, LogFacts]] = field(default_factory=list)
    """Logs that do not say their division: to be judged once the system is known."""
    nested: list[Run] = field(default_factory=list)
    factors: list[tuple[FilePlace, Factor]] = field(default_factory=list)
    power: list[PowerFile] = field(default_factory=list)
    others: list[FilePlace] = field(default_factory=list)
    unread: list[FilePlace] = field(default_factory=list)
    """Files whose bytes cannot be had."""
    rejections: list[Rejection] = field(default_factory=list)
    bytes: int = 0
    files: int = 0

    def add(self, other: "Extracted") -> None:
        """Take over the facts of other files."""
        for name in self.__slots__:
            mine, theirs = getattr(self, name), getattr(other, name)
            if isinstance(mine, list):
                mine.extend(theirs)
            else:
                setattr(self, name, mine + theirs)


def extract(files: Iterable[SourceFile], task: Task) -> Extracted:
    """Return the facts of some files; a bad file becomes a rejection, never an exception."""
    found = Extracted()
    for file in files:
        extract_into(found, file, task)
    return found


def extract_into(found: Extracted, file: SourceFile, task: Task) -> None:
    """Add the facts of one file."""
    has_bytes = file.data is not None or file.chunks is not None
    path = writable(file.path)
    place = place_of(path, any_log=has_bytes and not needs_bytes(path))
    if file.problem is not None:
        if place.kind is not Kind.OTHER or needs_bytes(path):
            found.unread.append(place)
        found.rejections.append(_reject(task, path, file.problem_code, file.problem))
        return
    if has_bytes:
        found.bytes += file.size
        found.files += 1
    if not has_bytes or place.kind is Kind.OTHER:
        found.others.append(place)
        return
    if place.kind in {Kind.LOG, Kind.NESTED}:
        _log(file, place, task, found)
    elif place.kind is Kind.POWER:
        found.power.append(read_power(file.pieces(), place, round_name=task.round))
    else:
        _description(_beginning(file), place, task, found)


def writable(path: str) -> str:
    r"""Return a path that can be written as UTF-8: bytes of no character as `\udc..`.

    >>> writable("A/caf\udce9")
    'A/caf\\udce9'
    """
    if path.isascii():
        return path
    return path.encode("utf-8", "backslashreplace").decode("utf-8")


def _beginning(file: SourceFile) -> bytes:
    """Return the content, of a file too large for a description only so much as shows it."""
    pieces: list[bytes] = []
    size = 0
    for piece in file.pieces():
        pieces.append(piece)
        size += len(piece)
        if size > MAX_JSON_BYTES:
            break
    return b"".join(pieces)


def _log(file: SourceFile, place: FilePlace, task: Task, found: Extracted) -> None:
    log = read_log(file.pieces(), size=file.size)
    where = Place(
        round=task.round,
        submitter=place.submitter,
        system_id=place.system_id,
        benchmark=benchmark_id(task.round, place.folder, log),
        benchmark_folder=place.folder,
        path=place.path,
    )
    if place.kind is Kind.NESTED:
        found.nested.append(make_run(log, where)[0])
        return
    division = (log.text("submission_division") or "").strip().lower()
    if task.unverified:
        from equipoise.sources.own_names import own_run

        run, verdict = own_run(log, where)
    elif division in VERIFIED_DIVISIONS:
        run, verdict = make_run(log, where)
    else:
        found.undecided.append((where, replace(log, lines=log.lines.settled())))
        return
    found.runs.append((run, verdict))


def benchmark_id(round_name: str, folder: str, log: LogFacts | None = None) -> str:
    """Return the canonical id of a folder; an unknown benchmark keeps its folder's name.

    >>> benchmark_id("v4.1", "ssd"), benchmark_id("v9.0", "new_task")
    ('retinanet', 'new_task')
    """
    return _benchmark_id(round_name, folder, log and log.text("submission_benchmark"))


@lru_cache(maxsize=4096)
def _benchmark_id(round_name: str, folder: str, logged: str | None) -> str:
    names = [folder, folder.rpartition("/")[2]]
    if logged is not None:
        names.append(logged)
    for name in names:
        try:
            known = benchmark_of_folder(round_name, name)
        except UnknownNameError:
            break
        if known is not None:
            return known.id
    return alias_of_folder(folder) or folder


def alias_of_folder(folder: str) -> str | None:
    """Return the benchmark that the name of a folder is another name of, None if of none.

    >>> alias_of_folder("ResNet-50"), alias_of_folder("new_task")
    ('resnet', None)
    """
    try:
        return benchmark(folder.rpartition("/")[2]).id
    except UnknownNameError:
        return None


def _description(data: bytes, place: FilePlace, task: Task, found: Extracted) -> None:
    if place.kind is Kind.SCALING:
        _factor(data, place, task, found)
        return
    target = link_target(data)
    if target is not None:
        found.links.append((place, target))
        return
    system, rejections = read_system(
        data,
        round_name=task.round,
        submitter=place.submitter,
        system_id=place.system_id,
        path=place.path,
        keep_raw=task.keep_raw,
    )
    (found.entries if place.kind is Kind.ENTRY else found.systems).append(system)
    found.rejections.extend(rejections)


def _factor(data: bytes, place: FilePlace, task: Task, found: Extracted) -> None:
    factor = read_factor(data, place.path)
    if factor.problem is not None:
        rejection = _reject(task, place.path, NOT_A_SCORE_FACTOR, factor.problem, factor.line)
        found.rejections.append(rejection)
    found.factors.append((place, factor))


def _reject(task: Task, path: str, code: str, reason: str, line: int | None = None) -> Rejection:
    return Rejection(round=task.round, path=path, line=line, code=code, reason=reason)
