"""Advice: which options meet deadline and budget, ranked, with reasons and near misses."""

import datetime
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from equipoise.advise.candidates import counted
from equipoise.advise.energy import EnergyAssumption
from equipoise.advise.justify import answer, assumptions, justification
from equipoise.advise.offers import Offer, OfferBook, SpotAssumption, age_days, oldest_words
from equipoise.advise.order import OBJECTIVES, front, marginal_costs, order
from equipoise.advise.prices import PriceList
from equipoise.advise.purchase import Purchase, purchase_rows
from equipoise.advise.results import (
    AdviceResult,
    Candidate,
    ExcludedRow,
    NearMiss,
    OptionRow,
)
from equipoise.errors import UnknownNameError, UsageError
from equipoise.metrics.cost import accelerator_hours
from equipoise.structs import dataclass
from equipoise.units import duration

Z_90 = 1.6448536269514722
"""Standard normal quantile of 0.95: both ends of a 90 % interval."""

NEAREST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What an option has to keep within at its median; None is no limit."""

    deadline_min: float | None = None
    budget_usd: float | None = None
    max_accelerators: int | None = None

    def __post_init__(self) -> None:
        """Refuse limits that nothing could satisfy."""
        for name in ("deadline_min", "budget_usd", "max_accelerators"):
            value = getattr(self, name)
            if value is not None and not 0 < value < math.inf:
                raise UsageError(f"{name} must be more than 0, not {value}")

    def misses(self, time_min: float, cost_usd: float | None) -> str | None:
        """Return why a time and a cost fail, None when they fit."""
        late = self.deadline_min is not None and time_min > self.deadline_min
        dear = self.budget_usd is not None and cost_usd is not None and cost_usd > self.budget_usd
        if late and dear:
            return "slower than the deadline and over the budget"
        if late:
            return "slower than the deadline"
        return "over the budget" if dear else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    """A candidate with its offer and the time that is billed."""

    candidate: Candidate
    offer: Offer | None
    time_min: float
    cost_usd: float | None


@dataclass(slots=True, kw_only=True)
class _Sorted:
    """Candidates by what becomes of them."""

    feasible: list[Priced] = field(default_factory=list)
    missed: list[Priced] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)


def advise(
    candidates: Sequence[Candidate],
    *,
    prices: PriceList,
    deadline_min: float | None = None,
    budget_usd: float | None = None,
    max_accelerators: int | None = None,
    price_kind: str = "on-demand",
    objective: str = "balanced",
    spot: SpotAssumption | None = None,
    energy: EnergyAssumption | None = None,
    purchases: Mapping[str, Purchase] | None = None,
    today: datetime.date | None = None,
    left_out: Mapping[str, int] | None = None,
    what: str = "the training",
) -> AdviceResult:
    """Return the options that satisfy every constraint at their median, best first.

    Parameters
    ----------
    candidates : sequence of Candidate
        Measured, predicted and own ones together.
    prices : PriceList
        The bundled list or the user's own.
    deadline_min, budget_usd, max_accelerators
        Limits; without one of them it does not bind.
    price_kind : str
        on-demand, spot, reserved (1 or 3 years), reserved-1y, reserved-3y, ...
    objective : str
        `time`: fastest first; `cost`: cheapest first; `balanced`: TOPSIS over log time,
        log cost and the chance to keep the limits, equally weighted; what was measured
        counts with its median, a prediction with the slow end of its 90 % interval.
    spot : SpotAssumption, optional
        How interruptions stretch a training on spot instances.
    energy : EnergyAssumption, optional
        With it, a planning estimate of energy and carbon is added.
    purchases : mapping, optional
        Accelerator id -> its purchase, put beside renting.
    today : date, optional
        For the age of the prices.
    left_out : mapping, optional
        Reason -> count of what never became a candidate.
    what : str
        Name of the training in the sentences.

    Raises
    ------
    UsageError
        For limits that are not above 0 and unknown names.

    Notes
    -----
    A larger budget or a later deadline never removes an option: whether one is feasible
    depends on its own median time, its own cheapest offer and the limits alone.
    """
    if objective not in OBJECTIVES:
        raise UnknownNameError("objective", objective, OBJECTIVES)
    limits = Limits(
        deadline_min=deadline_min, budget_usd=budget_usd, max_accelerators=max_accelerators
    )
    date = today or datetime.datetime.now(tz=datetime.UTC).date()
    book = OfferBook(prices, kind=price_kind)
    spot = spot or SpotAssumption()
    found = _sort(candidates, book, limits, spot)
    rows = [_row(item, limits, price_kind, energy, date) for item in found.feasible]
    options = _ranked(rows, objective)
    near = () if options else _near_misses(found.missed, limits)
    excluded = counted(left_out or {}, found.reasons)
    result = AdviceResult(
        options=options,
        excluded=tuple(
            ExcludedRow(reason=reason, count=count)
            for reason, count in sorted(excluded.items(), key=lambda pair: (-pair[1], pair[0]))
        ),
        near_misses=near,
        objective=objective,
        price_kind=price_kind,
        deadline_min=deadline_min,
        budget_usd=budget_usd,
        max_accelerators=max_accelerators,
        sentence="",
        justification=(),
        assumptions=(
            *assumptions(price_kind, objective=objective, spot=spot, energy=energy),
            *dict.fromkeys(item.assumed() for item in (purchases or {}).values()),
        ),
        purchases=purchase_rows(options, purchases or {}),
        warnings=_warnings(found, prices, date),
    )
    return replace(result, sentence=answer(result, what), justification=justification(result, what))


def _sort(
    candidates: Sequence[Candidate], book: OfferBook, limits: Limits, spot: SpotAssumption
) -> _Sorted:
    found = _Sorted()
    for c in candidates:
        if limits.max_accelerators is not None and c.accelerators > limits.max_accelerators:
            found.reasons["more accelerators than allowed"] += 1
            continue
        item = _priced(c, book, spot)
        if item is None:
            found.reasons["spot interruptions would keep it from ever finishing"] += 1
            continue
        if item.cost_usd is None and limits.budget_usd is not None:
            found.reasons[f"no {book.kind} price is known for enough of them together"] += 1
            continue
        miss = limits.misses(item.time_min, item.cost_usd)
        if miss is None:
            found.feasible.append(item)
        else:
            found.missed.append(item)
            found.reasons[miss] += 1
    return found


def _priced(c: Candidate, book: OfferBook, spot: SpotAssumption) -> Priced | None:
    """Return the candidate with its cheapest offer, None when it never finishes on spot."""
    offers = book.offers(c.accelerator_id, c.accelerators, per_node=c.accelerators_per_node)
    if not offers:
        return Priced(candidate=c, offer=None, time_min=c.time_median_min, cost_usd=None)
    best: Priced | None = None
    for offer in offers:
        time_min: float | None = c.time_median_min
        if book.kind == "spot":
            time_min = spot.stretched_min(c.time_median_min, offer.instances or c.accelerators)
        if time_min is None:
            continue
        cost = offer.cost_usd(time_min)
        if best is None or best.cost_usd is None or cost < best.cost_usd:
            best = Priced(candidate=c, offer=offer, time_min=time_min, cost_usd=cost)
    return best


def _row(
    item: Priced,
    limits: Limits,
    price_kind: str,
    energy: EnergyAssumption | None,
    today: datetime.date,
) -> OptionRow:
    c, offer = item.candidate, item.offer
    spread = math.exp(Z_90 * c.time_log_sigma)
    cost = item.cost_usd
    kwh = None
    if energy is not None:
        kwh = energy.energy_kwh(c.accelerator_id, c.accelerators, item.time_min)
    meets = _chance(limits.deadline_min, item.time_min, c.time_log_sigma)
    within = None if cost is None else _chance(limits.budget_usd, cost, c.time_log_sigma)
    chances = [p for p in (meets, within) if p is not None]
    price = None if offer is None else offer.price
    return OptionRow(
        rank=0,
        pareto=False,
        accelerator_id=c.accelerator_id,
        accelerators=c.accelerators,
        time_to_train_min=item.time_min,
        time_to_train_min_low=item.time_min / spread,
        time_to_train_min_high=item.time_min * spread,
        cost_usd=cost,
        cost_usd_low=None if cost is None else cost / spread,
        cost_usd_high=None if cost is None else cost * spread,
        accelerator_hours=float(accelerator_hours(c.accelerators, item.time_min)),
        marginal_cost_usd_per_saved_min=None,
        probability_meets_deadline=meets,
        probability_within_budget=within,
        # Cost is time times a fixed rate: both hold exactly when the tighter one does.
        probability_both=min(chances, default=None),
        provider=price.provider if price else None,
        instance_type=price.instance_type if price else None,
        instances=offer.instances if offer else None,
        rented_accelerators=offer.rented_accelerators if offer else None,
        price_kind=price.kind if price else price_kind,
        price_usd_per_accelerator_hour=offer.usd_per_accelerator_hour if offer else None,
        price_as_of=price.as_of if price else None,
        price_age_days=age_days(price, today) if price else None,
        price_confidence=price.confidence if price else None,
        price_source=price.source if price else None,
        energy_kj=c.energy_kj,
        energy_estimate_kwh=kwh,
        carbon_estimate_kg=energy.carbon_kg(kwh) if energy else None,
        basis=c.basis,
        round=c.round,
        submitter=c.submitter,
        system_id=c.system_id,
        configurations=c.configurations,
        verified=c.verified,
        reason=_reason(item),
    )


def _chance(limit: float | None, median: float, sigma: float) -> float | None:
    """Return P(X <= limit) for ln X ~ N(ln median, sigma^2), None without a limit."""
    if limit is None:
        return None
    if sigma <= 0.0:
        return 1.0 if median <= limit else 0.0
    return 0.5 * (1.0 + math.erf(math.log(limit / median) / (sigma * math.sqrt(2.0))))


def _reason(item: Priced) -> str:
    c = item.candidate
    basis = c.reason or c.basis.replace("_", " ")
    rent = "no price is known" if item.offer is None else item.offer.words()
    return f"{basis}; {rent}"


def _ranked(rows: Sequence[OptionRow], objective: str) -> tuple[OptionRow, ...]:
    pareto = front(rows)
    marginal = marginal_costs(rows, pareto)
    ranks = order(rows, objective)
    cheapest = min((r.cost_usd for r in rows if r.cost_usd is not None), default=None)
    fastest = min((r.time_to_train_min for r in rows), default=None)
    result = []
    for i, row in enumerate(rows):
        words = []
        if row.time_to_train_min == fastest:
            words.append("the fastest")
        if row.cost_usd is not None and row.cost_usd == cheapest:
            words.append("the cheapest")
        if not words and pareto[i]:
            words.append("no option is both faster and cheaper")
        text = f"{' and '.join(words)}; {row.reason}" if words else row.reason
        result.append(
            replace(
                row,
                rank=ranks[i],
                pareto=pareto[i],
                marginal_cost_usd_per_saved_min=marginal[i],
                reason=text,
            )
        )
    return tuple(sorted(result, key=lambda r: (r.rank, r.accelerator_id, r.accelerators)))


def _near_misses(missed: Sequence[Priced], limits: Limits) -> tuple[NearMiss, ...]:
    """Return the least budget for the deadline, the least time for the budget, the nearest."""
    chosen: list[Priced] = []
    timely = [p for p in missed if limits.misses(p.time_min, None) is None]
    thrifty = [p for p in missed if _within(p, limits)]
    for group, key in (
        (timely, lambda p: p.cost_usd or math.inf),
        (thrifty, lambda p: p.time_min),
        (missed, lambda p: _excess(p, limits)),
    ):
        chosen += sorted(group, key=key)[:1]
    chosen += sorted(missed, key=lambda p: _excess(p, limits))[:NEAREST]
    unique = {(p.candidate.accelerator_id, p.candidate.accelerators): p for p in chosen}
    nearest = sorted(unique.values(), key=lambda p: _excess(p, limits))
    return tuple(_near_miss(p, limits) for p in nearest)


def _within(p: Priced, limits: Limits) -> bool:
    return p.cost_usd is not None and (limits.budget_usd is None or p.cost_usd <= limits.budget_usd)


def _excess(p: Priced, limits: Limits) -> float:
    late = p.time_min / limits.deadline_min if limits.deadline_min else 1.0
    dear = p.cost_usd / limits.budget_usd if limits.budget_usd and p.cost_usd else 1.0
    return max(late, 1.0) * max(dear, 1.0)


def _near_miss(p: Priced, limits: Limits) -> NearMiss:
    late = limits.deadline_min is not None and p.time_min > limits.deadline_min
    dear = not _within(p, limits) and p.cost_usd is not None
    wanted = []
    if dear and p.cost_usd is not None:
        wanted.append(f"the budget would have to be {p.cost_usd:,.0f} USD")
    if late:
        wanted.append(f"the deadline would have to be {duration(p.time_min)}")
    c = p.candidate
    return NearMiss(
        accelerator_id=c.accelerator_id,
        accelerators=c.accelerators,
        time_to_train_min=p.time_min,
        cost_usd=p.cost_usd,
        deadline_needed_min=p.time_min if late else None,
        budget_needed_usd=p.cost_usd if dear else None,
        reason=f"for {c.accelerators} x {c.accelerator_id} {' and '.join(wanted)}",
    )


def _warnings(found: _Sorted, prices: PriceList, today: datetime.date) -> tuple[str, ...]:
    texts = list(prices.notes) if prices.own else []
    oldest = oldest_words((p.offer for p in found.feasible if p.offer is not None), today)
    if oldest is not None:
        texts.append(oldest)
    unpriced = sum(p.offer is None for p in found.feasible)
    if unpriced:
        texts.append(f"no price is known for {unpriced} of the options: they come last")
    return tuple(texts)
