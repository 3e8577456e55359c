"""One value as text: numbers with sensible digits, text that cannot harm where it lands."""

import datetime
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from equipoise.domain import CERTAIN, UNVERIFIED_DIVISION
from equipoise.errors import printable
from equipoise.report.columns import Column
from equipoise.units import MS_PER_S

MISSING = "–"
UNVERIFIED_MARK = " (unverified)"
"""Stands beside the name in every row that is a user's own result."""
_MARKED = ("submitter", "best_submitter", "curve", "round")
"""Fields that can carry the mark; the first that a row has does."""
_PUBLISHED_ROUND = re.compile(r"v\d+\.\d+")
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet takes a cell that starts with one of these as a formula."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""Control characters of terminals, ends of lines, and marks that turn the direction of text."""
FIGURE_SPACE, POINT_SPACE = "\u2007", "\u2008"
TINY, HUGE = 1e-4, 1e12
"""Outside of these a number is written with an exponent."""
MOST_DECIMALS = 3

Record = dict[str, Any]


def record(row: object) -> Record:
    """Return a row (frozen dataclass or mapping) as a dict of its fields, one level deep.

    >>> record({"a": 1})
    {'a': 1}
    """
    if is_dataclass(row) and not isinstance(row, type):
        return {field.name: getattr(row, field.name) for field in fields(row)}
    if isinstance(row, Mapping):
        return {str(key): value for key, value in row.items()}
    raise TypeError(f"a row must be a dataclass or a mapping, not {type(row).__name__}")


def flat(row: object) -> Record:
    """Return a row with its mappings opened as `field.key` columns.

    >>> flat({"rank": 1, "criteria": {"energy_kj": 3.0}})
    {'rank': 1, 'criteria.energy_kj': 3.0}
    """
    out: Record = {}
    for name, value in record(row).items():
        if isinstance(value, Mapping):
            out.update({f"{name}.{key}": item for key, item in value.items()})
        else:
            out[name] = value
    return out


def is_number(value: object) -> bool:
    """Return whether a value is a number that can be shown (a truth value is none)."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_missing(value: object) -> bool:
    """Return whether a cell has nothing to show."""
    return value is None or (isinstance(value, str | list | tuple) and not value)


def number_text(value: float, digits: int = 3) -> str:
    """Return a number with `digits` significant digits, whole numbers and thousands in full.

    Small numbers stop at three decimals as long as two significant digits are left.

    >>> [number_text(x) for x in (1234.56, 12.3456, 0.04, 0.001234, 8192, 16.0, 0.0000123)]
    ['1,235', '12.3', '0.040', '0.0012', '8,192', '16', '1.23e-05']
    """
    if isinstance(value, int):
        return f"{value:,d}"
    if not math.isfinite(value):
        return MISSING
    size = abs(value)
    if size and (size < TINY or size >= HUGE):
        return f"{value:.{digits - 1}e}"
    if value == int(value):
        return f"{value:,.0f}"
    decimals = min(_decimals(size, digits), max(MOST_DECIMALS, _decimals(size, 2)))
    return f"{value:,.{decimals}f}"


def percent_text(share: float) -> str:
    """Return a share as a percentage, with a decimal only below 10 %.

    >>> [percent_text(x) for x in (0.333, 1.0, 0.0345, 0.0)]
    ['33 %', '100 %', '3.5 %', '0 %']
    """
    if not math.isfinite(share):
        return MISSING
    value = share * 100
    decimals = 0 if abs(value) >= 9.95 or value == int(value) else 1
    return f"{value:.{decimals}f} %"


def chance_text(probability: float) -> str:
    """Return a probability as a percentage that never claims certainty.

    >>> [chance_text(x) for x in (1.0, 0.97, 0.0)]
    ['> 99 %', '97 %', '< 1 %']
    """
    if probability > CERTAIN:
        return "> 99 %"
    return "< 1 %" if probability < 1.0 - CERTAIN else percent_text(probability)


def moment_text(milliseconds: float) -> str:
    """Return a time stamp in milliseconds since 1970 as a date and time; odd ones as a number.

    >>> moment_text(1.73e12), moment_text(-1e30)
    ('2024-10-27 03:33:20', '-1.00e+30')
    """
    try:
        moment = datetime.datetime.fromtimestamp(milliseconds / MS_PER_S, tz=datetime.UTC)
    except (OverflowError, OSError, ValueError):
        return number_text(float(milliseconds))
    return f"{moment:%Y-%m-%d %H:%M:%S}"


def _decimals(size: float, digits: int) -> int:
    """Return the decimals that leave `digits` significant digits after rounding."""
    exponent = int(f"{size:.{digits - 1}e}".rpartition("e")[2])
    return max(0, digits - 1 - exponent)


def cell_text(value: object, column: Column) -> str:
    """Return a value as people see it; control characters in text are escaped."""
    if value is None:
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if column.moment and isinstance(value, (int, float)):
        return moment_text(value)
    if isinstance(value, (int, float)):
        if column.chance:
            return chance_text(value)
        return percent_text(value) if column.percent else number_text(value, column.digits)
    if isinstance(value, Mapping):
        return ", ".join(f"{printable(str(k))}={plain_text(v)}" for k, v in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return ", ".join(plain_text(item) for item in value)
    return printable(str(value))


def plain_text(value: object) -> str:
    """Return a nested value as short text."""
    if isinstance(value, float):
        return number_text(value)
    return MISSING if value is None else printable(str(value))


def shown_cell(row: Record, column: Column) -> str:
    """Return the text of one cell, an interval as `low – high`, own results marked.

    >>> from equipoise.report.columns import column
    >>> shown_cell({"submitter": "me", "division": "unverified"}, column("submitter"))
    'me (unverified)'
    """
    if column.low is None or column.high is None:
        mark = UNVERIFIED_MARK if column.name == _marked_field(row) else ""
        return cell_text(row.get(column.name), column) + mark
    low, high = row.get(column.low), row.get(column.high)
    if low is None and high is None:
        return MISSING
    return f"{cell_text(low, column)} – {cell_text(high, column)}"


def _marked_field(row: Record) -> str | None:
    """Return the field that must say that a row is a user's own result, if it is one."""
    if not is_unverified(row):
        return None
    return next((name for name in _MARKED if not is_missing(row.get(name))), None)


