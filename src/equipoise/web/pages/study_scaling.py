"""Study of scaling: the second paper's four workloads side by side."""

from typing import TYPE_CHECKING, Any, Final

from equipoise import facts
from equipoise.report.scaling_report import side_by_side, workload_section
from equipoise.web.pages import asked
from equipoise.web.parts import part_of
from equipoise.web.tables import web_table

if TYPE_CHECKING:
    from equipoise.web.kitchen import Kitchen

TITLE: Final = "Four workloads of MLPerf Training v4.1 side by side"
LEAD: Final = (
    "Efficiency and speedup refer to the slowest small machine of each workload over all "
    "vendors, as in the paper; break-even points to the smallest count of their own curve."
)


def context(kitchen: "Kitchen", params: dict[str, Any]) -> dict[str, Any]:
    """Return the four workloads: on the same axes, in one table, and each by itself."""
    answer = kitchen.answer("study-scaling", asked("study-scaling", params))
    result = answer.result
    workloads = [
        (facts.benchmark(scaling.benchmark).pretty_name, scaling, points)
        for scaling, points in zip(result.scaling, result.breakeven, strict=True)
    ]
    return {
        "title": TITLE,
        "answer": answer.headline or "",
        "lead": LEAD,
        "table": web_table("points", result.rows, how=answer.views["points"]),
        "sections": (
            part_of(side_by_side(workloads)),
            *(part_of(workload_section(*workload)) for workload in workloads),
        ),
        "workloads": [(name, scaling.benchmark) for name, scaling, _ in workloads],
        "rounds": answer.selection["rounds"],
        "footnotes": answer.footnotes,
        "warnings": answer.warnings,
    }
