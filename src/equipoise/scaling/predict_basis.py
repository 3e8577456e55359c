"""What supports a prediction, in words: measured, inside a curve, beyond it, or bridged."""

from collections.abc import Sequence
from typing import Final

from equipoise import facts
from equipoise.scaling.pooled import Place, Point, PooledModel
from equipoise.scaling.pooled.coordinates import block_name, filled_in
from equipoise.structs import dataclass
from equipoise.units import figure

MEASURED: Final = "measured"
INTERPOLATED: Final = "interpolated"
EXTRAPOLATED: Final = "extrapolated"
NEW_ACCELERATOR: Final = "new_accelerator"
BASES: Final = (MEASURED, INTERPOLATED, EXTRAPOLATED, NEW_ACCELERATOR)
FAR: Final = 4
"""Counts beyond this many times the largest one seen are flagged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What supports a prediction."""

    basis: str
    kind: str
    """Which calibration applies: interpolated, extrapolated, forward, new_pair,
    new_accelerator."""
    reason: str
    far: bool
    too_small: bool
    warnings: tuple[str, ...]
    measured_min: float | None
    """Median of the submitters where this very place was measured."""


def judge(model: PooledModel, place: Place) -> Judged:
    """Return the basis of a prediction in words."""
    points = model.pool.points
    block = block_name(place.benchmark, place.round)
    of_block = [p for p in points if p.block == block]
    of_pair = [p for p in of_block if p.place.accelerator_id == place.accelerator_id]
    largest = max((p.place.accelerators for p in of_block), default=0)
    far = place.accelerators > FAR * largest
    warnings = []
    if far:
        warnings.append(
            f"{place.accelerators} accelerators is more than {FAR} times the largest count "
            f"seen for {place.benchmark} ({largest}): nothing supports this prediction"
        )
    memory = _short_of_memory(place, of_block)
    if memory is not None:
        warnings.append(memory)
    missing = filled_in(place.accelerator_id)
    if missing and not of_pair:
        warnings.append(
            f"no source gives the {' and '.join(missing)} of {place.accelerator_id}: "
            "estimated from other accelerators"
        )
    if of_pair:
        basis, kind, reason = _known_pair(place, of_pair)
    else:
        basis, kind, reason = _unknown_pair(model, place, of_block)
    if far:
        reason += f"; beyond {FAR} times the largest count seen ({largest}), do not rely on it"
    if memory is not None:
        reason += "; too little accelerator memory, do not rely on it"
    here = next((p.time_to_train_min for p in of_pair if p.place == place), None)
    return Judged(
        basis=basis,
        kind=kind,
        reason=reason,
        far=far,
        too_small=memory is not None,
        warnings=tuple(warnings),
        measured_min=here,
    )


def _short_of_memory(place: Place, of_block: Sequence[Point]) -> str | None:
    """Return why a training cannot fit, None if it may.

    Less memory in total than the training state takes, and than every published
    configuration has: the second guards against a state that clever software shrinks.
    """
    needed = facts.training_state_gb(place.benchmark, place.round)
    held = _memory_gb(place)
    if needed is None or held is None or held >= needed:
        return None
    published = [gb for gb in (_memory_gb(p.place) for p in of_block) if gb is not None]
    if published and held >= min(published):
        return None
    state = facts.training_state(place.benchmark)
    what = "" if state is None else f" ({state.what})"
    return (
        f"{place.accelerators} x {place.accelerator_id}: {held:,.0f} GB of memory, but the "
        f"training state of {place.benchmark} alone takes {needed:,.0f} GB{what}"
    )


def _memory_gb(place: Place) -> float | None:
    one = facts.accelerator(place.accelerator_id).memory_gb
    return None if one is None else one * place.accelerators


def _known_pair(place: Place, of_pair: Sequence[Point]) -> tuple[str, str, str]:
    counts = sorted({p.place.accelerators for p in of_pair})
    here = [p for p in of_pair if p.place == place]
    if here:
        k = len(here[0].submitters)
        who = "1 submitter" if k == 1 else f"{k} submitters"
        return (
            MEASURED,
            INTERPOLATED,
            f"measured in {place.round}: {figure(here[0].time_to_train_min, 4)} min ({who})",
        )
    rounds = sorted({p.place.round for p in of_pair}, key=facts.round_index)
    span = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    measured = f"{place.benchmark} was measured on {span} {place.accelerator_id}"
    later = facts.round_index(place.round) > facts.round_index(rounds[-1])
    since = f" (last in {rounds[-1]})" if later else ""
    same = _same_count(place, of_pair)
    if counts[0] <= place.accelerators <= counts[-1]:
        if later:
            return EXTRAPOLATED, "forward", f"{measured}{since}{same}: carried on to {place.round}"
        return INTERPOLATED, INTERPOLATED, f"{measured}{since}{same}"
    side = "smaller" if place.accelerators < counts[0] else "larger"
    kind = "forward" if later else EXTRAPOLATED
    return EXTRAPOLATED, kind, f"{measured}{since}; {place.accelerators} is {side}"


def _same_count(place: Place, of_pair: Sequence[Point]) -> str:
    """Return in which nearest other round this count was measured, in words."""
    here = facts.round_index(place.round)
    others = [p for p in of_pair if p.place.accelerators == place.accelerators]
    if not others:
        return ""
    near = min(others, key=lambda p: abs(facts.round_index(p.place.round) - here))
    return f", {place.accelerators} in {near.place.round}: {figure(near.time_to_train_min, 4)} min"


def _unknown_pair(
    model: PooledModel, place: Place, of_block: Sequence[Point]
) -> tuple[str, str, str]:
    elsewhere = sorted(
        {
            p.place.benchmark
            for p in model.pool.points
            if p.place.accelerator_id == place.accelerator_id
        }
    )
    others = len({p.place.accelerator_id for p in of_block})
    if elsewhere:
        listed = ", ".join(elsewhere[:4]) + (", ..." if len(elsewhere) > 4 else "")
        return (
            NEW_ACCELERATOR,
            "new_pair",
            f"{place.accelerator_id} was never measured on {place.benchmark}: bridged by "
            f"{listed} and the {others} accelerators measured on {place.benchmark}",
        )
    return (
        NEW_ACCELERATOR,
        "new_accelerator",
        f"{place.accelerator_id} was never measured: bridged by its peak, bandwidth, memory "
        f"and year from the {others} accelerators measured on {place.benchmark}",
    )
