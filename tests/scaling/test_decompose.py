import pytest

from equipoise.scaling.decompose import coverage, decompose

SMALL = {"samples_to_converge": 30_000.0, "throughput_samples_per_s": 10.0}
LARGE = {"samples_to_converge": 36_000.0, "throughput_samples_per_s": 70.0}


def test_the_product_is_the_efficiency(configuration) -> None:
    reference = configuration(accelerators=8, time_to_train_min=60.0, **SMALL)
    one = configuration(accelerators=64, time_to_train_min=9.0, **LARGE)
    factors = decompose(one, reference).factors
    assert factors is not None
    product = factors.throughput * factors.convergence * factors.overhead
    assert product == pytest.approx(8 * 60.0 / (64 * 9.0), rel=1e-9)
    assert factors.throughput == pytest.approx(70 / 64 / (10 / 8))
    assert factors.convergence == pytest.approx(30 / 36)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, "throughput and samples to converge not logged"),
        ({"samples_to_converge": 36_000.0}, "throughput not logged"),
        ({"samples_to_converge": 36_000.0, "throughput_samples_per_s": 0.0}, "throughput not"),
        (LARGE | {"throughput_samples_per_s": 0.5}, "times the time to train"),
        (LARGE | {"throughput_samples_per_s": 70_000.0}, "only 0.00095 of the time to train"),
    ],
)
def test_empty_factors_say_why(configuration, fields, reason) -> None:
    reference = configuration(accelerators=8, time_to_train_min=60.0, **SMALL)
    one = configuration(accelerators=64, time_to_train_min=9.0, **fields)
    found = decompose(one, reference)
    assert found.factors is None
    assert reason in (found.reason or "")
    turned = decompose(reference, one)
    assert turned.factors is None
    assert (turned.reason or "").startswith("reference ")


def test_coverage_counts_what_is_missing_and_what_disagrees(configuration) -> None:
    rows = coverage(
        [
            configuration(time_to_train_min=60.0, **SMALL),
            configuration(time_to_train_min=60.0),
            configuration(time_to_train_min=6.0, **SMALL),
            configuration(time_to_train_min=60.0, round="v4.0", **SMALL),
        ]
    )
    assert [(r.round, r.configurations, r.decomposable) for r in rows] == [
        ("v4.0", 1, 1), ("v4.1", 3, 1),
    ]  # fmt: skip
    assert (rows[1].not_logged, rows[1].disagreeing) == (1, 1)
    assert rows[1].training_share_median == pytest.approx(30_000 / 10 / 3600)
