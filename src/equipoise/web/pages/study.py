"""Study: what matters, which groups there are, which configurations lead, and how sure."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from equipoise.metrics.criteria import criterion
from equipoise.rank.ranking import DEFAULT_CRITERIA
from equipoise.report.columns import column
from equipoise.report.figures.ranking import ranking as ranking_figure
from equipoise.report.html import html_figure
from equipoise.report.sections import (
    breakeven_section,
    cluster_section,
    evidence_section,
    headline_cards,
    importance_section,
    method_notes,
    reversal_words,
)
from equipoise.report.views import VIEWS
from equipoise.web import options as o
from equipoise.web.forms import (
    benchmark_field,
    benchmark_of,
    narrowing,
    plain_field,
    select_field,
    selection_fields,
)
from equipoise.web.pages import asked
from equipoise.web.parts import part_of
from equipoise.web.query import query_of
from equipoise.web.tables import web_table

if TYPE_CHECKING:
    from equipoise.rank.results import RankResult
    from equipoise.web.kitchen import Kitchen

RANKED: Final = 100
SLIDER_TOP: Final = 10
WEIGHT_0: Final = "weight 0"
"""Why the ranking sets a criterion aside that was given no weight."""


def context(kitchen: "Kitchen", params: dict[str, Any]) -> dict[str, Any]:
    """Return the study as a page."""
    benchmark = benchmark_of(kitchen, params)
    wanted = {**asked("study", params), "benchmark": benchmark}
    study = kitchen.answer("study", wanted).result
    fields = selection_fields(kitchen, benchmark, params)
    parts = [
        part_of(importance_section(study.importance)),
        part_of(cluster_section(study.clusters)),
    ]
    leaders = ranking_parts(study.ranking) if study.ranking else None
    after = [part_of(breakeven_section(study)), part_of(evidence_section(study))]
    figures = [f for part in (*parts, *after) for f in part.figures]
    return {
        "title": study.title,
        "answer": study.answer,
        "paragraphs": study.paragraphs,
        "headline_cards": headline_cards(study),
        "fields": [
            benchmark_field(kitchen, benchmark),
            plain_field(o.K, params),
            select_field(o.RANK_METHOD, params),
            plain_field(o.RANK_WEIGHTS, params),
        ],
        "more_fields": fields,
        "narrowing": narrowing(fields),
        "parts": parts,
        "leaders": leaders,
        "after": after,
        "figures": [*figures, *(leaders["figures"] if leaders else ())],
        "sliders": sliders(study.ranking) if study.ranking else (),
        "part_link": f"/parts/study?{part_query(wanted)}",
        "methods": method_notes(study),
        "footnotes": study.footnotes,
        "warnings": study.warnings,
    }


def part_query(params: dict[str, Any]) -> str:
    """Return the query of the ranking alone, without weights and resamples."""
    from equipoise.web.pages import PAGES

    return query_of(PAGES["study"].options, params, weights=None, resamples=None)


def ranking_part(kitchen: "Kitchen", params: dict[str, Any]) -> dict[str, Any]:
    """Return the ranking alone, for sliders that move."""
    benchmark = benchmark_of(kitchen, params)
    names = {"k"}
    wanted = {k: v for k, v in asked("study", params).items() if k not in names}
    result = kitchen.answer("rank", {**wanted, "benchmark": benchmark}).result
    return {"leaders": ranking_parts(result)}


def ranking_parts(result: "RankResult") -> dict[str, Any]:
    """Return sentences, chart and tables of the ranking."""
    lead = [result.why_first]
    if result.reversal is not None:
        lead.append(reversal_words(result))
    how = replace(VIEWS["ranking"], limit=RANKED)
    return {
        "lead": [text for text in (*lead, *result.notes) if text],
        "figures": [html_figure(ranking_figure(result))] if result.ranking else [],
        "tables": [
            web_table("ranking", result.ranking, how=how),
            web_table("criteria", result.criteria),
            web_table("agreement", result.agreement, caption="Agreement of the methods"),
        ],
    }


def sliders(result: "RankResult") -> tuple[dict[str, Any], ...]:
    """Return one slider for each criterion that can be weighed, the heaviest at its end.

    A criterion that the weights leave out or set to 0 keeps its slider, at 0.
    """
    known = {row.criterion: row for row in result.criteria}
    weights = {row.criterion: row.weight for row in result.criteria if row.used}
    top = max(weights.values(), default=0.0) or 1.0
    names = [name for name, row in known.items() if row.used or row.reason == WEIGHT_0]
    names += [name for name in DEFAULT_CRITERIA if name not in known]
    return tuple(
        {
            "name": name,
            "label": column(name).label,
            "wish": "less is better" if criterion(name).direction == "min" else "more is better",
            "value": round(weights.get(name, 0.0) / top * SLIDER_TOP, 1),
        }
        for name in names
    )
