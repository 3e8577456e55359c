"""The report in a real browser: draws its charts, asks for nothing, no errors, both themes."""

import importlib.util
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser

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
BUILDERS = Path(__file__).parents[1] / "report" / "builders.py"
VIEWS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light"},
    "wide": {"viewport": {"width": 2200, "height": 1200}, "color_scheme": "dark"},
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if not Path(CHROMIUM).exists():
        pytest.skip("chromium is not installed (Debian: apt-get install chromium)")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from equipoise.report.html import study_html

    spec = importlib.util.spec_from_file_location("equipoise_browser_builders", BUILDERS)
    assert spec is not None
    assert spec.loader is not None
    builders = importlib.util.module_from_spec(spec)
    import sys

    sys.modules[spec.name] = builders
    spec.loader.exec_module(builders)
    path = tmp_path_factory.mktemp("report") / "study.html"
    path.write_text(study_html(builders.study(hostile=True)), encoding="utf-8")
    return path


@dataclass
class Opened:
    """A page and all that it said and asked for."""

    page: Any
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def draw_all(self) -> int:
        """Scroll every chart into view and wait until it is drawn; return how many."""
        boxes = self.page.locator("[data-chart]")
        for i in range(boxes.count()):
            boxes.nth(i).evaluate("box => box.scrollIntoView({block: 'center'})")
            self.page.wait_for_selector(
                f"[data-chart={boxes.nth(i).get_attribute('data-chart')}][data-drawn]"
            )
        return int(boxes.count())


def open_page(browser: Any, path: Path, **options: Any) -> Opened:
    context = browser.new_context(reduced_motion="reduce", **options)
    opened = Opened(page=context.new_page())
    opened.page.on("console", lambda message: opened.said.append(message.text))
    opened.page.on("pageerror", lambda error: opened.said.append(str(error)))
    opened.page.on("dialog", lambda dialog: opened.said.append(f"dialog {dialog.message}"))
    opened.page.on("request", lambda request: opened.asked.append(request.url))
    opened.page.goto(path.as_uri())
    return opened


@pytest.mark.parametrize("view", VIEWS)
def test_draws_every_chart_silently_and_asks_for_nothing(
    browser: Any, report: Path, view: str
) -> None:
    opened = open_page(browser, report, **VIEWS[view])
    page = opened.page
    assert opened.draw_all() >= 9
    for i in range(page.locator("[data-chart]").count()):
        box = page.locator("[data-chart]").nth(i)
        assert box.locator("svg").count() == 1
        assert box.locator("svg .role-mark path").count() > 3
        assert box.bounding_box()["height"] > 100
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert opened.said == []
    assert [url for url in opened.asked if not url.startswith(("file:", "data:"))] == []
    assert len([url for url in opened.asked if url.startswith("file:")]) == 1
    page.context.close()


def test_themes_change_page_and_charts_without_a_reload(browser: Any, report: Path) -> None:
    opened = open_page(browser, report, **VIEWS["light"])
    page = opened.page
    opened.draw_all()
    colours = (
        "[getComputedStyle(document.body).backgroundColor,"
        " getComputedStyle(document.querySelector('[data-chart] svg .role-axis-title text')).fill]"
    )
    light = page.evaluate(colours)
    page.emulate_media(color_scheme="dark")
    dark = page.evaluate(colours)
    assert light[0] == "rgb(255, 255, 255)"
    assert all(one != other for one, other in zip(light, dark, strict=True))
    page.context.close()


def test_without_scripts_there_are_pictures_and_tables(browser: Any, report: Path) -> None:
    opened = open_page(browser, report, java_script_enabled=False, **VIEWS["light"])
    page = opened.page
    assert page.locator("[data-chart] svg").count() >= 9
    assert page.locator("[data-chart] svg").first.bounding_box()["height"] > 100
    assert page.locator("#leaders table tbody tr").count() > 10
    assert opened.said == []
    page.context.close()


def test_a_heading_sorts_and_turns_by_mouse_and_keyboard(browser: Any, report: Path) -> None:
    opened = open_page(browser, report, **VIEWS["light"])
    page = opened.page
    table = page.locator("#evidence > .scroll table")
    place = table.locator("thead th").all_inner_texts().index("time to train [min]")
    button = table.locator("thead th").nth(place).locator("button")

    def times() -> list[float]:
        cells = table.locator(f"tbody tr td:nth-child({place + 1})").all_inner_texts()
        return [float(text.replace(",", "").strip()) for text in cells]

    button.click()
    table.locator("th[aria-sort=ascending]").wait_for()
    assert times() == sorted(times())
    button.press("Enter")
    table.locator("th[aria-sort=descending]").wait_for()
    assert times() == sorted(times(), reverse=True)
    heading = table.locator("thead th").nth(place)
    assert heading.get_attribute("aria-sort") == "descending"
    assert opened.said == []
    page.context.close()


def test_tooltip_shows_a_hostile_system_name_as_text(browser: Any, report: Path) -> None:
    opened = open_page(browser, report, **VIEWS["light"])
    page = opened.page
    opened.draw_all()
    box = page.locator("[data-chart='time-by-accelerator']")
    box.evaluate("box => box.scrollIntoView({block: 'center'})")
    marks = box.locator("svg .mark-symbol.role-mark path")
    for i in range(marks.count()):
        if "<script>" in (marks.nth(i).get_attribute("aria-label") or ""):
            marks.nth(i).hover(force=True)
            break
    tip = page.locator("#vg-tooltip-element.visible")
    tip.wait_for()
    assert "System" in tip.inner_text()
    assert tip.locator("script").count() == 0
    assert opened.said == []
    page.context.close()


def test_links_lead_to_the_parts_and_resizing_redraws(browser: Any, report: Path) -> None:
    opened = open_page(browser, report, **VIEWS["light"])
    page = opened.page
    page.get_by_role("link", name="Leaders").click()
    assert page.url.endswith("#leaders")
    page.wait_for_selector("[data-chart=ranking][data-drawn]")
    page.set_viewport_size({"width": 420, "height": 900})
    page.wait_for_timeout(1500)
    assert page.locator("[data-chart=ranking] svg").bounding_box()["width"] < 420
    assert page.locator("[data-chart=ranking] svg").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert opened.said == []
    page.context.close()


def test_prints_to_paper(browser: Any, report: Path) -> None:
    opened = open_page(browser, report, **VIEWS["dark"])
    page = opened.page
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible()
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == "rgb(255, 255, 255)"
    assert len(page.pdf()) > 20_000
    page.context.close()
