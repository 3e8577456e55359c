"""The user's own measurements: typed, in a file, or a folder of own logs."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final, TypeVar

from equipoise import facts
from equipoise.advise.quantities import parse_duration_min
from equipoise.errors import DataError, UsageError, locate, printable
from equipoise.structs import dataclass
from equipoise.units import S_PER_MIN

if TYPE_CHECKING:
    from equipoise.catalogue import Catalogue
    from equipoise.domain import Run
    from equipoise.sources.measurements import MeasurementRow

Measured = str | Path | Sequence[tuple[int, float]]
"""`8=180min,16=97min`, pairs of count and minutes, a file, or a folder of own logs."""

RowT = TypeVar("RowT")
TYPED: Final = re.compile(r"\s*(\d{1,9})\s*=\s*([^=,]+?)\s*")
SHOWN: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """One own measurement: never verified by MLCommons."""

    accelerators: int
    time_to_train_min: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnJob:
    """Measurements of one job on one accelerator, and what could not be used."""

    measurements: tuple[Measurement, ...]
    accelerator_id: str | None = None
    """As the file or the logs say; None if they do not."""
    warnings: tuple[str, ...] = ()
    price_usd_per_accelerator_hour: float | None = None
    """What the user pays for it, where the file says so: the median of its rows."""

    @property
    def pairs(self) -> tuple[tuple[int, float], ...]:
        """Return the measurements as (count, minutes)."""
        return tuple((m.accelerators, m.time_to_train_min) for m in self.measurements)


def parse_measured(measured: Measured) -> tuple[Measurement, ...]:
    """Return measurements from `8=180min,16=97min`, from (count, minutes) pairs or a file.

    A bare number is minutes.

    >>> parse_measured("8=3h,16=97")
    (Measurement(accelerators=8, time_to_train_min=180.0), Measurement(accelerators=16, \
time_to_train_min=97.0))

    Raises
    ------
    UsageError
        When an item is not of this form or not above zero.
    DataError
        When a file or a folder holds nothing that can be used.
    """
    return read_own_job(measured).measurements


def own_job_of(
    catalogue: "Catalogue",
    measured: Measured,
    *,
    accelerator: str | None = None,
    like: str | None = None,
) -> OwnJob:
    """Return the user's job; a throughput becomes a time by the benchmark that it is like.

    `T = N / X` with N the median samples to converge of the published results of that
    benchmark and X the measured samples per second; evaluation and start are left out.

    Raises
    ------
    UsageError, DataError
        As `read_own_job`.
    """
    ids = facts.accelerators_matching(accelerator) if accelerator else ()
    return read_own_job(
        measured,
        accelerator_id=ids[0] if len(ids) == 1 else None,
        samples=lambda: None if like is None else typical_samples(catalogue, like),
    )


def read_own_job(
    measured: Measured,
    *,
    accelerator_id: str | None = None,
    samples: Callable[[], float | None] = lambda: None,
) -> OwnJob:
    """Return the measurements of the user's job and what of them could not be used.

    Parameters
    ----------
    measured
        As typed, pairs, a CSV, JSON or Parquet file, or a folder (or archive) of own logs.
    accelerator_id
        Take only measurements on this accelerator, and those that name none.
    samples
        Asked for the samples to converge where only throughput was measured.

    Raises
    ------
    UsageError
        Not understood, or the measurements are of several accelerators or benchmarks.
    DataError
        A file or a folder holds nothing that can be used.
    """
    if isinstance(measured, str | Path):
        if isinstance(measured, str) and all(map(TYPED.fullmatch, measured.split(","))):
            return OwnJob(measurements=parse_typed(measured))
        path = Path(measured)
        if str(measured).strip() and _exists(path):
            read = _of_folder if _holds_logs(path) else _of_file
            return read(path, accelerator_id, samples)
        if isinstance(measured, Path) or "=" not in measured:
            raise UsageError(
                f"own measurements: there is no file {printable(str(measured))!r}; give a file, "
                "a folder of logs, or count=time such as 8=180min,16=97min"
            )
        return OwnJob(measurements=parse_typed(measured))
    pairs = tuple(_checked(n, minutes, f"{n}={minutes}") for n, minutes in measured)
    if not pairs:
        raise UsageError("no own measurement: give at least one, such as 8=180min")
    return OwnJob(measurements=pairs)


def typical_samples(catalogue: "Catalogue", benchmark: str) -> float | None:
    """Return the median samples to converge of a benchmark's closed results, or None."""
    found = facts.benchmark(benchmark)
    known = [
        configuration.samples_to_converge
        for configuration in catalogue.configurations(
            benchmark=found.id, rounds=facts.default_block(found.id).rounds
        )
        if configuration.samples_to_converge is not None
    ]
    return median(known) if known else None


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # longer than any name of a file, or with a NUL
        return False


def _holds_logs(path: Path) -> bool:
    from equipoise.sources.measurements import is_measurement_file

    return not is_measurement_file(path)


def parse_typed(text: str) -> tuple[Measurement, ...]:
    """Return measurements from `8=180min,16=97min` only; never looks for a file."""
    found = []
    for item in text.split(","):
        match = TYPED.fullmatch(item)
        if match is None:
            raise UsageError(
                f"own measurement {printable(item.strip())!r} is not count=time, such as "
                "8=180min or 16=1.5h (decimals with a point)"
            )
        time = match[2] if re.search(r"[a-z]", match[2], re.IGNORECASE) else f"{match[2]}min"
        found.append(_checked(int(match[1]), parse_duration_min(time), item.strip()))
    return tuple(found)


