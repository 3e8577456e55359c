"""Colours and shapes: told apart by colour-blind eyes, the same for an accelerator everywhere.

Charts carry colour tokens, `var(--eq-c1)` and so on. A page defines them once for its light
and once for its dark theme; an exported picture has them replaced by the theme's own colours.
"""

from collections.abc import Iterable, Sequence
from typing import Final, Literal
from zlib import crc32

Theme = Literal["light", "dark"]
THEMES: Final[tuple[Theme, ...]] = ("light", "dark")

SERIES: Final = tuple(f"c{i}" for i in range(1, 9))
COLOURS: Final[dict[str, dict[Theme, str]]] = {
    "c1": {"light": "#5575da", "dark": "#519bcf"},
    "c2": {"light": "#af3704", "dark": "#c36581"},
    "c3": {"light": "#b88a3d", "dark": "#eae50f"},
    "c4": {"light": "#1ca291", "dark": "#8dc5ba"},
    "c5": {"light": "#500ba1", "dark": "#9067fc"},
    "c6": {"light": "#7a0d5e", "dark": "#fcb3fb"},
    "c7": {"light": "#366d65", "dark": "#c3f5de"},
    "c8": {"light": "#4f2a1e", "dark": "#e59854"},
    "other": {"light": "#8a93a0", "dark": "#76808d"},
    "ink": {"light": "#17202b", "dark": "#e8edf3"},
    "muted": {"light": "#566270", "dark": "#a3afbd"},
    "grid": {"light": "#e4e8ed", "dark": "#2b333d"},
    "surface": {"light": "#ffffff", "dark": "#12171e"},
    "accent": {"light": "#1c5fc4", "dark": "#6ea8ff"},
}
"""Token -> colour in each theme. The series were chosen by a search that kept the least
distance under normal, protan, deutan and tritan sight (Machado et al. 2009) as large as it
could at 3:1 contrast (dark: 4.5:1) with the surface; shapes tell apart what is still close."""


def token(name: str) -> str:
    """Return the colour token of a name.

    >>> token("c1")
    'var(--eq-c1)'
    """
    if name not in COLOURS:
        raise KeyError(name)
    return f"var(--eq-{name})"


TOKENS: Final = {token(name): colours for name, colours in COLOURS.items()}

SHAPES: Final[dict[str, str]] = {
    "circle": "circle",
    "square": "square",
    "diamond": "diamond",
    "cross": "cross",
    "up": "triangle-up",
    "down": "triangle-down",
    "left": "triangle-left",
    "right": "triangle-right",
    "hexagon": "M0,-0.9L0.78,-0.45L0.78,0.45L0,0.9L-0.78,0.45L-0.78,-0.45Z",
    "star": (
        "M0,-1L0.24,-0.32L0.95,-0.31L0.38,0.12L0.59,0.81"
        "L0,0.4L-0.59,0.81L-0.38,0.12L-0.95,-0.31L-0.24,-0.32Z"
    ),
    "x": (
        "M-0.8,-0.45L-0.45,-0.8L0,-0.35L0.45,-0.8L0.8,-0.45L0.35,0L0.8,0.45"
        "L0.45,0.8L0,0.35L-0.45,0.8L-0.8,0.45L-0.35,0Z"
    ),
    "bar": "M-0.3,-0.95L0.3,-0.95L0.3,0.95L-0.3,0.95Z",
}

_BY_SHAPE: Final[dict[str, dict[str, str]]] = {
    # NVIDIA on a board of several (SXM)
    "circle": {
        "v100-sxm2-16gb": "c6",
        "v100-sxm2-32gb": "c7",
        "a100-sxm4-40gb": "c4",
        "a100-sxm4-80gb": "c3",
        "h100-sxm5-80gb": "c1",
        "h200-sxm5-141gb": "c5",
        "b200-sxm-180gb": "c2",
        "b300-sxm-270gb": "c8",
    },
    "hexagon": {"v100-sxm3-32gb": "c5", "h100-sxm5-96gb": "c6"},
    # with a host processor on the same module
    "diamond": {
        "gh200-96gb": "c5",
        "gh200-144gb": "c7",
        "gb200": "c8",
        "gb300": "c4",
        "rubin": "c1",
    },
    # cards
    "square": {
        "a100-pcie-40gb": "c8",
        "a100-pcie-80gb": "c6",
        "h100-pcie-80gb": "c4",
        "h100-nvl-94gb": "c7",
        "h200-nvl-141gb": "c5",
        "l40s-pcie-48gb": "c3",
        "a30-pcie-24gb": "c2",
        "v100-pcie-32gb": "c1",
    },
    "x": {
        "v100-pcie-16gb": "c4",
        "v100s-pcie-32gb": "c1",
        "t4-pcie-16gb": "c5",
        "a40-pcie-48gb": "c8",
        "a10-pcie-24gb": "c2",
        "a10g-24gb": "c6",
        "l4-pcie-24gb": "c3",
        "l40-pcie-48gb": "c7",
    },
    "star": {
        "rtx-4090-24gb": "c5",
        "rtx-pro-6000-blackwell-server-96gb": "c2",
        "rtx-a5000-24gb": "c4",
    },
    "up": {
        "mi300x": "c6",
        "mi325x": "c7",
        "mi350x": "c1",
        "mi355x": "c2",
        "mi455x": "c4",
        "radeon-rx-7900-xtx": "c3",
    },
    "down": {
        "tpu-v2": "c5",
        "tpu-v3": "c2",
        "tpu-v4": "c7",
        "tpu-v5e": "c1",
        "tpu-v5p": "c4",
        "tpu-v6e": "c6",
        "tpu-v7x": "c8",
    },
    "cross": {"gaudi": "c5", "gaudi2": "c3", "gaudi3": "c2"},
    "right": {"graphcore-gc200": "c1", "graphcore-bow": "c6"},
    "left": {"ascend-910": "c8", "ascend-910-pro-a": "c1", "ascend-910-premium-a": "c3"},
    "bar": {"intel-xeon-cpu": "c1"},
}

