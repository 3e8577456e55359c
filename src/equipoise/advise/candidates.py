"""Candidates: published configurations as they are, and predictions for other sizes."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from equipoise import facts
from equipoise.advise.offers import OfferBook, rentable_sizes
from equipoise.advise.results import MEASURED, OWN, Candidate
from equipoise.domain import UNVERIFIED_DIVISION, Configuration
from equipoise.structs import dataclass

DEFAULT_LOG_SPREAD = 0.05
"""Spread of log time between submitters where no group has two of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """A predicted time: ln T ~ N(ln time_median_min, time_log_sigma^2)."""

    time_median_min: float
    time_log_sigma: float
    basis: str
    """interpolated, extrapolated or new_accelerator."""
    reason: str | None = None


class Predictor(Protocol):
    """Anything that predicts times for (accelerator id, accelerators), in order."""

    def __call__(self, wanted: Sequence[tuple[str, int]], /) -> Sequence[Prediction | str]:
        """Return one prediction per request, or why there is none."""
        ...


def measured_candidates(
    configurations: Sequence[Configuration],
) -> tuple[tuple[Candidate, ...], dict[str, int]]:
    """Return one candidate per accelerator and count, and why others are none (reason -> n).

    The configurations of the latest round of each group stand for it: their median time,
    with the spread of log time between submitters, pooled over all groups, plus the
    run-to-run spread of one training: a user trains once, a score averages several runs.
    """
    groups: dict[tuple[str, int, bool], list[Configuration]] = defaultdict(list)
    left_out: dict[str, int] = defaultdict(int)
    for c in configurations:
        if c.accelerators <= 0:
            left_out["no accelerators (CPU only)"] += 1
        elif not (c.accelerator_id or c.accelerator_model):
            left_out["accelerator not identified"] += 1
        else:
            name = c.accelerator_id or c.accelerator_model or ""
            groups[name, c.accelerators, c.verified].append(c)
    latest = {key: _latest(members) for key, members in groups.items()}
    between = _pooled_spread([[c.time_to_train_min for c in m] for m in latest.values()])
    within = _pooled_spread([c.run_times_min for c in configurations])
    sigma = float(np.hypot(DEFAULT_LOG_SPREAD if between is None else between, within or 0.0))
    own_sigma = within if within else DEFAULT_LOG_SPREAD
    candidates = [
        _candidate(name, n, members, own_sigma if not verified else sigma)
        for (name, n, verified), members in sorted(latest.items())
    ]
    return tuple(candidates), dict(left_out)


def predicted_candidates(
    predict: Predictor,
    book: OfferBook,
    *,
    measured: Sequence[Candidate],
    accelerators: Iterable[str] | None = None,
    most: int | None = None,
) -> tuple[tuple[Candidate, ...], dict[str, int]]:
    """Return a candidate for every rentable size that was not measured, and refusals.

    Parameters
    ----------
    predict : Predictor
        Called once with all requests.
    book : OfferBook
        Says which sizes can be rented.
    measured : sequence of Candidate
        Sizes that need no prediction.
    accelerators : iterable of str, optional
        Accelerator ids; all that have a price without.
    most : int, optional
        Largest count; the largest measured one of any accelerator without.
    """
    known = {(c.accelerator_id, c.accelerators) for c in measured}
    below: dict[str, list[Candidate]] = defaultdict(list)
    for c in measured:
        below[c.accelerator_id].append(c)
    limit = most or max((c.accelerators for c in measured), default=NO_LIMIT)
    names = book.accelerator_ids if accelerators is None else tuple(accelerators)
    wanted = [
        (name, n)
        for name in names
        for n in rentable_sizes(book, name, most=limit)
        if (name, n) not in known
    ]
    refused: dict[str, int] = defaultdict(int)
    found: list[Candidate] = []
    for (name, n), prediction in zip(wanted, predict(wanted), strict=True):
        if isinstance(prediction, str):
            refused[prediction] += 1
            continue
        found.append(
            held_to_linear(
                Candidate(
                    accelerator_id=name,
                    accelerators=n,
                    time_median_min=prediction.time_median_min,
                    time_log_sigma=prediction.time_log_sigma,
                    basis=prediction.basis,
                    verified=False,
                    reason=prediction.reason,
                ),
                below[name],
            )
        )
    return tuple(found), dict(refused)


