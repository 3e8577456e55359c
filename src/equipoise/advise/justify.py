"""Advice in words: one sentence for the screen, two paragraphs for a proposal."""

from equipoise.advise.energy import EnergyAssumption
from equipoise.advise.offers import SpotAssumption, dated
from equipoise.advise.results import MEASURED, OWN, AdviceResult, NearMiss, OptionRow
from equipoise.domain import CERTAIN
from equipoise.units import duration, figure


def chance(probability: float) -> str:
    """Return a probability in words that never claim certainty.

    >>> chance(0.42), chance(1.0), chance(0.0)
    ('42 %', 'more than 99 %', 'less than 1 %')
    """
    if probability > CERTAIN:
        return "more than 99 %"
    return "less than 1 %" if probability < 1.0 - CERTAIN else f"{100 * probability:.0f} %"


def limits_words(result: AdviceResult) -> str:
    """Return the limits in words, empty without any."""
    words = []
    if result.deadline_min is not None:
        words.append(f"a deadline of {duration(result.deadline_min)}")
    if result.budget_usd is not None:
        words.append(f"a budget of {result.budget_usd:,.0f} USD")
    if result.max_accelerators is not None:
        words.append(f"at most {result.max_accelerators} accelerators")
    return " and ".join(words)


def answer(result: AdviceResult, what: str) -> str:
    """Return the answer in one sentence, or what would have to give."""
    limits = limits_words(result)
    within = f" within {limits}" if limits else ""
    if result.options:
        first = result.options[0]
        return (
            f"For {what}{within}, {_named(first)} is the first choice ({result.objective}): "
            f"{_figures(first)}; {_how_many(result)}."
        )
    nothing = f"No configuration does {what}{within}"
    if not result.near_misses:
        return f"{nothing}; {_why_none(result)}."
    return f"{nothing}: {_give(result.near_misses)}."


def _how_many(result: AdviceResult) -> str:
    if len(result.options) == 1:
        return "it is the only option that satisfies the limits"
    text = (
        f"{len(result.options)} options satisfy the limits, "
        f"{sum(row.pareto for row in result.options)} of them with nothing faster and cheaper"
    )
    first = result.options[0]
    if first.pareto or first.basis not in RUN:
        return text
    return f"{text}; what beats the first choice is predicted, and counts with its slow end"


def _give(misses: tuple[NearMiss, ...]) -> str:
    budget = [m for m in misses if m.deadline_needed_min is None and m.budget_needed_usd]
    deadline = [m for m in misses if m.budget_needed_usd is None and m.deadline_needed_min]
    parts = []
    if budget:
        least = min(budget, key=lambda m: m.budget_needed_usd or 0.0)
        parts.append(
            f"the budget would have to be {least.budget_needed_usd:,.0f} USD "
            f"({least.accelerators} x {least.accelerator_id})"
        )
    if deadline:
        least = min(deadline, key=lambda m: m.deadline_needed_min or 0.0)
        parts.append(
            f"the deadline would have to be {duration(least.deadline_needed_min or 0.0)} "
            f"({least.accelerators} x {least.accelerator_id})"
        )
    return ", or ".join(parts) if parts else misses[0].reason


def _why_none(result: AdviceResult) -> str:
    if not result.excluded:
        return "there is no candidate at all"
    most = result.excluded[0]
    return f"most often: {most.reason} ({most.count})"


def assumptions(
    price_kind: str, *, objective: str, spot: SpotAssumption, energy: EnergyAssumption | None
) -> tuple[str, ...]:
    """Return what the figures assume."""
    texts = [
        "costs are derived, not MLPerf metrics: whole instances x time to train x list price, "
        "without storage, network, set-up and failed tries",
        "the time of a published result is that of a tuned run of its submitter",
    ]
    if objective == "balanced":
        texts.append(
            "balanced: time, cost and the chance to keep the limits weigh the same; a prediction "
            "counts with the slow end of its 90 % interval"
        )
    if price_kind == "spot":
        texts.append(spot.words())
    if energy is not None:
        texts.append(energy.words())
    return tuple(texts)


