"""Configurations: scores joined with the facts of their systems and the times of their runs."""

# ruff: noqa: S608  (names come from the table of columns, values are parameters)

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from equipoise.catalogue.link import ConfigurationKey, round_key
from equipoise.domain import UNVERIFIED_DIVISION, Configuration
from equipoise.facts import dropped_each_end
from equipoise.structs import dataclass

Execute = Callable[[str, Sequence[Any]], list[tuple[Any, ...]]]
"""Runs a query with its parameters and returns the rows."""


_IDENTITY: Final = ("round", "submitter", "system_id", "benchmark")
_FROM_SCORE: Final = (
    "division",
    "availability",
    "accelerator_id",
    "accelerator_model",
    "accelerators",
    "nodes",
    "scaling_factor",
    "time_to_train_min",
    "energy_kj",
    "global_batch_size",
    "samples_to_converge",
    "throughput_samples_per_s",
    "resubmission_of",
    "warnings",
)
_FROM_SYSTEM: Final = (
    "system_name",
    "accelerators_per_node",
    "host_processor_model",
    "host_processors_per_node",
    "host_processor_cores",
    "host_memory_gib",
    "host_networking",
    "accelerator_interconnect",
    "accelerator_host_interconnect",
    "framework",
)
_FROM_RUN: Final = ("precision", "tensor_parallelism", "pipeline_parallelism")


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which configurations are wanted; an empty sequence is no condition."""

    benchmark: str
    rounds: Sequence[str] = ()
    divisions: Sequence[str] = ()
    submitters: Sequence[str] = ()
    accelerators: Sequence[str] = ()
    availability: Sequence[str] = ()
    min_accelerators: int | None = None
    max_accelerators: int | None = None


class _Runs:
    """What the distinct runs of one configuration say."""

    __slots__ = ("failed", "seen", "settings", "times_min")

    def __init__(self) -> None:
        self.seen: set[str] = set()
        self.times_min: list[float] = []
        self.failed = 0
        self.settings: list[tuple[Any, ...]] = []


def configurations(
    execute: Execute, wanted: Filter, *, keep_resubmitted: bool
) -> tuple[Configuration, ...]:
    """Return the configurations that a filter describes, in the order of their identity.

    A run that lies in one folder several times counts once. Of configurations that share
    all successful runs only the first of the selection stays, unless `keep_resubmitted`.
    """
    scored = _scored(execute, wanted)
    runs = _runs(execute, wanted, needed={key for key, _ in scored})
    drops = {
        name: dropped_each_end(wanted.benchmark, name) for name in {key[0] for key, _ in scored}
    }
    found = []
    for key, fields in scored:
        own = runs.get(key, _Runs())
        found.append(
            Configuration(
                **fields,
                run_times_min=tuple(own.times_min),
                runs_failed=own.failed,
                runs_dropped_each_end=_drop_of(fields["division"], own, drops[key[0]]),
                **_settings(own),
            )
        )
    found.sort(key=lambda c: (round_key(c.round), c.submitter, c.system_id))
    return tuple(found) if keep_resubmitted else first_published(found)


def first_published(found: Iterable[Configuration]) -> tuple[Configuration, ...]:
    """Return configurations without those whose runs an earlier one of them has already.

    A resubmission whose original is not among them stays: it is one point either way.
    """
    kept: dict[str, Configuration] = {}
    for configuration in found:
        kept.setdefault(configuration.resubmission_of or configuration.key, configuration)
    return tuple(kept.values())


def conditions(columns: Iterable[tuple[str, Sequence[Any]]]) -> tuple[list[str], list[Any]]:
    """Return SQL conditions `column in (?, ...)` and their parameters; empty ones vanish."""
    clauses: list[str] = []
    parameters: list[Any] = []
    for column, values in columns:
        if values:
            clauses.append(f"{column} in ({', '.join('?' * len(values))})")
            parameters.extend(values)
    return clauses, parameters


def _scored(execute: Execute, wanted: Filter) -> list[tuple[ConfigurationKey, dict[str, Any]]]:
    clauses, parameters = conditions(
        (
            ("s.benchmark", (wanted.benchmark,)),
            ("s.round", wanted.rounds),
            ("s.division", wanted.divisions),
            ("s.submitter", wanted.submitters),
            ("s.accelerator_id", wanted.accelerators),
            ("s.availability", wanted.availability),
        )
    )
    for sign, limit in ((">=", wanted.min_accelerators), ("<=", wanted.max_accelerators)):
        if limit is not None:
            clauses.append(f"s.accelerators {sign} ?")
            parameters.append(limit)
    clauses += ["s.time_to_train_min is not null", "s.accelerators is not null"]
    clauses.append("s.division is not null")
    names = (*_IDENTITY, *_FROM_SCORE, *_FROM_SYSTEM)
    own = ", ".join(f"s.{name}" for name in (*_IDENTITY, *_FROM_SCORE))
    system = ", ".join(f"y.{name}" for name in _FROM_SYSTEM)
    query = (
        f"select s.benchmark_folder, {own}, {system} from scores s "
        "left join systems y on y.round = s.round and y.submitter = s.submitter "
        f"and y.system_id = s.system_id where {' and '.join(clauses)}"
    )
    scored = []
    for folder, *values in execute(query, parameters):
        fields = dict(zip(names, values, strict=True))
        fields["warnings"] = tuple(fields["warnings"] or ())
        identity = (fields["round"], fields["submitter"], fields["system_id"])
        scored.append(((*identity, fields["benchmark"], folder), fields))
    return scored


def _runs(
    execute: Execute, wanted: Filter, *, needed: set[ConfigurationKey]
) -> dict[ConfigurationKey, _Runs]:
    clauses, parameters = conditions(
        (
            ("benchmark", (wanted.benchmark,)),
            ("round", wanted.rounds),
            ("submitter", wanted.submitters),
        )
    )
    names = (*_IDENTITY, "benchmark_folder", "path", "duplicate_of", "success")
    query = (
        f"select {', '.join((*names, 'time_to_train_min', *_FROM_RUN))} from runs "
        f"where {' and '.join(clauses)} order by round, submitter, system_id, path"
    )
    grouped: dict[ConfigurationKey, _Runs] = {}
    for row in execute(query, parameters):
        key, (path, duplicate_of, success, time_min, *settings) = row[:5], row[5:]
        if key not in needed:
            continue
        own = grouped.get(key)
        if own is None:
            own = grouped[key] = _Runs()
        original = duplicate_of or f"{key[0]}:{path}"
        if original in own.seen:
            continue
        own.seen.add(original)
        if not success:
            own.failed += 1
            continue
        if time_min is not None:
            own.times_min.append(time_min)
        own.settings.append(tuple(settings))
    return grouped


def _settings(own: _Runs) -> dict[str, Any]:
    """Return the usual settings: most frequent value, smallest of equally frequent ones."""
    found: dict[str, Any] = {}
    for name, values in zip(_FROM_RUN, zip(*own.settings, strict=True), strict=False):
        counts = Counter(value for value in values if value is not None)
        if counts:
            found[name] = min(counts, key=lambda value: (-counts[value], value))
    return found


def _drop_of(division: str, own: _Runs, drop: int) -> int:
    """Return how many runs a score dropped: none of own runs that are too few for the rule."""
    if division == UNVERIFIED_DIVISION and len(own.times_min) + own.failed <= 2 * drop:
        return 0
    return drop
