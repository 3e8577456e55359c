"""Rows of a ranking: what was computed, put beside the configurations it belongs to."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from equipoise.domain import Configuration
from equipoise.metrics import criteria as registry
from equipoise.rank.decision import Decision, listed
from equipoise.rank.explain import configuration_name
from equipoise.rank.matrix import Weights
from equipoise.rank.methods import Method
from equipoise.rank.methods.base import FloatArray
from equipoise.rank.methods.vikor import compromise_set
from equipoise.rank.ordering import IntArray, pareto_front
from equipoise.rank.results import CriterionRow, RankingRow, SetAside
from equipoise.rank.robust import Robustness
from equipoise.structs import dataclass

NAMED = 5
"""Configurations that a note names at most."""

CONFIGURATION_FIELDS = (
    "round",
    "submitter",
    "system_id",
    "benchmark",
    "division",
    "availability",
    "accelerator_id",
    "accelerator_model",
    "accelerators",
    "nodes",
    "time_to_train_min",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What was asked for."""

    configurations: Sequence[Configuration]
    names: Sequence[str]
    method: Method
    given: Mapping[str, float] | None
    weights: Weights
    scale: str
    level: float
    concentration: float

    def used(self, decision: Decision) -> list[str]:
        """Return the names of the criteria that are used."""
        return [self.names[j] for j in decision.columns]

    def ranked(self, decision: Decision) -> list[Configuration]:
        """Return the configurations that are ranked, in the order of the matrix."""
        return [self.configurations[i] for i in decision.rows.tolist()]


def ranking_rows(
    setup: Setup,
    decision: Decision,
    *,
    ranks: IntArray,
    scores: FloatArray | None,
    terms: FloatArray,
    robustness: Robustness | None,
) -> tuple[RankingRow, ...]:
    """Return the rows best first; the interval always contains the rank itself."""
    used = setup.used(decision)
    ranked = setup.ranked(decision)
    front = (
        pareto_front(decision.matrix, decision.benefit)
        if used and ranked
        else np.ones(len(ranked), dtype=bool)
    )
    centred = terms - terms.mean(axis=0) if len(ranked) else terms
    rows = []
    for k, c in enumerate(ranked):
        place = int(ranks[k])
        low, high = place, place
        top: list[float | None] = [None, None, None]
        if robustness is not None:
            low = min(place, int(robustness.low[k]))
            high = max(place, int(robustness.high[k]))
            top = [float(p) for p in robustness.top[k]]
        rows.append(
            RankingRow(
                rank=place,
                rank_low=low,
                rank_high=high,
                score=None if scores is None else float(scores[k]),
                **{name: getattr(c, name) for name in CONFIGURATION_FIELDS},
                criteria=dict(zip(used, decision.matrix[k].tolist(), strict=True)),
                contributions=dict(zip(used, centred[k].tolist(), strict=True)),
                probability_top1=top[0],
                probability_top3=top[1],
                probability_top10=top[2],
                pareto=bool(front[k]),
            )
        )
    return tuple(sorted(rows, key=lambda r: (r.rank, r.round, r.submitter, r.system_id)))


def criterion_rows(
    setup: Setup, decision: Decision, weights: FloatArray, perturbed: FloatArray | None
) -> tuple[CriterionRow, ...]:
    """Return one row per criterion that was asked for, used or not."""
    place = {j: k for k, j in enumerate(decision.columns)}
    tail = (1.0 - setup.level) / 2.0
    rows = []
    for j, name in enumerate(setup.names):
        entry = registry.criterion(name)
        low, high = None, None
        if perturbed is not None and j in place:
            low, high = np.quantile(perturbed[:, place[j]], [tail, 1.0 - tail]).tolist()
        rows.append(
            CriterionRow(
                criterion=name,
                unit=entry.unit,
                direction=entry.direction,
                weight=float(weights[place[j]]) if j in place else 0.0,
                weight_low=low,
                weight_high=high,
                coverage=float(decision.coverage[j]),
                used=j in place,
                reason=decision.reasons.get(j),
            )
        )
    return tuple(rows)


def set_aside_rows(setup: Setup, decision: Decision) -> tuple[SetAside, ...]:
    """Return the configurations that could not be ranked."""
    return tuple(
        SetAside(
            round=setup.configurations[i].round,
            submitter=setup.configurations[i].submitter,
            system_id=setup.configurations[i].system_id,
            reason=reason,
        )
        for i, reason in decision.missing.items()
    )


def method_notes(
    setup: Setup,
    decision: Decision,
    view: tuple[FloatArray, FloatArray, Any],
    arguments: Mapping[str, Any],
) -> tuple[str, ...]:
    """Return what VIKOR proposes together; other methods add nothing."""
    if setup.method.name != "vikor":
        return ()
    together = compromise_set(*view, **arguments)
    ranked = setup.ranked(decision)
    leaders = [configuration_name(c) for c, yes in zip(ranked, together, strict=True) if yes]
    if len(leaders) == 1:
        return (f"VIKOR proposes one solution: {leaders[0]}",)
    shown = (
        listed(leaders[:NAMED])
        if len(leaders) <= NAMED
        else (f"{', '.join(leaders[:NAMED])} and {len(leaders) - NAMED} more")
    )
    return (f"VIKOR proposes {len(leaders)} compromise solutions together: {shown}",)
