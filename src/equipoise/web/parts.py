"""The parts of a page: sentences, cards, charts and tables under a heading."""

from equipoise.report.html import HtmlFigure, HtmlTable
from equipoise.report.sections import Card, Section
from equipoise.structs import dataclass
from equipoise.web.tables import WebTable


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of a page."""

    id: str
    title: str
    short: str = ""
    """Title in the list of parts."""
    lead: tuple[str, ...] = ()
    cards: tuple[Card, ...] = ()
    figures: tuple[HtmlFigure, ...] = ()
    tables: tuple[WebTable, ...] = ()


def part_of(section: Section) -> Part:
    """Return a part of the report as a part of a page."""
    return Part(
        id=section.id,
        title=section.title,
        short=section.short,
        lead=section.lead,
        cards=section.cards,
        figures=section.figures,
        tables=tuple(_plain(f"{section.id}-{i}", t) for i, t in enumerate(section.tables)),
    )


def _plain(name: str, table: HtmlTable) -> WebTable:
    return WebTable(
        id=name,
        name=name,
        table=table,
        links=(None,) * len(table.rows),
        linked=None,
        total=len(table.rows) + table.left_out,
    )
