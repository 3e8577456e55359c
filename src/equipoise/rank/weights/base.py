"""What every weighting is: a decision matrix in, weights that sum to 1 out."""

from collections.abc import Callable

from equipoise.rank.methods.base import BoolArray, FloatArray
from equipoise.structs import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighting:
    """One rule for the weights: `kernel(matrix, benefit)` -> (n,), summing to 1."""

    name: str
    title: str
    kernel: Callable[[FloatArray, BoolArray], FloatArray]
    source: str
    nonnegative_only: bool = False
