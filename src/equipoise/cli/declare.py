"""Options and arguments as annotations of functions, and what the parser makes of them."""

import inspect
from collections.abc import Callable
from copy import copy
from dataclasses import field
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

import click
from click.shell_completion import CompletionItem

from equipoise.structs import dataclass

Names = Callable[[], list[str]]
NAMES = "{names}"
"""In a help text: the names that the option takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """What the help says about a value without a name, and what the shell may complete."""

    help: str
    metavar: str
    names: Names | None = None


@dataclass(frozen=True, slots=True)
class Option:
    """The names of an option, its help, its limits and the section of the help it stands in.

    `{names}` in the help stands for what `names` returns, which is asked when a page is shown.
    """

    name: str
    short: str | None = field(default=None)
    help: str = field(default="", kw_only=True)
    metavar: str | None = field(default=None, kw_only=True)
    min: float | None = field(default=None, kw_only=True)
    max: float | None = field(default=None, kw_only=True)
    envvar: str | None = field(default=None, kw_only=True)
    section: str | None = field(default=None, kw_only=True)
    names: Names | None = field(default=None, kw_only=True)


class SectionedOption(click.Option):
    """An option that knows the section of the help it stands in, and the names it takes."""

    def __init__(
        self,
        *arguments: Any,
        section: str | None = None,
        names: Names | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(*arguments, **settings)
        self.section = section
        self.names = names

    def described(self) -> str:
        """Return the help with the names in it; they are in registries that load slowly."""
        text = self.help or ""
        return text.format(names=_listed(self.names())) if self.names and NAMES in text else text

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the two columns of the help page."""
        shown = copy(self)
        shown.help = self.described()
        return super(SectionedOption, shown).get_help_record(ctx)


class DescribedArgument(click.Argument):
    """An argument with a help text."""

    def __init__(self, *arguments: Any, description: str, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.description = description


def parameter(given: inspect.Parameter) -> click.Parameter:
    """Return the parser's parameter for one of a function.

    Its annotation is `Annotated[type, Option(...)]` or `Annotated[type, Argument(...)]`,
    where type is a str, int, float, bool, path, enumeration of strings or a list of them.
    """
    annotation, declared = get_args(given.annotation)
    base, many = _base(annotation)
    required = given.default is inspect.Parameter.empty
    settings: dict[str, Any] = {
        "type": _type(base, declared),
        "required": required,
        "shell_complete": _completer(declared.names),
    }
    if not many:
        settings["callback"] = _enumerated(base)
    if isinstance(declared, Argument):
        return DescribedArgument(
            [given.name],
            nargs=-1 if many else 1,
            metavar=declared.metavar,
            description=declared.help,
            **settings,
        )
    if not required and given.default is not None:
        settings["default"] = getattr(given.default, "value", given.default)
        settings["show_default"] = base is not bool
    return SectionedOption(
        [given.name, declared.name, *([declared.short] if declared.short else ())],
        multiple=many,
        is_flag=True if base is bool else None,
        metavar=declared.metavar or _metavar(base),
        envvar=declared.envvar,
        show_envvar=declared.envvar is not None,
        help=declared.help,
        section=declared.section,
        names=declared.names,
        **settings,
    )


def _base(annotation: Any) -> tuple[Any, bool]:
    """Return the type of one value, and whether there may be many."""
    if get_origin(annotation) in (Union, UnionType):
        annotation = next(part for part in get_args(annotation) if part is not NoneType)
    if get_origin(annotation) is list:
        return get_args(annotation)[0], True
    return annotation, False


def _type(base: Any, declared: Argument | Option) -> Any:
    low, high = getattr(declared, "min", None), getattr(declared, "max", None)
    if base is bool:
        return None
    if issubclass(base, Enum):
        return click.Choice([item.value for item in base])
    if base is Path:
        return click.Path(path_type=Path)
    if base is int and (low is not None or high is not None):
        return click.IntRange(low, high)
    if base is float and (low is not None or high is not None):
        return click.FloatRange(low, high)
    return base


def _metavar(base: Any) -> str | None:
    return {str: "TEXT", int: "N", float: "X", Path: "PATH"}.get(base)


def _enumerated(base: Any) -> Callable[[Any, Any, Any], Any] | None:
    if base is bool or not issubclass(base, Enum):
        return None
    return lambda _context, _parameter, value: value if value is None else base(value)


def _listed(names: list[str]) -> str:
    """Return names as they are said: `a, b or c`."""
    return " or ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def _completer(names: Names | None) -> Any:
    if names is None:
        return None

    def complete(_context: Any, _parameter: Any, started: str) -> list[CompletionItem]:
        return [CompletionItem(name) for name in names() if name.startswith(started)]

    return complete
