"""Ernest: serial, parallel, tree and per-machine terms, all at zero or above."""

import numpy as np

from equipoise.scaling.laws.base import Array, Law, ParameterForm, positive_ratio


def _basis(accelerators: Array) -> Array:
    ones = np.ones_like(accelerators)
    return np.stack([ones, 1.0 / accelerators, np.log(accelerators), accelerators], axis=1)


def _peak(coefficients: Array) -> Array:
    # dt/dn = 0: c3 n^2 + c2 n - c1 = 0, in the form that stays exact for small c3.
    parallel, tree, each = coefficients[:, 1], coefficients[:, 2], coefficients[:, 3]
    root = tree + np.sqrt(tree**2 + 4.0 * each * parallel)
    return np.maximum(positive_ratio(2.0 * parallel, root), 1.0)


ERNEST = Law(
    name="ernest",
    title="Ernest",
    formula="t(n) = a + b / n + c ln n + d n",
    response="time",
    basis=_basis,
    nonnegative=True,
    parameters=(
        ParameterForm(name="serial", unit="min", numerator=(1.0, 0.0, 0.0, 0.0)),
        ParameterForm(name="parallel", unit="accelerator-minutes", numerator=(0.0, 1.0, 0.0, 0.0)),
        ParameterForm(name="tree", unit="min", numerator=(0.0, 0.0, 1.0, 0.0)),
        ParameterForm(name="each", unit="min/accelerator", numerator=(0.0, 0.0, 0.0, 1.0)),
    ),
    peak=_peak,
    source=(
        "Venkataraman et al., Ernest: efficient performance prediction for large-scale "
        "advanced analytics, NSDI 2016"
    ),
)
"""Non-negative least squares on 1, 1/n, ln n and n."""
