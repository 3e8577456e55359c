"""Tables of own measurements -> an unverified round, so that they stand beside published ones."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from statistics import median
from typing import Final

from equipoise import facts
from equipoise.domain import UNVERIFIED_DIVISION, Rejection, Run, Score, System
from equipoise.errors import DataError, locate, printable
from equipoise.sources.assemble import OWN_ROUND
from equipoise.sources.base import RoundData
from equipoise.sources.containers.names import OWN_SUBMITTER
from equipoise.sources.measurements import MeasurementRow, MeasurementTable, read_measurements
from equipoise.sources.scoring import Folder, score_of
from equipoise.units import S_PER_MIN

DERIVED_TIME: Final = (
    "time worked out as samples to converge / throughput, so without evaluation and start"
)


def measured_round(
    table: MeasurementTable,
    *,
    round: str | None = None,  # noqa: A002 (the word of the domain)
    benchmark: str | None = None,
) -> RoundData:
    """Return measurements as an unverified round: systems, runs and scores.

    Rows of the same label, accelerator, count and benchmark are runs of one configuration.

    Parameters
    ----------
    table
        The measurements.
    round
        The round to put them beside; `own` without.
    benchmark
        Canonical id for the rows that name none.

    Raises
    ------
    DataError
        No row says a benchmark and a time.
    """
    name = round or OWN_ROUND
    rejections = [replace(entry, round=name) for entry in table.rejections]
    grouped: dict[tuple[str, str], list[tuple[MeasurementRow, Run]]] = defaultdict(list)
    for index, row in enumerate(table.rows, start=1):
        task = row.benchmark or benchmark
        run, code, reason = _measured_run(row, table.label, name, task, row.line or index)
        if run is None:
            rejections.append(
                Rejection(round=name, path=table.label, line=row.line, code=code, reason=reason)
            )
        else:
            grouped[run.system_id, run.benchmark].append((row, run))
    if not grouped:
        first = rejections[0]
        raise DataError(f"no row can be used: {locate(first.reason, first.path, first.line)}")
    systems: dict[str, System] = {}
    scores = []
    for (system_id, _), members in sorted(grouped.items(), key=lambda item: item[0]):
        system = systems.setdefault(system_id, _measured_system(members[0][0], system_id, name))
        scores.append(_measured_score(members, system))
    return RoundData(
        round=name,
        source=table.label,
        systems=tuple(systems.values()),
        runs=tuple(run for members in grouped.values() for _, run in members),
        scores=tuple(scores),
        rejections=tuple(rejections),
        notes=table.notes,
        bytes=table.bytes,
        files=1,
    )


def read_measured_round(
    path: str | Path,
    *,
    round: str | None = None,  # noqa: A002
    benchmark: str | None = None,
) -> RoundData:
    """Read a file of measurements as an unverified round."""
    named = None if benchmark is None else facts.benchmark(benchmark).id
    return measured_round(read_measurements(Path(path)), round=round, benchmark=named)


def _measured_run(
    row: MeasurementRow, label: str, round_name: str, benchmark: str | None, place: int
) -> tuple[Run | None, str, str]:
    """Return a row as a run, or the code and the reason why it is none."""
    if benchmark is None:
        reason = "says no benchmark: add a column benchmark, or give --benchmark"
        return None, "no-benchmark", reason
    minutes, rate = row.time_to_train_min, row.throughput_samples_per_s
    warnings: tuple[str, ...] = ()
    if minutes is None and rate is not None and row.samples_to_converge is not None:
        minutes = row.samples_to_converge / rate / S_PER_MIN
        warnings = (locate(DERIVED_TIME, label, row.line),)
    if minutes is None:
        reason = "a throughput alone is no time to train: add a time or samples_to_converge"
        return None, "no-time", reason
    system_id, folder = _system_id(row, label), _as_folder(benchmark)
    path = f"{OWN_SUBMITTER}/results/{system_id}/{folder}/{_as_folder(label)}:{place}"
    run = Run(
        round=round_name,
        submitter=OWN_SUBMITTER,
        system_id=system_id,
        benchmark=benchmark,
        benchmark_folder=folder,
        path=path,
        time_to_train_min=minutes,
        success=True,
        samples_to_converge=row.samples_to_converge,
        throughput_samples_per_s=rate,
        throughput_source=None if rate is None else "logged",
        warnings=warnings,
    )
    return run, "", ""


def _system_id(row: MeasurementRow, label: str) -> str:
    """Return a name that tells configurations apart, also between files of one label."""
    stem = PurePosixPath(label).stem
    base = _as_folder(f"{stem}-{row.label}" if row.label not in {None, stem} else stem)
    kind = row.accelerator_id or row.accelerator_model
    return f"{base}-{row.accelerators}" + (f"x{_as_folder(kind)}" if kind else "")


def _as_folder(text: str) -> str:
    return printable(text.strip()).replace("/", "-")


def _measured_system(row: MeasurementRow, system_id: str, round_name: str) -> System:
    return System(
        round=round_name,
        submitter=OWN_SUBMITTER,
        system_id=system_id,
        system_name=row.label,
        division=UNVERIFIED_DIVISION,
        accelerators=row.accelerators,
        accelerator_id=row.accelerator_id,
        accelerator_model=row.accelerator_model,
    )


def _measured_score(members: Sequence[tuple[MeasurementRow, Run]], system: System) -> Score:
    runs = tuple(run for _, run in members)
    first = runs[0]
    identity = Score(
        round=first.round,
        submitter=first.submitter,
        system_id=first.system_id,
        benchmark=first.benchmark,
        benchmark_folder=first.benchmark_folder,
        division=UNVERIFIED_DIVISION,
    )
    folder = Folder(path=str(PurePosixPath(first.path).parent), runs=runs, verdicts={})
    score, _ = score_of(folder, identity, system)
    samples = [row.samples_to_converge for row, _ in members]
    return replace(score, samples_to_converge=_median(samples))


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None
