"""Read one training log into the few facts that matter.

Keys are compared exactly; a line whose metadata merely mentions `run_stop` is none. The
first `run_stop` counts and the last `run_start` before it. Stamps of other records never
set the time of a run, and a damaged line costs no more than its own record.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any, Final, NamedTuple

from equipoise.errors import locate, printable
from equipoise.metrics.score import median_of
from equipoise.sources.jsontext import clean
from equipoise.sources.lines import Lines
from equipoise.sources.records import Damage, Record, RecordReader
from equipoise.structs import dataclass
from equipoise.units import MS_PER_S, S_PER_H

LATEST_MS: Final = 4_102_444_800_000.0
"""The year 2100: a later stamp is no time of a run, which is said once per log.

Stamps of 0 or of other small numbers are common in headers and mean nothing.
"""

FIRST_YEAR, LAST_YEAR = 1970, 10_000
HOURS_OF_A_YEAR: Final = 24 * 365.2425

MAX_EVALUATIONS: Final = 100_000
SHOWN_DAMAGES: Final = 5

PRECISION_KEYS: Final = (
    "lowest_numerical_precision_in_linear",
    "lowest_numerical_precision_linear",
)
"""The second spelling occurs as well."""

_EVALUATION_KEYS: Final = frozenset({"eval_accuracy", "aggregated_eval_accuracy"})
_PROGRESS_KEYS: Final = ("samples_count", "epoch_num", "step_num", "epoch", "iteration")
_RATE_NAMES: Final = ("throughput", "imgs_sec")
_STEP_TIME_NAMES: Final = ("train_step_time", "train_step_timing", "train_step_timing in s")
_LAST_VALUE: Final = frozenset({"global_batch_size", "train_samples"})
_FIRST_VALUE: Final = frozenset(
    {
        "seed",
        "submission_benchmark",
        "submission_division",
        "submission_org",
        "gradient_accumulation_steps",
        "micro_batch_size",
        "tensor_parallelism",
        "pipeline_parallelism",
        "context_parallelism",
        "expert_parallelism",
        "config_filename",
        "eval_target",
        *PRECISION_KEYS,
    }
)
_WANTED: Final = (
    _EVALUATION_KEYS
    | _LAST_VALUE
    | _FIRST_VALUE
    | {"run_start", "run_stop", "init_start", "init_stop", "tracked_stats", "throughput"}
    | {"eval_result", "run_final", "run_set_random_seed"}
)


_SECOND_STOP: Final = "second run_stop"
_NUMERIC: Final = (int, float, str)


class Evaluation(NamedTuple):
    """One logged evaluation of the quality metric, read only where it is asked for."""

    key: str
    logged: Any
    """The value as logged."""
    metadata: Mapping[str, Any]

    @property
    def value(self) -> float | Mapping[str, float] | None:
        """Return the quality as a number, or the number of each metric."""
        if isinstance(self.logged, dict):
            pairs = ((str(key), number(value)) for key, value in self.logged.items())
            return {key: value for key, value in pairs if value is not None}
        return number(self.logged)

    @property
    def metric(self) -> str | None:
        """Return which metric this is, where the log says it."""
        metric = self.metadata.get("metric")
        return metric if isinstance(metric, str) else None

    @property
    def progress(self) -> Mapping[str, float]:
        """Return samples_count, epoch_num, ...: as far as logged."""
        return _progress(self.metadata)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFacts:
    """What one log says; absent is None or empty."""

    notation: str | None = None
    """mllog, mll or v0.5; None if the file has no record at all."""
    start_ms: float | None = None
    stop_ms: float | None = None
    starts: int = 0
    stops: int = 0
    status: str | None = None
    stop_progress: Mapping[str, float] = field(default_factory=dict)
    evaluations: tuple[Evaluation, ...] = ()
    """Those before the stop, or all where there is no stop."""
    evaluations_after_stop: tuple[Evaluation, ...] = ()
    init_start_ms: float | None = None
    init_stop_ms: float | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    """Values of the keys that describe the run (batch size, seed, precision, ...)."""
    rates_per_s: tuple[float, ...] = ()
    """Logged throughputs after the start, a sample of them where there are many."""
    step_times_s: tuple[float, ...] = ()
    eval_result_s: float | None = None
    """MiniGo v0.6 logs the time to the target apart, as it evaluates after the run."""
    run_final: bool = False
    damages: tuple[Damage, ...] = ()
    damage_count: int = 0
    lost_keys: frozenset[str] = frozenset()
    """Keys that are only in damaged records."""
    odd_time: tuple[int, float] | None = None
    odd_times: int = 0
    bytes: int = 0
    lines: Lines = field(default_factory=Lines, compare=False, repr=False)
    """Lines of the records that a message may name: run_start, run_stop, evaluation ..."""

    @property
    def rate_per_s(self) -> float | None:
        """Return the median of the logged throughputs."""
        return median_of(self.rates_per_s) if self.rates_per_s else None

    @property
    def step_time_s(self) -> float | None:
        """Return the median of the logged times of a training step."""
        return median_of(self.step_times_s) if self.step_times_s else None

    def number(self, key: str) -> float | None:
        """Return a value as a number, or None."""
        return number(self.values.get(key))

    def text(self, key: str) -> str | None:
        """Return a value as text, or None."""
        value = self.values.get(key)
        return None if value is None or isinstance(value, dict | list) else clean(str(value))

    def warnings(self, path: str) -> tuple[str, ...]:
        """Return what a reader must know, each with path and line."""
        found = [
            locate(d.reason + (f" (key {printable(d.key)})" if d.key else ""), path, d.line)
            for d in self.damages[:SHOWN_DAMAGES]
        ]
        if self.damage_count > SHOWN_DAMAGES:
            more = self.damage_count - SHOWN_DAMAGES
            found.append(locate(f"{more} more damaged records", path, None))
        if self.odd_time is not None:
            line, time_ms = self.odd_time
            more_text = f" (and {self.odd_times - 1} more)" if self.odd_times > 1 else ""
            text = f"time stamp {time_ms} ms{_year(time_ms)} ignored{more_text}"
            found.append(locate(text, path, line))
        if self.starts > 1 and self.notation != "v0.5":
            text = (
                f"{self.starts} run_start records; the last one before the first run_stop is used"
            )
            found.append(locate(text, path, self.lines.of("run_start")))
        if self.stops > 1 and self.notation != "v0.5":
            text = f"{self.stops} run_stop records; the first is used"
            found.append(locate(text, path, self.lines.of(_SECOND_STOP)))
        return tuple(found)


@dataclass(slots=True)
class _Collector:
    """Takes the records of one log in file order."""

    reader: RecordReader
    start_ms: float | None = None
    starts: int = 0
    stop: Record | None = None
    stops: int = 0
    evaluations: list[Evaluation] = field(default_factory=list)
    before_stop: int | None = None
    init_starts: list[float] = field(default_factory=list)
    init_mark: int = 0
    init_stop: float | None = None
    values: dict[str, Any] = field(default_factory=dict)
    rates: list[float] = field(default_factory=list)
    other_rates: list[float] = field(default_factory=list)
    step_times: list[float] = field(default_factory=list)
    eval_result_s: float | None = None
    run_final: bool = False

    def take(self, record: Record) -> None:
        """Note one record."""
        key, time_ms, value, metadata = record
        if key in _EVALUATION_KEYS:
            if len(self.evaluations) < MAX_EVALUATIONS:
                self.evaluations.append(Evaluation(key, value, metadata))
                self.reader.mark("evaluation")
        elif key == "tracked_stats":
            self._statistics(value)
        elif key == "throughput":
            if self.starts:
                _append(self.other_rates, value)
        elif key in _FIRST_VALUE:
            self.values.setdefault(key, value)
        elif key in _LAST_VALUE:
            self.values[key] = value
        elif key == "init_start":
            self.init_starts.append(time_ms)
        elif key == "run_start":
            self._start(time_ms)
        elif key == "run_stop":
            self._stop(record)
        else:
            self._rest(key, time_ms, value, metadata)

    def _start(self, time_ms: float) -> None:
        if self.starts and self.stop is None:
            # A second attempt in one file has its own initialisation.
            self.init_starts = self.init_starts[self.init_mark :]
        self.init_mark = len(self.init_starts)
        self.starts += 1
        if self.stop is None or self.start_ms is None:
            self.start_ms = time_ms
            self.reader.mark("run_start")

    def _stop(self, record: Record) -> None:
        self.stops += 1
        if self.stop is None:
            self.stop = record
            self.before_stop = len(self.evaluations)
            self.reader.mark("run_stop")
        elif self.stops == 2:
            self.reader.mark(_SECOND_STOP)

    def _statistics(self, value: Any) -> None:
        if not self.starts or not isinstance(value, dict):
            return
        for name in _RATE_NAMES:
            if name in value:
                _append(self.rates, value[name])
        for name in _STEP_TIME_NAMES:
            if name in value:
                _append(self.step_times, value[name])

    def _rest(self, key: str, time_ms: float, value: Any, metadata: Mapping[str, Any]) -> None:
        if key == "init_stop":
            self.init_stop = time_ms
            self.reader.mark("init_stop")
        elif key == "eval_result":
            self.eval_result_s = number(metadata.get("timestamp"))
        elif key == "run_final":
            self.run_final = True
        elif key == "run_set_random_seed":
            self.values.setdefault("seed", value)


def read_log(pieces: Iterable[bytes], *, size: int | None = None) -> LogFacts:
    """Return the facts of one log given as a sequence of byte strings.

    Never raises on any content: what cannot be read is counted in `damages`.

    >>> read_log([b':::MLLOG {"time_ms": 1700000000000, "key": "run_start", '
    ...           b'"value": null, "metadata": {}}']).start_ms
    1700000000000.0
    """
    reader = RecordReader(wanted=_WANTED, latest_ms=LATEST_MS)
    collector = _Collector(reader)
    take = collector.take
    for record in reader.records(pieces):
        take(record)
    split = collector.before_stop
    evaluations = collector.evaluations
    stop = collector.stop
    status = None if stop is None else _status(stop[3])
    return LogFacts(
        notation=reader.notation,
        start_ms=None if collector.start_ms is None else float(collector.start_ms),
        stop_ms=None if stop is None else float(stop[1]),
        starts=collector.starts,
        stops=collector.stops,
        status=None if status is None else str(status),
        stop_progress={} if stop is None else _progress(stop[3]),
        evaluations=tuple(evaluations[:split]),
        evaluations_after_stop=() if split is None else tuple(evaluations[split:]),
        init_start_ms=min(collector.init_starts, default=None),
        init_stop_ms=collector.init_stop,
        values=collector.values,
        rates_per_s=tuple(collector.rates or collector.other_rates),
        step_times_s=tuple(collector.step_times),
        eval_result_s=collector.eval_result_s,
        run_final=collector.run_final,
        damages=tuple(reader.damages),
        lost_keys=frozenset(d.key for d in reader.damages if d.lost and d.key) - reader.intact,
        damage_count=reader.damage_count,
        odd_time=reader.first_odd_time,
        odd_times=reader.odd_times,
        bytes=reader.bytes_read if size is None else size,
        lines=reader.lines(),
    )


def _status(metadata: Mapping[str, Any]) -> Any:
    """Return the status of a stop; v0.5 has `success: true` instead, or nothing."""
    if "status" in metadata or "success" not in metadata:
        return metadata.get("status")
    return "success" if str(metadata["success"]).lower() == "true" else "aborted"


def number(value: Any) -> float | None:
    """Return a finite number given as number or text, else None.

    >>> number("256"), number(True), number(float("nan")), number("many")
    (256.0, None, None, None)
    """
    kind = type(value)
    if kind is float:  # most are, and this is called for every statistic
        return value if math.isfinite(value) else None
    if kind is bool or (kind is not int and not isinstance(value, _NUMERIC)):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def _year(time_ms: float) -> str:
    """Return ` (year 2554)` for a time stamp of four-digit years, else nothing.

    >>> _year(18446744073708.008), _year(1e300)
    (' (year 2554)', '')
    """
    year = FIRST_YEAR + time_ms / MS_PER_S / S_PER_H / HOURS_OF_A_YEAR
    return f" (year {int(year)})" if year < LAST_YEAR else ""


def _append(numbers: list[float], value: Any) -> None:
    found = number(value)
    if found is not None and found > 0:
        numbers.append(found)


def _progress(metadata: Mapping[str, Any]) -> dict[str, float]:
    return {
        name: found
        for name in _PROGRESS_KEYS
        if name in metadata and (found := number(metadata[name])) is not None
    }
