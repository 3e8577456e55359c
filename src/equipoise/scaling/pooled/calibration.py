"""Honest widths: how large the standardised errors of left-out points really are.

The errors z = (truth - mean) / standard deviation of left-out points are fitted by a
Student distribution with a scale, `z = m + s t_nu`. Intervals are then
`mean + m sd +- s t_nu^-1((1 + level) / 2) sd`, and joint samples come from the multivariate
Student distribution with the same nu. The location m is zero but for predictions of later
rounds: progress slows down, and what earlier rounds say of the next one leans to one side.

Source: Student scale by maximum likelihood (Lange, Little and Taylor, JASA 84, 1989).
"""

from collections.abc import Sequence
from math import lgamma
from typing import Final

import numpy as np
from numpy.typing import NDArray

from equipoise.metrics.distributions import student_quantile
from equipoise.structs import dataclass

Array = NDArray[np.float64]

FREEDOMS: Final = (1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0, 30.0, 100.0)
MIN_ERRORS: Final = 20
"""Fewer errors than this say nothing about tails: a normal one with scale 1 is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Scale and degrees of freedom of the standardised errors of one kind of prediction."""

    scale: float
    freedom: float
    errors: int
    """Left-out points behind it."""
    location: float = 0.0
    """Where the standardised errors lie; positive where the truth takes longer."""

    def half_width(self, level: float) -> float:
        """Return the half width of the interval of this level, in standard deviations.

        The interval lies around `location`.

        >>> round(Calibration(scale=1.0, freedom=1e6, errors=0).half_width(0.9), 3)
        1.645
        """
        return self.scale * student_quantile((1.0 + level) / 2.0, self.freedom)

    def log_density(self, z: Array, sd: Array) -> Array:
        """Return the log density of errors z x sd of the logarithm of time."""
        return _log_student((z - self.location) / self.scale, self.freedom) - np.log(
            self.scale * sd
        )


NORMAL: Final = Calibration(scale=1.0, freedom=100.0, errors=0)


def calibrate(
    z: Array, *, groups: Sequence[NDArray[np.int64]] | None = None, located: bool = False
) -> Calibration:
    """Return the Student distribution of standardised errors by maximum likelihood.

    Parameters
    ----------
    z : array, shape (N,)
        Standardised errors of left-out points.
    groups : sequence of index arrays or None
        Points left out together; each group then counts as one, whatever its size.
    located : bool
        Also find the location; zero otherwise.
    """
    if len(z) < MIN_ERRORS:
        return NORMAL
    weight = np.ones(len(z))
    for group in groups or ():
        weight[group] = 1.0 / np.sqrt(len(group))
    best, found = -np.inf, NORMAL
    for freedom in FREEDOMS:
        location, scale = _fitted(z, weight, freedom, located=located)
        value = _likelihood((z - location) / scale, weight, freedom)
        value -= float(weight.sum() * np.log(scale))
        if value > best:
            best = value
            found = Calibration(scale=scale, freedom=freedom, errors=len(z), location=location)
    return found


def _fitted(z: Array, weight: Array, freedom: float, *, located: bool) -> tuple[float, float]:
    """Return location and scale of a Student distribution by expectation maximisation."""
    location, square = 0.0, float(weight @ z**2 / weight.sum())
    for _ in range(200):
        pull = weight * (freedom + 1.0) / (freedom + (z - location) ** 2 / square)
        if located:
            location = float(pull @ z / pull.sum())
        new = float(pull @ (z - location) ** 2 / weight.sum())
        if abs(new - square) < 1e-9 * square:
            break
        square = new
    return location, float(np.sqrt(square))


def _likelihood(z: Array, weight: Array, freedom: float) -> float:
    return float(weight @ _log_student(z, freedom))


def _log_student(z: Array, freedom: float) -> Array:
    half = 0.5 * (freedom + 1.0)
    constant = lgamma(half) - lgamma(0.5 * freedom) - 0.5 * np.log(freedom * np.pi)
    return np.asarray(constant - half * np.log1p(z**2 / freedom))
