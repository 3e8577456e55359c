"""Pages, parts of pages and charts as responses."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from equipoise.web.assets import asset_links
from equipoise.web.body import HTML, Body, body
from equipoise.web.commands import COMMANDS, PREFIX
from equipoise.web.pages import PAGES, asked, context
from equipoise.web.query import query_of

if TYPE_CHECKING:
    from jinja2 import Environment

    from equipoise.report.figures.base import Figure
    from equipoise.web.kitchen import Kitchen

CARRIED: Final = ("benchmark", "rounds", "division")
"""Parameters that a link from one page of a benchmark to the next keeps."""
PARTS: Final = {"study": "ranking.html.j2"}
"""Page -> template of the part of it that is fetched alone."""
CHART_FORMS: Final = {"svg": "image/svg+xml", "png": "image/png", "json": "application/json"}


def page_body(kitchen: "Kitchen", name: str, params: dict[str, Any], *, part: bool) -> Body:
    """Return a page, or the part of it that a script fetches alone."""
    if "refused" in params:
        from equipoise.web.query import BadQueryError

        raise BadQueryError(params["refused"])
    if part:
        return _part_body(kitchen, name, params)
    made = context(kitchen, name, params)
    return body(_render(f"{name}.html.j2", {**frame(name, params), **made}), media_type=HTML)


def _part_body(kitchen: "Kitchen", name: str, params: dict[str, Any]) -> Body:
    from equipoise.errors import UnknownNameError
    from equipoise.web.pages.study import ranking_part

    if name not in PARTS:
        raise UnknownNameError("part of a page", name, PARTS)
    made = {**frame(name, params), **ranking_part(kitchen, params)}
    return body(_render(PARTS[name], made), media_type=HTML)


def error_page(
    kitchen: "Kitchen", name: str, params: dict[str, Any], problem: Mapping[str, Any]
) -> str:
    """Return the page that says what went wrong and what to do, with the form to do it in."""
    from equipoise.web.pages.failure import context as failure

    plain = {key: value for key, value in params.items() if key != "refused"}
    made = failure(kitchen, name, plain, problem)
    return _render("failure.html.j2", {**frame(name, plain), **made})


def chart_body(kitchen: "Kitchen", name: str, params: dict[str, Any]) -> Body:
    """Return a chart of a page as a picture or as its specification.

    Raises
    ------
    UnknownNameError
        The page has no such chart, or there is no such form.
    """
    from equipoise.errors import UnknownNameError
    from equipoise.report.export import png, svg
    from equipoise.report.figures.base import themed
    from equipoise.report.figures.style import Theme

    chart, form = params.pop("chart_name"), params.pop("chart_form")
    theme: Theme = "dark" if chart.endswith(".dark") else "light"
    chart = chart.removesuffix(".dark")
    if form not in CHART_FORMS:
        raise UnknownNameError("form of a chart", form, CHART_FORMS)
    figures = figures_of(context(kitchen, name, params))
    if chart not in figures:
        raise UnknownNameError("chart", chart, figures)
    figure = figures[chart]
    if form == "svg":
        return body(svg(figure, theme=theme), media_type=CHART_FORMS[form])
    if form == "png":
        return body(png(figure, theme=theme), media_type=CHART_FORMS[form])
    import orjson

    return body(orjson.dumps(themed(figure.spec, theme)), media_type=CHART_FORMS[form])


def figures_of(made: Mapping[str, Any]) -> dict[str, "Figure"]:
    """Return the charts in the context of a page by name."""
    found: dict[str, Figure] = {}
    groups: list[Sequence[Any]] = [made.get("figures", ())]
    groups += [section.figures for section in made.get("sections", ())]
    for group in groups:
        for item in group:
            found[item.figure.name] = item.figure
    return found


def frame(name: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return what every page has around its content."""
    page = PAGES[name]
    return {
        "page": page,
        "navigation": navigation(name, params),
        "assets": asset_links(),
        "here": page_link(name, params),
        "chart_query": query_of(page.options, params),
        "downloads": downloads(name, params),
        "api_link": api_link(name, params),
        "footnotes": (),
        "warnings": (),
        "figures": (),
        "sections": (),
    }


def navigation(name: str, params: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the list of pages: those of a benchmark keep benchmark and rounds."""
    carried = {key: params[key] for key in CARRIED if params.get(key)}
    entries = []
    for page in PAGES.values():
        if not page.listed:
            continue
        kept = carried if page.about_benchmark else {}
        entries.append(
            {
                "title": page.title,
                "href": page_link(page.name, kept),
                "current": page.name == name,
                "benchmark": page.about_benchmark,
            }
        )
    return entries


def page_link(name: str, params: Mapping[str, Any], **changes: Any) -> str:
    """Return the address of a page with its state."""
    query = query_of(PAGES[name].options, params, **changes)
    return f"{PAGES[name].path}?{query}" if query else PAGES[name].path


def api_link(name: str, params: Mapping[str, Any], **output: Any) -> str | None:
    """Return the address of the same answer in the HTTP interface."""
    command = PAGES[name].command
    if command is None:
        return None
    query = query_of(COMMANDS[command].options, asked(name, params))
    more = urlencode(output)
    joined = "&".join(part for part in (query, more) if part)
    return f"{PREFIX}/{command}?{joined}" if joined else f"{PREFIX}/{command}"


def downloads(name: str, params: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return (label, address) of the answer of a page as files."""
    if PAGES[name].command is None:
        return []
    forms = (("CSV", "csv"), ("Excel", "xlsx"), ("JSON", "json"), ("Markdown", "markdown"))
    found = []
    for label, form in forms:
        link = api_link(name, params, format=form, download="true")
        if link is not None:
            found.append((label, link))
    return found


def _render(template: str, values: Mapping[str, Any]) -> str:
    return environment().get_template(template).render(values)


@cache
def environment() -> "Environment":
    """Return the templates of the pages; those of the report are under `report/`."""
    from jinja2 import (
        ChoiceLoader,
        Environment,
        PackageLoader,
        PrefixLoader,
        StrictUndefined,
    )

    report = PackageLoader("equipoise.report", "templates")
    found = Environment(
        loader=ChoiceLoader(
            [PackageLoader("equipoise.web", "templates"), PrefixLoader({"report": report})]
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.globals["page_link"] = page_link
    return found
