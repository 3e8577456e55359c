import dataclasses
import json
import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.domain import Configuration
from equipoise.errors import UnknownNameError, UsageError
from equipoise.metrics.criteria import CRITERIA
from equipoise.rank import METHODS, WEIGHTINGS, rank
from equipoise.rank.noise import perturbed_weights, responses, time_factors
from equipoise.rank.robust import resampled_matrix, worse_than_all


def configuration(time=10.0, accelerators=8, **changes) -> Configuration:
    noise = (0.97, 0.99, 1.0, 1.01, 1.03)
    fields = {
        "round": "v4.0",
        "submitter": "ExampleOrg",
        "system_id": f"sys-{accelerators}-{time}",
        "benchmark": "resnet",
        "division": "closed",
        "time_to_train_min": time,
        "accelerators": accelerators,
        "accelerator_id": "h100-sxm5-80gb",
        "run_times_min": tuple(time * factor for factor in noise),
        "samples_to_converge": 4.0e7,
    }
    return Configuration(**(fields | changes))


def some(seed: int, m: int = 20) -> list[Configuration]:
    rng = np.random.default_rng(seed)
    sizes = 2 ** rng.integers(0, 10, m)
    return [
        configuration(float(400.0 / n**0.9 * rng.lognormal(0, 0.2)), int(n), system_id=f"s{i}")
        for i, n in enumerate(sizes)
    ]


def ranked(configurations, **options):
    return rank(configurations, rng=np.random.default_rng(7), **({"resamples": 100} | options))


def strict(result) -> dict:
    text = json.dumps(dataclasses.asdict(result), allow_nan=False)
    return json.loads(text)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("weights", [*WEIGHTINGS, "time=2,efficiency=1"])
@pytest.mark.parametrize("scale", ["log", "raw"])
def test_every_method_and_weighting_gives_a_whole_result(method, weights, scale):
    result = ranked(some(1), method=method, weights=weights, scale=scale)
    strict(result)
    ranks = [row.rank for row in result.ranking]
    assert ranks == sorted(ranks)
    assert ranks[0] == 1
    assert all(r.rank_low <= r.rank <= r.rank_high for r in result.ranking)
    for row in result.ranking:
        top = (row.probability_top1, row.probability_top3, row.probability_top10)
        assert 0.0 <= top[0] <= top[1] <= top[2] <= 1.0
    assert sum(c.weight for c in result.criteria) == pytest.approx(1.0)
    assert len(result.agreement) == math.comb(len(METHODS), 2)
    assert result.why_first.startswith(str(result.ranking[0].accelerators))


def test_scores_go_in_the_direction_that_is_said():
    for method in METHODS:
        result = ranked(some(2), method=method)
        scores = [row.score for row in result.ranking]
        steps = [b - a for a, b in pairwise(scores)]
        if result.score_direction == "max":
            assert max(steps) <= 1e-12
        else:
            assert min(steps) >= -1e-12


def test_the_same_generator_state_gives_the_same_result():
    assert ranked(some(3)) == ranked(some(3))


@given(seed=st.integers(0, 1000))
@settings(max_examples=15, deadline=None)
def test_the_order_of_the_rows_does_not_matter(seed):
    configurations = some(seed)
    turned = list(np.random.default_rng(seed).permutation(np.array(configurations, dtype=object)))
    first, second = ranked(configurations, resamples=0), ranked(turned, resamples=0)
    assert [r.system_id for r in first.ranking] == [r.system_id for r in second.ranking]
    assert [r.rank for r in first.ranking] == [r.rank for r in second.ranking]


def test_a_duplicate_shares_the_rank_and_leaves_the_order():
    configurations = some(4)
    for method in ("topsis", "vikor", "waspas", "spotis"):
        before = ranked(configurations, method=method, resamples=0)
        after = ranked(
            [*configurations, dataclasses.replace(configurations[5], system_id="twin")],
            method=method,
            resamples=0,
        )
        place = {r.system_id: r.rank for r in after.ranking}
        assert place["twin"] == place["s5"]
        order = [r.system_id for r in after.ranking if r.system_id != "twin"]
        assert order == [r.system_id for r in before.ranking]


@pytest.mark.parametrize("m", [0, 1, 2, 3])
@pytest.mark.parametrize("method", METHODS)
def test_few_configurations_give_something_sensible(m, method):
    result = ranked(some(5, m), method=method)
    strict(result)
    assert len(result.ranking) == m
    if m < 2:
        assert result.resamples == 0
        assert result.warnings[-1].startswith("there is ")
        assert [row.rank for row in result.ranking] == [1] * m
        assert all(row.pareto for row in result.ranking)


