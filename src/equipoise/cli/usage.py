"""Usage problems as the option parser reports them, whatever parser Typer stands on."""

import re
from difflib import get_close_matches
from typing import Any

import typer

_PARENTS = {cls.__name__: cls for cls in typer.BadParameter.__mro__}

UsageProblem: Any = _PARENTS["ClickException"]
"""Base of every parser error; Typer brings its own copy of click from 0.20 on."""


def usage_text(problem: Any) -> str:
    """Return what is wrong in one line, with the command whose help says more."""
    context = getattr(problem, "ctx", None)
    command = context.command_path if context is not None else "equipoise"
    text = problem.format_message().rstrip(".")
    return f"{text}{_nearest(problem, context)}; see `{command} --help`"


def _nearest(problem: Any, context: Any) -> str:
    """Return the nearest commands to one that does not exist."""
    found = re.match(r"No such command '(.*)'$", problem.format_message().rstrip("."))
    if found is None or context is None or "Did you mean" in problem.format_message():
        return ""
    near = get_close_matches(found[1], context.command.list_commands(context), n=2)
    return f", did you mean {' or '.join(repr(name) for name in near)}?" if near else ""
