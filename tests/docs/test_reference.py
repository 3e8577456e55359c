"""The references are those of the code; the site names every page."""

import pytest
from docs_pages import ROOT, loaded

reference = loaded("reference")


@pytest.mark.parametrize("name", ["cli.md", "python.md", "http.md"])
def test_reference_is_fresh(name):
    page = (reference.FOLDER / name).read_text(encoding="utf-8")
    fresh = page == reference.PAGES[name]()
    assert fresh, f"{name} is out of date: run python benchmarks/reference.py"


def test_every_command_has_an_example():
    text = reference.cli()
    sections = [part for part in text.split("\n## ")[1:] if part.startswith("equipoise ")]
    assert [part.splitlines()[0] for part in sections if "Example: `equipoise " not in part] == []


def test_every_direct_dependency_has_a_licence():
    page = (reference.FOLDER / "licences.md").read_text(encoding="utf-8")
    assert "| numpy | " in page
    assert "not declared" not in page


def test_site_has_every_page():
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = [path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")]
    assert [page for page in pages if f" {page}\n" not in settings] == []


def test_links_out_of_the_site_become_text():
    hooks = loaded("docs_hooks")
    assert hooks.on_page_markdown("see [a.py](../../examples/a.py).") == "see `a.py`."
    assert hooks.on_page_markdown("see [data](../data.md#x).") == "see [data](../data.md#x)."
