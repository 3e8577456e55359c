"""Claims of the scaling paper on four workloads of v4.1: break-even points and savings."""

from functools import partial
from typing import TYPE_CHECKING, Final

from equipoise import facts
from equipoise.scaling.paper2 import PAPER2_BENCHMARKS
from equipoise.scaling.results import INSIDE
from equipoise.workflow.claims.base import (
    CONFIRMED,
    NOT_SUPPORTED,
    PARTLY,
    SCALING_PAPER,
    Claim,
    Evidence,
    Finding,
    curves_of,
    graded,
    untestable,
)

if TYPE_CHECKING:
    from equipoise.scaling.results import BreakevenRow, ScalingPoint

TOLERANCE: Final = 0.05
"""A saving that is this near (as a share of the time) counts as the one that was claimed."""
UNCHANGED: Final = 0.95
"""Relative efficiency from which nothing counts as lost: the usual spread between submitters."""
BREAKEVEN_TEST: Final = (
    "Curve with most counts: holds when the interval of the default rule covers it, in part "
    "when that of any rule does, fitted or on the measured counts alone."
)


def breakeven_exists(benchmark: str, evidence: Evidence) -> Finding:
    """See which curves have a break-even point inside their range by the default rule."""
    rows = _quoted(evidence, benchmark)
    if not rows:
        return untestable("No accelerator was measured at two counts.")
    inside = [row for row in rows if row.status == INSIDE]
    longest = _longest(evidence, benchmark)
    main = next((row for row in rows if row.curve == longest), rows[0])
    others = _by_rule(evidence, benchmark, longest)
    said = ", ".join(f"{rule} {count:,}" for rule, count in others.items())
    what = "; ".join(
        f"{row.curve}: {row.accelerators:,}{_interval(row)}"
        if row.accelerators is not None
        else f"{row.curve}: none up to the greatest count"
        for row in rows
    )
    return Finding(
        verdict=graded(row.status == INSIDE for row in rows),
        evidence=f"Rule {main.rule}: {what}. On {longest} the rules say {said or 'nothing'}: there "
        "is a point for each idea of worth, not one optimum.",
        numbers={
            "curves": len(rows),
            "curves_with_breakeven": len(inside),
            "breakeven_accelerators": main.accelerators,
            "low": main.low,
            "high": main.high,
            **{f"rule_{rule}": count for rule, count in others.items()},
        },
    )


def breakeven_at(benchmark: str, claimed: int, evidence: Evidence) -> Finding:
    """Compare the count that is claimed with the points of all rules on the longest curve."""
    longest = _longest(evidence, benchmark)
    rows = [
        row
        for row in evidence.workload(benchmark)[1].breakevens
        if row.curve == longest and row.accelerators is not None
    ]
    if not rows:
        return untestable("No rule finds a break-even point.")
    default = next((row for row in rows if row.default and row.basis == "fitted"), rows[0])
    agreeing = [row for row in rows if _covers(row, claimed)]
    least = min(rows, key=lambda row: row.accelerators or 0)
    efficiency = _efficiency_at(evidence, benchmark, longest, claimed)
    verdict = CONFIRMED if _covers(default, claimed) else PARTLY if agreeing else NOT_SUPPORTED
    at = f"At {claimed} the efficiency is still {efficiency:.0%}. " if efficiency else ""
    return Finding(
        verdict=verdict,
        evidence=f"On {longest} the rule {default.rule} gives {default.accelerators:,}"
        f"{_interval(default)}; the least of all rules is {least.accelerators:,} ({least.rule}, "
        f"{least.basis}). {at}{len(agreeing)} of {len(rows)} estimates cover {claimed}.",
        numbers={
            "claimed_accelerators": claimed,
            "breakeven_accelerators": default.accelerators,
            "low": default.low,
            "high": default.high,
            "least_of_all_rules": least.accelerators,
            "efficiency_at_claimed": efficiency,
        },
    )


