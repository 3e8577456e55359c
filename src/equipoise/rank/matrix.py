"""Ranking of a plain decision matrix, by the book: no scaling beyond the method's own."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from equipoise.errors import DataError, UsageError, printable
from equipoise.rank.decision import MIN_COVERAGE, Decision, decide, require_usable
from equipoise.rank.methods import Method, method_named
from equipoise.rank.methods.base import BoolArray, FloatArray
from equipoise.rank.methods.spotis import matrix_bounds
from equipoise.rank.ordering import competition_ranks, pareto_front
from equipoise.rank.results import MatrixResult, MatrixRow
from equipoise.rank.weights import normalised_weights, parse_weights, weighting_named

DIRECTIONS = ("min", "max")
LARGEST = 1e150
"""Greatest size of a value: its square is still a number."""
SHOWN = 60
Weights = str | Mapping[str, float]


def rank_matrix(
    matrix: Sequence[Sequence[float | None]],
    criteria: Sequence[str],
    *,
    names: Sequence[str] | None = None,
    method: str = "topsis",
    weights: Weights = "equal",
    options: Mapping[str, Any] | None = None,
    min_coverage: float = MIN_COVERAGE,
) -> MatrixResult:
    """Rank the rows of a decision matrix by one method, ties share a rank.

    Parameters
    ----------
    matrix : m rows of n values
        None or NaN is missing.
    criteria : n names with a direction
        `name:min` (less is better) or `name:max`.
    names : m names, optional
        Of the rows; `1`, `2`, ... without.
    method : str
        Name of a method: `METHODS` has them, topsis is the default.
    weights : str or mapping
        Name of a weighting (`WEIGHTINGS`), `name=w,...` or a mapping of the criteria's names.
    options : mapping, optional
        Options of the method: `v` (VIKOR), `blend` (WASPAS), `indifference` and
        `preference` (PROMETHEE II), `bounds` (SPOTIS), per criterion by name where they
        are arrays.
    min_coverage : float
        Share of the rows that must have a criterion.

    Raises
    ------
    UsageError
        For an unknown method, weighting, option or direction, or ragged rows.
    DataError
        When the method cannot work with the values (WASPAS with 0 or less).

    Examples
    --------
    >>> result = rank_matrix([[10, 100, 0], [20, 60, 0], [40, 40, 0]],
    ...                      ["minutes:min", "cost:min", "energy:min"], names="ABC")
    >>> result.ranks, result.warnings
    ({'B': 1, 'A': 2, 'C': 3}, ('energy is the same for all rows and cannot separate them',))
    """
    titles, benefit = _criteria(criteria)
    table = _table(matrix, len(titles))
    labels = [str(i + 1) for i in range(len(table))] if names is None else [str(n) for n in names]
    if len(labels) != len(table) or len(set(labels)) != len(labels):
        raise UsageError("every row of the matrix needs one name of its own")
    chosen = method_named(method)
    given = user_weights(weights, titles)
    idle = frozenset(j for j, t in enumerate(titles) if given is not None and not given[t])
    decision = decide(
        table,
        titles,
        benefit=benefit,
        log=np.zeros(len(titles), dtype=bool),
        unweighted=idle,
        min_coverage=min_coverage,
    )
    used = [titles[j] for j in decision.columns]
    row_weights = decision_weights(
        weights,
        given,
        used,
        values=decision.matrix,
        matrix=decision.matrix,
        benefit=decision.benefit,
    )
    scores, ranks, terms = _evaluate(chosen, decision, used, row_weights, options or {})
    front = (
        pareto_front(decision.matrix, decision.benefit)
        if used and len(decision.rows)
        else np.ones(len(decision.rows), dtype=bool)
    )
    rows = [
        MatrixRow(
            name=labels[i],
            rank=int(ranks[k]),
            score=None if scores is None else float(scores[k]),
            contributions=dict(zip(used, terms[k].tolist(), strict=True)),
            pareto=bool(front[k]),
        )
        for k, i in enumerate(decision.rows.tolist())
    ]
    return MatrixResult(
        method=chosen.name,
        score_direction=chosen.direction,
        ranking=tuple(sorted(rows, key=lambda row: row.rank)),
        criteria_used=tuple(used),
        weights=dict(zip(used, row_weights.tolist(), strict=True)),
        set_aside={labels[i]: reason for i, reason in decision.missing.items()},
        warnings=decision.warnings,
    )


def user_weights(weights: Weights, names: Sequence[str]) -> dict[str, float] | None:
    """Return the user's weights of all criteria, or None when a weighting is named.

    Raises UsageError for a name that is no criterion and for a criterion without weight.
    """
    if isinstance(weights, str):
        if "=" not in weights:
            weighting_named(weights)
            return None
        weights = parse_weights(weights)
    found = normalised_weights(weights)
    unknown = sorted(set(found) - set(names))
    if unknown:
        raise UsageError(
            f"weight for {printable(unknown[0])!r}, which is not among the criteria: "
            f"{', '.join(names)}"
        )
    absent = [name for name in names if name not in found]
    if absent:
        raise UsageError(f"no weight for {', '.join(absent)}; give 0 to leave a criterion out")
    return found


def decision_weights(
    weights: Weights,
    given: Mapping[str, float] | None,
    used: Sequence[str],
    *,
    values: FloatArray,
    matrix: FloatArray,
    benefit: BoolArray,
) -> FloatArray:
    """Return the weights (n,) of the used criteria, summing to 1.

    Weightings that need shares (entropy) see the `values`, the others the `matrix` that is
    ranked, whose directions are `benefit`.
    """
    if not used:
        return np.zeros(0)
    if given is not None:
        chosen = np.array([given[name] for name in used])
        result: FloatArray = chosen / chosen.sum()
        return result
    weighting = weighting_named(str(weights))
    if not weighting.nonnegative_only:
        return weighting.kernel(matrix, benefit)
    if values.size and values.min() < 0.0:
        raise DataError(f"{weighting.title} weights need values of 0 or more")
    return weighting.kernel(values, benefit)


def checked_options(
    method: Method, options: Mapping[str, Any], used: Sequence[str]
) -> dict[str, Any]:
    """Return the options as the kernel takes them; raises UsageError for anything else."""
    result: dict[str, Any] = {}
    arrays = {"promethee": ("indifference", "preference"), "spotis": ("bounds",)}
    for name, value in options.items():
        if name in arrays.get(method.name, ()):
            try:
                result[name] = np.array([value[c] for c in used], dtype=np.float64)
            except (KeyError, TypeError, ValueError) as error:
                raise UsageError(f"{name} needs numbers for each of {', '.join(used)}") from error
        elif name in method.options:
            low, high = method.options[name]
            if not low <= float(value) <= high:
                raise UsageError(f"{name} must be from {low:g} to {high:g}, not {value}")
            result[name] = float(value)
        else:
            known = [*method.options, *arrays.get(method.name, ())]
            raise UsageError(
                f"{method.title} has no option {printable(name)!r}; "
                f"it has {', '.join(known) or 'none'}"
            )
    if ("indifference" in result) != ("preference" in result):
        raise UsageError("indifference and preference thresholds come together")
    return result


def _evaluate(
    method: Method,
    decision: Decision,
    used: Sequence[str],
    weights: FloatArray,
    options: Mapping[str, Any],
) -> tuple[FloatArray | None, Any, FloatArray]:
    m = len(decision.rows)
    if not used or m == 0:
        return None, np.ones(m, dtype=np.int64), np.zeros((m, len(used)))
    require_usable(method, decision.matrix, used)
    arguments = checked_options(method, options, used)
    if method.uses_bounds and "bounds" not in arguments:
        arguments["bounds"] = matrix_bounds(decision.matrix)
    scores = method.kernel(decision.matrix, weights, decision.benefit, **arguments)
    terms = method.terms(decision.matrix, weights, decision.benefit, **arguments)
    ranks = competition_ranks(scores if method.direction == "max" else -scores)
    return scores, ranks, terms - terms.mean(axis=0)


def _criteria(criteria: Sequence[str]) -> tuple[list[str], BoolArray]:
    titles: list[str] = []
    benefit: list[bool] = []
    for text in criteria:
        name, _, direction = text.rpartition(":")
        if not name or direction.strip() not in DIRECTIONS:
            raise UsageError(f"a criterion is written name:min or name:max, not {text!r}")
        titles.append(name.strip())
        benefit.append(direction.strip() == "max")
    if not titles or len(set(titles)) != len(titles):
        raise UsageError("at least one criterion is needed, and each of them once")
    return titles, np.array(benefit, dtype=bool)


def _table(matrix: Sequence[Sequence[float | None]], n: int) -> FloatArray:
    for i, row in enumerate(matrix):
        if len(row) != n:
            raise UsageError(f"row {i + 1} has {len(row)} values for {n} criteria")
    rows = [[_number(value, i, j) for j, value in enumerate(row)] for i, row in enumerate(matrix)]
    return np.array(rows, dtype=np.float64).reshape(len(rows), n)


def _number(value: float | None, row: int, column: int) -> float:
    """Return a value, NaN for a missing one; infinite is missing as well."""
    if value is None:
        return float(np.nan)
    place = f"row {row + 1}, value {column + 1}"
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise UsageError(f"{place}: {printable(repr(value)[:SHOWN])} is no number") from error
    if np.isfinite(number) and abs(number) > LARGEST:
        raise UsageError(f"{place}: {number:g} is too large to rank (limit {LARGEST:g})")
    return number
