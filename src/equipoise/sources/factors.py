"""Read `scaling.json`: the factor by which MLCommons lengthens the time of a configuration.

A result that converged sooner than the reference is multiplied by a factor a little above
1 (at most 1.19 in the rounds up to v5.1). A factor that is none leaves the configuration
without a score, as the time without it would be wrong; a strange one is applied and said.
"""

from collections.abc import Mapping
from typing import Any, Final

from equipoise.errors import locate
from equipoise.sources.jsontext import NotJsonError, line_of, load_loose, short
from equipoise.sources.logs import number
from equipoise.structs import dataclass

NAME: Final = "scaling_factor"
LEAST_USUAL: Final = 1.0
MOST_USUAL: Final = 10.0
_REMEDY: Final = f'write {{"{NAME}": 1.05}}, or remove the file for a factor of 1'


@dataclass(frozen=True, slots=True, kw_only=True)
class Factor:
    """What one file says."""

    value: float | None = None
    """None where it tells no factor above 0."""
    warnings: tuple[str, ...] = ()
    """With path and line."""
    problem: str | None = None
    """Why there is no factor, and what to do."""
    line: int | None = None
    """Line of the problem."""


NO_SCALING: Final = Factor(value=1.0)
"""Where there is no such file."""


def read_factor(data: bytes, path: str) -> Factor:
    r"""Return the factor that a scaling file gives.

    >>> read_factor(b'{"scaling_factor": 1.05}', "p").value
    1.05
    >>> read_factor(b'{\n"scaling_factor": -1}', "p").line
    2
    """
    try:
        loose = load_loose(data)
    except NotJsonError as error:
        return Factor(problem=f"{error.reason}; {_REMEDY}", line=error.line)
    warnings = [locate(text, path, line) for line, text in loose.warnings]
    line = line_of(data, f'"{NAME}"')
    value: Any = loose.value.get(NAME) if isinstance(loose.value, Mapping) else None
    factor = number(value)
    if factor is None or factor <= 0:
        there = isinstance(loose.value, Mapping) and NAME in loose.value
        what = f"{NAME} {short(value)} is not a number above 0" if there else f"has no {NAME}"
        return Factor(warnings=tuple(warnings), problem=f"{what}; {_REMEDY}", line=line)
    if not LEAST_USUAL <= factor <= MOST_USUAL:
        text = (
            f"{NAME} {factor:g} is strange (usual is {LEAST_USUAL:g} to {MOST_USUAL:g}); "
            "it is applied"
        )
        warnings.append(locate(text, path, line))
    return Factor(value=factor, warnings=tuple(warnings))
