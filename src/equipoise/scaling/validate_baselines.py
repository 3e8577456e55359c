"""Baselines of `validate`: what the points of a case allow without a pooled model.

Each sees the same points as the pooled model. A law is fitted to the case's curve without
the hidden points; where there is no curve left (pair, family) it predicts nothing.
"""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from equipoise import facts
from equipoise.errors import DataError
from equipoise.extras import need
from equipoise.scaling.fit import fit_law
from equipoise.scaling.pooled.coordinates import FIGURES, hardware_figures, kind_of, year_of
from equipoise.scaling.pooled.points import Point, Pool
from equipoise.scaling.validate_pooled import Scored
from equipoise.scaling.validate_protocols import OWN_JOB, Case, Fold

Array = NDArray[np.float64]
Index = NDArray[np.int64]

NEAREST: Final = "nearest_linear"
BOOSTING: Final = "gradient_boosting"
LAWS: Final = ("power", "amdahl", "usl", "ernest")
TREES: Final = 400
DEPTH: Final = 4
LEARNING_RATE: Final = 0.05
PEAK: Final = "peak"

CurveModel = Callable[[Array, Array], Callable[[Array], Array] | None]
"""(counts, minutes) of a curve -> minutes at other counts, or None: too few points."""


def run_baseline_fold(
    points: Sequence[Point], pool: Pool, fold: Fold, *, boosted: bool, random_state: int
) -> list[Scored]:
    """Return the predictions of all baselines for the cases of a fold.

    Raises
    ------
    MissingExtraError
        Boosted trees are wanted and the extra `baselines` is not installed.
    """
    scored = boosting(points, pool, fold, random_state=random_state) if boosted else []
    for case in fold.cases:
        scored += nearest(points, case)
        for law in LAWS:
            scored += along_curve(points, case, law, law_model(law))
    return scored


def law_model(law: str) -> CurveModel:
    """Return a scaling law as a model of curves."""

    def fitted(counts: Array, minutes: Array) -> Callable[[Array], Array] | None:
        try:
            return fit_law(law, counts, minutes).time_min
        except DataError:
            return None

    return fitted


