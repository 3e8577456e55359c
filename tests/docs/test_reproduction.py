"""docs/reproduction.md says what the data say now."""

import re

import pytest
from docs_pages import loaded

import equipoise as eq


@pytest.fixture(scope="module")
def generator():
    return loaded("reproduction")


def test_numbers_may_move_a_little_but_words_may_not(generator):
    assert generator.same("up to 415 (49%)", "up to 420 (49%)")
    assert not generator.same("up to 415", "up to 500")
    assert not generator.same("holds 1", "holds in part 1")
    assert not generator.same("1 and 2", "1")


@pytest.mark.slow
def test_page_is_fresh(generator):
    with eq.open_catalogue() as catalogue:
        text = generator.page(eq.reproduce(catalogue))
    page = generator.PAGE.read_text(encoding="utf-8")
    assert generator.same(page, text), "run python benchmarks/reproduction.py"


def test_every_figure_is_there(generator):
    page = generator.PAGE.read_text(encoding="utf-8")
    shown = set(re.findall(r"\]\(figures/([\w-]+)\.svg\)", page))
    assert shown == {path.stem for path in generator.FIGURES.glob("*.svg")}
