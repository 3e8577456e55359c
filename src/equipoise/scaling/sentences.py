"""Say a break-even in a sentence with numbers that a manager can use."""

from dataclasses import dataclass

import numpy as np

from equipoise.errors import UnknownNameError
from equipoise.facts import accelerator
from equipoise.scaling import results
from equipoise.scaling.locate import Basis, Located
from equipoise.scaling.rules import Rule, RuleOptions

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
            f"{options.efficiency_floor:.0%} of the efficiency of the reference; "
            f"the best has {best:.0%}."
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
    return f"{np.exp(_log_efficiency(basis)[index]):.0%}"


def _more(compared: Comparison) -> str:
    hours = f"{compared.hours_ratio:.2g} times the accelerator-hours"
    if compared.speed_ratio <= 1.0:
        return f"{compared.accelerators:,} would cost {hours} and be no faster"
    speed = f"{compared.speed_ratio:.2g} times the speed"
    return f"{compared.accelerators:,} would cost {hours} for {speed}"


def _undetermined(rule: Rule, basis: Basis) -> str:
    if basis.points < rule.least_points:
        have = "1 count was" if basis.points == 1 else f"{basis.points} counts were"
        return (
            f"No answer: {have} measured and this rule needs {rule.least_points} different counts."
        )
    return "No answer: the speed does not bend over the measured counts, so there is no balance."


def _beyond(rule: Rule, basis: Basis, located: Located, options: RuleOptions, name: str) -> str:
    smallest, largest = int(basis.counts[0]), int(basis.counts[-1])
    end = len(basis.counts) - 1
    why = {
        "efficiency": (
            f"{largest:,} still have {_efficiency(basis, end)} of the efficiency of the "
            f"reference (floor {options.efficiency_floor:.0%})"
        ),
        "marginal": f"the last doubling still saves at least {options.marginal_gain:.0%} of the time",
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
            f"Only the smallest count, {many}, keeps {options.efficiency_floor:.0%} of the "
            f"efficiency of the {reference}"
        )
    return (
        f"Up to {many} keep at least {options.efficiency_floor:.0%} of the efficiency of the "
        f"{reference} ({_efficiency(basis, index)} there)"
    )


def _head_marginal(
    many: str, basis: Basis, index: int, options: RuleOptions, smallest: bool
) -> str:
    if smallest:
        return (
            f"Already beyond the smallest count, {many}, each doubling saves less than "
            f"{options.marginal_gain:.0%} of the time"
        )
    return f"Beyond {many} each doubling saves less than {options.marginal_gain:.0%} of the time"


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
    return (
        f"Beyond {many} more of the possible efficiency is given up than of the possible "
        f"speed is still to gain ({_efficiency(basis, index)} efficiency there)"
    )


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
