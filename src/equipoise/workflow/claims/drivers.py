"""Claims of the ranking paper on ResNet-50: what drives training time, and how it scales."""

import math
from statistics import median
from typing import TYPE_CHECKING, Final

from equipoise.workflow.claims.base import (
    CANNOT_BE_TESTED,
    CONFIRMED,
    NOT_SUPPORTED,
    PARTLY,
    RANKING_PAPER,
    Claim,
    Evidence,
    Finding,
    by_share,
    curves_of,
    graded,
    untestable,
)

if TYPE_CHECKING:
    from equipoise.scaling.results import ScalingPoint

SMALL, LARGE = 16, 128
"""Steps that start below the one and from the other are compared."""
HUGE: Final = 512
HALF: Final = 0.5
MOST_CURVES: Final = 0.8
INTERCONNECT: Final = (
    *("link_kind", "link_generation", "link_gb_s"),
    *("network_kind", "network_gbit_s_per_accelerator"),
)
HOST: Final = (
    *("host_processor_year", "host_processor_generation"),
    *("host_cores_per_accelerator", "host_processor_vendor"),
)
WEIGHTY: Final = 0.05
"""Share of the variance from which a variable counts although like systems show no effect."""


def many_organisations(evidence: Evidence) -> Finding:
    """Count who published."""
    found = evidence.resnet
    submitters = len({c.submitter for c in found})
    rounds = len({c.round for c in found})
    return Finding(
        verdict=graded([submitters > 1]),
        evidence=f"{len(found)} scored configurations of {submitters} organisations in {rounds} "
        "compatible rounds, closed division.",
        numbers={"configurations": len(found), "submitters": submitters, "rounds": rounds},
    )


def drivers(evidence: Evidence) -> Finding:
    """Look at how many variables matter on configurations that the model has not seen."""
    result = evidence.importance
    if result.skill is None or result.withheld:
        return untestable("The model does not predict unseen configurations well enough.")
    matter = [row for row in result.variables if row.matters]
    first = result.variables[0]
    return Finding(
        verdict=graded([bool(matter), any(row.variable == "accelerators" for row in matter)]),
        evidence=f"{len(matter)} of {len(result.variables)} sets of variables matter (held-out R2 "
        f"{result.skill.r2 or 0:.2f}). The first is {first.label} with {first.importance:.0%} of "
        f"the variance; the next has {result.variables[1].importance:.1%}.",
        numbers={
            "variables_that_matter": len(matter),
            "variables": len(result.variables),
            "r2": result.skill.r2,
            "first_importance": first.importance,
            "second_importance": result.variables[1].importance,
        },
    )


def sublinear(evidence: Evidence) -> Finding:
    """Compare the exponent of speedup over count with 1."""
    curves = list(curves_of(evidence.resnet_scaling).values())
    if not curves:
        return untestable("No curve has two counts.")
    exponents = [_exponent(points[0], points[-1]) for points in curves]
    share = sum(e < 1 for e in exponents) / len(exponents)
    middle = median(exponents)
    return Finding(
        verdict=by_share(share, most=MOST_CURVES),
        evidence=f"{share:.0%} of {len(exponents)} curves gain less than proportionally; the "
        f"median exponent of speedup over count is {middle:.2f} (1 is proportional): doubling "
        f"saves {1 - 2**-middle:.0%} of the time instead of 50%.",
        numbers={
            "curves": len(exponents),
            "share_sublinear": share,
            "median_exponent": middle,
            "saved_by_doubling": 1 - 2**-middle,
        },
    )


def diminishing(evidence: Evidence) -> Finding:
    """Compare the exponent of steps among small counts with that among large ones."""
    steps = [
        (points[i].accelerators, _exponent(points[i], points[i + 1]))
        for points in curves_of(evidence.resnet_scaling).values()
        for i in range(len(points) - 1)
    ]
    small = [e for count, e in steps if count < SMALL]
    large = [e for count, e in steps if count >= LARGE]
    if not small or not large:
        return untestable("There are no steps among small or among large counts.")
    low, high = median(small), median(large)
    return Finding(
        verdict=graded([high < low]),
        evidence=f"The median exponent from one count to the next falls from {low:.2f} below "
        f"{SMALL} accelerators ({len(small)} steps) to {high:.2f} from {LARGE} "
        f"({len(large)} steps).",
        numbers={
            "exponent_small": low,
            "exponent_large": high,
            "steps_small": len(small),
            "steps_large": len(large),
        },
    )


