"""Turn a function that returns an answer into a command with the shared options."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from equipoise.cli import options
from equipoise.cli.show import show
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Globals:
    """The options before the command."""

    catalogue: Path | None = None
    quiet: bool = False
    verbose: bool = False
    color: bool = True


def command(
    app: typer.Typer, name: str, *, selecting: bool = False, panel: str | None = None
) -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
    """Register a function as a command that shows the answer it returns.

    The function gets `catalogue` and, when `selecting`, `selection` (keyword arguments of
    a workflow function) where it names such parameters; all its other parameters become
    options of the command, beside the shared selection and output options.
    """

    def register(function: Callable[..., Answer]) -> Callable[..., Answer]:
        own = _own_parameters(function)
        wants_catalogue = "catalogue" in inspect.signature(function).parameters
        own_out = any(parameter.name == "out" for parameter in own)  # ingest: a folder

        def run(ctx: typer.Context, **given: Any) -> None:
            settings = ctx.obj or Globals()
            form = given.pop("format")
            out = None if own_out else given.pop("out")
            if selecting:
                chosen = {key: given.pop(key) for key in _SELECTION}
                given["selection"] = options.selection(**chosen)
            if wants_catalogue:
                given["catalogue"] = _open(settings)
            answer = function(**given)
            show(answer, form=form.value, out=out, settings=settings)

        _give_signature(run, own, selecting=selecting)
        run.__doc__ = function.__doc__
        app.command(name, rich_help_panel=panel)(run)
        return function

    return register


def _open(settings: Globals) -> Any:
    from equipoise.workflow.reading import open_catalogue

    return open_catalogue(settings.catalogue)


def _own_parameters(function: Callable[..., Answer]) -> list[inspect.Parameter]:
    return [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for name, parameter in inspect.signature(function).parameters.items()
        if name not in {"catalogue", "selection"}
    ]


def _give_signature(run: Any, own: list[inspect.Parameter], *, selecting: bool) -> None:
    taken = {parameter.name for parameter in own}
    shared = {**(_SELECTION if selecting else {}), **_OUTPUT}
    parameters = [
        inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context),
        *own,
        *(
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
            )
            for name, (annotation, default) in shared.items()
            if name not in taken
        ),
    ]
    run.__signature__ = inspect.Signature(parameters)
    run.__annotations__ = {p.name: p.annotation for p in parameters}
