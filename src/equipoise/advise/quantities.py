"""Durations and amounts of money as people write them: `2h`, `30min`, `500usd`."""

import math
import re

from equipoise.errors import UsageError, printable
from equipoise.units import H_PER_DAY, MIN_PER_H, S_PER_MIN

_NUMBER = re.compile(r"(\d+(?:\.\d+)?|\.\d+)\s*([a-zµ$]*)")
DAYS_PER_WEEK = 7
_MANY = {"": 1.0, "k": 1e3, "m": 1e6}
_MINUTES = {
    "s": 1.0 / S_PER_MIN,
    "sec": 1.0 / S_PER_MIN,
    "min": 1.0,
    "m": 1.0,
    "h": MIN_PER_H,
    "hour": MIN_PER_H,
    "hours": MIN_PER_H,
    "d": H_PER_DAY * MIN_PER_H,
    "day": H_PER_DAY * MIN_PER_H,
    "days": H_PER_DAY * MIN_PER_H,
    "w": DAYS_PER_WEEK * H_PER_DAY * MIN_PER_H,
    "week": DAYS_PER_WEEK * H_PER_DAY * MIN_PER_H,
    "weeks": DAYS_PER_WEEK * H_PER_DAY * MIN_PER_H,
}


def parse_duration_min(text: str) -> float:
    """Return the minutes of `90s`, `30min`, `2h`, `1.5 h`, `1h30min`, `2d` or `3w`.

    >>> parse_duration_min("1h30min"), parse_duration_min("90s")
    (90.0, 1.5)
    """
    wanted = text.strip().lower()
    parts = _NUMBER.findall(wanted)
    plain = _NUMBER.sub("", wanted).strip()
    if not parts or plain or any(unit not in _MINUTES for _, unit in parts):
        raise UsageError(
            f"{printable(text)!r} is no duration: write 30min, 2h, 1h30min, 2d or 3w, with the unit"
        )
    total = sum(float(number) * _MINUTES[unit] for number, unit in parts)
    if not total > 0.0 or not math.isfinite(total):
        raise UsageError("a duration must be more than 0")
    return total


def parse_amount_usd(text: str) -> float:
    """Return the dollars of `500usd`, `$500`, `500`, `1,500 USD`, `20kusd` or `2Musd`.

    >>> parse_amount_usd("1,500 USD"), parse_amount_usd("$500"), parse_amount_usd("$2M")
    (1500.0, 500.0, 2000000.0)
    """
    wanted = text.strip().lower().replace(",", "").replace("$", "").strip()
    match = re.fullmatch(r"(\d+(?:\.\d+)?|\.\d+)\s*([km]?)\s*(usd)?", wanted)
    if match is None:
        raise UsageError(
            f"{printable(text)!r} is no amount in US dollars: write 500usd, 20kusd or 2Musd"
        )
    amount = float(match[1]) * _MANY[match[2]]
    if not amount > 0.0 or not math.isfinite(amount):
        raise UsageError("an amount must be more than 0")
    return amount
