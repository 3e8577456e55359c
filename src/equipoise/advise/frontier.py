"""Iso-time and iso-cost: per accelerator the cheapest option in time, the fastest in money."""

from collections.abc import Callable, Iterable

from equipoise.advise.results import OptionRow

Key = Callable[[OptionRow], tuple[float, float]]


def cheapest_under_deadline(
    options: Iterable[OptionRow], *, deadline_min: float
) -> tuple[OptionRow, ...]:
    """Return for each accelerator its cheapest option that meets the deadline, cheapest first.

    Along one accelerator this is the cheapest count n with T(n) <= deadline; accelerators
    without a price or a count that is fast enough are absent.
    """
    return _best(
        (o for o in options if o.time_to_train_min <= deadline_min and o.cost_usd is not None),
        key=lambda o: (o.cost_usd or 0.0, o.time_to_train_min),
    )


def fastest_under_budget(
    options: Iterable[OptionRow], *, budget_usd: float
) -> tuple[OptionRow, ...]:
    """Return for each accelerator its fastest option within the budget, fastest first."""
    return _best(
        (o for o in options if o.cost_usd is not None and o.cost_usd <= budget_usd),
        key=lambda o: (o.time_to_train_min, o.cost_usd or 0.0),
    )


def _best(options: Iterable[OptionRow], *, key: Key) -> tuple[OptionRow, ...]:
    best: dict[str, OptionRow] = {}
    for option in options:
        known = best.get(option.accelerator_id)
        if known is None or key(option) < key(known):
            best[option.accelerator_id] = option
    return tuple(sorted(best.values(), key=key))
