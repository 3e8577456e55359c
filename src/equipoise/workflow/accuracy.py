"""How accurate the predictors are, and what to measure next."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from equipoise import facts
from equipoise.errors import UsageError
from equipoise.report.footnotes import footnotes
from equipoise.workflow.analyses import generator
from equipoise.workflow.answer import Answer
from equipoise.workflow.measured import Measured, own_job_of
from equipoise.workflow.pooled import all_configurations, pooled_model
from equipoise.workflow.prediction import one_accelerator, parse_counts

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from equipoise.catalogue import Catalogue

Progress = Callable[[int, int | None], None]


def suggest(
    catalogue: "Catalogue",
    benchmark: str | None = None,
    *,
    measured: Measured,
    accelerator: str,
    candidates: Sequence[int] | str | None = None,
    on: Sequence[str] = (),
    efficiency_floor: float = 0.5,
    seed: int = 0,
) -> Answer:
    """Return which configuration of the user's own job to measure next, and why.

    Parameters
    ----------
    benchmark : str, optional
        The benchmark that the job is like; all of them, weighted, without.
    measured, accelerator
        The measurements so far and the accelerator they were made on.
    candidates, on
        Counts and accelerators that could be measured.
    """
    from equipoise.scaling.suggest import suggest as compute

    model = pooled_model(catalogue)
    own_id = one_accelerator(accelerator)
    job = own_job_of(catalogue, measured, accelerator=own_id, like=benchmark)
    result = compute(
        model,
        measured=[(p.accelerators, p.time_to_train_min) for p in job.measurements],
        accelerator_id=own_id,
        candidates=parse_counts(candidates) if candidates else None,
        on=[one_accelerator(name) for name in on] or None,
        like=benchmark,
        efficiency_floor=efficiency_floor,
        rng=generator(seed),
    )
    rounds = tuple(sorted({p.place.round for p in model.pool.points}, key=facts.round_index))
    best = result.suggestions[0] if result.suggestions else None
    return Answer(
        command="suggest",
        tables={"suggestions": result.suggestions, "similar": result.similar},
        selection={
            "benchmark": benchmark,
            "accelerator": result.accelerator_id,
            "measured": [list(point) for point in result.measured],
            "efficiency_floor": efficiency_floor,
        },
        extra={
            "breakeven_now": result.breakeven_now,
            "probability_now": result.probability_now,
        },
        headline=(
            f"Measure {best.accelerators} x {best.accelerator_id} next: {best.reason}"
            if best
            else None
        ),
        footnotes=footnotes(rounds=rounds, divisions=("closed",), derived=True, unverified=True),
        warnings=(*job.warnings, *result.warnings),
        result=result,
    )


def validate(
    catalogue: "Catalogue",
    *,
    protocols: Sequence[str] = (),
    baselines: bool = True,
    workers: int = 0,
    seed: int = 0,
    scheduler: str | None = None,
    progress: Progress | None = None,
) -> Answer:
    """Return the accuracy of the predictors against baselines, by protocol.

    Parameters
    ----------
    protocols
        interior, edge, pair, family, forward, own-job; all without.
    workers
        Processes; 0 takes one for each core.
    scheduler
        Address of a Dask scheduler (`tcp://host:8786`) whose workers do it instead.

    Raises
    ------
    UnknownNameError, NothingFoundError
        No such protocol; nothing to leave out.
    UsageError, SourceError
        A scheduler that is none, has no worker, or was lost.
    """
    from equipoise.scaling.validate import validate as compute
    from equipoise.scaling.validate_protocols import PROTOCOLS

    if workers < 0:
        raise UsageError(f"--workers {workers} is negative; give 0 or more")
    with _executor(workers, scheduler) as executor:
        result = compute(
            all_configurations(catalogue),
            protocols=tuple(protocols) or PROTOCOLS,
            baselines=baselines,
            rng=generator(seed),
            executor=executor,
            progress=progress,
        )
    return Answer(
        command="validate",
        tables={"accuracy": result.accuracy},
        selection={
            "protocols": list(protocols) or list(PROTOCOLS),
            "points": result.points,
            "configurations": result.configurations,
            "rounds": list(result.rounds),
            "folds": result.folds,
        },
        footnotes=footnotes(rounds=result.rounds, divisions=("closed",), derived=True),
        warnings=result.warnings,
        result=result,
    )


@contextmanager
def _executor(workers: int, scheduler: str | None) -> "Iterator[Executor | None]":
    """Yield where folds run; None is this process."""
    if scheduler is not None:
        from equipoise.catalogue.fleet import executor

        with executor(scheduler) as cluster:
            yield cluster
        return
    count = workers or os.cpu_count() or 1
    if count == 1:
        yield None
        return
    from multiprocessing import get_context

    from equipoise.sources.pooled import Pool

    pool = Pool(count, mp_context=get_context("spawn"))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)