def saving(benchmark: str, few: int, many: int, claimed: float, evidence: Evidence) -> Finding:
    """Compare the time saved from one count to another with what is claimed."""
    pairs = []
    for curve, points in curves_of(evidence.workload(benchmark)[0]).items():
        by_count = {p.accelerators: p for p in points}
        if few in by_count and many in by_count:
            pairs.append((curve, by_count[few], by_count[many]))
    if not pairs:
        return untestable(f"No accelerator was measured at {few} and at {many}.")
    saved = {curve: 1 - b.time_to_train_min / a.time_to_train_min for curve, a, b in pairs}
    near = [abs(value - claimed) <= TOLERANCE for value in saved.values()]
    said = "; ".join(
        f"{curve}: {a.time_to_train_min:.2f} to {b.time_to_train_min:.2f} min, "
        f"{saved[curve]:.0%} less at {b.efficiency / a.efficiency:.0%} of the efficiency"
        for curve, a, b in pairs
    )
    return Finding(
        verdict=graded(near),
        evidence=f"{said}. "
        + (
            f"That is the saving of {claimed:.0%}."
            if all(near)
            else f"That is not the saving of {claimed:.0%} that is claimed."
        ),
        numbers={
            "claimed_saving": claimed,
            **{f"saving {curve}": value for curve, value in saved.items()},
        },
    )


def without_loss(evidence: Evidence) -> Finding:
    """Look at the efficiency at the break-even points and how far it stays whole."""
    numbers: dict[str, float | None] = {}
    kept, said = [], []
    for benchmark in PAPER2_BENCHMARKS:
        longest = _longest(evidence, benchmark)
        row = next((r for r in _quoted(evidence, benchmark) if r.curve == longest), None)
        points = curves_of(evidence.workload(benchmark)[0])[longest]
        whole = [p.accelerators for p in points[1:] if p.efficiency >= UNCHANGED]
        numbers[f"{benchmark}_whole_up_to"] = max(whole, default=points[0].accelerators)
        numbers[f"{benchmark}_efficiency_at_breakeven"] = row.efficiency if row else None
        kept.append(bool(whole))
        at = f"{row.efficiency:.0%} at its break-even point" if row and row.efficiency else "none"
        said.append(f"{_name(benchmark)} up to {numbers[f'{benchmark}_whole_up_to']}, {at}")
    share = sum(kept)
    floor = evidence.workload(PAPER2_BENCHMARKS[0])[1].efficiency_floor
    return Finding(
        verdict=PARTLY if share else NOT_SUPPORTED,
        evidence=f"{UNCHANGED:.0%} of the efficiency is kept beyond the smallest count on {share} "
        f"of {len(kept)} workloads ({'; '.join(said)}). By definition the default rule allows the "
        f"efficiency to fall to {floor:.0%}: a break-even point is where time has its price.",
        numbers=numbers,
    )


def limit(evidence: Evidence) -> Finding:
    """See whether the time still falls at the greatest count, and at what price."""
    ends = [
        points
        for name in PAPER2_BENCHMARKS
        for points in curves_of(evidence.workload(name)[0]).values()
    ]
    slower = [p for p in ends if p[-1].time_to_train_min >= p[-2].time_to_train_min]
    dear = [p for p in ends if p[-1].efficiency < 1 / 2]
    return Finding(
        verdict=graded([len(slower) == len(ends), len(dear) > len(ends) / 2]),
        evidence=f"On {len(slower)} of {len(ends)} curves the greatest count is slower than the "
        f"one before; on the other {len(ends) - len(slower)} the time falls up to the end of what "
        f"was measured. On {len(dear)} the efficiency at the greatest count is below 50%: the "
        "limit is one of price, not of speed.",
        numbers={
            "curves": len(ends),
            "curves_slower_at_the_end": len(slower),
            "curves_below_half_efficiency": len(dear),
        },
    )


def resources(evidence: Evidence) -> Finding:
    """Compare accelerator-hours at the break-even point with those of the smallest count."""
    ratios: dict[str, float | None] = {}
    for benchmark in PAPER2_BENCHMARKS:
        row = next((r for r in _quoted(evidence, benchmark) if r.accelerator_hours), None)
        if row is not None and row.accelerator_hours:
            first = curves_of(evidence.workload(benchmark)[0])[row.curve][0]
            ratios[benchmark] = row.accelerator_hours / first.accelerator_hours
    if not ratios:
        return untestable("No break-even point has accelerator-hours.")
    said = ", ".join(f"{_name(name)} {ratio or 0:.1f} times" for name, ratio in ratios.items())
    return Finding(
        verdict=graded((ratio or 0) <= 1 for ratio in ratios.values()),
        evidence=f"Accelerator-hours at the break-even point against the smallest count: {said}. "
        "Time is bought with more accelerator-hours, not saved together with them.",
        numbers={f"{name}_hours_ratio": ratio for name, ratio in ratios.items()},
    )