def held_to_linear(predicted: Candidate, measured: Sequence[Candidate]) -> Candidate:
    """Return the prediction, not faster than linear scaling from the next smaller measurement.

    T(n) >= T_m n_m / n with m the largest measured count below n of the same accelerator:
    super-linear speedups are measured, never promised.

    >>> eight = Candidate(accelerator_id="a", accelerators=8, time_median_min=10.0,
    ...                   time_log_sigma=0.1, basis="measured")
    >>> more = replace(eight, accelerators=16, time_median_min=4.0, basis="extrapolated")
    >>> held_to_linear(more, [eight]).time_median_min
    5.0
    """
    smaller = [c for c in measured if c.accelerators < predicted.accelerators]
    if not smaller:
        return predicted
    # Of several times of one count (published and own) the fastest is the bound.
    count = max(c.accelerators for c in smaller)
    nearest = min(c.time_median_min for c in smaller if c.accelerators == count)
    least = nearest * count / predicted.accelerators
    if predicted.time_median_min >= least:
        return predicted
    held = f"held to linear scaling from the {count} that were measured"
    reason = held if predicted.reason is None else f"{predicted.reason}; {held}"
    return replace(predicted, time_median_min=least, reason=reason)


NO_LIMIT = 64
"""Largest predicted count when nothing was measured and no limit is set."""


def _latest(members: Sequence[Configuration]) -> list[Configuration]:
    order = {entry.name: i for i, entry in enumerate(facts.rounds())}
    last = max(order.get(c.round, -1) for c in members)
    return [c for c in members if order.get(c.round, -1) == last]


def _candidate(
    name: str, accelerators: int, members: Sequence[Configuration], sigma: float
) -> Candidate:
    best = min(members, key=lambda c: (c.time_to_train_min, c.key))
    times = np.log([c.time_to_train_min for c in members])
    energies = [c.energy_kj for c in members if c.energy_kj]
    own = best.division == UNVERIFIED_DIVISION
    count = len(members)
    return Candidate(
        accelerator_id=name,
        accelerators=accelerators,
        time_median_min=float(np.exp(np.median(times))),
        time_log_sigma=sigma,
        basis=OWN if own else MEASURED,
        accelerators_per_node=best.accelerators_per_node,
        energy_kj=float(np.median(energies)) if energies else None,
        round=best.round,
        submitter=best.submitter,
        system_id=best.system_id,
        configurations=count,
        verified=not own,
        reason="your own measurement, not verified by MLCommons"
        if own
        else f"median of {count} published result{'s' if count > 1 else ''} of {best.round}",
    )


def _pooled_spread(groups: Iterable[Sequence[float]]) -> float | None:
    """Return sqrt(sum of squares of ln T within groups / sum of (n - 1)), None without pairs."""
    squares, freedom = 0.0, 0
    for group in groups:
        if len(group) > 1 and min(group) > 0.0:
            logs = np.log(group)
            squares += float(np.square(logs - logs.mean()).sum())
            freedom += len(logs) - 1
    return float(np.sqrt(squares / freedom)) if freedom else None


def counted(*reasons: Mapping[str, int]) -> dict[str, int]:
    """Return the sum of several reason -> count tables.

    >>> counted({"a": 1}, {"a": 2, "b": 1})
    {'a': 3, 'b': 1}
    """
    total: dict[str, int] = defaultdict(int)
    for table in reasons:
        for reason, count in table.items():
            total[reason] += count
    return dict(total)
