"""The runs of one configuration -> its official score, with everything worth knowing."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from equipoise.domain import UNVERIFIED_DIVISION, Run, Score, System
from equipoise.errors import UnknownNameError, locate
from equipoise.facts import (
    benchmark,
    benchmark_of_folder,
    dropped_each_end,
    governing_block,
)
from equipoise.metrics.score import kept_runs, mean_of, median_of, too_many_failures
from equipoise.sources.copies import originals
from equipoise.sources.runs import DISBELIEVED
from equipoise.sources.verdict import NOT_CONVERGED, Verdict
from equipoise.structs import dataclass

SHOWN: Final = 8
"""Warnings of single runs that a score repeats; the runs have them all."""

REFUSED: Final[Mapping[tuple[str, str], str]] = {
    ("v0.5", "ncf"): (
        "the rules of v0.5 score NCF by the first 50 of 100 runs that converge, and the numbers "
        "of the published files are not the order of the runs"
    ),
}
"""Rounds and benchmarks whose rule is not applied, and why."""

_NO_TIME: Final = frozenset({"unread-runs", "no-scaling-factor", "refused-rule"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """Everything read for one configuration."""

    path: str
    runs: tuple[Run, ...]
    """In natural order of their file names."""
    verdicts: Mapping[str, Verdict]
    """Path of a failed run -> why it fails."""
    unread: int = 0
    """Result files whose bytes cannot be had."""
    factor: float | None = 1.0
    """Factor of scaling.json; None if the file is there but tells no factor."""
    energy_kj: float | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NoScore:
    """Why a configuration has no score."""

    code: str
    reason: str


def score_of(
    folder: Folder, identity: Score, system: System | None
) -> tuple[Score, NoScore | None]:
    """Return the score of one configuration, and why it has none if so.

    Parameters
    ----------
    folder
        Its runs.
    identity
        A score with the names filled in.
    system
        Its description; None if there is none that can be read.
    """
    drop = dropped_each_end(identity.benchmark, identity.round)
    runs = folder.runs
    times = [run.time_to_train_min if run.success else None for run in runs]
    kept = kept_runs(times, dropped_each_end=drop)
    unscaled = mean_of(times, kept)
    failed = sum(time is None for time in times)
    missing = _why_none(folder, identity, unscaled, failed, drop)
    if missing is not None and missing.code in _NO_TIME:
        unscaled = None
    if missing is not None and _few_own_runs(missing, identity, failed):
        unscaled, missing = mean_of(times, range(len(times))), None
        folder = replace(folder, warnings=(*folder.warnings, _few_text(folder, drop)))
    score = None
    if unscaled is not None and folder.factor is not None:
        score = unscaled * folder.factor
    first = originals(runs)
    distinct = len(set(first))
    progress, samples = _to_converge(runs)
    rates = [r.throughput_samples_per_s for r in runs if r.success]
    known = [rate for rate in rates if rate is not None]
    return (
        _with_system(
            identity,
            system,
            runs=len(runs),
            runs_failed=failed,
            distinct_runs=distinct,
            unscaled_min=unscaled,
            scaling_factor=1.0 if folder.factor is None else folder.factor,
            time_to_train_min=score,
            energy_kj=folder.energy_kj if score is not None else None,
            global_batch_size=_batch_size(runs),
            progress_to_converge=progress,
            samples_to_converge=samples,
            throughput_samples_per_s=median_of(known) if known else None,
            warnings=_warnings(folder, identity, system, missing, distinct),
        ),
        missing,
    )


def _why_none(
    folder: Folder, identity: Score, unscaled: float | None, failed: int, drop: int
) -> NoScore | None:
    runs = len(folder.runs)
    refused = REFUSED.get((identity.round, identity.benchmark))
    if refused is not None:
        return NoScore("refused-rule", refused)
    if folder.unread:
        total = runs + folder.unread
        reason = f"{folder.unread} of {total} result files could not be read, so there is no score"
        return NoScore("unread-runs", reason)
    if runs == 0:
        return NoScore("no-result-files", "no file result_*.txt here")
    failures = too_many_failures(runs, failed, dropped_each_end=drop)
    if failures is not None:
        return NoScore("too-many-failures", failures)
    if unscaled is None:
        reason = f"too few runs ({runs}): {drop} are dropped at each end"
        return NoScore("too-few-runs", reason)
    if folder.factor is None:
        return NoScore("no-scaling-factor", "scaling.json cannot be read, so there is no score")
    return None


def _few_own_runs(missing: NoScore, identity: Score, failed: int) -> bool:
    """Return whether only the number of the user's own runs is short of the official rule."""
    own = identity.division == UNVERIFIED_DIVISION
    return own and missing.code == "too-few-runs" and failed == 0


def _few_text(folder: Folder, drop: int) -> str:
    runs = len(folder.runs)
    text = (
        f"mean of {runs} own run{'s' if runs > 1 else ''}: too few to drop {drop} at each end "
        "as the official rule does"
    )
    return locate(text, folder.path, None)


