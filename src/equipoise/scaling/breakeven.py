"""The break-even point of every curve by every rule, on the fit and on the raw points."""

from collections.abc import Iterable, Sequence

import numpy as np

from equipoise.domain import Configuration
from equipoise.errors import UsageError
from equipoise.scaling import results
from equipoise.scaling.analysis import RESAMPLES, Analysis, CurveAnalysis, analyse
from equipoise.scaling.curves import BY_ACCELERATOR, SMALLEST
from equipoise.scaling.fit import LEVEL
from equipoise.scaling.locate import FITTED, Basis, fitted_basis, locate, raw_basis
from equipoise.scaling.results import BreakevenResult, BreakevenRow, CurveRow, ScalingResult
from equipoise.scaling.rules import ALL_RULES, DEFAULT_RULE, Rule, RuleOptions, rule_named
from equipoise.scaling.sentences import accelerator_label, sentence
from equipoise.scaling.summary import curve_points, curve_row, scaling_of
from equipoise.units import MIN_PER_H

LARGE_SHIFT = 2.0
"""Leaving the last point out and moving the answer by this factor is worth a warning."""


def breakeven(
    configurations: Sequence[Configuration],
    *,
    rng: np.random.Generator,
    rules: Iterable[str] = ALL_RULES,
    efficiency_floor: float = 0.5,
    marginal_gain: float = 0.25,
    reference: str = SMALLEST,
    by: str = BY_ACCELERATOR,
    laws: Iterable[str] | None = None,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
) -> BreakevenResult:
    """Return the largest number of accelerators still worth it, by named rules.

    Parameters
    ----------
    configurations : sequence of Configuration
        Of one benchmark and one compatible block of rounds, resubmissions removed.
    rng : numpy.random.Generator
        Source of the resamples.
    rules : iterable of str
        Names of `rules.RULES`.
    efficiency_floor : float
        tau of the efficiency rule, above 0.
    marginal_gain : float
        g of the marginal rule, between 0 and 1.
    reference, by, laws, level, resamples
        As for `scaling`.

    Raises
    ------
    UsageError
        For a threshold out of bounds.
    UnknownNameError
        For an unknown rule, law or reference.
    """
    if not 0 < efficiency_floor < float("inf"):
        raise UsageError(f"the efficiency floor must be above 0, not {efficiency_floor:g}")
    if not 0 < marginal_gain < 1:
        raise UsageError(f"the marginal gain must lie between 0 and 1, not {marginal_gain:g}")
    chosen = tuple(rule_named(rule) for rule in rules)
    options = RuleOptions(
        efficiency_floor=efficiency_floor, marginal_gain=marginal_gain, level=level
    )
    analysis = analyse(
        configurations,
        by=by,
        reference=reference,
        laws=laws,
        level=level,
        resamples=resamples,
        rng=rng,
    )
    return breakeven_of(
        analysis, rules=chosen, options=options, reference=reference, resamples=resamples
    )


def scaling_and_breakeven(
    configurations: Sequence[Configuration],
    *,
    rng: np.random.Generator,
    reference: str = SMALLEST,
    by: str = BY_ACCELERATOR,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
) -> tuple[ScalingResult, BreakevenResult]:
    """Return the scaling table and the break-even points of one and the same analysis."""
    analysis = analyse(
        configurations,
        by=by,
        reference=reference,
        laws=None,
        level=level,
        resamples=resamples,
        rng=rng,
    )
    return (
        scaling_of(analysis, reference=reference, level=level, resamples=resamples),
        breakeven_of(
            analysis,
            rules=tuple(rule_named(rule) for rule in ALL_RULES),
            options=RuleOptions(level=level),
            reference=reference,
            resamples=resamples,
        ),
    )


