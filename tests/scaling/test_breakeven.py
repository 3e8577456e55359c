import json
from dataclasses import asdict

import numpy as np
import pytest

from equipoise.errors import UnknownNameError, UsageError
from equipoise.scaling.breakeven import breakeven, scaling_and_breakeven
from equipoise.scaling.results import BreakevenResult, BreakevenRow
from equipoise.scaling.rules import ALL_RULES
from equipoise.scaling.summary import scaling

COUNTS = (4, 8, 16, 32, 64, 128, 512, 1024)
AMDAHL = [(n, 100.0 / n + 1.0) for n in COUNTS]


def run(configurations, **options) -> BreakevenResult:
    return breakeven(configurations, rng=np.random.default_rng(1), resamples=200, **options)


def pick(result: BreakevenResult, rule: str, basis: str) -> BreakevenRow:
    (row,) = [r for r in result.breakevens if r.rule == rule and r.basis == basis]
    return row


def test_every_rule_is_answered_on_the_fit_and_on_the_points(curve) -> None:
    result = run(curve(AMDAHL))
    assert {(r.rule, r.basis) for r in result.breakevens} == {
        (rule, basis) for rule in ALL_RULES for basis in ("fitted", "raw")
    }
    for row in result.breakevens:
        assert row.status == "inside"
        assert row.interval_basis is not None
        assert row.accelerators is not None
        assert row.low is not None
        assert row.low <= row.accelerators
        assert row.high is None or row.accelerators <= row.high
        assert row.accelerators_without_last is not None
        assert row.reason.endswith(".")
        assert f"{row.accelerators:,} NVIDIA H100" in row.reason
    (default,) = [r for r in result.breakevens if r.default]
    assert (default.rule, default.basis) == ("efficiency", "fitted")
    json.dumps(asdict(result), allow_nan=False)


def test_the_known_break_even_of_an_amdahl_curve(curve) -> None:
    result = run(curve(AMDAHL))
    # E(n) = 4 T(4) / (n T(n)) = 104 / (100 + n) falls to 1/2 at n = 108.
    assert pick(result, "efficiency", "fitted").accelerators == pytest.approx(108, abs=2)
    assert pick(result, "efficiency", "raw").accelerators == 64
    # S E is greatest, n T^2 least, at n = 100.
    assert pick(result, "power", "fitted").accelerators == pytest.approx(100, abs=2)
    raw = pick(result, "efficiency", "raw")
    assert raw.efficiency == pytest.approx(104 / 164)
    assert raw.speedup == pytest.approx(26 / 2.5625)
    assert raw.accelerator_hours == pytest.approx(64 * 2.5625 / 60)
    assert raw.measured
    assert (raw.low, raw.high) == (64, 127)
    assert "128 would cost 1.4 times the accelerator-hours for 1.4 times the speed" in raw.reason


def test_the_sentence_for_a_manager(curve) -> None:
    row = pick(run(curve([(4, 58.4), (64, 4.57), (512, 2.06)])), "marginal", "raw")
    assert row.reason == (
        "Beyond 64 NVIDIA H100 SXM5 80GB each doubling saves less than 25 % of the time; "
        "512 would cost 3.6 times the accelerator-hours for 2.2 times the speed."
    )


def test_no_break_even_inside_the_range_is_an_answer(curve) -> None:
    result = run(curve([(n, 500.0 / n + 1.0) for n in (4, 8, 16, 32, 64, 128)]))
    row = pick(result, "efficiency", "fitted")
    assert row.status == "beyond_range"
    assert row.accelerators is None
    assert row.high is None
    assert row.low == 128
    # 504 / (500 + n) = 1/2 at n = 508, within four times the range.
    assert row.extrapolated_accelerators == pytest.approx(508, rel=0.15)
    assert row.reason.startswith("No break-even inside the measured range (4 to 128 NVIDIA H100")
    assert "extrapolated, the fitted curve puts it near" in row.reason
    far = pick(run(curve([(n, 1e5 / n + 1.0) for n in (4, 8, 16, 32)])), "efficiency", "fitted")
    assert far.extrapolated_accelerators is None
    assert "extrapolated" not in far.reason


