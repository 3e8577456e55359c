"""How accurate the predictors are: every protocol, against baselines, on the same points."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, as_completed
from typing import Final

import numpy as np

from equipoise.domain import Configuration
from equipoise.errors import NothingFoundError, UnknownNameError
from equipoise.extras import MissingExtraError, need
from equipoise.scaling.pooled.points import Point, build_pool, pool_points
from equipoise.scaling.validate_baselines import BOOSTING, LAWS, NEAREST, run_baseline_fold
from equipoise.scaling.validate_pooled import NAMES, Scored, run_pooled_fold
from equipoise.scaling.validate_protocols import PROTOCOLS, Fold, folds_of
from equipoise.structs import dataclass

PREDICTORS: Final = (*NAMES, NEAREST, *LAWS, BOOSTING)


@dataclass(frozen=True, slots=True, kw_only=True)
class AccuracyRow:
    """The accuracy of one predictor in one protocol."""

    protocol: str
    predictor: str
    n: int
    """Points it predicted; a law refuses curves with too few points."""
    mdape: float
    """Median of |predicted / true - 1|, a fraction."""
    mape: float
    """Mean of |predicted / true - 1|, a fraction."""
    log_score: float | None
    """Mean log density of the true log time; larger is better. None: no distribution."""
    coverage_50: float | None
    """Share of points inside the 50 % interval; None: the predictor gives none."""
    coverage_80: float | None
    coverage_90: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationResult:
    """The accuracy table with what it was measured on."""

    accuracy: tuple[AccuracyRow, ...]
    points: int
    configurations: int
    rounds: tuple[str, ...]
    folds: int
    scored: tuple[Scored, ...]
    """Every predicted point, for drawing and for looking into failures."""
    keys: tuple[str, ...]
    """`round/block/accelerator/n` of every point, by its number in `scored`."""
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class FoldTask:
    """One fold with all it needs; it travels to other processes."""

    points: tuple[Point, ...]
    fold: Fold
    pooled: bool
    boosted: bool
    """Whether boosted trees are among the baselines."""
    random_state: int


def run_fold(task: FoldTask) -> list[Scored]:
    """Return the scored points of one fold: the unit of parallel work."""
    pool = build_pool(task.points)
    if task.pooled:
        return run_pooled_fold(pool, task.fold)
    return run_baseline_fold(
        task.points, pool, task.fold, boosted=task.boosted, random_state=task.random_state
    )


def validate(
    configurations: Iterable[Configuration],
    *,
    protocols: Sequence[str] = PROTOCOLS,
    baselines: bool = True,
    rng: np.random.Generator,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ValidationResult:
    """Return the accuracy of the pooled model and of the baselines by protocol.

    Parameters
    ----------
    configurations : iterable of Configuration
        Of every benchmark.
    protocols : sequence of str
        See `validate_protocols`.
    baselines : bool
        Also run the baselines; gradient boosting needs the extra of this name.
    rng : Generator
        Seeds the boosted trees; everything else is deterministic.
    executor : Executor or None
        Where folds run: a process pool, or the executor of a Dask client.
    progress : callable or None
        Called with (folds done, folds in all).

    Raises
    ------
    UnknownNameError
        No such protocol.
    NothingFoundError
        Nothing to validate on.
    """
    for protocol in protocols:
        if protocol not in PROTOCOLS:
            raise UnknownNameError("protocol", protocol, PROTOCOLS)
    points = pool_points(configurations)
    folds = folds_of(points, protocols)
    if not folds:
        raise NothingFoundError("no curve or pair of the configurations can be left out")
    seed = int(rng.integers(2**31 - 1))
    kinds = (True, False) if baselines else (True,)
    absent = _absent() if baselines else None
    tasks = [
        FoldTask(points, fold, pooled, absent is None, seed) for pooled in kinds for fold in folds
    ]
    scored = _run(tasks, executor, progress)
    order = {p: i for i, p in enumerate(PROTOCOLS)}
    names = {p: i for i, p in enumerate(PREDICTORS)}
    scored.sort(key=lambda s: (order[s.protocol], names[s.predictor], s.point))
    return ValidationResult(
        accuracy=accuracy_rows(scored),
        points=len(points),
        configurations=sum(len(p.submitters) for p in points),
        rounds=tuple(dict.fromkeys(sorted(p.place.round for p in points))),
        folds=len(folds),
        scored=tuple(scored),
        keys=tuple(
            f"{p.place.round}/{p.block}/{p.place.accelerator_id}/{p.place.accelerators}"
            for p in points
        ),
        warnings=(*((absent,) if absent else ()), *_warnings(scored)),
    )


def _absent() -> str | None:
    """Return why gradient boosting is left out, None where it is not."""
    try:
        need("baselines", f"the baseline {BOOSTING}")
    except MissingExtraError as missing:
        return f"left out: {missing}"
    return None


def _run(
    tasks: Sequence[FoldTask],
    executor: Executor | None,
    progress: Callable[[int, int], None] | None,
) -> list[Scored]:
    found: list[list[Scored]] = [[] for _ in tasks]
    if executor is None:
        for i, task in enumerate(tasks):
            found[i] = run_fold(task)
            if progress is not None:
                progress(i + 1, len(tasks))
    else:
        waiting = {executor.submit(run_fold, task): i for i, task in enumerate(tasks)}
        for done, future in enumerate(as_completed(waiting)):
            found[waiting[future]] = future.result()
            if progress is not None:
                progress(done + 1, len(tasks))
    return [scored for part in found for scored in part]


def accuracy_rows(scored: Sequence[Scored]) -> tuple[AccuracyRow, ...]:
    """Return the accuracy of each protocol and predictor, in the order they come."""
    groups: dict[tuple[str, str], list[Scored]] = defaultdict(list)
    for one in scored:
        groups[one.protocol, one.predictor].append(one)
    rows = []
    for (protocol, predictor), found in groups.items():
        error = np.abs(np.expm1([s.error for s in found]))
        rows.append(
            AccuracyRow(
                protocol=protocol,
                predictor=predictor,
                n=len(found),
                mdape=float(np.median(error)),
                mape=float(np.mean(error)),
                log_score=_mean([s.log_score for s in found]),
                coverage_50=_mean([s.inside_50 for s in found]),
                coverage_80=_mean([s.inside_80 for s in found]),
                coverage_90=_mean([s.inside_90 for s in found]),
            )
        )
    return tuple(rows)


def _mean(values: Sequence[float | bool | None]) -> float | None:
    known = [float(v) for v in values if v is not None]
    return float(np.mean(known)) if known else None


def _warnings(scored: Sequence[Scored]) -> tuple[str, ...]:
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for one in scored:
        counts[one.protocol][one.predictor] += 1
    found = []
    for protocol, by in counts.items():
        most = max(by.values())
        short = [f"{name} {n}" for name, n in by.items() if n < most]
        if short:
            found.append(
                f"{protocol}: not every predictor could predict all {most} points: "
                + ", ".join(short)
            )
    return tuple(found)
