"""Variables as a design matrix: a block of standardised columns for each variable."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from equipoise.domain import Configuration
from equipoise.evaluate.results import CoverageRow
from equipoise.metrics.parse import Reading
from equipoise.metrics.variables import VARIABLES, Variable, readings
from equipoise.structs import dataclass

FloatArray = NDArray[np.float64]
LEAST_KNOWN_SHARE = 0.4
"""A variable known for fewer configurations than this is not given to the model."""
MOST_LEVELS = 12
"""Levels of a category with a column of their own; rarer ones share one column."""
LEAST_LEVEL = 3
IMPLIED = {
    "nodes": "accelerators and accelerators_per_node",
    "accelerator_vendor": "accelerator_family",
    "accelerator_architecture": "accelerator_family",
    "network_gbit_s": "network_gbit_s_per_accelerator and accelerators_per_node",
    "host_processor_vendor": "host_processor_generation",
    "host_processor_cores": "host_cores_per_accelerator and host_processors_per_node",
    "host_memory_gib": "host_memory_gib_per_accelerator and accelerators_per_node",
    "global_batch_size": "batch_per_accelerator and accelerators",
}
"""Variables that are a function of others: given to the model as well, the effect would be
split between them by chance."""
OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One variable and its columns in the design matrix."""

    variable: Variable
    columns: slice
    values: FloatArray
    """(n,) numeric value (log2 for a log variable) or code of the level; NaN if unknown."""
    levels: tuple[str, ...]
    """Names of the codes of a category, else empty."""
    known: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """The design matrix and what its columns mean."""

    matrix: FloatArray
    """(n, columns), standardised."""
    blocks: tuple[Block, ...]
    coverage: tuple[CoverageRow, ...]


def design(
    configurations: Sequence[Configuration], *, names: Sequence[str] | None = None
) -> Design:
    """Encode the variables that vary and are known often enough.

    Numbers become log2 where ratios count, missing ones the median with a column that says
    so; categories become one column per level. Columns have mean 0 and deviation 1.
    """
    blocks: list[Block] = []
    parts: list[FloatArray] = []
    rows: list[CoverageRow] = []
    width = 0
    for name in VARIABLES if names is None else names:
        item = VARIABLES[name]
        found = readings(configurations, name)
        values, levels = _numbers(item, found) if item.kind == "number" else _codes(found)
        reason = _unusable(values, len(found))
        if reason is None and names is None and name in IMPLIED:
            reason = f"implied by {IMPLIED[name]}"
        rows.append(_coverage(item, found, reason))
        if reason is not None:
            continue
        part = _columns(values, levels)
        blocks.append(
            Block(
                variable=item,
                columns=slice(width, width + part.shape[1]),
                values=values,
                levels=levels,
                known=int(np.isfinite(values).sum()),
            )
        )
        parts.append(part)
        width += part.shape[1]
    matrix = np.hstack(parts) if parts else np.zeros((len(configurations), 0))
    return Design(matrix=matrix, blocks=tuple(blocks), coverage=tuple(rows))


def _numbers(item: Variable, found: Sequence[Reading]) -> tuple[FloatArray, tuple[str, ...]]:
    raw = np.array([float(r.value) if isinstance(r.value, (int, float)) else np.nan for r in found])
    if item.log:
        raw = np.log2(np.where(raw > 0, raw, np.nan))
    return raw, ()


def _codes(found: Sequence[Reading]) -> tuple[FloatArray, tuple[str, ...]]:
    counts = Counter(str(r.value) for r in found if r.value is not None)
    ordered = sorted(counts, key=lambda level: (-counts[level], level))
    common = [x for x in ordered if counts[x] >= LEAST_LEVEL][:MOST_LEVELS]
    levels = (*common, OTHER) if len(common) < len(counts) else tuple(common)
    code = {level: i for i, level in enumerate(common)}
    rest = len(common)
    values = [np.nan if r.value is None else float(code.get(str(r.value), rest)) for r in found]
    return np.array(values, dtype=float), levels


