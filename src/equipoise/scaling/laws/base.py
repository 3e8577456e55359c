"""What every scaling law states: its basis, bounds, parameters, peak and source."""

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from equipoise.structs import dataclass

Array = NDArray[np.float64]
Response = Literal["time", "rate", "log_time"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterForm:
    """A named parameter as a ratio of linear forms of the coefficients, a.c / b.c."""

    name: str
    unit: str
    numerator: tuple[float, ...]
    denominator: tuple[float, ...] | None = None
    """None: the denominator is 1."""
    exponential: bool = False
    """The parameter is exp(a.c)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    """A law t(n) that is linear in its coefficients c after a fixed transformation.

    response `time`: t = B(n) c; `rate`: 1 / t = B(n) c; `log_time`: ln t = B(n) c, with
    B the basis of shape (N, p). Every law here has such a form, so one kernel fits all.
    """

    name: str
    title: str
    formula: str
    response: Response
    basis: Callable[[Array], Array]
    """(N,) counts -> (N, p) basis."""
    nonnegative: bool
    """All coefficients are kept at zero or above."""
    parameters: tuple[ParameterForm, ...]
    peak: Callable[[Array], Array]
    """(B, p) coefficients -> (B,) count of the least time, infinite when there is none."""
    source: str
    exact_fit_is_meaningful: bool = False
    """With as many points as parameters the law is still given, without any error."""

    @property
    def size(self) -> int:
        """Return the number of coefficients p."""
        return len(self.parameters)

    def log_time(self, coefficients: Array, accelerators: Array) -> Array:
        """Return ln t for (B, p) coefficients at (G,) counts, shape (B, G)."""
        linear = coefficients @ self.basis(accelerators).T
        if self.response == "log_time":
            return np.asarray(linear)
        logs: Array = np.log(np.maximum(linear, np.finfo(np.float64).tiny))
        return logs if self.response == "time" else -logs


def no_peak(coefficients: Array) -> Array:
    """Return infinity for laws whose time falls for ever."""
    return np.full(coefficients.shape[0], np.inf)


def positive_ratio(numerator: Array, denominator: Array) -> Array:
    """Return numerator / denominator where both are above zero, else infinity or zero."""
    ratio = np.full(numerator.shape, np.inf)
    np.divide(numerator, denominator, out=ratio, where=denominator > 0)
    return ratio