def along_curve(
    points: Sequence[Point], case: Case, predictor: str, model: CurveModel
) -> list[Scored]:
    """Return predictions of a model fitted to what is visible of each curve of a case."""
    scored = []
    for target, curve in _visible_curves(points, case):
        if not curve:
            continue
        counts = np.array([points[i].place.accelerators for i in curve], dtype=np.float64)
        minutes = np.array([points[i].time_to_train_min for i in curve])
        predict = model(counts, minutes)
        if predict is None:
            continue
        wanted = np.array([points[i].place.accelerators for i in target], dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            guess = np.asarray(predict(wanted), dtype=np.float64)
        scored += _scored(points, case, predictor, target, guess)
    return scored


def nearest(points: Sequence[Point], case: Case) -> list[Scored]:
    """Return the nearest visible point of the benchmark scaled by n and by peak FLOP/s.

    Nearest: of the same accelerator if there is one, then by |log2 n| and years.
    """
    scored = []
    hidden = set(case.hidden.tolist())
    for i in case.target:
        want = points[i]
        pool = case.shown if case.protocol == OWN_JOB else _of_block(points, want.block)
        seen = [int(j) for j in pool if int(j) not in hidden or j in case.shown]
        if not seen:
            continue
        best = min(seen, key=lambda j: _distance(points[j], want))
        guess = _scaled(points[best], want)
        scored += _scored(points, case, NEAREST, [int(i)], np.array([guess]))
    return scored


def _of_block(points: Sequence[Point], block: str) -> list[int]:
    return [i for i, point in enumerate(points) if point.block == block]


def _distance(point: Point, want: Point) -> tuple[bool, float, int]:
    here, there = point.place, want.place
    gap = abs(np.log2(here.accelerators / there.accelerators))
    years = abs(year_of(here.round) - year_of(there.round))
    peaks = abs(_log_peak(here.accelerator_id) - _log_peak(there.accelerator_id))
    return here.accelerator_id != there.accelerator_id, float(gap + years + peaks), -1


def _scaled(point: Point, want: Point) -> float:
    here, there = point.place, want.place
    speed = np.exp(_log_peak(here.accelerator_id) - _log_peak(there.accelerator_id))
    return float(point.time_to_train_min * speed * here.accelerators / there.accelerators)


def _log_peak(accelerator_id: str) -> float:
    return hardware_figures(accelerator_id)[PEAK]


def _visible_curves(points: Sequence[Point], case: Case) -> list[tuple[list[int], list[int]]]:
    """Return (targets, visible points of their curve) for each curve of a case.

    Where the curve of the round itself is hidden (forward) the latest earlier one of the
    same benchmark and accelerator takes its place.
    """
    by_curve: dict[tuple[str, str, str], list[int]] = {}
    for i in case.target:
        by_curve.setdefault(points[i].curve, []).append(int(i))
    hidden = set(case.hidden.tolist())
    found = []
    for curve, target in by_curve.items():
        if case.protocol == OWN_JOB:
            found.append((target, case.shown.tolist()))
            continue
        pair = (curve[1], curve[2])
        seen = [i for i, p in enumerate(points) if p.pair == pair and i not in hidden]
        own = [i for i in seen if points[i].curve == curve]
        if not own and seen:
            last = max((points[i].place.round for i in seen), key=facts.round_index)
            earlier = facts.round_index(last) < facts.round_index(curve[0])
            own = [i for i in seen if points[i].place.round == last] if earlier else []
        found.append((target, own))
    return found


def boosting(points: Sequence[Point], pool: Pool, fold: Fold, *, random_state: int) -> list[Scored]:
    """Return predictions of gradient-boosted trees on the features of the pooled model.

    Trained on the fold's known points and, for the own job, its shown ones.
    """
    need("baselines", "gradient boosting")
    from sklearn.ensemble import GradientBoostingRegressor

    table = _features(points)
    trees = GradientBoostingRegressor(
        n_estimators=TREES,
        max_depth=DEPTH,
        learning_rate=LEARNING_RATE,
        subsample=0.7,
        random_state=random_state,
    )
    shown = [case.shown for case in fold.cases]
    train = np.concatenate([fold.known, *shown])
    train = np.unique(train)
    trees.fit(table[train], pool.log_work[train])
    scored = []
    for case in fold.cases:
        counts = np.array([points[i].place.accelerators for i in case.target])
        guess = np.exp(trees.predict(table[case.target])) / counts
        scored += _scored(points, case, BOOSTING, case.target.tolist(), guess)
    return scored


def _features(points: Sequence[Point]) -> Array:
    blocks = sorted({p.block for p in points})
    kinds = sorted({kind_of(p.place.benchmark) for p in points})
    vendors = sorted({facts.accelerator(p.place.accelerator_id).vendor for p in points})
    rows = []
    for p in points:
        figures = hardware_figures(p.place.accelerator_id)
        vendor = facts.accelerator(p.place.accelerator_id).vendor
        rows.append(
            [
                np.log2(p.place.accelerators),
                year_of(p.place.round),
                *(figures[name] for name in FIGURES),
                *(float(p.block == block) for block in blocks),
                *(float(kind_of(p.place.benchmark) == kind) for kind in kinds),
                *(float(vendor == one) for one in vendors),
            ]
        )
    return np.array(rows)


def _scored(
    points: Sequence[Point], case: Case, predictor: str, target: Sequence[int], guess: Array
) -> list[Scored]:
    found = []
    for i, minutes in zip(target, guess, strict=True):
        if not np.isfinite(minutes) or minutes <= 0:
            continue
        found.append(
            Scored(
                protocol=case.protocol,
                predictor=predictor,
                point=int(i),
                error=float(np.log(minutes / points[i].time_to_train_min)),
                standardised=None,
                log_score=None,
                inside_50=None,
                inside_80=None,
                inside_90=None,
            )
        )
    return found
