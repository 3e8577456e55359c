"""The dashboard and the HTTP interface: parse, one workflow call, show."""

from importlib.util import find_spec

NEEDED = ("fastapi", "uvicorn", "xlsxwriter")
"""Packages of the extra `web`."""


def missing_packages() -> list[str]:
    """Return the packages of the extra `web` that are not installed."""
    return [name for name in NEEDED if find_spec(name) is None]
