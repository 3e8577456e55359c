"""Judge one log: how long the run took, whether it counts, and what it trained.

Every reason why a run fails is a code in `FAILURES`. The bounds come from the ruleset of
the round as data (`facts.quality_rule`, `facts.run_rule`, `facts.required_records`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from equipoise.domain import UNVERIFIED_DIVISION, VERIFIED_DIVISIONS, Run
from equipoise.errors import UnknownNameError, locate
from equipoise.facts import (
    Block,
    QualityRule,
    RunRule,
    block_of,
    quality_rule,
    round_index,
    rounds,
    run_rule,
)
from equipoise.facts.required import required_records
from equipoise.metrics.throughput import from_one_accelerator, training_throughput
from equipoise.sources.logs import PRECISION_KEYS, Evaluation, LogFacts
from equipoise.units import MS_PER_MIN, S_PER_MIN, ms_to_min

FAILURES: Final[Mapping[str, str]] = {
    "no-records": "holds no record of a training log",
    "no-run-start": "no run_start",
    "no-run-stop": "no run_stop",
    "stop-before-start": "run_stop is not later than run_start",
    "not-successful": "run_stop does not say success",
    "quality-not-logged": "no evaluation of the quality metric",
    "quality-not-reached": "no evaluation meets the quality target of the ruleset",
    "initialisation-too-long": "longer initialisation than the ruleset allows",
    "required-record-damaged": "a record that the ruleset demands is damaged",
}
"""Every reason for which a run counts as infinitely slow; codes are stable."""

NOT_CONVERGED: Final = frozenset({"no-records", "no-run-stop", "not-successful"})
"""Failures of training itself; the other failed runs still say how much they trained."""

TIME_LOGGED_APART: Final[Mapping[tuple[str, str], str]] = {
    ("v0.6", "minigo"): "mlperf-logging compliance_checker/training_0.6.0/score.yaml",
}
"""Round and benchmark whose time is the `timestamp` of `eval_result`, with the source.

