"""Which two configurations a comparison is about."""

from typing import TYPE_CHECKING

from equipoise import facts
from equipoise.domain import UNVERIFIED_DIVISION, Configuration
from equipoise.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence


def accelerators_named(text: str) -> tuple[str, ...]:
    """Return the ids that a text names as an id, family or vendor; empty for any other name.

    A name of a system often holds a spelling of its accelerator and means the system.

    >>> accelerators_named("H200"), accelerators_named("XE9680x8H200")
    (('h200-sxm5-141gb', 'h200-nvl-141gb'), ())
    """
    wanted = text.strip().casefold()
    return tuple(
        one.id
        for one in facts.accelerators()
        if wanted in {one.id, (one.family or "").casefold(), (one.vendor or "").casefold()}
    )


def like_pair(
    pool: "Sequence[Configuration]", a: str, b: str
) -> tuple[Configuration, Configuration] | None:
    """Return the best results of two accelerators in one round at the largest count both have.

    The newest round counts first; None when the texts do not both name accelerators.

    Raises
    ------
    UsageError
        No round has both at one count.
    """
    from equipoise.advise.same_count import best_pairs

    named = accelerators_named(a), accelerators_named(b)
    if not all(named):
        return None
    verified = [c for c in pool if c.division != UNVERIFIED_DIVISION]
    closed = [c for c in verified if c.division == "closed"] or verified
    pairs = [
        pair
        for one in named[0]
        for other in named[1]
        if one != other
        for pair in best_pairs(closed, one, other)
    ]
    if not pairs:
        raise UsageError(
            f"no round has results of {a} and {b} at the same number of accelerators; name two "
            "configurations, or compare predictions: equipoise predict"
        )
    return max(pairs, key=lambda p: (facts.round_index(p[0].round), p[0].accelerators))