def _to_converge(runs: Sequence[Run]) -> tuple[float | None, float | None]:
    """Return mean progress and samples to converge, dropping one at each end.

    This is the rule of mlperf-logging for every benchmark, also where a score drops more;
    a failed run counts as never converging.
    """
    converged = [run.failure not in NOT_CONVERGED for run in runs]
    progress = [
        run.progress_to_converge if ok else None for run, ok in zip(runs, converged, strict=True)
    ]
    if any(ok and value is None for ok, value in zip(converged, progress, strict=True)):
        return None, None
    failed = sum(not ok for ok in converged)
    kept = kept_runs(progress, dropped_each_end=max(1, failed))
    samples = [run.samples_to_converge for run in runs]
    return mean_of(progress, kept), mean_of(samples, kept)


def _batch_size(runs: Sequence[Run]) -> float | None:
    sizes = Counter(r.global_batch_size for r in runs if r.global_batch_size is not None)
    return sizes.most_common(1)[0][0] if sizes else None


def _with_system(identity: Score, system: System | None, **values: object) -> Score:
    facts: dict[str, object] = {}
    if system is not None:
        facts = {
            "division": system.division,
            "availability": system.availability,
            "accelerator_id": system.accelerator_id,
            "accelerator_model": system.accelerator_model,
            "accelerators": system.accelerators,
            "nodes": system.nodes,
        }
    names = {
        name: getattr(identity, name)
        for name in ("round", "submitter", "system_id", "benchmark", "benchmark_folder")
    }
    return Score(**{**names, "division": identity.division, **facts, **values})


def _warnings(
    folder: Folder,
    identity: Score,
    system: System | None,
    missing: NoScore | None,
    distinct: int,
) -> tuple[str, ...]:
    """Return what must be known about a score, the most important first."""
    found: list[str] = []
    if missing is not None:
        found.append(locate(missing.reason, folder.path, None))
    if system is None:
        found.append(locate("no readable system description", folder.path, None))
    elif system.accelerators is None:
        found.append(locate("the number of accelerators is unknown", system.path, None))
    failed = [run for run in folder.runs if not run.success]
    found += [_failed_text(run, folder.verdicts.get(run.path)) for run in failed[:SHOWN]]
    if len(failed) > SHOWN:
        found.append(locate(f"{len(failed) - SHOWN} more failed runs", folder.path, None))
    found += _count_warnings(folder, identity, distinct)
    found += _throughput_warning(folder)
    single = [t for run in folder.runs for t in run.warnings if DISBELIEVED not in t]
    found += single[:SHOWN]
    if len(single) > SHOWN:
        found.append(locate(f"{len(single) - SHOWN} more warnings of runs", folder.path, None))
    return (*found, *folder.warnings)


def _failed_text(run: Run, verdict: Verdict | None) -> str:
    reason, line = (run.failure, None) if verdict is None else (verdict.reason, verdict.line)
    return locate(f"counts as infinitely slow: {reason}", run.path, line)


def _throughput_warning(folder: Folder) -> list[str]:
    """Return one warning for all runs whose logged throughput was not believed."""
    texts = [t for run in folder.runs for t in run.warnings if DISBELIEVED in t]
    if len(texts) < 2:
        return texts
    return [f"{texts[0]} (and {len(texts) - 1} more runs)"]


def _count_warnings(folder: Folder, identity: Score, distinct: int) -> list[str]:
    found: list[str] = []
    runs = len(folder.runs)
    if distinct < runs:
        text = (
            f"only {distinct} of {runs} runs are distinct (same start and stop); the official "
            "rule takes every file, spread and intervals take the distinct runs"
        )
        found.append(locate(text, folder.path, None))
    try:
        block = governing_block(identity.benchmark, identity.round)
    except UnknownNameError:
        block = None
    if block is not None and identity.round not in block.rounds:
        text = (
            f"{identity.benchmark} is no part of {identity.round}; the rules of {block.name} hold"
        )
        found.append(locate(text, folder.path, None))
    if block is not None and 0 < distinct < block.min_runs and identity.division != "unverified":
        text = f"{distinct} distinct runs where {identity.benchmark} wants {block.min_runs}"
        found.append(locate(text, folder.path, None))
    found += _alias_warning(folder, identity)
    sizes = sorted({r.global_batch_size for r in folder.runs if r.global_batch_size is not None})
    if len(sizes) > 1:
        shown = ", ".join(f"{size:g}" for size in sizes[:4])
        found.append(locate(f"runs differ in global batch size: {shown}", folder.path, None))
    return found


def _alias_warning(folder: Folder, identity: Score) -> list[str]:
    """Return a warning where the name of a folder is only another name of the benchmark."""
    try:
        known = benchmark_of_folder(identity.round, identity.benchmark_folder)
        meant = benchmark(identity.benchmark_folder).id
    except UnknownNameError:
        return []
    if known is not None or meant != identity.benchmark or meant == identity.benchmark_folder:
        return []
    text = f"the folder {identity.benchmark_folder!r} is read as the benchmark {meant}"
    return [locate(text, folder.path, None)]