def submitter_text(row: Record) -> str:
    """Return whose result a row is, as tooltips say it: own results are marked.

    >>> submitter_text({"submitter": "me", "division": "unverified"})
    'me (unverified)'
    """
    name = row.get("submitter")
    shown = MISSING if is_missing(name) else printable(str(name))
    return shown + UNVERIFIED_MARK if is_unverified(row) else shown


def is_unverified(row: Record) -> bool:
    """Return whether a row is a user's own result: by its division, else by its round.

    >>> is_unverified({"division": "unverified"}), is_unverified({"round": "v4.1"})
    (True, False)
    """
    division, name = row.get("division"), row.get("round")
    if division is not None:
        return bool(division == UNVERIFIED_DIVISION)
    return isinstance(name, str) and _PUBLISHED_ROUND.fullmatch(name) is None


def align_points(texts: Sequence[str], *, whole: str = " ", point: str = " ") -> list[str]:
    """Return numbers padded on the right so that their decimal points stand in one column.

    >>> align_points(["1.25", "10", "3.5"])
    ['1.25', '10   ', '3.5 ']
    """
    tails = [text.partition(".")[2] if "." in text else None for text in texts]
    widest = max((len(tail) for tail in tails if tail is not None), default=0)
    if not widest:
        return list(texts)
    return [
        text + (point + whole * widest if tail is None else whole * (widest - len(tail)))
        for text, tail in zip(texts, tails, strict=True)
    ]


def csv_cell(value: object) -> str | int | float | None:
    r"""Return a value for CSV: numbers as they are, text that starts a formula prefixed by `'`.

    Control characters are escaped: a file may be shown on a terminal, and a name is one line.

    >>> csv_cell("=1+1"), csv_cell(-3.5), csv_cell(None), csv_cell("a\nb\x1b[0m")
    ("'=1+1", -3.5, None, 'a\\nb\\x1b[0m')
    """
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, int):
        return value
    text = value if isinstance(value, str) else "; ".join(_parts(value))
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    text = _CONTROL.sub(lambda found: printable(found[0]), text)
    return f"'{text}" if text.lstrip().startswith(FORMULA_STARTS) else text


def _parts(value: object) -> list[str]:
    if isinstance(value, Sequence):
        return ["" if item is None else str(item) for item in value]
    return [str(value)]


def markdown_cell(text: str) -> str:
    r"""Return text for a cell of a Markdown table: no markup of the text takes effect.

    >>> markdown_cell("a|b <i> *x*")
    'a\\|b &lt;i&gt; \\*x\\*'
    """
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for mark in ("\\", "|", "`", "*", "[", "]"):
        text = text.replace(mark, "\\" + mark)
    return text.replace("\n", " ")
