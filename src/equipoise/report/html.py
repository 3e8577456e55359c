"""The report as one HTML file: charts, tables and words, nothing loaded from anywhere."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from equipoise.report.cells import FIGURE_SPACE, POINT_SPACE, is_number
from equipoise.report.export import inline_svg, javascript
from equipoise.report.figures.base import Figure
from equipoise.report.figures.style import COLOURS, Theme
from equipoise.report.study import StudyLike
from equipoise.report.tables import Shown, encodable, shown
from equipoise.report.views import View
from equipoise.structs import dataclass

if TYPE_CHECKING:
    from jinja2 import Environment, Template

SHORT: Final = 34
"""Letters of a text that stays on one line."""
CHART_ROWS: Final = 500
"""Rows of the data table under a chart at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell of a table: its text and what it is sorted by."""

    text: str
    key: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HtmlTable:
    """A table as the templates take it."""

    caption: str
    heads: tuple[tuple[str, str], ...]
    """(header, kind) of every column: n numbers, s short text kept on one line, t sentences."""
    rows: tuple[tuple[Cell, ...], ...]
    left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HtmlFigure:
    """A chart as the templates take it: picture, specification and numbers."""

    figure: Figure
    data: str
    """The specification as JSON, safe inside a script element."""
    table: HtmlTable

    @property
    def picture(self) -> str:
        """Draw the SVG that is shown until (or unless) the script draws the chart."""
        return inline_svg(self.figure)


def study_html(study: StudyLike) -> str:
    """Return the report of a study as one self-contained HTML page.

    It needs no network and no server, follows the reader's light or dark theme, prints, and
    shows its charts as pictures where scripts are off.
    """
    from equipoise.report.sections import study_page

    return page("study.html.j2", study_page(study))


def page(template: str, context: Mapping[str, Any]) -> str:
    """Return a page from a template with style, scripts and their policy inside."""
    style = style_sheet()
    scripts = (javascript(), _source("report.js"))
    return _template(template).render(
        **context,
        style=style,
        scripts=scripts,
        policy=policy(styles=(style,), scripts=scripts),
    )


def policy(*, styles: Sequence[str], scripts: Sequence[str]) -> str:
    """Return the Content-Security-Policy: the page's own style and scripts by hash, no more.

    >>> policy(styles=["a{}"], scripts=[])[:34]
    "default-src 'none'; script-src 'no"
    """
    script = " ".join(_hash(text) for text in scripts) or "'none'"
    style = " ".join(_hash(text) for text in styles) or "'none'"
    return (
        f"default-src 'none'; script-src {script}; style-src {style}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


@cache
def style_sheet() -> str:
    """Return the style sheet with the colours of both themes."""
    light, dark = colour_rules("light"), colour_rules("dark")
    marks = "".join(
        f".eq-{name}{{color:var(--eq-{name})}}" for name in COLOURS if name.startswith("c")
    )
    return (
        f":root{{{light}}}@media (prefers-color-scheme:dark){{:root{{{dark}}}}}"
        f"@media print{{:root{{{light}}}}}{marks}\n{_source('report.css')}"
    )


def colour_rules(theme: Theme) -> str:
    """Return the colour tokens of a theme as custom properties of a style sheet."""
    return "".join(f"--eq-{name}:{colours[theme]};" for name, colours in COLOURS.items())


def html_figure(figure: Figure) -> HtmlFigure:
    """Return a chart with picture, specification and data table."""
    return HtmlFigure(
        figure=figure,
        data=script_json(figure.spec),
        table=html_table(figure.name, figure.rows, how=View(title="", limit=CHART_ROWS)),
    )


def html_table(
    name: str, rows: Sequence[Any], *, how: View | None = None, caption: str | None = None
) -> HtmlTable:
    """Return rows as a sortable table, shown as everywhere else (`report.tables`)."""
    table = shown(name, rows, how=how, whole=FIGURE_SPACE, point=POINT_SPACE)
    return HtmlTable(
        caption=table.title if caption is None else caption,
        heads=tuple((c.header, _kind(table, i)) for i, c in enumerate(table.columns)),
        rows=tuple(_cells(table, i) for i in range(len(table.cells))),
        left_out=table.left_out,
    )


def _kind(table: Shown, place: int) -> str:
    if table.numeric[place]:
        return "n"
    longest = max((len(row[place]) for row in table.cells), default=0)
    return "s" if longest <= SHORT else "t"


def _cells(table: Shown, place: int) -> tuple[Cell, ...]:
    record = table.records[place]
    cells = []
    for column, text in zip(table.columns, table.cells[place], strict=True):
        value = record.get(column.low or column.name)
        key = f"{value:.7g}" if is_number(value) and value is not None else None
        cells.append(Cell(text=text, key=key if key != text.strip() else None))
    return tuple(cells)


def script_json(value: object) -> str:
    r"""Return JSON that cannot end the script element around it.

    >>> script_json({"name": "</script>"})
    '{"name":"\\u003c/script\\u003e"}'
    """
    import orjson

    try:
        text = orjson.dumps(value).decode()
    except TypeError:
        text = orjson.dumps(encodable(value)).decode()
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("equipoise.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _template(name: str) -> "Template":
    return _environment().get_template(name)


def _source(name: str) -> str:
    """Return a file of the templates folder as it is."""
    loader = _environment().loader
    if loader is None:
        raise RuntimeError("the template environment has no loader")
    return loader.get_source(_environment(), name)[0]
