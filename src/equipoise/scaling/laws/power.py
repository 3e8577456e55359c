"""Power law: every doubling saves the same share of the time."""

import numpy as np

from equipoise.scaling.laws.base import Array, Law, ParameterForm


def _basis(accelerators: Array) -> Array:
    return np.stack([np.ones_like(accelerators), np.log(accelerators)], axis=1)


def _peak(coefficients: Array) -> Array:
    # A rising power law has its least time at the smallest count there is.
    return np.where(coefficients[:, 1] > 0, 1.0, np.inf)


POWER = Law(
    name="power",
    title="Power law",
    formula="t(n) = T1 n^k",
    response="log_time",
    basis=_basis,
    nonnegative=False,
    parameters=(
        ParameterForm(name="time_one", unit="min", numerator=(1.0, 0.0), exponential=True),
        ParameterForm(name="slope", unit="1", numerator=(0.0, 1.0)),
    ),
    peak=_peak,
    source=(
        "Barnes et al., A regression-based approach to scalability prediction, ICS 2008, "
        "doi:10.1145/1375527.1375580"
    ),
    exact_fit_is_meaningful=True,
)
"""T1, the time at one accelerator, and the slope k: -1 is ideal, above 0 is retrograde."""
