"""The footnotes that every table, chart and page with MLPerf results carries, from one place.

Follows what MLCommons asks of anyone who shows results (MLPerf results messaging
guidelines): name the benchmark suite, round, division and source, acknowledge the
trademark, mark what is not verified and what is not an official metric.
"""

import re
from collections.abc import Sequence
from typing import Final

from equipoise.domain import UNVERIFIED_DIVISION

UNVERIFIED_PHRASE: Final = "Result not verified by MLCommons Association."
"""Fixed by MLCommons; stands beside every result that it did not publish."""

TRADEMARK: Final = (
    "MLPerf is a trademark of MLCommons Association, in the United States and elsewhere. "
    "This tool and its analyses are independent of MLCommons and are neither endorsed nor "
    "checked by it."
)
DERIVED: Final = (
    "Speedup, efficiency, accelerator-hours, cost, groups, ranks, fits, predictions and "
    "break-even points are derived here from the published times; none of them is an official "
    "MLPerf metric."
)
ENERGY_ESTIMATE: Final = (
    "Energy marked as an estimate is worked out from rated power for planning; it was not "
    "measured and is not an MLPerf metric."
)
PRICES: Final = (
    "Costs are accelerator-hours times a price from the price list named with the result; they "
    "are no part of MLPerf, and prices change."
)
SITE: Final = "mlcommons.org"
PUBLISHED: Final = re.compile(r"v\d+\.\d+")
"""Name of a round that MLCommons publishes."""
BEYOND: Final = 10_000
"""Place of rounds that no fact knows: after all others."""


def footnotes(
    *,
    rounds: Sequence[str],
    divisions: Sequence[str],
    derived: bool = True,
    estimated_energy: bool = False,
    priced: bool = False,
    unverified: bool = False,
) -> tuple[str, ...]:
    """Return the footnotes for what is shown, in the order in which they are printed.

    Parameters
    ----------
    rounds
        Rounds of the results shown (`v4.1`); unknown ones are named without a date.
    divisions
        Divisions of the results shown; `unverified` stands for a user's own.
    derived
        Whether anything but official scores is shown.
    estimated_energy
        Whether energy worked out from rated power is shown.
    priced
        Whether costs are shown.
    unverified
        Whether a user's own results are shown, whatever `divisions` says.

    Examples
    --------
    >>> footnotes(rounds=["v4.1"], divisions=["closed"], derived=False)[0]
    'MLPerf Training v4.1 (published 2024-11-13), closed division: results as published by
    MLCommons (mlcommons.org), scores worked out again from the published logs by the official
    rules.'
    """
    official = [division for division in divisions if division != UNVERIFIED_DIVISION]
    notes = []
    if UNVERIFIED_DIVISION in divisions:  # rounds of own runs are no publication
        rounds = [name for name in rounds if PUBLISHED.fullmatch(name)]
    if rounds and official:
        notes.append(source_note(rounds, official))
    if unverified or UNVERIFIED_DIVISION in divisions:
        notes.append(f"{UNVERIFIED_PHRASE} Applies to every result marked as unverified.")
    if derived:
        notes.append(DERIVED)
    if estimated_energy:
        notes.append(ENERGY_ESTIMATE)
    if priced:
        notes.append(PRICES)
    notes.append(TRADEMARK)
    return tuple(notes)


def source_note(rounds: Sequence[str], divisions: Sequence[str]) -> str:
    """Return the note with rounds, dates of publication, division and source."""
    named = _in_order(rounds)
    dated = ", ".join(_dated(name) for name in named)
    ordered = sorted(set(divisions))
    division = f"{' and '.join(ordered)} division{'s' if len(ordered) > 1 else ''}"
    return (
        f"MLPerf Training {dated}, {division}: results as published by MLCommons ({SITE}), "
        "scores worked out again from the published logs by the official rules."
    )


def _in_order(rounds: Sequence[str]) -> list[str]:
    from equipoise.errors import UsageError
    from equipoise.facts import round_index

    known: dict[str, int] = {}
    for name in dict.fromkeys(rounds):
        try:
            known[name] = round_index(name)
        except UsageError:
            known[name] = BEYOND
    return sorted(known, key=lambda name: known[name])


def _dated(name: str) -> str:
    from equipoise.errors import UsageError, printable
    from equipoise.facts import round_named

    try:
        date = round_named(name).publication_date
    except UsageError:
        date = None
    return f"{printable(name)} (published {date})" if date else printable(name)
