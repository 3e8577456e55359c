"""The space in which configurations are grouped: log criteria, robustly standardised."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from equipoise.domain import Configuration
from equipoise.metrics.criteria import throughput_sources, values
from equipoise.structs import dataclass

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

FEATURES = ("time_to_train_min", "throughput_per_accelerator", "accelerators")
"""How long it takes, how well an accelerator is used, how many there are."""
SUBSTITUTE = {"throughput_per_accelerator": "accelerator_hours"}
"""Used where a criterion is not known for any configuration."""
IQR_OF_NORMAL = 1.349
DECIMALS = 9
"""Points equal to this many decimals are one point."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """Points of the configurations that can be placed, duplicates once."""

    configurations: tuple[Configuration, ...]
    """Configurations with a point of their own."""
    points: FloatArray
    """(configurations, features), centred on the median, scaled by the robust deviation."""
    features: tuple[str, ...]
    duplicates: tuple[tuple[Configuration, int], ...]
    """Configurations that repeat the runs of another one, with its place."""
    distinct: int
    """Distinct points."""
    notes: tuple[str, ...]


def space(configurations: Sequence[Configuration], *, features: Sequence[str] = FEATURES) -> Space:
    """Place configurations: logarithm, median, deviation = IQR / 1.349 for each feature.

    A feature that is the same everywhere is left out; a configuration that lacks a feature
    (no accelerators, say) is set aside; both are said in `notes`.
    """
    notes: list[str] = []
    chosen = [_available(name, configurations, notes) for name in features]
    raw = np.column_stack([_column(name, configurations) for name in chosen])
    placed = np.array([bool(np.isfinite(row).all() and (row > 0).all()) for row in raw])
    if not placed.all():
        notes.append(
            f"{int((~placed).sum())} of {len(configurations)} configurations lack a figure "
            "(no accelerators, for example) and are in no group."
        )
    keep, duplicates = _once([c for c, ok in zip(configurations, placed, strict=True) if ok])
    rows = np.flatnonzero(placed)[keep]
    if duplicates:
        notes.append(f"{len(duplicates)} configurations repeat runs of another and count once.")
    logs = np.log(raw[rows])
    points, used = _standardised(logs, chosen, notes)
    estimated = _estimated([configurations[int(i)] for i in rows]) if rows.size else 0
    if estimated and "throughput_per_accelerator" in used:
        notes.append(
            f"The throughput of {estimated} configurations is estimated from the usual number of "
            "samples to converge (their relative speed)."
        )
    kept = [c for c, ok in zip(configurations, placed, strict=True) if ok]
    return Space(
        configurations=tuple(configurations[int(i)] for i in rows),
        points=points,
        features=used,
        duplicates=tuple((kept[i], place) for i, place in duplicates),
        distinct=distinct_points(points),
        notes=tuple(notes),
    )


def distinct_points(points: FloatArray) -> int:
    """Return the number of different rows."""
    if not points.size:
        return min(1, len(points))  # no feature differs: all points are the same
    return int(np.unique(points.round(DECIMALS), axis=0).shape[0])


def _available(name: str, configurations: Sequence[Configuration], notes: list[str]) -> str:
    if name not in SUBSTITUTE or not configurations:
        return name
    if np.isfinite(_column(name, configurations)).any():
        return name
    notes.append(f"No throughput is known: {SUBSTITUTE[name]} stands for it.")
    return SUBSTITUTE[name]


def _column(name: str, configurations: Sequence[Configuration]) -> FloatArray:
    if name == "accelerators":
        return np.array([float(c.accelerators) for c in configurations])
    return values(configurations, [name])[:, 0]


def _estimated(configurations: Sequence[Configuration]) -> int:
    return sum(source == "estimated" for source in throughput_sources(configurations))


def _once(configurations: Sequence[Configuration]) -> tuple[list[int], list[tuple[int, int]]]:
    """Return the places that count, and (place, stand-in among those) of the others."""
    seen: dict[object, int] = {}
    keep: list[int] = []
    duplicates: list[tuple[int, int]] = []
    for i, c in enumerate(configurations):
        runs = (c.benchmark, c.accelerators, c.run_times_min) if c.run_times_min else None
        same = [k for k in (c.resubmission_of, runs) if k is not None and k in seen]
        if same:
            duplicates.append((i, seen[same[0]]))
            continue
        seen[c.key] = len(keep)
        if runs is not None:
            seen[runs] = len(keep)
        keep.append(i)
    return keep, duplicates


def _standardised(
    logs: FloatArray, names: Sequence[str], notes: list[str]
) -> tuple[FloatArray, tuple[str, ...]]:
    columns, used = [], []
    for j, name in enumerate(names):
        scale = robust_scale(logs[:, j])
        if scale <= 0:
            if len(logs) > 1:
                notes.append(f"{name} is the same for all configurations and cannot group them.")
            continue
        columns.append((logs[:, j] - np.median(logs[:, j])) / scale)
        used.append(name)
    points = np.column_stack(columns) if columns else np.zeros((len(logs), 0))
    return points, tuple(used)


def robust_scale(values_: FloatArray) -> float:
    """Return IQR / 1.349, or the deviation where half of the values are the same.

    >>> robust_scale(np.array([0.0, 0.0, 0.0, 0.0, 1.0])) > 0
    True
    """
    if values_.size < 2 or np.ptp(values_) <= 10.0**-DECIMALS:
        return 0.0
    low, high = np.quantile(values_, [0.25, 0.75])
    scale = float(high - low) / IQR_OF_NORMAL
    return scale if scale > 0 else float(values_.std())
