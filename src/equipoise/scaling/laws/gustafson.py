"""Gustafson's law in its weak form on throughput: the parallel part grows with n."""

import numpy as np

from equipoise.scaling.laws.base import Array, Law, ParameterForm, no_peak


def _basis(accelerators: Array) -> Array:
    return np.stack([np.ones_like(accelerators), accelerators], axis=1)


GUSTAFSON = Law(
    name="gustafson",
    title="Gustafson's law on throughput",
    formula="1 / t(n) = R1 (s + (1 - s) n)",
    response="rate",
    basis=_basis,
    nonnegative=True,
    parameters=(
        ParameterForm(name="rate_one", unit="trainings/min", numerator=(1.0, 1.0)),
        ParameterForm(name="serial_share", unit="1", numerator=(1.0, 0.0), denominator=(1.0, 1.0)),
    ),
    peak=no_peak,
    source=(
        "Gustafson, Reevaluating Amdahl's law, Communications of the ACM 31 (1988), "
        "doi:10.1145/42411.42415"
    ),
)
"""R1, trainings per minute at one accelerator, and the serial share 0 <= s <= 1 of the
scaled speedup s + (1 - s) n."""