def test_equal_configurations_all_share_rank_one():
    configurations = [configuration(system_id=f"s{i}") for i in range(4)]
    result = ranked(configurations)
    strict(result)
    assert [row.rank for row in result.ranking] == [1, 1, 1, 1]
    assert result.ranking[0].score is None
    assert "no criterion separates" in result.warnings[-1]


def test_a_criterion_nobody_has_is_set_aside_and_a_rare_one_too():
    result = ranked(some(6), criteria=["time", "hours", "energy"])
    rows = {c.criterion: c for c in result.criteria}
    assert not rows["energy_kj"].used
    assert rows["energy_kj"].reason == "no value for any of the configurations"
    assert rows["energy_kj"].weight == 0.0
    assert any("energy_kj is set aside" in text for text in result.warnings)


def test_a_system_without_accelerators_is_set_aside_and_counted():
    result = ranked([*some(7), configuration(500.0, 0, system_id="cpu", nodes=4)])
    assert [row.system_id for row in result.set_aside] == ["cpu"]
    assert "no value of" in result.set_aside[0].reason
    assert any("1 of 21 configurations" in text for text in result.warnings)


def test_sure_differences_have_narrow_intervals_and_near_ties_wide_ones():
    clear = [configuration(10.0 * 3**i, 8, system_id=f"c{i}") for i in range(4)]
    result = ranked(clear, resamples=400)
    assert all(r.rank_low == r.rank == r.rank_high for r in result.ranking)
    assert result.ranking[0].probability_top1 == 1.0
    near = [configuration(10.0 + 0.01 * i, 8, system_id=f"n{i}") for i in range(4)]
    result = ranked(near, resamples=400)
    assert all(r.rank_high - r.rank_low >= 2 for r in result.ranking)


def test_clearly_worse_alternative_reverses_nothing_in_spotis():
    result = ranked(some(8), method="spotis")
    assert result.reversal.reversed_pairs == 0
    assert result.reversal.largest_shift == 0
    assert not result.reversal.first_changed


def test_reversal_is_counted_where_it_happens():
    # The normalisation of raw TOPSIS depends on every row: over many random problems a
    # clearly worse row turns at least one pair round.
    shares = [ranked(some(seed), scale="raw", resamples=0).reversal for seed in range(30)]
    assert any(r.reversed_pairs > 0 for r in shares)
    assert all(0.0 <= r.share <= 1.0 and r.reversed_pairs <= r.pairs for r in shares)


def test_small_and_large_can_both_be_on_the_front():
    configurations = [configuration(60.0, 8), configuration(2.0, 512), configuration(70.0, 16)]
    result = ranked(configurations)
    assert {r.accelerators: r.pareto for r in result.ranking} == {8: True, 512: True, 16: False}


def test_vikor_says_what_it_proposes_together():
    result = ranked(some(9), method="vikor")
    assert result.notes[0].startswith("VIKOR proposes")


def test_too_many_configurations_draw_fewer_resamples_and_say_so():
    from equipoise.rank.robust import affordable

    assert affordable(1000, 284) == 1000
    assert affordable(1000, 1_000_000) == 100
    assert affordable(0, 10) == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"scale": "linear"}, "log"),
        ({"criteria": ["speed of light"]}, "criterion"),
        ({"criteria": ["time", "minutes"]}, "each of them once"),
        ({"weights": "time=1", "criteria": ["time", "hours"]}, "no weight for accelerator_hours"),
        ({"weights": "price=1"}, "criterion"),
        ({"resamples": -1}, "0 or more"),
        ({"level": 1.0}, "between 0 and 1"),
        ({"method": "spotis", "criteria": ["time"], "options": {"bounds": {}}}, "needs numbers"),
    ],
)
def test_odd_requests_say_what_is_wrong(options, words):
    with pytest.raises((UsageError, UnknownNameError), match=words):
        ranked(some(1), **options)


def test_thresholds_need_the_raw_scale():
    thresholds = {
        "indifference": {"time_to_train_min": 1.0},
        "preference": {"time_to_train_min": 9.0},
    }
    request = {"method": "promethee", "criteria": ["time"], "options": thresholds}
    with pytest.raises(UsageError, match="raw scale"):
        ranked(some(1), **request)
    assert ranked(some(1), scale="raw", **request).ranking


def test_two_benchmarks_are_refused():
    with pytest.raises(UsageError, match="one benchmark"):
        ranked([configuration(), configuration(benchmark="bert")])


