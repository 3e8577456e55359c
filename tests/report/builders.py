"""Small results of every stage from planted numbers, for the tests of tables, charts and pages."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from equipoise.cluster.results import ClusterResult, ClusterRow, MemberRow
from equipoise.domain import Configuration
from equipoise.evaluate.results import FixedEffect, ImportanceResult, Skill, VariableImportance
from equipoise.rank.results import (
    AgreementRow,
    CriterionRow,
    RankingRow,
    RankResult,
    ReversalResult,
)
from equipoise.scaling.results import (
    BreakevenResult,
    BreakevenRow,
    CurveRow,
    FittedPoint,
    LawRow,
    ScalingPoint,
    ScalingResult,
)
from equipoise.units import MIN_PER_H

HOSTILE = "<script>alert('x')</script>|=1+1"
ACCELERATORS = (
    # id, round, minutes of one accelerator, minutes that do not shrink
    ("v100-sxm2-32gb", "v0.7", 560.0, 0.9),
    ("a100-sxm4-80gb", "v1.1", 230.0, 0.4),
    ("tpu-v4", "v1.1", 240.0, 0.2),
    ("h100-sxm5-80gb", "v3.1", 108.0, 0.25),
    ("h100-pcie-80gb", "v3.0", 150.0, 0.5),
    ("gaudi2", "v3.0", 135.0, 0.3),
    ("mi300x", "v4.0", 100.0, 0.5),
)
SUBMITTERS = ("NVIDIA", "Dell", "Supermicro", "Google", "Azure", "Intel")
COUNTS = (1, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 3456)


def minutes(n: float, single: float, rest: float) -> float:
    return float(single / n + rest + 0.004 * np.log2(n))


def configurations(*, hostile: bool = False) -> tuple[Configuration, ...]:
    rng = np.random.default_rng(7)
    rows = []
    for place, (accelerator, round_, single, rest) in enumerate(ACCELERATORS):
        for n in COUNTS[place % 2 :: 1 + place % 3]:
            time = minutes(n, single, rest) * float(np.exp(rng.normal(0, 0.06)))
            submitter = SUBMITTERS[(place + n) % len(SUBMITTERS)]
            runs = tuple(float(t) for t in time * np.exp(rng.normal(0, 0.02, 5)))
            rows.append(
                Configuration(
                    round=round_,
                    submitter=submitter,
                    system_id=f"{accelerator}_n{n}",
                    benchmark="resnet",
                    division="closed",
                    time_to_train_min=time,
                    accelerators=n,
                    nodes=max(1, n // 8),
                    accelerator_id=accelerator,
                    accelerator_model=accelerator.upper(),
                    availability="onprem",
                    run_times_min=runs,
                )
            )
    if hostile:
        bad = {"system_id": HOSTILE, "submitter": HOSTILE, "accelerator_id": None}
        rows.append(_with(rows[0], **bad))
    return tuple(rows)


def _with(row: Any, **changes: Any) -> Any:
    from dataclasses import replace

    return replace(row, **changes)


def group_of(n: int) -> int:
    return 1 + sum(n > edge for edge in (4, 32, 128, 600))


LABELS = (
    "a few accelerators of an older generation",
    "4 to 32 newest-generation accelerators, fast and efficient",
    "middle-sized systems",
    "large systems",
    "thousands of accelerators: fastest and least efficient",
)


def cluster_result(rows: tuple[Configuration, ...]) -> ClusterResult:
    members, clusters = [], []
    for c in rows:
        g = group_of(c.accelerators)
        hours = c.accelerators * c.time_to_train_min / MIN_PER_H
        members.append(
            MemberRow(
                cluster=g,
                label=LABELS[g - 1],
                key=c.key,
                round=c.round,
                submitter=c.submitter,
                system_id=c.system_id,
                accelerator_id=c.accelerator_id,
                accelerators=c.accelerators,
                division=c.division,
                time_to_train_min=c.time_to_train_min,
                throughput_per_accelerator=1000.0 / hours,
                accelerator_hours=hours,
                efficiency=min(1.05, 2.2 / hours),
                stability=0.9,
                silhouette=0.4,
                medoid=False,
                duplicate_of=None,
            )
        )
    for g in sorted({m.cluster for m in members if m.cluster}):
        inside = [m for m in members if m.cluster == g]
        clusters.append(_cluster_row(g, inside))
    return ClusterResult(
        benchmark="resnet",
        method="kmeans",
        k=len(clusters),
        k_requested="5",
        features=("time_to_train_min", "throughput_per_accelerator"),
        configurations=len(members),
        distinct=len(members),
        clusters=tuple(clusters),
        members=tuple(members),
        choices=(),
        methods=(),
        paper=(),
        silhouette=0.41,
        stability=0.82,
        balanced=2,
        largest=5,
        sentence="Five groups; the balanced one has 4 to 32 newest-generation accelerators.",
        details="k-means on two log-scaled criteria, 200 bootstrap samples.",
    )


def _cluster_row(g: int, inside: list[MemberRow]) -> ClusterRow:
    def three(name: str) -> dict[str, float]:
        values = [getattr(m, name) for m in inside]
        return {
            f"{name}_median": float(np.median(values)),
            f"{name}_low": min(values),
            f"{name}_high": max(values),
        }

    counts = [m.accelerators for m in inside]
    return ClusterRow(
        cluster=g,
        label=LABELS[g - 1],
        size=len(inside),
        **three("time_to_train_min"),
        **three("throughput_per_accelerator"),
        **three("accelerator_hours"),
        **three("efficiency"),
        accelerators_min=min(counts),
        accelerators_median=float(np.median(counts)),
        accelerators_max=max(counts),
        newest_share=0.5,
        release_year_median=2022.0,
        families="h100 (9), a100 (4)",
        stability=0.83,
        silhouette=0.4,
        medoid=inside[0].key,
        balanced=g == 2,
    )


def importance_result() -> ImportanceResult:
    names = (
        ("accelerators", "Accelerators", 0.84, 0.71, 0.95),
        ("peak", "Peak rate of the accelerator", 0.31, 0.2, 0.42),
        ("batch", "Global batch size", 0.12, 0.04, 0.2),
        ("network", "Network", 0.02, -0.01, 0.05),
        ("cores", "Host processor cores", 0.0, -0.02, 0.02),
    )
    variables = tuple(
        VariableImportance(
            variable=name,
            label=label,
            importance=value,
            low=low,
            high=high,
            rank=place,
            agreement=1.0 if low > 0 else 1 / 3,
            n=120 - place,
            members=(name,),
            matters=low > 0,
            mutual_information=value,
            mutual_information_matters=low > 0,
            linear=value / 2,
            linear_matters=low > 0,
            sentence=f"{label}: {value}",
        )
        for place, (name, label, value, low, high) in enumerate(names, 1)
    )
    fixed = FixedEffect(
        variable="network",
        label="Network",
        question="network",
        strata=12,
        n=48,
        explained=0.08,
        change=-0.03,
        low=-0.08,
        high=0.02,
        p_value=0.3,
        verdict="no effect seen",
        sentence="At the same accelerator and count no effect of the network is seen.",
    )
    return ImportanceResult(
        benchmark="resnet",
        target="time_to_train_min",
        target_unit="min",
        target_log=True,
        configurations=120,
        skill=Skill(
            r2=0.93,
            r2_low=0.88,
            r2_high=0.96,
            mdape=0.12,
            floor=0.3,
            trusted=True,
            n=120,
            groups=30,
            folds=10,
            sentence="The model explains 93 % of the variance of families it has not seen.",
        ),
        withheld=False,
        variables=variables,
        dependence=(),
        fixed=(fixed,),
        coverage=(),
        rank_agreement=(),
        sentence="The number of accelerators matters most, then their peak rate.",
        method="Boosted trees, 10 folds by family and round.",
    )


def rank_result(rows: tuple[Configuration, ...]) -> RankResult:
    ordered = sorted(
        rows, key=lambda c: c.time_to_train_min * c.accelerators**0.45 / (1 + c.accelerators**-1)
    )
    ranking = tuple(
        RankingRow(
            rank=i,
            rank_low=max(1, i - 1 - i // 3),
            rank_high=min(len(ordered), i + 3 + i // 2),
            score=1 - i / (len(ordered) + 1),
            round=c.round,
            submitter=c.submitter,
            system_id=c.system_id,
            benchmark=c.benchmark,
            division=c.division,
            availability=c.availability,
            accelerator_id=c.accelerator_id,
            accelerator_model=c.accelerator_model,
            accelerators=c.accelerators,
            nodes=c.nodes,
            time_to_train_min=c.time_to_train_min,
            criteria={"time_to_train_min": c.time_to_train_min, "efficiency": 0.5},
            contributions={"time_to_train_min": 0.1, "efficiency": -0.02},
            probability_top1=max(0.0, 0.7 - 0.1 * i),
            probability_top3=max(0.0, 1 - 0.1 * i),
            probability_top10=max(0.0, 1 - 0.03 * i),
            pareto=i % 3 == 1,
        )
        for i, c in enumerate(ordered, 1)
    )
    criteria = tuple(
        CriterionRow(
            criterion=name,
            unit=unit,
            direction=direction,
            weight=0.5,
            weight_low=0.36,
            weight_high=0.64,
            coverage=1.0,
            used=True,
            reason=None,
        )
        for name, unit, direction in (
            ("time_to_train_min", "min", "min"),
            ("efficiency", "1", "max"),
        )
    )
    return RankResult(
        method="topsis",
        weights="equal",
        score_direction="max",
        ranking=ranking,
        criteria=criteria,
        agreement=(
            AgreementRow(method="topsis", other="vikor", kendall_tau=0.87, same_first=True),
        ),
        scale="log",
        reversal=ReversalResult(
            reversed_pairs=3, pairs=990, first_changed=False, largest_shift=2, share=3 / 990
        ),
        set_aside=(),
        resamples=1000,
        level=0.9,
        why_first="It leads because it is both fast and efficient.",
    )


def scaling_result(rows: tuple[Configuration, ...]) -> ScalingResult:
    points, curves, fitted, laws = [], [], [], []
    for accelerator, round_, single, rest in ACCELERATORS:
        mine = sorted(
            (c for c in rows if c.accelerator_id == accelerator), key=lambda c: c.accelerators
        )
        if len(mine) < 2:
            continue
        name, first = f"{round_} {accelerator}", mine[0]
        points += [_scaling_point(name, c, first) for c in mine]
        curves.append(_curve_row(name, mine))
        fitted += _fitted(name, mine, single, rest)
        laws.append(_law(name, len(mine)))
    return ScalingResult(
        benchmark="resnet",
        reference="smallest",
        level=0.9,
        resamples=1000,
        points=tuple(points),
        laws=tuple(laws),
        curves=tuple(curves),
        fitted=tuple(fitted),
        warnings=(),
    )


def _scaling_point(name: str, c: Configuration, first: Configuration) -> ScalingPoint:
    time, n = c.time_to_train_min, c.accelerators
    speedup = first.time_to_train_min / time
    efficiency = speedup / (n / first.accelerators)
    convergence, overhead = n**-0.04, n**-0.06
    return ScalingPoint(
        curve=name,
        round=c.round,
        submitter=c.submitter,
        system_id=c.system_id,
        benchmark=c.benchmark,
        division=c.division,
        accelerator_id=c.accelerator_id,
        accelerators=n,
        nodes=c.nodes,
        on_curve=True,
        is_reference=c is first,
        time_to_train_min=time,
        time_to_train_min_low=time * 0.96,
        time_to_train_min_high=time * 1.05,
        interval_basis="runs",
        runs=5,
        speedup=speedup,
        speedup_low=None if c is first else speedup * 0.95,
        speedup_high=None if c is first else speedup * 1.05,
        efficiency=efficiency,
        efficiency_low=None if c is first else efficiency * 0.95,
        efficiency_high=None if c is first else efficiency * 1.05,
        efficiency_plain=speedup / n,
        efficiency_plain_low=None,
        efficiency_plain_high=None,
        efficiency_throughput=efficiency / convergence / overhead,
        efficiency_convergence=convergence,
        efficiency_overhead=overhead,
        decomposition_reason=None,
        accelerator_hours=n * time / MIN_PER_H,
        accelerator_hours_low=None,
        accelerator_hours_high=None,
    )


def _curve_row(name: str, mine: list[Configuration]) -> CurveRow:
    first = mine[0]
    return CurveRow(
        curve=name,
        benchmark="resnet",
        round=first.round,
        division="closed",
        accelerator_id=first.accelerator_id,
        submitter=None,
        configurations=len(mine),
        points=len(mine),
        accelerators_min=mine[0].accelerators,
        accelerators_max=mine[-1].accelerators,
        reference=first.key,
        reference_accelerators=first.accelerators,
        reference_time_min=first.time_to_train_min,
        noise_floor=0.05,
        noise_groups=2,
        noise_max_ratio=1.1,
        retrograde=(),
        superlinear=(),
        peak_accelerators=None,
        weight_basis="aicc",
        warnings=(),
    )


def _fitted(name: str, mine: list[Configuration], single: float, rest: float) -> list[FittedPoint]:
    low, high = mine[0].accelerators, mine[-1].accelerators
    first = minutes(low, single, rest)
    out = []
    for n in np.geomspace(max(1, low / 2), high * 2, 24):
        time = minutes(float(n), single, rest)
        efficiency = first * low / (time * float(n))
        out.append(
            FittedPoint(
                curve=name,
                accelerators=float(n),
                time_to_train_min=time,
                time_to_train_min_low=time * 0.93,
                time_to_train_min_high=time * 1.08,
                speedup=first / time,
                efficiency=efficiency,
                efficiency_low=efficiency * 0.92,
                efficiency_high=efficiency * 1.07,
                extrapolated=bool(n < low or n > high),
            )
        )
    return out


def _law(name: str, points: int) -> LawRow:
    return LawRow(
        curve=name,
        law="amdahl",
        parameters=(),
        points=points,
        residual_error=0.05,
        aicc=-20.0,
        loo_error=0.06,
        weight=1.0,
        peak_accelerators=None,
        refused=None,
        warnings=(),
    )


def breakeven_result(scaling: ScalingResult) -> BreakevenResult:
    rows = []
    for curve in scaling.curves:
        for place, rule in enumerate(("efficiency", "marginal", "power", "knee")):
            n = min(curve.accelerators_max, 32 * 2**place)
            near = min(
                (p for p in scaling.fitted if p.curve == curve.curve),
                key=lambda p: abs(np.log(p.accelerators / n)),
            )
            rows.append(
                BreakevenRow(
                    curve=curve.curve,
                    rule=rule,
                    basis="fitted",
                    default=rule == "efficiency",
                    accelerator_id=curve.accelerator_id,
                    accelerators=n,
                    low=n // 2,
                    high=n * 2 if place else None,
                    interval_basis="runs",
                    status="inside",
                    measured=True,
                    extrapolated_accelerators=None,
                    accelerators_without_last=n,
                    status_without_last="inside",
                    time_to_train_min=near.time_to_train_min,
                    speedup=near.speedup,
                    efficiency=near.efficiency,
                    accelerator_hours=n * near.time_to_train_min / MIN_PER_H,
                    reason=f"Beyond {n} accelerators each doubling saves less than a quarter.",
                    warnings=(),
                )
            )
    return BreakevenResult(
        benchmark="resnet",
        reference="smallest",
        efficiency_floor=0.5,
        marginal_gain=0.25,
        default_rule="efficiency",
        level=0.9,
        resamples=1000,
        breakevens=tuple(rows),
        curves=scaling.curves,
        warnings=(),
    )


@dataclass(frozen=True, kw_only=True)
class Study:
    title: str = "ResNet-50: which configuration, and how many accelerators"
    selection: dict[str, Any] = field(default_factory=dict)
    configurations: tuple[Configuration, ...] = ()
    importance: ImportanceResult | None = None
    clusters: ClusterResult | None = None
    ranking: RankResult | None = None
    scaling: ScalingResult | None = None
    breakevens: BreakevenResult | None = None
    curve: str | None = None
    answer: str = "No answer."
    paragraphs: tuple[str, ...] = ()
    footnotes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def study(*, hostile: bool = False) -> Study:
    rows = configurations(hostile=hostile)
    scaling = scaling_result(rows)
    return Study(
        title=f"ResNet-50 {HOSTILE}" if hostile else Study.title,
        selection={"benchmark": "resnet", "rounds": ["v0.7", "v1.1", "v4.0"], "division": "closed"},
        configurations=rows,
        importance=importance_result(),
        clusters=cluster_result(rows),
        ranking=rank_result(rows),
        scaling=scaling,
        breakevens=breakeven_result(scaling),
        curve="v3.1 h100-sxm5-80gb",
        answer=(
            "ResNet-50: of five groups the balanced one has 4 to 32 newest-generation "
            "accelerators (median 9.1 min); on v3.1 h100-sxm5-80gb the break-even point "
            "is 32 accelerators (16 to 64)."
        ),
        paragraphs=(
            "The evidence: 42 scored configurations from 6 submitters (v0.7 to v4.0).",
            "The largest systems are fastest and use their accelerators least well.",
        ),
        footnotes=("MLPerf is a trademark of MLCommons Association.",),
        warnings=(f"a warning about {HOSTILE}",) if hostile else (),
    )
