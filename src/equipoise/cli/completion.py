"""Completion in the shell: the script it needs, and names that can be completed."""

from typing import Final

SHELLS: Final = ("bash", "zsh", "fish")
VARIABLE: Final = "_EQUIPOISE_COMPLETE"
"""Set by the script of the shell when it asks what could come next."""


def completion_script(shell: str) -> str:
    """Return what the start-up file of a shell must run."""
    import click
    from click.shell_completion import get_completion_class

    maker = get_completion_class(shell)
    if maker is None:
        raise LookupError(shell)
    return maker(click.Group(), {}, "equipoise", VARIABLE).source()


def benchmarks() -> list[str]:
    """Return the ids of all benchmarks."""
    from equipoise import facts

    return [item.id for item in facts.benchmarks()]


def rounds() -> list[str]:
    """Return the names of the published rounds."""
    from equipoise import facts

    return [item.name for item in facts.rounds() if item.published]


def accelerators() -> list[str]:
    """Return ids and families of all accelerators."""
    from equipoise import facts

    found = facts.accelerators()
    return sorted({item.id for item in found} | {item.family for item in found if item.family})
