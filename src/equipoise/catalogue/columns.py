"""Every column of every Parquet table: one row per column, everything else derives from it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, Literal

from equipoise.domain import Rejection, Run, Score, System
from equipoise.structs import dataclass

Kind = Literal["text", "integer", "real", "truth", "texts"]

SCHEMA_VERSION: Final = 1
"""Raised whenever a reader of the former tables could misread the present ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundEntry:
    """What the catalogue holds of one round, and where it came from."""

    round: str
    publication_date: str | None = None
    source: str | None = None
    revision: str | None = None
    bytes: int = 0
    systems: int = 0
    runs: int = 0
    scores: int = 0
    rejections: int = 0
    runs_linked: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name (which carries the unit), its kind and what it means."""

    name: str
    kind: Kind
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One Parquet table: the dataclass of its rows, their identity and the columns."""

    name: str
    record: type[Any]
    identity: tuple[str, ...]
    """Columns that name a row; no two rows agree in all of them."""
    columns: tuple[Column, ...]
    meaning: str
    free_text: tuple[str, ...] = ()
    """Columns that the bundled catalogue leaves empty."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns in their order."""
        return tuple(column.name for column in self.columns)


_ROUND: Final = Column("round", "text", "MLPerf Training round, such as v4.1")
_SUBMITTER: Final = Column("submitter", "text", "name of the submitter's folder")
_SYSTEM: Final = Column("system_id", "text", "name of the system file without its ending")
_BENCHMARK: Final = Column("benchmark", "text", "canonical id of the benchmark")
_FOLDER: Final = Column("benchmark_folder", "text", "name of the benchmark's folder")
_DIVISION: Final = Column("division", "text", "closed, open or unverified")
_AVAILABILITY: Final = Column("availability", "text", "onprem, cloud, preview or rdi")
_ACCELERATOR: Final = Column("accelerator_id", "text", "id of the accelerator in the facts")
_MODEL: Final = Column("accelerator_model", "text", "the accelerator as the system file spells it")
_CHIPS: Final = Column("accelerators", "integer", "accelerators (chips) of the whole system")
_NODES: Final = Column("nodes", "integer", "nodes of the whole system")
_WARNINGS: Final = Column("warnings", "texts", "what a reader of this row should know")
_CONFIGURATION: Final = (_ROUND, _SUBMITTER, _SYSTEM, _BENCHMARK, _FOLDER)

ROUNDS: Final = Table(
    name="rounds",
    record=RoundEntry,
    identity=("round",),
    meaning="what the catalogue holds of each round, and from where",
    columns=(
        _ROUND,
        Column("publication_date", "text", "day of publication, ISO 8601"),
        Column("source", "text", "last part of the name of what was read"),
        Column("revision", "text", "commit, when the source is a git repository"),
        Column("bytes", "integer", "size of the logs of this round"),
        Column("systems", "integer", "rows of this round in systems"),
        Column("runs", "integer", "rows of this round in runs"),
        Column("scores", "integer", "rows of this round in scores"),
        Column("rejections", "integer", "rows of this round in rejections"),
        Column("runs_linked", "integer", "runs of this round that are copies of another run"),
        Column("notes", "texts", "what the reader noticed about the round as a whole"),
    ),
)

SYSTEMS: Final = Table(
    name="systems",
    record=System,
    identity=("round", "submitter", "system_id"),
    meaning="hardware and software descriptions",
    free_text=("raw",),
    columns=(
        _ROUND,
        _SUBMITTER,
        _SYSTEM,
        Column("system_name", "text", "name inside the system file"),
        _DIVISION,
        _AVAILABILITY,
        _NODES,
        Column("accelerators_per_node", "integer", "accelerators of one node"),
        _CHIPS,
        _ACCELERATOR,
        _MODEL,
        Column("accelerator_power_limit_w", "real", "power limit named in the model, watt"),
        Column("accelerator_memory", "text", "memory of one accelerator as spelt"),
        Column("accelerator_interconnect", "text", "between accelerators, as spelt"),
        Column("accelerator_host_interconnect", "text", "host to accelerator, as spelt"),
        Column("host_processor_model", "text", "host processor as spelt"),
        Column("host_processors_per_node", "integer", "host processors of one node"),
        Column("host_processors", "integer", "host processors of the whole system"),
        Column("host_processor_cores", "integer", "cores of one host processor"),
        Column("host_memory", "text", "memory of one node as spelt"),
        Column("host_memory_gib", "real", "memory of one node, GiB"),
        Column("host_networking", "text", "network between nodes as spelt"),
        Column("framework", "text", "framework and version as spelt"),
        Column("path", "text", "path of the system file inside its source"),
        Column("raw", "text", "the system file as JSON text; empty in the bundled catalogue"),
        _WARNINGS,
    ),
)

