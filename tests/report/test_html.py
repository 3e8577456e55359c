"""The report is one file that loads nothing, runs only its own script and escapes every name."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from equipoise.report import export
from equipoise.report.html import page, policy, script_json, study_html
from equipoise.report.notebook import answer_html
from equipoise.report.tables import Document

LIMIT = 3_000_000


class Elements(HTMLParser):
    """Collects elements, and the text outside scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self.inside = tag

    def handle_endtag(self, tag: str) -> None:
        if tag == self.inside:
            self.inside = ""

    def handle_data(self, data: str) -> None:
        if not self.inside:
            self.text.append(data)


def parsed(html: str) -> Elements:
    elements = Elements()
    elements.feed(html)
    return elements


@pytest.fixture(scope="module")
def html(study: Any) -> str:
    return study_html(study)


@pytest.fixture(scope="module")
def bad(hostile: Any) -> str:
    return study_html(hostile)


def test_loads_nothing_from_anywhere(html: str) -> None:
    for tag, attributes in parsed(html).found:
        for name in ("src", "href", "xlink:href", "action", "data", "poster", "srcset"):
            value = attributes.get(name) or ""
            assert value.startswith(("#", "data:,")) or not value, (tag, name, value)
    style = html.partition("<style>")[2].partition("</style>")[0]
    assert "url(" not in style
    assert "@import" not in style


def test_is_small_enough_to_mail(html: str) -> None:
    assert len(html.encode()) < LIMIT


def test_policy_allows_only_own_script_and_style_by_hash(html: str) -> None:
    content = next(
        a["content"] or ""
        for tag, a in parsed(html).found
        if a.get("http-equiv") == "Content-Security-Policy"
    )
    assert content.startswith("default-src 'none'")
    assert "unsafe" not in content
    assert content.count("'sha256-") == 3
    assert not any("style" in a or "onclick" in a for _, a in parsed(html).found)


def test_story_has_its_parts_in_order(html: str, study: Any) -> None:
    ids = [a["id"] for tag, a in parsed(html).found if tag == "section"]
    assert ids == [
        *("answer", "matters", "groups", "leaders", "breakeven"),
        *("evidence", "methods", "footnotes"),
    ]
    text = " ".join(parsed(html).text)
    assert study.answer in text
    assert study.footnotes[0] in text


def test_every_chart_has_words_picture_specification_and_numbers(html: str) -> None:
    elements = parsed(html).found
    charts = [a for tag, a in elements if "data-chart" in a]
    assert len(charts) >= 9
    ids = {a.get("id") for _, a in elements}
    for chart in charts:
        assert len(chart["aria-label"] or "") > 60
        assert f"spec-{chart['data-chart']}" in ids
    assert html.count("<svg aria-hidden") == len(charts)
    assert html.count("<summary>The numbers of this chart") == len(charts)
    blocks = re.findall(r'<script type="application/json" id="[^"]+">(.*?)</script>', html)
    assert len(blocks) == len(charts)
    for block in blocks:
        assert json.loads(block)["width"] == "container"


def test_ids_are_unique(html: str) -> None:
    ids = [a["id"] for _, a in parsed(html).found if a.get("id")]
    assert len(ids) == len(set(ids))


def test_hostile_names_are_text(bad: str, builders: ModuleType) -> None:
    assert builders.HOSTILE not in bad
    elements = parsed(bad)
    assert (
        len([tag for tag, _ in elements.found if tag == "script"])
        == len([tag for tag, a in elements.found if "data-chart" in a]) + 2
    )
    assert builders.HOSTILE in " ".join(elements.text)


def test_same_study_gives_the_same_file(html: str, study: Any) -> None:
    assert study_html(study) == html


def test_study_with_nothing_in_it_says_so(builders: ModuleType) -> None:
    html = study_html(builders.Study(answer="Too few.", warnings=("only one",)))
    text = " ".join(parsed(html).text)
    assert "too few configurations" in text
    assert "only one" in text
    assert not any("data-chart" in a for _, a in parsed(html).found)


def test_script_json_cannot_leave_its_element() -> None:
    text = script_json({"a": "</script><!--", "b": "bad \udc80"})
    assert "<" not in text
    assert json.loads(text)["a"] == "</script><!--"


def test_policy_without_scripts_forbids_them() -> None:
    assert "script-src 'none'" in policy(styles=["a{}"], scripts=[])


def test_javascript_is_kept_in_the_cache_and_made_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []
    monkeypatch.setenv("EQUIPOISE_CACHE", str(tmp_path))
    monkeypatch.setattr(
        export, "make_javascript", lambda: made.append(1) or "window.vegaEmbed = 1;"
    )
    for _ in range(3):
        export.javascript.cache_clear()
        assert "vegaEmbed" in export.javascript()
    export.javascript.cache_clear()
    assert len(made) == 1
    assert [path.suffix for path in tmp_path.iterdir()] == [".js"]


def test_a_cache_that_cannot_be_written_only_costs_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    monkeypatch.setenv("EQUIPOISE_CACHE", str(blocked))
    monkeypatch.setattr(export, "make_javascript", lambda: "window.vegaEmbed = 1;")
    export.javascript.cache_clear()
    assert "vegaEmbed" in export.javascript()
    export.javascript.cache_clear()


def test_bundle_cannot_end_its_script_element() -> None:
    text = export.javascript().lower()
    assert "</script" not in text
    assert "<!--" not in text
    assert "vegaembed" in text


def test_notebook_fragment_escapes_names() -> None:
    made = Document(
        tables={"scores": [{"submitter": "<script>x</script>", "accelerators": 8}] * 30},
        headline="<b>",
        footnotes=("note",),
    )
    fragment = answer_html(made)
    assert "<script>" not in fragment
    assert "&lt;b&gt;" in fragment
    assert "10 more rows" in fragment


def test_unknown_template_is_an_error() -> None:
    from jinja2 import TemplateNotFound

    with pytest.raises(TemplateNotFound):
        page("nothing.html.j2", {})
