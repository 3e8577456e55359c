"""Turn a function that returns an answer into a command with the shared options."""

import inspect
from collections.abc import Callable, Container
from pathlib import Path
from typing import Any

import click

from equipoise.cli import options
from equipoise.cli.declare import parameter
from equipoise.cli.help import Command
from equipoise.structs import dataclass
from equipoise.workflow.answer import Answer

_SELECTION: dict[str, tuple[Any, Any]] = {
    "rounds": (options.Rounds, None),
    "division": (options.DivisionOption, options.Division.closed),
    "submitters": (options.Submitters, None),
    "accelerators": (options.Accelerators, None),
    "availability": (options.Availability, None),
    "min_accelerators": (options.MinAccelerators, None),
    "max_accelerators": (options.MaxAccelerators, None),
    "keep_resubmitted": (options.KeepResubmitted, False),
}
_OUTPUT: dict[str, tuple[Any, Any]] = {
    "format": (options.FormatOption, options.Format.table),
    "out": (options.Out, None),
}
_FILLED = frozenset({"catalogue", "selection", "settings"})
"""Parameters of a function that are no options of its command."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Globals:
    """The options before the command."""

    catalogue: Path | None = None
    quiet: bool = False
    verbose: bool = False
    color: bool = True


def command(name: str, function: Callable[..., Answer | None]) -> click.Command:
    """Return the command that runs a function and shows the answer it returns.

    The function gets `catalogue`, `selection` (keyword arguments of a workflow function)
    and `settings` where it names such parameters; all its others become options of the
    command, beside the shared selection and output options. One with `settings` shows
    what it does by itself.
    """
    taken = set(inspect.signature(function).parameters)
    selecting, showing = "selection" in taken, "settings" not in taken
    shared = {**(_SELECTION if selecting else {}), **(_OUTPUT if showing else {})}
    added = {key: value for key, value in shared.items() if key not in taken}

    def run(**given: Any) -> None:
        settings = click.get_current_context().obj or Globals()
        output = {key: given.pop(key) for key in _OUTPUT if key in added}
        if selecting:
            given["selection"] = options.selection(**{key: given.pop(key) for key in _SELECTION})
        if "catalogue" in taken:
            given["catalogue"] = _open(settings)
        if not showing:
            given["settings"] = settings
        answer = function(**given)
        if answer is not None:
            _show(answer, settings, **output)

    return Command(
        name,
        callback=run,
        help=inspect.cleandoc(function.__doc__ or ""),
        params=[
            *parameters_of(function, without=_FILLED),
            *(_shared(key, *added[key]) for key in added),
        ],
    )


def parameters_of(
    function: Callable[..., Any], *, without: Container[str] = ("ctx",)
) -> list[click.Parameter]:
    """Return the parser's parameters of what a function declares."""
    return [
        parameter(given)
        for name, given in inspect.signature(function).parameters.items()
        if name not in without
    ]


def _shared(name: str, annotation: Any, default: Any) -> click.Parameter:
    keyword = inspect.Parameter.KEYWORD_ONLY
    return parameter(inspect.Parameter(name, keyword, default=default, annotation=annotation))


def _show(answer: Answer, settings: Globals, *, format: Any, out: Path | None = None) -> None:  # noqa: A002
    from equipoise.cli.show import show

    show(answer, form=format.value, out=out, settings=settings)


def _open(settings: Globals) -> Any:
    from equipoise.workflow.reading import open_catalogue

    return open_catalogue(settings.catalogue)
