"""The study on the bundled catalogue: the paper's finding, few configurations, determinism."""

import pytest

import equipoise as eq
from equipoise import facts


@pytest.fixture(scope="module")
def catalogue():
    return eq.open_catalogue()


@pytest.fixture(scope="module")
def resnet(catalogue):
    return eq.study(catalogue, "resnet", resamples=200)


def test_the_balanced_group_is_newest_generation_at_a_moderate_count(resnet) -> None:
    clusters = resnet.result.clusters
    rows = {row.cluster: row for row in clusters.clusters}
    balanced = rows[clusters.balanced]
    assert len(rows) == 5
    assert 4 <= balanced.accelerators_min <= balanced.accelerators_max <= 32
    assert balanced.newest_share > 0.8
    assert balanced.throughput_per_accelerator_median == max(
        row.throughput_per_accelerator_median for row in rows.values()
    )


def test_the_largest_systems_are_fastest_and_least_efficient(resnet) -> None:
    clusters = resnet.result.clusters
    rows = {row.cluster: row for row in clusters.clusters}
    largest = rows[clusters.largest]
    assert largest.accelerators_max > 1000
    assert largest.time_to_train_min_median == min(
        row.time_to_train_min_median for row in rows.values()
    )
    assert largest.throughput_per_accelerator_median == min(
        row.throughput_per_accelerator_median for row in rows.values()
    )


def test_the_top_ten_are_not_all_large_systems(resnet) -> None:
    top = resnet.result.ranking.ranking[:10]
    assert any(row.accelerators <= 64 for row in top)


def test_the_answer_is_one_sentence_with_the_numbers(resnet) -> None:
    answer = resnet.to_dict()["answer"]
    assert answer.count("\n") == 0
    assert answer.startswith("ResNet-50")
    assert "break-even" in answer


@pytest.mark.parametrize("count", [1, 2, 3])
def test_few_configurations_get_something_sensible(catalogue, count) -> None:
    limits = {
        1: {"rounds": ["v4.0"], "accelerators": ["h200"]},
        2: {"rounds": ["v0.6"], "accelerators": ["tpu"], "max_accelerators": 64},
        3: {"rounds": ["v3.0"], "accelerators": ["h100-pcie"], "max_accelerators": 8},
    }
    answer = eq.study(catalogue, "resnet", resamples=50, **limits[count])
    assert answer.to_dict()["answer"]
    assert answer.result.configurations


@pytest.mark.parametrize("benchmark", ["bert", "llama2_70b_lora", "retinanet", "unet3d"])
def test_other_benchmarks_work_too(catalogue, benchmark) -> None:
    answer = eq.study(catalogue, benchmark, resamples=20)
    assert answer.to_dict()["answer"].startswith(facts.benchmark(benchmark).pretty_name)


def test_the_same_seed_gives_the_same_study(catalogue) -> None:
    options = {"rounds": ["v4.1"], "resamples": 50, "seed": 3}
    one = eq.study(catalogue, "bert", **options).to_dict()
    assert one == eq.study(catalogue, "bert", **options).to_dict()
