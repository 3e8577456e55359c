import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.metrics.speedup import (
    efficiency_factors,
    plain_efficiency,
    relative_efficiency,
    speedup,
    training_share,
)

positive = st.floats(min_value=1e-3, max_value=1e6)
count = st.integers(min_value=1, max_value=20_000)


def test_two_points_of_the_case_with_fewer_points_than_parameters() -> None:
    assert speedup(9.0, 60.0) == pytest.approx(6.666667, abs=1e-6)
    efficiency = relative_efficiency(9.0, 64, reference_time_min=60.0, reference_accelerators=8)
    assert efficiency == pytest.approx(0.833333, abs=1e-6)


def test_figures_broadcast_over_arrays() -> None:
    times = np.array([60.0, 30.0, 20.0])
    counts = np.array([8, 16, 32])
    assert plain_efficiency(times, counts, 60.0).tolist() == [1 / 8, 2 / 16, 3 / 32]
    own = relative_efficiency(times, counts, reference_time_min=60.0, reference_accelerators=8)
    assert own.tolist() == [1.0, 1.0, 0.75]


@given(positive, positive, positive, positive, positive, positive, count, count)
def test_the_factors_multiply_to_the_efficiency(
    time: float,
    samples: float,
    rate: float,
    reference_time: float,
    reference_samples: float,
    reference_rate: float,
    accelerators: int,
    reference_accelerators: int,
) -> None:
    factors = efficiency_factors(
        accelerators=accelerators,
        time_min=time,
        samples_to_converge=samples,
        throughput_samples_per_s=rate,
        reference_accelerators=reference_accelerators,
        reference_time_min=reference_time,
        reference_samples_to_converge=reference_samples,
        reference_throughput_samples_per_s=reference_rate,
    )
    efficiency = relative_efficiency(
        time,
        accelerators,
        reference_time_min=reference_time,
        reference_accelerators=reference_accelerators,
    )
    product = factors.throughput * factors.convergence * factors.overhead
    assert product == pytest.approx(float(efficiency), rel=1e-9)


def test_the_training_share_counts_seconds() -> None:
    share = training_share(time_min=2.0, samples_to_converge=600.0, throughput_samples_per_s=10.0)
    assert share == pytest.approx(0.5)
