"""The nouns of equipoise as frozen dataclasses; missing is None, units are in the names.

Identity of a configuration is (round, submitter folder, system file name, benchmark
folder); names written inside logs and system files are notes.
"""

from equipoise.structs import dataclass

VERIFIED_DIVISIONS = ("closed", "open")
UNVERIFIED_DIVISION = "unverified"
"""Division of a user's own runs: never verified by MLCommons Association."""
CERTAIN = 0.995
"""From here on a probability is shown as more than 99 %."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """Something that was read but not used, with the place and the reason."""

    round: str | None
    path: str
    line: int | None
    code: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """One hardware and software description (`systems/<system_id>.json`)."""

    round: str
    submitter: str
    """Name of the submitter's folder."""
    system_id: str
    """Name of the system file without its ending."""
    system_name: str | None = None
    division: str | None = None
    """closed, open or unverified."""
    availability: str | None = None
    """onprem, cloud, preview or rdi."""
    nodes: int | None = None
    accelerators_per_node: int | None = None
    accelerators: int | None = None
    """Accelerators (chips) in the whole system; 0 for a CPU-only one."""
    accelerator_id: str | None = None
    accelerator_model: str | None = None
    """The raw spelling of the accelerator."""
    accelerator_power_limit_w: float | None = None
    accelerator_memory: str | None = None
    accelerator_interconnect: str | None = None
    accelerator_host_interconnect: str | None = None
    host_processor_model: str | None = None
    host_processors_per_node: int | None = None
    host_processors: int | None = None
    host_processor_cores: int | None = None
    """Cores of one host processor."""
    host_memory: str | None = None
    host_memory_gib: float | None = None
    """Host memory of one node."""
    host_networking: str | None = None
    framework: str | None = None
    path: str | None = None
    """Path of the system file inside its source."""
    raw: str | None = None
    """The raw description as JSON text; empty in the bundled catalogue."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One log: one training to the quality target, or a failed try."""

    round: str
    submitter: str
    system_id: str
    benchmark: str
    """Canonical benchmark id."""
    benchmark_folder: str
    path: str
    time_to_train_min: float | None = None
    """run_stop - run_start; given whenever both are known, also for a failed run."""
    success: bool = False
    failure: str | None = None
    """Code of the rule that the run fails, None for a success."""
    start_ms: float | None = None
    stop_ms: float | None = None
    seed: str | None = None
    global_batch_size: float | None = None
    eval_accuracy: float | None = None
    """Last logged value of the quality metric."""
    progress_to_converge: float | None = None
    """samples_count or epoch_num where the run stopped, as logged."""
    samples_to_converge: float | None = None
    """Training samples until the target, in the sample unit of the benchmark."""
    throughput_logged: float | None = None
    """Throughput as logged, in the unit of the implementation."""
    throughput_samples_per_s: float | None = None
    throughput_source: str | None = None
    """logged, computed or None."""
    energy_kj: float | None = None
    precision: str | None = None
    tensor_parallelism: int | None = None
    pipeline_parallelism: int | None = None
    context_parallelism: int | None = None
    expert_parallelism: int | None = None
    micro_batch_size: int | None = None
    gradient_accumulation_steps: int | None = None
    config_filename: str | None = None
    bytes: int | None = None
    """Size of the log."""
    duplicate_of: str | None = None
    """`round:path` of the first place where the same run was published."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """MLPerf's official time to train of one configuration, or why there is none."""

    round: str
    submitter: str
    system_id: str
    benchmark: str
    benchmark_folder: str
    division: str | None = None
    availability: str | None = None
    accelerator_id: str | None = None
    accelerator_model: str | None = None
    accelerators: int | None = None
    nodes: int | None = None
    runs: int = 0
    """Result files that were read."""
    runs_failed: int = 0
    distinct_runs: int = 0
    """Runs left when copies of the same run are counted once."""
    unscaled_min: float | None = None
    scaling_factor: float = 1.0
    time_to_train_min: float | None = None
    energy_kj: float | None = None
    global_batch_size: float | None = None
    progress_to_converge: float | None = None
    """Mean over the runs in the unit of the logs, as the official summarizer gives it."""
    samples_to_converge: float | None = None
    """The same in the sample unit of the benchmark."""
    throughput_samples_per_s: float | None = None
    resubmission_of: str | None = None
    """`round/submitter/system/benchmark` where all of these runs were first published."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """One system on one benchmark in one round with its score: the thing that is ranked.

    What the computing layers see: a score joined with the facts of its system and the
    times of its runs, so that no layer has to know the catalogue.
    """

    round: str
    submitter: str
    system_id: str
    benchmark: str
    division: str
    time_to_train_min: float
    accelerators: int
    """0 for a CPU-only system; figures per accelerator are then None."""
    system_name: str | None = None
    availability: str | None = None
    accelerator_id: str | None = None
    accelerator_model: str | None = None
    nodes: int | None = None
    accelerators_per_node: int | None = None
    host_processor_model: str | None = None
    host_processors_per_node: int | None = None
    host_processor_cores: int | None = None
    host_memory_gib: float | None = None
    host_networking: str | None = None
    accelerator_interconnect: str | None = None
    accelerator_host_interconnect: str | None = None
    framework: str | None = None
    scaling_factor: float = 1.0
    energy_kj: float | None = None
    global_batch_size: float | None = None
    samples_to_converge: float | None = None
    throughput_samples_per_s: float | None = None
    precision: str | None = None
    tensor_parallelism: int | None = None
    pipeline_parallelism: int | None = None
    run_times_min: tuple[float, ...] = ()
    """Times of the distinct successful runs, unscaled."""
    runs_failed: int = 0
    """Distinct runs that failed; each counts as infinitely slow."""
    runs_dropped_each_end: int = 1
    resubmission_of: str | None = None
    warnings: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Return `round/submitter/system_id/benchmark`, unique in a catalogue."""
        return f"{self.round}/{self.submitter}/{self.system_id}/{self.benchmark}"

    @property
    def verified(self) -> bool:
        """Return whether MLCommons published this result (own runs are unverified)."""
        return self.division in VERIFIED_DIVISIONS
