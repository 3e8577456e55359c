"""Energy of the runs of one configuration, and of its score."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from pathlib import PurePosixPath

from equipoise.domain import Run, Score
from equipoise.errors import locate
from equipoise.facts import dropped_each_end
from equipoise.metrics.energy import node_energy_kj, switch_energy_kj
from equipoise.metrics.score import kept_runs, mean_of
from equipoise.sources.power import PowerFile
from equipoise.structs import dataclass
from equipoise.units import MS_PER_MIN


@dataclass(frozen=True, slots=True, kw_only=True)
class Energy:
    """Energies of one configuration; empty where no power was measured."""

    run_kj: Mapping[str, float] = field(default_factory=dict)
    """By path of the log."""
    score_kj: float | None = None
    warnings: tuple[str, ...] = ()


def energy_of(
    runs: Sequence[Run],
    power: Sequence[PowerFile],
    *,
    factor: float | None,
    identity: Score,
    absent: Collection[str] = (),
) -> Energy:
    """Return the energy of every run with measured power and that of the score.

    The score's energy is the mean over the runs whose times make the score, times the same
    scaling factor. A run of which a power file cannot be read (`absent`, by the names of
    their folders) has none, as a sum over the other nodes would be too small.
    """
    if not power:
        return Energy()
    by_result: dict[str, list[PowerFile]] = defaultdict(list)
    for file in power:
        by_result[file.place.result].append(file)
    warnings: list[str] = []
    energies: dict[str, float] = {}
    for run in runs:
        result = PurePosixPath(run.path).stem
        if run.time_to_train_min is None or result in absent:
            continue
        found = _run_kj(run, by_result.get(result, []), warnings)
        if found is not None:
            energies[run.path] = found
    repeated = sum(file.stop_repeats_start for file in power)
    if repeated:
        text = f"{repeated} node files stop at their start; measured to their last reading"
        warnings.append(locate(text, str(PurePosixPath(power[0].place.path).parents[1]), None))
    drop = dropped_each_end(identity.benchmark, identity.round)
    times = [run.time_to_train_min if run.success else None for run in runs]
    kept = kept_runs(times, dropped_each_end=drop)
    mean = mean_of([energies.get(run.path) for run in runs], kept)
    score = None if mean is None or factor is None else mean * factor
    return Energy(run_kj=energies, score_kj=score, warnings=tuple(warnings))


def _run_kj(run: Run, files: Sequence[PowerFile], warnings: list[str]) -> float | None:
    """Return the energy of one run; None where a file of it tells none."""
    nodes = [file for file in files if not file.is_switch]
    if not nodes or run.time_to_train_min is None:
        if files:
            warnings.append(locate("no node_*.txt with measured power", run.path, None))
        return None
    run_ms = run.time_to_train_min * MS_PER_MIN
    total = 0.0
    for file in sorted(files, key=lambda f: (f.is_switch, f.place.path)):
        part = _file_kj(file, run_ms)
        if part is None:
            warnings.append(locate("tells no energy", file.place.path, None))
            return None
        total += part
    return total


def _file_kj(file: PowerFile, run_ms: float) -> float | None:
    if file.is_switch:
        return switch_energy_kj(
            power_w=file.switch_w or 0.0,
            run_ms=run_ms,
            conversion_efficiency=file.conversion_efficiency,
        )
    if file.start_ms is None or file.end_ms is None:
        return None
    return node_energy_kj(
        watt_ms=file.watt_ms,
        measured_ms=file.end_ms - file.start_ms,
        run_ms=run_ms,
        conversion_efficiency=file.conversion_efficiency,
    )