ACCELERATOR_STYLES: Final[dict[str, tuple[str, str]]] = {
    accelerator: (colour, shape)
    for shape, colours in _BY_SHAPE.items()
    for accelerator, colour in colours.items()
}
"""Accelerator id -> (colour name, shape name); no two share both. Colours of different shapes
were dealt out so that those that often stand in the same comparison differ most."""

_DASHES: Final[dict[str, tuple[int, ...]]] = {
    "circle": (1, 0),
    "square": (8, 3),
    "down": (2, 3),
    "up": (8, 3, 2, 3),
    "diamond": (5, 2),
    "hexagon": (12, 3),
    "cross": (4, 4),
    "x": (3, 2),
    "right": (10, 2, 2, 2, 2, 2),
    "left": (6, 2, 2, 2, 2, 2),
}
"""Shape -> dashes of its lines: who has the colour of another still has other dashes."""

NO_ACCELERATOR: Final = "not identified"
OTHER: Final = "other"


def accelerator_style(accelerator_id: str) -> tuple[str, str]:
    """Return colour token and Vega shape of an accelerator, the same in every chart.

    An id that is not in the list gets a colour and shape from its name.

    >>> accelerator_style("h100-sxm5-80gb")
    ('var(--eq-c1)', 'circle')
    """
    if accelerator_id in (NO_ACCELERATOR, OTHER):
        return token("other"), SHAPES["circle"]
    if accelerator_id in ACCELERATOR_STYLES:
        colour, shape = ACCELERATOR_STYLES[accelerator_id]
        return token(colour), SHAPES[shape]
    place = crc32(accelerator_id.encode("utf-8", "surrogatepass"))
    shapes = list(SHAPES.values())
    return token(SERIES[place % len(SERIES)]), shapes[place // len(SERIES) % len(shapes)]


def accelerator_dash(accelerator_id: str) -> tuple[int, ...]:
    """Return the dashes of the lines of an accelerator: those of its shape.

    >>> accelerator_dash("h100-sxm5-80gb"), accelerator_dash("tpu-v3")
    ((1, 0), (2, 3))
    """
    _, shape = ACCELERATOR_STYLES.get(accelerator_id, ("", "circle"))
    return _DASHES.get(shape, (4, 2))


def named_styles(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return colour token and shape for submitters and the like, as steady as can be.

    A name keeps the place that its letters give it; only a clash inside one chart moves the
    later one to the next free place.
    """
    shapes = list(SHAPES.values())
    places: dict[str, int] = {}
    taken: set[int] = set()
    for name in sorted(set(names) - {OTHER}):
        place = crc32(name.encode("utf-8", "surrogatepass")) % len(SERIES)
        tries = 0
        while place in taken and tries < len(SERIES) * len(shapes):
            place, tries = (place + 1) % (len(SERIES) * len(shapes)), tries + 1
        taken.add(place)
        places[name] = place
    return [
        (token("other"), "circle")
        if name == OTHER
        else (token(SERIES[places[name] % len(SERIES)]), shapes[places[name] // len(SERIES)])
        for name in names
    ]


def numbered_styles(count: int) -> list[tuple[str, str]]:
    """Return colour token and shape of the groups 1 to `count`."""
    shapes = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"]
    return [(token(SERIES[i % len(SERIES)]), shapes[i % len(shapes)]) for i in range(count)]


def commonest(names: Iterable[str], limit: int) -> set[str]:
    """Return the `limit` most frequent names; ties go by the alphabet."""
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return set(sorted(counts, key=lambda name: (-counts[name], name))[:limit])