def _name(benchmark: str) -> str:
    return facts.benchmark(benchmark).pretty_name


def _longest(evidence: Evidence, benchmark: str) -> str:
    curves = evidence.workload(benchmark)[1].curves
    return max(curves, key=lambda c: (c.points, c.accelerators_max)).curve


def _quoted(evidence: Evidence, benchmark: str) -> "list[BreakevenRow]":
    scaling, points = evidence.workload(benchmark)
    long_ones = curves_of(scaling)
    return [r for r in points.breakevens if r.default and r.curve in long_ones]


def _by_rule(evidence: Evidence, benchmark: str, curve: str) -> dict[str, int]:
    rows = evidence.workload(benchmark)[1].breakevens
    return {
        r.rule: r.accelerators
        for r in rows
        if r.curve == curve and r.basis == "fitted" and r.accelerators is not None
    }


def _covers(row: "BreakevenRow", count: int) -> bool:
    if row.accelerators is None:
        return False
    low = row.low if row.low is not None else row.accelerators
    high = row.high if row.high is not None else row.accelerators
    return low <= count <= high


def _interval(row: "BreakevenRow") -> str:
    if row.low is None and row.high is None:
        return ""
    low = f"{row.low:,}" if row.low is not None else "fewer"
    high = f"{row.high:,}" if row.high is not None else "beyond the range"
    return f" ({low} to {high})"


def _efficiency_at(evidence: Evidence, benchmark: str, curve: str, count: int) -> float | None:
    points: dict[str, list[ScalingPoint]] = curves_of(evidence.workload(benchmark)[0])
    return next((p.efficiency for p in points[curve] if p.accelerators == count), None)


CLAIMS: Final = (
    *(
        Claim(
            source=SCALING_PAPER,
            claim=f"{facts.benchmark(benchmark).pretty_name} has a break-even point.",
            test="Default rule (half of the efficiency is kept): holds when every curve with "
            "two counts has a point inside its range, in part when some do.",
            judge=partial(breakeven_exists, benchmark),
            figure=benchmark,
        )
        for benchmark in PAPER2_BENCHMARKS
    ),
    Claim(
        source=SCALING_PAPER,
        claim="BERT takes 30 % less time on 8 accelerators than on 4.",
        test="Best time at both counts of one accelerator: holds within 5 percentage points "
        "on every curve that has both counts, in part on some.",
        judge=partial(saving, "bert", 4, 8, 0.30),
        figure="bert",
    ),
    Claim(
        source=SCALING_PAPER,
        claim="Llama 2 70B LoRA takes 20 % less time when it goes up to 16 accelerators.",
        test="The same from 8 to 16, the step that the text can mean.",
        judge=partial(saving, "llama2_70b_lora", 8, 16, 0.20),
        figure="llama2_70b_lora",
    ),
    Claim(
        source=SCALING_PAPER,
        claim="The break-even point of RetinaNet is at 4 accelerators.",
        test=BREAKEVEN_TEST,
        judge=partial(breakeven_at, "retinanet", 4),
        figure="retinanet",
    ),
    Claim(
        source=SCALING_PAPER,
        claim="The break-even point of Stable Diffusion is at 8 accelerators.",
        test=BREAKEVEN_TEST,
        judge=partial(breakeven_at, "stable_diffusion", 8),
        figure="stable_diffusion",
    ),
    Claim(
        source=SCALING_PAPER,
        claim="At the break-even point training is faster at no loss of efficiency.",
        test="Relative efficiency of 95 % beyond the smallest count: at most in part, because the "
        "break-even point itself is where efficiency has been paid.",
        judge=without_loss,
        figure="bert",
    ),
    Claim(
        source=SCALING_PAPER,
        claim="More accelerators help only up to a limit.",
        test="Holds when the time rises at the end of every curve and efficiency is below a "
        "half at most ends; in part with one of the two.",
        judge=limit,
        figure="stable_diffusion",
    ),
    Claim(
        source=SCALING_PAPER,
        claim="The right configuration saves resources and time together.",
        test="Accelerator-hours at the break-even point, at most those of the smallest count.",
        judge=resources,
        figure="llama2_70b_lora",
    ),
)
"""In the order of the text."""