def breakeven_of(
    analysis: Analysis,
    *,
    rules: Sequence[Rule],
    options: RuleOptions,
    reference: str,
    resamples: int,
) -> BreakevenResult:
    """Return the break-even points of an analysis that is there already."""
    rows: list[BreakevenRow] = []
    curves: list[CurveRow] = []
    names = [rule.name for rule in rules]
    default = DEFAULT_RULE if DEFAULT_RULE in names else (names[0] if names else DEFAULT_RULE)
    for curve in analysis.curves:
        points = curve_points(analysis, curve, level=options.level)
        curves.append(curve_row(analysis, curve, points))
        bases = [raw_basis(curve)]
        fitted = fitted_basis(curve)
        if fitted is not None:
            bases.insert(0, fitted)
        # One row is enough to say that a single count has no break-even.
        asked = rules if curve.curve.points > 1 else [r for r in rules if r.name == default]
        for rule in asked:
            rows.extend(
                _row(
                    analysis,
                    curve,
                    rule,
                    basis,
                    options,
                    default=rule.name == default and basis is bases[0],
                )
                for basis in bases
            )
    return BreakevenResult(
        benchmark=analysis.configurations[0].benchmark,
        reference=reference,
        efficiency_floor=options.efficiency_floor,
        marginal_gain=options.marginal_gain,
        default_rule=default,
        level=options.level,
        resamples=resamples,
        breakevens=tuple(rows),
        curves=tuple(curves),
        warnings=analysis.warnings,
    )


def _row(
    analysis: Analysis,
    curve: CurveAnalysis,
    rule: Rule,
    basis: Basis,
    options: RuleOptions,
    *,
    default: bool,
) -> BreakevenRow:
    located = locate(rule, basis, options)
    best = analysis.configurations[curve.curve.best[0]]
    name = accelerator_label(best.accelerator_id, best.accelerator_model)
    count = time_min = speedup = efficiency = hours = None
    if located.index is not None:
        count = int(basis.counts[located.index])
        time_min = float(np.exp(basis.log_time[located.index]))
        speedup = float(np.exp(basis.reference_log_time)) / time_min
        efficiency = speedup * basis.reference_accelerators / count
        hours = count * time_min / MIN_PER_H
    return BreakevenRow(
        curve=curve.curve.name,
        rule=rule.name,
        basis=basis.kind,
        default=default,
        accelerator_id=curve.curve.accelerator_id,
        accelerators=count,
        low=located.low,
        high=located.high,
        interval_basis=located.interval_basis,
        status=located.status,
        measured=count is not None and bool(np.any(curve.counts == count)),
        extrapolated_accelerators=located.extrapolated,
        accelerators_without_last=located.without_last,
        status_without_last=located.status_without_last,
        time_to_train_min=time_min,
        speedup=speedup,
        efficiency=efficiency,
        accelerator_hours=hours,
        reason=sentence(
            rule, basis, located, options, accelerator_name=name, measured=curve.counts
        ),
        warnings=_warnings(
            curve, basis, located.without_last, located.status_without_last, count, located.status
        ),
    )


def _warnings(
    curve: CurveAnalysis,
    basis: Basis,
    without: int | None,
    status_without: str | None,
    count: int | None,
    status: str,
) -> tuple[str, ...]:
    found = []
    if basis.points == 2 and basis.kind == FITTED:
        found.append("interpolated between two counts: no interval of the fit can be had")
    if basis.replicates is None and basis.kind != FITTED:
        found.append("no interval: some scores have no runs to resample")
    if status_without is not None and status_without != results.UNDETERMINED:
        last = f"without the {curve.counts[-1]:,.0f}-accelerator point"
        if without is None and count is not None:
            found.append(f"{last} there is no break-even inside the range")
        elif (
            without is not None
            and count is not None
            and (max(without, count) > LARGE_SHIFT * min(without, count))
        ):
            found.append(f"{last} it would be {without:,}")
    if curve.log_time[-1] > curve.log_time.min() and status == results.INSIDE:
        found.append("the curve is fastest before its largest count: more is slower")
    return tuple(found)
