"""Groups described from their own numbers: rows, words, the balanced one."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from equipoise import facts
from equipoise.cluster.results import ClusterRow
from equipoise.domain import Configuration
from equipoise.errors import UnknownNameError
from equipoise.metrics.criteria import values
from equipoise.structs import dataclass

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

CRITERIA = ("time_to_train_min", "throughput_per_accelerator", "accelerator_hours", "efficiency")
NEWEST_SHARE = 0.10
"""The newest generation: the latest release year with a tenth of the configurations or more."""
MEDOID_SAMPLE = 500
TIE = 1e-9
FAMILIES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What groups are described by, one row for each configuration."""

    table: FloatArray
    """(n, criteria) in the order of CRITERIA, NaN where unknown."""
    accelerators: FloatArray
    years: FloatArray
    """Release year of the accelerator, NaN where unknown."""
    newest_from: float | None
    """First release year of the newest generation of the data."""
    families: tuple[str, ...]


def describe_facts(configurations: Sequence[Configuration]) -> Facts:
    """Collect what groups are described by."""
    known = [_accelerator(c) for c in configurations]
    years = np.array([np.nan if year is None else float(year) for year, _ in known])
    return Facts(
        table=values(configurations, CRITERIA),
        accelerators=np.array([float(c.accelerators) for c in configurations]),
        years=years,
        newest_from=newest_from(years),
        families=tuple(family for _, family in known),
    )


def _accelerator(c: Configuration) -> tuple[int | None, str]:
    if c.accelerator_id is None:
        return None, c.accelerator_model or "unknown"
    try:
        found = facts.accelerator(c.accelerator_id)
    except UnknownNameError:
        return None, c.accelerator_id
    return found.release_year, found.family


def newest_from(years: FloatArray) -> float | None:
    """Return the first release year of the newest generation of the data.

    The latest year such that a tenth of the configurations (one at least) have an
    accelerator of that year or later: one early sample does not make all others old.

    >>> newest_from(np.array([2017.0] * 5 + [2020.0] * 10 + [2022.0] * 4 + [2024.0]))
    2022.0
    """
    known = years[np.isfinite(years)]
    if not known.size:
        return None
    enough = [y for y in np.unique(known) if (known >= y).mean() >= NEWEST_SHARE]
    return float(max(enough))


def ordered(labels: IntArray, accelerators: FloatArray, minutes: FloatArray) -> IntArray:
    """Return labels numbered by median accelerators, then by the longest median time."""
    k = int(labels.max(initial=-1)) + 1
    keys = [
        (float(np.median(accelerators[labels == j])), -float(np.median(minutes[labels == j])), j)
        for j in range(k)
    ]
    place = np.empty(k + 1, dtype=np.int64)
    place[k] = -1
    for new, (_, _, old) in enumerate(sorted(keys)):
        place[old] = new
    result: IntArray = place[labels]
    return result


def balanced_group(labels: IntArray, about: Facts) -> int | None:
    """Return the group with the least summed shortfall in time and in use of accelerators.

    Each shortfall goes from 0 (the best group's median) to 1 (the worst group's), in minutes
    and samples/s: the share of what could be gained that is lost. Ratios would favour the
    largest systems, that turn minutes into seconds with thousands of accelerators. On a tie
    (two groups, one fast and one efficient) no group is the balanced one. Accelerator-hours
    stand for throughput per accelerator where that is unknown.
    """
    k = int(labels.max(initial=-1)) + 1
    if k < 2:
        return None
    hours = about.table[:, CRITERIA.index("accelerator_hours")]
    rate = about.table[:, CRITERIA.index("throughput_per_accelerator")]
    use = rate if np.isfinite(rate).all() else 1 / hours
    shortfall = np.zeros(k)
    for column, sign in ((about.table[:, 0], 1.0), (use, -1.0)):
        medians = np.array([sign * float(np.median(column[labels == j])) for j in range(k)])
        if np.ptp(medians) > 0:
            shortfall += (medians - medians.min()) / np.ptp(medians)
    least = np.flatnonzero(shortfall <= shortfall.min() + TIE)
    return int(least[0]) if least.size == 1 else None


def medoid(points: FloatArray, *, rng: np.random.Generator) -> int:
    """Return the place of the point with the least summed distance to the others.

    With more than 500 points the others are a sample of 500.
    """
    others = points
    if len(points) > MEDOID_SAMPLE:
        others = points[rng.choice(len(points), MEDOID_SAMPLE, replace=False)]
    total = np.zeros(len(points))
    for other in others:
        total += np.sqrt(((points - other) ** 2).sum(axis=1))
    return int(total.argmin())


