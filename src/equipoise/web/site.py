"""The read-only pages as files for any static host: same words, same charts, no server."""

import re
from collections.abc import Callable, Iterator, Sequence
from html import unescape
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from equipoise.errors import EquipoiseError, printable
from equipoise.web.assets import NAMES, asset_body
from equipoise.web.commands import PREFIX
from equipoise.web.kitchen import Kitchen, task
from equipoise.web.pages import PAGES, asked, defaults
from equipoise.web.tables import system_link

PER_BENCHMARK: Final = ("benchmark", "scaling", "study", "trends", "predict", "advise", "compare")
ALONE: Final = ("overview", "validate", "methods", "api")
ASKED: Final = ("predict", "advise", "compare")
"""Pages that answer what the reader asks: as files they show the usual question, and say so."""
OPENAPI: Final = f"{PREFIX}/openapi.json"
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "form-action 'none'; base-uri 'none'"
)
FILES: Final = ("csv", "json", "xlsx")
"""Forms in which the answer of a page lies beside it."""
_LINK: Final = re.compile(r'(?P<attribute>href|src)="(?P<address>/[^"]*)"')
_DYNAMIC: Final = re.compile(
    r'<form class="(?:ask|weights)[^>]*>.*?</form>|<noscript>.*?</noscript>'
    r'|<p class="tools">.*?</p>'
    r'|<section aria-labelledby="compare-title">.*?</section>'
    r'|<a href="[^"]*" aria-label="Open the example [^>]*>open</a>',
    re.DOTALL,
)
_DOWNLOADS: Final = re.compile(r'<p class="downloads">.*?</p>', re.DOTALL)

_GUARD: Final = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'

Progress = Callable[[int, int | None], None]


def export_site(
    catalogue: Path, out: Path, *, systems: bool = True, progress: Progress | None = None
) -> int:
    """Write every read-only page into a folder; return how many files there are.

    Pages that compute for the one who asks (predict, advise, compare) show the usual question
    and how to ask another; every table lies beside its page as CSV, JSON and workbook.

    Raises
    ------
    EquipoiseError
        The folder cannot be written.
    """
    kitchen = Kitchen(catalogue)
    pages = list(_pages(kitchen, systems=systems))
    known = {address: place for address, place, _, _ in pages}
    known[OPENAPI] = "openapi.json"
    written = _write(out / known[OPENAPI], kitchen.cook(task("openapi", "openapi", {})).content)
    for name in NAMES:
        written += _write(out / "assets" / name, asset_body(name).content)
    for number, (_, place, name, params) in enumerate(pages):
        written += _page(kitchen, out, place, name, params, known)
        if progress is not None:
            progress(number + 1, len(pages))
    return written


def _pages(kitchen: Kitchen, *, systems: bool) -> Iterator[tuple[str, str, str, dict[str, object]]]:
    """Yield (address, file, page, parameters) of every page that is written."""
    from equipoise.scaling.paper2 import PAPER2_BENCHMARKS, PAPER2_ROUND
    from equipoise.web.forms import scores_by_benchmark
    from equipoise.web.pages.predict import usual

    for name in ALONE:
        place = "index.html" if name == "overview" else f"{name}.html"
        yield PAGES[name].path, place, name, defaults(name)
    known = scores_by_benchmark(kitchen)
    if any(
        score.round == PAPER2_ROUND for name in PAPER2_BENCHMARKS for score in known.get(name, ())
    ):
        name = "study-scaling"
        yield PAGES[name].path, f"{name}.html", name, defaults(name)
    for benchmark in sorted(known):
        for name in PER_BENCHMARK:
            address = f"{PAGES[name].path}?benchmark={benchmark}"
            params = {**defaults(name), "benchmark": benchmark}
            if name == "compare":
                params |= _pair(kitchen, benchmark)
            if name == "predict":
                params |= usual(kitchen, benchmark)
            yield address, f"{name}/{file_name(benchmark)}.html", name, params
    for number, system in enumerate(kitchen.catalogue.systems() if systems else ()):
        key = f"{system.round}/{system.submitter}/{system.system_id}"
        place = f"systems/{number}-{file_name(system.system_id)}.html"
        yield system_link(key), place, "show", {**defaults("show"), "system_id": key}


