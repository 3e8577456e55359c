"""What a training costs: accelerator-hours, price, and the price of a saved minute."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.units import MIN_PER_H

Array = NDArray[np.float64]


def accelerator_hours(accelerators: ArrayLike, time_min: ArrayLike) -> Array:
    """Return n T / 60, the accelerator-hours of one training.

    Parameters
    ----------
    accelerators, time_min : array_like, broadcast together
        n and T in minutes.

    Examples
    --------
    >>> float(accelerator_hours(64, 15.0)[()])
    16.0
    """
    return np.multiply(accelerators, time_min, dtype=np.float64) / MIN_PER_H


def cost_usd(
    accelerators: ArrayLike, time_min: ArrayLike, price_usd_per_accelerator_hour: ArrayLike
) -> Array:
    """Return accelerator-hours times the price of one.

    Parameters
    ----------
    accelerators, time_min, price_usd_per_accelerator_hour : array_like, broadcast together
        n, T in minutes and p in USD; p must be above zero, a missing price is no price.

    Raises
    ------
    ValueError
        If a price is not above zero: zero in a price list means unknown.

    Examples
    --------
    >>> float(cost_usd(8, 30.0, 2.5)[()])
    10.0
    """
    price = np.asarray(price_usd_per_accelerator_hour, dtype=np.float64)
    if not np.all(price > 0):
        raise ValueError("a price must be above zero; leave it out when it is unknown")
    return accelerator_hours(accelerators, time_min) * price


def marginal_cost_usd_per_saved_min(
    *, cost_usd: float, time_min: float, cheaper_cost_usd: float, cheaper_time_min: float
) -> float | None:
    """Return d(cost) / d(-T) between two configurations: dollars per minute saved.

    Parameters
    ----------
    cost_usd, time_min : float
        Cost and time of the faster configuration.
    cheaper_cost_usd, cheaper_time_min : float
        The same of the slower one.

    Returns
    -------
    float or None
        None when no minute is saved. Negative: faster and cheaper at once.

    Examples
    --------
    >>> marginal_cost_usd_per_saved_min(
    ...     cost_usd=50.0, time_min=10.0, cheaper_cost_usd=40.0, cheaper_time_min=15.0
    ... )
    2.0
    """
    saved_min = cheaper_time_min - time_min
    if saved_min <= 0:
        return None
    return (cost_usd - cheaper_cost_usd) / saved_min
