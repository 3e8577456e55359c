"""Decisions: advice under a deadline and a budget, two configurations compared, trends."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from equipoise import facts
from equipoise.domain import Configuration
from equipoise.errors import NothingFoundError, UnknownNameError, UsageError
from equipoise.report.figures.base import charts_of
from equipoise.report.footnotes import footnotes
from equipoise.workflow import advised, terms
from equipoise.workflow.analyses import generator, notes_for
from equipoise.workflow.answer import Answer
from equipoise.workflow.measured import Measured, own_job_of
from equipoise.workflow.pairs import like_pair
from equipoise.workflow.selection import (
    DIVISIONS,
    Selection,
    SelectionOptions,
    select,
)

if TYPE_CHECKING:
    from equipoise.advise import AdviceResult
    from equipoise.catalogue import Catalogue


# long: one argument for each option, and what it means
def advise(
    catalogue: "Catalogue",
    benchmark: str | None = None,
    *,
    deadline: str | float | None = None,
    budget: str | float | None = None,
    price_kind: str = "on-demand",
    prices: str | Path | None = None,
    rates: str | None = None,
    objective: str = "balanced",
    measured: Measured | None = None,
    measured_on: str | None = None,
    like: str | None = None,
    predicted: bool = True,
    estimate_energy: bool = False,
    grid_g_per_kwh: float | None = None,
    interruptions: float | None = None,
    interruption_loss: str | float | None = None,
    purchase: str | float | None = None,
    years: float | None = None,
    utilisation: float | None = None,
    power_price: float | None = None,
    running_cost: float | None = None,
    pue: float | None = None,
    **options: Unpack[SelectionOptions],
) -> Answer:
    """Return the options that meet deadline and budget at their median, best first.

    Parameters
    ----------
    benchmark : str, optional
        Needed unless `measured` describes the user's own job.
    deadline, budget
        `2h`, `90min`, minutes; `500usd`, dollars.
    prices : path, optional
        The user's own price list (CSV); the bundled, dated one without.
    rates : str, optional
        `EUR=1.08`: US dollars for one unit of another currency.
    measured, measured_on, like
        The user's own job: measurements, the accelerator they were made on, and the
        benchmark it is like. A price in the file is the price of that accelerator.
    interruptions, interruption_loss
        Spot: interruptions per instance and hour, and what one costs the job (`15min`).
    purchase : str, optional
        Price of an accelerator with its share of the system: `35000usd` for all of them or
        `h200=38000usd,b200=50000usd`; puts buying beside renting, with the break-even
        utilisation. `years`, `utilisation` (share of all hours), `power_price` (US dollars
        per kWh), `running_cost` (US dollars per accelerator and year) and `pue` go with it.

    Raises
    ------
    NothingFoundError
        When no option is feasible, with the nearest misses.
    UsageError, DataError
        For a request or a price list that cannot be understood.
    """
    from equipoise.advise import advise as compute
    from equipoise.advise import parse_duration_min

    deadline_min = parse_duration_min(str(deadline)) if deadline is not None else None
    budget_usd = terms.amount_usd(budget, rates) if budget is not None else None
    book = terms.price_list(prices, rates)
    bought = terms.purchases(
        purchase,
        years=years,
        utilisation=utilisation,
        power_price=power_price,
        running_cost=running_cost,
        pue=pue,
    )
    wanted = advised.wanted_of(options)
    selection, found = advised.evidence(catalogue, benchmark, measured is not None, options)
    job = None
    doubts: list[str] = []
    if measured is not None:
        job = own_job_of(catalogue, measured, accelerator=measured_on, like=like or benchmark)
        home, assumed = advised.home_of(job, measured_on, book)
        what = "the job"
        book = terms.with_own_price(book, job, home, kind=price_kind)
        candidates, left_out, doubts = advised.own(
            catalogue, job, home, wanted, like=like or benchmark, prices=book, price_kind=price_kind
        )
    else:
        assert selection is not None
        what = facts.benchmark(selection.benchmark).pretty_name
        candidates, left_out = advised.published(
            catalogue,
            selection.benchmark,
            found,
            wanted,
            prices=book,
            price_kind=price_kind,
            predicted=predicted,
        )
    result = compute(
        candidates,
        prices=book,
        deadline_min=deadline_min,
        budget_usd=budget_usd,
        max_accelerators=options.get("max_accelerators"),
        price_kind=price_kind,
        objective=objective,
        spot=terms.spot(interruptions, interruption_loss),
        energy=terms.energy(estimate_energy, grid_g_per_kwh, pue),
        purchases=bought,
        left_out=left_out,
        what=what,
    )
    if not result.options:
        raise NothingFoundError(_nothing(result))
    answer = advice_answer(selection, found, result, own=job is not None)
    if job is None:
        return answer
    asked = {"accelerators": list(wanted.accelerators), "min_accelerators": wanted.least}
    return replace(
        answer,
        selection={**answer.selection, **asked, "measured_on": home},
        warnings=(*assumed, *job.warnings, *doubts, *answer.warnings),
    )


def advice_answer(
    selection: Selection | None,
    found: Sequence[Configuration],
    result: "AdviceResult",
    *,
    own: bool,
) -> Answer:
    """Wrap advice."""
    from equipoise.report.figures.pareto import pareto

    rounds = tuple(dict.fromkeys(c.round for c in found))
    divisions = dict.fromkeys(c.division for c in found)
    return Answer(
        command="advise",
        tables={
            "options": result.options,
            "excluded": result.excluded,
            "near_misses": result.near_misses,
            **_further(result),
        },
        selection={
            **(selection.to_dict() if selection else {}),
            "deadline_min": result.deadline_min,
            "budget_usd": result.budget_usd,
            "max_accelerators": result.max_accelerators,
            "price_kind": result.price_kind,
            "objective": result.objective,
        },
        extra={"justification": result.justification, "assumptions": result.assumptions},
        headline=result.sentence,
        notes=result.justification,
        footnotes=footnotes(
            rounds=rounds,
            divisions=tuple(divisions),
            derived=True,
            priced=True,
            unverified=own,
            estimated_energy=any(row.energy_estimate_kwh is not None for row in result.options),
        ),
        warnings=result.warnings,
        result=result,
        charts=charts_of(
            {
                "pareto": lambda: pareto(
                    result.options, deadline_min=result.deadline_min, budget=result.budget_usd
                )
            }
        ),
    )


def _further(result: "AdviceResult") -> dict[str, Any]:
    """Return the tables that only some requests have."""
    from equipoise.advise import cheapest_under_deadline, fastest_under_budget

    tables: dict[str, Any] = {}
    if result.deadline_min is not None:
        tables["cheapest"] = cheapest_under_deadline(
            result.options, deadline_min=result.deadline_min
        )
    if result.budget_usd is not None:
        tables["fastest"] = fastest_under_budget(result.options, budget_usd=result.budget_usd)
    if result.purchases:
        tables["purchases"] = result.purchases
    return tables


def compare(
    catalogue: "Catalogue",
    a: str,
    b: str,
    *,
    benchmark: str | None = None,
    price_kind: str = "on-demand",
    seed: int = 0,
) -> Answer:
    """Return two configurations side by side with ratio, interval and probabilities.

    A configuration is `round/submitter/system_id/benchmark`, or a shorter tail of it when
    only one configuration has it. Two accelerators (`mi355x`, `b200`) with a benchmark stand
    for their best results at the largest count that the newest round has of both.

    Raises
    ------
    UsageError
        When a name is ambiguous or the two may not be compared.
    """
    from equipoise.advise import bundled_prices
    from equipoise.advise import compare as compute

    alike = None
    if benchmark is not None and "/" not in a + b:
        alike = like_pair(_everything(catalogue, facts.benchmark(benchmark).id), a, b)
    one, other = alike or (_find(catalogue, a, benchmark), _find(catalogue, b, benchmark))
    pool = _everything(catalogue, one.benchmark) if one.benchmark == other.benchmark else ()
    result = compute(
        one,
        other,
        rng=generator(seed),
        pool=[c for c in pool if c.division == one.division],
        prices=bundled_prices(),
        price_kind=price_kind,
    )
    row = {
        name: getattr(result, name)
        for name in (
            *("a", "b", "time_ratio", "time_ratio_low", "time_ratio_high"),
            *("accelerator_hours_ratio", "probability_a_faster", "cost_a_usd", "cost_b_usd"),
            *("cost_ratio", "probability_a_cheaper", "level", "price_a", "price_b"),
        )
    }
    return Answer(
        command="compare",
        tables={
            "fields": result.fields,
            "comparison": [row],
            **({"same_count": result.same_count} if result.same_count else {}),
        },
        notes=tuple(
            f"Price of {name}: {words}"
            for name, words in (("A", result.price_a), ("B", result.price_b))
            if words is not None
        ),
        selection={"a": result.a, "b": result.b, "price_kind": price_kind},
        headline=result.sentence,
        footnotes=notes_for((one, other), priced=result.cost_ratio is not None),
        warnings=result.warnings,
        result=result,
    )


def trends(catalogue: "Catalogue", benchmark: str, **options: Unpack[SelectionOptions]) -> Answer:
    """Return the progress over rounds, split into hardware and software gain."""
    from equipoise.advise import trends as compute
    from equipoise.report.figures.trends import trends as figure

    selection, found = select(catalogue, benchmark, **options)
    result = compute(found)
    return Answer(
        command="trends",
        tables={"trends": result.trends, "gains": result.gains, "software": result.software},
        selection=selection.to_dict(),
        extra={
            "total_gain": result.total_gain,
            "software_gain": result.software_gain,
            "hardware_gain": result.hardware_gain,
        },
        headline=result.sentence,
        footnotes=notes_for(found),
        warnings=result.warnings,
        result=result,
        charts=charts_of(
            {
                "trends": lambda: figure(
                    [
                        {
                            "round": row.round,
                            "accelerator_id": row.accelerator_id,
                            "accelerators": row.accelerators,
                            "time_to_train_min": row.time_best_min,
                            "submitter": row.best_submitter,
                            "system_id": row.best_system_id,
                        }
                        for row in result.trends
                    ],
                    rounds=selection.rounds,
                )
            }
        ),
    )


def _nothing(result: "AdviceResult") -> str:
    sentence = result.sentence.rstrip(".")
    told = [f"({m.accelerators} x {m.accelerator_id})" in sentence for m in result.near_misses]
    more = [m.reason for m, said in zip(result.near_misses, told, strict=True) if not said]
    return "; ".join([sentence, *(text for text in more if text not in sentence)])


def _everything(catalogue: "Catalogue", benchmark: str) -> tuple[Configuration, ...]:
    return catalogue.configurations(
        benchmark=benchmark,
        rounds=facts.every_round(benchmark),
        divisions=DIVISIONS["all"],
        keep_resubmitted=True,
    )


def _find(catalogue: "Catalogue", text: str, benchmark: str | None) -> Configuration:
    parts = text.strip("/").split("/")
    names = {b.id for b in facts.benchmarks()}
    if parts[-1] not in names:
        if benchmark is None:
            raise UsageError(
                f"{text!r} does not end in a benchmark; write round/submitter/system/benchmark, "
                "or give --benchmark (with it, two accelerators can be compared too)"
            )
        parts.append(facts.benchmark(benchmark).id)
    named = [(c.key.split("/")[-len(parts) :], c) for c in _everything(catalogue, parts[-1])]
    found = [c for tail, c in named if tail == parts]
    if not found:
        keys = {"/".join(tail) for tail, _ in named}
        raise UnknownNameError("configuration", "/".join(parts), keys)
    if len(found) > 1:
        listed = ", ".join(c.key for c in found[:10])
        raise UsageError(f"{text} is the name of {len(found)} configurations; say which: {listed}")
    return found[0]
