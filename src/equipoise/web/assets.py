"""Style sheet and scripts: made once, served under the hash of their content."""

from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

from equipoise import report
from equipoise.web.body import Body, body

STATIC: Final = Path(__file__).with_name("static")
REPORT: Final = Path(report.__file__).with_name("templates")
MEDIA: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
NAMES: Final = ("style.css", "theme.js", "charts.js", "web.js", "icon.svg")
"""charts.js is Vega with its drawing code, from the installed converter."""


@cache
def asset_body(name: str) -> Body:
    """Return an asset.

    Raises
    ------
    UnknownNameError
        There is no such asset.
    """
    from equipoise.errors import UnknownNameError

    if name not in NAMES:
        raise UnknownNameError("asset", name, NAMES)
    return body(_text(name), media_type=MEDIA[Path(name).suffix])


def _text(name: str) -> str:
    from equipoise.report.export import javascript
    from equipoise.report.html import style_sheet

    if name == "style.css":
        return style_sheet() + theme_rules() + _own(name)
    if name == "charts.js":
        return javascript()
    if name == "web.js":
        return (REPORT / "report.js").read_text(encoding="utf-8") + _own(name)
    return _own(name)


def _own(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


def theme_rules() -> str:
    """Return the colours of a theme that was chosen by hand, over the one of the system."""
    from equipoise.report.figures.style import THEMES
    from equipoise.report.html import colour_rules

    return "\n" + "".join(
        f":root[data-theme={theme}]{{{colour_rules(theme)}color-scheme:{theme}}}"
        for theme in THEMES
    )


@cache
def asset_links() -> dict[str, str]:
    """Return name -> address of every asset; charts.js by its version, to make it late."""
    return {name: f"/assets/{_tag(name)}/{name}" for name in NAMES}


def _tag(name: str) -> str:
    if name == "charts.js":  # takes seconds to make at its first use
        return f"vl-convert-{version('vl-convert-python')}"
    return asset_body(name).tag[:16]
