"""Where a point lies for the pooled model: names, time, hardware figures, accelerator count.

One point is (block of compatible rounds, round, accelerator, n). Hardware figures are
logarithms of the facts of the accelerator; a figure nobody published is filled in by
regression over all accelerators, and said so.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from equipoise import facts
from equipoise.structs import dataclass

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

NAMES: Final = ("block", "kind", "accelerator", "family", "vendor", "round", "bus")
"""Names that two points can share; the `same` factors of the kernel."""
FIGURES: Final = ("peak", "bandwidth", "memory", "hardware_year", "link")
PLACES: Final = ("year", "log_n", "block_age", "hardware_age", *FIGURES)
"""Coordinates with a distance; the stationary factors of the kernel."""
DAYS_PER_YEAR: Final = 365.25
DEADLINE_LEAD_YEARS: Final = 0.1
"""From the deadline for submission to publication."""
FP8_AS_16_BIT: Final = 0.5
YEAR_ZERO: Final = 2020.0
KINDS: Final = {
    "image": "vision",
    "volume": "vision",
    "sequence": "language",
    "sentence pair": "language",
    "utterance": "speech",
    "click record": "recommendation",
    "interaction": "recommendation",
    "seed node": "graph",
    "self-play game": "reinforcement",
    "rollout": "reinforcement",
}
"""Kind of work by the sample unit of the benchmark."""


@dataclass(frozen=True, slots=True)
class Place:
    """One point in words: what is asked for, or what was measured."""

    benchmark: str
    round: str
    accelerator_id: str
    accelerators: int

    @property
    def block(self) -> facts.Block:
        """Return the block of compatible rounds (the round must belong to the benchmark)."""
        return block_at(self.benchmark, self.round)


@dataclass(frozen=True, slots=True, eq=False)
class Coordinates:
    """Points as arrays: names as codes (N,), places as numbers (N,), submitter shares (N, S)."""

    codes: Mapping[str, Codes]
    places: Mapping[str, Array]
    shares: Array
    """Share of each submitter in a point; rows sum to 1, or to 0 for a typical submitter."""
    tails: Array
    """(N,) how much more than usual the pair of benchmark and accelerator may stand out."""

    def __len__(self) -> int:
        return len(self.shares)

    def take(self, index: NDArray[np.int64]) -> "Coordinates":
        """Return some of the points."""
        return Coordinates(
            {name: values[index] for name, values in self.codes.items()},
            {name: values[index] for name, values in self.places.items()},
            self.shares[index],
            self.tails[index],
        )

    def standing_out(self, tails: Array) -> "Coordinates":
        """Return the same points with other tails."""
        return Coordinates(self.codes, self.places, self.shares, tails)

    def submitted_by(self, shares: Array) -> "Coordinates":
        """Return the same points with other submitters."""
        return Coordinates(self.codes, self.places, shares, self.tails)


def coordinates(
    places: Sequence[Place], shares: Array, *, vocabulary: dict[str, dict[str, int]]
) -> Coordinates:
    """Return points as arrays; `vocabulary` numbers names and learns new ones.

    Parameters
    ----------
    places : sequence of Place, length N
    shares : array, shape (N, S)
        Share of each known submitter.
    vocabulary : dict
        Name -> text -> code; new texts are added to it.
    """
    texts: dict[str, list[str]] = {name: [] for name in NAMES}
    numbers: dict[str, list[float]] = {name: [] for name in PLACES}
    for place in places:
        for name, text in _texts(place).items():
            texts[name].append(text)
        for name, value in _numbers(place).items():
            numbers[name].append(value)
    codes = {}
    for name, found in texts.items():
        known = vocabulary.setdefault(name, {})
        codes[name] = np.array([known.setdefault(t, len(known)) for t in found], dtype=np.int64)
    return Coordinates(
        codes,
        {name: np.array(v, dtype=np.float64) for name, v in numbers.items()},
        shares,
        np.ones(len(places)),
    )


def _texts(place: Place) -> dict[str, str]:
    accelerator = facts.accelerator(place.accelerator_id)
    return {
        "block": block_name(place.benchmark, place.round),
        "kind": kind_of(place.benchmark),
        "accelerator": accelerator.id,
        "family": accelerator.family,
        "vendor": accelerator.vendor,
        "round": place.round,
        "bus": "card" if accelerator.form_factor == "pcie" else "module",
    }


def _numbers(place: Place) -> dict[str, float]:
    year = year_of(place.round)
    figures = hardware_figures(place.accelerator_id)
    release = figures["hardware_year"] * 2.0 + YEAR_ZERO
    return {
        "year": year,
        "log_n": float(np.log2(place.accelerators)),
        "block_age": year - year_of(place.block.first_round),
        "hardware_age": year - release,
        **figures,
    }


@cache
def block_at(benchmark: str, round_name: str) -> facts.Block:
    """Return the block a benchmark has in a round."""
    block = facts.block_of(benchmark, round_name)
    if block is None:
        raise ValueError(f"{benchmark} was not part of {round_name}")
    return block


def block_name(benchmark: str, round_name: str) -> str:
    """Return the name of the benchmark's block of compatible rounds.

    >>> block_name("bert", "v4.1")
    'bert@v1.0'
    """
    return f"{benchmark}@{block_at(benchmark, round_name).first_round}"


@cache
def kind_of(benchmark: str) -> str:
    """Return the kind of work: vision, language, speech, recommendation, ...

    >>> kind_of("bert"), kind_of("flux1")
    ('language', 'generation')
    """
    found = facts.benchmark(benchmark)
    if found.task == "Text to image":
        return "generation"
    return KINDS.get(found.blocks[-1].sample_unit, "other")


@cache
def year_of(round_name: str) -> float:
    """Return the date of publication as a year with its fraction.

    >>> round(year_of("v4.1"), 2)
    2024.87
    """
    found = facts.round_named(round_name)
    if found.publication_date is not None:
        return _year(found.publication_date)
    if found.submission_deadline is not None:
        return _year(found.submission_deadline) + DEADLINE_LEAD_YEARS
    dated = [_year(r.publication_date) for r in facts.rounds() if r.publication_date is not None]
    return max(dated) + 2 * DEADLINE_LEAD_YEARS


def _year(text: str) -> float:
    day = date.fromisoformat(text)
    return day.year + (day.timetuple().tm_yday - 1) / DAYS_PER_YEAR


@cache
def hardware_figures(accelerator_id: str) -> Mapping[str, float]:
    """Return log peak, bandwidth, memory and link, and the release year, of an accelerator.

    The peak is the dense 16-bit one in TFLOP/s, or half the 8-bit peak where that is more.
    """
    return _all_figures()[accelerator_id]


@cache
def filled_in(accelerator_id: str) -> tuple[str, ...]:
    """Return the figures of an accelerator that no source gives and regression filled in.

    >>> filled_in("h100-sxm5-80gb")
    ()
    """
    raw = _raw_figures(facts.accelerator(accelerator_id))
    return tuple(name for name, value in raw.items() if value is None)


def _raw_figures(accelerator: facts.Accelerator) -> dict[str, float | None]:
    peaks = [accelerator.peak_16bit_tflops, accelerator.peak_fp8_tflops]
    scaled = [p * f for p, f in zip(peaks, (1.0, FP8_AS_16_BIT), strict=True) if p is not None]

    def log(value: float | None) -> float | None:
        return None if value is None else float(np.log(value))

    year = accelerator.release_year
    return {
        "peak": log(max(scaled, default=None)),
        "bandwidth": log(accelerator.memory_bandwidth_gb_s),
        "memory": log(accelerator.memory_gb),
        "hardware_year": None if year is None else (year - YEAR_ZERO) / 2.0,
        "link": log(accelerator.interconnect_gb_s),
    }


@cache
def _all_figures() -> dict[str, dict[str, float]]:
    raw = {a.id: _raw_figures(a) for a in facts.accelerators()}
    cards = np.array([a.form_factor == "pcie" for a in facts.accelerators()], dtype=float)
    table = np.array([[np.nan if v is None else v for v in row.values()] for row in raw.values()])
    means = np.nanmean(table, axis=0)
    start = np.where(np.isnan(table), means, table)
    filled = start.copy()
    for column in range(table.shape[1]):
        missing = np.isnan(table[:, column])
        if not missing.any():
            continue
        others = np.delete(start, column, axis=1)
        design = np.column_stack([np.ones(len(table)), cards, others])
        # A ridge of one point: rows with a single odd figure must not bend the rest.
        gram = design[~missing].T @ design[~missing] + np.eye(design.shape[1])
        filled[missing, column] = design[missing] @ np.linalg.solve(
            gram, design[~missing].T @ table[~missing, column]
        )
    return {
        identifier: dict(zip(FIGURES, map(float, row), strict=True))
        for identifier, row in zip(raw, filled, strict=True)
    }
