"""Usage problems as the option parser reports them, whatever parser Typer stands on."""

from typing import Any

import typer

_PARENTS = {cls.__name__: cls for cls in typer.BadParameter.__mro__}

UsageProblem: Any = _PARENTS["ClickException"]
"""Base of every parser error; Typer brings its own copy of click from 0.20 on."""


def usage_text(problem: Any) -> str:
    """Return what is wrong in one line, with the command whose help says more."""
    context = getattr(problem, "ctx", None)
    command = context.command_path if context is not None else "equipoise"
    return f"{problem.format_message().rstrip('.')}; see `{command} --help`"