RUNS: Final = Table(
    name="runs",
    record=Run,
    identity=("round", "submitter", "system_id", "benchmark", "benchmark_folder", "path"),
    meaning="one row per log: a training to the quality target, or a failed try",
    columns=(
        *_CONFIGURATION,
        Column("path", "text", "path of the log inside its source"),
        Column("time_to_train_min", "real", "run_stop - run_start, minutes, also if it failed"),
        Column("success", "truth", "whether the run counts as converged"),
        Column("failure", "text", "code of the rule that the run fails"),
        Column("start_ms", "real", "stamp of run_start, ms since 1970"),
        Column("stop_ms", "real", "stamp of run_stop, ms since 1970"),
        Column("seed", "text", "seed as logged"),
        Column("global_batch_size", "real", "samples of one step"),
        Column("eval_accuracy", "real", "last value of the quality metric"),
        Column("progress_to_converge", "real", "samples_count or epoch_num at the end, as logged"),
        Column("samples_to_converge", "real", "training samples until the target"),
        Column("throughput_logged", "real", "throughput as logged, in the log's own unit"),
        Column("throughput_samples_per_s", "real", "throughput, samples per second"),
        Column("throughput_source", "text", "logged or computed"),
        Column("energy_kj", "real", "measured energy of the run, kJ"),
        Column("precision", "text", "lowest precision as logged"),
        Column("tensor_parallelism", "integer", "accelerators that share one layer"),
        Column("pipeline_parallelism", "integer", "stages of the pipeline"),
        Column("context_parallelism", "integer", "accelerators that share one sequence"),
        Column("expert_parallelism", "integer", "accelerators that share the experts"),
        Column("micro_batch_size", "integer", "samples of one micro batch"),
        Column("gradient_accumulation_steps", "integer", "micro batches of one step"),
        Column("config_filename", "text", "name of the configuration file as logged"),
        Column("bytes", "integer", "size of the log"),
        Column("duplicate_of", "text", "round:path of the first place of the same run"),
        _WARNINGS,
    ),
)

SCORES: Final = Table(
    name="scores",
    record=Score,
    identity=("round", "submitter", "system_id", "benchmark", "benchmark_folder"),
    meaning="the official time to train of each configuration",
    columns=(
        *_CONFIGURATION,
        _DIVISION,
        _AVAILABILITY,
        _ACCELERATOR,
        _MODEL,
        _CHIPS,
        _NODES,
        Column("runs", "integer", "result files that were read"),
        Column("runs_failed", "integer", "runs that did not converge or break a rule"),
        Column("distinct_runs", "integer", "runs when copies of one run count once"),
        Column("unscaled_min", "real", "score before scaling.json, minutes"),
        Column("scaling_factor", "real", "factor of scaling.json, 1 without one"),
        Column("time_to_train_min", "real", "official score, minutes; empty if there is none"),
        Column("energy_kj", "real", "measured energy of one training, kJ"),
        Column("global_batch_size", "real", "samples of one step"),
        Column("progress_to_converge", "real", "mean samples_count or epoch_num, as logged"),
        Column("samples_to_converge", "real", "training samples until the target"),
        Column("throughput_samples_per_s", "real", "throughput, samples per second"),
        Column("resubmission_of", "text", "configuration that published all these runs first"),
        _WARNINGS,
    ),
)

REJECTIONS: Final = Table(
    name="rejections",
    record=Rejection,
    identity=(),
    meaning="what was read but not used, with the place and the reason",
    columns=(
        _ROUND,
        Column("path", "text", "path inside its source"),
        Column("line", "integer", "line of the file"),
        Column("code", "text", "short name of the reason"),
        Column("reason", "text", "the reason in words"),
    ),
)

TABLES: Final[Mapping[str, Table]] = MappingProxyType(
    {table.name: table for table in (ROUNDS, SYSTEMS, RUNS, SCORES, REJECTIONS)}
)
"""The tables of a catalogue by name."""
