"""Weightings, one file each; the registry maps a name to its one object."""

from equipoise.errors import UnknownNameError
from equipoise.rank.weights import critic, entropy, equal
from equipoise.rank.weights.base import Weighting
from equipoise.rank.weights.user import normalised_weights, parse_weights

WEIGHTINGS: dict[str, Weighting] = {
    module.WEIGHTING.name: module.WEIGHTING for module in (equal, entropy, critic)
}
"""Name -> weighting; the first one is the default."""

USER = "user"
"""Name that results give to weights that the user set."""


def weighting_named(name: str) -> Weighting:
    """Return the weighting called `name` in any case; raises UnknownNameError otherwise.

    >>> weighting_named("CRITIC").title
    'CRITIC'
    """
    found = WEIGHTINGS.get(name.strip().lower())
    if found is None:
        raise UnknownNameError("weighting", name, [*WEIGHTINGS, "name=w,name=w"])
    return found


__all__ = [
    "USER",
    "WEIGHTINGS",
    "Weighting",
    "normalised_weights",
    "parse_weights",
    "weighting_named",
]
