"""Speedup, plain and relative efficiency, and the exact three-factor decomposition."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.units import S_PER_MIN

Array = NDArray[np.float64]


class EfficiencyFactors(NamedTuple):
    """E_throughput, E_convergence and E_overhead; their product is the efficiency."""

    throughput: float
    convergence: float
    overhead: float


def speedup(time_min: ArrayLike, reference_time_min: ArrayLike) -> Array:
    """Return T_r / T, how many times faster than the reference.

    Parameters
    ----------
    time_min, reference_time_min : array_like, broadcast together
        T and T_r in minutes, above zero.

    Examples
    --------
    >>> float(round(speedup(9.0, 60.0)[()], 6))
    6.666667
    """
    return np.divide(reference_time_min, time_min, dtype=np.float64)


def plain_efficiency(
    time_min: ArrayLike, accelerators: ArrayLike, reference_time_min: ArrayLike
) -> Array:
    """Return S / n, the speedup per accelerator whatever the reference's own count.

    Parameters
    ----------
    time_min, accelerators, reference_time_min : array_like, broadcast together
        T, n and T_r.
    """
    return np.divide(speedup(time_min, reference_time_min), accelerators, dtype=np.float64)


def relative_efficiency(
    time_min: ArrayLike,
    accelerators: ArrayLike,
    *,
    reference_time_min: ArrayLike,
    reference_accelerators: ArrayLike,
) -> Array:
    """Return E = S / (n / n_r) = (n_r T_r) / (n T), 1 at the reference.

    Parameters
    ----------
    time_min, accelerators : array_like, broadcast together
        T in minutes and n.
    reference_time_min, reference_accelerators : array_like
        T_r and n_r.

    Examples
    --------
    >>> e = relative_efficiency(9.0, 64, reference_time_min=60.0, reference_accelerators=8)
    >>> float(round(e[()], 6))
    0.833333
    """
    plain = plain_efficiency(time_min, accelerators, reference_time_min)
    return np.multiply(plain, reference_accelerators, dtype=np.float64)


def training_share(
    *, time_min: float, samples_to_converge: float, throughput_samples_per_s: float
) -> float:
    """Return f = (N / X) / T, the share of the time to train that is spent training.

    Parameters
    ----------
    time_min, samples_to_converge, throughput_samples_per_s : float
        T in minutes, N in samples and X in samples/s, all above zero.

    Examples
    --------
    >>> training_share(time_min=10.0, samples_to_converge=5400, throughput_samples_per_s=10.0)
    0.9
    """
    return samples_to_converge / throughput_samples_per_s / (time_min * S_PER_MIN)


def efficiency_factors(
    *,
    accelerators: int,
    time_min: float,
    samples_to_converge: float,
    throughput_samples_per_s: float,
    reference_accelerators: int,
    reference_time_min: float,
    reference_samples_to_converge: float,
    reference_throughput_samples_per_s: float,
) -> EfficiencyFactors:
    """Return why efficiency is lost: E = E_throughput E_convergence E_overhead, exactly.

    E_throughput = (X / n) / (X_r / n_r): communication and small local batches;
    E_convergence = N_r / N: the large batch needs more samples;
    E_overhead = f / f_r with f = (N / X) / T: evaluation, start and checkpoints.

    Parameters
    ----------
    accelerators, time_min, samples_to_converge, throughput_samples_per_s
        n, T (minutes), N (samples) and X (samples/s) of the configuration.
    reference_accelerators, reference_time_min, reference_samples_to_converge, \
reference_throughput_samples_per_s
        The same of the reference.

    Examples
    --------
    >>> factors = efficiency_factors(
    ...     accelerators=16, time_min=6.0, samples_to_converge=5500.0,
    ...     throughput_samples_per_s=18.0, reference_accelerators=8, reference_time_min=10.0,
    ...     reference_samples_to_converge=5000.0, reference_throughput_samples_per_s=10.0,
    ... )
    >>> [round(factor, 4) for factor in factors]
    [0.9, 0.9091, 1.0185]
    >>> round(factors.throughput * factors.convergence * factors.overhead, 4)
    0.8333
    """
    per_accelerator = throughput_samples_per_s / accelerators
    reference_per_accelerator = reference_throughput_samples_per_s / reference_accelerators
    share = training_share(
        time_min=time_min,
        samples_to_converge=samples_to_converge,
        throughput_samples_per_s=throughput_samples_per_s,
    )
    reference_share = training_share(
        time_min=reference_time_min,
        samples_to_converge=reference_samples_to_converge,
        throughput_samples_per_s=reference_throughput_samples_per_s,
    )
    return EfficiencyFactors(
        throughput=per_accelerator / reference_per_accelerator,
        convergence=reference_samples_to_converge / samples_to_converge,
        overhead=share / reference_share,
    )
