"""The package itself: cheap to import, questions stay questions whatever is imported."""

import subprocess
import sys
from importlib import import_module

import pytest

import equipoise as eq

QUESTIONS = ["scaling", "cluster", "rank", "advise"]


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = (
        "import sys, equipoise; "
        "heavy = {'numpy', 'scipy', 'sklearn', 'polars', 'duckdb', 'click'} & set(sys.modules); "
        "sys.exit(repr(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_can_be_asked_after_its_layer_was_imported(name) -> None:
    import_module(f"equipoise.{name}")
    with pytest.raises(eq.EquipoiseError):
        getattr(eq, name)(eq.open_catalogue(), "no such benchmark")


def test_layers_can_be_imported_under_another_name() -> None:
    import equipoise.scaling.laws as laws

    assert laws.LAWS


@pytest.mark.parametrize("name", eq.__all__)
def test_every_name_is_there(name) -> None:
    assert getattr(eq, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        eq.nothing  # noqa: B018
