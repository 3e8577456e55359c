"""What all charts share: the figure object, axes that stay readable, size and theme."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from functools import partial
from typing import Any, Final

from equipoise.report.figures.style import TOKENS, Theme, token
from equipoise.structs import dataclass

Spec = dict[str, Any]
Values = list[dict[str, Any]]
Charts = dict[str, Callable[[], Spec]]
"""Chart name -> function that returns its specification, ready for a notebook or a file."""

SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v5.json"
FONT: Final = "system-ui, -apple-system, 'Segoe UI', Roboto, Arial, sans-serif"
DASHED: Final = (6, 4)
SOLID: Final = (1, 0)
FITTED, EXTRAPOLATED = "fitted", "extrapolated"
HEIGHT: Final = 360
EXPORT_WIDTH: Final = 760
LETTER: Final = 6.6
"""Mean width in pixels of a letter of a legend."""
LEGEND_FRAME: Final = 44
"""Width of a legend entry beside its text: symbol and gaps."""
LEGEND_EDGE: Final = 70
"""Room left of a legend, under the axis of the chart."""
DRAWN_DIGITS: Final = 6
NARROW: Final = 560
"""Width below which legends stand below each other."""
SECOND_LEGEND: Final = 250
"""Room that a second legend needs beside the first one."""
LEAST_SPAN: Final = 1.15
"""Share of a log axis left free at both ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One chart: its Vega-Lite specification, the words for it, and its numbers as rows."""

    name: str
    """Name in file names and links."""
    title: str
    description: str
    """What the chart shows and how it is drawn, for those who do not see it."""
    spec: Spec
    rows: tuple[dict[str, Any], ...]
    """The numbers of the chart as a table; keys are field names."""
    notes: tuple[str, ...] = field(default=())
    """Said beside the chart, such as what was left out."""


def figure(
    name: str,
    *,
    title: str,
    description: str,
    body: Mapping[str, Any],
    rows: Iterable[dict[str, Any]],
    notes: Sequence[str] = (),
    height: int = HEIGHT,
    names: Iterable[str] = (),
) -> Figure:
    """Return a figure with the frame that every chart has around its `body`.

    `names` are the entries of the legend: the longest decides how many stand side by side.
    """
    entries = list(names)
    longest = max((len(name) for name in entries), default=18)
    spec: Spec = {
        "$schema": SCHEMA,
        "description": description,
        "width": "container",
        "height": height,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "background": "transparent",
        "padding": 4,
        "config": config(),
        "usermeta": {
            "legendEntry": round(longest * LETTER) + LEGEND_FRAME,
            "legendEntries": max(1, len(entries)),
        },
        **{part: rounded(content) for part, content in body.items()},
    }
    return Figure(
        name=name,
        title=title,
        description=description,
        spec=spec,
        rows=tuple(rows),
        notes=tuple(notes),
    )


def rounded(value: Any) -> Any:
    """Return numbers with as many digits as a drawing can show: a smaller file.

    >>> rounded({"t": 1.23456789, "n": 8192})
    {'t': 1.23457, 'n': 8192}
    """
    if isinstance(value, float):
        return float(f"{value:.{DRAWN_DIGITS}g}")
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(item) for item in value]
    return value


def charts_of(drawers: Mapping[str, Callable[[], Figure]]) -> Charts:
    """Return the drawers as functions that give complete light specifications."""
    return {name: partial(_complete, draw) for name, draw in drawers.items()}


def _complete(draw: Callable[[], Figure]) -> Spec:
    return themed(sized(draw().spec), "light")


def config() -> Spec:
    """Return the look of all charts, in colour tokens."""
    ink, muted, grid = token("ink"), token("muted"), token("grid")
    return {
        "font": FONT,
        "view": {"stroke": None},
        "axis": {
            "labelColor": muted,
            "titleColor": ink,
            "titleFontWeight": 600,
            "titleFontSize": 12,
            "labelFontSize": 12,
            "titlePadding": 8,
            "gridColor": grid,
            "domainColor": muted,
            "tickColor": muted,
            "labelOverlap": "parity",
        },
        "axisY": {"domain": False, "ticks": False, "labelPadding": 6, "labelLimit": 280},
        "legend": {
            "orient": "bottom",
            "direction": "horizontal",
            "labelColor": ink,
            "titleColor": muted,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": 600,
            "symbolSize": 90,
            "symbolStrokeWidth": 1.5,
            "symbolOpacity": 1,
            "rowPadding": 4,
            "columnPadding": 16,
        },
        "text": {"color": ink, "font": FONT, "fontSize": 12},
        "title": {"color": ink, "anchor": "start", "fontSize": 14},
        "range": {"category": [token(f"c{i}") for i in range(1, 9)]},
    }


def sized(spec: Spec, *, width: int = EXPORT_WIDTH, picture: bool = False) -> Spec:
    """Return the specification at a fixed width, legends and labels fitted to it.

    The page does the same in the browser when it knows the width of the screen. In a
    `picture` legends stand below each other where they do not fit; the schema that Altair
    holds charts against does not know that setting.
    """
    entry = spec.get("usermeta", {}).get("legendEntry", width)
    room = max(width - LEGEND_EDGE, LEGEND_FRAME * 2)
    columns = max(1, room // entry)
    look = {
        key: dict(value) if isinstance(value, dict) else value
        for key, value in spec.get("config", {}).items()
    }
    look.setdefault("legend", {})["columns"] = columns
    look["legend"]["labelLimit"] = room // columns - LEGEND_FRAME + 12
    beside = min(columns, spec.get("usermeta", {}).get("legendEntries", 1)) * entry
    if width < NARROW or (picture and LEGEND_EDGE + beside + SECOND_LEGEND > width):
        look["legend"]["layout"] = {"bottom": {"direction": "vertical", "anchor": "start"}}
    look.setdefault("axisY", {})["labelLimit"] = int(width * 0.4)
    return {**spec, "config": look, "width": width}


def themed(spec: Spec, theme: Theme) -> Spec:
    """Return the specification with every colour token replaced by the theme's colour."""
    result: Spec = _replaced(spec, theme)
    result["background"] = TOKENS[token("surface")][theme]
    return result


