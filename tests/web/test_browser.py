"""Every page in a real browser: quiet, complete by keyboard, its state in the address."""

import re
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from equipoise.web.pages import PAGES

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.dashboard]

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
]
DESK: dict[str, Any] = {"viewport": {"width": 1360, "height": 900}, "color_scheme": "light"}
DARK: dict[str, Any] = {**DESK, "color_scheme": "dark"}
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "color_scheme": "light"}
WIDE: dict[str, Any] = {"viewport": {"width": 2400, "height": 1300}, "color_scheme": "dark"}
SLOW_MS = 120_000
MOST_BYTES = 1_500_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if not Path(CHROMIUM).exists():
        pytest.skip("chromium is not installed (Debian: apt-get install chromium)")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def site(small_catalogue: Path, serving: Any) -> Iterator[str]:
    process, port = serving.started(small_catalogue, "--timeout", "300")
    yield f"http://127.0.0.1:{port}"
    assert serving.stopped(process)[0] == 0


@dataclass
class Opened:
    """A page, what it said, what it asked for and how much it weighed."""

    site: str
    page: Any
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    bytes: int = 0

    def go(self, path: str, **params: Any) -> Any:
        query = f"?{urlencode(params, doseq=True)}" if params else ""
        self.page.goto(f"{self.site}{path}{query}", timeout=SLOW_MS)
        return self.page

    def draw_all(self) -> None:
        boxes = self.page.locator("[data-chart]")
        for i in range(boxes.count()):
            boxes.nth(i).scroll_into_view_if_needed()
            name = boxes.nth(i).get_attribute("data-chart")
            self.page.wait_for_selector(f"[data-chart={name}][data-drawn] svg", timeout=SLOW_MS)

    def until(self, expression: str) -> None:
        """Wait until JavaScript is true; the policy of the pages forbids to hand it over once."""
        deadline = time.monotonic() + SLOW_MS / 1000
        while not self.page.evaluate(expression):
            assert time.monotonic() < deadline, expression
            self.page.wait_for_timeout(50)

    def quiet(self) -> None:
        """Check that nothing went wrong and nobody else was asked."""
        assert self.said == []
        assert [url for url in self.asked if not url.startswith((self.site, "data:"))] == []


@pytest.fixture
def visit(browser: Any, site: str) -> Iterator[Any]:
    contexts = []

    def open_one(**options: Any) -> Opened:
        context = browser.new_context(**{**DESK, **options})
        context.set_default_timeout(SLOW_MS)
        contexts.append(context)
        opened = Opened(site=site, page=context.new_page())
        opened.page.on("console", lambda message: opened.said.append(message.text))
        opened.page.on("pageerror", lambda error: opened.said.append(str(error)))
        opened.page.on("dialog", lambda dialog: opened.said.append(dialog.message))
        opened.page.on("request", lambda request: opened.asked.append(request.url))
        opened.page.on("requestfinished", lambda request: weigh(opened, request))
        return opened

    yield open_one
    for context in contexts:
        context.close()


def weigh(opened: Opened, request: Any) -> None:
    opened.bytes += request.sizes()["responseBodySize"]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_drawn_quietly_within_its_weight(visit: Any, states: Any, name: str) -> None:
    opened = visit()
    page = opened.go(PAGES[name].path, **states[name])
    opened.draw_all()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert opened.bytes < MOST_BYTES
    opened.quiet()


@pytest.mark.parametrize("look", [DARK, PHONE, WIDE], ids=["dark", "phone", "wide"])
def test_every_page_fits_every_screen(visit: Any, states: Any, look: dict[str, Any]) -> None:
    opened = visit(**look)
    for name, page in PAGES.items():
        opened.go(page.path, **states[name])
        opened.draw_all()
        fits = "document.documentElement.scrollWidth <= window.innerWidth"
        assert opened.page.evaluate(fits), name
    opened.quiet()


AXE: dict[str, Any] = {"resultTypes": ["violations"], "preload": False}
NO_CONTRAST: dict[str, Any] = {**AXE, "rules": {"color-contrast": {"enabled": False}}}
ROWS_ALIKE = "document.querySelectorAll('tbody tr:nth-child(n+4)').forEach((row) => row.remove())"
"""Rows of a table come from one template: the first three stand for all."""


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(
    ("look", "how"),
    [(DESK, AXE), (DARK, AXE), (PHONE, NO_CONTRAST)],  # a phone has the colours of the desk
    ids=["light", "dark", "phone"],
)
def test_axe_finds_nothing_serious(
    visit: Any, states: Any, look: dict[str, Any], how: dict[str, Any], name: str
) -> None:
    found = find_spec("axe_playwright_python")
    if found is None or not found.submodule_search_locations:
        pytest.skip("axe-playwright-python is not installed")
    axe = Path(next(iter(found.submodule_search_locations)), "axe.min.js").read_text("utf-8")
    opened = visit(**look)
    opened.go(PAGES[name].path, **states[name])
    opened.draw_all()
    opened.page.evaluate(ROWS_ALIKE)
    opened.page.evaluate(f"() => {{ {axe} }}")
    result = opened.page.evaluate("(how) => axe.run(how)", how)
    serious = [
        (violation["id"], violation["help"], [node["target"] for node in violation["nodes"]][:3])
        for violation in result["violations"]
        if violation["impact"] in ("serious", "critical")
    ]
    assert serious == []


