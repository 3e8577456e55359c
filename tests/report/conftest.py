"""The planted study that the tests of the report share."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


def load_builders() -> ModuleType:
    """Return the builders beside this file (test folders are no packages)."""
    name = "equipoise_report_builders"
    if name not in sys.modules:
        path = Path(__file__).with_name("builders.py")
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


@pytest.fixture(scope="session")
def builders() -> ModuleType:
    return load_builders()


@pytest.fixture(scope="session")
def study(builders: ModuleType) -> Any:
    return builders.study()


@pytest.fixture(scope="session")
def hostile(builders: ModuleType) -> Any:
    return builders.study(hostile=True)
