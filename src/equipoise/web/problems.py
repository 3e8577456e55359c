"""Errors as `application/problem+json` (RFC 9457): what, where, and what to do."""

from http import HTTPStatus
from typing import Any, Final

from equipoise.errors import (
    CatalogueError,
    DataError,
    EquipoiseError,
    NothingFoundError,
    UnknownNameError,
    UsageError,
)

KINDS: Final = "/methods#problem-"
MOST_CHOICES: Final = 60


def problem_of(error: Exception) -> dict[str, Any]:
    """Return the members of the problem that an error is.

    400 the query is malformed; 422 it cannot be answered as it stands (unknown names, rounds
    that may not be compared, too little data); 404 nothing satisfies it; 500 anything else.
    """
    from equipoise.web.query import BadQueryError

    if isinstance(error, BadQueryError):
        listed = [{"parameter": name, "reason": reason} for name, reason in error.problems]
        return problem(400, "malformed", str(error), parameters=listed)
    if isinstance(error, UnknownNameError):
        choices = list(error.choices[:MOST_CHOICES])
        return problem(422, "unknown-name", str(error), name=error.name, choices=choices)
    if isinstance(error, UsageError):
        return problem(422, "impossible", str(error))
    if isinstance(error, NothingFoundError):
        return problem(404, "nothing-found", str(error))
    if isinstance(error, CatalogueError):
        return problem(500, "catalogue", str(error))
    if isinstance(error, DataError):
        return problem(422, "too-little-data", str(error))
    if isinstance(error, EquipoiseError):
        return problem(500, "failed", str(error))
    return problem(500, "unexpected", "an unexpected error; the log of the server says more")


TITLES: Final = {
    "malformed": "The query is malformed",
    "unknown-name": "A name is not known",
    "impossible": "The question cannot be answered as it stands",
    "nothing-found": "Nothing satisfies the request",
    "too-little-data": "There is too little data for this",
    "catalogue": "The catalogue cannot be read",
    "failed": "It did not work",
    "unexpected": "Something went wrong here",
    "not-found": "There is no such page",
    "method": "Only reading is possible",
    "host": "This name of the server is not allowed",
    "too-long": "The address is too long",
    "busy": "Still computing",
}
"""Kind of problem -> heading."""


def problem(status: int, kind: str, detail: str, **more: Any) -> dict[str, Any]:
    """Return the members of a problem document."""
    return {
        "type": f"{KINDS}{kind}",
        "title": TITLES.get(kind) or HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        **more,
    }
