"""Amdahl's law: a serial share that no accelerator shortens."""

import numpy as np

from equipoise.scaling.laws.base import Array, Law, ParameterForm, no_peak


def _basis(accelerators: Array) -> Array:
    return np.stack([np.ones_like(accelerators), 1.0 / accelerators], axis=1)


AMDAHL = Law(
    name="amdahl",
    title="Amdahl's law",
    formula="t(n) = T1 (s + (1 - s) / n)",
    response="time",
    basis=_basis,
    nonnegative=True,
    parameters=(
        ParameterForm(name="time_one", unit="min", numerator=(1.0, 1.0)),
        ParameterForm(name="serial_share", unit="1", numerator=(1.0, 0.0), denominator=(1.0, 1.0)),
    ),
    peak=no_peak,
    source=(
        "Amdahl, Validity of the single processor approach to achieving large scale computing "
        "capabilities, AFIPS 1967, doi:10.1145/1465482.1465560"
    ),
)
"""T1, the time at one accelerator, and the serial share 0 <= s <= 1; speedup stays under 1/s."""
