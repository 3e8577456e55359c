"""Containers that hold a round or a part of one: `open_source` finds out which."""

from equipoise.sources.containers.limits import Limits, limits_of
from equipoise.sources.containers.opening import open_source

__all__ = ["Limits", "limits_of", "open_source"]
