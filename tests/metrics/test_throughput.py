"""Throughput out of what a log tells."""

import pytest

from equipoise.metrics.throughput import MAX_RATIO, from_one_accelerator, training_throughput


def test_logged_throughput_is_kept_within_a_factor_of_two():
    for logged in (41.0, 80.0, 159.0):
        found = training_throughput(logged_per_s=logged, samples=48_000.0, time_min=10.0)
        assert (found.samples_per_s, found.source) == (logged, "logged")
        assert found.disbelieved_per_s is None


@pytest.mark.parametrize("logged", [39.0, 161.0])
def test_what_contradicts_samples_and_time_is_not_believed(logged):
    found = training_throughput(logged_per_s=logged, samples=48_000.0, time_min=10.0)
    assert (found.samples_per_s, found.source) == (80.0, "computed")
    assert found.disbelieved_per_s == logged


def test_time_of_a_step_gives_a_throughput():
    found = training_throughput(step_time_s=0.5, batch_size=256.0)
    assert (found.samples_per_s, found.source) == (512.0, "logged")


def test_nothing_logged():
    assert training_throughput().samples_per_s is None
    computed = training_throughput(samples=600.0, time_min=1.0)
    assert (computed.samples_per_s, computed.source) == (10.0, "computed")
    assert training_throughput(samples=600.0, time_min=0.0).source is None


def test_figure_of_one_accelerator():
    assert from_one_accelerator(10.0, 79.0, 8) == 80.0
    assert from_one_accelerator(10.0, 81.0, 8) is None, "training is never slower than the run"
    assert from_one_accelerator(10.0, 80.0 / MAX_RATIO - 1.0, 8) is None
