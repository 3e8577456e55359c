"""Charts that stand side by side on the same axes, so that the eye may compare them."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any, Final

from equipoise.report.figures.base import Figure, decimal_ticks, powers_of_two

AXES: Final = ("x", "y")


def on_the_same_axes(figures: Sequence[Figure]) -> tuple[Figure, ...]:
    """Return the charts with the domain of each axis wide enough for all of them."""
    specs = [deepcopy(figure.spec) for figure in figures]
    for axis in AXES:
        channels = [channel for spec in specs for channel in _scaled(spec, axis)]
        if not channels:
            continue
        low = min(channel["scale"]["domain"][0] for channel in channels)
        high = max(channel["scale"]["domain"][1] for channel in channels)
        for channel in channels:
            channel["scale"] = {**channel["scale"], "domain": [low, high]}
            if "values" in channel.get("axis", {}):
                binary = channel["scale"].get("base") == 2
                ticks = powers_of_two(low, high) if binary else decimal_ticks(low, high)
                channel["axis"] = {**channel["axis"], "values": ticks}
    return tuple(replace(f, spec=spec) for f, spec in zip(figures, specs, strict=True))


def _scaled(spec: dict[str, Any], axis: str) -> list[dict[str, Any]]:
    """Return the channels of a chart that say how far an axis reaches."""
    channels = [layer.get("encoding", {}).get(axis, {}) for layer in spec.get("layer", ())]
    return [channel for channel in channels if "domain" in channel.get("scale", {})]
