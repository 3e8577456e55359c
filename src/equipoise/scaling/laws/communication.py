"""Communication law: fixed work, parallel work and a tree all-reduce."""

import numpy as np

from equipoise.scaling.laws.base import Array, Law, ParameterForm, positive_ratio


def _basis(accelerators: Array) -> Array:
    ones = np.ones_like(accelerators)
    return np.stack([ones, 1.0 / accelerators, np.log2(accelerators)], axis=1)


def _peak(coefficients: Array) -> Array:
    # dt/dn = -b / n^2 + c / (n ln 2) = 0 at n = b ln 2 / c.
    ratio = positive_ratio(coefficients[:, 1] * np.log(2.0), coefficients[:, 2])
    return np.maximum(ratio, 1.0)


COMMUNICATION = Law(
    name="communication",
    title="Communication law",
    formula="t(n) = a + b / n + c log2 n",
    response="time",
    basis=_basis,
    nonnegative=True,
    parameters=(
        ParameterForm(name="fixed", unit="min", numerator=(1.0, 0.0, 0.0)),
        ParameterForm(name="parallel", unit="accelerator-minutes", numerator=(0.0, 1.0, 0.0)),
        ParameterForm(name="per_doubling", unit="min", numerator=(0.0, 0.0, 1.0)),
    ),
    peak=_peak,
    source=(
        "Thakur, Rabenseifner and Gropp, Optimization of collective communication operations "
        "in MPICH, IJHPCA 19 (2005), doi:10.1177/1094342005051521 (log2 n steps of a tree)"
    ),
)
"""a, b and c >= 0; least time at n = b ln 2 / c."""
