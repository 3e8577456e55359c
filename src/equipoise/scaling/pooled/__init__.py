"""The pooled model: one Gaussian process over all benchmarks, accelerators, rounds and counts."""

from equipoise.scaling.pooled.calibration import Calibration, calibrate
from equipoise.scaling.pooled.coordinates import Place
from equipoise.scaling.pooled.model import (
    TYPICAL,
    Belief,
    PooledModel,
    fit_points,
    fit_pooled,
    model_key,
)
from equipoise.scaling.pooled.points import Point, pool_points

__all__ = [
    "TYPICAL",
    "Belief",
    "Calibration",
    "Place",
    "Point",
    "PooledModel",
    "calibrate",
    "fit_points",
    "fit_pooled",
    "model_key",
    "pool_points",
]
