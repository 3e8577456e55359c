"""Numbers as people write them: thousands separators and decimal commas, column by column.

`1,024` is 1024 to one person and 1.024 to another. A cell that has one reading is read; a
cell that has two is decided by the kind of its column (a count is whole) or by the other
cells of the column, and refused where neither decides.
"""

import math
import re
from collections.abc import Sequence
from enum import Enum
from typing import Final

from equipoise.errors import printable
from equipoise.structs import dataclass

MOST_CHARACTERS: Final = 64
"""A longer cell is no number anybody wrote."""
MOST_ACCELERATORS: Final = 10**9
MISSING: Final = frozenset({"", "-", "--", "n/a", "na", "none", "null", "#n/a", "?"})
"""Cells that say that there is no value."""

_GROUP: Final = "[ \u00a0\u2009\u202f'\u2019_]"
"""Separators of thousands that never mean a decimal point."""
_SPACED: Final = re.compile(rf"(?<=[0-9]){_GROUP}(?=[0-9]{{3}}(?![0-9]))")
_EXPONENT: Final = r"(?:[eE][+-]?[0-9]{1,4})?"
_POINT: Final = re.compile(
    rf"[+-]?(?:[1-9][0-9]{{0,2}}(?:,[0-9]{{3}})+|[0-9]+)?(?:\.[0-9]*)?{_EXPONENT}"
)
_COMMA: Final = re.compile(
    rf"[+-]?(?:[1-9][0-9]{{0,2}}(?:\.[0-9]{{3}})+|[0-9]+)?(?:,[0-9]*)?{_EXPONENT}"
)
_NOT_FINITE: Final = re.compile(r"[+-]?(?:nan|inf|infinity|1\.#\w+)", re.IGNORECASE)


