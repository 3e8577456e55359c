"""Study of scaling: the second paper's four workloads side by side."""

from typing import TYPE_CHECKING, Any, Final

from equipoise import facts
from equipoise.report.scaling_report import side_by_side, workload_section
from equipoise.web.pages import asked
from equipoise.web.parts import part_of
from equipoise.web.tables import web_table

if TYPE_CHECKING:
    from equipoise.scaling.results import ScalingResult
    from equipoise.web.kitchen import Kitchen
    from equipoise.workflow.answer import Answer

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
            part_of(side_by_side(workloads, own=_own(kitchen, params, answer))),
            *(part_of(workload_section(*workload)) for workload in workloads),
        ),
        "workloads": [(name, scaling.benchmark) for name, scaling, _ in workloads],
        "rounds": answer.selection["rounds"],
        "footnotes": answer.footnotes,
        "warnings": answer.warnings,
    }


def _own(kitchen: "Kitchen", params: dict[str, Any], answer: "Answer") -> list["ScalingResult"]:
    """Return the same configurations with efficiency relative to their own curves."""
    wanted: dict[str, Any] = {
        **{key: params[key] for key in ("resamples", "seed") if key in params},
        "rounds": tuple(answer.selection["rounds"]),
        "division": answer.selection["division"],
    }
    named = [scaling.benchmark for scaling in answer.result.scaling]
    return [kitchen.answer("scaling", {**wanted, "benchmark": name}).result for name in named]
