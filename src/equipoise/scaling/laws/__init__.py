"""Scaling laws, one file each; `LAWS` is the registry."""

from collections.abc import Iterable
from types import MappingProxyType
from typing import Final

from equipoise.errors import UnknownNameError
from equipoise.scaling.laws.amdahl import AMDAHL
from equipoise.scaling.laws.base import Law, ParameterForm
from equipoise.scaling.laws.communication import COMMUNICATION
from equipoise.scaling.laws.ernest import ERNEST
from equipoise.scaling.laws.gustafson import GUSTAFSON
from equipoise.scaling.laws.linear import LINEAR
from equipoise.scaling.laws.power import POWER
from equipoise.scaling.laws.usl import USL

LAWS: Final = MappingProxyType(
    {law.name: law for law in (LINEAR, POWER, AMDAHL, GUSTAFSON, USL, ERNEST, COMMUNICATION)}
)

__all__ = ["LAWS", "Law", "ParameterForm", "law_named", "laws_named"]


def law_named(name: str) -> Law:
    """Return the law of that name.

    Raises
    ------
    UnknownNameError
        With the nearest choices.

    Examples
    --------
    >>> law_named("usl").formula
    't(n) = T1 (1 + alpha (n - 1) + beta n (n - 1)) / n'
    """
    law = LAWS.get(name.strip().lower())
    if law is None:
        raise UnknownNameError("scaling law", name, LAWS)
    return law


def laws_named(names: Iterable[str] | None) -> tuple[Law, ...]:
    """Return the laws of these names, all of them for None."""
    return tuple(LAWS.values()) if names is None else tuple(law_named(name) for name in names)
