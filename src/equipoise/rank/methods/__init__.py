"""Ranking methods, one file each; the registry maps a name to its one object."""

from equipoise.errors import UnknownNameError
from equipoise.rank.methods import promethee, spotis, topsis, vikor, waspas
from equipoise.rank.methods.base import Method

METHODS: dict[str, Method] = {
    module.METHOD.name: module.METHOD for module in (topsis, vikor, promethee, waspas, spotis)
}
"""Name -> method; the first one is the default."""

_ALIASES = {"promethee2": "promethee", "prometheeii": "promethee"}


def method_named(name: str) -> Method:
    """Return the method called `name` in any case; raises UnknownNameError otherwise.

    >>> method_named("PROMETHEE II").title
    'PROMETHEE II'
    """
    key = "".join(c for c in name.lower() if c.isalnum())
    found = METHODS.get(_ALIASES.get(key, key))
    if found is None:
        raise UnknownNameError("ranking method", name, METHODS)
    return found


__all__ = ["METHODS", "Method", "method_named"]
