"""Every page: complete without scripts, the workflow's numbers, names as text."""

import json
import re
from html import unescape
from html.parser import HTMLParser
from typing import Any

import pytest

from equipoise.report.cells import number_text, percent_text
from equipoise.web.pages import PAGES
from equipoise.workflow import analyses, decisions
from equipoise.workflow.study import study

KEY = "v4.1/Acme/h100-sxm5-80gb_n8/bert"
OTHER = "v4.1/Acme/h100-sxm5-80gb_n16/bert"


class Outline(HTMLParser):
    """The parts of a page that matter to those who do not see it."""

    VOID = frozenset(
        ["meta", "link", "img", "input", "br", "hr", "source", "path", "circle", "polyline"]
    )

    def __init__(self, text: str) -> None:
        super().__init__()
        self.headings: list[int] = []
        self.ids: list[str] = []
        self.labelled: set[str] = set()
        self.controls: list[dict[str, str | None]] = []
        self.scripts: list[dict[str, str | None]] = []
        self.events: list[str] = []
        self.styles = 0
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if given.get("id"):
            self.ids.append(str(given["id"]))
        if tag == "label" and given.get("for"):
            self.labelled.add(str(given["for"]))
        if tag in ("input", "select", "textarea"):
            self.controls.append({**given, "inside": "label" if "label" in self.open else None})
        if tag == "script":
            self.scripts.append(given)
        self.styles += tag == "style" or "style" in given
        self.events += [name for name in given if name.startswith("on")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag


def test_the_states_cover_every_page(states: Any) -> None:
    assert set(states) == set(PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_well_formed_labelled_and_without_inline_code(
    client: Any, name: str, states: Any
) -> None:
    found = client.page(PAGES[name].path, **states[name])
    assert found.headers["content-type"] == "text/html; charset=utf-8"
    outline = Outline(found.text)
    assert outline.open == []
    assert outline.headings.count(1) == 1
    assert all(b - a <= 1 for a, b in zip(outline.headings, outline.headings[1:], strict=False))
    assert len(outline.ids) == len(set(outline.ids))
    for control in outline.controls:
        named = control.get("id") in outline.labelled or control.get("aria-label")
        assert named or control["inside"], control
    assert outline.events == []
    assert outline.styles == 0
    inline = [s for s in outline.scripts if "src" not in s]
    assert all(script.get("type") == "application/json" for script in inline)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_links_only_to_itself(client: Any, name: str, states: Any) -> None:
    text = client.page(PAGES[name].path, **states[name]).text
    loaded = re.findall(r'<(?:script|link|img|source)[^>]+(?:src|href|srcset)="([^"]+)"', text)
    assert loaded
    assert all(address.startswith("/") for address in loaded)


@pytest.mark.parametrize("name", [n for n, p in PAGES.items() if p.charts])
def test_every_chart_has_its_numbers_and_its_picture(client: Any, name: str, states: Any) -> None:
    text = client.page(PAGES[name].path, **states[name]).text
    charts = re.findall(r'data-chart="([\w-]+)"', text)
    assert charts
    for chart in charts:
        spec = re.search(rf'id="spec-{chart}">(.*?)</script>', text, re.DOTALL)
        assert spec is not None
        assert json.loads(spec[1])["$schema"].endswith("v5.json")
        part = text[text.index(f'id="figure-{chart}"') :]
        part = part[: part.index("</figure>")]
        assert "The numbers of this chart" in part
        assert "<noscript>" in part
    picture = re.search(r'href="(/charts/[^"]+\.svg[^"]*)"', text)
    assert picture is not None
    drawn = client.get(picture[1].replace("&amp;", "&"))
    assert drawn.status_code == 200
    assert drawn.text.startswith("<svg")


def test_names_from_system_files_are_text_everywhere(client: Any, states: Any) -> None:
    for name in ("benchmark", "study", "compare", "scaling"):
        text = client.page(PAGES[name].path, **states[name]).text
        assert "<script>alert" not in text
        assert "onerror" not in text
    text = client.page("/benchmark", benchmark="bert").text
    assert "&lt;script&gt;alert(&#39;s&#39;)&lt;script&gt;" in text
    link = re.search(r'href="(/show\?system-id=[^"]*script[^"]*)"', text)
    assert link is not None
    system = client.get(link[1].replace("&amp;", "&")).text
    assert "<img src=x" not in system
    assert "&lt;img src=x onerror=alert(1)&gt;" in system
    assert "Xeon &lt;b&gt;8480&lt;/b&gt;" in system


def test_scaling_shows_the_numbers_of_the_workflow(
    client: Any, catalogue: Any, states: Any
) -> None:
    answer = analyses.scaling(catalogue, "bert", resamples=50)
    text = client.page("/scaling", **states["scaling"]).text
    for point in answer.result.points[:20]:
        assert number_text(point.time_to_train_min, 4) in text
    worth = analyses.breakeven(catalogue, "bert", resamples=50)
    for row in worth.breakevens if hasattr(worth, "breakevens") else worth.result.breakevens:
        if row.default:
            assert row.curve in text


def test_study_gives_the_answer_of_the_workflow(client: Any, catalogue: Any, states: Any) -> None:
    answer = study(catalogue, "bert", resamples=50, k=3)
    text = client.page("/study", **states["study"]).text
    first = answer.result.ranking.ranking[0]
    assert first.system_id in text
    assert f"{first.rank_low} to {first.rank_high}" in text


def test_trends_and_compare_say_what_the_workflow_says(client: Any, catalogue: Any) -> None:
    plain = re.sub(r"&#39;", "'", client.page("/trends", benchmark="bert").text)
    assert decisions.trends(catalogue, "bert").headline in plain
    compared = decisions.compare(catalogue, KEY, OTHER)
    assert compared.headline in client.page("/compare", a=KEY, b=OTHER).text


def test_weights_change_the_part_and_the_page_alike(client: Any, catalogue: Any) -> None:
    weights = "time_to_train_min=1,efficiency=9"
    asked = {"benchmark": "bert", "weights": weights, "resamples": 50}
    part = client.get("/parts/study", params=asked)
    assert part.status_code == 200
    assert "<html" not in part.text
    expected = analyses.rank(catalogue, "bert", weights=weights, resamples=50).result.ranking[0]
    row = re.search(r"<tbody>\s*<tr>(.*?)</tr>", part.text, re.DOTALL)
    assert row is not None
    assert expected.system_id in row[1]
    whole = client.page("/study", **asked, k=3).text
    assert expected.system_id in whole
    assert f'name="weights" type="text" value="{weights}"' in whole


def test_a_form_shows_the_state_of_the_address(client: Any) -> None:
    asked = {"benchmark": "bert", "round": "v4.1", "accelerator": "h100-sxm5-80gb"}
    text = client.page("/benchmark", **asked, **{"max-accelerators": 64}).text
    assert 'name="round" value="v4.1" checked' in text
    assert 'name="accelerator" value="h100-sxm5-80gb" checked' in text
    assert 'name="max-accelerators" type="number" value="64"' in text
    assert "(3 active)" in text
    assert "a100-sxm4-80gb_n8" not in text
    assert "h100-sxm5-80gb_n128" not in text
    assert "h100-sxm5-80gb_n64" in text


def test_blank_fields_of_a_form_are_no_condition(client: Any) -> None:
    one = client.page("/benchmark", benchmark="bert")
    other = client.get("/benchmark?benchmark=bert&submitter=&max-accelerators=&division=closed")
    assert other.status_code == 200
    assert one.text == other.text


def test_rounds_and_benchmark_go_along_from_page_to_page(client: Any) -> None:
    text = client.page("/benchmark", benchmark="bert", round="v4.1").text
    assert 'href="/scaling?benchmark=bert&amp;round=v4.1"' in text
    assert 'href="/methods"' in text


def test_own_measurements_are_marked_unverified(client: Any) -> None:
    asked = {"accelerator": "h100-sxm5-80gb", "accelerators": "8,16,64"}
    text = client.page("/predict", measured="8=180min,16=97min", **asked).text
    assert "Result not verified by MLCommons Association." in text
    assert "What to measure next" in text
    assert "8=180min\n16=97min" in text


@pytest.mark.parametrize(
    ("url", "status", "said"),
    [
        ("/benchmark?benchmark=brt", 422, "did you mean"),
        ("/benchmark?benchmark=bert&max-accelerators=abc", 400, "max-accelerators"),
        ("/benchmark?benchmark=bert&wrong=1", 400, "unknown parameter"),
        ("/benchmark?benchmark=resnet", 404, "no scored configuration"),
        ("/scaling?benchmark=bert&round=v0.7&round=v4.1", 422, "block"),
        ("/show?system-id=nobody", 422, "unknown system"),
        ("/study?benchmark=bert&min-accelerators=9000", 404, "relax"),
        ("/compare?a=x/bert&b=y/bert", 422, "unknown configuration"),
    ],
)
def test_errors_say_what_to_do(client: Any, url: str, status: int, said: str) -> None:
    found = client.get(url)
    assert found.status_code == status
    assert said in found.text.lower()
    assert "Start this page anew" in found.text


def test_advice_that_nothing_satisfies_is_a_page_not_an_error(client: Any) -> None:
    text = client.page("/advise", benchmark="bert", deadline="1s", budget="1usd").text
    assert "Nothing satisfies these limits" in text
    assert "longer deadline" in text


def test_buying_stands_beside_renting_with_the_utilisation_from_which_it_pays(
    client: Any, catalogue: Any
) -> None:
    asked = {"benchmark": "bert", "deadline": "2h", "measured-only": "true"}
    without = client.page("/advise", **asked).text
    assert 'id="buying"' not in without
    assert 'name="purchase"' in without
    terms = {"purchase": "35000usd", "years": "5", "utilisation": "0.5", "power-price": "0.2"}
    text = client.page("/advise", **asked, **terms, **{"running-cost": "100", "pue": "1.1"}).text
    for name, value in {**terms, "running-cost": "100", "pue": "1.1"}.items():
        assert re.search(rf'name="{name}" type="\w+" value="{value}"', text), name
    answer = decisions.advise(
        catalogue,
        "bert",
        deadline="2h",
        predicted=False,
        purchase="35000usd",
        years=5,
        utilisation=0.5,
        power_price=0.2,
        running_cost=100,
        pue=1.1,
    )
    rows = answer.rows("purchases")
    assert rows
    assert f"{rows[0]['reason']}." in text
    for row in rows:
        limit = row["breakeven_utilisation"]
        if limit is not None and limit <= 1:
            assert f"buying pays from {percent_text(limit)} utilisation" in text
    other = client.page("/advise", **asked, **{**terms, "utilisation": "0.9"}).text
    assert other != text


def test_terms_of_a_purchase_need_its_price(client: Any) -> None:
    found = client.get("/advise?benchmark=bert&years=3")
    assert found.status_code == 422
    assert "purchase" in found.text


def test_searching_the_overview(client: Any) -> None:
    assert "BERT" in client.page("/", q="language").text
    assert "No benchmark fits" in client.page("/", q="zebra").text


def test_every_download_of_a_page_is_there(client: Any, states: Any) -> None:
    """Also of a page that was asked without parameters and filled them in itself."""
    for path, params in (("/predict", {"benchmark": "bert"}), ("/benchmark", states["benchmark"])):
        text = client.page(path, **params).text
        links = re.findall(r'href="(/api/v1/[^"]+)"', text)
        assert len(links) > 3
        for link in links:
            assert client.get(unescape(link)).status_code == 200, link


def test_a_long_list_of_names_is_folded_away(client: Any) -> None:
    found = client.get("/compare?a=v9/nobody/nothing/bert&b=v9/nobody/nothing/bert")
    assert found.status_code == 422
    lead = found.text.partition('<p class="lead">')[2].partition("</p>")[0]
    assert "nothing" in lead
    assert "choices" not in lead
    assert "<summary>Names that there are</summary>" in found.text
