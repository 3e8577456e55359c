import csv
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.errors import DataError, TooFewPointsError, UnknownNameError
from equipoise.scaling.fit import fit_law, why_refused
from equipoise.scaling.laws import LAWS, Law, ParameterForm

COUNTS = np.array([4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0])
TRUTH = {
    "linear": [400.0],
    "power": [np.log(100.0), -0.8],
    "amdahl": [2.0, 100.0],
    "gustafson": [0.004, 0.002],
    "usl": [100.0, 1.5, 0.004],
    "ernest": [1.0, 100.0, 0.3, 0.004],
    "communication": [0.5, 100.0, 0.4],
}
"""Coefficients of the basis of each law."""


def parameter(form: ParameterForm, coefficients: np.ndarray) -> float:
    value = float(np.dot(form.numerator, coefficients))
    if form.denominator is not None:
        value /= float(np.dot(form.denominator, coefficients))
    return float(np.exp(value)) if form.exponential else value


def exact_times(law: Law) -> np.ndarray:
    return np.exp(law.log_time(np.array([TRUTH[law.name]]), COUNTS)[0])


@pytest.mark.parametrize("name", LAWS)
def test_exact_data_give_back_the_parameters(name: str) -> None:
    law = LAWS[name]
    fit = fit_law(law, COUNTS, exact_times(law))
    for form, found in zip(law.parameters, fit.parameters, strict=True):
        truth = parameter(form, np.array(TRUTH[name]))
        assert found.value == pytest.approx(truth, rel=1e-6)
    assert fit.time_min(COUNTS) == pytest.approx(exact_times(law), rel=1e-8)


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("noise", [0.03, 0.08])
def test_intervals_cover_the_truth_as_often_as_they_say(name: str, noise: float) -> None:
    """Nominal 90 % covers 85 to 95 % in simulation, for every parameter of every law."""
    law = LAWS[name]
    rng = np.random.default_rng(4)
    series = 240
    logs = np.log(exact_times(law)) + noise * rng.standard_normal((series, len(COUNTS)))
    truth = [parameter(form, np.array(TRUTH[name])) for form in law.parameters]
    covered = np.zeros(law.size)
    for log_time in logs:
        fit = fit_law(law, COUNTS, np.exp(log_time), level=0.9)
        for index, found in enumerate(fit.parameters):
            above = found.low is None or found.low <= truth[index]
            below = found.high is None or truth[index] <= found.high
            covered[index] += above and below
    share = covered / series
    assert ((share >= 0.85) & (share <= 0.95)).all(), share


def points_of(path: Path) -> tuple[list[float], list[float]]:
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return [float(row["n"]) for row in rows], [float(row["minutes"]) for row in rows]


def test_the_case_with_fewer_points_than_parameters(shared: Path) -> None:
    case = shared / "cases" / "76-fewer-points-than-parameters"
    expected = json.loads((case / "expected.json").read_text())
    with pytest.raises(TooFewPointsError, match=r"needs points at 2 different counts.*there is 1"):
        fit_law("power", *points_of(case / "input" / "one.csv"))
    with pytest.raises(TooFewPointsError, match="all 3 points have the same count, 8"):
        fit_law("amdahl", *points_of(case / "input" / "same_n.csv"))
    two = points_of(case / "input" / "two.csv")
    power = fit_law("power", *two)
    assert power.parameters[1].value == pytest.approx(expected["two"]["power_law_slope"], abs=1e-6)
    assert all(p.low is None and p.high is None for p in power.parameters)
    for name in ("usl", "ernest", "communication"):
        with pytest.raises(TooFewPointsError, match="different counts"):
            fit_law(name, *two)
    rising = points_of(case / "input" / "rising.csv")
    assert fit_law("power", *rising).row("c", weight=None).warnings
    share = fit_law("amdahl", *rising).parameters[1]
    assert share.value == 1.0
    assert share.low is not None
    assert share.low >= 0


@pytest.mark.parametrize(
    ("counts", "times", "message"),
    [
        ([], [], "no points"),
        ([8], [60, 70], "1 counts and 2 times"),
        ([0, 8, 16], [60, 50, 40], "point 1: the count of accelerators 0"),
        ([4, 8, 16], [60, 0, 40], "point 2: the time 0"),
        ([4, 8, 16], [60, float("nan"), 40], "point 2: the time nan"),
        ([4, 8, float("inf")], [60, 50, 40], "point 3: the count of accelerators inf"),
    ],
)
def test_bad_points_are_named(counts: list[float], times: list[float], message: str) -> None:
    with pytest.raises(DataError, match=message):
        fit_law("power", counts, times)


def test_an_unknown_law_lists_the_choices() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'amdahl'"):
        fit_law("amdal", COUNTS, COUNTS)


@pytest.mark.parametrize("name", LAWS)
def test_the_count_needed_is_said_and_is_enough(name: str) -> None:
    law = LAWS[name]
    needed = law.size + (0 if law.exact_fit_is_meaningful else 1)
    if needed > 1:
        assert f"{needed} different counts" in (why_refused(law, COUNTS[: needed - 1]) or "")
    assert why_refused(law, COUNTS[:needed]) is None
    fit_law(law, COUNTS[:needed], exact_times(law)[:needed])


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(1, 10_000), st.floats(1e-3, 1e5)),
        min_size=1,
        max_size=12,
        unique_by=lambda point: point[0],
    )
)
def test_any_points_are_fitted_or_refused(points: list[tuple[int, float]]) -> None:
    counts, times = zip(*points, strict=True)
    for law in LAWS.values():
        try:
            fit = fit_law(law, counts, times)
        except DataError:
            continue
        row = fit.row("curve", weight=None)
        for found in row.parameters:
            assert np.isfinite(found.value)
            for number in (found.standard_error, found.low, found.high):
                assert number is None or np.isfinite(number)
            if found.low is not None and found.high is not None:
                assert found.low <= found.value <= found.high
            if law.nonnegative:
                assert found.value >= 0
        assert np.isfinite(fit.time_min(counts)).all()


def test_aicc_needs_two_points_more_than_what_is_estimated() -> None:
    times = exact_times(LAWS["amdahl"]) * np.exp(0.01 * np.cos(COUNTS))
    assert fit_law("usl", COUNTS[:5], times[:5]).aicc is None
    assert fit_law("usl", COUNTS[:6], times[:6]).aicc is not None


def test_leave_one_out_equals_the_literal_rule() -> None:
    times = exact_times(LAWS["communication"]) * np.exp(0.03 * np.sin(COUNTS))
    for name in ("power", "amdahl", "communication"):
        errors = []
        for left_out in range(len(COUNTS)):
            keep = np.arange(len(COUNTS)) != left_out
            fit = fit_law(name, COUNTS[keep], times[keep])
            errors.append(np.log(times[left_out] / fit.time_min(COUNTS[left_out])))
        literal = float(np.sqrt(np.mean(np.square(errors))))
        assert fit_law(name, COUNTS, times).loo_log_error == pytest.approx(literal, rel=1e-3)
