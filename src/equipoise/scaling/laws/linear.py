"""Ideal linear scaling: twice the accelerators, half the time."""

from equipoise.scaling.laws.base import Array, Law, ParameterForm, no_peak


def _basis(accelerators: Array) -> Array:
    return 1.0 / accelerators[:, None]


LINEAR = Law(
    name="linear",
    title="Linear scaling",
    formula="t(n) = W / n",
    response="time",
    basis=_basis,
    nonnegative=True,
    parameters=(ParameterForm(name="work", unit="accelerator-minutes", numerator=(1.0,)),),
    peak=no_peak,
    source="the definition of ideal speedup, S(n) = n; the baseline of all other laws",
)
"""One parameter W, the work; efficiency is 1 everywhere.

>>> bool(np.isclose(np.exp(LINEAR.log_time(np.array([[480.0]]), np.array([8.0])))[0, 0], 60.0))
True
"""
