"""Break-even rules as array kernels: which of the counts is the last one worth it.

Every rule takes counts n (G,), log times (B, G) and the log efficiency (B, G) relative to
the reference, and returns an index into the counts for each of the B curves, or a code.
A count that is no faster than some smaller count is dominated and never worth it: so no
rule points past the peak of a curve, and curves that go up and down are handled.
"""

from collections.abc import Callable
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import UnknownNameError
from equipoise.structs import dataclass

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

BELOW: Final = -1
"""Not even the smallest count is worth it."""
UNDETERMINED: Final = -2
"""The rule says nothing on this curve."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleOptions:
    """Thresholds of the rules."""

    efficiency_floor: float = 0.5
    """tau: the least efficiency relative to the reference."""
    marginal_gain: float = 0.25
    """g: the least share of the time that the last doubling must save."""
    level: float = 0.9
    """Level of the intervals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A break-even rule."""

    name: str
    title: str
    kernel: Callable[[Array, Array, Array, RuleOptions], Indices]
    """Returns G for "beyond the last count", besides indices and the codes."""
    least_points: int
    depends_on_range: bool
    """The answer moves when the range of counts does; it is never extrapolated."""
    threshold: bool
    """The last count on the good side of a threshold (else: an optimum between counts)."""
    source: str


def faster_than_all_smaller(log_time: Array) -> NDArray[np.bool_]:
    """Return which counts are faster than every smaller count, shape (B, G).

    >>> faster_than_all_smaller(np.log([[60.0, 30.0, 40.0, 20.0]])).tolist()
    [[True, True, False, True]]
    """
    best_before = np.minimum.accumulate(log_time, axis=1)[:, :-1]
    first = np.ones((len(log_time), 1), dtype=bool)
    return np.concatenate([first, log_time[:, 1:] < best_before], axis=1)


def _last_true(flags: NDArray[np.bool_], *, otherwise: int) -> Indices:
    size = flags.shape[1]
    last = size - 1 - np.argmax(flags[:, ::-1], axis=1)
    return np.where(flags.any(axis=1), last, otherwise)


def _open_ended(index: Indices, size: int) -> Indices:
    """Return G instead of the last index: the break-even is not inside the range."""
    return np.where(index == size - 1, size, index)


def efficiency_rule(
    counts: Array, log_time: Array, log_efficiency: Array, options: RuleOptions
) -> Indices:
    """Largest n with E >= tau."""
    worth = faster_than_all_smaller(log_time)
    # A hair of tolerance: E is exactly 1 at the reference, also after logarithms.
    enough = worth & (log_efficiency >= np.log(options.efficiency_floor) - 1e-12)
    return _open_ended(_last_true(enough, otherwise=BELOW), len(counts))


def marginal_rule(
    counts: Array, log_time: Array, log_efficiency: Array, options: RuleOptions
) -> Indices:
    """Largest n where the last doubling still cut the time by g.

    The gain at n is measured from the largest worthwhile count of at most n / 2 (the
    smallest count when there is none) and expressed per doubling.
    """
    size = len(counts)
    worth = faster_than_all_smaller(log_time)
    latest = np.maximum.accumulate(np.where(worth, np.arange(size), 0), axis=1)
    half = np.searchsorted(counts, counts / 2.0 * (1.0 + 1e-9), side="right") - 1
    before = latest[:, np.maximum(half, 0)]
    doublings = np.log2(counts)[None] - np.log2(counts)[before]
    saved = np.take_along_axis(log_time, before, axis=1) - log_time
    per_doubling = np.zeros_like(saved)
    np.divide(saved, doublings, out=per_doubling, where=doublings > 0)
    enough = worth & (per_doubling >= -np.log1p(-options.marginal_gain) - 1e-12)
    return _open_ended(_last_true(enough, otherwise=0), size)


def power_rule(
    counts: Array, log_time: Array, log_efficiency: Array, options: RuleOptions
) -> Indices:
    """Greatest S E, that is least n T^2."""
    least = (2.0 * log_time + np.log(counts)).argmin(axis=1)
    return _open_ended(least, len(counts))


def _scaled(values: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Return values min-max scaled along the counts, and which rows do not vary."""
    low = values.min(axis=1, keepdims=True)
    width = values.max(axis=1, keepdims=True) - low
    flat = width[:, 0] <= 1e-12
    return (values - low) / np.where(width > 0, width, 1.0), flat