# --- noise ---------------------------------------------------------------------------------


def test_every_criterion_of_the_registry_says_how_it_follows_the_time():
    assert set(responses([configuration()])) == set(CRITERIA)


def test_resampled_criteria_are_those_of_the_resampled_times():
    configurations = some(10, 8)
    rng = np.random.default_rng(1)
    factors = rng.lognormal(0.0, 0.2, 8)
    moved = [
        dataclasses.replace(c, time_to_train_min=c.time_to_train_min * f)
        for c, f in zip(configurations, factors, strict=True)
    ]
    names = [
        "time_to_train_min",
        "throughput_samples_per_s",
        "throughput_per_accelerator",
        "accelerator_hours",
    ]
    from equipoise.metrics import criteria

    moves = responses(configurations)
    before, expected = criteria.values(configurations, names), criteria.values(moved, names)
    found = resampled_matrix(before, factors[None, :], [moves[n] for n in names])[0]
    assert found == pytest.approx(expected)
    # Efficiencies keep the reference configuration of the published times.
    efficiency = criteria.values(configurations, ["efficiency"])
    found = resampled_matrix(efficiency, factors[None, :], [moves["efficiency"]])[0][:, 0]
    hours = expected[:, 3]
    reference = int(np.argmin(before[:, 3]))
    assert found == pytest.approx(hours[reference] / hours)


def test_a_criterion_moves_with_the_time_as_its_row_says():
    moves = responses([configuration(), configuration(20.0)])
    for name, power in (("energy_kj", 1.0), ("utilisation", 0.0), ("run_spread", 0.0)):
        assert moves[name].own.tolist() == [power, power] == [CRITERIA[name].time_power] * 2
        assert moves[name].reference.tolist() == [0.0, 0.0]
    own = {"accelerator_hours", "time_to_train_min"}
    assert {name for name in own if moves[name].own.tolist() == [1.0, 1.0]} == own


def test_measured_throughput_stays_when_times_are_drawn_again():
    measured = configuration(throughput_samples_per_s=1000.0)
    moves = responses([measured, configuration(20.0)])
    assert moves["throughput_samples_per_s"].own.tolist() == [0.0, -1.0]


def test_factors_are_centred_finite_and_borrowed_where_runs_are_few():
    configurations = [
        configuration(),
        configuration(runs_failed=1, system_id="failed"),
        configuration(run_times_min=(10.0,), system_id="single"),
        configuration(run_times_min=(10.0,) * 5, system_id="copies"),
        configuration(run_times_min=(), system_id="silent"),
    ]
    factors, texts = time_factors(
        configurations, resamples=2000, level=0.9, rng=np.random.default_rng(3)
    )
    assert "2 of 5 configurations have too few runs" in texts[0]
    assert "noise of 1 of 5 configurations is unknown" in texts[1]
    assert np.isfinite(factors).all()
    assert (factors > 0.0).all()
    assert np.median(factors, axis=1) == pytest.approx(np.ones(5), abs=0.02)
    assert (factors[:4].std(axis=1) > 0.0).all()


def test_weights_vary_around_the_given_ones_and_zero_stays_zero():
    weights = np.array([0.6, 0.4, 0.0])
    drawn = perturbed_weights(weights, resamples=4000, rng=np.random.default_rng(5))
    assert drawn.sum(axis=1) == pytest.approx(np.ones(4000))
    assert drawn.mean(axis=0) == pytest.approx(weights, abs=0.01)
    assert drawn[:, 0].std() == pytest.approx(math.sqrt(0.6 * 0.4 / 51.0), rel=0.1)
    assert (drawn[:, 2] == 0.0).all()


@given(seed=st.integers(0, 500))
def test_the_added_row_is_worse_in_everything(seed):
    rng = np.random.default_rng(seed)
    matrix = rng.normal(0.0, 3.0, (6, 3)).round(1)
    benefit = rng.random(3) < 0.5
    row = worse_than_all(matrix, benefit)
    assert np.where(benefit, row < matrix.min(axis=0), row > matrix.max(axis=0)).all()


@pytest.mark.parametrize(
    ("best", "words"),
    [(2, "s1) are equal and first by"), (3, " and 2 more of them are equal and first by")],
)
def test_those_who_share_the_first_rank_are_counted(best, words):
    equals = [configuration(5.0, system_id=f"s{i}") for i in range(best)]
    assert words in ranked([*equals, configuration(50.0, system_id="slow")]).why_first
