from dataclasses import replace

import numpy as np
import pytest
from tests.scaling.pooled_builders import COUNTS, catalogue, configuration, true_minutes

from equipoise import extras
from equipoise.errors import NothingFoundError, UnknownNameError
from equipoise.scaling import validate_pooled
from equipoise.scaling.pooled import pool_points
from equipoise.scaling.pooled.points import build_pool
from equipoise.scaling.validate import PREDICTORS, accuracy_rows, validate
from equipoise.scaling.validate_baselines import along_curve, law_model, nearest
from equipoise.scaling.validate_pooled import Scored, run_pooled_fold
from equipoise.scaling.validate_protocols import PROTOCOLS, cases_of, curves_of, folds_of
from equipoise.scaling.validate_stored import read_accuracy, stored_accuracy, write_accuracy


def dense() -> list[object]:
    """Return full curves of three benchmarks on three accelerators in three rounds."""
    rng = np.random.default_rng(2)
    return [
        configuration(
            round=round_name,
            benchmark=benchmark,
            accelerator_id=accelerator,
            accelerators=n,
            submitter="Alpha" if n < 32 else "Beta",
            time_to_train_min=true_minutes(benchmark, accelerator, round_name, n)
            * float(np.exp(0.02 * rng.standard_normal())),
        )
        for benchmark in ("bert", "retinanet", "stable_diffusion")
        for accelerator in ("a100-sxm4-80gb", "h100-sxm5-80gb", "b200-sxm-180gb")
        for round_name in ("v4.0", "v4.1")
        for n in COUNTS
    ]


POINTS = pool_points(dense())
POOL = build_pool(POINTS)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validate_pooled, "CYCLES", 1)
    monkeypatch.setattr(validate_pooled, "STEPS", 2)


def test_protocols_leave_out_what_they_say() -> None:
    assert len(curves_of(POINTS)) == 18
    assert len(cases_of(POINTS, "interior")) == 18 * 3
    assert len(cases_of(POINTS, "edge")) == 18 * 2
    assert len(cases_of(POINTS, "pair")) == 9
    assert len(cases_of(POINTS, "family")) == 3
    own = cases_of(POINTS, "own-job")
    assert len(own) == 18
    for case in own:
        assert [POINTS[i].place.accelerators for i in case.shown] == [8, 16]
        assert len({POINTS[i].block for i in case.hidden}) == 1


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_no_fold_knows_what_it_predicts(protocol: str) -> None:
    folds = folds_of(POINTS, [protocol])
    predicted: list[int] = []
    for fold in folds:
        for case in fold.cases:
            assert set(case.target) <= set(case.hidden)
            assert not set(case.hidden) & set(fold.known)
            predicted += case.target.tolist()
            if protocol == "forward":
                rounds = {POINTS[i].place.round for i in fold.known}
                assert POINTS[case.target[0]].place.round not in rounds
            if protocol == "family":
                left = {POINTS[i].place.accelerator_id for i in case.target}
                assert not left & {POINTS[i].place.accelerator_id for i in fold.known}
    assert len(predicted) == len(set(predicted))
    assert predicted


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.usefixtures("quick")
def test_the_truth_of_a_case_never_reaches_its_prediction(protocol: str) -> None:
    fold = folds_of(POINTS, [protocol])[0]
    case = fold.cases[0]
    moved = POOL.log_work.copy()
    moved[case.target] += 2.0
    points = tuple(
        replace(p, time_to_train_min=p.time_to_train_min * np.exp(2.0)) if i in case.target else p
        for i, p in enumerate(POINTS)
    )
    other = build_pool(points)
    np.testing.assert_allclose(other.log_work, moved)
    target = set(case.target.tolist())

    def guesses(pool: object) -> dict[tuple[str, int], float]:
        return {
            (s.predictor, s.point): s.error + pool.log_work[s.point]  # type: ignore[attr-defined]
            for s in run_pooled_fold(pool, fold)  # type: ignore[arg-type]
            if s.point in target and s.protocol == protocol
        }

    calm, shifted = guesses(POOL), guesses(other)
    assert calm.keys() == shifted.keys()
    for key, value in calm.items():
        assert shifted[key] == pytest.approx(value, abs=1e-6), key


