"""The dashboard as files: links that lead to files, nothing that needs a server."""

import json
import re
from html import unescape
from pathlib import Path

import pytest

from equipoise.web.site import export_site, file_name


@pytest.fixture(scope="module")
def site(small_catalogue: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site")
    done: list[tuple[int, int | None]] = []
    files = export_site(small_catalogue, out, progress=lambda n, of: done.append((n, of)))
    assert files == sum(1 for path in out.rglob("*") if path.is_file())
    assert done[-1][0] == done[-1][1]
    return out


def test_every_link_leads_to_a_file(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 40
    for page in pages:
        text = page.read_text("utf-8")
        for address in re.findall(r'(?:href|src)="([^"#]+)', text):
            if address.startswith("https://"):
                continue
            assert not address.startswith("/"), (page, address)
            assert (page.parent / unescape(address)).is_file(), (page, address)


def test_nothing_needs_the_server(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        assert "<form" not in text
        assert "needs-the-server" not in text
        policy = text.partition('Content-Security-Policy" content="')[2].partition('"')[0]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy


def test_pages_that_answer_a_reader_say_how_to_ask(site: Path) -> None:
    for name in ("predict", "advise", "compare"):
        text = (site / name / "bert.html").read_text("utf-8")
        assert f"equipoise serve</code> and open <code>/{name}</code>" in text
        assert "<tbody>" in text
    assert "data-chart" in (site / "predict" / "bert.html").read_text("utf-8")
    assert '<a href="openapi.json">' in (site / "api.html").read_text("utf-8")
    assert json.loads((site / "openapi.json").read_text("utf-8"))["openapi"].startswith("3.")
    assert 'href="advise/bert.html"' in (site / "index.html").read_text("utf-8")


def test_pages_have_charts_tables_and_files(site: Path) -> None:
    text = (site / "scaling" / "bert.html").read_text("utf-8")
    assert text.count("data-chart=") >= 4
    assert 'src="../assets/charts.js"' in text
    assert 'href="bert.xlsx"' in text
    assert (site / "scaling" / "bert.csv").stat().st_size > 1000
    assert '<a href="benchmark/bert.html">' in (site / "index.html").read_text("utf-8")
    system = re.search(
        r'<a href="(\.\./systems/[^"]+)">', (site / "benchmark/bert.html").read_text()
    )
    assert system is not None
    assert (site / "benchmark" / system[1]).is_file()


def test_names_of_files_are_harmless(site: Path) -> None:
    assert file_name("..") == "page"
    for path in site.rglob("*"):
        assert re.fullmatch(r"[A-Za-z0-9.-]+", path.name)
