"""Quantiles and tails against SciPy, which the library itself does not load for them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from equipoise.metrics.distributions import (
    chi_squared_tail,
    incomplete_beta,
    normal_quantile,
    student_quantile,
)


@pytest.mark.parametrize("freedom", [0.5, 1, 2, 3, 4.5, 9, 30, 200, 1e4, 1e6, 1e9])
@pytest.mark.parametrize("probability", [0.01, 0.3, 0.5, 0.75, 0.9, 0.95, 0.975, 0.999])
def test_student_quantiles(freedom: float, probability: float) -> None:
    expected = float(special.stdtrit(freedom, probability))
    assert student_quantile(probability, freedom) == pytest.approx(expected, rel=1e-8, abs=1e-12)


@given(st.floats(0.05, 500), st.floats(0.05, 500), st.floats(0, 1))
def test_incomplete_beta(a: float, b: float, x: float) -> None:
    expected = float(special.betainc(a, b, x))
    assert incomplete_beta(a, b, x) == pytest.approx(expected, rel=1e-9, abs=1e-13)


@given(st.integers(1, 120), st.floats(0, 500))
def test_chi_squared_tail(freedom: int, value: float) -> None:
    expected = float(special.chdtrc(freedom, value))
    assert chi_squared_tail(value, freedom) == pytest.approx(expected, rel=1e-9, abs=1e-15)


def test_normal_quantiles() -> None:
    for p in np.linspace(0.001, 0.999, 50):
        assert normal_quantile(float(p)) == pytest.approx(float(special.ndtri(p)), abs=1e-12)


@pytest.mark.parametrize(("probability", "freedom"), [(0.0, 3), (1.0, 3), (0.9, 0), (0.9, -1)])
def test_what_has_no_quantile_is_refused(probability: float, freedom: float) -> None:
    with pytest.raises(ValueError, match="no quantile"):
        student_quantile(probability, freedom)
