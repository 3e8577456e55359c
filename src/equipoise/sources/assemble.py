"""Put the files of one round together: systems, runs, scores, and what was not used.

Files may come in any order. Of each only the extracted facts are kept, so memory stays
flat; grouping happens at the end and does not depend on the order or on the number of
workers.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import PurePosixPath
from sys import intern
from typing import Final

from equipoise.domain import UNVERIFIED_DIVISION, Rejection, Run, Score, System
from equipoise.errors import UnknownNameError, printable
from equipoise.facts import benchmark, benchmark_of_folder
from equipoise.sources.base import RoundData, Source
from equipoise.sources.containers.names import OWN_SUBMITTER
from equipoise.sources.copies import originals
from equipoise.sources.energy import energy_of
from equipoise.sources.extract import Extracted, Task, benchmark_id
from equipoise.sources.factors import NO_SCALING, Factor
from equipoise.sources.layout import POWER_FOLDER, FilePlace, Kind, folder_of, natural_key
from equipoise.sources.parallel import Extractor, extract_all
from equipoise.sources.power import PowerFile
from equipoise.sources.runs import make_run, with_accelerators
from equipoise.sources.scoring import Folder, NoScore, score_of
from equipoise.sources.verdict import REMEDIES, Verdict
from equipoise.structs import dataclass

OWN_ROUND: Final = "own"
"""Name of the round of runs that belong to none."""

_NO_ROUND: Final = (
    "laid out as a round, but no name says which: read as own runs, unverified, without the "
    "rules of a round; give --round if it is one"
)

ROUND_NOTES: Final[Mapping[str, str]] = {
    "v1.1": (
        "the rule files of mlperf-logging for v1.1 demand weights_initialization records of "
        "every tensor; 76 published results log none or others, and its summarizer gives them "
        "no score today. They are scored here as published, by the times and quality of their runs"
    ),
    "v2.1": (
        "the rule file of mlperf-logging for bert of v2.1 demands opt_lamb_epsilon, where the logs "
        "of that round have opt_epsilon, and its summarizer gives the 40 published results no "
        "score today; they are scored here as published"
    ),
    "v3.0": (
        "mlperf-logging's summarizer gives no score today for bert of Lenovo's "
        "SR670v2_4xA100_SXM4_40GB_400W, whose logs of the round before lack opt_lamb_epsilon; "
        "it is scored here as published"
    ),
    "v0.6": (
        "mlperf-logging's summarizer takes the seconds of v0.6 logs for milliseconds and demands "
        "records that published logs lack; scores here are in minutes, as published"
    ),
}
"""Where scores differ from what the official summarizer prints today, and why."""

_Key = tuple[str, str, str]
_NAMES_SHOWN: Final = 6


def read_round(
    source: Source,
    *,
    round: str | None = None,  # noqa: A002 (the word of the domain)
    workers: int = 1,
    progress: Callable[[int, int | None], None] | None = None,
    keep_raw: bool = False,
    extractor: Extractor = extract_all,
) -> RoundData:
    """Read one round, or a part of one, into systems, runs, scores and rejections.

    Parameters
    ----------
    source
        Where the files are.
    round
        Name of the round when the source does not say it (or says it wrongly).
    workers
        Processes that read.
    progress
        Called with the bytes read so far and their total, if known.
    keep_raw
        Whether systems keep their raw description.
    extractor
        What reads the files: processes here, or the workers of a cluster.

    Returns
    -------
    RoundData
        The same whatever the order of the files and the number of workers.

    Raises
    ------
    SourceError
        The source as a whole cannot be read.
    """
    name = round or source.round or OWN_ROUND
    unverified = name == OWN_ROUND or bool(getattr(source, "own_logs", False))
    task = Task(round=name, unverified=unverified, keep_raw=keep_raw)
    found = extractor(source, task, workers=workers, progress=progress)
    assembly = _Assembly(task, found)
    assembly.build()
    known = [ROUND_NOTES[name]] if name in ROUND_NOTES else []
    if not (round or source.round or getattr(source, "own_logs", False)):
        known.append(_NO_ROUND)
    notes = (*getattr(source, "notes", ()), *known, *assembly.notes)
    return RoundData(
        round=name,
        source=source.label,
        systems=tuple(assembly.systems[key] for key in sorted(assembly.systems)),
        runs=tuple(assembly.runs),
        scores=tuple(assembly.scores),
        rejections=tuple(sorted(set(assembly.rejections), key=_rejection_key)),
        notes=tuple(dict.fromkeys(notes)),
        bytes=found.bytes,
        files=found.files,
    )


@dataclass(slots=True)
class _Assembly:
    """The grouping of one round's facts."""

    task: Task
    found: Extracted
    systems: dict[tuple[str, str], System] = field(default_factory=dict)
    runs: list[Run] = field(default_factory=list)
    scores: list[Score] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    """Path of a failed run -> why it fails."""
    paths: dict[_Key, str] = field(default_factory=dict)
    """Folders without a run that could be read."""
    unmeasured: dict[_Key, set[str]] = field(default_factory=dict)
    """Runs of which a power file cannot be read."""
    places: dict[str, int] = field(default_factory=dict)
    """Path of a log -> its place among the runs."""

    def build(self) -> None:
        """Fill the lists."""
        self.rejections.extend(self.found.rejections)
        if self.task.unverified:
            from equipoise.sources.own import settle

            self.notes.extend(settle(self.found, self.task.round))
        self._collect_systems()
        self._collect_runs()
        self._collect_scores()
        self._note_nested()
        self._note_others()

    def _collect_systems(self) -> None:
        for system in (*self.found.entries, *self.found.systems):
            key = system.submitter, system.system_id
            own = self.task.unverified or system.submitter == OWN_SUBMITTER
            self.systems[key] = replace(system, division=UNVERIFIED_DIVISION) if own else system
        for place, target in self.found.links:
            self._follow(place, target)

    def _follow(self, place: FilePlace, target: str) -> None:
        """Describe a system by the file that its own file only names."""
        system_id = PurePosixPath(target).name.removesuffix(".json")
        aim = self.systems.get((place.submitter, system_id))
        if aim is None:
            reason = (
                f"only names {printable(target)!r}, and there is no such description; "
                "put the description here"
            )
            self._reject(place.path, "broken-link", reason, 1)
            return
        self.systems[place.submitter, place.system_id] = replace(
            aim, system_id=place.system_id, path=place.path
        )

    def _collect_runs(self) -> None:
        runs = [*self.found.runs]
        for where, log in self.found.undecided:
            system = self.systems.get((where.submitter, where.system_id))
            division = None if system is None else system.division
            run, verdict = make_run(log, where, division=division)
            runs.append((run, verdict))
        runs.sort(key=lambda pair: _run_key(pair[0]))
        ordered = [run for run, _ in runs]
        first = originals(ordered)
        for index, (found, verdict) in enumerate(runs):
            original = ordered[first[index]]
            system = self.systems.get((found.submitter, found.system_id))
            run = with_accelerators(found, None if system is None else system.accelerators)
            if original is not found:
                run = replace(run, duplicate_of=f"{original.round}:{original.path}")
            self.places[run.path] = len(self.runs)
            self.runs.append(run)
            if run.failure is not None:
                self.verdicts[run.path] = verdict
                reason = intern(f"{verdict.reason}; {REMEDIES[run.failure]}")  # often the same
                self._reject(run.path, run.failure, reason, verdict.line)

    def _collect_scores(self) -> None:
        by_folder: dict[_Key, list[Run]] = defaultdict(list)
        for run in self.runs:
            by_folder[run.submitter, run.system_id, run.benchmark_folder].append(run)
        unread: dict[_Key, int] = defaultdict(int)
        unknown_factor: set[_Key] = set()
        for place in (*self.found.others, *self.found.unread):
            self.paths[place.configuration] = folder_of(place.path)
        for place, _ in self.found.factors:
            self.paths[place.configuration] = folder_of(place.path)
        for place in self.found.unread:
            if place.kind is Kind.LOG:
                unread[place.configuration] += 1
            elif place.kind is Kind.SCALING:
                unknown_factor.add(place.configuration)
            elif place.kind is Kind.POWER:
                self.unmeasured.setdefault(place.configuration, set()).add(place.result)
        factors = {place.configuration: factor for place, factor in self.found.factors}
        factors.update(dict.fromkeys(unknown_factor, Factor()))
        power: dict[_Key, list[PowerFile]] = defaultdict(list)
        for file in self.found.power:
            power[file.place.configuration].append(file)
        keys = by_folder.keys() | unread.keys() | self._empty_folders()
        for key in sorted(keys, key=lambda k: tuple(map(natural_key, k))):
            self._score(
                key, by_folder.get(key, []), unread.get(key, 0), factors, power.get(key, [])
            )

    def _empty_folders(self) -> set[_Key]:
        """Return folders of a known benchmark in which no file counts as a run."""
        places = [place for place, _ in self.found.factors]
        places += [place for place in self.found.others if place.folder]
        return {
            place.configuration
            for place in places
            if "/" not in place.folder and _is_benchmark(self.task.round, place.folder)
        }

    def _note_unknown(self, identity: Score) -> None:
        """Say that a benchmark is in no fact table; its runs are read all the same."""
        try:
            benchmark(identity.benchmark)
        except UnknownNameError:
            self.notes.append(
                f"unknown benchmark {printable(identity.benchmark)!r}: read under the name of its "
                "folder, without a quality target"
            )

    def _score(
        self,
        key: _Key,
        runs: Sequence[Run],
        unread: int,
        factors: Mapping[_Key, Factor],
        power: Sequence[PowerFile],
    ) -> None:
        submitter, system_id, folder_name = key
        system = self.systems.get((submitter, system_id))
        path = folder_of(runs[0].path) if runs else self.paths[key]
        identity = Score(
            round=self.task.round,
            submitter=submitter,
            system_id=system_id,
            benchmark=runs[0].benchmark if runs else benchmark_id(self.task.round, folder_name),
            benchmark_folder=folder_name,
            division=UNVERIFIED_DIVISION if self.task.unverified else None,
        )
        self._note_unknown(identity)
        absent = {
            p.result for p in self.found.unread if p.kind is Kind.POWER and p.configuration == key
        }
        factor = factors.get(key, NO_SCALING)
        energy = energy_of(runs, power, factor=factor.value, identity=identity, absent=absent)
        runs = [self._with_energy(run, energy.run_kj) for run in runs]
        folder = Folder(
            path=path,
            runs=tuple(runs),
            verdicts=self.verdicts,
            unread=unread,
            factor=factor.value,
            energy_kj=energy.score_kj,
            warnings=(*factor.warnings, *energy.warnings),
        )
        score, missing = score_of(folder, identity, system)
        self.scores.append(score)
        if missing is not None:
            self._no_score(path, missing)

    def _with_energy(self, run: Run, energies: Mapping[str, float]) -> Run:
        if run.path not in energies:
            return run
        measured = replace(run, energy_kj=energies[run.path])
        self.runs[self.places[run.path]] = measured
        return measured

    def _no_score(self, path: str, missing: NoScore) -> None:
        self._reject(path, missing.code, missing.reason)

    def _note_nested(self) -> None:
        """Say what is in folders below a benchmark's folder, which the official rule skips."""
        stamps = {(run.start_ms, run.stop_ms): folder_of(run.path) for run in self.runs}
        folders: dict[str, list[Run]] = defaultdict(list)
        for run in self.found.nested:
            folders[folder_of(run.path)].append(run)
        for folder, runs in sorted(folders.items()):
            same = {stamps.get((run.start_ms, run.stop_ms)) for run in runs}
            count = f"{len(runs)} result files in a folder inside a benchmark's folder"
            if None not in same and len(same) == 1:
                reason = f"repeats {same.pop()}: {count} are not read"
            else:
                reason = f"{count} belong to no configuration"
            self._reject(folder, "nested-folder", reason)
            self._warn_parent(folder, reason)

    def _warn_parent(self, folder: str, reason: str) -> None:
        parent = folder_of(folder)
        for index, score in enumerate(self.scores):
            place = f"{score.submitter}/results/{score.system_id}/{score.benchmark_folder}"
            if place == parent:
                text = f"{printable(folder)}: {reason}"
                self.scores[index] = replace(score, warnings=(*score.warnings, text))

    def _note_others(self) -> None:
        """Name the files that were passed over, folder by folder."""
        folders: dict[str, list[str]] = defaultdict(list)
        for place in self.found.others:
            parts = place.path.split("/")
            if "results" in parts and POWER_FOLDER not in parts:
                folders[folder_of(place.path)].append(parts[-1])
        for folder, names in sorted(folders.items()):
            names.sort(key=natural_key)
            shown = ", ".join(printable(name) for name in names[:_NAMES_SHOWN])
            more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
            self.notes.append(f"{printable(folder)}: ignored {shown}{more} (not result_*.txt)")

    def _reject(self, path: str, code: str, reason: str, line: int | None = None) -> None:
        self.rejections.append(
            Rejection(round=self.task.round, path=path, line=line, code=code, reason=reason)
        )


def _is_benchmark(round_name: str, folder: str) -> bool:
    try:
        return benchmark_of_folder(round_name, folder) is not None
    except UnknownNameError:
        return False


def _run_key(run: Run) -> tuple[tuple[tuple[int, str], ...], ...]:
    folder, _, name = run.path.rpartition("/")  # both occur again and again: their keys are kept
    names = (run.submitter, run.system_id, run.benchmark_folder, folder, name)
    return tuple(map(natural_key, names))


def _rejection_key(rejection: Rejection) -> tuple[str, int, str, str]:
    return rejection.path, rejection.line or 0, rejection.code, rejection.reason
