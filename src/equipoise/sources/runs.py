"""One log -> one run: how long it took, whether it counts, what it trained and how fast."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from equipoise.domain import Run
from equipoise.errors import UnknownNameError, locate
from equipoise.facts import Block, QualityRule, block_of
from equipoise.metrics.throughput import from_one_accelerator, training_throughput
from equipoise.sources.logs import PRECISION_KEYS, Evaluation, LogFacts
from equipoise.sources.verdict import (
    NOT_CONVERGED,
    Place,
    Verdict,
    apart_warning,
    by_metric,
    division_of,
    judge,
    rule_of,
    run_minutes,
    time_apart_min,
)

__all__ = ["DISBELIEVED", "Place", "Verdict", "make_run", "with_accelerators"]

EPOCH_DIGITS: Final = 3
"""mlperf-logging rounds epochs to so many digits."""

DISBELIEVED: Final = "logged throughput"
"""Begins the warning about it."""


def make_run(log: LogFacts, place: Place, *, division: str | None = None) -> tuple[Run, Verdict]:
    """Return the run that a log describes, and why it fails if it does."""
    apart_min = time_apart_min(log, place)
    time_min = run_minutes(log, place)
    verdict = judge(log, place, division=division, time_min=time_min)
    success = verdict.failure is None
    block = _block(place)
    batch = log.number("global_batch_size")
    rule = rule_of(place, division_of(log, division), batch)
    converged = verdict.failure not in NOT_CONVERGED
    exact, progress = _progress(log, rule, passing=converged)
    samples = None
    if converged and exact is not None and block is not None:
        samples = block.samples_trained(exact, place.round, global_batch_size=batch)
    logged_per_s = log.rate_per_s
    samples = _counted_in_epochs(logged_per_s, place, block, samples, time_min) or samples
    rate, source, warning = _throughput(log, logged_per_s, place, block, samples, time_min)
    if apart_min is not None:
        warning = (*warning, apart_warning(log, place, apart_min))
    run = Run(
        round=place.round,
        submitter=place.submitter,
        system_id=place.system_id,
        benchmark=place.benchmark,
        benchmark_folder=place.benchmark_folder,
        path=place.path,
        time_to_train_min=time_min,
        success=success,
        failure=verdict.failure,
        start_ms=log.start_ms,
        stop_ms=log.stop_ms,
        seed=log.text("seed"),
        global_batch_size=batch,
        eval_accuracy=_last_quality(log.evaluations),
        progress_to_converge=progress,
        samples_to_converge=samples,
        throughput_logged=logged_per_s,
        throughput_samples_per_s=rate,
        throughput_source=source,
        precision=next((t for k in PRECISION_KEYS if (t := log.text(k)) is not None), None),
        tensor_parallelism=_count(log, "tensor_parallelism"),
        pipeline_parallelism=_count(log, "pipeline_parallelism"),
        context_parallelism=_count(log, "context_parallelism"),
        expert_parallelism=_count(log, "expert_parallelism"),
        micro_batch_size=_count(log, "micro_batch_size"),
        gradient_accumulation_steps=_count(log, "gradient_accumulation_steps"),
        config_filename=log.text("config_filename"),
        bytes=log.bytes,
        warnings=(*log.warnings(place.path), *warning),
    )
    return run, verdict


def _progress(
    log: LogFacts, rule: QualityRule | None, *, passing: bool
) -> tuple[float | None, float | None]:
    """Return the progress where the run converged, exactly and as mlperf-logging shows it.

    As its rcp_checker takes it: that of the last evaluation before the stop; of a benchmark
    with several metrics the first evaluation that meets all of them. It rounds epochs.
    """
    key = rule.progress_key if rule is not None else None
    if rule is not None and by_metric(rule) and passing and key is not None:
        found = _first_passing(log.evaluations, rule, key)
        if found is not None:
            return found, found
    names = (key,) if key is not None else ("samples_count", "epoch_num", "step_num", "epoch")
    for evaluation in log.evaluations[::-1]:
        progress = evaluation.progress
        for name in names:
            if name in progress:
                value = progress[name]
                return value, round(value, EPOCH_DIGITS) if name == "epoch_num" else value
    for name in ("samples_count", "epoch_num", "step_num"):
        if name in log.stop_progress and key in {None, name}:
            return log.stop_progress[name], log.stop_progress[name]
    return None, None


def _first_passing(evaluations: Iterable[Evaluation], rule: QualityRule, key: str) -> float | None:
    grouped: dict[float, dict[str, float]] = {}
    for evaluation in evaluations:
        step, value = evaluation.progress.get(key), evaluation.value
        if step is None or value is None:
            continue
        if isinstance(value, Mapping):
            grouped.setdefault(step, {}).update(value)
        elif (metric := evaluation.metric) is not None:
            grouped.setdefault(step, {})[metric] = value
    return min((step for step, values in grouped.items() if rule.passes(values)), default=None)


def _last_quality(evaluations: Sequence[Evaluation]) -> float | None:
    """Return the last quality; of several metrics the first named one."""
    for evaluation in evaluations[::-1]:
        value = evaluation.value
        if isinstance(value, Mapping):
            return next(iter(value.values()), None)
        if value is not None:
            return value
    return None


def _throughput(
    log: LogFacts,
    logged_per_s: float | None,
    place: Place,
    block: Block | None,
    samples: float | None,
    time_min: float | None,
) -> tuple[float | None, str | None, tuple[str, ...]]:
    """Return samples per second, where it comes from, and a warning."""
    if block is not None and block.progress_unit(place.round).unit == "iterations":
        return None, None, ()
    found = training_throughput(
        logged_per_s=logged_per_s,
        step_time_s=log.step_time_s,
        batch_size=log.number("global_batch_size"),
        samples=samples,
        time_min=time_min,
    )
    warnings: tuple[str, ...] = ()
    if found.disbelieved_per_s is not None:
        text = (
            f"{DISBELIEVED} {found.disbelieved_per_s:.6g}/s disagrees with "
            f"{found.samples_per_s:.6g} samples/s (samples to converge / time to train); "
            "the latter is used"
        )
        warnings = (locate(text, place.path, None),)
    return found.samples_per_s, found.source, warnings


def _counted_in_epochs(
    logged_per_s: float | None,
    place: Place,
    block: Block | None,
    samples: float | None,
    time_min: float | None,
) -> float | None:
    """Return the samples of a log that counts epochs where its round counts samples, or None.

    Some unet3d logs of v3.1 still do; their logged throughput tells it, as it fits D times
    the progress, D = samples per epoch, and not the progress itself.
    """
    if block is None or samples is None or block.train_samples_per_epoch is None:
        return None
    if block.progress_unit(place.round).unit != "samples" or logged_per_s is None:
        return None
    longer = samples * block.train_samples_per_epoch
    plain, scaled = (
        training_throughput(logged_per_s=logged_per_s, samples=count, time_min=time_min)
        for count in (samples, longer)
    )
    return longer if (plain.source, scaled.source) == ("computed", "logged") else None


def with_accelerators(run: Run, accelerators: int | None) -> Run:
    """Return the run with the throughput of all accelerators, where it logs that of one."""
    logged, computed = run.throughput_logged, run.throughput_samples_per_s
    if accelerators is None or run.throughput_source != "computed" or None in (logged, computed):
        return run
    found = from_one_accelerator(logged or 0.0, computed or 0.0, accelerators)
    if found is None:
        return run
    return replace(
        run,
        throughput_samples_per_s=found,
        throughput_source="logged",
        warnings=tuple(text for text in run.warnings if DISBELIEVED not in text),
    )


def _count(log: LogFacts, key: str) -> int | None:
    value = log.number(key)
    return int(value) if value is not None and value >= 0 and value == int(value) else None


def _block(place: Place) -> Block | None:
    try:
        return block_of(place.benchmark, place.round)
    except UnknownNameError:
        return None