def test_a_page_without_scripts_has_pictures_and_tables(visit: Any) -> None:
    opened = visit(java_script_enabled=False)
    page = opened.go("/benchmark", benchmark="bert")
    page.wait_for_load_state("networkidle")
    assert page.locator("figure img").count() == 1
    assert page.locator("figure img").evaluate("image => image.naturalWidth") > 300
    assert page.locator("#configurations tbody tr").count() > 50
    page.select_option("select[name=colour]", "submitter")
    page.locator("form.ask button.main").first.click()
    page.wait_for_url("**colour=submitter*")


@pytest.mark.parametrize("name", PAGES)
def test_every_page_is_useful_without_scripts(visit: Any, states: Any, name: str) -> None:
    opened = visit(java_script_enabled=False)
    page = opened.go(PAGES[name].path, **states[name])
    assert page.locator("h1").count() == 1
    assert len(page.locator("main").inner_text()) > 200
    assert page.locator("nav.pages a").first.is_visible()
    charts = page.locator("[data-chart]").count()
    assert page.locator("figure img").count() == charts
    if charts:
        picture = page.locator("figure img").first
        picture.scroll_into_view_if_needed()
        page.wait_for_load_state("networkidle")
        assert picture.evaluate("image => image.naturalWidth") > 300
    for control in page.locator("[data-find], [data-weights], [data-theme-switch]").all():
        assert not control.is_visible()  # what only a script can do is not offered
    opened.quiet()


def test_buying_is_asked_in_the_form_and_kept_in_the_address(visit: Any) -> None:
    opened = visit()
    page = opened.go("/advise", **{"benchmark": "bert", "measured-only": "true"})
    page.locator(".filters summary", has_text="Buying beside renting").click()
    page.fill("input[name=purchase]", "35000usd")
    page.fill("input[name=utilisation]", "0.5")
    page.locator(".filters button.main").first.click()
    page.wait_for_url("**purchase=35000usd*", timeout=SLOW_MS)
    assert "utilisation=0.5" in page.url
    cards = page.locator("#buying .card")
    assert cards.count() > 0
    assert "assumed utilisation" in cards.first.inner_text()
    again = visit()
    again.page.goto(page.url, timeout=SLOW_MS)
    assert again.page.locator("#buying").inner_text() == page.locator("#buying").inner_text()
    assert again.page.locator("input[name=purchase]").input_value() == "35000usd"
    page.go_back()
    assert page.locator("#buying").count() == 0
    opened.quiet()


def test_filter_link_and_back_button(visit: Any) -> None:
    opened = visit()
    page = opened.go("/benchmark", benchmark="bert")
    page.locator(".filters summary").click()
    page.locator("input[name=accelerator][value='h100-sxm5-80gb']").check()
    page.fill("input[name=max-accelerators]", "32")
    page.locator(".filters button.main").click()
    page.wait_for_url("**accelerator=h100-sxm5-80gb*")
    assert "submitter=" not in page.url
    text = page.locator("#configurations tbody").inner_text()
    assert "h100-sxm5-80gb_n32" in text
    assert "a100" not in text
    other = visit()
    other.page.goto(page.url)
    assert other.page.locator("#configurations tbody").inner_text() == text
    page.go_back()
    assert "a100-sxm4-80gb_n8" in page.locator("#configurations tbody").inner_text()
    opened.quiet()


def test_sorting_and_finding_stay_in_the_address(visit: Any) -> None:
    opened = visit()
    page = opened.go("/benchmark", benchmark="bert")
    heading = page.locator("#configurations th", has_text="submitter")
    heading.locator("button").click()
    heading.locator("button").click()
    page.locator("#configurations [data-find]").fill("other n")
    page.locator("#configurations [data-find]").fill("Other")
    opened.until("new URL(location).searchParams.get('find') === 'configurations:Other'")
    count = page.locator("#configurations [data-count]").inner_text()
    assert re.fullmatch(r"\d+ of \d+ rows", count)
    again = visit()
    again.page.goto(page.url)
    assert again.page.locator("#configurations [data-count]").inner_text() == count
    shown = again.page.locator("#configurations th", has_text="submitter")
    assert shown.get_attribute("aria-sort") == "descending"
    opened.quiet()
    again.quiet()