def _checked(accelerators: float, minutes: float, text: str) -> Measurement:
    whole = isinstance(accelerators, int) or float(accelerators).is_integer()
    if not whole or accelerators < 1 or not 0 < minutes < math.inf:
        raise UsageError(
            f"own measurement {printable(text)!r}: the count must be whole, count and time above 0"
        )
    return Measurement(accelerators=int(accelerators), time_to_train_min=float(minutes))


def _of_file(path: Path, accelerator_id: str | None, samples: Callable[[], float | None]) -> OwnJob:
    from equipoise.sources.measurements import read_measurements

    table = read_measurements(path)
    notes = [*table.notes, *(locate(r.reason, r.path, r.line) for r in table.rejections)]
    rows, chosen = _on_one_accelerator(table.rows, lambda row: row.accelerator_id, accelerator_id)
    if len(rows) < len(table.rows):
        notes.append(f"{table.label}: {len(table.rows) - len(rows)} rows are of other accelerators")
    _one_benchmark(row.benchmark for row in rows)
    without_time = [row for row in rows if row.time_to_train_min is None]
    number = samples() if any(row.samples_to_converge is None for row in without_time) else None
    found = []
    for row in rows:
        minutes = _minutes_of(row, number)
        if minutes is None:
            text = "a throughput alone is no time: add samples_to_converge, or say which benchmark"
            notes.append(locate(f"{text} the job is like", table.label, row.line))
        else:
            point = Measurement(accelerators=row.accelerators, time_to_train_min=minutes)
            found.append(point)
    if without_time and any(_minutes_of(row, number) is not None for row in without_time):
        notes.append(
            f"{table.label}: times worked out as samples to converge / throughput leave out "
            "evaluation and start"
        )
    prices = [p for row in rows if (p := row.price_usd_per_accelerator_hour) is not None]
    if len(set(prices)) > 1:
        notes.append(f"{table.label}: {len(set(prices))} different prices; their median counts")
    job = _job(found, chosen, notes, str(path))
    return replace(job, price_usd_per_accelerator_hour=median(prices) if prices else None)


def _minutes_of(row: "MeasurementRow", samples: float | None) -> float | None:
    """Return the time of a row, `T = N / X` where only a throughput was measured."""
    if row.time_to_train_min is not None:
        return row.time_to_train_min
    number = row.samples_to_converge if row.samples_to_converge is not None else samples
    if number is None or row.throughput_samples_per_s is None:
        return None
    return number / row.throughput_samples_per_s / S_PER_MIN


def _of_folder(
    path: Path, accelerator_id: str | None, _samples: Callable[[], float | None]
) -> OwnJob:
    """Return the successful runs of a folder of own logs as measurements."""
    from equipoise.sources.assemble import OWN_ROUND, read_round
    from equipoise.sources.containers import open_source

    data = read_round(open_source(path), round=OWN_ROUND)
    systems = {(system.submitter, system.system_id): system for system in data.systems}
    notes = [*data.notes, *(locate(r.reason, r.path, r.line) for r in data.rejections if r.path)]
    usable: list[tuple[Run, int, str | None]] = []
    uncounted: dict[str, None] = {}
    for run in data.runs:
        system = systems.get((run.submitter, run.system_id))
        if not run.success or run.time_to_train_min is None or run.duplicate_of is not None:
            continue
        if system is None or not system.accelerators:
            uncounted[run.system_id] = None
            continue
        usable.append((run, system.accelerators, system.accelerator_id))
    if uncounted:
        named = ", ".join(printable(name) for name in list(uncounted)[:SHOWN])
        notes.append(f"{path.name}: runs of {named}: the number of accelerators is unknown")
    rows, chosen = _on_one_accelerator(usable, lambda item: item[2], accelerator_id)
    if len(rows) < len(usable):
        notes.append(f"{path.name}: {len(usable) - len(rows)} runs are on other accelerators")
    _one_benchmark(run.benchmark for run, _, _ in rows)
    found = [
        Measurement(accelerators=count, time_to_train_min=run.time_to_train_min)
        for run, count, _ in rows
        if run.time_to_train_min is not None
    ]
    return _job(found, chosen, notes, str(path))


def _on_one_accelerator(
    rows: Sequence[RowT], of: Callable[[RowT], str | None], wanted: str | None
) -> tuple[list[RowT], str | None]:
    """Return the rows on the wanted accelerator, else the only one there is."""
    ids = dict.fromkeys(found for row in rows if (found := of(row)) is not None)
    if wanted is not None:
        kept = [row for row in rows if of(row) in {None, wanted}]
        if rows and not kept:
            raise UsageError(f"no own measurement is on {wanted}; they are on {', '.join(ids)}")
        return kept, wanted
    if len(ids) > 1:
        raise UsageError(f"own measurements on several accelerators: {', '.join(ids)}; say which")
    return list(rows), next(iter(ids), None)


def _one_benchmark(names: Iterable[str | None]) -> None:
    counts = Counter(name for name in names if name is not None)
    if len(counts) > 1:
        shown = ", ".join(f"{printable(name)} ({n})" for name, n in counts.most_common(SHOWN))
        raise UsageError(f"own measurements of several benchmarks: {shown}; give one at a time")


def _job(
    found: Sequence[Measurement], accelerator_id: str | None, notes: Sequence[str], path: str
) -> OwnJob:
    warnings = tuple(dict.fromkeys(notes))
    if not found:
        reasons = "; ".join(warnings[:SHOWN]) or "nothing measured"
        raise DataError(f"no own measurement can be used: {reasons}", path=path)
    ordered = sorted(found, key=lambda m: (m.accelerators, m.time_to_train_min))
    return OwnJob(measurements=tuple(ordered), accelerator_id=accelerator_id, warnings=warnings)