@pytest.mark.usefixtures("quick")
def test_the_table_has_every_predictor_that_can_predict() -> None:
    done: list[tuple[int, int]] = []
    found = validate(
        dense(),
        protocols=["interior", "edge"],
        rng=np.random.default_rng(0),
        progress=lambda at, total: done.append((at, total)),
    )
    rows = {(r.protocol, r.predictor): r for r in found.accuracy}
    assert {p for _, p in rows} == set(PREDICTORS) - {"ernest"}, "four points are too few for it"
    pooled = rows["interior", "pooled"]
    assert pooled.n == 54
    assert pooled.mdape < rows["interior", "nearest_linear"].mdape
    assert pooled.coverage_90 is not None
    assert pooled.coverage_90 > 0.7
    assert rows["interior", "power"].coverage_90 is None
    assert done[-1] == (10, 10)
    assert found.points == len(POINTS)
    again = validate(dense(), protocols=["interior", "edge"], rng=np.random.default_rng(0))
    assert again.accuracy == found.accuracy


@pytest.mark.usefixtures("quick")
def test_without_the_extra_boosting_is_left_out_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    found = validate(dense(), protocols=["interior"], rng=np.random.default_rng(0))
    predictors = {row.predictor for row in found.accuracy}
    assert "gradient_boosting" not in predictors
    assert {"pooled", "nearest_linear", "power"} <= predictors
    assert found.warnings[0] == (
        "left out: the baseline gradient_boosting needs scikit-learn, which is not installed; "
        "install the extra with: pip install 'equipoise[baselines]'"
    )


def test_copies_never_straddle_train_and_test() -> None:
    copied = [
        *dense(),
        *(
            configuration(
                round="v5.0",
                benchmark="bert",
                accelerator_id="h100-sxm5-80gb",
                accelerators=n,
                time_to_train_min=c.time_to_train_min,
                run_times_min=c.run_times_min,
            )
            for n, c in zip(COUNTS, [c for c in dense() if c.benchmark == "bert"], strict=False)
        ),
    ]
    assert pool_points(copied) == POINTS


def test_laws_and_nearest_see_only_the_visible_curve() -> None:
    case = cases_of(POINTS, "edge")[1]
    guess = along_curve(POINTS, case, "amdahl", law_model("amdahl"))
    assert len(guess) == 1
    assert abs(guess[0].error) < 0.3
    near = nearest(POINTS, case)
    assert len(near) == 1
    family = cases_of(POINTS, "family")[0]
    assert along_curve(POINTS, family, "power", law_model("power")) == []
    assert len(nearest(POINTS, family)) == len(family.target)


def test_accuracy_of_known_errors() -> None:
    def one(error: float, inside: bool | None) -> Scored:
        return Scored(
            protocol="pair",
            predictor="pooled",
            point=0,
            error=error,
            standardised=None,
            log_score=None,
            inside_50=inside,
            inside_80=inside,
            inside_90=inside,
        )

    row = accuracy_rows([one(np.log(1.1), True), one(np.log(0.8), False), one(0.0, True)])[0]
    assert row.n == 3
    assert row.mdape == pytest.approx(0.1)
    assert row.mape == pytest.approx(0.1)
    assert row.coverage_50 == pytest.approx(2 / 3)
    assert accuracy_rows([one(0.0, None)])[0].coverage_90 is None


def test_requests_are_checked() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(UnknownNameError, match="interior"):
        validate(catalogue(), protocols=["interor"], rng=rng)
    with pytest.raises(NothingFoundError):
        validate([configuration()], protocols=["interior"], rng=rng)


def test_the_stored_table_is_complete_and_can_be_written_again() -> None:
    stored = stored_accuracy()
    assert read_accuracy(write_accuracy(stored)) == stored
    rows = {(r.protocol, r.predictor): r for r in stored.accuracy}
    for protocol in PROTOCOLS:
        pooled = rows[protocol, "pooled"]
        assert pooled.n >= 100
        assert pooled.coverage_90 is not None
        for (other, predictor), row in rows.items():
            if other == protocol and not predictor.startswith("pooled"):
                assert pooled.mdape < row.mdape, (protocol, predictor)
