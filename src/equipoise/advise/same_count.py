"""Two accelerators at the same count: the best published times of one round."""

from collections.abc import Sequence

from equipoise import facts
from equipoise.domain import Configuration
from equipoise.structs import dataclass
from equipoise.units import figure


@dataclass(frozen=True, slots=True, kw_only=True)
class SameCount:
    """The best times of two accelerators at one count, in the newest round that has both."""

    accelerators: int
    round: str
    time_a_min: float
    time_b_min: float
    time_ratio: float
    submitter_a: str
    submitter_b: str


def best_pairs(
    pool: Sequence[Configuration], first: str, second: str
) -> tuple[tuple[Configuration, Configuration], ...]:
    """Return the fastest of both accelerators at every count, of the newest round that has both.

    Two rounds are never mixed: software would be taken for hardware.
    """
    best: dict[tuple[int, int, str], Configuration] = {}
    for c in pool:
        if c.accelerators > 0 and c.accelerator_id in (first, second):
            place = (c.accelerators, facts.round_index(c.round), c.accelerator_id)
            known = best.get(place)
            if known is None or c.time_to_train_min < known.time_to_train_min:
                best[place] = c
    newest: dict[int, tuple[Configuration, Configuration]] = {}
    for n, at, name in sorted(best):
        other = best.get((n, at, second))
        if name == first and other is not None:
            newest[n] = (best[n, at, first], other)
    return tuple(newest[n] for n in sorted(newest))


def same_count(
    pool: Sequence[Configuration], a: Configuration, b: Configuration
) -> tuple[SameCount, ...]:
    """Return how the accelerators of two configurations compare at equal counts."""
    first, second = a.accelerator_id, b.accelerator_id
    if first is None or second is None or first == second:
        return ()
    block = facts.block_of(a.benchmark, a.round)
    inside = [c for c in pool if facts.block_of(c.benchmark, c.round) == block]
    return tuple(
        SameCount(
            accelerators=one.accelerators,
            round=one.round,
            time_a_min=one.time_to_train_min,
            time_b_min=other.time_to_train_min,
            time_ratio=one.time_to_train_min / other.time_to_train_min,
            submitter_a=one.submitter,
            submitter_b=other.submitter,
        )
        for one, other in best_pairs(inside, first, second)
    )


def same_count_words(rows: Sequence[SameCount], a: Configuration, b: Configuration) -> str:
    """Return the sentence about the equal count nearest to that of A, empty where none helps."""
    if not rows or (a.accelerators == b.accelerators and a.round == b.round):
        return ""
    row = min(rows, key=lambda r: (abs(r.accelerators - a.accelerators), r.accelerators))
    return (
        f" At the same count, the best {row.accelerators} x {a.accelerator_id} of {row.round} "
        f"takes {figure(row.time_ratio)} times as long as the best {row.accelerators} x "
        f"{b.accelerator_id} ({figure(row.time_a_min)} against {figure(row.time_b_min)} min)."
    )