MiniGo v0.6 evaluates its models after the run; the time of the first model that reached
the target is logged apart. It gives the published 27.39 and 14.43 minutes.
"""

_NO_QUALITY: Final = "quality-not-logged"

SUCCESS: Final = "success"
EPOCH_DIGITS: Final = 3
"""mlperf-logging rounds epochs to so many digits."""

DISBELIEVED: Final = "logged throughput"
"""Begins the warning about it."""

FIRST_ROUND_NOTATION: Final = "v0.5"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a log lies: the identity of its configuration."""

    round: str
    submitter: str
    system_id: str
    benchmark: str
    benchmark_folder: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether a run counts."""

    failure: str | None = None
    reason: str | None = None


def judge(
    log: LogFacts,
    place: Place,
    *,
    division: str | None = None,
    time_min: float | None = None,
) -> Verdict:
    """Return the first rule that a run fails, or a verdict without failure.

    Parameters
    ----------
    log
        What the log says.
    place
        Its round and benchmark decide the ruleset.
    division
        Division of the system, used where the log does not say its own.
    time_min
        Time of the run in minutes.
    """
    code, detail = _failure(log, place, division, time_min)
    if code is None:
        return Verdict()
    reason = FAILURES[code]
    return Verdict(failure=code, reason=f"{reason}{detail}")


def make_run(log: LogFacts, place: Place, *, division: str | None = None) -> tuple[Run, Verdict]:
    """Return the run that a log describes, and why it fails if it does."""
    apart_min = _apart_min(log, place)
    time_min = _time_min(log) if apart_min is None else apart_min
    verdict = judge(log, place, division=division, time_min=time_min)
    success = verdict.failure is None
    block = _block(place)
    batch = log.number("global_batch_size")
    rule = _quality_rule(place, _division(log, division), batch)
    converged = verdict.failure not in NOT_CONVERGED
    progress = _progress(log, rule, passing=converged)
    samples = None
    if converged and progress is not None and block is not None:
        exact = _progress(log, rule, passing=converged, digits=None)
        samples = block.samples_trained(exact or progress, place.round, global_batch_size=batch)
    rate, source, warning = _throughput(log, place, block, samples, time_min)
    if apart_min is not None:
        warning = (*warning, _apart_warning(log, place, apart_min))
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
        throughput_logged=log.rate_per_s,
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


def _apart_min(log: LogFacts, place: Place) -> float | None:
    """Return the time to the target where it is logged apart."""
    if log.eval_result_s is None or (place.round, place.benchmark) not in TIME_LOGGED_APART:
        return None
    return log.eval_result_s / S_PER_MIN


def _apart_warning(log: LogFacts, place: Place, time_min: float) -> str:
    between = _time_min(log)
    other = "there is no run_stop" if between is None else f"run_stop is at {between:.6g} min"
    text = f"time to target logged apart by eval_result: {time_min:.6g} min ({other})"
    return locate(text, place.path, None)


def _time_min(log: LogFacts) -> float | None:
    if log.start_ms is None or log.stop_ms is None:
        return None
    return ms_to_min(log.stop_ms - log.start_ms)


def _failure(
    log: LogFacts, place: Place, division: str | None, time_min: float | None
) -> tuple[str | None, str]:
    """Return the code of the first rule that fails and what to add to its text."""
    if log.notation is None and not log.damage_count:
        return "no-records", ""
    apart = _apart_min(log, place) is not None
    if log.stop_ms is None and not apart:
        return "no-run-stop", _cut_text(log)
    if log.start_ms is None:
        return "no-run-start", ""
    if time_min is None or time_min <= 0:
        return "stop-before-start", ""
    if not _succeeded(log) and not (apart and log.stop_ms is None):
        return "not-successful", f" (status {log.status or 'missing'})"
    own = _division(log, division)
    return _ruleset_failure(log, place, own)


def _ruleset_failure(log: LogFacts, place: Place, division: str) -> tuple[str | None, str]:
    rule = _quality_rule(place, division, log.number("global_batch_size"))
    if rule is not None and rule.bounds and rule.at_least_one:
        found = False
        for value in _qualities((*log.evaluations, *log.evaluations_after_stop), rule):
            found = True
            if rule.passes(value):
                break
        else:
            return ("quality-not-reached", f" ({rule.source})") if found else (_NO_QUALITY, "")
    common = _run_rule(place, division)
    if common is not None and common.init_limit_min is not None and _init_too_long(log, common):
        return "initialisation-too-long", f" ({common.init_limit_min:g} min; {common.source})"
    lost = log.lost_keys & _required(place, division) if log.lost_keys else frozenset()
    if lost:
        return "required-record-damaged", f" ({', '.join(sorted(lost))})"
    return None, ""


def _succeeded(log: LogFacts) -> bool:
    """Return whether the stop says success; v0.5 may say nothing and log a target instead."""
    if log.status is None and log.notation == FIRST_ROUND_NOTATION:
        target = log.number("eval_target")
        qualities = [e.value for e in log.evaluations]
        return target is None or any(isinstance(q, float) and q >= target for q in qualities)
    return log.status is not None and log.status.strip().lower() == SUCCESS


def _cut_text(log: LogFacts) -> str:
    last = log.damages[-1] if log.damages else None
    if last is None or "file ends" not in last.reason:
        return ""
    return f" ({last.reason} at line {last.line})"


def _init_too_long(log: LogFacts, rule: RunRule) -> bool:
    if log.init_start_ms is None or log.init_stop_ms is None or rule.init_limit_min is None:
        return False
    return log.init_stop_ms - log.init_start_ms >= rule.init_limit_min * MS_PER_MIN


def _division(log: LogFacts, division: str | None) -> str:
    """Return the division whose rules apply: the log's own, as the official check does."""
    own = log.text("submission_division")
    if division == UNVERIFIED_DIVISION:
        return UNVERIFIED_DIVISION
    for name in (own, division):
        if name is not None and name.strip().lower() in VERIFIED_DIVISIONS:
            return name.strip().lower()
    return "closed"


