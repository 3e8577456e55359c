from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import equipoise.scaling.laws as laws
from equipoise.errors import UnknownNameError
from equipoise.scaling.laws import LAWS, law_named, laws_named

GRID = np.geomspace(1.0, 1e5, 20_001)
WITH_PEAK = {
    "usl": [100.0, 1.5, 0.004],
    "ernest": [1.0, 100.0, 0.3, 0.004],
    "communication": [0.5, 100.0, 0.4],
}


@pytest.mark.parametrize("name", LAWS)
def test_every_law_has_its_file_source_and_formula(name: str) -> None:
    law = LAWS[name]
    module = import_module(f"equipoise.scaling.laws.{name}")
    assert getattr(module, name.upper()) is law
    assert law.source
    assert law.formula.count("=") == 1
    assert law.basis(np.array([1.0, 2.0])).shape == (2, law.size)
    for form in law.parameters:
        assert len(form.numerator) == law.size
        assert form.denominator is None or len(form.denominator) == law.size


def test_every_file_of_the_folder_is_in_the_registry() -> None:
    folder = Path(laws.__file__).parent
    files = {path.stem for path in folder.glob("*.py")} - {"__init__", "base"}
    assert files == set(LAWS)


@pytest.mark.parametrize("name", WITH_PEAK)
def test_the_analytic_peak_is_the_least_time(name: str) -> None:
    coefficients = np.array([WITH_PEAK[name]])
    peak = float(LAWS[name].peak(coefficients)[0])
    least = GRID[LAWS[name].log_time(coefficients, GRID)[0].argmin()]
    assert peak == pytest.approx(least, rel=1e-3)


@pytest.mark.parametrize("name", WITH_PEAK)
def test_without_growing_terms_there_is_no_peak(name: str) -> None:
    coefficients = np.zeros((1, LAWS[name].size))
    # The term that falls fastest is the work that is shared: alone it never turns.
    coefficients[0, LAWS[name].basis(GRID[-1:])[0].argmin()] = 100.0
    assert np.isinf(LAWS[name].peak(coefficients)[0])


@pytest.mark.parametrize("name", ["linear", "amdahl", "gustafson"])
def test_laws_that_fall_for_ever_have_no_peak(name: str) -> None:
    assert np.isinf(LAWS[name].peak(np.ones((1, LAWS[name].size)))[0])


def test_usl_with_no_coherency_is_amdahl() -> None:
    usl = LAWS["usl"].log_time(np.array([[100.0, 2.0, 0.0]]), GRID)
    amdahl = LAWS["amdahl"].log_time(np.array([[2.0, 100.0]]), GRID)
    assert usl == pytest.approx(amdahl)


def test_names() -> None:
    assert laws_named(None) == tuple(LAWS.values())
    assert laws_named(["USL"]) == (LAWS["usl"],)
    with pytest.raises(UnknownNameError, match="choices: amdahl, communication"):
        law_named("moore")