def _unusable(values: FloatArray, n: int) -> str | None:
    known = values[np.isfinite(values)]
    if known.size == 0:
        return "not known for any configuration"
    if known.size < LEAST_KNOWN_SHARE * n:
        return f"known for {known.size} of {n} configurations only"
    if np.unique(known).size < 2:
        return "the same for all configurations"
    return None


def _columns(values: FloatArray, levels: tuple[str, ...]) -> FloatArray:
    known = np.isfinite(values)
    if levels:
        columns = [(values == code).astype(float) for code in range(len(levels))]
    else:
        columns = [np.where(known, values, np.median(values[known]))]
    if not known.all():
        columns.append((~known).astype(float))
    table = np.column_stack(columns)
    table = table[:, table.std(axis=0) > 0]
    standard: FloatArray = (table - table.mean(axis=0)) / table.std(axis=0)
    return standard


def _coverage(item: Variable, found: Sequence[Reading], reason: str | None) -> CoverageRow:
    sure = Counter(r.confidence for r in found if r.value is not None)
    return CoverageRow(
        variable=item.name,
        label=item.label,
        theme=item.theme,
        unit=item.unit,
        known=sum(sure.values()),
        n=len(found),
        high=sure["high"],
        medium=sure["medium"],
        low=sure["low"],
        distinct=len({r.value for r in found if r.value is not None}),
        used=reason is None,
        reason=reason,
    )


def association(first: Block, second: Block) -> float:
    """Return how well two variables can be told apart: 0 (unrelated) to 1 (the same).

    The greater of |Pearson's r| and |Spearman's rho| of two numbers (logs where ratios
    count), bias-corrected Cramer's V (Bergsma 2013) of two categories, the adjusted
    correlation ratio of the ranks of a number in a category.
    """
    both = np.isfinite(first.values) & np.isfinite(second.values)
    a, b = first.values[both], second.values[both]
    if a.size < LEAST_LEVEL or np.unique(a).size < 2 or np.unique(b).size < 2:
        return 0.0
    if not first.levels and not second.levels:
        straight = abs(float(np.corrcoef(a, b)[0, 1]))
        return max(straight, abs(float(np.corrcoef(_ranks(a), _ranks(b))[0, 1])))
    if first.levels and second.levels:
        return cramers_v(a, b)
    number, codes = (b, a) if first.levels else (a, b)
    return _correlation_ratio(_ranks(number), codes)


def _ranks(values: FloatArray) -> FloatArray:
    """Return ranks from 0, equal values sharing their mean rank."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts).astype(float)
    shared: FloatArray = (ends - (counts + 1) / 2)[inverse]
    return shared


def cramers_v(a: FloatArray, b: FloatArray) -> float:
    """Return the bias-corrected Cramer's V of two coded categories (Bergsma 2013)."""
    _, i = np.unique(a, return_inverse=True)
    _, j = np.unique(b, return_inverse=True)
    table = np.zeros((i.max() + 1, j.max() + 1))
    np.add.at(table, (i, j), 1.0)
    n = table.sum()
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / n
    phi2 = float(((table - expected) ** 2 / expected).sum()) / n
    rows, columns = table.shape
    phi2 = max(0.0, phi2 - (rows - 1) * (columns - 1) / (n - 1))
    rows_c = rows - (rows - 1) ** 2 / (n - 1)
    columns_c = columns - (columns - 1) ** 2 / (n - 1)
    smaller = min(rows_c, columns_c) - 1
    return float(min(1.0, np.sqrt(phi2 / smaller))) if smaller > 0 else 0.0


def _correlation_ratio(number: FloatArray, codes: FloatArray) -> float:
    _, inverse, counts = np.unique(codes, return_inverse=True, return_counts=True)
    n, levels = number.size, counts.size
    if n <= levels:
        return 0.0
    means = np.bincount(inverse, weights=number) / counts
    inside = float(((number - means[inverse]) ** 2).sum())
    total = float(((number - number.mean()) ** 2).sum())
    adjusted = 1 - (inside / (n - levels)) / (total / (n - 1))
    return float(np.sqrt(max(0.0, adjusted)))
