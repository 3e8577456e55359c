"""Stage 1, the whole of it: held-out skill first, then which variables matter."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from equipoise.domain import Configuration
from equipoise.evaluate import groups as grouping
from equipoise.evaluate import words
from equipoise.evaluate.dependence import dependence
from equipoise.evaluate.encode import Design, design
from equipoise.evaluate.fixed import fixed_effects
from equipoise.evaluate.information import mutual_information, sparse_coefficients
from equipoise.evaluate.model import HeldOut, fit_folds, r_squared
from equipoise.evaluate.permutation import permutation_importance
from equipoise.evaluate.results import FixedEffect, ImportanceResult, Skill, VariableImportance
from equipoise.metrics.agreement import kendall_tau
from equipoise.metrics.criteria import Criterion, criterion, values
from equipoise.structs import dataclass

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

FEWEST = 16
"""Configurations below which no model is fitted."""
MOST_ROWS = 3000
"""More configurations than this are subsampled (and that is said)."""
FOLDS = 5
REPEATS = 2
SKILL_FLOOR = 0.3
TOP = 4
"""Sets of variables with partial dependence."""
RESAMPLES = 1000
LEVEL = 0.90


@dataclass(frozen=True, slots=True, kw_only=True)
class _Setting:
    """What every step of the analysis needs."""

    design: Design
    target: FloatArray
    groups: IntArray
    group_kind: str
    item: Criterion


def importance(
    configurations: Sequence[Configuration],
    *,
    target: str = "time_to_train_min",
    rng: np.random.Generator,
    skill_floor: float = SKILL_FLOOR,
) -> ImportanceResult:
    """Say which variables explain a criterion, how surely, and how far to believe it.

    A ridge regression plus extremely randomised trees is fitted with whole groups (one
    accelerator family in one round) held out; the importance of a set of variables is the
    rise of the held-out squared error when it is shuffled. Mutual information and a lasso
    stand beside it. With a held-out R2 below `skill_floor` importances are withheld.

    Parameters
    ----------
    configurations
        Selected configurations: one benchmark, one compatible block.
    target
        Name or alias of a criterion of `equipoise.metrics.criteria`.
    rng
        Source of all randomness: the same generator state gives the same result.
    skill_floor
        Least held-out R2 at which importances are shown.

    Raises
    ------
    UnknownNameError
        `target` is not a criterion.

    """
    item = criterion(target)
    kept, outcome, notes = _usable(configurations, item, rng=rng)
    coded = design(kept)
    fixed = fixed_effects(kept, outcome, log=item.log, rng=rng) if kept else ()
    reason = _too_little(coded, outcome)
    if reason is not None:
        return _result(kept, item, coded, fixed=fixed, notes=(*notes, reason))
    group_of, kind = grouping.near_copies(kept)
    setting = _Setting(design=coded, target=outcome, groups=group_of, group_kind=kind, item=item)
    held_out, fold_of = _cross_validate(setting, rng=rng)
    skill = _skill(setting, held_out, floor=skill_floor, rng=rng)
    if not skill.trusted:
        return _result(kept, item, coded, fixed=fixed, skill=skill, notes=notes, kind=kind)
    rows = _rows(setting, held_out, fold_of, rng=rng)
    place = {b.variable.name: i for i, b in enumerate(coded.blocks)}
    points = tuple(
        point
        for row in rows[:TOP]
        if row.matters
        for point in dependence(
            coded, held_out[: skill.folds], [place[m] for m in row.members], log=item.log, rng=rng
        )
    )
    return ImportanceResult(
        benchmark=words.one_benchmark(kept),
        target=item.name,
        target_unit=item.unit,
        target_log=item.log,
        configurations=len(kept),
        skill=skill,
        withheld=False,
        variables=rows,
        dependence=points,
        fixed=fixed,
        coverage=coded.coverage,
        rank_agreement=_rank_agreement(rows),
        sentence=words.summary(item, skill, rows, fixed),
        method=words.method(kind, folds=FOLDS, repeats=REPEATS),
        warnings=notes,
    )


def _usable(
    configurations: Sequence[Configuration], item: Criterion, *, rng: np.random.Generator
) -> tuple[list[Configuration], FloatArray, tuple[str, ...]]:
    """Return the configurations with a target, its (log) values, and notes."""
    column = values(configurations, [item.name])[:, 0]
    good = np.isfinite(column) & ((column > 0) | (not item.log))
    rows = np.flatnonzero(good)
    notes = []
    if rows.size < len(configurations):
        missing = len(configurations) - rows.size
        notes.append(f"{missing} of {len(configurations)} configurations have no {item.label}.")
    if rows.size > MOST_ROWS:
        notes.append(
            f"{MOST_ROWS} of {rows.size} configurations, drawn at random, stand for all of them."
        )
        rows = np.sort(rng.choice(rows, MOST_ROWS, replace=False))
    outcome = np.log(column[rows]) if item.log else column[rows]
    return [configurations[int(i)] for i in rows], outcome, tuple(notes)


def _too_little(coded: Design, outcome: FloatArray) -> str | None:
    n = outcome.size
    if n < FEWEST:
        return (
            f"{words.count(n)}: too few to say which variables matter ({FEWEST} are needed); "
            "compare them directly instead."
        )
    if not coded.blocks:
        return "No variable differs between these configurations, so none can explain anything."
    if np.ptp(outcome) <= 0:
        return "The target is the same for all configurations: there is nothing to explain."
    return None


def _cross_validate(
    setting: _Setting, *, rng: np.random.Generator
) -> tuple[list[HeldOut], IntArray]:
    held_out: list[HeldOut] = []
    fold_of = np.zeros(setting.target.size, dtype=np.int64)
    for repeat in range(REPEATS):
        fold_of = grouping.folds(setting.groups, count=FOLDS, rng=rng)
        held_out += fit_folds(setting.design, setting.target, fold_of, repeat=repeat, rng=rng)
    return held_out, fold_of


def _skill(
    setting: _Setting, held_out: Sequence[HeldOut], *, floor: float, rng: np.random.Generator
) -> Skill:
    target, n = setting.target, setting.target.size
    predicted = np.zeros(n)
    for fold in held_out:
        predicted[fold.rows] += fold.predicted / REPEATS
    r2 = r_squared(target, predicted, np.ones(n))
    _, inverse = np.unique(setting.groups, return_inverse=True)
    count = int(inverse.max()) + 1
    draws = rng.multinomial(count, np.full(count, 1 / count), size=RESAMPLES)
    again = [r_squared(target, predicted, d[inverse].astype(float)) for d in draws if d.max()]
    known = [v for v in again if v is not None]
    low, high = np.quantile(known, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]) if known else (None, None)
    error = np.expm1(np.abs(predicted - target)) if setting.item.log else None
    mdape = None if error is None else float(np.median(error))
    trusted = r2 is not None and r2 >= floor
    return Skill(
        r2=r2,
        r2_low=None if low is None else float(low),
        r2_high=None if high is None else float(high),
        mdape=mdape,
        floor=floor,
        trusted=trusted,
        n=n,
        groups=count,
        folds=int(min(FOLDS, count)),
        sentence=words.skill(setting.item, setting.group_kind, r2, low, high, mdape, floor),
    )


def _rows(
    setting: _Setting, held_out: Sequence[HeldOut], fold_of: IntArray, *,
    rng: np.random.Generator,
) -> tuple[VariableImportance, ...]:  # fmt: skip
    coded, target = setting.design, setting.target
    sets = grouping.variable_sets(coded.blocks)
    rises = permutation_importance(coded, target, held_out, sets, setting.groups, rng=rng)
    weights, _ = sparse_coefficients(coded, target, fold_of)
    total = len(coded.blocks)
    drafts = []
    for members, rise in zip(sets, rises, strict=True):
        informed = [mutual_information(coded.blocks[i], target, variables=total) for i in members]
        linear = float(max(weights[i] for i in members))
        votes = (rise.low > 0, any(x.matters for x in informed), linear > 0)
        names = tuple(coded.blocks[i].variable.name for i in members)
        drafts.append((rise, names, informed, linear, votes, coded.blocks[members[0]]))
    drafts.sort(key=lambda d: (-d[0].importance, d[1]))
    return tuple(
        VariableImportance(
            variable=names[0],
            label=block.variable.label,
            importance=rise.importance,
            low=rise.low,
            high=rise.high,
            rank=place,
            agreement=sum(votes) / len(votes),
            n=block.known,
            members=names,
            matters=votes[0],
            mutual_information=max(x.nats for x in informed),
            mutual_information_matters=votes[1],
            linear=linear,
            linear_matters=votes[2],
            sentence=words.variable(block.variable, rise, names, votes),
        )
        for place, (rise, names, informed, linear, votes, block) in enumerate(drafts, start=1)
    )


def _rank_agreement(
    rows: Sequence[VariableImportance],
) -> tuple[tuple[str, str, float], ...]:
    """Return Kendall's tau-b between the orders by the three methods."""
    orders = {
        "permutation importance": [r.importance for r in rows],
        "mutual information": [r.mutual_information or 0.0 for r in rows],
        "sparse linear model": [r.linear or 0.0 for r in rows],
    }
    names = list(orders)
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    result = []
    for a, b in pairs:
        one, two = (np.unique(orders[name], return_inverse=True)[1] for name in (a, b))
        tau = kendall_tau(one.reshape(-1), two.reshape(-1))
        if tau is not None:
            result.append((a, b, tau))
    return tuple(result)


def _result(
    kept: Sequence[Configuration], item: Criterion, coded: Design, *,
    fixed: tuple[FixedEffect, ...], notes: tuple[str, ...], skill: Skill | None = None,
    kind: str | None = None,
) -> ImportanceResult:  # fmt: skip
    """Return a result without importances: too little data, or too little skill."""
    sentence = notes[-1] if skill is None else words.withheld(skill)
    return ImportanceResult(
        benchmark=words.one_benchmark(kept),
        target=item.name,
        target_unit=item.unit,
        target_log=item.log,
        configurations=len(kept),
        skill=skill,
        withheld=True,
        variables=(),
        dependence=(),
        fixed=fixed,
        coverage=coded.coverage,
        rank_agreement=(),
        sentence=sentence,
        method="no model" if kind is None else words.method(kind, folds=FOLDS, repeats=REPEATS),
        warnings=notes if skill is None else (*notes, sentence),
    )
