"""Whether interconnect and host matter where accelerator, count and round are the same."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from equipoise.domain import Configuration
from equipoise.evaluate.encode import Block, design
from equipoise.evaluate.results import FixedEffect
from equipoise.metrics.variables import VARIABLES

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

QUESTIONS = {
    "link_kind": "interconnect",
    "link_generation": "interconnect",
    "link_gb_s": "interconnect",
    "network_kind": "network",
    "network_gbit_s_per_accelerator": "network",
    "host_link_generation": "host",
    "host_processor_vendor": "host",
    "host_processor_year": "host",
    "host_cores_per_accelerator": "host",
    "host_memory_gib_per_accelerator": "host",
}
"""Variable -> the part of the machine that it asks about."""
MATTERS = "matters"
NO_EFFECT = "no effect seen"
UNKNOWN = "cannot be told"
SHUFFLES = 4999
"""Enough for a p-value near the threshold to be told from it with any seed."""
CELLS_AT_ONCE = 500_000
RESAMPLES = 500
SIGNIFICANCE = 0.05
FEWEST_STRATA = 4
FEWEST = 12
MOST_ROWS = 4000
LEVEL = 0.90


def fixed_effects(
    configurations: Sequence[Configuration], target: FloatArray, *, log: bool,
    rng: np.random.Generator,
) -> tuple[FixedEffect, ...]:  # fmt: skip
    """Compare configurations only with those of the same benchmark, accelerator, n and round.

    Inside such sets the (log) target and the variable lose their means; the share of the
    variance that the variable explains is tested by shuffling it inside the sets, at 5 %
    over all variables (Bonferroni). `network_...` looks at more than one node only.
    """
    drafts = []
    for name, question in QUESTIONS.items():
        keep = [
            i
            for i, c in enumerate(configurations)
            if question != "network" or (c.nodes is not None and c.nodes > 1)
        ]
        if len(keep) > MOST_ROWS:
            keep = sorted(int(i) for i in rng.choice(keep, MOST_ROWS, replace=False))
        chosen = [configurations[i] for i in keep]
        drafts.append(_within(name, chosen, target[keep], log=log, rng=rng))
    tested = sum(1 for draft in drafts if draft.p_value is not None)
    return tuple(_judged(draft, tested) for draft in drafts)


def _within(
    name: str, chosen: Sequence[Configuration], target: FloatArray, *, log: bool,
    rng: np.random.Generator,
) -> FixedEffect:  # fmt: skip
    coded = design(chosen, names=[name])
    block = coded.blocks[0] if coded.blocks else None
    if block is None:
        return _effect(name, strata=0, n=0)
    rows, stratum = _strata(chosen, block)
    count = int(stratum.max()) + 1 if rows.size else 0
    if rows.size < FEWEST or count < FEWEST_STRATA:
        return _effect(name, strata=count, n=int(rows.size))
    y = _centred(target[rows, None], stratum)
    x = _centred(_columns(block, rows), stratum)
    explained, p_value = _tested(x, y, stratum, rng=rng)
    change = low = high = None
    if not block.levels:
        change, low, high = _slope(x[:, 0], y[:, 0], stratum, log=log, rng=rng)
    return _effect(
        name, strata=count, n=int(rows.size), explained=explained, change=change, low=low,
        high=high, p_value=p_value,
    )  # fmt: skip


def _strata(chosen: Sequence[Configuration], block: Block) -> tuple[IntArray, IntArray]:
    """Return the rows in sets where the variable varies, and the set of each."""
    members: dict[tuple[str, str, int, str], list[int]] = {}
    for i, c in enumerate(chosen):
        name = c.accelerator_id or c.accelerator_model
        if name and np.isfinite(block.values[i]):
            members.setdefault((c.benchmark, name, c.accelerators, c.round), []).append(i)
    rows: list[int] = []
    stratum: list[int] = []
    varied = [m for m in members.values() if np.unique(block.values[m]).size > 1]
    for s, group in enumerate(varied):
        rows += group
        stratum += [s] * len(group)
    return np.array(rows, dtype=np.int64), np.array(stratum, dtype=np.int64)


def _columns(block: Block, rows: IntArray) -> FloatArray:
    values = block.values[rows]
    if not block.levels:
        return values[:, None]
    return np.column_stack([(values == code).astype(float) for code in np.unique(values)])


def _centred(values: FloatArray, stratum: IntArray) -> FloatArray:
    sizes = np.bincount(stratum).astype(float)
    result = np.empty_like(values)
    for j in range(values.shape[1]):
        means = np.bincount(stratum, weights=values[:, j]) / sizes
        result[:, j] = values[:, j] - means[stratum]
    return result


def _tested(
    x: FloatArray, y: FloatArray, stratum: IntArray, *, rng: np.random.Generator
) -> tuple[float, float]:
    """Return the share of the sum of squares of y that x explains, and its p-value.

    Shuffling y inside sets, which lie one after the other, changes neither the means of
    the sets nor x'x.
    """
    total = float((y**2).sum())
    if total <= 0:
        return 0.0, 1.0
    inverse = np.linalg.pinv(x.T @ x, hermitian=True)

    def shares(order: IntArray) -> FloatArray:
        moments = y[:, 0][order] @ x
        found: FloatArray = ((moments @ inverse) * moments).sum(axis=-1) / total
        return found.clip(0.0, 1.0)

    explained, as_much = float(shares(np.arange(stratum.size))), 0
    block = max(1, CELLS_AT_ONCE // stratum.size)
    for start in range(0, SHUFFLES, block):
        keys = stratum + rng.random((min(block, SHUFFLES - start), stratum.size))
        as_much += int((shares(keys.argsort(axis=1)) >= explained - 1e-12).sum())
    return explained, (1 + as_much) / (SHUFFLES + 1)


def _slope(
    x: FloatArray, y: FloatArray, stratum: IntArray, *, log: bool, rng: np.random.Generator
) -> tuple[float | None, float | None, float | None]:
    count = int(stratum.max()) + 1
    products = np.bincount(stratum, weights=x * y, minlength=count)
    squares = np.bincount(stratum, weights=x * x, minlength=count)
    if squares.sum() <= 0:
        return None, None, None
    draws = rng.multinomial(count, np.full(count, 1 / count), size=RESAMPLES).astype(float)
    below = draws @ squares
    slopes = (draws @ products)[below > 0] / below[below > 0]
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(slopes, [tail, 1 - tail])
    centre = float(products.sum() / squares.sum())
    low, high = min(float(low), centre), max(float(high), centre)
    if log:
        return float(np.expm1(centre)), float(np.expm1(low)), float(np.expm1(high))
    return centre, low, high


def _effect(
    name: str, *, strata: int, n: int, explained: float | None = None,
    change: float | None = None, low: float | None = None, high: float | None = None,
    p_value: float | None = None,
) -> FixedEffect:  # fmt: skip
    return FixedEffect(
        variable=name, label=VARIABLES[name].label, question=QUESTIONS[name], strata=strata, n=n,
        explained=explained, change=change, low=low, high=high, p_value=p_value,
        verdict=UNKNOWN, sentence="",
    )  # fmt: skip


def _judged(draft: FixedEffect, tested: int) -> FixedEffect:
    sets = "1 set" if draft.strata == 1 else f"{draft.strata} sets"
    where = f"{draft.n} configurations in {sets} of equal accelerator, count and round"
    if not draft.strata:
        text = (
            f"{draft.label}: {UNKNOWN}, no two configurations of equal accelerator, count and "
            "round are known to differ in it."
        )
        return replace(draft, sentence=text)
    if draft.p_value is None or draft.explained is None:
        text = f"{draft.label}: {UNKNOWN}, it varies only among {where}."
        return replace(draft, sentence=text)
    threshold = SIGNIFICANCE / max(1, tested)
    found = draft.p_value <= threshold
    text = (
        f"{draft.label}: {MATTERS if found else NO_EFFECT}; it explains {draft.explained:.0%} of "
        f"what differs among {where} (p = {draft.p_value:.3f}, "
        f"{'at most' if found else 'more than'} the {threshold:.2g} that counts when {tested} "
        f"variable{' is' if tested == 1 else 's are'} tested)."
    )
    return replace(draft, verdict=MATTERS if found else NO_EFFECT, sentence=text)
