"""Say a break-even in a sentence with numbers that a manager can use."""

import numpy as np

from equipoise.errors import UnknownNameError
from equipoise.facts import accelerator
from equipoise.scaling import results
from equipoise.scaling.locate import Basis, Located
from equipoise.scaling.rules import Rule, RuleOptions
from equipoise.structs import dataclass

WORTH_COMPARING = 1.5
"""The count to compare with is at least this many times the break-even, if there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A larger count against the break-even."""

    accelerators: int
    speed_ratio: float
    hours_ratio: float


def sentence(
    rule: Rule,
    basis: Basis,
    located: Located,
    options: RuleOptions,
    *,
    accelerator_name: str,
    measured: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> str:
    """Return the answer of a rule in one plain sentence.

    Parameters
    ----------
    rule, basis, located, options
        What was asked and what came out.
    accelerator_name : str
        How the accelerator is called, for instance H100 SXM5.
    measured : array, shape (N,)
        Measured counts, for the count to compare with.
    """
    name = accelerator_name
    smallest, largest = int(basis.counts[0]), int(basis.counts[-1])
    if located.status == results.UNDETERMINED:
        return _undetermined(rule, basis)
    if located.status == results.BELOW_RANGE:
        best = np.exp(_log_efficiency(basis)).max()
        return (
            f"No count of {name} measured ({_range(smallest, largest)}) reaches "
            f"{percent(options.efficiency_floor)} of the efficiency of the reference; "
            f"the best has {percent(best)}."
        )
    if located.status == results.BEYOND_RANGE:
        return _beyond(rule, basis, located, options, name)
    index = located.index or 0
    count = int(basis.counts[index])
    text = _HEADS[rule.name](
        f"{count:,} {name}", basis, index, options, located.status == results.AT_SMALLEST
    )
    compared = compare(basis, index, measured)
    if compared is not None:
        text += f"; {_more(compared)}"
    if rule.depends_on_range:
        text += f" (this rule depends on the range measured, {_range(smallest, largest)})"
    return text + "."


def compare(
    basis: Basis, index: int, measured: np.ndarray[tuple[int], np.dtype[np.float64]]
) -> Comparison | None:
    """Return the next larger measured count against the break-even, None at the end."""
    count = basis.counts[index]
    larger = measured[measured > count]
    if larger.size == 0:
        return None
    far = larger[larger >= WORTH_COMPARING * count]
    other = float(far[0] if far.size else larger[-1])
    position = int(np.flatnonzero(basis.counts == other)[0])
    speed = float(np.exp(basis.log_time[index] - basis.log_time[position]))
    return Comparison(
        accelerators=int(other), speed_ratio=speed, hours_ratio=float(other / count / speed)
    )


def percent(share: float) -> str:
    """Return a share as a whole percentage.

    >>> percent(0.254)
    '25 %'
    """
    return f"{share:.0%}".replace("%", " %")


def times(ratio: float) -> str:
    """Return a ratio with two digits, more when it is large.

    >>> times(3.58), times(0.123), times(1234.0)
    ('3.6 times', '0.12 times', '1,234 times')
    """
    return f"{ratio:,.0f} times" if ratio >= 10 else f"{ratio:.2g} times"


def accelerator_label(accelerator_id: str | None, model: str | None) -> str:
    """Return how to call an accelerator in a sentence."""
    if accelerator_id is None:
        return model or "accelerators"
    try:
        return accelerator(accelerator_id).pretty_name
    except UnknownNameError:
        return accelerator_id


def _log_efficiency(basis: Basis) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.asarray(
        basis.reference_log_time
        - basis.log_time
        + np.log(basis.reference_accelerators / basis.counts)
    )


def _range(smallest: int, largest: int) -> str:
    return f"{smallest:,} to {largest:,}"


def _efficiency(basis: Basis, index: int) -> str:
    return percent(float(np.exp(_log_efficiency(basis)[index])))


def _more(compared: Comparison) -> str:
    hours = f"{times(compared.hours_ratio)} the accelerator-hours"
    if compared.speed_ratio <= 1.0:
        return f"{compared.accelerators:,} would cost {hours} and be no faster"
    speed = f"{times(compared.speed_ratio)} the speed"
    return f"{compared.accelerators:,} would cost {hours} for {speed}"


def _undetermined(rule: Rule, basis: Basis) -> str:
    if basis.points < rule.least_points:
        have = f"{basis.points} different count{'s' if basis.points > 1 else ''}"
        return f"No answer: {have} measured; this rule needs at least {rule.least_points}."
    return "No answer: the speed does not bend over the measured counts, so there is no balance."


def _beyond(rule: Rule, basis: Basis, located: Located, options: RuleOptions, name: str) -> str:
    smallest, largest = int(basis.counts[0]), int(basis.counts[-1])
    end = len(basis.counts) - 1
    gain = percent(options.marginal_gain)
    why = {
        "efficiency": (
            f"{largest:,} still have {_efficiency(basis, end)} of the efficiency of the "
            f"reference (floor {percent(options.efficiency_floor)})"
        ),
        "marginal": f"the last doubling still saves at least {gain} of the time",
        "power": f"speedup times efficiency is still greatest at {largest:,}",
        "utopia": f"{largest:,} are nearest to the best speed and the best efficiency at once",
        "crossing": "speed never outruns efficiency",
        "knee": "the speedup does not bend",
    }[rule.name]
    text = f"No break-even inside the measured range ({_range(smallest, largest)} {name}): {why}"
    if located.extrapolated is not None:
        text += f"; extrapolated, the fitted curve puts it near {located.extrapolated:,}"
    return text + "."


def _head_efficiency(
    many: str, basis: Basis, index: int, options: RuleOptions, smallest: bool
) -> str:
    reference = f"{basis.reference_accelerators:,}-accelerator reference"
    if smallest:
        return (
            f"Only the smallest count, {many}, keeps {percent(options.efficiency_floor)} of the "
            f"efficiency of the {reference}"
        )
    return (
        f"Up to {many} keep at least {percent(options.efficiency_floor)} of the efficiency of the "
        f"{reference} ({_efficiency(basis, index)} there)"
    )


def _head_marginal(
    many: str, basis: Basis, index: int, options: RuleOptions, smallest: bool
) -> str:
    if smallest:
        return (
            f"Already beyond the smallest count, {many}, each doubling saves less than "
            f"{percent(options.marginal_gain)} of the time"
        )
    return (
        f"Beyond {many} each doubling saves less than {percent(options.marginal_gain)} of the time"
    )


def _head_power(many: str, basis: Basis, index: int, options: RuleOptions, smallest: bool) -> str:
    return (
        f"At {many} speedup times efficiency is greatest ({_efficiency(basis, index)} efficiency)"
    )


def _head_utopia(many: str, basis: Basis, index: int, options: RuleOptions, smallest: bool) -> str:
    return (
        f"{many} come nearest to the best speed and the best efficiency at once "
        f"({_efficiency(basis, index)} efficiency)"
    )


def _head_crossing(
    many: str, basis: Basis, index: int, options: RuleOptions, smallest: bool
) -> str:
    own = _efficiency(basis, index)
    return f"Beyond {many} ({own} efficiency) more of the efficiency is lost than of the speed won"


def _head_knee(many: str, basis: Basis, index: int, options: RuleOptions, smallest: bool) -> str:
    return f"The speedup bends most at {many} ({_efficiency(basis, index)} efficiency)"


_HEADS = {
    "efficiency": _head_efficiency,
    "marginal": _head_marginal,
    "power": _head_power,
    "utopia": _head_utopia,
    "crossing": _head_crossing,
    "knee": _head_knee,
}
