"""Progress over rounds at like hardware and count, split into hardware and software."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import fmean, median

import numpy as np

from equipoise import facts
from equipoise.advise.results import GainRow, SoftwareRow, TrendRow, TrendsResult
from equipoise.domain import Configuration
from equipoise.structs import dataclass

Cell = tuple[str, str, int]
"""(round, accelerator, count)."""


def trends(configurations: Sequence[Configuration]) -> TrendsResult:
    """Return best and typical times over rounds and how much came from what.

    For every count n and every pair of neighbouring rounds r, r' in which n was measured,
    with the best times T and accelerators a, a': total = T_r(a) / T_r'(a'). Software is
    the gain of one accelerator measured in both rounds, hardware the rest:
    software = T_r(a) / T_r'(a) when the old one was measured again, or T_r(a') / T_r'(a')
    when the new one was there before; the geometric mean when both are known. Without
    either the step is not split.

    Parameters
    ----------
    configurations : sequence of Configuration
        One benchmark and one block of compatible rounds.
    """
    cells = _cells(configurations)
    best = {cell: members[0].time_to_train_min for cell, members in cells.items()}
    rows = tuple(
        _trend_row(cell, members) for cell, members in sorted(cells.items(), key=_by_round)
    )
    gains = tuple(_gains(best))
    software = tuple(_software(best))
    split = [g for g in gains if g.software_gain is not None]
    totals = _totals(gains)
    return TrendsResult(
        trends=rows,
        gains=gains,
        software=software,
        total_gain=_geometric(totals),
        software_gain=_geometric([g.software_gain for g in split]),
        hardware_gain=_geometric([g.hardware_gain for g in split]),
        sentence=_sentence(gains, split, software),
        warnings=_warnings(configurations, gains, split),
    )


def _cells(configurations: Iterable[Configuration]) -> dict[Cell, list[Configuration]]:
    cells: dict[Cell, list[Configuration]] = defaultdict(list)
    for c in configurations:
        if c.accelerator_id is not None and c.accelerators > 0:
            cells[c.round, c.accelerator_id, c.accelerators].append(c)
    for members in cells.values():
        members.sort(key=lambda c: (c.time_to_train_min, c.key))
    return cells


def _place(name: str) -> int:
    order = {entry.name: i for i, entry in enumerate(facts.rounds())}
    return order.get(name, len(order))


def _by_round(item: tuple[Cell, list[Configuration]]) -> tuple[int, str, int]:
    (round_name, accelerator, n), _ = item
    return (_place(round_name), accelerator, n)


def _trend_row(cell: Cell, members: Sequence[Configuration]) -> TrendRow:
    round_name, accelerator, n = cell
    return TrendRow(
        round=round_name,
        accelerator_id=accelerator,
        accelerators=n,
        configurations=len(members),
        time_best_min=members[0].time_to_train_min,
        time_typical_min=median(c.time_to_train_min for c in members),
        best_submitter=members[0].submitter,
        best_system_id=members[0].system_id,
    )


def _gains(best: dict[Cell, float]) -> Iterable[GainRow]:
    counts: dict[int, dict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for (round_name, accelerator, n), time in best.items():
        counts[n][round_name][accelerator] = time
    for n, rounds in sorted(counts.items()):
        for before, after in pairwise(sorted(rounds, key=_place)):
            yield _gain(n, before, rounds[before], after, rounds[after])


def _gain(n: int, before: str, old: dict[str, float], after: str, new: dict[str, float]) -> GainRow:
    a, b = min(old, key=lambda k: (old[k], k)), min(new, key=lambda k: (new[k], k))
    total = old[a] / new[b]
    again = old[a] / new[a] if a in new else None
    earlier = old[b] / new[b] if b in old else None
    known = [gain for gain in (again, earlier) if gain is not None]
    software = _geometric(known)
    if a == b:
        basis = "same accelerator"
    elif len(known) == 2:
        basis = "both"
    elif again is not None:
        basis = "old accelerator again"
    else:
        basis = "new accelerator before" if earlier is not None else "unknown"
    return GainRow(
        from_round=before,
        to_round=after,
        accelerators=n,
        accelerator_from=a,
        accelerator_to=b,
        time_from_min=old[a],
        time_to_min=new[b],
        total_gain=total,
        software_gain=software,
        hardware_gain=None if software is None else total / software,
        basis=basis,
    )


def _software(best: dict[Cell, float]) -> Iterable[SoftwareRow]:
    curves: dict[tuple[str, int], dict[str, float]] = defaultdict(dict)
    for (round_name, accelerator, n), time in best.items():
        curves[accelerator, n][round_name] = time
    for (accelerator, n), times in sorted(curves.items()):
        for before, after in pairwise(sorted(times, key=_place)):
            yield SoftwareRow(
                accelerator_id=accelerator,
                accelerators=n,
                from_round=before,
                to_round=after,
                time_from_min=times[before],
                time_to_min=times[after],
                gain=times[before] / times[after],
            )


@dataclass(frozen=True, slots=True)
class _Ends:
    first: float
    last: float


def _totals(gains: Sequence[GainRow]) -> list[float]:
    ends: dict[int, _Ends] = {}
    for row in gains:
        first = ends[row.accelerators].first if row.accelerators in ends else row.time_from_min
        ends[row.accelerators] = _Ends(first, row.time_to_min)
    return [end.first / end.last for end in ends.values()]


def _geometric(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.exp(fmean(np.log(known)))) if known else None


def _sentence(
    gains: Sequence[GainRow], split: Sequence[GainRow], software: Sequence[SoftwareRow]
) -> str:
    if not gains:
        return "No count was measured in two rounds: there is no progress to speak of."
    step = _geometric([g.total_gain for g in gains])
    text = (
        f"From one round to the next measured one, the best time at the same count fell by a "
        f"factor of {step:.2f} (geometric mean of {len(gains)} steps)"
    )
    if split:
        soft = _geometric([g.software_gain for g in split])
        hard = _geometric([g.hardware_gain for g in split])
        text += (
            f"; in the {len(split)} steps that can be split, {soft:.2f} came from software and "
            f"{hard:.2f} from hardware"
        )
    if software:
        same = _geometric([s.gain for s in software])
        text += (
            f"; the same accelerator and count became faster by a factor of {same:.2f} from "
            f"round to round ({len(software)} pairs)"
        )
    return f"{text}."


def _warnings(
    configurations: Sequence[Configuration], gains: Sequence[GainRow], split: Sequence[GainRow]
) -> tuple[str, ...]:
    texts = []
    unnamed = sum(c.accelerator_id is None or c.accelerators <= 0 for c in configurations)
    if unnamed:
        texts.append(f"{unnamed} configurations without a known accelerator are left out")
    if len(split) < len(gains):
        texts.append(
            f"{len(gains) - len(split)} of {len(gains)} steps cannot be split: no accelerator was "
            "measured in both rounds at that count"
        )
    return tuple(texts)
