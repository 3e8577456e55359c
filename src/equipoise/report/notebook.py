"""Answers in a notebook: the headline and the tables as HTML, with every name escaped."""

from dataclasses import replace
from html import escape

from equipoise.errors import printable
from equipoise.report.tables import Content, Shown, shown
from equipoise.report.views import view

ROWS = 20
"""Rows of a table in a notebook at most."""


def answer_html(content: Content) -> str:
    """Return headline, tables, warnings and footnotes as an HTML fragment."""
    parts = []
    if content.headline:
        parts.append(f"<p><strong>{_text(content.headline)}</strong></p>")
    for name, rows in content.tables.items():
        how = content.views.get(name) or view(name)
        if how.hidden:
            continue
        table = shown(name, rows, how=replace(how, limit=min(ROWS, how.limit or ROWS)))
        parts.append(_table(table, left_out=len(rows) - len(table.cells)))
    said = [*(f"Warning: {text}" for text in content.warnings), *content.footnotes]
    if said:
        items = "".join(f"<li>{_text(text)}</li>" for text in said)
        parts.append(f"<details><summary>Footnotes</summary><ul>{items}</ul></details>")
    return "\n".join(parts)


def _table(table: Shown, *, left_out: int) -> str:
    if not table.cells:
        return f"<p>{_text(table.title)}: no rows.</p>"
    head = "".join(f"<th>{_text(column.header)}</th>" for column in table.columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{_text(cell.strip())}</td>" for cell in row) + "</tr>"
        for row in table.cells
    )
    more = f"<p>{left_out:,d} more rows.</p>" if left_out else ""
    return (
        f"<table><caption>{_text(table.title)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>{more}"
    )


def _text(text: str) -> str:
    return escape(printable(text))
