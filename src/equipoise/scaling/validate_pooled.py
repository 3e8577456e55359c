"""Nested validation of the pooled model: one fold with its own hyperparameters.

Within a fold hyperparameters, outlier weights, calibration and the settings of the own job
are learnt from the fold's known points alone. Each case of the fold is then predicted from
all points it may see: the known ones, and those of the fold's other cases, which are
admitted one group at a time by their agreement with the known ones (`pooled.leave_out`).
The test points of a case never touch anything that its prediction uses.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from equipoise.scaling.own_job_mixture import Beliefs, Mixture, own_beliefs, own_mixture
from equipoise.scaling.pooled.calibration import Calibration, calibrate
from equipoise.scaling.pooled.kernel import covariance, cross_covariance
from equipoise.scaling.pooled.learn import Objective, Robust, learn, reweigh
from equipoise.scaling.pooled.leave_out import (
    Solved,
    Submitters,
    admit,
    leave_out,
    other_submitter,
    query_noise,
    solve,
)
from equipoise.scaling.pooled.mixture import evidence_shares
from equipoise.scaling.pooled.model import PooledModel
from equipoise.scaling.pooled.points import Pool
from equipoise.scaling.pooled.shipped import OwnJobSettings
from equipoise.scaling.pooled.structure import STRUCTURE
from equipoise.scaling.validate_protocols import (
    EDGE,
    FAMILY,
    FORWARD,
    INTERIOR,
    OWN_JOB,
    PAIR,
    Case,
    Fold,
    cases_of,
)
from equipoise.structs import dataclass

Array = NDArray[np.float64]
Index = NDArray[np.int64]

CYCLES: Final = 2
STEPS: Final = 12
NAMES: Final[dict[str, Submitters]] = {
    "pooled": "evidence",
    "pooled_named_submitter": "named",
    "pooled_typical_submitter": "typical",
}
SETTINGS: Final = tuple(
    OwnJobSettings(shape_share=share, level_spread=spread)
    for share in (0.05, 0.2, 0.5)
    for spread in (0.7, 2.0)
)
"""Settings of the own job that a fold chooses among, on its known points."""
FORWARD_GAP: Final = 4
"""Latest rounds of the known points on which forward predictions are calibrated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """One predicted point."""

    protocol: str
    predictor: str
    point: int
    error: float
    """ln(predicted / true)."""
    standardised: float | None
    """(true - predicted) / standard deviation of log time, before calibration."""
    log_score: float | None
    """Log density of the true log time."""
    inside_50: bool | None
    inside_80: bool | None
    inside_90: bool | None


def run_pooled_fold(pool: Pool, fold: Fold) -> list[Scored]:
    """Return the predictions of all cases of a fold by the pooled model."""
    known = pool.take(fold.known)
    pool = pool.centred_at(known.centre)
    theta, robust, _ = learn(STRUCTURE, known, cycles=CYCLES, steps=STEPS)
    if fold.cases[0].protocol == FORWARD:
        return _forward(pool, known, theta, robust, fold)
    if fold.cases[0].protocol == OWN_JOB:
        return _own_jobs(pool, known, theta, robust, fold)
    return _left_out(pool, known, theta, robust, fold)


def _left_out(pool: Pool, known: Pool, theta: Array, robust: Robust, fold: Fold) -> list[Scored]:
    new_pair = fold.cases[0].protocol in (PAIR, FAMILY)
    everyone = _with_others(pool, theta, robust, fold)
    solved = solve(STRUCTURE, theta, everyone, pool)
    solved_known = solve(STRUCTURE, theta, robust, known)
    groups = [case.target for case in fold.cases]
    scored = []
    for predictor, submitters in NAMES.items():
        calibrations = {
            protocol: calibrate_left_out(
                known,
                theta,
                robust,
                [case.target for case in cases_of(known.points, protocol)],
                submitters=submitters,
                new_pair=new_pair,
                solved=solved_known,
            )
            for protocol in sorted({case.protocol for case in fold.cases})
        }
        found = leave_out(
            STRUCTURE,
            theta,
            everyone,
            pool,
            groups,
            submitters=submitters,
            new_pair=new_pair,
            solved=solved,
        )
        for case, (mean, spread) in zip(fold.cases, found, strict=True):
            scored += score_normal(
                case.protocol,
                predictor,
                case.target,
                pool.log_work[case.target],
                mean,
                np.sqrt(np.diag(spread)),
                calibrations[case.protocol],
            )
    return scored