def justification(result: AdviceResult, what: str) -> tuple[str, ...]:
    """Return two paragraphs with numbers, intervals and sources for a proposal."""
    if not result.options:
        return ()
    first = result.options[0]
    limits = limits_words(result) or "no limit on time or cost"
    need = (
        f"For {what} with {limits} we request {_named(first)}. The expected time to train is "
        f"{duration(first.time_to_train_min)} (90 % interval "
        f"{duration(first.time_to_train_min_low)} to {duration(first.time_to_train_min_high)}), "
        f"that is "
        f"{figure(first.accelerator_hours)} accelerator-hours{_cost(first)}.{_sure(first)} "
        f"The estimate rests on: {_basis(first)}.{_measured(result)}{_energy(first)}"
    )
    others = [row for row in result.options[1:] if row.pareto][:2]
    instead = "; ".join(f"{_named(row)} ({_figures(row)})" for row in others)
    count = len(result.options)
    which = f"the first of {count} options that satisfy" if count > 1 else "the only one within"
    choice = (
        f"The choice is {which} the limits, by the objective {result.objective}"
        + (f"; the alternatives that are faster or cheaper are {instead}" if instead else "")
        + f". {_left_out(result)}{_price(first)}Assumptions: {'; '.join(result.assumptions)}."
    )
    return need, choice


def _named(row: OptionRow) -> str:
    return f"{row.accelerators} x {row.accelerator_id}"


def _figures(row: OptionRow) -> str:
    cost = "cost unknown" if row.cost_usd is None else f"{row.cost_usd:,.0f} USD"
    return f"{duration(row.time_to_train_min)}, {cost}"


def _cost(row: OptionRow) -> str:
    if row.cost_usd is None:
        return ", for which no price is known"
    text = f" at {row.cost_usd:,.0f} USD"
    if row.cost_usd_low is not None and row.cost_usd_high is not None:
        text += f" ({row.cost_usd_low:,.0f} to {row.cost_usd_high:,.0f} USD)"
    return text


def _sure(row: OptionRow) -> str:
    parts = []
    if row.probability_meets_deadline is not None:
        parts.append(
            f"the deadline is met with a probability of {chance(row.probability_meets_deadline)}"
        )
    if row.probability_within_budget is not None:
        parts.append(f"the budget is kept with {chance(row.probability_within_budget)}")
    text = " and ".join(parts)
    return f" {text[0].upper()}{text[1:]}." if text else ""


def _basis(row: OptionRow) -> str:
    if row.basis == "measured":
        return (
            f"the median of {row.configurations} published MLPerf Training result"
            f"{'s' if row.configurations != 1 else ''} (best: {row.round}, {row.submitter}, "
            f"{row.system_id})"
        )
    if row.basis == "own":
        return "our own measurement (result not verified by MLCommons Association)"
    return f"a prediction from published results ({row.basis.replace('_', ' ')})"


RUN = (MEASURED, OWN)
"""The bases of options that somebody has run."""


def _measured(result: AdviceResult) -> str:
    """Return the best option that somebody has run, where the first choice is not one."""
    if result.options[0].basis in RUN:
        return ""
    run = next((row for row in result.options if row.basis in RUN), None)
    if run is None:
        return " Nobody has measured any of the options."
    return (
        f" Nobody has measured it; the best option that was measured is {_named(run)} "
        f"({_figures(run)})."
    )


def _energy(row: OptionRow) -> str:
    text = ""
    if row.energy_kj is not None:
        text += f" Measured energy of one training: {row.energy_kj:,.0f} kJ."
    if row.energy_estimate_kwh is not None:
        text += f" Planning estimate of energy: {row.energy_estimate_kwh:,.1f} kWh"
        if row.carbon_estimate_kg is not None:
            text += f", {row.carbon_estimate_kg:,.1f} kg of carbon dioxide"
        text += " (not an MLPerf metric)."
    return text


def _left_out(result: AdviceResult) -> str:
    if not result.excluded:
        return ""
    words = ", ".join(f"{row.reason} ({row.count})" for row in result.excluded[:3])
    return f"Left out: {words}. "


def _price(row: OptionRow) -> str:
    if row.price_usd_per_accelerator_hour is None:
        return ""
    rented = "" if row.instances is None else f", {row.instances} x {row.instance_type}"
    return (
        f"Price: {row.price_usd_per_accelerator_hour:.2f} USD per accelerator-hour, "
        f"{row.price_kind}, {row.provider}{rented}, {dated(row.price_as_of)} "
        f"(source: {row.price_source}). "
    )