def _speed_and_efficiency(counts: Array, log_time: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Return scaled S and E (any reference gives the same) and which curves say nothing."""
    start = log_time[:, :1]
    speed, flat_speed = _scaled(np.exp(start - log_time))
    efficiency, flat_efficiency = _scaled(np.exp(start - log_time) / counts)
    return speed, efficiency, flat_speed | flat_efficiency


def utopia_rule(
    counts: Array, log_time: Array, log_efficiency: Array, options: RuleOptions
) -> Indices:
    """Nearest to the best speedup and the best efficiency, both min-max scaled."""
    speed, efficiency, silent = _speed_and_efficiency(counts, log_time)
    distance = (1.0 - speed) ** 2 + (1.0 - efficiency) ** 2
    distance[~faster_than_all_smaller(log_time)] = np.inf
    nearest = _open_ended(distance.argmin(axis=1), len(counts))
    return np.where(silent, UNDETERMINED, nearest)


def crossing_rule(
    counts: Array, log_time: Array, log_efficiency: Array, options: RuleOptions
) -> Indices:
    """Last n before min-max-scaled S rises above min-max-scaled E."""
    speed, efficiency, silent = _speed_and_efficiency(counts, log_time)
    above = speed > efficiency + 1e-12
    first = np.where(above.any(axis=1), above.argmax(axis=1), len(counts) + 1)
    crossing = np.maximum(first - 1, 0)
    worth = faster_than_all_smaller(log_time)
    latest = np.maximum.accumulate(np.where(worth, np.arange(len(counts)), 0), axis=1)
    inside = np.minimum(crossing, len(counts) - 1)
    crossing = np.where(
        crossing == len(counts), crossing, np.take_along_axis(latest, inside[:, None], 1)[:, 0]
    )
    return np.where(silent, UNDETERMINED, crossing)


def knee_rule(
    counts: Array, log_time: Array, log_efficiency: Array, options: RuleOptions
) -> Indices:
    """Knee of the speedup over n: farthest above the straight line through its ends."""
    best = np.minimum.accumulate(log_time, axis=1)
    speed, flat = _scaled(np.exp(best[:, :1] - best))
    along = (counts - counts[0]) / max(counts[-1] - counts[0], 1.0)
    difference = speed - along
    knee = difference.argmax(axis=1)
    straight = difference.max(axis=1) <= 1e-9
    return np.where(flat | straight, UNDETERMINED, knee)


RULES: Final = MappingProxyType(
    {
        rule.name: rule
        for rule in (
            Rule(
                name="efficiency",
                title="Efficiency floor",
                kernel=efficiency_rule,
                least_points=2,
                depends_on_range=False,
                threshold=True,
                source=(
                    "Eager, Zahorjan and Lazowska, Speedup versus efficiency in parallel "
                    "systems, IEEE Trans. Computers 38 (1989): at the best S x E of an Amdahl "
                    "curve E is 1/2"
                ),
            ),
            Rule(
                name="marginal",
                title="Marginal gain",
                kernel=marginal_rule,
                least_points=2,
                depends_on_range=False,
                threshold=True,
                source="the time saved by the last doubling against a floor",
            ),
            Rule(
                name="power",
                title="Greatest speedup x efficiency",
                kernel=power_rule,
                least_points=2,
                depends_on_range=False,
                threshold=False,
                source=(
                    "Kleinrock, Power and deterministic rules of thumb for probabilistic "
                    "problems in computer communications, ICC 1979"
                ),
            ),
            Rule(
                name="utopia",
                title="Nearest to the utopia point",
                kernel=utopia_rule,
                least_points=3,
                depends_on_range=True,
                threshold=False,
                source="Zeleny, Compromise programming, 1973; min-max scaled S and E",
            ),
            Rule(
                name="crossing",
                title="Crossing of speedup and efficiency",
                kernel=crossing_rule,
                least_points=3,
                depends_on_range=True,
                threshold=True,
                source="the second paper's equilibrium point; min-max scaled S and E",
            ),
            Rule(
                name="knee",
                title="Knee of the speedup",
                kernel=knee_rule,
                least_points=3,
                depends_on_range=True,
                threshold=False,
                source=(
                    "Satopaa et al., Finding a 'Kneedle' in a haystack, ICDCSW 2011, "
                    "doi:10.1109/ICDCSW.2011.20"
                ),
            ),
        )
    }
)
ALL_RULES: Final = tuple(RULES)
DEFAULT_RULE: Final = "efficiency"


def rule_named(name: str) -> Rule:
    """Return the break-even rule of that name.

    Raises
    ------
    UnknownNameError
        With the nearest choices.
    """
    rule = RULES.get(name.strip().lower())
    if rule is None:
        raise UnknownNameError("break-even rule", name, RULES)
    return rule
