"""Numbers as people write them: one reading is read, two are decided or refused."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.sources.numbers import (
    Cell,
    Mark,
    count,
    decimal_mark,
    positive,
    read_column,
    readings,
)


@pytest.mark.parametrize(
    ("text", "point", "comma"),
    [
        ("600", 600.0, 600.0),
        ("1,024", 1024.0, 1.024),
        ("1.024", 1.024, 1024.0),
        ("1.234,5", None, 1234.5),
        ("1,234.5", 1234.5, None),
        ("1,000,000", 1e6, None),
        ("1.000.000", None, 1e6),
        ("0,512", None, 0.512),
        ("0.512", 0.512, None),
        ("9.5", 9.5, None),
        ("9,5", None, 9.5),
        ("1 024", 1024.0, 1024.0),
        ("1\u202f024,5", None, 1024.5),
        ("1'024.5", 1024.5, None),
        ("1e3", 1000.0, 1000.0),
        ("-3", -3.0, -3.0),
        (".5", 0.5, None),
    ],
)
def test_readings(text: str, point: float | None, comma: float | None) -> None:
    found = readings(text)
    assert found.get(Mark.POINT) == point
    assert found.get(Mark.COMMA) == comma


@pytest.mark.parametrize(
    "text",
    ["", ".", ",", "e5", "1,,2", "1.2.3", "1,02,3", "0x10", "1 0245", "１２", "8 min", "9" * 99],
)
def test_texts_that_are_no_number(text: str) -> None:
    assert readings(text) == {}


def values(texts: list[str], **options: Any) -> list[float | str | None]:
    """Return the value of each cell, or the code why it has none."""
    cells = read_column(texts, name="x", **options)
    return [cell.code if cell.value is None else cell.value for cell in cells]


def test_a_column_decides_about_its_cells() -> None:
    assert values(["1,234", "9.5"]) == [1234.0, 9.5]
    assert values(["1,234", "9,5"]) == [1.234, 9.5]
    assert values(["1.234", "9,5"]) == [1234.0, 9.5]
    assert values(["1.234", "600"]) == [1.234, 600.0]


def test_an_undecided_comma_is_refused_with_both_values() -> None:
    cell = read_column(["1,234", "600"], name="time_s")[0]
    assert cell.code == "ambiguous-number"
    assert 'time_s "1,234" may be 1.234 or 1234' in (cell.reason or "")


def test_a_column_that_mixes_marks_refuses_what_is_ambiguous_only() -> None:
    assert values(["12.5", "12,5", "1,234", "1.234"]) == [
        *(12.5, 12.5, "ambiguous-number", "ambiguous-number"),
    ]


def test_counts_are_whole() -> None:
    assert values(["1,024", "8"], whole=True) == [1024.0, 8.0]
    assert values(["1.024", "8"], whole=True) == [1024.0, 8.0]
    assert values(["8.000"], whole=True) == ["ambiguous-number"]
    assert values(["8.000", "16.0"], whole=True) == [8.0, 16.0]
    assert values(["8.0"], whole=True) == [8.0]


def test_what_is_not_a_number_says_why() -> None:
    assert values(["", "n/a", "-", "NaN", "-inf", "1e999", "soon", "600 s"]) == [
        *("missing-value",) * 3,
        *("not-finite",) * 3,
        *("not-a-number",) * 2,
    ]


def test_positive_and_count() -> None:
    assert positive(Cell(value=-1.0), name="t", text="-1").code == "not-positive"
    assert count(Cell(value=0.0), name="n", text="0").code == "not-positive"
    assert count(Cell(value=8.5), name="n", text="8.5").code == "bad-count"
    assert count(Cell(value=1e12), name="n", text="1e12").code == "bad-count"
    assert count(Cell(code="missing-value"), name="n", text="").code == "missing-value"
    assert count(Cell(value=8.0), name="n", text="8").value == 8.0


@given(st.floats(min_value=0.001, max_value=1e9).map(lambda x: round(x, 2)))
def test_every_way_of_writing_a_number_with_two_decimals_is_read(value: float) -> None:
    english = f"{value:,.2f}"
    german = english.translate(str.maketrans(",.", ".,"))
    swiss, french = english.replace(",", "'"), german.replace(".", "\u202f")
    for text in (f"{value:.2f}", english, german, swiss, french):
        assert values([text]) == [pytest.approx(value)]


@given(st.integers(min_value=1, max_value=10**8), st.sampled_from([",", "'", " ", "_"]))
def test_every_way_of_writing_a_count_is_read(value: int, separator: str) -> None:
    assert values([f"{value:,}".replace(",", separator)], whole=True) == [float(value)]


@given(st.lists(st.text(max_size=12), max_size=6), st.booleans())
def test_no_text_breaks_a_column_or_gives_a_value_that_is_not_finite(
    texts: list[str], whole: bool
) -> None:
    cells = read_column(texts, name="x", whole=whole)
    assert len(cells) == len(texts)
    for cell in cells:
        assert (cell.value is None) == (cell.code is not None)
        assert cell.value is None or math.isfinite(cell.value)
    decimal_mark(texts)
