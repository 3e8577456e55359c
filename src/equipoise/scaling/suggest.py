"""What to measure next: the count whose result would settle the decision best."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from equipoise import facts
from equipoise.errors import UsageError
from equipoise.scaling.own_job import CALIBRATION, checked_measurements
from equipoise.scaling.own_job_mixture import Mixture, Similar, Target, own_beliefs, own_mixture
from equipoise.scaling.pooled import PooledModel
from equipoise.scaling.pooled.shipped import shipped
from equipoise.scaling.predict import checked_counts
from equipoise.structs import dataclass
from equipoise.units import MIN_PER_H, figure

Array = NDArray[np.float64]

EFFICIENCY_FLOOR: Final = 0.5
DRAWS: Final = 4000
BINS: Final = 20
"""Outcomes of a measurement are told apart this finely."""
FURTHEST: Final = 16
"""By default counts up to this many times the largest measured one are decided among."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """One configuration that could be measured next."""

    rank: int
    accelerator_id: str
    accelerators: int
    probability_right: float
    """Expected probability of naming the right break-even point after measuring it."""
    gain: float
    """How much that is more than now."""
    variance_drop: float
    """Expected share of the variance of log time over all counts that it takes away."""
    time_to_train_min: float
    """What the measurement is expected to take."""
    accelerator_hours: float
    """What it is expected to cost."""
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestResult:
    """What to measure next, best first, and what is known now."""

    accelerator_id: str
    measured: tuple[tuple[int, float], ...]
    like: str | None
    efficiency_floor: float
    decision: tuple[int, ...]
    """Counts the break-even point is looked for among."""
    breakeven_now: int
    """Most probable break-even point: largest count with at least the floor's efficiency."""
    probability_now: float
    """Probability that it is the right one."""
    similar: tuple[Similar, ...]
    suggestions: tuple[Suggestion, ...]
    warnings: tuple[str, ...]


def suggest(
    model: PooledModel,
    *,
    measured: Sequence[tuple[int, float]],
    accelerator_id: str,
    candidates: Sequence[int] | None = None,
    on: Sequence[str] | None = None,
    like: str | None = None,
    efficiency_floor: float = EFFICIENCY_FLOOR,
    rng: np.random.Generator,
) -> SuggestResult:
    """Return which configuration to measure next for the largest drop in uncertainty.

    The decision is the break-even point b: the largest n with relative efficiency
    `(n_r T_r) / (n T) >= floor`, n_r the smallest measured count. For every candidate c
    the expected probability of naming b right after measuring it is
    `E_y[max_b P(b | T_c = y)]` over joint draws of the user's own job; ties are decided by
    the expected drop of the variance of log time,
    `1 - tr(S - s_c s_c' / S_cc) / tr(S)`, S the covariance of the decision's counts.

    Parameters
    ----------
    model : PooledModel
    measured : sequence of (int, float)
        (accelerators, minutes).
    accelerator_id : str
        What they were measured on, and what the decision is about.
    candidates : sequence of int or None
        Counts that could be measured; None: powers of two from 1 up to 16 times the
        largest measured count.
    on : sequence of str or None
        Accelerators that could be measured; None: the measured one.
    like : str or None
        A benchmark whose shape is to be used.
    efficiency_floor : float
        Between 0 and 1.
    rng : Generator

    Raises
    ------
    UsageError
        For a floor outside (0, 1], no measurement, or a count below one.
    """
    if not 0.0 < efficiency_floor <= 1.0:
        raise UsageError(f"the efficiency floor {efficiency_floor:g} is not between 0 and 1")
    home = facts.accelerator(accelerator_id).id
    points = checked_measurements(measured)
    known = sorted({n for n, _ in points})
    counts = _default_counts(known) if candidates is None else checked_counts(candidates)
    others = [home] if on is None else [facts.accelerator(one).id for one in on]
    decision = tuple(sorted({*known, *(n for n in counts if n >= known[0])}))
    named = None if like is None else facts.benchmark(like).id
    asked = [(one, n) for one in others for n in counts if one != home or n not in known]
    if not asked:
        raise UsageError("every candidate was measured already: give other counts")
    targets: list[Target] = [(home, n) for n in decision]
    beliefs = own_beliefs(
        model, measured=points, accelerator_id=home, targets=targets + asked, like=named
    )
    similar, mixture = own_mixture(
        beliefs,
        settings=shipped().own_job,
        calibration=shipped().calibration(CALIBRATION),
    )
    drawn = np.log(mixture.samples(rng, DRAWS))
    chosen = _breakevens(drawn[:, : len(decision)], decision, efficiency_floor)
    shares = np.bincount(chosen, minlength=len(decision)) / DRAWS
    now = float(shares.max())
    rows = [
        _suggestion(mixture, drawn, chosen, len(decision), len(decision) + i, target, now)
        for i, target in enumerate(asked)
    ]
    rows.sort(key=lambda r: (-round(r.gain, 2), -r.variance_drop, r.accelerators))
    return SuggestResult(
        accelerator_id=home,
        measured=points,
        like=named,
        efficiency_floor=efficiency_floor,
        decision=decision,
        breakeven_now=decision[int(shares.argmax())],
        probability_now=now,
        similar=similar,
        suggestions=tuple(_ranked(row, i + 1) for i, row in enumerate(rows)),
        warnings=(),
    )


