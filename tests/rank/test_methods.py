import inspect
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from equipoise.errors import UnknownNameError
from equipoise.rank.methods import METHODS, method_named, promethee, vikor
from equipoise.rank.methods.spotis import matrix_bounds
from equipoise.rank.ordering import competition_ranks


def problem(seed: int, m: int = 12, n: int = 4):
    rng = np.random.default_rng(seed)
    matrix = np.round(rng.lognormal(1.0, 1.0, (m, n)), 3) + 0.01
    weights = rng.dirichlet(np.ones(n))
    benefit = rng.random(n) < 0.5
    return matrix, weights, benefit


def arguments(name: str, matrix):
    return {"bounds": matrix_bounds(matrix)} if METHODS[name].uses_bounds else {}


def evaluate(name: str, matrix, weights, benefit):
    return METHODS[name].kernel(matrix, weights, benefit, **arguments(name, matrix))


# --- agreement with two independent libraries ---------------------------------------------


def peer(name: str, matrix, weights, benefit):
    from pymcdm import methods, normalizations

    types = np.where(benefit, 1, -1)
    maker = {
        "topsis": lambda: methods.TOPSIS(normalizations.vector_normalization),
        "vikor": methods.VIKOR,
        "promethee": lambda: methods.PROMETHEE_II("usual"),
        "waspas": methods.WASPAS,
        "spotis": lambda: methods.SPOTIS(matrix_bounds(matrix)),
    }[name]
    return maker()(matrix, weights, types)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("seed", range(8))
