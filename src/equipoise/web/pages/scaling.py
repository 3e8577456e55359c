"""Scaling: curves, where efficiency goes, and the break-even point by every rule."""

from typing import TYPE_CHECKING, Any, Final

from equipoise import facts
from equipoise.errors import UnknownNameError
from equipoise.report.figures.base import counted
from equipoise.report.figures.breakeven import breakeven_marked, breakeven_rules
from equipoise.report.figures.curves import leading_curves, scaling_speedup, scaling_time
from equipoise.report.figures.decomposition import decomposed_curve, decomposition
from equipoise.report.html import html_figure
from equipoise.report.views import View
from equipoise.web import options as o
from equipoise.web.commands import COMMANDS
from equipoise.web.forms import (
    Choice,
    Field,
    benchmark_field,
    benchmark_of,
    narrowing,
    plain_field,
    select_field,
    selection_fields,
)
from equipoise.web.pages import asked
from equipoise.web.parts import Part
from equipoise.web.tables import web_table

if TYPE_CHECKING:
    from equipoise.scaling.results import BreakevenResult, ScalingResult
    from equipoise.web.kitchen import Kitchen

DRAWN: Final = 5
LAWS: Final = View(
    title="Scaling laws",
    columns=("curve", "law", "weight", "loo_error", "aicc", "points", "refused"),
)


def context(kitchen: "Kitchen", params: dict[str, Any]) -> dict[str, Any]:
    """Return the curves with their break-even points."""
    benchmark = benchmark_of(kitchen, params)
    wanted = {**asked("scaling", params), "benchmark": benchmark}
    answer = kitchen.answer("scaling", wanted)
    names = {option.keyword for option in COMMANDS["breakeven"].options}
    below = {k: v for k, v in {**params, **wanted}.items() if k in names}
    worth = kitchen.answer("breakeven", below)
    curves = drawn_curves(answer.result, params.get("curve", ()))
    fields = selection_fields(kitchen, benchmark, params)
    return {
        "title": f"Scaling of {facts.benchmark(benchmark).pretty_name}",
        "lead": sentence(worth.result),
        "fields": [
            benchmark_field(kitchen, benchmark),
            plain_field(o.REFERENCE, params),
            select_field(o.BY, params),
            plain_field(o.EFFICIENCY_FLOOR, params),
            plain_field(o.MARGINAL_GAIN, params),
        ],
        "more_fields": [*fields, _curve_field(answer.result, curves)],
        "narrowing": narrowing(fields),
        "sections": sections(answer.result, worth.result, curves),
        "footnotes": answer.footnotes,
        "warnings": tuple(dict.fromkeys((*answer.warnings, *worth.warnings))),
    }


def drawn_curves(result: "ScalingResult", chosen: tuple[str, ...]) -> list[str]:
    """Return the curves of the charts: the chosen ones, or those with most counts."""
    known = [row.curve for row in result.curves]
    for name in chosen:
        if name not in known:
            raise UnknownNameError("curve", name, known)
    return list(chosen) or [row.curve for row in leading_curves(result, limit=DRAWN)]


def sentence(result: "BreakevenResult") -> str:
    """Return the break-even point of the curve that is measured furthest."""
    default = {row.curve: row for row in result.breakevens if row.default}
    curves = sorted(result.curves, key=lambda c: (-c.points, -c.accelerators_max, c.curve))
    for curve in curves:
        if curve.curve in default and default[curve.curve].accelerators is not None:
            return default[curve.curve].reason
    return "No curve has a break-even point inside the measured range."


def _curve_field(result: "ScalingResult", curves: list[str]) -> Field:
    return Field(
        kind="checks",
        name="curve",
        label="Curves drawn",
        choices=tuple(
            Choice(value=row.curve, label=row.curve, chosen=row.curve in curves, count=row.points)
            for row in result.curves
        ),
    )


# long: the sections of one page in their order
def sections(result: "ScalingResult", worth: "BreakevenResult", curves: list[str]) -> list[Part]:
    """Return the parts of the page."""
    fitted = [r for r in worth.breakevens if r.curve in curves and r.basis == "fitted"]
    rules = [breakeven_rules(worth, curves=curves)] if any(r.accelerators for r in fitted) else []
    decomposed = decomposed_curve(result, prefer=curves[0] if len(curves) == 1 else None)
    lost = [decomposition(result, curve=decomposed)] if decomposed else []
    default = sorted(
        (row for row in worth.breakevens if row.default),
        key=lambda row: (row.curve not in curves, row.accelerators is None, row.curve),
    )
    others = [row for row in worth.breakevens if row.curve in curves]
    laws = [row for row in result.laws if row.curve in curves]
    weighed = {row.curve for row in laws if row.weight}
    laws.sort(
        key=lambda row: (
            row.curve not in weighed,
            curves.index(row.curve),
            -(row.weight or -1.0),
        )
    )
    return [
        Part(
            id="worth",
            title="How many are worth it",
            figures=tuple(
                html_figure(f) for f in (breakeven_marked(result, worth, curves=curves), *rules)
            ),
            tables=(
                web_table(
                    "breakevens", default, caption="The default rule on every curve", id="default"
                ),
                web_table("breakevens", others, caption="Every rule on the drawn curves"),
            ),
        ),
        Part(
            id="curves",
            title="Curves",
            lead=(
                f"{counted(len(result.curves), 'curve')} with "
                f"{counted(len(result.points), 'configuration')}; "
                f"{counted(len(curves), 'curve')} drawn.",
            ),
            figures=(
                html_figure(scaling_time(result, curves=curves)),
                html_figure(scaling_speedup(result, curves=curves)),
            ),
            tables=(
                web_table("points", result.points),
                web_table("curves", result.curves),
            ),
        ),
        Part(
            id="losses",
            title="Where efficiency goes",
            lead=()
            if lost
            else (
                "No curve logs samples and throughput at two counts: the efficiency cannot be "
                "split into its factors.",
            ),
            figures=tuple(html_figure(figure) for figure in lost),
        ),
        Part(
            id="laws",
            title="Scaling laws",
            lead=("The laws of the drawn curves; CSV and JSON have those of all curves.",),
            tables=(web_table("laws", laws, how=LAWS),),
        ),
    ]
