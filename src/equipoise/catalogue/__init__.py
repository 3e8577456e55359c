"""Domain objects to Parquet and back: the only code that opens the database."""

from equipoise.catalogue.build import Built, build
from equipoise.catalogue.check import CheckReport, Problem
from equipoise.catalogue.columns import TABLES, RoundEntry
from equipoise.catalogue.reader import Catalogue, CatalogueInfo, bundled_path
from equipoise.catalogue.sql import SqlResult

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