def test_agrees_with_pymcdm(name, seed):
    given = problem(seed)
    assert evaluate(name, *given) == pytest.approx(peer(name, *given), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_topsis_of_scaled_values_agrees_with_pymcdm(seed):
    from pymcdm import methods

    matrix, weights, benefit = problem(seed)
    low, high = matrix.min(axis=0), matrix.max(axis=0)
    scaled = np.where(benefit, matrix - low, high - matrix) / (high - low)
    ours = METHODS["topsis"].kernel(scaled, weights, np.ones(4, dtype=bool), vector=False)
    theirs = methods.TOPSIS()(matrix, weights, np.where(benefit, 1, -1))
    assert ours == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", ["vshape_2", "vshape", "ushape"])
def test_promethee_thresholds_agree_with_pymcdm(seed, kind):
    from pymcdm import methods

    matrix, weights, benefit = problem(seed)
    p = np.ptp(matrix, axis=0) * 0.4
    q = {"vshape_2": p / 4, "vshape": np.zeros(4), "ushape": p}[kind]
    ours = promethee.net_flow(matrix, weights, benefit, indifference=q, preference=p)
    theirs = methods.PROMETHEE_II(kind, p=list(p), q=list(q))(
        matrix, weights, np.where(benefit, 1, -1)
    )
    assert ours == pytest.approx(theirs, abs=1e-12)


@pytest.mark.filterwarnings("ignore:Although TOPSIS can operate")
@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_scikit_criteria(seed):
    skcriteria = pytest.importorskip("skcriteria")
    from skcriteria.agg.spotis import SPOTIS
    from skcriteria.agg.topsis import TOPSIS
    from skcriteria.agg.vikor import VIKOR
    from skcriteria.preprocessing.scalers import VectorScaler

    matrix, weights, benefit = problem(seed)
    objectives = [max if more else min for more in benefit]
    dm = skcriteria.mkdm(matrix, objectives, weights=weights)
    topsis = TOPSIS().evaluate(VectorScaler("matrix").transform(dm))
    assert evaluate("topsis", matrix, weights, benefit) == pytest.approx(topsis.e_.similarity)
    vikor = VIKOR(use_compromise_set=False).evaluate(dm)
    assert evaluate("vikor", matrix, weights, benefit) == pytest.approx(vikor.e_.q_k)
    spotis = SPOTIS().evaluate(dm)
    assert evaluate("spotis", matrix, weights, benefit) == pytest.approx(spotis.e_.score)


def test_compromise_sets_agree_with_scikit_criteria():
    skcriteria = pytest.importorskip("skcriteria")
    from skcriteria.agg.vikor import VIKOR

    seen = set()
    for seed in [*range(60), 2889, 3418]:  # the last two are ahead but not stable
        matrix, weights, benefit = problem(seed, m=5, n=5)
        objectives = [max if more else min for more in benefit]
        theirs = VIKOR().evaluate(skcriteria.mkdm(matrix, objectives, weights=weights)).e_
        ours = np.flatnonzero(vikor.compromise_set(matrix, weights, benefit))
        assert ours.tolist() == sorted(theirs.compromise_set.tolist())
        seen.add((bool(theirs.acceptable_advantage), bool(theirs.acceptable_stability)))
    assert {(True, True), (False, True), (True, False)} <= seen


# --- the literal definition of the net flow -----------------------------------------------


@given(
    arrays(
        np.float64,
        st.tuples(st.integers(1, 12), st.integers(1, 3)),
        elements=st.integers(0, 4).map(float),
    )
)
def test_usual_flows_count_pairs(matrix):
    m, n = matrix.shape
    benefit = np.arange(n) % 2 == 0
    flows = promethee.usual_flows(matrix, benefit)
    signed = np.where(benefit, matrix, -matrix)
    for i in range(m):
        for j in range(n):
            wins = sum(signed[i, j] > signed[k, j] for k in range(m))
            losses = sum(signed[i, j] < signed[k, j] for k in range(m))
            assert flows[i, j] == pytest.approx((wins - losses) / max(m - 1, 1))


# --- invariances ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", METHODS)
@given(seed=st.integers(0, 10_000), m=st.integers(2, 20))
@settings(max_examples=25)
def test_units_and_row_order_do_not_matter(name, seed, m):
    matrix, weights, benefit = problem(seed, m)
    scores = evaluate(name, matrix, weights, benefit)
    rng = np.random.default_rng(seed)
    order = rng.permutation(m)
    assert evaluate(name, matrix[order], weights, benefit) == pytest.approx(scores[order])
    units = rng.lognormal(0.0, 3.0, 4)
    assert evaluate(name, matrix * units, weights, benefit) == pytest.approx(scores)


@pytest.mark.parametrize("name", METHODS)
@given(seed=st.integers(0, 10_000))
@settings(max_examples=25)
def test_a_duplicate_shares_the_rank_of_its_twin(name, seed):
    matrix, weights, benefit = problem(seed)
    doubled = np.vstack([matrix, matrix[3]])
    method = METHODS[name]
    ranks = competition_ranks(method.scores(doubled, weights, benefit, **arguments(name, doubled)))
    assert ranks[3] == ranks[-1]


@pytest.mark.parametrize("name", METHODS)
@given(seed=st.integers(0, 10_000))
@settings(max_examples=25)
def test_better_in_everything_is_never_behind(name, seed):
    matrix, weights, benefit = problem(seed)
    matrix[1] = np.where(benefit, matrix[0] * 1.3, matrix[0] / 1.3)
    method = METHODS[name]
    scores = method.scores(matrix, weights, benefit, **arguments(name, matrix))
    assert scores[1] >= scores[0]


@pytest.mark.parametrize("name", METHODS)
def test_all_alike_gives_equal_finite_scores(name):
    matrix = np.full((3, 2), 7.0)
    scores = evaluate(name, matrix, np.array([0.5, 0.5]), np.array([True, False]))
    assert np.isfinite(scores).all()
    assert competition_ranks(scores).tolist() == [1, 1, 1]


# --- batches and terms ---------------------------------------------------------------------


@pytest.mark.parametrize("name", METHODS)
def test_a_batch_is_the_single_results_stacked(name):
    matrix, _, benefit = problem(1)
    rng = np.random.default_rng(2)
    stack = matrix * rng.lognormal(0.0, 0.1, (5, 12, 4))
    weights = rng.dirichlet(np.ones(4), size=5)
    extra = arguments(name, matrix)
    together = METHODS[name].kernel(stack, weights, benefit, **extra)
    for b in range(5):
        alone = METHODS[name].kernel(stack[b], weights[b], benefit, **extra)
        assert together[b] == pytest.approx(alone, abs=1e-14)


@pytest.mark.parametrize("name", ["topsis", "promethee", "spotis"])
def test_terms_order_the_rows_as_the_score_does(name):
    matrix, weights, benefit = problem(4)
    method, extra = METHODS[name], arguments(name, matrix)
    terms = method.terms(matrix, weights, benefit, **extra)
    scores = method.scores(matrix, weights, benefit, **extra)
    assert competition_ranks(terms.sum(axis=1)).tolist() == competition_ranks(scores).tolist()


def test_promethee_and_spotis_terms_add_up_to_the_score():
    matrix, weights, benefit = problem(5)
    for name, sign in (("promethee", 1.0), ("spotis", -1.0)):
        terms = METHODS[name].terms(matrix, weights, benefit, **arguments(name, matrix))
        score = evaluate(name, matrix, weights, benefit)
        assert terms.sum(axis=1) == pytest.approx(sign * score)


# --- the registry --------------------------------------------------------------------------


def test_every_method_has_its_file_source_and_direction():
    for name, method in METHODS.items():
        assert method.name == name
        assert Path(inspect.getfile(method.kernel)).stem == name
        assert "doi" in method.source
        assert method.direction in {"min", "max"}
        assert ">>>" in (method.kernel.__doc__ or "")


def test_unknown_method_lists_the_choices():
    with pytest.raises(UnknownNameError, match="did you mean 'topsis'"):
        method_named("topsi")
