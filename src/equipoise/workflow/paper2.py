"""The second paper's setting: four workloads of v4.1 in one table and one report."""

from typing import TYPE_CHECKING, Any

from equipoise import facts
from equipoise.report.footnotes import footnotes
from equipoise.report.views import View
from equipoise.workflow.analyses import generator
from equipoise.workflow.answer import Answer

if TYPE_CHECKING:
    from equipoise.catalogue import Catalogue

COLUMNS = (
    *("benchmark", "accelerator_id", "accelerators", "submitter", "time_to_train_min"),
    *("speedup", "efficiency", "efficiency_own", "accelerator_hours", "breakeven_accelerators"),
)


def study_scaling(catalogue: "Catalogue", *, resamples: int = 1000, seed: int = 0) -> Answer:
    """Return BERT, Llama2-70B-LoRA, RetinaNet and Stable Diffusion of v4.1, closed division.

    Speedup and efficiency refer to the slowest small machine of the workload over all
    vendors, as in the paper; the break-even point to each curve.

    Raises
    ------
    NothingFoundError
        When the catalogue has none of them.
    """
    from equipoise.scaling.paper2 import (
        PAPER2_BENCHMARKS,
        PAPER2_DIVISION,
        PAPER2_ROUND,
        paper2,
    )

    found = {
        benchmark: catalogue.configurations(
            benchmark=benchmark, rounds=(PAPER2_ROUND,), divisions=(PAPER2_DIVISION,)
        )
        for benchmark in PAPER2_BENCHMARKS
    }
    result = paper2(
        {name: configurations for name, configurations in found.items() if configurations},
        rng=generator(seed),
        resamples=resamples,
    )
    return Answer(
        command="study-scaling",
        tables={
            "points": result.rows,
            "breakevens": [row for part in result.breakeven for row in part.breakevens],
        },
        views={
            "points": View(title="The four workloads", columns=COLUMNS),
            "breakevens": View(title="Break-even points", hidden=True),
        },
        selection={
            "benchmarks": list(found),
            "rounds": [PAPER2_ROUND],
            "division": PAPER2_DIVISION,
            "reference": "slowest",
        },
        headline=_sentence(result),
        footnotes=footnotes(rounds=(PAPER2_ROUND,), divisions=(PAPER2_DIVISION,), derived=True),
        warnings=result.warnings,
        result=result,
    )


def study_scaling_report(answer: Answer) -> str:
    """Return the self-contained HTML report of the four workloads."""
    from equipoise.report.scaling_report import scaling_html

    result = answer.result
    parts = [
        (facts.benchmark(scaling.benchmark).pretty_name, scaling, points)
        for scaling, points in zip(result.scaling, result.breakeven, strict=True)
    ]
    return scaling_html(
        parts,
        title="Scaling efficiency of four workloads, MLPerf Training v4.1",
        answer=answer.headline or "",
        selection=answer.selection,
        summary=("points", result.rows),
        footnotes=answer.footnotes,
        warnings=answer.warnings,
    )


def _sentence(result: Any) -> str:
    """Return the break-even point of the longest curve of every workload."""
    from equipoise.report.scaling_report import quoted

    said = []
    for part in result.breakeven:
        longest = max(part.curves, key=lambda curve: curve.points).curve
        row = next((row for row in quoted(part) if row.curve == longest), None)
        name = facts.benchmark(part.benchmark).pretty_name
        if row is None or row.accelerators is None:
            said.append(f"{name}: no break-even point inside the measured range ({longest})")
        else:
            said.append(f"{name}: {row.accelerators:,} accelerators ({row.curve}, {row.rule})")
    return "Break-even points: " + "; ".join(said) + "."
