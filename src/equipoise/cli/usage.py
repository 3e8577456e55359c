"""Usage problems as the option parser reports them, in one line."""

import re
from difflib import get_close_matches

import click


def usage_text(problem: click.ClickException) -> str:
    """Return what is wrong in one line, with the command whose help says more."""
    context: click.Context | None = getattr(problem, "ctx", None)
    command = context.command_path if context is not None else "equipoise"
    text = " ".join(problem.format_message().split()).rstrip(".")
    return f"{text}; {_nearest(text, context) or 'see'} `{command} --help`"


def _nearest(text: str, context: click.Context | None) -> str:
    """Return the nearest commands to one that does not exist."""
    found = re.match(r"No such command '(.*?)'", text)
    if found is None or context is None or "Did you mean" in text:
        return ""
    group = context.command
    names = group.list_commands(context) if isinstance(group, click.Group) else []
    near = get_close_matches(found[1], names, n=2)
    return f"did you mean {' or '.join(repr(name) for name in near)}? See" if near else ""
