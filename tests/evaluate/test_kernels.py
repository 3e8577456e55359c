"""The array kernels of stage 1 against known values and independent computations."""

from typing import Any

import numpy as np
import pytest
from sklearn.feature_selection import mutual_info_regression

from equipoise.domain import Configuration
from equipoise.evaluate.encode import IMPLIED, association, cramers_v, design
from equipoise.evaluate.fixed import QUESTIONS, fixed_effects
from equipoise.evaluate.groups import folds, near_copies, variable_sets
from equipoise.evaluate.information import mutual_information, sparse_coefficients
from equipoise.metrics.variables import VARIABLES


def configuration(**kwargs: Any) -> Configuration:
    base: dict[str, Any] = {
        "round": "v3.0",
        "submitter": "Lab",
        "system_id": "one",
        "benchmark": "resnet",
        "division": "closed",
        "time_to_train_min": 30.0,
        "accelerators": 8,
        "accelerator_id": "a100-sxm4-80gb",
    }
    return Configuration(**{**base, **kwargs})


def test_names_of_special_variables_are_variables() -> None:
    assert set(IMPLIED) <= set(VARIABLES)
    assert set(QUESTIONS) <= set(VARIABLES)


def test_missing_numbers_get_the_median_and_a_column_that_says_so() -> None:
    rows = [configuration(host_memory_gib=m, nodes=1, accelerators_per_node=8)
            for m in (512.0, 1024.0, 2048.0, None)]  # fmt: skip
    coded = design(rows, names=["host_memory_gib"])
    assert coded.matrix.shape == (4, 2)
    np.testing.assert_allclose(coded.matrix.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(coded.matrix.std(axis=0), 1)
    assert coded.matrix[1, 0] == coded.matrix[3, 0]


def test_rare_levels_share_a_column() -> None:
    names = ["A"] * 5 + ["B"] * 4 + ["C", "D"]
    coded = design([configuration(submitter=s) for s in names], names=["submitter"])
    assert coded.blocks[0].levels == ("A", "B", "other")


def test_variables_that_cannot_be_told_apart_are_one_set() -> None:
    rng = np.random.default_rng(0)
    rows = []
    for _ in range(60):
        n = int(2 ** rng.integers(0, 8))
        rows.append(
            configuration(accelerators=n, global_batch_size=float(n * 100),
                          host_processor_cores=int(rng.choice([32, 64])),
                          host_processors_per_node=2, accelerators_per_node=8)
        )  # fmt: skip
    names = ["accelerators", "global_batch_size", "host_processor_cores"]
    coded = design(rows, names=names)
    assert association(coded.blocks[0], coded.blocks[1]) == pytest.approx(1.0)
    assert association(coded.blocks[0], coded.blocks[2]) < 0.4
    assert variable_sets(coded.blocks) == ((0, 1), (2,))


def test_cramers_v_of_equal_and_of_unrelated_categories() -> None:
    a = np.repeat([0.0, 1.0, 2.0], 20)
    assert cramers_v(a, a) == pytest.approx(1.0)
    assert cramers_v(a, np.tile([0.0, 1.0], 30)) == 0.0


def test_folds_keep_groups_whole_and_sizes_even() -> None:
    rng = np.random.default_rng(1)
    groups = rng.integers(30, size=300)
    fold = folds(groups, count=5, rng=rng)
    for g in np.unique(groups):
        assert len(set(fold[groups == g].tolist())) == 1
    assert np.ptp(np.bincount(fold)) <= 20


def test_near_copies_are_one_family_in_one_round() -> None:
    rows = [
        configuration(submitter=s, round=r, accelerator_id=a)
        for s in ("X", "Y")
        for r in ("v3.0", "v3.1")
        for a in ("a100-sxm4-80gb", "a100-pcie-80gb", "h100-sxm5-80gb")
    ]
    groups, what = near_copies(rows)
    assert what == "accelerator family and round"
    assert len(set(groups.tolist())) == 4
    _, what = near_copies(rows[:3])
    assert what == "submitter and system"


def test_mutual_information_is_near_the_estimate_of_scikit_learn() -> None:
    rng = np.random.default_rng(2)
    memory = 2.0 ** rng.integers(5, 12, size=500)
    target = np.log2(memory) + rng.normal(size=500)
    coded = design([configuration(host_memory_gib=m) for m in memory], names=["host_memory_gib"])
    found = mutual_information(coded.blocks[0], target, variables=1)
    reference = mutual_info_regression(
        np.log2(memory)[:, None], target, discrete_features=[True], random_state=0
    )[0]
    assert found.matters
    assert found.nats == pytest.approx(reference, rel=0.25)
    noise = mutual_information(coded.blocks[0], rng.normal(size=500), variables=1)
    assert noise.nats < 0.03
    assert not noise.matters


def test_sparse_model_drops_what_does_nothing() -> None:
    rng = np.random.default_rng(3)
    rows = [
        configuration(accelerators=int(2 ** rng.integers(0, 9)),
                      host_memory_gib=float(2 ** rng.integers(6, 12)))
        for _ in range(200)
    ]  # fmt: skip
    coded = design(rows, names=["accelerators", "host_memory_gib"])
    target = -np.log([c.accelerators for c in rows]) + 0.3 * rng.normal(size=200)
    fold_of = np.arange(200) % 5
    weights, r2 = sparse_coefficients(coded, target, fold_of)
    assert weights[0] > 0.8
    assert weights[1] == 0.0
    assert r2 is not None
    assert r2 > 0.8


def test_fixed_effect_of_a_number_is_its_change_per_doubling() -> None:
    rng = np.random.default_rng(4)
    rows = []
    for s in range(8):
        for cores in (16, 32, 64, 128):
            minutes = (10 + s) * 0.9 ** np.log2(cores) * np.exp(0.005 * rng.normal())
            rows.append(
                configuration(accelerators=2**s, system_id=f"{s}-{cores}", nodes=1,
                              accelerators_per_node=2**s, host_processors_per_node=1,
                              host_processor_cores=cores, time_to_train_min=float(minutes))
            )  # fmt: skip
    target = np.log([c.time_to_train_min for c in rows])
    effects = fixed_effects(rows, target, log=True, rng=rng)
    found = next(e for e in effects if e.variable == "host_cores_per_accelerator")
    assert found.verdict == "matters"
    assert found.strata == 8
    assert found.change == pytest.approx(-0.1, abs=0.005)
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.change <= found.high < 0
    assert found.explained == pytest.approx(1.0, abs=0.02)
