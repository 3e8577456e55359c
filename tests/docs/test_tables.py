"""Generated tables are those of the facts and the bundled catalogue; links lead somewhere."""

import re

import pytest
from docs_pages import PAGES, ROOT, loaded

from equipoise.catalogue import Catalogue

LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([\w-]+))?\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def generator():
    return loaded("docs_tables")


def test_tables_are_fresh(generator):
    with Catalogue.open(None) as catalogue:
        for page in generator.PAGES:
            text = page.read_text(encoding="utf-8")
            fresh = generator.with_tables(text, catalogue) == text
            assert fresh, f"{page.name} is out of date: run python benchmarks/docs_tables.py"


def test_every_table_is_used(generator):
    shown = [m[2] for page in generator.PAGES for m in generator.MARKED.finditer(page.read_text())]
    assert sorted(shown) == sorted(generator.TABLES)


def test_every_failure_has_its_words():
    from equipoise.sources.verdict import FAILURES

    text = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
    assert [code for code in FAILURES if f"| `{code}` |" not in text] == []


def anchors(page):
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    heads = (re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in HEADING.findall(text))
    return set(heads)


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_links_lead_somewhere(page):
    for target, anchor in LINK.findall(FENCED.sub("", page.read_text(encoding="utf-8"))):
        to = (page.parent / target).resolve() if target else page
        assert to.exists(), f"{page.name} links to {target}"
        if anchor:
            assert anchor in anchors(to), f"{page.name} links to {target}#{anchor}"
