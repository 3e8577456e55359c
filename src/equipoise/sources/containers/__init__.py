"""Containers that hold a round or a part of one: `open_source` finds out which."""

from equipoise.sources.containers.limits import Limits
from equipoise.sources.containers.opening import open_source

__all__ = ["Limits", "open_source"]
