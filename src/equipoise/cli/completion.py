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


def rules() -> list[str]:
    """Return the names of the break-even rules."""
    from equipoise.scaling.rules import RULES

    return list(RULES)


def clusterings() -> list[str]:
    """Return the names of the clustering methods."""
    from equipoise.cluster.methods import METHODS

    return list(METHODS)


def rankings() -> list[str]:
    """Return the names of the ranking methods."""
    from equipoise.rank.methods import METHODS

    return list(METHODS)


def weightings() -> list[str]:
    """Return the names of the weightings."""
    from equipoise.rank.weights import WEIGHTINGS

    return list(WEIGHTINGS)


def criteria() -> list[str]:
    """Return the names of the criteria."""
    from equipoise.metrics.criteria import CRITERIA

    return list(CRITERIA)


def accelerators() -> list[str]:
    """Return ids and families of all accelerators."""
    from equipoise import facts

    found = facts.accelerators()
    return sorted({item.id for item in found} | {item.family for item in found if item.family})