def _qualities(
    evaluations: Sequence[Evaluation], rule: QualityRule
) -> Iterator[float | Mapping[str, float]]:
    """Yield the values to check, the latest first, metrics of one evaluation put together."""
    if not _by_metric(rule):
        for evaluation in evaluations[::-1]:
            if (value := evaluation.value) is not None:
                yield value
        return
    grouped: dict[float | None, dict[str, float]] = {}
    for evaluation in evaluations:
        value = evaluation.value
        if isinstance(value, Mapping):
            yield value
        elif value is not None and evaluation.metric is not None:
            step = evaluation.progress.get(rule.progress_key or "")
            grouped.setdefault(step, {})[evaluation.metric] = value
    yield from grouped.values()


def _by_metric(rule: QualityRule) -> bool:
    return any(bound.metric is not None for bound in rule.bounds)


def _progress(
    log: LogFacts, rule: QualityRule | None, *, passing: bool, digits: int | None = EPOCH_DIGITS
) -> float | None:
    """Return the progress where the run converged, as mlperf-logging's rcp_checker takes it.

    That is the progress of the last evaluation before the stop; of a benchmark with several
    metrics it is the first evaluation that meets all of them. Epochs are rounded.
    """
    key = rule.progress_key if rule is not None else None
    if rule is not None and _by_metric(rule) and passing and key is not None:
        found = _first_passing(log.evaluations, rule, key)
        if found is not None:
            return found
    names = (key,) if key is not None else ("samples_count", "epoch_num", "step_num", "epoch")
    for evaluation in log.evaluations[::-1]:
        progress = evaluation.progress
        for name in names:
            if name in progress:
                value = progress[name]
                return value if digits is None or name != "epoch_num" else round(value, digits)
    for name in ("samples_count", "epoch_num", "step_num"):
        if name in log.stop_progress and key in {None, name}:
            return log.stop_progress[name]
    return None


def _first_passing(evaluations: Iterable[Evaluation], rule: QualityRule, key: str) -> float | None:
    grouped: dict[float, dict[str, float]] = {}
    for evaluation in evaluations:
        step = evaluation.progress.get(key)
        if step is None or evaluation.value is None:
            continue
        if isinstance(evaluation.value, Mapping):
            grouped.setdefault(step, {}).update(evaluation.value)
        elif evaluation.metric is not None:
            grouped.setdefault(step, {})[evaluation.metric] = evaluation.value
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
    place: Place,
    block: Block | None,
    samples: float | None,
    time_min: float | None,
) -> tuple[float | None, str | None, tuple[str, ...]]:
    """Return samples per second, where it comes from, and a warning."""
    if block is not None and block.progress_unit(place.round).unit == "iterations":
        return None, None, ()
    found = training_throughput(
        logged_per_s=log.rate_per_s,
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


@cache
def _rule(
    round_name: str, division: str, benchmark: str, batch: float | None
) -> QualityRule | None:
    try:
        return quality_rule(round_name, division, benchmark, global_batch_size=batch)
    except UnknownNameError:
        return None


def _quality_rule(place: Place, division: str, batch: float | None) -> QualityRule | None:
    return _rule(place.round, division, place.benchmark, batch)


def _run_rule(place: Place, division: str) -> RunRule | None:
    return run_rule(place.round, division) if _is_round(place.round) else None


def _required(place: Place, division: str) -> frozenset[str]:
    try:
        return required_records(place.round, division, place.benchmark)
    except UnknownNameError:
        return frozenset()


@cache
def _is_round(name: str) -> bool:
    try:
        return bool(rounds()[round_index(name)])
    except UnknownNameError:
        return False
