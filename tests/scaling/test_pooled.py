import numpy as np
import pytest
from tests.scaling.pooled_builders import catalogue, configuration, true_minutes

from equipoise.errors import DataError, NothingFoundError
from equipoise.scaling.pooled import (
    Place,
    PooledModel,
    calibrate,
    fit_points,
    fit_pooled,
    model_key,
    pool_points,
)
from equipoise.scaling.pooled.kernel import covariance, noise_variance
from equipoise.scaling.pooled.learn import Objective, Robust, learn, pair_groups, prior, reweigh
from equipoise.scaling.pooled.leave_out import admit, leave_out, solve
from equipoise.scaling.pooled.points import build_pool
from equipoise.scaling.pooled.shipped import shipped
from equipoise.scaling.pooled.structure import COMPONENTS, SCALES, SMOOTH, STRUCTURE

POOL = build_pool(pool_points(catalogue()))
THETA = prior(STRUCTURE)[0]


def test_structure_is_consistent() -> None:
    names = [c.name for c in COMPONENTS]
    assert len(set(names)) == len(names)
    used = {name for c in COMPONENTS for name in c.smooth}
    assert used == set(SMOOTH)
    assert {scale for s in SMOOTH.values() for _, scale in s.scales} == set(SCALES)
    assert set(shipped().hyperparameters) == set(STRUCTURE.names)


def test_gradient_is_that_of_the_objective() -> None:
    pool = POOL.take(np.arange(0, len(POOL), 3))
    objective = Objective(STRUCTURE, pool)
    weights = np.linspace(0.5, 1.5, len(pool))
    _, gradient = objective(THETA, weights)
    step = 1e-5
    for i in range(len(THETA)):
        there = np.zeros_like(THETA)
        there[i] = step
        above, below = objective(THETA + there, weights)[0], objective(THETA - there, weights)[0]
        assert gradient[i] == pytest.approx((above - below) / (2 * step), rel=1e-4, abs=1e-4), (
            STRUCTURE.names[i]
        )


def test_covariance_is_symmetric_and_positive() -> None:
    matrix = covariance(STRUCTURE, THETA, POOL.at)
    assert np.array_equal(matrix, matrix.T)
    assert np.linalg.eigvalsh(matrix).min() > -1e-8


@pytest.mark.parametrize("submitters", ["named", "evidence", "typical"])
def test_leaving_out_equals_the_literal_refit(submitters: str) -> None:
    robust = reweigh(Objective(STRUCTURE, POOL), THETA, Robust.none(len(POOL)), times=2)
    groups = [np.array([3]), np.array([10, 11, 12]), np.flatnonzero(POOL.at.codes["block"] == 1)]
    found = leave_out(STRUCTURE, THETA, robust, POOL, groups, submitters=submitters, new_pair=False)
    for group, (mean, spread) in zip(groups, found, strict=True):
        rest = np.setdiff1d(np.arange(len(POOL)), group)
        literal = leave_out(
            STRUCTURE,
            THETA,
            _alike(robust, rest, group),
            _joined(rest, group),
            [np.arange(len(rest), len(POOL))],
            submitters=submitters,
            new_pair=False,
            solved=_solved_without(robust, rest, len(group)),
        )[0]
        np.testing.assert_allclose(mean, literal[0], rtol=1e-7)
        np.testing.assert_allclose(spread, literal[1], rtol=1e-5, atol=1e-9)


def _joined(rest: np.ndarray, group: np.ndarray) -> object:
    return POOL.take(np.concatenate([rest, group])).centred_at(POOL.centre)


def _alike(robust: Robust, rest: np.ndarray, group: np.ndarray) -> Robust:
    return robust.take(np.concatenate([rest, group]))


def _solved_without(robust: Robust, rest: np.ndarray, extra: int) -> object:
    """Return the solution of the rest, with rows for the group that say nothing."""
    from equipoise.scaling.pooled.leave_out import Solved

    small = solve(STRUCTURE, THETA, robust.take(rest), POOL.take(rest).centred_at(POOL.centre))
    size = len(rest) + extra
    inverse = np.eye(size)
    inverse[: len(rest), : len(rest)] = small.inverse
    return Solved(inverse, np.concatenate([small.solved, np.zeros(extra)]))


