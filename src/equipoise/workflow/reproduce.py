"""What the papers are said to claim, tested on the catalogue: a verdict with its evidence."""

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

from equipoise.errors import EquipoiseError
from equipoise.report.footnotes import footnotes
from equipoise.report.views import View
from equipoise.workflow.answer import Answer
from equipoise.workflow.claims import CLAIMS
from equipoise.workflow.claims.base import (
    VERDICTS,
    Claim,
    ClaimRow,
    Evidence,
    Finding,
    untestable,
)

if TYPE_CHECKING:
    from equipoise.catalogue import Catalogue
    from equipoise.report.html import HtmlFigure

CAUTION = (
    "The claims come from machine-made summaries of two papers, not from the papers themselves: "
    "a claim that the data do not support may be the summary's fault."
)


def reproduce(catalogue: "Catalogue", *, resamples: int = 1000, seed: int = 0) -> Answer:
    """Return every claim of the two papers' summaries with verdict, evidence and chart.

    A claim is tested by the analyses that answer every other question; its verdict comes
    out of their numbers. A catalogue without the data makes it `cannot be tested`.
    """
    evidence = Evidence(catalogue, resamples=resamples, seed=seed)
    rows = tuple(_row(number, claim, evidence) for number, claim in enumerate(CLAIMS, start=1))
    counts = Counter(row.verdict for row in rows)
    said = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS)
    names = dict.fromkeys(row.figure for row in rows if row.figure)
    return Answer(
        command="reproduce",
        tables={"claims": rows},
        views={
            "claims": View(
                title="Claims",
                columns=("id", "claim", "verdict", "evidence"),
                labels={"id": "no."},
            )
        },
        extra={"verdicts": {verdict: counts[verdict] for verdict in VERDICTS}},
        headline=f"Of {len(rows)} claims: {said}. {CAUTION}",
        footnotes=_footnotes(evidence),
        result=Reproduced(rows, evidence),
        charts={name: partial(_chart, evidence, name) for name in names},
    )


class Reproduced:
    """The rows of the claims and the analyses behind them."""

    def __init__(self, claims: tuple[ClaimRow, ...], evidence: Evidence) -> None:
        self.claims = claims
        self.evidence = evidence


def reproduce_report(answer: Answer) -> str:
    """Return the self-contained HTML report: one part for each claim, with its chart."""
    from equipoise.report.html import html_figure, html_table, page
    from equipoise.report.sections import Section

    result: Reproduced = answer.result
    drawn: set[str] = set()
    sections = [
        Section(
            id="claims",
            title="All claims",
            tables=(html_table("claims", result.claims, how=answer.views["claims"]),),
        )
    ]
    for row in result.claims:
        figures: tuple[HtmlFigure, ...] = ()
        if row.figure and row.figure not in drawn:
            drawn.add(row.figure)
            figures = (html_figure(result.evidence.figure(row.figure)),)
        sections.append(
            Section(
                id=f"claim-{row.id}",
                title=f"{row.id}. {row.claim}",
                short=f"Claim {row.id}",
                lead=(f"Verdict: {row.verdict}. {row.evidence}", f"Test: {row.test}"),
                figures=figures,
            )
        )
    return page(
        "study.html.j2",
        {
            "title": "The papers' claims, tested on the data",
            "answer": answer.headline or "",
            "paragraphs": (),
            "headline_cards": (),
            "sections": tuple(sections),
            "methods": (),
            "selection": (),
            "warnings": answer.warnings,
            "footnotes": answer.footnotes,
        },
    )


def _row(number: int, claim: Claim, evidence: Evidence) -> ClaimRow:
    found = _judged(claim, evidence)
    tested = bool(found.numbers)
    return ClaimRow(
        id=number,
        source=claim.source,
        claim=claim.claim,
        verdict=found.verdict,
        evidence=found.evidence,
        numbers=dict(found.numbers),
        test=claim.test,
        figure=claim.figure if tested else None,
    )


def _judged(claim: Claim, evidence: Evidence) -> Finding:
    """Return the finding; a lack of data is one, not the end of the others."""
    try:
        return claim.judge(evidence)
    except EquipoiseError as error:
        return untestable(f"The catalogue lacks the data: {error}")


def _chart(evidence: Evidence, name: str) -> dict[str, Any]:
    from equipoise.report.figures.base import charts_of

    return charts_of({name: lambda: evidence.figure(name)})[name]()


def _footnotes(evidence: Evidence) -> tuple[str, ...]:
    from equipoise.scaling.paper2 import PAPER2_ROUND

    try:
        rounds = tuple(dict.fromkeys(c.round for c in evidence.resnet))
    except EquipoiseError:
        rounds = ()
    return footnotes(
        rounds=tuple(dict.fromkeys((*rounds, PAPER2_ROUND))), divisions=("closed",), derived=True
    )
