"""The least memory of a training: parameters times what each of them needs."""

import pytest

from equipoise import facts
from equipoise.facts.training_state import training_states


@pytest.mark.parametrize(
    ("benchmark", "round_name", "gigabytes"),
    [
        ("llama2_70b_lora", "v5.1", 140.0),  # 70e9 frozen weights of 2 bytes
        ("llama31_405b", "v5.0", 6480.0),  # 405e9 x 16 bytes
        ("gpt3", "v4.1", 2800.0),  # 175e9 x 16 bytes
        ("resnet", "v4.0", None),
        ("dlrm", "v1.0", None),
    ],
)
def test_the_state_is_parameters_times_bytes(benchmark, round_name, gigabytes) -> None:
    assert facts.training_state_gb(benchmark, round_name) == gigabytes


def test_every_entry_is_a_benchmark_with_a_source() -> None:
    for item in training_states():
        assert facts.benchmark(item.benchmark_id).id == item.benchmark_id
        assert item.bytes_per_parameter in (2.0, 16.0)
        assert item.what
        assert "https://" in item.source
    assert facts.training_state("resnet") is None
