"""Conversion factors (only here are 60, 1000, 3600 and 2**30 written); numbers in sentences."""

from typing import Final

MS_PER_S: Final = 1000.0
S_PER_MIN: Final = 60.0
MIN_PER_H: Final = 60.0
S_PER_H: Final = 3600.0
MS_PER_MIN: Final = MS_PER_S * S_PER_MIN
J_PER_KJ: Final = 1000.0
WH_PER_KWH: Final = 1000.0
KJ_PER_KWH: Final = 3600.0
W_PER_KW: Final = 1000.0
G_PER_KG: Final = 1000.0
H_PER_DAY: Final = 24.0
H_PER_YEAR: Final = 8760.0
BYTES_PER_MIB: Final = 2**20
BYTES_PER_GIB: Final = 2**30
BYTES_PER_GB: Final = 10**9
GIB_PER_TIB: Final = 1024.0
FLOPS_PER_TFLOPS: Final = 1e12


def ms_to_min(milliseconds: float) -> float:
    """Return minutes; divides in the order of the official summarizer (s, then ms).

    >>> ms_to_min(300000.0)
    5.0
    """
    return milliseconds / S_PER_MIN / MS_PER_S


WORTH_HOURS, WORTH_DAYS = 2.0, 72.0
"""From so many hours on a duration is said in hours, and in days."""


def figure(value: float, digits: int = 3) -> str:
    """Return a number with `digits` significant digits, whole thousands in full.

    >>> figure(12.345), figure(999.9), figure(112736.1), figure(46000.0, 4)
    ('12.3', '1,000', '112,736', '46,000')
    """
    if abs(float(f"{value:.{digits - 1}e}")) >= 10**digits:
        return f"{value:,.0f}"
    return f"{value:.{digits}g}"


def duration(minutes: float) -> str:
    """Return a time as people say it.

    >>> duration(0.25), duration(12.34), duration(186.0), duration(43200.0)
    ('15 s', '12.3 min', '3.1 h', '30 days')
    """
    hours = minutes / MIN_PER_H
    if minutes < 1.0:
        return f"{figure(minutes * S_PER_MIN)} s"
    if hours < WORTH_HOURS:
        return f"{figure(minutes)} min"
    if hours < WORTH_DAYS:
        return f"{figure(hours)} h"
    return f"{figure(hours / H_PER_DAY)} days"
