"""The user's own weights, as a mapping or as text: `time=2,efficiency=1`."""

import math
from collections.abc import Callable, Mapping

from equipoise.errors import UsageError, printable


def parse_weights(text: str) -> dict[str, float]:
    """Return name -> weight of `name=w,name=w`; raises UsageError for anything else.

    >>> parse_weights("time_to_train_min=2, efficiency=1")
    {'time_to_train_min': 2.0, 'efficiency': 1.0}
    """
    result: dict[str, float] = {}
    for part in text.split(","):
        name, sign, value = (piece.strip() for piece in part.partition("="))
        if not name or not sign:
            raise UsageError(
                f"weights are written name=w,name=w; {printable(part.strip())!r} is not"
            )
        try:
            number = float(value)
        except ValueError as error:
            raise UsageError(
                f"the weight of {printable(name)} is {printable(value)!r}, which is no number"
            ) from error
        if name in result:
            raise UsageError(f"two weights are given for {printable(name)}")
        result[name] = number
    return result


def normalised_weights(
    weights: Mapping[str, float], *, resolve: Callable[[str], str] = str
) -> dict[str, float]:
    """Return the weights with resolved names, divided by their sum.

    Raises UsageError for a negative or infinite weight, a name given twice (also through
    an alias) and when all are 0.
    """
    result: dict[str, float] = {}
    for given, weight in weights.items():
        name = resolve(given)
        if name in result:
            raise UsageError(f"two weights are given for {printable(name)}")
        if not math.isfinite(weight) or weight < 0.0:
            raise UsageError(f"the weight of {printable(name)} must be 0 or more, not {weight}")
        result[name] = float(weight)
    largest = max(result.values(), default=0.0)
    if largest <= 0.0:
        raise UsageError("at least one weight must be more than 0")
    total = sum(weight / largest for weight in result.values())
    return {name: weight / largest / total for name, weight in result.items()}
