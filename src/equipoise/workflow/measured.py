"""The user's own measurements as they are typed or as they stand in a file."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from equipoise.advise.quantities import parse_duration_min
from equipoise.errors import UsageError

TYPED: Final = re.compile(r"\s*(\d+)\s*=\s*([^=,]+?)\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """One own measurement: never verified by MLCommons."""

    accelerators: int
    time_to_train_min: float


def parse_measured(text: str | Sequence[tuple[int, float]]) -> tuple[Measurement, ...]:
    """Return measurements from `8=180min,16=97min`, from (count, minutes) pairs or a file.

    A bare number is minutes.

    >>> parse_measured("8=3h,16=97")
    (Measurement(accelerators=8, time_to_train_min=180.0), Measurement(accelerators=16, \
time_to_train_min=97.0))

    Raises
    ------
    UsageError
        When an item is not of this form or not above zero.
    """
    if not isinstance(text, str):
        return tuple(_checked(int(n), float(minutes), f"{n}={minutes}") for n, minutes in text)
    if "=" not in text:
        return _from_file(Path(text))
    found = []
    for item in text.split(","):
        match = TYPED.fullmatch(item)
        if match is None:
            raise UsageError(
                f"own measurement {item.strip()!r} is not count=time, such as 8=180min or 16=1.5h"
            )
        time = match[2] if re.search(r"[a-z]", match[2], re.IGNORECASE) else f"{match[2]}min"
        found.append(_checked(int(match[1]), parse_duration_min(time), item.strip()))
    return tuple(found)


def _checked(accelerators: int, minutes: float, text: str) -> Measurement:
    if accelerators < 1 or not 0 < minutes < math.inf:
        raise UsageError(f"own measurement {text!r}: count and time must be above 0")
    return Measurement(accelerators=accelerators, time_to_train_min=minutes)


def _from_file(path: Path) -> tuple[Measurement, ...]:
    from equipoise.sources.measurements import read_measurements

    rows = read_measurements(path)
    return tuple(
        _checked(row.accelerators, row.time_to_train_min, f"{path}:{row.line}")
        for row in rows
        if row.time_to_train_min is not None
    )
