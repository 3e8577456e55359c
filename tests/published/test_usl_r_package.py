"""Data and printed coefficients of the R package `usl`.

Data: Gunther, Guerrilla Capacity Planning, Springer 2007 (datasets `specsdm91` and
`raytracer` of the package, from the SPEC SDM91 results and the BRL-CAD benchmark).
Coefficients and standard errors as printed in the package's README, its vignette and the
expected output of its tests (usl 3.0, https://github.com/smoeding/usl).
"""

import numpy as np
import pytest

from equipoise.scaling.fit import LawFit, fit_law

SPEC_LOAD = [1.0, 18.0, 36.0, 72.0, 108.0, 144.0, 216.0]
SPEC_THROUGHPUT = [64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2]
RAY_PROCESSORS = [1.0, 4.0, 8.0, 12.0, 16.0, 20.0, 24.0, 28.0, 32.0, 48.0, 64.0]
RAY_THROUGHPUT = [20.0, 78.0, 130.0, 170.0, 190.0, 200.0, 210.0, 230.0, 260.0, 280.0, 310.0]


def published_fit(load: list[float], throughput: list[float]) -> LawFit:
    """Least squares of the throughput itself, as the package does; ours is of its log."""
    return fit_law("usl", load, 1.0 / np.array(throughput), error="throughput", level=0.95)


def value(fit: LawFit, name: str) -> float:
    return next(p.value for p in fit.parameters if p.name == name)


def error(fit: LawFit, name: str) -> float:
    found = next(p.standard_error for p in fit.parameters if p.name == name)
    assert found is not None
    return found


def test_specsdm91() -> None:
    fit = published_fit(SPEC_LOAD, SPEC_THROUGHPUT)
    assert value(fit, "alpha") == pytest.approx(0.0277285, abs=5e-8)
    assert value(fit, "beta") == pytest.approx(0.0001044, abs=5e-8)
    assert 1 / value(fit, "time_one") == pytest.approx(89.9952330, abs=1e-5)
    assert error(fit, "alpha") == pytest.approx(0.0091217, abs=5e-8)
    assert error(fit, "beta") == pytest.approx(0.0000199, abs=5e-8)
    gamma_error = error(fit, "time_one") / value(fit, "time_one") ** 2
    assert gamma_error == pytest.approx(14.2134894, rel=1e-5)
    assert fit.residual_error == pytest.approx(82.85, abs=0.005)
    assert fit.peak_accelerators == pytest.approx(96.51956, rel=1e-6)
    peak = 1 / fit.time_min(fit.peak_accelerators or 0.0)
    assert float(peak) == pytest.approx(1884, abs=0.5)


def test_raytracer() -> None:
    fit = published_fit(RAY_PROCESSORS, RAY_THROUGHPUT)
    assert value(fit, "alpha") == pytest.approx(0.057771, abs=5e-7)
    assert value(fit, "beta") == 0.0
    assert 1 / value(fit, "time_one") == pytest.approx(21.848843, abs=5e-7)
    assert fit.peak_accelerators is None


def test_the_first_six_points_of_raytracer_and_their_confidence_limits() -> None:
    fit = published_fit(RAY_PROCESSORS[:6], RAY_THROUGHPUT[:6])
    assert value(fit, "alpha") == pytest.approx(0.02444, abs=5e-6)
    assert value(fit, "beta") == pytest.approx(0.00163, abs=5e-6)
    assert 1 / value(fit, "time_one") == pytest.approx(20.85605, abs=5e-6)
    # The limits that the package prints rest on the 95 % quantile of Student's t with N - 1
    # = 5 degrees of freedom; here they check the standard errors.
    student = 2.015048
    assert value(fit, "alpha") - student * error(fit, "alpha") == pytest.approx(0.00754, abs=1e-5)
    assert value(fit, "alpha") + student * error(fit, "alpha") == pytest.approx(0.04135, abs=1e-5)
    assert value(fit, "beta") - student * error(fit, "beta") == pytest.approx(0.00110, abs=1e-5)
    assert value(fit, "beta") + student * error(fit, "beta") == pytest.approx(0.00215, abs=1e-5)


def test_the_exact_curve_of_the_package_tests() -> None:
    load = [1.0, 2.0, 4.0, 6.0, 8.0, 10.0]
    throughput = [1.0, 1.8868, 3.0769, 3.5294, 3.5398, 3.3557]
    for kind in ("throughput", "log"):
        fit = fit_law("usl", load, 1.0 / np.array(throughput), error=kind)
        assert value(fit, "alpha") == pytest.approx(0.02, abs=1e-4)
        assert value(fit, "beta") == pytest.approx(0.02, abs=1e-4)
        assert value(fit, "time_one") == pytest.approx(1.0, abs=1e-3)