def cluster_row(
    number: int, inside: IntArray, about: Facts, *, label: str, stability: float | None,
    silhouette: float | None, medoid_key: str, balanced: bool,
) -> ClusterRow:  # fmt: skip
    """Return the row of one group (`inside`: places of its configurations)."""
    figures = {}
    for j, name in enumerate(CRITERIA):
        column = about.table[inside, j]
        column = column[np.isfinite(column)]
        for word, how in (("median", np.median), ("low", np.min), ("high", np.max)):
            figures[f"{name}_{word}"] = float(how(column)) if column.size else None
    count = about.accelerators[inside]
    years = about.years[inside]
    known = years[np.isfinite(years)]
    return ClusterRow(
        cluster=number,
        label=label,
        size=len(inside),
        accelerators_min=int(count.min()),
        accelerators_median=float(np.median(count)),
        accelerators_max=int(count.max()),
        newest_share=newest_share(known, about.newest_from),
        release_year_median=float(np.median(known)) if known.size else None,
        families=family_text([about.families[int(i)] for i in inside]),
        stability=stability,
        silhouette=silhouette,
        medoid=medoid_key,
        balanced=balanced,
        **figures,  # type: ignore[arg-type]
    )


def newest_share(known: FloatArray, since: float | None) -> float | None:
    """Return the share of accelerators of the newest generation."""
    return float((known >= since).mean()) if known.size and since is not None else None


def family_text(families: Sequence[str]) -> str:
    """Return families with counts, most frequent first.

    >>> family_text(["h100", "a100", "h100"])
    'h100 (2), a100 (1)'
    """
    counts = sorted(Counter(families).items(), key=lambda item: (-item[1], item[0]))
    shown = ", ".join(f"{name} ({count})" for name, count in counts[:FAMILIES])
    return shown + (", ..." if len(counts) > FAMILIES else "")


_TIME = ("the fastest", "fast", "of middling speed", "slow", "the slowest")
_USE = ("most efficient", "efficient", "of middling efficiency", "inefficient", "least efficient")


def labels_in_words(labels: IntArray, about: Facts) -> tuple[str, ...]:
    """Return one label for each group: how many, which generation, how fast, how efficient.

    The words come from where the group's median stands among the groups' medians.
    """
    k = int(labels.max(initial=-1)) + 1
    hours = about.table[:, CRITERIA.index("accelerator_hours")]
    time = [float(np.median(about.table[labels == j, 0])) for j in range(k)]
    use = [float(np.median(hours[labels == j])) for j in range(k)]
    texts = []
    for j in range(k):
        inside = labels == j
        text = f"{_count_text(about.accelerators[inside])} {_generation(inside, about)}"
        if k > 1:
            text += f", {_word(time[j], time, _TIME)} and {_word(use[j], use, _USE)}"
        texts.append(text)
    return tuple(
        text if texts.count(text) == 1 else f"{text} ({chr(ord('a') + texts[:j].count(text))})"
        for j, text in enumerate(texts)
    )


def _word(value: float, among: Sequence[float], words: Sequence[str]) -> str:
    rank = sum(other < value for other in among)
    if rank == 0:
        return words[0]
    if rank == len(among) - 1 and sum(other == value for other in among) == 1:
        return words[-1]
    share = rank / (len(among) - 1)
    return words[1] if share < 0.4 else words[3] if share > 0.6 else words[2]


def _count_text(count: FloatArray) -> str:
    """Return the middle nine tenths of the counts."""
    low, high = np.quantile(count, [0.05, 0.95], method="nearest")
    text = f"{low:,.0f}" if low == high else f"{low:,.0f}-{high:,.0f}"
    return text if (low, high) == (count.min(), count.max()) else f"mostly {text}"


def _generation(inside: NDArray[np.bool_], about: Facts) -> str:
    many = "accelerator" if (about.accelerators[inside] == 1).all() else "accelerators"
    known = about.years[inside][np.isfinite(about.years[inside])]
    share = newest_share(known, about.newest_from)
    if share is None or about.newest_from is None or (about.years >= about.newest_from).all():
        return many
    if share >= 0.75:
        return f"newest-generation {many}"
    if share <= 0.25:
        return f"{many} of earlier generations"
    return f"{many} of mixed generations"
