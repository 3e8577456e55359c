import json
from dataclasses import asdict

import numpy as np
import pytest

from equipoise.scaling.results import ScalingResult
from equipoise.scaling.summary import scaling

AMDAHL = [(n, 100.0 / n + 1.0) for n in (4, 8, 16, 32, 64, 128, 512, 1024)]


def run(configurations, **options) -> ScalingResult:
    return scaling(configurations, rng=np.random.default_rng(1), resamples=200, **options)


def test_figures_of_a_curve(curve) -> None:
    result = run(curve(AMDAHL))
    first, second = result.points[:2]
    assert first.is_reference
    assert (first.speedup, first.efficiency) == (1.0, 1.0)
    assert first.speedup_low is None
    assert second.speedup == pytest.approx(26 / 13.5)
    assert second.efficiency == pytest.approx(26 / 27)
    assert second.efficiency_plain == pytest.approx(26 / 13.5 / 8)
    assert second.accelerator_hours == pytest.approx(8 * 13.5 / 60)
    for name in (
        "time_to_train_min", "speedup", "efficiency", "efficiency_plain", "accelerator_hours",
    ):  # fmt: skip
        low, high = getattr(second, f"{name}_low"), getattr(second, f"{name}_high")
        assert low < getattr(second, name) < high
    assert second.interval_basis == "runs"
    assert second.decomposition_reason == "throughput and samples to converge not logged"
    json.dumps(asdict(result), allow_nan=False)


def test_laws_weights_and_averaged_curve(curve) -> None:
    result = run(curve(AMDAHL, spread=0.01))
    weights = {row.law: row.weight for row in result.laws}
    assert sum(w or 0.0 for w in weights.values()) == pytest.approx(1.0)
    assert max(weights, key=lambda name: weights[name] or 0.0) == "amdahl"
    inside = [p for p in result.fitted if not p.extrapolated]
    beyond = [p for p in result.fitted if p.extrapolated]
    assert (inside[0].accelerators, inside[-1].accelerators) == (4.0, 1024.0)
    assert beyond[-1].accelerators == pytest.approx(4 * 1024)
    for point in inside:
        assert point.time_to_train_min == pytest.approx(100 / point.accelerators + 1, rel=1e-3)
        assert (point.efficiency_low or 0) <= point.efficiency <= (point.efficiency_high or 9)


def test_factors_multiply_to_the_efficiency_wherever_they_exist(configuration) -> None:
    given = [
        configuration(
            accelerators=n,
            time_to_train_min=100.0 / n + 1.0,
            samples_to_converge=5_000.0 + n,
            throughput_samples_per_s=n * 0.9,
        )
        for n in (8, 16, 32)
    ] + [configuration(accelerators=64, time_to_train_min=2.6)]
    points = run(given).points
    for point in points[:3]:
        assert point.efficiency_throughput is not None
        product = (
            point.efficiency_throughput
            * (point.efficiency_convergence or 0)
            * (point.efficiency_overhead or 0)
        )
        assert product == pytest.approx(point.efficiency, rel=1e-9)
    assert points[3].efficiency_throughput is None
    assert points[3].decomposition_reason is not None


def test_short_curves_refuse_with_the_count_needed(configuration) -> None:
    result = run([configuration()])
    assert all(row.refused for row in result.laws)
    assert "2 different counts or more; there is 1" in (result.laws[0].refused or "")
    assert result.fitted == ()
    assert "only one count (8) was measured" in result.curves[0].warnings[0]
    two = run([configuration(), configuration(accelerators=64, time_to_train_min=9.0)])
    slope = next(row for row in two.laws if row.law == "power").parameters[1]
    assert slope.value == pytest.approx(-0.912322, abs=1e-6)
    assert (slope.low, slope.high, slope.standard_error) == (None, None, None)
    assert two.points[1].speedup == pytest.approx(6.666667, abs=1e-6)
    assert two.points[1].efficiency == pytest.approx(0.833333, abs=1e-6)
    assert two.curves[0].weight_basis == "interpolation"
    assert all(p.time_to_train_min_low is None for p in two.fitted)
    assert "no runs to take an interval from" in two.warnings[0]


def test_rising_time_is_reported(configuration) -> None:
    times = ((8, 60.0), (16, 70.0), (32, 90.0))
    result = run([configuration(accelerators=n, time_to_train_min=t) for n, t in times])
    assert result.curves[0].retrograde == (16, 32)
    for row in result.laws:
        for parameter in row.parameters:
            assert parameter.name == "slope" or parameter.value >= 0


def test_too_steep_a_rise_is_refused_by_usl_with_the_reason(configuration) -> None:
    times = ((2, 1.0), (3, 1.0), (4, 1.0), (5, 11.0))
    result = run([configuration(accelerators=n, time_to_train_min=t) for n, t in times])
    usl = next(row for row in result.laws if row.law == "usl")
    assert "does not describe these points" in (usl.refused or "")


def test_superlinear_counts_are_flagged_beyond_their_interval(curve) -> None:
    result = run(curve([(4, 60.0), (8, 24.0), (16, 14.9)]))
    assert result.curves[0].superlinear == (8,)


def test_submitters_at_one_count(curve, configuration) -> None:
    other = configuration(submitter="Other", accelerators=8, time_to_train_min=14.0)
    result = run([*curve(AMDAHL), other])
    row = result.curves[0]
    assert row.noise_groups == 1
    assert row.noise_max_ratio == pytest.approx(14 / 13.5)
    shown = [p for p in result.points if p.accelerators == 8]
    assert [p.on_curve for p in shown] == [True, False]
    split = run([*curve(AMDAHL), other], by="accelerator+submitter")
    assert len(split.curves) == 2


def test_pooled_intervals_are_marked(curve, configuration) -> None:
    three = configuration(accelerators=2048, time_to_train_min=1.05, run_times_min=(1.0, 1.05, 1.1))
    result = run([*curve(AMDAHL), three])
    assert result.points[-1].interval_basis == "pooled"
    assert result.points[-1].time_to_train_min_low is not None
    assert "marked pooled" in result.warnings[0]


def test_chosen_laws_only(curve) -> None:
    assert {row.law for row in run(curve(AMDAHL), laws=["usl", "power"]).laws} == {"usl", "power"}


def test_counts_far_outside_the_rest(configuration) -> None:
    points = ((1, 5_000.0), (2, 2_600.0), (4, 1_300.0), (100_000, 0.5))
    result = run([configuration(accelerators=n, time_to_train_min=t) for n, t in points])
    assert all(np.isfinite(p.time_to_train_min) for p in result.fitted)
