"""Stage 1: which variables matter for a criterion, and how far to believe it."""

from equipoise.evaluate.analysis import importance
from equipoise.evaluate.results import (
    CoverageRow,
    DependencePoint,
    FixedEffect,
    ImportanceResult,
    Skill,
    VariableImportance,
)

__all__ = [
    "CoverageRow",
    "DependencePoint",
    "FixedEffect",
    "ImportanceResult",
    "Skill",
    "VariableImportance",
    "importance",
]
