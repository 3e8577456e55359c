"""Judge one log: does the run count, and if not, by which rule.

Every reason why a run fails is a code in `FAILURES`. The bounds come from the ruleset of
the round as data (`facts.quality_rule`, `facts.run_rule`, `facts.required_records`).
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Final

from equipoise.domain import UNVERIFIED_DIVISION, VERIFIED_DIVISIONS
from equipoise.errors import UnknownNameError, locate, printable
from equipoise.facts import (
    QualityRule,
    RunRule,
    governing_block,
    quality_rule,
    round_index,
    rounds,
    run_rule,
)
from equipoise.facts.required import required_records
from equipoise.sources.logs import Evaluation, LogFacts
from equipoise.structs import dataclass
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

REMEDIES: Final[Mapping[str, str]] = {
    "no-records": "give the log that the training script wrote, with its lines of :::MLLOG",
    "no-run-start": "give the whole log, from run_start on",
    "no-run-stop": "give the whole log; a run that never stopped has no time",
    "stop-before-start": "correct the clock or the stamps, or repeat the run",
    "not-successful": "only a run that ends with the status success has a time: repeat it",
    "quality-not-logged": "log eval_accuracy before run_stop",
    "quality-not-reached": "train until an evaluation meets the target",
    "initialisation-too-long": "shorten what happens between init_start and init_stop",
    "required-record-damaged": "restore the record from the log as it was written",
}
"""What can be done about each of them."""

NOT_CONVERGED: Final = frozenset({"no-records", "no-run-stop", "not-successful"})
"""Failures of training itself; the other failed runs still say how much they trained."""

TIME_LOGGED_APART: Final[Mapping[tuple[str, str], str]] = {
    ("v0.6", "minigo"): "mlperf-logging compliance_checker/training_0.6.0/score.yaml",
}
"""Round and benchmark whose time is the `timestamp` of `eval_result`, with the source.

MiniGo v0.6 evaluates its models after the run; the time of the first model that reached
the target is logged apart. It gives the published 27.39 and 14.43 minutes.
"""

_RECORD: Final[Mapping[str, str]] = {
    "no-run-stop": "run_start",
    "quality-not-reached": "evaluation",
    "initialisation-too-long": "init_stop",
}
"""The record that a failure is about, where it is not run_stop."""

_NO_QUALITY: Final = "quality-not-logged"

SUCCESS: Final = "success"
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
    line: int | None = None
    """Line of the record that the failure is about."""


COUNTS: Final = Verdict()
"""The verdict on a run that counts."""


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
        return COUNTS
    reason = f"{FAILURES[code]}{detail}"
    return Verdict(failure=code, reason=reason, line=_line(log, code))


def time_apart_min(log: LogFacts, place: Place) -> float | None:
    """Return the time to the target where it is logged apart."""
    if log.eval_result_s is None or (place.round, place.benchmark) not in TIME_LOGGED_APART:
        return None
    return log.eval_result_s / S_PER_MIN


def run_minutes(log: LogFacts, place: Place) -> float | None:
    """Return the official time of a run in minutes, None where a stamp is missing."""
    apart_min = time_apart_min(log, place)
    return _stamped_min(log) if apart_min is None else apart_min


def apart_warning(log: LogFacts, place: Place, time_min: float) -> str:
    """Return what to say about a time that is logged apart."""
    between = _stamped_min(log)
    other = "there is no run_stop" if between is None else f"run_stop is at {between:.6g} min"
    text = f"time to target logged apart by eval_result: {time_min:.6g} min ({other})"
    return locate(text, place.path, None)


def _stamped_min(log: LogFacts) -> float | None:
    if log.start_ms is None or log.stop_ms is None:
        return None
    return ms_to_min(log.stop_ms - log.start_ms)


def _failure(
    log: LogFacts, place: Place, division: str | None, time_min: float | None
) -> tuple[str | None, str]:
    """Return the code of the first rule that fails and what to add to its text."""
    if log.notation is None and not log.damage_count:
        return "no-records", ""
    apart = time_apart_min(log, place) is not None
    if log.stop_ms is None and not apart:
        return "no-run-stop", _cut_text(log)
    if log.start_ms is None:
        return "no-run-start", ""
    if time_min is None or time_min <= 0:
        return "stop-before-start", ""
    if not _succeeded(log) and not (apart and log.stop_ms is None):
        return "not-successful", f" (status {printable(log.status or 'missing')[:80]})"
    own = division_of(log, division)
    return _ruleset_failure(log, place, own)


def _ruleset_failure(log: LogFacts, place: Place, division: str) -> tuple[str | None, str]:
    rule = rule_of(place, division, log.number("global_batch_size"))
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


def _line(log: LogFacts, code: str) -> int | None:
    """Return the line of the record that a failure is about, None where there is none."""
    if code == "no-run-stop" and _cut_text(log):
        return log.damages[-1].line
    if code == "required-record-damaged":
        return next(d.line for d in log.damages if d.lost and d.key in log.lost_keys)
    return log.lines.of(_RECORD.get(code, "run_stop"))


def _cut_text(log: LogFacts) -> str:
    last = log.damages[-1] if log.damages else None
    if last is None or "file ends" not in last.reason:
        return ""
    return f" ({last.reason} at line {last.line})"


def _init_too_long(log: LogFacts, rule: RunRule) -> bool:
    if log.init_start_ms is None or log.init_stop_ms is None or rule.init_limit_min is None:
        return False
    return log.init_stop_ms - log.init_start_ms >= rule.init_limit_min * MS_PER_MIN


def division_of(log: LogFacts, division: str | None) -> str:
    """Return the division whose rules apply: the log's own, as the official check does."""
    return _division(log.text("submission_division"), division)


@lru_cache(maxsize=64)
def _division(own: str | None, division: str | None) -> str:
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
    if not by_metric(rule):
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


def by_metric(rule: QualityRule) -> bool:
    """Return whether a rule bounds several metrics."""
    return any(bound.metric is not None for bound in rule.bounds)


@cache
def _rule(
    round_name: str, division: str, benchmark: str, batch: float | None
) -> QualityRule | None:
    try:
        block = governing_block(benchmark, round_name)
        if round_name not in block.rounds:  # the benchmark left the suite, or joins it later
            left = round_index(block.last_round) < round_index(round_name)
            round_name = block.last_round if left else block.first_round
        return quality_rule(round_name, division, benchmark, global_batch_size=batch)
    except UnknownNameError:
        return None


def rule_of(place: Place, division: str, batch: float | None) -> QualityRule | None:
    """Return the quality rule of a log, None where there is none."""
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