def test_what_is_brushed_stays_in_the_table(visit: Any) -> None:
    opened = visit()
    page = opened.go("/benchmark", benchmark="bert")
    opened.draw_all()
    box = page.locator("[data-chart] svg").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.7, box["y"] + box["height"] * 0.1)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.98, box["y"] + box["height"] * 0.7, steps=8)
    page.mouse.up()
    opened.until(
        "document.querySelector('#configurations [data-count]').textContent.includes(' of ')"
    )
    rows = page.locator("#configurations tbody tr:not([hidden])")
    assert 0 < rows.count() < 40
    opened.quiet()


def test_sliders_rank_at_once_and_the_link_keeps_them(visit: Any, states: Any) -> None:
    opened = visit()
    page = opened.go("/study", **states["study"])
    first = "#table-ranking tbody tr:first-child"
    before = page.locator(first).inner_text()
    slider = page.locator("[data-weight=time_to_train_min]")
    slider.focus()
    for _ in range(20):
        page.keyboard.press("ArrowLeft")
    for _ in range(6):
        page.locator("[data-weight=accelerator_hours]").press("ArrowRight")
    opened.until(f"document.querySelector('{first}').innerText !== {before!r}")
    opened.until("!document.querySelector('#ranking-part[aria-busy]')")
    assert "time_to_train_min%3D0" in page.url
    page.wait_for_selector("[data-chart=ranking][data-drawn]")
    after = page.locator(first).inner_text()
    again = visit()
    again.page.goto(page.url, timeout=SLOW_MS)
    assert again.page.locator(first).inner_text().split("\t")[2:5] == after.split("\t")[2:5]
    assert again.page.locator("[data-weight=time_to_train_min]").input_value() == "0"
    opened.quiet()


def test_own_measurements_are_pasted_in_any_form(visit: Any) -> None:
    opened = visit()
    page = opened.go("/predict", benchmark="bert")
    page.fill("textarea[name=measured]", "8\t180min\n16, 97min\n32 = 55")
    page.fill("input[name=accelerator]", "h100-sxm5-80gb")
    page.locator("form.ask button.main").first.click()
    page.wait_for_url("**measured=*", timeout=SLOW_MS)
    assert "measured=8%3D180min%2C16%3D97min%2C32%3D55" in page.url
    assert "Result not verified" in page.locator("main").inner_text()
    assert page.locator("#table-suggestions tbody tr").count() > 0
    opened.draw_all()
    opened.quiet()


@pytest.mark.parametrize(("label", "ending"), [("CSV", "csv"), ("Excel", "xlsx"), ("JSON", "json")])
def test_downloads(visit: Any, label: str, ending: str) -> None:
    opened = visit()
    page = opened.go("/benchmark", benchmark="bert")
    with page.expect_download() as waiting:
        page.locator(".downloads").get_by_role("link", name=label, exact=True).click()
    assert waiting.value.suggested_filename == f"equipoise-configurations-bert.{ending}"
    assert Path(waiting.value.path()).stat().st_size > 1000
    opened.quiet()


def test_by_keyboard_alone(visit: Any) -> None:
    opened = visit()
    page = opened.go("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    opened.until("document.activeElement.id === 'main'")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "q"
    page.keyboard.type("bert")
    page.keyboard.press("Enter")
    page.wait_for_url("**/?q=bert")
    page.locator(".tile h2 a").first.focus()
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    assert page.evaluate(outline) == "solid"
    page.keyboard.press("Enter")
    page.wait_for_url("**/benchmark?benchmark=bert")
    heading = page.locator("#configurations th button").nth(1)
    heading.focus()
    page.keyboard.press("Enter")
    assert page.locator("#configurations th").nth(1).get_attribute("aria-sort") == "ascending"
    opened.quiet()


def test_the_theme_is_kept_from_page_to_page(visit: Any) -> None:
    opened = visit()
    page = opened.go("/")
    colour = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(colour)
    page.locator("[data-theme-switch]").click()
    page.locator("[data-theme-switch]").click()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    dark = page.evaluate(colour)
    assert dark != light
    opened.go("/methods")
    assert page.evaluate(colour) == dark
    opened.quiet()


def test_a_hostile_name_is_text_in_page_and_tooltip(visit: Any) -> None:
    opened = visit()
    page = opened.go("/benchmark", benchmark="bert")
    opened.draw_all()
    page.locator("#configurations").get_by_role("link", name="<script>").first.click()
    page.wait_for_url("**/show?*")
    page.locator("details summary").click()
    assert "<img src=x" in page.locator("pre").inner_text()
    assert page.locator("main script").count() == 0
    opened.quiet()


def test_an_error_page_has_the_form_to_go_on(visit: Any) -> None:
    opened = visit()
    page = opened.go("/scaling", benchmark="brt")
    assert "did you mean" in page.locator("main").inner_text()
    page.select_option("select[name=benchmark]", "bert")
    page.wait_for_url("**/scaling?benchmark=bert", timeout=SLOW_MS)
    assert page.locator("h1").inner_text() == "Scaling of BERT-large"