class Mark(Enum):
    """What separates whole from decimal digits."""

    POINT = "."
    COMMA = ","


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What one cell says: a value, or why there is none."""

    value: float | None = None
    code: str | None = None
    """Why there is no value: missing-value, not-a-number, not-finite, ambiguous-number."""
    reason: str | None = None


def readings(text: str) -> dict[Mark, float]:
    """Return the value of a text for each decimal mark under which it is a number.

    >>> {mark.value: value for mark, value in readings("1,024").items()}
    {'.': 1024.0, ',': 1.024}
    >>> {mark.value: value for mark, value in readings("1.234,5").items()}
    {',': 1234.5}
    """
    if len(text) > MOST_CHARACTERS or not any("0" <= c <= "9" for c in text):
        return {}
    plain = _SPACED.sub("", text)
    found: dict[Mark, float] = {}
    if _POINT.fullmatch(plain) and _has_digits(plain, "."):
        found[Mark.POINT] = float(plain.replace(",", ""))
    if _COMMA.fullmatch(plain) and _has_digits(plain, ","):
        found[Mark.COMMA] = float(plain.replace(".", "").replace(",", "."))
    return found


def _has_digits(text: str, mark: str) -> bool:
    """Return whether the number before the exponent has a digit."""
    mantissa = re.split("[eE]", text.replace(mark, ""), maxsplit=1)[0]
    return any("0" <= c <= "9" for c in mantissa)


def decimal_mark(texts: Sequence[str]) -> tuple[Mark | None, bool]:
    """Return the decimal mark that the cells of a column prove, and whether they disagree.

    >>> decimal_mark(["1,234", "9,5"]), decimal_mark(["1,234", "600"])
    ((<Mark.COMMA: ','>, False), (None, False))
    """
    proven = {next(iter(r)) for text in texts if len(r := readings(text.strip())) == 1}
    return (next(iter(proven)) if len(proven) == 1 else None), len(proven) > 1


def read_column(
    texts: Sequence[str], *, name: str, whole: bool = False, elsewhere: Mark | None = None
) -> list[Cell]:
    """Return what the cells of a column say.

    Parameters
    ----------
    texts
        The cells as they stand.
    name
        Name of the column, for the reasons.
    whole
        Whether the column counts something: then `1,024` can only be 1024.
    elsewhere
        The decimal mark that other columns of the file prove: it decides where nothing in
        the column does.

    >>> [cell.value for cell in read_column(["1,024", "8"], name="accelerators", whole=True)]
    [1024.0, 8.0]
    >>> read_column(["1,234"], name="time_s")[0].code
    'ambiguous-number'
    >>> [cell.value for cell in read_column(["1,234", "9,5"], name="time_s")]
    [1.234, 9.5]
    """
    mark, mixed = decimal_mark(texts)
    if mark is None and not mixed and not whole:
        mark = elsewhere
    return [_cell(text.strip(), name, mark, mixed, whole) for text in texts]


def decided(text: str, cell: Cell) -> bool:
    """Return whether other cells decided what a cell says that has two readings.

    >>> decided("1,024", Cell(value=1.024)), decided("1.024", Cell(value=1.024))
    (True, False)
    """
    found = readings(text.strip())
    plain = "," not in text and cell.value == found.get(Mark.POINT)
    return cell.value is not None and len(set(found.values())) > 1 and not plain


def _cell(text: str, name: str, mark: Mark | None, mixed: bool, whole: bool) -> Cell:
    shown = printable(text[:MOST_CHARACTERS])
    if text.lower() in MISSING:
        return Cell(code="missing-value", reason=f"{name} is missing")
    if _NOT_FINITE.fullmatch(text):
        return Cell(code="not-finite", reason=f'{name} "{shown}" is not a finite number')
    found = readings(text)
    if not found:
        reason = f'{name} "{shown}" is not a number; a cell holds digits only, the unit is in the '
        return Cell(code="not-a-number", reason=reason + "column's name")
    values = set(found.values())
    if len(values) > 1 and whole:
        values = _whole_values(text, found, mark)
    elif len(values) > 1 and mark is not None:
        values = {found[mark]}
    elif len(values) > 1 and "," not in text and not mixed:
        # Only programs write 1.234 without another mark in the column, and they mean 1.234.
        values = {found[Mark.POINT]}
    if len(values) > 1:
        return _ambiguous(shown, name, found, mixed)
    value = values.pop()
    if not math.isfinite(value):
        return Cell(code="not-finite", reason=f'{name} "{shown}" is not a finite number')
    return Cell(value=value)


def _whole_values(text: str, found: dict[Mark, float], mark: Mark | None) -> set[float]:
    """Return the readings that a count can have."""
    if mark is not None and (found[mark].is_integer() or "," not in text):
        return {found[mark]}
    if "," in text:
        return {found[Mark.POINT]}
    return {value for value in found.values() if value.is_integer()}


def _ambiguous(shown: str, name: str, found: dict[Mark, float], mixed: bool) -> Cell:
    low, high = sorted(found.values())
    why = (
        "the column mixes decimal points and decimal commas"
        if mixed
        else "no other cell of the column decides"
    )
    reason = (
        f'{name} "{shown}" may be {low:.12g} or {high:.12g}, and {why}; '
        f"write {low:.12g} or {high:.12g} with a decimal point and without thousands separators"
    )
    return Cell(code="ambiguous-number", reason=reason)


def positive(cell: Cell, *, name: str, text: str) -> Cell:
    """Return a cell, refused unless its value is above zero.

    >>> positive(Cell(value=0.0), name="time_s", text="0").reason
    'time_s "0" is not above 0'
    """
    if cell.value is None or cell.value > 0:
        return cell
    shown = printable(text.strip()[:MOST_CHARACTERS])
    return Cell(code="not-positive", reason=f'{name} "{shown}" is not above 0')


def count(cell: Cell, *, name: str, text: str) -> Cell:
    """Return a cell, refused unless its value is a whole number of at least one."""
    if cell.value is None:
        return cell
    above = positive(cell, name=name, text=text)
    if above.value is None:
        return above
    if not above.value.is_integer() or above.value > MOST_ACCELERATORS:
        shown = printable(text.strip()[:MOST_CHARACTERS])
        return Cell(code="bad-count", reason=f'{name} "{shown}" is no count of accelerators')
    return above