def idle(evidence: Evidence) -> Finding:
    """Ask how much of the lost efficiency is slower work and how much is more work."""
    points = [
        p
        for p in evidence.resnet_scaling.points
        if p.accelerators >= HUGE
        and p.efficiency < 1
        and p.efficiency_throughput
        and p.efficiency_convergence
    ]
    if not points:
        return untestable("No large system publishes samples and rates.")
    shares = [math.log(p.efficiency_throughput or 1) / math.log(p.efficiency) for p in points]
    share = median(shares)
    convergence = median(p.efficiency_convergence or 1 for p in points)
    throughput = median(p.efficiency_throughput or 1 for p in points)
    return Finding(
        verdict=PARTLY if share > HALF else NOT_SUPPORTED,
        evidence=f"On {len(points)} systems of {HUGE} and more, throughput per accelerator falls "
        f"to {throughput:.2f} (median) of that of the small reference, which waiting would "
        f"explain: {share:.0%} of the loss. The rest is not idle hardware: larger batches need "
        f"more samples (factor {convergence:.2f}). Idle time itself is not published.",
        numbers={
            "systems": len(points),
            "efficiency_throughput_median": throughput,
            "efficiency_convergence_median": convergence,
            "share_of_loss_throughput": share,
        },
    )


def interconnect(evidence: Evidence) -> Finding:
    """Judge link and network where accelerator, count and round are the same."""
    return _fixed(evidence, INTERCONNECT, "link or network")


def processors(evidence: Evidence) -> Finding:
    """Judge the host processors where accelerator, count and round are the same."""
    return _fixed(evidence, HOST, "host processor")


def _fixed(evidence: Evidence, names: tuple[str, ...], what: str) -> Finding:
    rows = [row for row in evidence.importance.fixed if row.variable in names]
    judged = [row for row in rows if row.explained is not None]
    importances = {row.variable: row for row in evidence.importance.variables}
    numbers: dict[str, float | None] = {
        f"{row.variable}_p_value": row.p_value for row in judged
    } | {f"{row.variable}_change_per_doubling": row.change for row in judged if row.change}
    alone = [importances[name] for name in names if name in importances]
    general = [row for row in alone if row.matters]
    numbers |= {f"{row.variable}_importance": row.importance for row in general}
    if not judged and not general:
        return Finding(
            verdict=CANNOT_BE_TESTED,
            evidence=f"The {what} does not vary among like systems.",
            numbers=numbers,
        )
    weight = sum(row.importance for row in general)
    effects = [row for row in judged if row.verdict == "matters"]
    seen = "; ".join(
        f"{row.label}: {row.verdict} (p = {row.p_value:.3f}, {row.n} configurations)"
        for row in judged
    )
    unknown = [row.label for row in rows if row.explained is None]
    spread = ", ".join(f"{row.label} {row.importance:.1%}" for row in general) or "none"
    return Finding(
        verdict=CONFIRMED if effects else PARTLY if weight >= WEIGHTY else NOT_SUPPORTED,
        evidence=f"Over all configurations some of the variance of time goes with it ({spread}), "
        "which age may explain. At the same accelerator, count and round: "
        f"{seen or 'nothing can be judged'}."
        + (f" Too little variety to judge: {', '.join(unknown)}." if unknown else ""),
        numbers=numbers,
    )


def _exponent(small: "ScalingPoint", large: "ScalingPoint") -> float:
    gain = math.log(small.time_to_train_min / large.time_to_train_min)
    return gain / math.log(large.accelerators / small.accelerators)


CLAIMS: Final = (
    Claim(
        source=RANKING_PAPER,
        claim="MLPerf Training holds results of many organisations on one and the same task.",
        test="Organisations with a scored ResNet-50 configuration; holds with two or more.",
        judge=many_organisations,
        figure="groups-time",
    ),
    Claim(
        source=RANKING_PAPER,
        claim="A few properties of a system, above all its scale, drive performance.",
        test="Stage 1 on unseen configurations: holds when some variables matter and the "
        "accelerator count is among them; in part with one of the two.",
        judge=drivers,
        figure="variables",
    ),
    Claim(
        source=RANKING_PAPER,
        claim="Speed grows less than proportionally with the number of accelerators.",
        test="Exponent of speedup over count, from the least to the greatest count of each "
        "curve: holds when 80 % of the curves are below 1, in part above a half.",
        judge=sublinear,
        figure="curves",
    ),
    Claim(
        source=RANKING_PAPER,
        claim="The larger the system, the less one more accelerator adds.",
        test="Median exponent of steps below 16 accelerators against steps from 128.",
        judge=diminishing,
        figure="curves",
    ),
    Claim(
        source=RANKING_PAPER,
        claim="In the largest systems much of the hardware waits for data or for the others.",
        test="Share of the lost efficiency (logarithm) that is lost throughput on systems of 512 "
        "and more. Idle time is not published, so at most in part; does not hold "
        "at a half or less.",
        judge=idle,
        figure="lost-efficiency",
    ),
    Claim(
        source=RANKING_PAPER,
        claim="A fast interconnect between accelerators is a reason for good performance.",
        test="Effect of link and network at the same accelerator, count and round: holds when "
        "one matters; in part when it only explains 5 % of the variance over all configurations.",
        judge=interconnect,
        figure="variables",
    ),
    Claim(
        source=RANKING_PAPER,
        claim="A strong host processor is a reason for good performance.",
        test="The same for year, cores per accelerator and vendor of the host processor.",
        judge=processors,
        figure="variables",
    ),
)
"""In the order of the text."""