def _pair(kitchen: Kitchen, benchmark: str) -> dict[str, object]:
    """Return the two configurations that a benchmark's comparison shows."""
    from equipoise.web.pages.compare import context

    examples = context(kitchen, {**defaults("compare"), "benchmark": benchmark})["examples"]
    return dict(zip("ab", examples[0], strict=True)) if examples else {}


def file_name(text: str) -> str:
    """Return text as a harmless name of a file.

    >>> file_name("../<x> y")
    'x-y'
    """
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")[:80] or "page"


def _page(
    kitchen: Kitchen,
    out: Path,
    place: str,
    name: str,
    params: dict[str, object],
    known: dict[str, str],
) -> int:
    body = kitchen.cook(task("page", name, params))
    root = "../" * place.count("/")
    command = PAGES[name].command
    files = FILES if command is not None and name != "show" and body.status == 200 else ()
    text = still(body.content.decode(), root, place, known, files=files)
    if name in ASKED:
        text = text.replace("</h1>", f"</h1>{_fixed(name)}", 1)
    written = _write(out / place, text.encode())
    for form in files:
        assert command is not None
        made = kitchen.cook(task("api", command, {**asked(name, params), "format": form}))
        if made.status == 200:
            written += _write((out / place).with_suffix(f".{form}"), made.content)
    return written


def _fixed(name: str) -> str:
    """Return the words on a page that the server answers for each reader."""
    return (
        '<p class="note">These files hold the answer to the usual question. For your own run '
        f"<code>equipoise serve</code> and open <code>/{name}</code> there, or ask "
        f"<code>equipoise {name} --help</code>.</p>"
    )


def still(
    text: str, root: str, place: str, known: dict[str, str], *, files: Sequence[str] = ()
) -> str:
    """Return a page without what needs the server, its links turned to files.

    What would link to a page that is not written is plain text.
    """
    stem = Path(place).stem
    links = " ".join(f'<a href="{stem}.{form}" download>{form.upper()}</a>' for form in files)
    downloads = f'<p class="downloads"><span>Download:</span> {links}</p>' if files else ""
    text = _DYNAMIC.sub("", text).replace("<head>", f"<head>{_GUARD}", 1)
    text = _DOWNLOADS.sub(downloads, text)

    def turned(found: re.Match[str]) -> str:
        address = unescape(found["address"])
        return f'{found["attribute"]}="{root}{_file(address, known)}"'

    return _without_dead_entries(_LINK.sub(turned, text))


def _file(address: str, known: dict[str, str]) -> str:
    if address.startswith("/assets/"):
        return f"assets/{address.rpartition('/')[2]}"
    parts = urlsplit(address)
    if address in known:
        return known[address]
    benchmark = dict(parse_qsl(parts.query)).get("benchmark")
    if benchmark is None:
        return known.get(parts.path, DEAD)
    return known.get(f"{parts.path}?benchmark={benchmark}", DEAD)


DEAD: Final = "index.html#needs-the-server"
_ENTRY: Final = re.compile(rf'<li><a href="[^"]*{re.escape(DEAD)}"[^>]*>[^<]*</a></li>\s*')

_ANCHOR: Final = re.compile(rf'<a href="[^"]*{re.escape(DEAD)}"[^>]*>(.*?)</a>', re.DOTALL)


def _without_dead_entries(text: str) -> str:
    return _ANCHOR.sub(r"\1", _ENTRY.sub("", text))


def _write(path: Path, content: bytes) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        reason = error.strerror or str(error)
        raise EquipoiseError(f"cannot write {printable(str(path))}: {reason}") from error
    return 1
