"""Tables of the pages: as in the report, with links from systems to their page."""

from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import urlencode

from equipoise.report.cells import flat
from equipoise.report.columns import column
from equipoise.report.html import HtmlTable, html_table
from equipoise.report.views import View, view
from equipoise.structs import dataclass

PLACE: Final = ("round", "submitter", "system_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class WebTable:
    """A table with what the page does with it."""

    id: str
    name: str
    """Of the table in the answer; what CSV is asked for."""
    table: HtmlTable
    links: tuple[str | None, ...]
    """Address of the system of each row."""
    linked: int | None
    """Column that carries the link."""
    total: int

    @property
    def caption(self) -> str:
        """Return the heading."""
        return self.table.caption


def web_table(
    name: str,
    rows: Sequence[Any],
    *,
    how: View | None = None,
    caption: str | None = None,
    id: str | None = None,  # noqa: A002  (the attribute of HTML)
) -> WebTable:
    """Return rows as a table of a page."""
    shown = how or view(name)
    made = html_table(name, rows, how=shown, caption=caption)
    kept = rows[: len(made.rows)]
    heads = [head for head, _ in made.heads]
    head = column("system_id").header
    links = tuple(_system_link(flat(row)) for row in kept)
    return WebTable(
        id=id or f"table-{name}",
        name=name,
        table=made,
        links=links,
        linked=heads.index(head) if head in heads and any(links) else None,
        total=len(rows),
    )


def _system_link(row: dict[str, Any]) -> str | None:
    parts = [row.get(name) for name in PLACE]
    if not all(parts):
        return None
    return system_link("/".join(str(part) for part in parts))


def system_link(key: str) -> str:
    """Return the address of the page of a system.

    >>> system_link("v4.1/NVIDIA/eos")
    '/show?system-id=v4.1%2FNVIDIA%2Feos'
    """
    return f"/show?{urlencode({'system-id': key})}"
