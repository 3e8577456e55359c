"""Conversion factors: the only place where 60, 1000, 3600 and 2**30 are written."""

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
