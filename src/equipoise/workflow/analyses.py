"""The analysis questions: select configurations, compute, wrap the result for showing."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

from equipoise.domain import Configuration
from equipoise.report.footnotes import footnotes
from equipoise.workflow.answer import Answer
from equipoise.workflow.selection import Selection, SelectionOptions, select

if TYPE_CHECKING:
    from numpy.random import Generator

    from equipoise.catalogue import Catalogue
    from equipoise.cluster.results import ClusterResult
    from equipoise.evaluate.results import ImportanceResult
    from equipoise.rank.results import RankResult
    from equipoise.scaling.results import BreakevenResult, ScalingResult


def scaling(
    catalogue: "Catalogue",
    benchmark: str,
    *,
    reference: str = "smallest",
    by: str = "accelerator",
    resamples: int = 1000,
    seed: int = 0,
    **options: Unpack[SelectionOptions],
) -> Answer:
    """Return curves with speedup, efficiency, accelerator-hours and the laws fitted to them.

    Raises
    ------
    UsageError, NothingFoundError
        For an impossible or an empty selection.
    """
    from equipoise.scaling.summary import scaling as compute

    selection, found = select(catalogue, benchmark, **options)
    result = compute(found, reference=reference, by=by, rng=generator(seed), resamples=resamples)
    return scaling_answer(selection, found, result)


def scaling_answer(
    selection: Selection, found: Sequence[Configuration], result: "ScalingResult"
) -> Answer:
    """Wrap a scaling result."""
    from equipoise.report.figures import scaling as figures

    return Answer(
        command="scaling",
        tables={
            "points": result.points,
            "laws": result.laws,
            "curves": result.curves,
        },
        selection=selection.to_dict(),
        extra={"reference": result.reference, "level": result.level},
        footnotes=notes_for(found),
        warnings=result.warnings,
        result=result,
        charts=figures.charts(result),
    )


def breakeven(
    catalogue: "Catalogue",
    benchmark: str,
    *,
    rules: Sequence[str] = (),
    efficiency_floor: float = 0.5,
    marginal_gain: float = 0.25,
    reference: str = "smallest",
    resamples: int = 1000,
    seed: int = 0,
    **options: Unpack[SelectionOptions],
) -> Answer:
    """Return the break-even point of every curve by every rule, with interval and reason."""
    from equipoise.scaling.breakeven import breakeven as compute
    from equipoise.scaling.rules import ALL_RULES

    selection, found = select(catalogue, benchmark, **options)
    result = compute(
        found,
        rules=tuple(rules) or ALL_RULES,
        efficiency_floor=efficiency_floor,
        marginal_gain=marginal_gain,
        reference=reference,
        rng=generator(seed),
        resamples=resamples,
    )
    return breakeven_answer(selection, found, result)


def breakeven_answer(
    selection: Selection, found: Sequence[Configuration], result: "BreakevenResult"
) -> Answer:
    """Wrap a break-even result."""
    from equipoise.report.figures.scaling import breakeven_charts

    return Answer(
        command="breakeven",
        tables={
            "breakevens": result.breakevens,
            "curves": result.curves,
        },
        selection=selection.to_dict(),
        extra={
            "efficiency_floor": result.efficiency_floor,
            "marginal_gain": result.marginal_gain,
            "reference": result.reference,
            "level": result.level,
        },
        footnotes=notes_for(found),
        warnings=result.warnings,
        result=result,
        charts=breakeven_charts(result),
    )


def importance(
    catalogue: "Catalogue",
    benchmark: str,
    *,
    target: str = "time_to_train_min",
    seed: int = 0,
    **options: Unpack[SelectionOptions],
) -> Answer:
    """Return which variables matter for a criterion (stage 1)."""
    from equipoise.evaluate import importance as compute

    selection, found = select(catalogue, benchmark, **options)
    result = compute(found, target=target, rng=generator(seed))
    return importance_answer(selection, found, result)


def importance_answer(
    selection: Selection, found: Sequence[Configuration], result: "ImportanceResult"
) -> Answer:
    """Wrap a stage 1 result."""
    from equipoise.report.figures import importance as figures

    return Answer(
        command="importance",
        tables={
            "variables": result.variables,
            "fixed": result.fixed,
            "dependence": result.dependence,
            "coverage": result.coverage,
        },
        selection=selection.to_dict(),
        extra={"target": result.target, "skill": result.skill, "withheld": result.withheld},
        headline=sentences(result.skill.sentence if result.skill else None, result.sentence),
        footnotes=notes_for(found),
        warnings=result.warnings,
        result=result,
        charts=figures.charts(result),
    )


def cluster(
    catalogue: "Catalogue",
    benchmark: str,
    *,
    k: int | str = 5,
    method: str = "kmeans",
    seed: int = 0,
    **options: Unpack[SelectionOptions],
) -> Answer:
    """Return groups of configurations, described from their own numbers (stage 2)."""
    from equipoise.cluster import cluster as compute

    selection, found = select(catalogue, benchmark, **options)
    result = compute(found, k=number_or_auto(k), method=method, rng=generator(seed))
    return cluster_answer(selection, found, result)


def cluster_answer(
    selection: Selection, found: Sequence[Configuration], result: "ClusterResult"
) -> Answer:
    """Wrap a stage 2 result."""
    from equipoise.report.figures import clusters as figures

    return Answer(
        command="cluster",
        tables={
            "clusters": result.clusters,
            "members": result.members,
            "choices": result.choices,
            "methods": result.methods,
            "paper": result.paper,
        },
        selection=selection.to_dict(),
        extra={"k": result.k, "method": result.method, "features": result.features},
        headline=sentences(result.sentence),
        footnotes=notes_for(found),
        warnings=result.warnings,
        result=result,
        charts=figures.charts(result),
    )


def rank(
    catalogue: "Catalogue",
    benchmark: str,
    *,
    method: str = "topsis",
    weights: str = "equal",
    criteria: Sequence[str] | None = None,
    resamples: int = 1000,
    seed: int = 0,
    **options: Unpack[SelectionOptions],
) -> Answer:
    """Return the ranking by several criteria, with how sure each rank is (stage 3)."""
    from equipoise.rank import rank as compute

    selection, found = select(catalogue, benchmark, **options)
    result = compute(
        found,
        criteria=tuple(criteria) if criteria else None,
        method=method,
        weights=weights,
        resamples=resamples,
        rng=generator(seed),
    )
    return rank_answer(selection, found, result)


def rank_answer(
    selection: Selection, found: Sequence[Configuration], result: "RankResult"
) -> Answer:
    """Wrap a stage 3 result."""
    from equipoise.report.figures import ranking as figures

    return Answer(
        command="rank",
        tables={
            "ranking": result.ranking,
            "criteria": result.criteria,
            "agreement": result.agreement,
            "set_aside": result.set_aside,
        },
        selection=selection.to_dict(),
        extra={
            "method": result.method,
            "weights": result.weights,
            "score_direction": result.score_direction,
            "reversal": result.reversal,
        },
        headline=sentences(result.why_first),
        footnotes=notes_for(found),
        warnings=result.warnings,
        result=result,
        charts=figures.charts(result),
    )


def generator(seed: int) -> "Generator":
    """Return the random generator of a seed."""
    import numpy as np

    return np.random.default_rng(seed)


def number_or_auto(k: int | str) -> int | str:
    """Return k as a number where it is one; `auto` and mistakes are left to the stage."""
    text = str(k).strip().lower()
    return int(text) if text.isdecimal() else text


def sentences(*texts: str | None) -> str | None:
    """Return the sentences that there are as one text."""
    return " ".join(text for text in texts if text) or None


def notes_for(found: Sequence[Configuration], **options: Any) -> tuple[str, ...]:
    """Return the footnotes that MLCommons' rules ask for under these configurations."""
    return footnotes(
        rounds=tuple(dict.fromkeys(c.round for c in found)),
        divisions=tuple(dict.fromkeys(c.division for c in found)),
        derived=True,
        **options,
    )
