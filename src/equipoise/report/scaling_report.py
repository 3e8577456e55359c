"""The report of a scaling analysis: one part for each workload, charts and tables."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from equipoise.report.cells import percent_text
from equipoise.report.figures.alike import on_the_same_axes
from equipoise.report.figures.base import Figure, counted
from equipoise.report.figures.breakeven import breakeven_marked, breakeven_rules
from equipoise.report.figures.curves import (
    leading_curves,
    scaling_efficiency,
    scaling_speedup,
    scaling_time,
)
from equipoise.report.figures.decomposition import decomposed_curve, decomposition
from equipoise.report.html import HtmlFigure, html_figure, html_table, page
from equipoise.report.sections import Card, Section, selection_words
from equipoise.scaling.results import BreakevenResult, BreakevenRow, ScalingResult

DRAWN_CURVES = 5
SAME_AXES = (
    "Efficiency here is relative to the smallest count of each curve, as the break-even points "
    "are; the axes are the same in every chart."
)


def scaling_html(
    parts: Sequence[tuple[str, ScalingResult, BreakevenResult]],
    *,
    title: str,
    answer: str,
    selection: Mapping[str, Any],
    summary: tuple[str, Sequence[Any]] | None = None,
    footnotes: Sequence[str] = (),
    warnings: Sequence[str] = (),
) -> str:
    """Return a self-contained HTML page on the scaling of one or more workloads.

    Parameters
    ----------
    parts
        Heading, scaling and break-even of each workload.
    title, answer
        Heading of the page and the answer in a few sentences.
    selection
        What was asked for.
    summary : optional
        Name and rows of a table over all workloads.
    """
    sections = [side_by_side(parts), *(workload_section(*part) for part in parts)]
    if summary is not None:
        name, rows = summary
        table = html_table(name, rows)
        sections.insert(0, Section(id="summary", title="All workloads", tables=(table,)))
    return page(
        "study.html.j2",
        {
            "title": title,
            "answer": answer,
            "paragraphs": (),
            "headline_cards": (),
            "sections": tuple(sections),
            "methods": (),
            "selection": selection_words(selection),
            "warnings": tuple(warnings),
            "footnotes": tuple(footnotes),
        },
    )


def workload_section(title: str, scaling: ScalingResult, points: BreakevenResult) -> Section:
    """Return the part on one workload: time, speedup, efficiency with break-even, factors."""
    curves = _longest(scaling)
    return Section(
        id=f"workload-{scaling.benchmark}",
        title=title,
        lead=tuple(row.reason for row in quoted(points) if row.curve in curves),
        figures=_figures(scaling, points, curves),
        tables=(
            html_table("points", scaling.points),
            html_table("breakevens", points.breakevens),
            html_table("laws", scaling.laws),
        ),
    )


def side_by_side(
    parts: Sequence[tuple[str, ScalingResult, BreakevenResult]],
    *,
    own: Sequence[ScalingResult] = (),
) -> Section:
    """Return the break-even point of every workload, and its curves on the same axes.

    `own` are the workloads with efficiency relative to the smallest count of each curve, as
    the break-even points are; without them there are no charts.
    """
    drawn = []
    for (title, _, points), scaling in zip(parts, own, strict=False):
        figure = breakeven_marked(scaling, points, curves=_longest(scaling))
        drawn.append(replace(named(figure, f"side-{scaling.benchmark}"), title=title))
    return Section(
        id="side-by-side",
        title="Side by side",
        lead=(SAME_AXES,) if drawn else (),
        cards=tuple(_card(*part) for part in parts),
        figures=tuple(html_figure(figure) for figure in on_the_same_axes(drawn)),
    )


def _longest(scaling: ScalingResult) -> list[str]:
    """Return the curves that are drawn: those with most counts."""
    return [curve.curve for curve in leading_curves(scaling, limit=DRAWN_CURVES)]


def _card(title: str, scaling: ScalingResult, points: BreakevenResult) -> Card:
    """Return the break-even point of the longest curve of a workload."""
    longest = max(points.curves, key=lambda curve: curve.points)
    row = next((row for row in quoted(points) if row.curve == longest.curve), None)
    facts = [
        ("measured", f"{longest.accelerators_min:,d} to {longest.accelerators_max:,d}"),
        ("configurations", f"{len(scaling.points):,d}"),
    ]
    worth = "no break-even point"
    if row is not None and row.accelerators is not None:
        worth = counted(row.accelerators, "accelerator")
        if row.low is not None and row.high is not None:
            facts.insert(
                0, (f"{percent_text(points.level)} interval", f"{row.low:,d} to {row.high:,d}")
            )
        if row.efficiency is not None:
            facts.insert(0, ("efficiency there", percent_text(row.efficiency)))
    rule = f"Rule {points.default_rule}; {longest.curve}."
    return Card(title=worth, facts=tuple(facts), badge=title, note=rule)


def quoted(points: BreakevenResult) -> list[BreakevenRow]:
    """Return the default rule's row of every curve that has more than one count."""
    long_ones = {curve.curve for curve in points.curves if curve.points > 1}
    return [row for row in points.breakevens if row.default and row.curve in long_ones]


def _figures(
    scaling: ScalingResult, points: BreakevenResult, curves: list[str]
) -> tuple[HtmlFigure, ...]:
    drawn = [scaling_time(scaling, curves=curves), scaling_speedup(scaling, curves=curves)]
    if scaling.reference == points.reference:
        drawn.append(breakeven_marked(scaling, points, curves=curves))
    else:  # two meanings of efficiency do not belong on one axis
        drawn.append(scaling_efficiency(scaling, curves=curves))
    worth = {
        row.curve
        for row in points.breakevens
        if row.accelerators is not None and row.basis == "fitted"
    }
    if worth & set(curves):
        drawn.append(breakeven_rules(points, curves=[c for c in curves if c in worth]))
    if decomposed_curve(scaling) is not None:
        drawn.append(decomposition(scaling))
    return tuple(html_figure(named(figure, scaling.benchmark)) for figure in drawn)


def named(figure: Figure, benchmark: str) -> Figure:
    """Return a chart under a name of its own on a page that has it for several workloads."""
    return replace(figure, name=f"{benchmark}-{figure.name}")
