"""Single values of the normal, Student and chi-squared distributions.

Loading a statistics library costs more than most commands compute; a few lines of the standard
formulas give the single numbers that intervals and tests need.
"""

import math
from functools import lru_cache
from statistics import NormalDist
from typing import Final

NEARLY_NORMAL: Final = 1e7
"""Student's distribution with more degrees of freedom is the normal one to ten digits."""
MOST_TERMS: Final = 10_000
PRECISION: Final = 1e-15


def normal_quantile(probability: float) -> float:
    """Return z with P(Z <= z) = probability for a standard normal Z.

    >>> round(normal_quantile(0.95), 6)
    1.644854
    """
    return NormalDist().inv_cdf(probability)


@lru_cache(maxsize=1024)
def student_quantile(probability: float, freedom: float) -> float:
    """Return t with P(T <= t) = probability for Student's T with `freedom` degrees of freedom.

    Newton steps on the logarithm of P(T > t) = I_x(v / 2, 1 / 2) / 2, x = v / (v + t^2)
    (DLMF 8.17), from the normal quantile: plain steps would take thousands in heavy tails.

    Raises
    ------
    ValueError
        The probability is not inside (0, 1) or the degrees of freedom are not positive.

    >>> round(student_quantile(0.95, 4), 6)
    2.131847
    """
    if not 0 < probability < 1 or not freedom > 0:
        raise ValueError(f"no quantile {probability} of Student's t with {freedom} freedoms")
    if probability < 0.5:
        return -student_quantile(1 - probability, freedom)
    t = normal_quantile(probability)
    if freedom > NEARLY_NORMAL or t <= 0:
        return max(t, 0.0)
    half = freedom / 2
    scale = math.lgamma(half + 0.5) - math.lgamma(half) - 0.5 * math.log(freedom * math.pi)
    wanted = 1 - probability
    for _ in range(MOST_TERMS):
        x = freedom / (freedom + t * t)
        above = incomplete_beta(half, 0.5, x) / 2
        density = math.exp(scale - (half + 0.5) * math.log1p(t * t / freedom))
        step = above / density * math.log(above / wanted)
        t += step
        if abs(step) <= 1e-13 * t:
            break
    return t


def incomplete_beta(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b), a, b > 0, 0 <= x <= 1.

    By its continued fraction (Lentz's method), DLMF 8.17.22.

    >>> round(incomplete_beta(2, 3, 0.4), 6)
    0.5248
    """
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front += a * math.log(x) + b * math.log1p(-x)
    c, d = 1.0, 1 / _not_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, MOST_TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d, c = 1 / _not_zero(1 + even * d), _not_zero(1 + even / c)
        value *= c * d
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d, c = 1 / _not_zero(1 + odd * d), _not_zero(1 + odd / c)
        value *= c * d
        if abs(c * d - 1) < PRECISION:
            break
    return math.exp(front) * value / a


def _not_zero(value: float) -> float:
    return value if abs(value) > 1e-300 else 1e-300


def chi_squared_tail(value: float, freedom: int) -> float:
    """Return P(X > value) for X chi-squared with a whole number of degrees of freedom.

    With y = value / 2: exp(-y) sum_{i < v/2} y^i / i! for even v, erfc(sqrt y) + exp(-y)
    sum_{i <= (v-1)/2} y^(i - 1/2) / Gamma(i + 1/2) for odd v (DLMF 8.4.10, 8.8.1).

    >>> round(chi_squared_tail(3.841459, 1), 6), round(chi_squared_tail(9.487729, 4), 6)
    (0.05, 0.05)
    """
    y = value / 2
    if y <= 0:
        return 1.0
    if freedom % 2 == 0:
        powers = [float(i) for i in range(freedom // 2)]
        total = 0.0
    else:
        powers = [i - 0.5 for i in range(1, (freedom + 1) // 2)]
        total = math.erfc(math.sqrt(y))
    total += sum(math.exp(p * math.log(y) - math.lgamma(p + 1) - y) for p in powers)
    return min(1.0, total)