def test_a_left_out_point_never_touches_its_own_prediction() -> None:
    robust = Robust.none(len(POOL))
    from dataclasses import replace

    moved = POOL.log_work.copy()
    moved[5] += 3.0
    other = replace(POOL, log_work=moved)
    for submitters in ("named", "evidence", "typical"):
        a, b = (
            leave_out(
                STRUCTURE, THETA, robust, p, [np.array([5])], submitters=submitters, new_pair=True
            )[0]
            for p in (POOL, other)
        )
        np.testing.assert_allclose(a[0], b[0], rtol=1e-9)
        np.testing.assert_allclose(a[1], b[1], rtol=1e-9)


def test_newcomers_are_judged_by_the_known_points_alone() -> None:
    from dataclasses import replace

    groups = pair_groups(POOL)
    first, second = groups[0], groups[1]
    known = np.setdiff1d(np.arange(len(POOL)), np.concatenate([first, second]))
    robust = Robust.none(len(known))

    def admitted(shift: float) -> Robust:
        moved = POOL.log_work.copy()
        moved[first] += shift
        pool = replace(POOL, log_work=moved)
        return admit(STRUCTURE, THETA, robust, pool, known=known, newcomers=[first, second])

    calm, shifted = admitted(0.0), admitted(3.0)
    np.testing.assert_array_equal(calm.weights[second], shifted.weights[second])
    np.testing.assert_array_equal(calm.tails[second], shifted.tails[second])
    assert shifted.tails[first[0]] > 3 * calm.tails[first[0]]


def test_an_odd_pair_gets_a_heavy_tail_and_does_not_bend_the_rest() -> None:
    found = catalogue()
    odd = [
        configuration(
            benchmark="bert",
            accelerator_id="mi300x",
            accelerators=n,
            round="v5.0",
            time_to_train_min=400.0 / n * 30.0,
        )
        for n in (8, 16)
    ]
    model = fit_pooled([*found, *odd])
    tails = {p.pair: t for p, t in zip(model.pool.points, model.robust.tails, strict=True)}
    assert max(tails, key=lambda pair: tails[pair]) == ("bert@v1.0", "mi300x")
    place = [Place("bert", "v4.1", "h200-sxm5-141gb", 32)]
    with_odd = model.believe(place).mean[0]
    without = fit_pooled(found).believe(place).mean[0]
    assert with_odd == pytest.approx(without, abs=0.02)


def test_one_wild_point_is_given_little_weight() -> None:
    found = catalogue(noise=0.01)
    wild = found[20]
    found[20] = configuration(
        round=wild.round,
        benchmark=wild.benchmark,
        accelerator_id=wild.accelerator_id,
        accelerators=wild.accelerators,
        submitter=wild.submitter,
        time_to_train_min=wild.time_to_train_min * 2.0,
    )
    model = fit_pooled(found)
    key = found[20].key
    at = next(i for i, p in enumerate(model.pool.points) if key in p.keys)
    assert model.robust.weights[at] < 0.1
    assert np.median(model.robust.weights) > 0.8


def test_predictions_are_near_the_truth_between_the_points() -> None:
    model = fit_pooled(catalogue(noise=0.01))
    place = Place("retinanet", "v4.1", "h100-sxm5-80gb", 48)
    belief = model.believe([place])
    truth = true_minutes("retinanet", "h100-sxm5-80gb", "v4.1", 32)
    assert np.exp(belief.mean[0]) / 48 < truth
    beside = model.believe([Place("retinanet", "v4.1", "h100-sxm5-80gb", 32)])
    assert np.exp(beside.mean[0]) / 32 == pytest.approx(truth, rel=0.05)


