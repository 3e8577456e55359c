"""Trends: progress over the rounds, and how much of it is hardware and how much software."""

from typing import TYPE_CHECKING, Any, Final

from equipoise import facts
from equipoise.report.cells import number_text
from equipoise.report.figures.trends import trends as trends_figure
from equipoise.report.html import html_figure
from equipoise.report.sections import Card
from equipoise.report.views import View
from equipoise.web.forms import benchmark_field, benchmark_of, narrowing, selection_fields
from equipoise.web.pages import asked
from equipoise.web.parts import Part
from equipoise.web.tables import web_table

if TYPE_CHECKING:
    from equipoise.web.kitchen import Kitchen

ROWS: Final = 500


def context(kitchen: "Kitchen", params: dict[str, Any]) -> dict[str, Any]:
    """Return best times over the rounds and the gains."""
    benchmark = benchmark_of(kitchen, params)
    answer = kitchen.answer("trends", {**asked("trends", params), "benchmark": benchmark})
    result = answer.result
    fields = selection_fields(kitchen, benchmark, params)
    drawn = [
        {
            "round": row.round,
            "accelerator_id": row.accelerator_id,
            "accelerators": row.accelerators,
            "time_to_train_min": row.time_best_min,
            "submitter": row.best_submitter,
            "system_id": row.best_system_id,
        }
        for row in result.trends
    ]
    figures = (
        [html_figure(trends_figure(drawn, rounds=answer.selection["rounds"]))] if drawn else []
    )
    parts = [
        Part(
            id="gains",
            title="What the gain comes from",
            tables=(
                web_table("gains", result.gains, how=View(title="From round to round", limit=ROWS)),
                web_table(
                    "software",
                    result.software,
                    how=View(title="Same accelerator, same count, later round", limit=ROWS),
                ),
            ),
        ),
        Part(
            id="best",
            title="Best times",
            tables=(
                web_table(
                    "trends",
                    result.trends,
                    how=View(title="Best and typical time of each round", limit=ROWS),
                ),
            ),
        ),
    ]
    return {
        "title": f"{facts.benchmark(benchmark).pretty_name} over the rounds",
        "lead": answer.headline or "",
        "fields": [benchmark_field(kitchen, benchmark)],
        "more_fields": fields,
        "narrowing": narrowing(fields),
        "cards": _cards(result),
        "figures": figures,
        "parts": parts,
        "footnotes": answer.footnotes,
        "warnings": answer.warnings,
    }


def _cards(result: Any) -> tuple[Card, ...]:
    named = (
        ("Altogether", result.total_gain, "from the first to the last round of each count"),
        ("Software", result.software_gain, "same accelerator, later round"),
        ("Hardware", result.hardware_gain, "next accelerator, same round"),
    )
    return tuple(
        Card(title=f"{number_text(gain, 3)} × faster", facts=(), badge=name, note=note)
        for name, gain, note in named
        if gain is not None
    )
