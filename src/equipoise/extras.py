"""Packages that only some answers need: which extra brings them, and what to say without."""

from collections.abc import Mapping
from importlib.util import find_spec
from types import MappingProxyType
from typing import Final

from equipoise.errors import UsageError

EXTRAS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "charts": ("altair", "vl_convert"),
        "frames": ("polars",),
        "web": ("fastapi", "uvicorn", "xlsxwriter", "vl_convert"),
        "cluster": ("distributed", "fsspec", "pyarrow"),
        "baselines": ("sklearn",),
        "remote": ("fsspec",),
    }
)
"""What each extra of the package brings, by the names that are imported."""

_DISTRIBUTIONS: Final = MappingProxyType(
    {"vl_convert": "vl-convert-python", "sklearn": "scikit-learn"}
)


class MissingExtraError(UsageError):
    """The request needs an extra that is not installed: the message has the command."""

    def __init__(self, what: str, extra: str, missing: tuple[str, ...]) -> None:
        self.extra, self.missing = extra, missing
        verb = "is" if len(missing) == 1 else "are"
        super().__init__(
            f"{what} needs {', '.join(missing)}, which {verb} not installed; "
            f"install the extra with: pip install 'equipoise[{extra}]'"
        )


def need(extra: str, what: str, *packages: str) -> None:
    """Do nothing when the packages of an extra are there.

    Parameters
    ----------
    extra
        Its name.
    what
        What is asked for, to begin the message with.
    packages
        The ones that are needed, by the names that are imported; all of the extra without.

    Raises
    ------
    MissingExtraError
        One is not installed.
    """
    missing = tuple(name for name in packages or EXTRAS[extra] if not _there(name))
    if missing:
        names = tuple(_DISTRIBUTIONS.get(name, name) for name in missing)
        raise MissingExtraError(what, extra, names)


def _there(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):
        return False