def test_never_past_a_peak(curve) -> None:
    counts = np.array([4.0, 8, 16, 32, 64, 128, 256, 512])
    times = 100.0 / counts + 0.5 + 0.005 * counts
    result = run(
        curve([(int(n), float(t)) for n, t in zip(counts, times, strict=True)]),
        efficiency_floor=0.01, marginal_gain=0.0001,
    )  # fmt: skip
    peak = np.sqrt(100 / 0.005)
    (row,) = result.curves
    assert row.peak_accelerators == pytest.approx(peak, rel=0.1)
    assert row.retrograde == (256, 512)
    for answer in result.breakevens:
        assert answer.accelerators is not None
        assert answer.accelerators <= 1.1 * peak
        assert answer.extrapolated_accelerators is None


def test_one_point_says_how_many_are_needed(configuration) -> None:
    (row,) = run([configuration()]).breakevens
    assert (row.status, row.accelerators, row.low, row.high) == ("undetermined", None, None, None)
    assert row.reason == "No answer: 1 different count measured; this rule needs at least 2."


def test_equal_counts_are_one_point(configuration) -> None:
    same = [configuration(submitter=s, time_to_train_min=t) for s, t in (("A", 60.0), ("B", 61.0))]
    (row,) = run(same).breakevens
    assert row.status == "undetermined"


def test_two_points_have_no_interval_of_the_fit(configuration) -> None:
    result = run([configuration(), configuration(accelerators=64, time_to_train_min=9.0)])
    for row in result.breakevens:
        assert row.low is None
        assert row.high is None
        assert row.interval_basis is None
    assert pick(result, "knee", "raw").status == "undetermined"
    assert pick(result, "efficiency", "raw").status == "beyond_range"
    low = pick(run([configuration(), configuration(accelerators=64, time_to_train_min=30.0)]),
               "efficiency", "fitted")  # fmt: skip
    assert low.accelerators == 22  # 8 (n / 8)^(1 - 1/3) doubles at 8 x 2^1.5 = 22.6
    assert "interpolated between two counts" in low.warnings[0]


def test_a_rising_curve_promises_nothing(curve) -> None:
    result = run(curve([(8, 60.0), (16, 70.0), (32, 90.0)]))
    for row in result.breakevens:
        assert row.status in ("at_smallest", "undetermined")
        assert row.accelerators in (8, None)
    marginal = pick(result, "marginal", "raw")
    assert marginal.reason.startswith("Already beyond the smallest count, 8 NVIDIA H100")
    assert "be no faster" in marginal.reason


def test_a_superlinear_curve_goes_on(curve) -> None:
    result = run(curve([(n, 100.0 / n**1.2) for n in (4, 8, 16, 32, 64)]))
    for rule in ("efficiency", "marginal", "power"):
        for basis in ("fitted", "raw"):
            assert pick(result, rule, basis).status == "beyond_range"
    assert pick(result, "knee", "raw").status == "undetermined"


def test_a_reference_elsewhere_can_leave_no_count_worth_it(curve, configuration) -> None:
    cheap = configuration(
        accelerators=1, time_to_train_min=61.0, accelerator_id="b200-sxm-180gb", system_id="one"
    )
    result = run([*curve([(8, 60.0), (16, 40.0), (32, 30.0)]), cheap], reference="one")
    rows = [r for r in result.breakevens if "h100" in r.curve and r.rule == "efficiency"]
    assert {row.status for row in rows} == {"below_range"}
    assert all("No count of NVIDIA H100 SXM5 80GB measured" in row.reason for row in rows)


def test_submitters_are_drawn_again_too(curve, configuration) -> None:
    other = [
        configuration(submitter="Other", accelerators=n, time_to_train_min=1.2 * t,
                      run_times_min=tuple(1.2 * t * f for f in (0.98, 0.99, 1.0, 1.01, 1.02)))
        for n, t in AMDAHL[:4]
    ]  # fmt: skip
    row = pick(run([*curve(AMDAHL), *other]), "efficiency", "raw")
    assert row.interval_basis == "runs+submitters"
    assert pick(run(curve(AMDAHL)), "efficiency", "fitted").interval_basis == "runs+scatter"


def test_leaving_the_last_point_out_is_said_when_it_matters(curve) -> None:
    result = run(curve([(4, 26.0), (8, 13.1), (16, 6.7), (32, 3.4), (64, 1.8), (4096, 0.9)]))
    row = pick(result, "efficiency", "raw")
    assert row.accelerators == 64
    assert row.status_without_last == "beyond_range"
    assert "without the 4,096-accelerator point there is no break-even" in row.warnings[0]


