"""From a table with gaps to a decision matrix: what is used, what is set aside and why."""

from collections.abc import Callable, Sequence

import numpy as np

from equipoise.errors import DataError
from equipoise.rank.methods.base import BoolArray, FloatArray, Method, divide
from equipoise.rank.ordering import IntArray
from equipoise.structs import dataclass

MIN_COVERAGE = 0.8
"""A criterion that fewer of the alternatives have is set aside, not the alternatives."""

CONSTANT = 1e-12
"""Values within this share of the largest one are the same."""

SCALES = ("log", "raw")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The decision matrix of the rows and criteria that can be used."""

    rows: IntArray
    """Indices of the rows that are kept."""
    columns: tuple[int, ...]
    """Indices of the criteria that are used."""
    matrix: FloatArray
    """Values (kept rows, used criteria), all finite."""
    benefit: BoolArray
    log: BoolArray
    """Criteria that are compared on a log scale."""
    coverage: FloatArray
    """Share of the rows with a value, for all criteria."""
    reasons: dict[int, str]
    """Why a criterion was set aside."""
    missing: dict[int, str]
    """Why a row was set aside."""
    warnings: tuple[str, ...]


def decide(
    table: FloatArray,
    names: Sequence[str],
    *,
    benefit: BoolArray,
    log: BoolArray,
    unweighted: frozenset[int] = frozenset(),
    min_coverage: float = MIN_COVERAGE,
    noun: str = "rows",
) -> Decision:
    """Return what of a table (m, n) with NaN for missing can be compared.

    Set aside, in this order and each with a warning: criteria without weight, criteria
    that no row has, that fewer than `min_coverage` of the rows have or that are the same
    for all; then rows that lack a criterion that is left; then criteria that became the
    same for all rows that are left.
    """
    known = np.isfinite(table) & ~(log & ~(table > 0.0))
    m = table.shape[0]
    coverage = known.mean(axis=0) if m else np.zeros(table.shape[1])
    reasons = dict.fromkeys(unweighted, "weight 0")
    warnings: list[str] = []
    if m:
        _drop_uncovered(names, coverage, reasons, warnings, min_coverage=min_coverage, noun=noun)
    open_columns = [j for j in range(len(names)) if j not in reasons]
    if m > 1:
        same = [j for j in open_columns if _constant(table[known[:, j], j])]
        _drop_constant(names, same, reasons, warnings, noun=noun)
        open_columns = [j for j in open_columns if j not in reasons]
    complete = known[:, open_columns].all(axis=1)
    rows = np.flatnonzero(complete)
    if 1 < len(rows) < m:
        same = [j for j in open_columns if _constant(table[rows, j])]
        _drop_constant(names, same, reasons, warnings, noun=f"remaining {noun}")
        open_columns = [j for j in open_columns if j not in reasons]
    missing = {
        int(i): "no value of " + listed([names[j] for j in open_columns if not known[i, j]])
        for i in np.flatnonzero(~complete)
    }
    if missing:
        warnings.append(
            f"{len(missing)} of {m} {noun} lack a criterion that is used and are set aside"
        )
    return Decision(
        rows=rows,
        columns=tuple(open_columns),
        matrix=table[rows][:, open_columns],
        benefit=benefit[open_columns],
        log=log[open_columns],
        coverage=coverage,
        reasons=reasons,
        missing=missing,
        warnings=tuple(warnings),
    )


def scaler(
    matrix: FloatArray, benefit: BoolArray, log: BoolArray
) -> Callable[[FloatArray], FloatArray]:
    """Return the function that maps values to 0 (worst of `matrix`) .. 1 (best).

    Criteria under `log` go by ln x, the others by x: u = (y - worst) / (best - worst).
    Values outside the range of `matrix` fall outside 0 .. 1.
    """

    def height(values: FloatArray) -> FloatArray:
        return np.where(log, np.log(np.where(log, values, 1.0)), values)

    y = height(matrix)
    low, high = y.min(axis=0), y.max(axis=0)
    worst, best = np.where(benefit, low, high), np.where(benefit, high, low)

    def scale(values: FloatArray) -> FloatArray:
        return divide(height(values) - worst, best - worst)

    return scale


def require_usable(method: Method, matrix: FloatArray, names: Sequence[str]) -> None:
    """Raise DataError when the method cannot work with these values."""
    problem = unusable(method, matrix, names)
    if problem is not None:
        raise DataError(problem)


def unusable(method: Method, matrix: FloatArray, names: Sequence[str]) -> str | None:
    """Return why the method cannot work with these values, None when it can."""
    if not method.positive_only or matrix.size == 0:
        return None
    wrong = matrix.min(axis=0) <= 0.0
    if not wrong.any():
        return None
    which = listed([name for name, bad in zip(names, wrong, strict=True) if bad])
    return f"{method.title} needs values above 0; {which} has others: choose another method"


def listed(words: Sequence[str]) -> str:
    """Return the words as a phrase.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def _drop_uncovered(
    names: Sequence[str],
    coverage: FloatArray,
    reasons: dict[int, str],
    warnings: list[str],
    *,
    min_coverage: float,
    noun: str,
) -> None:
    for j, share in enumerate(coverage.tolist()):
        if j in reasons or share >= min_coverage > 0.0 or share == 1.0:
            continue
        if share == 0.0:
            reasons[j] = f"no value for any of the {noun}"
        elif share < min_coverage:
            reasons[j] = f"known for {share:.0%} of the {noun}, less than {min_coverage:.0%}"
        else:
            continue
        warnings.append(f"{names[j]} is set aside: {reasons[j]}")


def _drop_constant(
    names: Sequence[str],
    same: Sequence[int],
    reasons: dict[int, str],
    warnings: list[str],
    *,
    noun: str,
) -> None:
    if not same:
        return
    for j in same:
        reasons[j] = f"the same for all {noun}"
    verb = "is" if len(same) == 1 else "are"
    warnings.append(
        f"{listed([names[j] for j in same])} {verb} the same for all {noun} "
        "and cannot separate them"
    )


def _constant(values: FloatArray) -> bool:
    if values.size == 0:
        return False
    return bool(np.ptp(values) <= CONSTANT * np.abs(values).max())
