"""Universal scalability law: contention and coherency, with a peak."""

import numpy as np

from equipoise.scaling.laws.base import Array, Law, ParameterForm, positive_ratio


def _basis(accelerators: Array) -> Array:
    return np.stack([1.0 / accelerators, np.ones_like(accelerators), accelerators - 1.0], axis=1)


def _peak(coefficients: Array) -> Array:
    # sqrt((1 - alpha) / beta), and c0 = T1 (1 - alpha), c2 = T1 beta; at least one accelerator.
    ratio = positive_ratio(coefficients[:, 0], coefficients[:, 2])
    return np.maximum(np.sqrt(ratio), 1.0)


_SUM = (1.0, 1.0, 0.0)

USL = Law(
    name="usl",
    title="Universal scalability law",
    formula="t(n) = T1 (1 + alpha (n - 1) + beta n (n - 1)) / n",
    response="time",
    basis=_basis,
    nonnegative=True,
    parameters=(
        ParameterForm(name="time_one", unit="min", numerator=_SUM),
        ParameterForm(name="alpha", unit="1", numerator=(0.0, 1.0, 0.0), denominator=_SUM),
        ParameterForm(name="beta", unit="1", numerator=(0.0, 0.0, 1.0), denominator=_SUM),
    ),
    peak=_peak,
    source=(
        "Gunther, Guerrilla Capacity Planning, Springer 2007, doi:10.1007/978-3-540-31010-5; "
        "three-parameter form as in the R package usl"
    ),
)
"""T1, contention 0 <= alpha <= 1 and coherency beta >= 0; peak at sqrt((1 - alpha) / beta).

>>> float(np.round(USL.peak(np.array([[0.9722715, 0.0277285, 0.0001044]]))[0], 1))
96.5
"""