def test_intervals_cover_points_drawn_from_the_model() -> None:
    rng = np.random.default_rng(3)
    at = POOL.at
    matrix = covariance(STRUCTURE, THETA, at)
    noise = noise_variance(THETA, POOL.configurations, POOL.run_variance)
    root = np.linalg.cholesky(matrix + np.diag(noise) + 1e-9 * np.eye(len(POOL)))
    from dataclasses import replace

    z = []
    for _ in range(8):
        drawn = replace(POOL, log_work=8.0 + root @ rng.standard_normal(len(POOL)), centre=8.0)
        groups = [np.array([i]) for i in range(len(POOL))]
        found = leave_out(
            STRUCTURE,
            THETA,
            Robust.none(len(POOL)),
            drawn,
            groups,
            submitters="named",
            new_pair=False,
        )
        z += [
            float((drawn.log_work[g] - m)[0] / np.sqrt(s[0, 0]))
            for g, (m, s) in zip(groups, found, strict=True)
        ]
    spread = np.abs(z)
    assert (spread < 1.645).mean() == pytest.approx(0.9, abs=0.03)
    assert (spread < 0.6745).mean() == pytest.approx(0.5, abs=0.05)


def test_calibration_finds_scale_and_tails() -> None:
    rng = np.random.default_rng(1)
    z = 1.7 * rng.standard_t(4, size=4000)
    found = calibrate(z)
    assert found.scale == pytest.approx(1.7, rel=0.06)
    assert 3 <= found.freedom <= 5
    for level in (0.5, 0.8, 0.9):
        inside = (np.abs(z) < found.half_width(level)).mean()
        assert inside == pytest.approx(level, abs=0.02)
    assert calibrate(z[:5]).scale == 1.0


def test_calibration_finds_where_errors_lean() -> None:
    rng = np.random.default_rng(3)
    z = 0.4 + 0.8 * rng.standard_t(5, size=4000)
    found = calibrate(z, located=True)
    assert found.location == pytest.approx(0.4, abs=0.05)
    assert found.scale == pytest.approx(0.8, rel=0.06)
    inside = (np.abs(z - found.location) < found.half_width(0.9)).mean()
    assert inside == pytest.approx(0.9, abs=0.02)
    one = np.ones(1)
    assert found.log_density(found.location * one, one) > found.log_density(0.0 * one, one)
    assert calibrate(z).location == 0.0


def test_learning_raises_the_posterior() -> None:
    pool = POOL.take(np.arange(0, len(POOL), 2))
    before = Objective(STRUCTURE, pool)(THETA, np.ones(len(pool)))[0]
    theta, robust, after = learn(STRUCTURE, pool, cycles=1, steps=5)
    assert after < before
    assert theta.shape == THETA.shape
    assert (robust.weights > 0).all()


def test_stored_model_gives_the_same_numbers() -> None:
    model = fit_points(POOL.points)
    stored = model.to_bytes()
    again = PooledModel.from_bytes(stored)
    places = [Place("bert", "v5.0", "b200-sxm-180gb", n) for n in (8, 100)]
    a, b = model.believe(places), again.believe(places)
    np.testing.assert_array_equal(a.mean, b.mean)
    np.testing.assert_array_equal(a.covariance, b.covariance)
    assert fit_points(POOL.points).to_bytes() == stored


def test_damaged_bytes_are_an_error() -> None:
    with pytest.raises(DataError, match="fit it again"):
        PooledModel.from_bytes(b"nothing of the kind")
    with pytest.raises(DataError, match="fit it again"):
        PooledModel.from_bytes(fit_points(POOL.points).to_bytes()[:2000])


def test_key_follows_the_content(monkeypatch: pytest.MonkeyPatch) -> None:
    key = model_key(b"one")
    assert key == model_key(b"one")
    assert key != model_key(b"two")
    monkeypatch.setattr("equipoise.facts.digest", lambda: "other facts")
    assert key != model_key(b"one")


def test_nothing_to_learn_from() -> None:
    with pytest.raises(NothingFoundError, match="no closed"):
        fit_pooled([configuration(accelerators=0)])
    one = fit_pooled([configuration()])
    belief = one.believe([Place("bert", "v4.1", "h100-sxm5-80gb", 8)])
    assert np.exp(belief.mean[0]) / 8 == pytest.approx(10.0, rel=0.01)