def _replaced(value: Any, theme: Theme) -> Any:
    if isinstance(value, str):
        return TOKENS[value][theme] if value in TOKENS else value
    if isinstance(value, dict):
        return {key: _replaced(item, theme) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_replaced(item, theme) for item in value]
    return value


def powers_of_two(low: float, high: float) -> list[int]:
    """Return the powers of two from `low` to `high`: ticks for accelerator counts.

    >>> powers_of_two(3, 70)
    [4, 8, 16, 32, 64]
    """
    first = max(0, math.ceil(math.log2(low))) if low > 0 else 0
    last = math.floor(math.log2(high)) if high > 0 else -1
    return [2**power for power in range(first, last + 1)]


def decimal_ticks(low: float, high: float) -> list[float]:
    """Return 1, 2 and 5 times powers of ten from `low` to `high`, tens alone when many.

    >>> decimal_ticks(0.4, 30)
    [0.5, 1.0, 2.0, 5.0, 10.0, 20.0]
    """
    if low <= 0 or high <= 0:
        return []
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if len(decades) <= 5 else (1,)
    ticks = [step * 10.0**power for power in decades for step in steps]
    return [round(tick, 12) for tick in ticks if low <= tick <= high]


def positive_range(values: Iterable[float | None]) -> tuple[float, float]:
    """Return the least and greatest positive value, (1, 10) when there is none."""
    kept = [value for value in values if value is not None and value > 0]
    return (min(kept), max(kept)) if kept else (1.0, 10.0)


def count_axis(values: Iterable[float | None], *, title: str = "Accelerators") -> Spec:
    """Return the x channel of accelerator counts: log scale, powers of two as ticks."""
    low, high = positive_range(values)
    ticks = powers_of_two(low / LEAST_SPAN, high * LEAST_SPAN)
    return {
        "type": "quantitative",
        "title": title,
        "scale": {
            "type": "log",
            "base": 2,
            "domain": [low / LEAST_SPAN, high * LEAST_SPAN],
            "nice": False,
        },
        "axis": {"values": ticks, "format": ",d", "labelFlush": False},
    }


def log_axis(values: Iterable[float | None], *, title: str) -> Spec:
    """Return a channel with a log scale and ticks at 1, 2 and 5 times powers of ten."""
    low, high = positive_range(values)
    low, high = low / LEAST_SPAN, high * LEAST_SPAN
    return {
        "type": "quantitative",
        "title": title,
        "scale": {"type": "log", "base": 10, "domain": [low, high], "nice": False},
        "axis": {"values": decimal_ticks(low, high), "format": ",~r"},
    }


def tooltip(*fields: tuple[str, str] | tuple[str, str, str]) -> list[Spec]:
    """Return the tooltip channel: (field, title) for text, (field, title, format) for numbers."""
    entries: list[Spec] = []
    for entry in fields:
        shown: Spec = {"field": entry[0], "title": entry[1], "type": "nominal"}
        if len(entry) == 3:
            shown |= {"format": entry[2], "type": "quantitative"}
        entries.append(shown)
    return entries


def known(field: str) -> Spec:
    """Return the transform that leaves out the rows where a field is missing."""
    return {"filter": {"field": field, "valid": True}}


def nominal_scale(names: Sequence[str], styles: Sequence[tuple[str, str]]) -> tuple[Spec, Spec]:
    """Return colour and shape scale with the same names, so that one legend shows both."""
    colours = {"domain": list(names), "range": [colour for colour, _ in styles]}
    shapes = {"domain": list(names), "range": [shape for _, shape in styles]}
    return colours, shapes


def dash_channel(*, title: str | None = "Line") -> Spec:
    """Return the channel that draws what is fitted solid and what is extrapolated dashed."""
    return {
        "field": "part",
        "type": "nominal",
        "title": title,
        "scale": {"domain": [FITTED, EXTRAPOLATED], "range": [list(SOLID), list(DASHED)]},
        "legend": {"symbolType": "stroke", "symbolStrokeColor": token("ink"), "symbolSize": 500},
    }


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return a count with its noun.

    >>> counted(1, "curve"), counted(1200, "curve")
    ('1 curve', '1,200 curves')
    """
    return f"{number:,d} {one if number == 1 else many or one + 's'}"