LAST_MATTERS = "without the 1,024-accelerator point"
TWO = "interpolated between two counts: no interval of the fit can be had"
SLOWER = "the curve is fastest before its largest count: more is slower"
NO_RUNS = "no interval: some scores have no runs to resample"


@pytest.mark.parametrize(("third", "warned"), [(32, ()), (24, (f"{LAST_MATTERS} it would be 24",))])
def test_a_shift_by_more_than_a_factor_of_two_is_said(curve, third, warned) -> None:
    points = [(4, 100.0), (8, 51.0), (16, 27.0), (third, 450.0 / third), (64, 9.0), (1024, 4.0)]
    row = pick(run(curve(points), rules=["utopia"]), "utopia", "raw")
    assert (row.accelerators, row.accelerators_without_last) == (64, third)
    assert row.warnings == warned


def test_what_is_said_about_a_curve_is_exact(curve) -> None:
    def said(points, rule="efficiency", **fields):
        result = run(curve(points, **fields))
        return [pick(result, rule, basis).warnings for basis in ("fitted", "raw")]

    # Two counts: the fit runs through both; the measured points have their interval.
    assert said([(8, 60.0), (64, 30.0)]) == [(TWO,), ()]
    # Faster in the middle; a tie at the end is no slower, and a rising curve has no inside.
    peak = [(4, 60.0), (8, 32.0), (16, 18.0), (32, 20.0)]
    assert all(SLOWER in found for found in said(peak))
    assert not any(SLOWER in found for found in said([*peak[:3], (32, 18.0)]))
    assert said([(8, 60.0), (16, 70.0), (32, 90.0)]) == [(), ()]
    # The answer with and without the last count lies beyond the range: nothing to say.
    ideal = [(n, 400.0 / n) for n in (4, 8, 16, 32)]
    assert said(ideal) == [(), ()]
    # No answer without the last count, because too few are left.
    assert said([(4, 60.0), (16, 18.0), (64, 12.0)], "knee") == [(), ()]


def test_scores_without_runs_have_no_interval_on_the_points(configuration) -> None:
    times = {4: 60.0, 8: 32.0, 16: 18.0, 32: 12.0}
    result = run([configuration(accelerators=n, time_to_train_min=t) for n, t in times.items()])
    assert pick(result, "efficiency", "raw").warnings == (NO_RUNS,)
    assert pick(result, "efficiency", "fitted").warnings == ()


def test_an_answer_is_measured_only_at_a_measured_count(curve) -> None:
    result = run(curve(AMDAHL))
    assert not pick(result, "efficiency", "fitted").measured
    assert pick(result, "efficiency", "raw").measured
    beyond = run(curve([(n, 400.0 / n) for n in (4, 8, 16, 32)]))
    assert not any(row.measured for row in beyond.breakevens if row.accelerators is None)


def test_both_tables_at_once_are_those_of_each_alone(curve) -> None:
    given = curve(AMDAHL)
    together = scaling_and_breakeven(given, rng=np.random.default_rng(1), resamples=200)
    alone = scaling(given, rng=np.random.default_rng(1), resamples=200), run(given)
    assert [asdict(found) for found in together] == [asdict(found) for found in alone]


def test_options_are_checked(curve) -> None:
    given = curve(AMDAHL)
    with pytest.raises(UsageError, match="efficiency floor must be above 0, not 0"):
        run(given, efficiency_floor=0.0)
    with pytest.raises(UsageError, match="marginal gain must lie between 0 and 1, not 1"):
        run(given, marginal_gain=1.0)
    for floor in (-1.0, float("inf"), float("nan")):
        with pytest.raises(UsageError, match="efficiency floor"):
            run(given, efficiency_floor=floor)
    with pytest.raises(UsageError, match="marginal gain"):
        run(given, marginal_gain=0.0)
    with pytest.raises(UnknownNameError, match="break-even rule"):
        run(given, rules=["elbow"])
    only = run(given, rules=["knee"])
    assert only.default_rule == "knee"
    assert {row.rule for row in only.breakevens} == {"knee"}