def _with_others(pool: Pool, theta: Array, robust: Robust, fold: Fold) -> Robust:
    """Return weights of all points: those of the fold's cases judged by the known ones.

    Each case is judged by itself, one pair at a time: no case has a say in the weights of
    another.
    """
    newcomers: dict[tuple[int, ...], Index] = {}
    for case in fold.cases:
        groups: dict[tuple[str, str], list[int]] = {}
        for i in case.hidden.tolist():
            groups.setdefault(pool.points[i].pair, []).append(i)
        newcomers |= {tuple(group): np.array(group) for group in groups.values()}
    return admit(
        STRUCTURE, theta, robust, pool, known=fold.known, newcomers=list(newcomers.values())
    )


def calibrate_left_out(
    known: Pool,
    theta: Array,
    robust: Robust,
    groups: Sequence[Index],
    *,
    submitters: Submitters,
    new_pair: bool,
    solved: Solved,
) -> Calibration:
    """Return the calibration on groups of the known points, left out in the same manner."""
    if not groups:
        return calibrate(np.array([]))
    found = leave_out(
        STRUCTURE,
        theta,
        robust,
        known,
        groups,
        submitters=submitters,
        new_pair=new_pair,
        solved=solved,
    )
    z = [
        (known.log_work[group] - mean) / np.sqrt(np.diag(spread))
        for group, (mean, spread) in zip(groups, found, strict=True)
    ]
    return calibrate(np.concatenate(z), groups=_consecutive(groups))


def _consecutive(groups: Sequence[Index]) -> list[Index]:
    ends = np.cumsum([len(group) for group in groups])
    return [np.arange(end - len(group), end) for end, group in zip(ends, groups, strict=True)]


def _forward(pool: Pool, known: Pool, theta: Array, robust: Robust, fold: Fold) -> list[Scored]:
    case = fold.cases[0]
    scored = []
    for predictor, submitters in NAMES.items():
        calibration = _forward_calibration(known, theta, submitters)
        mean, sd = _ahead(known, theta, robust, pool, case.target, submitters)
        scored += score_normal(
            FORWARD,
            predictor,
            case.target,
            pool.log_work[case.target],
            mean,
            sd,
            calibration,
        )
    return scored


def _forward_calibration(known: Pool, theta: Array, submitters: Submitters) -> Calibration:
    """Return the calibration on the latest known rounds, each predicted from those before."""
    years = known.at.places["year"]
    z = []
    for year in np.unique(years)[1:][-FORWARD_GAP:]:
        before = np.flatnonzero(years < year)
        pairs = {known.points[i].pair for i in before}
        now = np.flatnonzero(years == year)
        target = np.array([i for i in now if known.points[i].pair in pairs], dtype=np.int64)
        if not len(target):
            continue
        earlier = known.take(before)
        robust = reweigh(Objective(STRUCTURE, earlier), theta, Robust.none(len(earlier)), times=6)
        mean, sd = _ahead(earlier, theta, robust, known, target, submitters)
        z.append((known.log_work[target] - mean) / sd)
    return calibrate(np.concatenate([*z, np.array([])]), located=True)


def _ahead(
    known: Pool,
    theta: Array,
    robust: Robust,
    pool: Pool,
    target: Index,
    submitters: Submitters,
) -> tuple[Array, Array]:
    """Return mean and standard deviation of log work of later points of known pairs."""
    tail = {p.pair: t for p, t in zip(known.points, robust.tails, strict=True)}
    tails = np.array([tail.get(pool.points[i].pair, 1.0) for i in target])
    queries = pool.at.take(target).standing_out(tails)
    if submitters == "typical":
        queries = queries.submitted_by(np.zeros_like(queries.shares))
    elif submitters == "evidence":
        queries = queries.submitted_by(evidence_shares(queries, known.at))
    cross = cross_covariance(STRUCTURE, theta, queries, known.at.standing_out(robust.tails))
    prior = covariance(STRUCTURE, theta, queries)
    mean, spread = solve(STRUCTURE, theta, robust, known).predict(cross, prior)
    variance = np.diag(spread) + query_noise(theta, pool.run_variance[target])
    if submitters != "named":
        variance = variance + other_submitter(STRUCTURE, theta, queries.shares) ** 2
    return mean + known.centre, np.sqrt(variance)


