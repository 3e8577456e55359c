"""Domain objects to Parquet and back: the only code that opens the database."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from equipoise.catalogue.builder import Built, build
    from equipoise.catalogue.check import CheckReport, Problem
    from equipoise.catalogue.columns import TABLES, RoundEntry
    from equipoise.catalogue.reader import Catalogue, CatalogueInfo, bundled_path
    from equipoise.catalogue.sql import SqlResult

_HOMES = {
    "TABLES": "columns",
    "Built": "builder",
    "Catalogue": "reader",
    "CatalogueInfo": "reader",
    "CheckReport": "check",
    "Problem": "check",
    "RoundEntry": "columns",
    "SqlResult": "sql",
    "build": "builder",
    "bundled_path": "reader",
}

__all__ = [
    "TABLES",
    "Built",
    "Catalogue",
    "CatalogueInfo",
    "CheckReport",
    "Problem",
    "RoundEntry",
    "SqlResult",
    "build",
    "bundled_path",
]


def __getattr__(name: str) -> Any:
    """Load a name at its first use: opening a catalogue does not load the builder."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
