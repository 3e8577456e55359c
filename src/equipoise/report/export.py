"""Charts as PNG and SVG, and the JavaScript that makes them interactive; nothing is fetched."""

import os
import re
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from equipoise.errors import EquipoiseError, UnknownNameError, UsageError, printable
from equipoise.extras import need
from equipoise.report.figures.base import EXPORT_WIDTH, Figure, Spec, sized, themed
from equipoise.report.figures.style import THEMES, Theme

NO_ADDRESS: Final = ("about:invalid",)
"""Addresses that a chart may load while it is drawn: none."""
BUNDLE_SNIPPET: Final = "window.vega = vega; window.vegaEmbed = vegaEmbed;"
PICTURE_ENDINGS: Final = (".png", ".svg", ".json")


def svg(figure: Figure, *, width: int = EXPORT_WIDTH, theme: Theme = "light") -> str:
    """Return a chart as SVG text in one theme."""
    return _svg(themed(sized(figure.spec, width=width, picture=True), _known_theme(theme)))


def png(
    figure: Figure, *, width: int = EXPORT_WIDTH, theme: Theme = "light", scale: float = 2.0
) -> bytes:
    """Return a chart as PNG; `scale` is the number of image pixels per chart pixel."""
    vl_convert = _converter("a chart as PNG")
    spec = themed(sized(figure.spec, width=width, picture=True), _known_theme(theme))
    picture: bytes = vl_convert.vegalite_to_png(
        spec, scale=scale, allowed_base_urls=list(NO_ADDRESS)
    )
    return picture


def save(figure: Figure, path: Path, *, width: int = EXPORT_WIDTH, theme: Theme = "light") -> None:
    """Write a chart to a file: PNG, SVG or its Vega-Lite specification (.json).

    Raises
    ------
    UsageError
        The ending of the name is none of the three.
    EquipoiseError
        The file cannot be written.
    """
    ending = path.suffix.lower()
    if ending == ".png":
        content = png(figure, width=width, theme=theme)
    elif ending == ".svg":
        content = svg(figure, width=width, theme=theme).encode()
    elif ending == ".json":
        import orjson

        content = orjson.dumps(themed(figure.spec, _known_theme(theme)))
    else:
        endings = ", ".join(PICTURE_ENDINGS)
        raise UsageError(f"{printable(str(path))}: a chart can be written as {endings}")
    try:
        path.write_bytes(content)
    except OSError as error:
        raise EquipoiseError(f"cannot write {printable(str(path))}: {error.strerror}") from error


def inline_svg(figure: Figure, *, width: int = EXPORT_WIDTH) -> str:
    """Return a chart as SVG for a page: theme tokens kept, no style attributes, own ids.

    The page's style sheet colours it, so it follows light and dark without a script; a strict
    Content-Security-Policy allows it.
    """
    spec = sized(figure.spec, width=width)
    spec["config"] = {**spec.get("config", {}), "aria": False}
    text = _svg(spec)
    text = re.sub(r' style="[^"]*"', "", text)
    text = re.sub(r' (?:d|transform|[xy][12]?|width|height)="[^"]*"', _two_decimals, text)
    text = _own_ids(text, figure.name)
    return text.replace("<svg ", '<svg aria-hidden="true" focusable="false" ', 1)


def _two_decimals(found: re.Match[str]) -> str:
    """Return an attribute of lengths with hundredths of a pixel at the finest."""
    return re.sub(r"(\.\d\d)\d+", r"\1", found[0])


def _own_ids(text: str, name: str) -> str:
    """Return SVG text with its ids numbered from 1 under the name of the figure.

    The converter counts them through all pictures it ever drew.
    """
    numbers: dict[str, int] = {}

    def renamed(found: re.Match[str]) -> str:
        number = numbers.setdefault(found[2], len(numbers) + 1)
        return f"{found[1]}{name}-{number}"

    return re.sub(r'(\bid="|url\(#|href="#)([\w-]+)', renamed, text)


def _converter(what: str) -> Any:
    """Return the library that draws charts."""
    need("charts", what, "vl_convert")
    import vl_convert

    return vl_convert


def _svg(spec: Spec) -> str:
    vl_convert = _converter("a drawn chart")
    text: str = vl_convert.vegalite_to_svg(spec, allowed_base_urls=list(NO_ADDRESS))
    return text


def _known_theme(theme: str) -> Theme:
    for known in THEMES:
        if theme == known:
            return known
    raise UnknownNameError("theme", theme, THEMES)


@cache
def javascript() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as one script that sets `window.vegaEmbed`.

    The converter puts it together from its own copy, which takes seconds; it is kept in the
    user's cache folder under its version, so that this happens once.
    """
    _converter("an interactive chart")
    path = cache_folder() / f"vega-{version('vl-convert-python')}.js"
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        text = ""
    if "vegaEmbed" in text:
        return text
    text = make_javascript()
    _keep(path, text)
    return text


def make_javascript() -> str:
    """Return the script freshly made by the converter, safe inside a `<script>` element."""
    vl_convert = _converter("an interactive chart")
    made: str = vl_convert.javascript_bundle(BUNDLE_SNIPPET)
    return re.sub(r"</(script)", r"<\\/\1", made, flags=re.IGNORECASE).replace("<!--", r"<\!--")


def _keep(path: Path, text: str) -> None:
    """Write the script beside its place and move it there; a full disk only costs time."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    except OSError:
        return


def cache_folder(environment: Any = os.environ) -> Path:
    """Return the folder for files that can be made again: EQUIPOISE_CACHE or the user's own.

    >>> cache_folder({"EQUIPOISE_CACHE": "somewhere"}).as_posix()
    'somewhere'
    """
    if named := environment.get("EQUIPOISE_CACHE"):
        return Path(named)
    if sys.platform == "win32":
        base = Path(environment.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(environment.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "equipoise"