def score_normal(
    protocol: str,
    predictor: str,
    points: Index,
    truth: Array,
    mean: Array,
    sd: Array,
    calibration: Calibration,
) -> list[Scored]:
    """Return scored points of calibrated predictions of log time."""
    z = (truth - mean) / sd
    density = calibration.log_density(z, sd)
    away = np.abs(z - calibration.location)
    widths = [calibration.half_width(level) for level in (0.5, 0.8, 0.9)]
    return [
        Scored(
            protocol=protocol,
            predictor=predictor,
            point=int(points[i]),
            error=float(mean[i] + calibration.location * sd[i] - truth[i]),
            standardised=float(z[i]),
            log_score=float(density[i]),
            inside_50=bool(away[i] <= widths[0]),
            inside_80=bool(away[i] <= widths[1]),
            inside_90=bool(away[i] <= widths[2]),
        )
        for i in range(len(points))
    ]


def _own_jobs(pool: Pool, known: Pool, theta: Array, robust: Robust, fold: Fold) -> list[Scored]:
    settings, calibration = own_job_settings(known, theta, robust)
    everyone = _with_others(pool, theta, robust, fold)
    scored = []
    for block in dict.fromkeys(pool.points[case.target[0]].block for case in fold.cases):
        cases = [c for c in fold.cases if pool.points[c.target[0]].block == block]
        seen = np.setdiff1d(np.arange(len(pool)), cases[0].hidden)
        model = _model(pool.take(seen).centred_at(pool.centre), theta, everyone.take(seen))
        for case in cases:
            _, mixture = own_mixture(
                own_case(model, pool, case), settings=settings, calibration=calibration
            )
            scored += _score_mixture(pool, case, mixture)
    return scored


def _model(pool: Pool, theta: Array, robust: Robust) -> PooledModel:
    return PooledModel(STRUCTURE, theta, robust, pool, solve(STRUCTURE, theta, robust, pool))


def own_case(model: PooledModel, pool: Pool, case: Case) -> Beliefs:
    """Return what the model makes of the rest of a curve known by its shown points."""
    shown = [pool.points[i] for i in case.shown]
    return own_beliefs(
        model,
        measured=[(p.place.accelerators, p.time_to_train_min) for p in shown],
        accelerator_id=shown[0].place.accelerator_id,
        targets=[
            (pool.points[i].place.accelerator_id, pool.points[i].place.accelerators)
            for i in case.target
        ],
        like=None,
    )


def own_job_settings(
    known: Pool, theta: Array, robust: Robust
) -> tuple[OwnJobSettings, Calibration]:
    """Return settings and calibration that describe the known benchmarks best."""
    cases = cases_of(known.points, OWN_JOB)
    unit = Calibration(scale=1.0, freedom=8.0, errors=0)
    scores = dict.fromkeys(SETTINGS, 0.0)
    standardised: dict[OwnJobSettings, list[float]] = {setting: [] for setting in SETTINGS}
    for block in dict.fromkeys(known.points[case.target[0]].block for case in cases):
        mine = [c for c in cases if known.points[c.target[0]].block == block]
        seen = np.setdiff1d(np.arange(len(known)), mine[0].hidden)
        model = _model(known.take(seen), theta, robust.take(seen))
        for case in mine:
            truth = np.log([known.points[i].time_to_train_min for i in case.target])
            beliefs = own_case(model, known, case)
            for setting in SETTINGS:
                _, mixture = own_mixture(beliefs, settings=setting, calibration=unit)
                scores[setting] += float(mixture.log_density(truth).sum())
                standardised[setting] += list(mixture.standardise(truth))
    best = max(SETTINGS, key=lambda setting: scores[setting])
    return best, calibrate(np.array(standardised[best]))


def _score_mixture(pool: Pool, case: Case, mixture: Mixture) -> list[Scored]:
    truth = np.log([pool.points[i].time_to_train_min for i in case.target])
    centre, density = mixture.quantile(0.5), mixture.log_density(truth)
    z = mixture.standardise(truth)
    bounds = [
        (mixture.quantile((1 - level) / 2), mixture.quantile((1 + level) / 2))
        for level in (0.5, 0.8, 0.9)
    ]
    inside = [(low <= truth) & (truth <= high) for low, high in bounds]
    return [
        Scored(
            protocol=OWN_JOB,
            predictor="pooled",
            point=int(case.target[i]),
            error=float(centre[i] - truth[i]),
            standardised=float(z[i]),
            log_score=float(density[i]),
            inside_50=bool(inside[0][i]),
            inside_80=bool(inside[1][i]),
            inside_90=bool(inside[2][i]),
        )
        for i in range(len(case.target))
    ]


KINDS: Final = {
    INTERIOR: "interpolated",
    EDGE: "extrapolated",
    PAIR: "new_pair",
    FAMILY: "new_accelerator",
    FORWARD: "forward",
    OWN_JOB: "own_job",
}
"""Which calibration of the shipped predictor each protocol stands for."""
