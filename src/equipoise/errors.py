"""The exception tree; every docstring says what the caller does about it."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches


class EquipoiseError(Exception):
    """Anything equipoise raises on purpose: show the text, it needs no traceback."""

    exit_code: int = 1


class UsageError(EquipoiseError):
    """The request cannot be understood: correct the option or the name."""

    exit_code = 2


class UnknownNameError(UsageError):
    """A name is not in its registry: pick one of the choices in the message."""

    def __init__(self, kind: str, name: str, choices: Iterable[str]) -> None:
        self.kind, self.name = kind, name
        self.choices: Sequence[str] = sorted(choices)
        super().__init__(unknown_name_text(kind, name, self.choices))


class DataError(EquipoiseError):
    """The data cannot be used: the message names file, line and remedy."""

    def __init__(self, reason: str, *, path: str | None = None, line: int | None = None) -> None:
        self.reason, self.path, self.line = reason, path, line
        super().__init__(locate(reason, path, line))


class SourceError(DataError):
    """A source cannot be opened or read at all: check the path or the archive."""


class CatalogueError(DataError):
    """A catalogue is missing, damaged or of another version: rebuild or repoint it."""


class TooFewPointsError(DataError):
    """A law or a method needs more points than there are: the message has the count."""


class NothingFoundError(EquipoiseError):
    """No configuration satisfies the request: relax the selection or constraint."""

    exit_code = 3


def locate(reason: str, path: str | None, line: int | None) -> str:
    """Return `path:line: reason` with control characters of the path escaped.

    >>> locate("no run_stop", "a/b.txt", 3)
    'a/b.txt:3: no run_stop'
    """
    if path is None:
        return reason
    place = printable(path) if line is None else f"{printable(path)}:{line}"
    return f"{place}: {reason}"


def printable(text: str) -> str:
    r"""Return text with control and undecodable characters escaped, safe for a terminal.

    >>> printable("a\nb\x1b[31m")
    'a\\nb\\x1b[31m'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


MOST_CHOICES = 40
"""Names that a message lists at most."""


def unknown_name_text(kind: str, name: str, choices: Sequence[str]) -> str:
    """Return the message for a misspelt name, nearest choices first.

    Of a long list with near ones only these are said.

    >>> unknown_name_text("benchmark", "resnt", ["bert", "resnet"])
    "unknown benchmark 'resnt'; did you mean 'resnet'? choices: bert, resnet"
    """
    # Of names that differ in case alone the capital one is said, which sorts first.
    lowered = {choice.lower(): choice for choice in sorted(choices, reverse=True)}
    near = [lowered[c] for c in get_close_matches(name.lower(), lowered, n=3, cutoff=0.6)]
    hint = f"; did you mean {' or '.join(repr(c) for c in near)}?" if near else ";"
    if near and len(choices) > MOST_CHOICES:
        return f"unknown {kind} '{printable(name)}'{hint}"
    listed = ", ".join(choices[:MOST_CHOICES]) + (", ..." if len(choices) > MOST_CHOICES else "")
    return f"unknown {kind} '{printable(name)}'{hint} choices: {listed or 'none'}"
