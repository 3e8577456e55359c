"""Advise: what to train on under a deadline and a budget."""

from typing import TYPE_CHECKING, Any, Final

from equipoise import facts
from equipoise.errors import NothingFoundError
from equipoise.report.cells import cell_text, number_text, percent_text
from equipoise.report.columns import column
from equipoise.report.figures.base import counted
from equipoise.report.figures.pareto import pareto
from equipoise.report.html import html_figure
from equipoise.report.sections import Card
from equipoise.report.views import VIEWS, View
from equipoise.web import options as o
from equipoise.web.forms import (
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
from equipoise.web.purchase import PURCHASE
from equipoise.web.tables import web_table

if TYPE_CHECKING:
    from equipoise.web.kitchen import Kitchen

OPTIONS: Final = View(
    title="Options",
    columns=(
        *("rank", "pareto", "accelerator_id", "accelerators", "time_to_train_min", "cost_usd"),
        *("probability_meets_deadline", "probability_within_budget", "basis", "provider"),
        *("instance_type", "price_usd_per_accelerator_hour", "reason"),
    ),
    limit=200,
)
SHOWN_PURCHASES: Final = 4
HINTS: Final = {
    "purchase": "35000usd",
    "years": "4",
    "utilisation": "0.6",
    "power-price": "0.12",
    "running-cost": "0",
    "pue": "1.3",
    "interruption-loss": "15min",
}
"""What is assumed where a field stays empty, and how others are written."""
BUYING: Final = tuple(option for option in PURCHASE if option.name != "interruption-loss")
LOSS: Final = next(option for option in PURCHASE if option.name == "interruption-loss")
DRAWN: Final = 400
"""Options in the chart."""


def context(kitchen: "Kitchen", params: dict[str, Any]) -> dict[str, Any]:
    """Return the recommendation with its reasons; where nothing fits, what comes nearest."""
    benchmark = benchmark_of(kitchen, params)
    own = params.get("measured") is not None
    wanted = asked("advise", params)
    if not own or params.get("benchmark"):
        wanted["benchmark"] = benchmark
    fields = selection_fields(kitchen, benchmark, params)
    made: dict[str, Any] = {
        "title": "Advice for your own job"
        if own
        else f"Advice for {facts.benchmark(benchmark).pretty_name}",
        "fields": _fields(kitchen, params, benchmark),
        "purchase_fields": [
            plain_field(option, params, placeholder=HINTS.get(option.name, "")) for option in BUYING
        ],
        "bought": params.get("purchase") is not None,
        "more_fields": [*_own_fields(params), *fields],
        "narrowing": narrowing(fields),
        "cards": (),
        "parts": (),
        "justification": (),
        "assumptions": (),
    }
    try:
        answer = kitchen.answer("advise", wanted)
    except NothingFoundError as error:
        return made | {"nothing": str(error), "lead": ""}
    result = answer.result
    figure = pareto(
        result.options[:DRAWN], deadline_min=result.deadline_min, budget=result.budget_usd
    )
    return made | {
        "nothing": None,
        "lead": result.sentence,
        "cards": _cards(result),
        "justification": result.justification,
        "assumptions": result.assumptions,
        "figures": [html_figure(figure)] if any(r.cost_usd for r in result.options) else [],
        "parts": [
            Part(
                id="options",
                title="Options",
                lead=(f"{counted(len(result.options), 'option')}, the best first.",),
                tables=(web_table("options", result.options, how=OPTIONS),),
            ),
            *_purchases(result),
            Part(
                id="excluded",
                title="What was left out, and why",
                tables=(web_table("excluded", result.excluded, caption="Left out"),),
            ),
        ],
        "footnotes": answer.footnotes,
        "warnings": answer.warnings,
    }


def _purchases(result: Any) -> list[Part]:
    """Return buying beside renting, with the utilisation from which buying pays."""
    if not result.purchases:
        return []
    return [
        Part(
            id="buying",
            title="Buying beside renting",
            lead=tuple(_owned(row) for row in result.purchases[:1]),
            cards=tuple(_purchase_card(row) for row in result.purchases[:SHOWN_PURCHASES]),
            tables=(
                web_table(
                    "purchases",
                    result.purchases,
                    how=VIEWS["purchases"],
                    caption="The best option of each accelerator",
                ),
            ),
        )
    ]


def _owned(row: Any) -> str:
    return f"{row.accelerators:,d} × {row.accelerator_id}: {row.reason}."


def _purchase_card(row: Any) -> Card:
    """Return the break-even utilisation of a purchase."""
    limit = row.breakeven_utilisation
    if limit is None:
        title = "no break-even"
    elif limit > 1:
        title = "renting is always cheaper"
    else:
        title = f"buying pays from {percent_text(limit)} utilisation"
    prices = (
        ("owned", row.owned_usd_per_accelerator_hour),
        ("rented", row.rented_usd_per_accelerator_hour),
    )
    facts_ = [(name, f"{number_text(usd)} USD/h") for name, usd in prices if usd is not None]
    return Card(
        title=title,
        facts=(*facts_, ("assumed utilisation", percent_text(row.utilisation))),
        badge=f"{row.accelerators:,d} × {row.accelerator_id}",
    )


def _fields(kitchen: "Kitchen", params: dict[str, Any], benchmark: str) -> list[Field]:
    return [
        benchmark_field(kitchen, benchmark),
        plain_field(o.DEADLINE, params, placeholder="2h"),
        plain_field(o.BUDGET, params, placeholder="500usd"),
        select_field(o.PRICE_KIND, params),
        select_field(o.OBJECTIVE, params),
    ]


def _own_fields(params: dict[str, Any]) -> list[Field]:
    area = Field(
        kind="area",
        name="measured",
        label="Own measurements (optional)",
        value=str(params.get("measured", "")).replace(",", "\n"),
        placeholder="8=180min\n16=97min",
        help="Your own job instead of the benchmark, one a line: count = time.",
        longest=o.LONGEST_LIST,
    )
    return [
        area,
        plain_field(o.MEASURED_ON, params, placeholder="h100-sxm5-80gb"),
        plain_field(o.MEASURED_ONLY, params),
        plain_field(o.ESTIMATE_ENERGY, params),
        plain_field(o.GRID, params),
        plain_field(o.INTERRUPTIONS, params),
        plain_field(LOSS, params, placeholder=HINTS[LOSS.name]),
    ]


def _cards(result: Any) -> tuple[Card, ...]:
    """Return the first choice, and the first that is faster and the first that is cheaper."""
    first = result.options[0]
    faster = min(result.options, key=lambda r: r.time_to_train_min)
    priced = [row for row in result.options if row.cost_usd is not None]
    cheaper = min(priced, key=lambda r: r.cost_usd or 0.0) if priced else None
    chosen = [("Recommended", first), ("Fastest", faster), ("Cheapest", cheaper)]
    return tuple(_card(name, row) for name, row in chosen if row is not None)


def _card(badge: str, row: Any) -> Card:
    facts_ = [("time", f"{number_text(row.time_to_train_min)} min")]
    if row.cost_usd is not None:
        facts_.append(("cost", f"{number_text(row.cost_usd)} USD"))
    for name, label in (
        ("probability_meets_deadline", "meets the deadline"),
        ("probability_within_budget", "within the budget"),
    ):
        value = getattr(row, name)
        if value is not None:
            facts_.append((label, cell_text(value, column(name))))
    return Card(
        title=f"{row.accelerators:,d} × {row.accelerator_id}",
        facts=tuple(facts_),
        badge=badge,
        note=f"{row.provider}, {row.price_kind}" if row.provider else None,
    )
