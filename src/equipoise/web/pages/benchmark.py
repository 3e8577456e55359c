"""Results: every configuration of a benchmark, drawn and listed."""

from typing import TYPE_CHECKING, Any, Final

from equipoise import facts
from equipoise.report.figures.base import counted
from equipoise.report.figures.time import time_by, time_by_cluster
from equipoise.report.html import html_figure
from equipoise.report.views import View
from equipoise.web.forms import (
    benchmark_field,
    benchmark_of,
    narrowing,
    select_field,
    selection_fields,
)
from equipoise.web.landscape import with_lines_of_equal_hours
from equipoise.web.pages import COLOUR, asked
from equipoise.web.tables import web_table

if TYPE_CHECKING:
    from equipoise.report.figures.base import Figure
    from equipoise.web.kitchen import Kitchen
    from equipoise.workflow.answer import Answer

LISTED: Final = View(
    title="Configurations",
    columns=(
        *("round", "submitter", "system_id", "accelerator_id", "accelerators", "nodes"),
        *("time_to_train_min", "availability", "division", "global_batch_size"),
        *("throughput_samples_per_s", "energy_kj", "framework"),
    ),
    limit=2000,
)


def context(kitchen: "Kitchen", params: dict[str, Any]) -> dict[str, Any]:
    """Return scatter, table and form."""
    benchmark = benchmark_of(kitchen, params)
    wanted = {**asked("benchmark", params), "benchmark": benchmark}
    answer = kitchen.answer("configurations", wanted)
    found = answer.result
    figure = with_lines_of_equal_hours(_figure(kitchen, answer, wanted, params))
    entry = facts.benchmark(benchmark)
    fields = selection_fields(kitchen, benchmark, params)
    return {
        "title": entry.pretty_name,
        "lead": (
            f"{entry.task.capitalize()}. {counted(len(found), 'configuration')}, the fastest "
            "first. Drag over the chart to keep only those points in the table."
        ),
        "entry": entry,
        "fields": [benchmark_field(kitchen, benchmark), select_field(COLOUR, params)],
        "more_fields": fields,
        "narrowing": narrowing(fields),
        "figures": [html_figure(figure)],
        "table": web_table(
            "configurations", answer.tables["configurations"], how=LISTED, id="configurations"
        ),
        "footnotes": answer.footnotes,
        "warnings": answer.warnings,
    }


def _figure(
    kitchen: "Kitchen", answer: "Answer", wanted: dict[str, Any], params: dict[str, Any]
) -> "Figure":
    colour = params.get("colour", COLOUR.default)
    if colour == "cluster":
        groups = kitchen.answer("cluster", wanted)
        return time_by_cluster(groups.result)
    return time_by(answer.result, colour_by=colour)
