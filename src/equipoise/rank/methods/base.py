"""What every ranking method is: a pure kernel, its direction and its source."""

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equipoise.structs import dataclass

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
Option = float | FloatArray | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One multi-criteria method: arrays in, arrays out, nothing checked.

    `kernel(matrix, weights, benefit, **options)` takes a matrix (..., m, n) of m
    alternatives by n criteria, weights (..., n) that sum to 1 and a mask (n,) of the
    criteria where more is better, and returns scores (..., m). Leading axes are
    resamples and broadcast. `terms` has the same arguments without leading axes and
    returns (m, n): an additive account of the score, larger is better, one column per
    criterion.
    """

    name: str
    title: str
    direction: str
    """max: the highest score is best; min: the lowest."""
    kernel: Callable[..., FloatArray]
    terms: Callable[..., FloatArray]
    source: str
    positive_only: bool = False
    """Whether the method divides by or takes logarithms of the values."""
    uses_bounds: bool = False
    """Whether the kernel takes `bounds` (n, 2) that are fixed before the comparison."""
    options: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Names of the numeric options with the smallest and largest value."""
    when_scaled: Mapping[str, bool] = field(default_factory=dict)
    """Arguments for a matrix that is already scaled to 0 (worst) .. 1 (best)."""

    def scores(
        self, matrix: FloatArray, weights: FloatArray, benefit: BoolArray, **options: Any
    ) -> FloatArray:
        """Return the scores (..., m), always so that a larger one is better."""
        raw = self.kernel(matrix, weights, benefit, **options)
        return raw if self.direction == "max" else -raw


def divide(numerator: FloatArray, denominator: FloatArray, empty: float = 0.0) -> FloatArray:
    """Return numerator / denominator, and `empty` where the denominator is 0.

    >>> divide(np.array([1.0, 0.0]), np.array([2.0, 0.0]))
    array([0.5, 0. ])
    """
    numerator, denominator = np.broadcast_arrays(numerator, denominator)
    result = np.full(numerator.shape, empty)
    np.divide(numerator, denominator, out=result, where=denominator != 0.0)
    return result
