"""Hyperparameters and calibrations that were found beforehand, as data.

Written by `benchmarks/hyperparameters.py` from the bundled catalogue; a fit of the model
takes them as they are and only solves for the points and weights it is given.
"""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

import numpy as np
from numpy.typing import NDArray

from equipoise.scaling.pooled.calibration import NORMAL, Calibration
from equipoise.scaling.pooled.kernel import Structure
from equipoise.structs import dataclass

FILE: Final = "hyperparameters.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnJobSettings:
    """How a job of the user's own differs from a benchmark."""

    shape_share: float
    """Variance of its own shape, as a share of that between benchmarks."""
    level_spread: float
    """Log work by which a benchmark may differ and still be called near."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shipped:
    """What was found beforehand, and from what."""

    hyperparameters: Mapping[str, float]
    """Name -> value (not its logarithm)."""
    calibrations: Mapping[str, Calibration]
    """Kind of prediction -> how large its errors were in nested validation."""
    own_job: OwnJobSettings
    points: int
    rounds: tuple[str, ...]
    command: str
    text: str
    """The file itself, for the key of stored models."""

    def theta(self, structure: Structure) -> NDArray[np.float64]:
        """Return the logarithms in the order of a structure."""
        return np.log([self.hyperparameters[name] for name in structure.names])

    def calibration(self, kind: str) -> Calibration:
        """Return the calibration of a kind of prediction."""
        return self.calibrations.get(kind, NORMAL)


@cache
def shipped() -> Shipped:
    """Return the hyperparameters and calibrations that come with the package."""
    return parse_shipped(files(__package__).joinpath("data", FILE).read_text("utf-8"))


def parse_shipped(text: str) -> Shipped:
    """Return the content of a file of hyperparameters."""
    raw = json.loads(text)
    return Shipped(
        hyperparameters=raw["hyperparameters"],
        calibrations={
            kind: Calibration(
                scale=c["scale"],
                freedom=c["freedom"],
                errors=c["errors"],
                location=c["location"],
            )
            for kind, c in raw["calibrations"].items()
        },
        own_job=OwnJobSettings(**raw["own_job"]),
        points=raw["points"],
        rounds=tuple(raw["rounds"]),
        command=raw["command"],
        text=text,
    )
