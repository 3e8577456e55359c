"""Stage 3 on configurations: rank them by several criteria and say how sure that is."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from equipoise.domain import Configuration
from equipoise.errors import UnknownNameError, UsageError
from equipoise.metrics import criteria as registry
from equipoise.rank.assemble import (
    Setup,
    criterion_rows,
    method_notes,
    ranking_rows,
    set_aside_rows,
)
from equipoise.rank.decision import (
    MIN_COVERAGE,
    SCALES,
    Decision,
    decide,
    listed,
    require_usable,
    unusable,
)
from equipoise.rank.explain import why_first
from equipoise.rank.matrix import Weights, checked_options, decision_weights, user_weights
from equipoise.rank.methods import method_named
from equipoise.rank.methods.base import FloatArray
from equipoise.rank.noise import (
    WEIGHT_CONCENTRATION,
    perturbed_weights,
    responses,
    time_factors,
)
from equipoise.rank.ordering import competition_ranks
from equipoise.rank.results import RankResult
from equipoise.rank.robust import (
    Problem,
    Robustness,
    affordable,
    agreement,
    all_rankings,
    rank_intervals,
    reversal,
)
from equipoise.rank.weights import USER, normalised_weights, parse_weights, weighting_named

DEFAULT_CRITERIA = (
    "time_to_train_min",
    "throughput_samples_per_s",
    "efficiency",
    "accelerator_hours",
)
"""Two criteria of speed and two of thrift: equal weights balance the two."""

LEVEL = 0.9


def rank(
    configurations: Sequence[Configuration],
    *,
    rng: np.random.Generator,
    criteria: Sequence[str] | None = None,
    method: str = "topsis",
    weights: Weights = "equal",
    scale: str = "log",
    resamples: int = 1000,
    level: float = LEVEL,
    min_coverage: float = MIN_COVERAGE,
    weight_concentration: float = WEIGHT_CONCENTRATION,
    options: Mapping[str, Any] | None = None,
) -> RankResult:
    """Rank configurations of one benchmark by several criteria, with rank intervals.

    Parameters
    ----------
    configurations : sequence of Configuration
        Already selected: one benchmark, one block of compatible rounds, each run once.
    rng : numpy.random.Generator
        The same generator state gives the same result.
    criteria : names of the registry, optional
        `DEFAULT_CRITERIA` without, or the names that user weights give.
    method : str
        Name of a method: `METHODS` has them.
    weights : str or mapping
        Name of a weighting (`WEIGHTINGS`), `name=w,...` or a mapping.
    scale : str
        `log`: criteria whose ratios count are compared on a log scale and scaled to
        0 .. 1 (halving the time counts the same anywhere; WASPAS, which compares ratios
        anyway, sees the values); `raw`: the values as they are, by the book.
    resamples : int
        Draws of run times x weights for the intervals; 0 leaves them out.
    level : float
        Coverage of `rank_low`..`rank_high`, which always contain the rank.
    min_coverage : float
        A criterion that fewer of the configurations have is set aside; configurations
        that lack a criterion in use are set aside and counted.
    weight_concentration : float
        kappa of the Dirichlet distribution around the weights.
    options : mapping, optional
        Options of the method, see `rank_matrix`.

    Raises
    ------
    UsageError
        For an unknown criterion, method, weighting or option, or several benchmarks.
    DataError
        When the method cannot work with the values.
    """
    _check(configurations, scale, resamples, level)
    names = _criteria(criteria, weights)
    setup = Setup(
        configurations=configurations,
        names=names,
        method=method_named(method),
        given=user_weights(_resolved(weights), names),
        weights=weights,
        scale=scale,
        level=level,
        concentration=weight_concentration,
    )
    decision = _decision(setup, min_coverage)
    if len(decision.rows) < 2 or not decision.columns:
        return _unranked(setup, decision)
    return _ranked(setup, decision, options or {}, resamples, rng)


def _check(
    configurations: Sequence[Configuration], scale: str, resamples: int, level: float
) -> None:
    if scale not in SCALES:
        raise UnknownNameError("scale", scale, SCALES)
    if resamples < 0:
        raise UsageError(f"resamples must be 0 or more, not {resamples}")
    if not 0.0 < level < 1.0:
        raise UsageError(f"level must be between 0 and 1, not {level}")
    benchmarks = sorted({c.benchmark for c in configurations})
    if len(benchmarks) > 1:
        raise UsageError(f"only one benchmark can be ranked at a time, not {listed(benchmarks)}")


def _resolved(weights: Weights) -> Weights:
    if isinstance(weights, str):
        if "=" not in weights:
            return weights
        weights = parse_weights(weights)
    return normalised_weights(weights, resolve=lambda name: registry.criterion(name).name)


def _criteria(criteria: Sequence[str] | None, weights: Weights) -> list[str]:
    resolved = _resolved(weights)
    if criteria is None:
        return list(DEFAULT_CRITERIA if isinstance(resolved, str) else resolved)
    names = [registry.criterion(name).name for name in criteria]
    if not names or len(set(names)) != len(names):
        raise UsageError("at least one criterion is needed, and each of them once")
    return names


def _decision(setup: Setup, min_coverage: float) -> Decision:
    entries = [registry.criterion(name) for name in setup.names]
    given = setup.given
    return decide(
        registry.values(setup.configurations, setup.names),
        setup.names,
        benefit=np.array([entry.direction == "max" for entry in entries]),
        log=np.array([entry.log and setup.scale == "log" for entry in entries]),
        unweighted=frozenset(
            j for j, name in enumerate(setup.names) if given is not None and not given[name]
        ),
        min_coverage=min_coverage,
        noun="configurations",
    )


def _ranked(
    setup: Setup,
    decision: Decision,
    options: Mapping[str, Any],
    resamples: int,
    rng: np.random.Generator,
) -> RankResult:
    method, used, m = setup.method, setup.used(decision), len(decision.rows)
    require_usable(method, decision.matrix, used)
    checked = checked_options(method, options, used)
    in_units = [name for name, value in checked.items() if isinstance(value, np.ndarray)]
    if in_units and setup.scale != "raw":
        raise UsageError(f"{listed(in_units)} are in the criteria's units: use the raw scale")
    problem = Problem(decision=decision, log_scale=setup.scale == "log", options=checked)
    weights = decision_weights(
        setup.weights, setup.given, used, values=decision.matrix, **problem.common_view()
    )
    arguments = problem.arguments(method, chosen=True)
    view = (problem.values(method), weights, problem.benefit(method))
    scores = method.kernel(*view, **arguments)
    terms = method.terms(*view, **arguments)
    ranks = competition_ranks(scores if method.direction == "max" else -scores)
    drawn = affordable(resamples, m)
    warnings = list(decision.warnings)
    robustness, perturbed = None, None
    if drawn:
        perturbed = perturbed_weights(
            weights, resamples=drawn, rng=rng, concentration=setup.concentration
        )
        robustness, texts = _intervals(setup, problem, perturbed, rng)
        warnings += texts
    if drawn < resamples:
        warnings.append(f"{drawn} instead of {resamples} resamples: there are {m} configurations")
    rankings = all_rankings(
        problem, method, weights, usable=lambda other: not unusable(other, decision.matrix, used)
    )
    rows = ranking_rows(
        setup, decision, ranks=ranks, scores=scores, terms=terms, robustness=robustness
    )
    return RankResult(
        method=method.name,
        weights=_weights_name(setup.weights),
        score_direction=method.direction,
        scale=setup.scale,
        ranking=rows,
        criteria=criterion_rows(setup, decision, weights, perturbed),
        agreement=agreement(rankings),
        reversal=reversal(problem, method, weights),
        set_aside=set_aside_rows(setup, decision),
        resamples=drawn,
        level=setup.level,
        why_first=why_first(rows, title=method.title),
        notes=method_notes(setup, decision, view, arguments),
        warnings=tuple(warnings),
    )


def _intervals(
    setup: Setup, problem: Problem, perturbed: FloatArray, rng: np.random.Generator
) -> tuple[Robustness, tuple[str, ...]]:
    decision = problem.decision
    ranked = setup.ranked(decision)
    factors, texts = time_factors(ranked, resamples=len(perturbed), level=setup.level, rng=rng)
    moves = responses(ranked)
    result = rank_intervals(
        problem,
        setup.method,
        factors=factors,
        weights=perturbed,
        moves=[moves[name] for name in setup.used(decision)],
        level=setup.level,
    )
    return result, texts


def _unranked(setup: Setup, decision: Decision) -> RankResult:
    """Return the result when there is nothing to compare: everybody is first."""
    ranked, used = setup.ranked(decision), setup.used(decision)
    m, n = len(ranked), len(used)
    if not setup.configurations:
        text = "there is no configuration to rank"
    elif not ranked:
        text = "no configuration has all of the criteria: leave one out"
    elif m == 1:
        text = "there is only one configuration: nothing to compare it with"
    else:
        text = "no criterion separates the configurations: all share rank 1"
    weights = np.full(n, 1.0 / n) if n else np.zeros(0)
    if setup.given is not None and n:
        weights = decision_weights(
            setup.weights,
            setup.given,
            used,
            values=decision.matrix,
            matrix=decision.matrix,
            benefit=decision.benefit,
        )
    return RankResult(
        method=setup.method.name,
        weights=_weights_name(setup.weights),
        score_direction=setup.method.direction,
        scale=setup.scale,
        ranking=ranking_rows(
            setup,
            decision,
            ranks=np.ones(m, dtype=np.int64),
            scores=None,
            terms=np.zeros((m, n)),
            robustness=None,
        ),
        criteria=criterion_rows(setup, decision, weights, None),
        agreement=(),
        reversal=None,
        set_aside=set_aside_rows(setup, decision),
        resamples=0,
        level=setup.level,
        why_first="",
        warnings=(*decision.warnings, text),
    )


def _weights_name(weights: Weights) -> str:
    if isinstance(weights, str) and "=" not in weights:
        return weighting_named(weights).name
    return USER