def _default_counts(known: Sequence[int]) -> tuple[int, ...]:
    most = FURTHEST * known[-1]
    powers = [2**k for k in range(most.bit_length())]
    return tuple(n for n in powers if n <= most)


def _breakevens(log_time: Array, counts: Sequence[int], floor: float) -> NDArray[np.int64]:
    """Return the place of the break-even point in each draw, (S,)."""
    work = log_time + np.log(counts)
    worth = work[:, :1] - work >= np.log(floor)
    return np.asarray(len(counts) - 1 - np.argmax(worth[:, ::-1], axis=1))


def expected_right(outcome: Array, chosen: NDArray[np.int64]) -> float:
    """Return E_y[max_b P(b | y)]: how often b is named right once y is known.

    Parameters
    ----------
    outcome : array, shape (S,)
        The measurement y in each draw.
    chosen : array of int, shape (S,)
        The right answer b in each draw.
    """
    order = np.argsort(outcome, kind="stable")
    right = 0
    for part in np.array_split(chosen[order], BINS):
        right += int(np.bincount(part).max()) if len(part) else 0
    return right / len(chosen)


def _suggestion(
    mixture: Mixture,
    drawn: Array,
    chosen: NDArray[np.int64],
    decisions: int,
    column: int,
    target: Target,
    now: float,
) -> Suggestion:
    accelerator_id, n = target
    total = mixture.total_covariance()
    inside = np.diag(total)[:decisions]
    shared = total[:decisions, column]
    drop = float((shared**2 / total[column, column]).sum() / inside.sum())
    after = max(expected_right(drawn[:, column], chosen), now)
    minutes = float(np.exp(np.median(drawn[:, column])))
    reason = (
        f"measuring {n} {accelerator_id} is expected to raise the chance of naming the right "
        f"break-even point from {now:.0%} to {after:.0%} and to take away {drop:.0%} of the "
        f"uncertainty of the times, for about {figure(n * minutes / MIN_PER_H)} accelerator-hours"
    )
    return Suggestion(
        rank=0,
        accelerator_id=accelerator_id,
        accelerators=n,
        probability_right=after,
        gain=after - now,
        variance_drop=min(drop, 1.0),
        time_to_train_min=minutes,
        accelerator_hours=n * minutes / MIN_PER_H,
        reason=reason,
    )


def _ranked(row: Suggestion, rank: int) -> Suggestion:
    return replace(row, rank=rank)
