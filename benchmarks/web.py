"""First byte of every page with many clients, start time and page weight.

    python benchmarks/web.py [--clients 50] [--seconds 5] [--catalogue DIR]

Starts `equipoise serve` on a free port, asks every page once (the time of the first answer is
reported beside), then lets CLIENTS connections ask it again and again for SECONDS, each as
soon as it has its answer. Clients and server share the machine. Where Playwright and chromium
are installed, each page is then opened in a fresh headless browser: the time from asking for
it until its scripts have run and its first chart is drawn, and the bytes it took.
"""

import argparse
import asyncio
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

START = "from equipoise.cli.entry import main; main()"
PAGES = (
    "/",
    "/benchmark?benchmark=resnet",
    "/scaling?benchmark=llama2_70b_lora",
    "/study?benchmark=resnet",
    "/predict?benchmark=bert",
    "/advise?benchmark=bert&deadline=2h",
    "/trends?benchmark=bert",
    "/compare?benchmark=bert",
    "/methods",
    "/api/v1/rank?benchmark=resnet",
)
MS = 1000.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--catalogue")
    given = parser.parse_args()
    process, port, start_s = start(given.catalogue)
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} before")
    print(f"ready to answer after {start_s:.2f} s")
    try:
        asyncio.run(measure(port, given.clients, given.seconds))
        interactive(port)
    finally:
        process.terminate()
        process.wait(30)
    print(f"load {os.getloadavg()[0]:.1f} after")


def start(catalogue: str | None) -> tuple[subprocess.Popen[str], int, float]:
    began = time.perf_counter()
    before = ["--catalogue", catalogue] if catalogue else []
    process = subprocess.Popen(
        [
            sys.executable,
            *("-c", START, *before),
            *("serve", "--port", "0", "--no-warm", "--timeout", "600"),
        ],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        found = re.search(r"http://[\d.]+:(\d+)/", line)
        if found:
            return process, int(found[1]), time.perf_counter() - began
    raise SystemExit("the server did not start")


def interactive(port: int) -> None:
    """Print the time until each page can be used in a browser that has nothing stored."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return
    chromium = shutil.which("chromium")
    if chromium is None:
        return
    print(f"{'page':<40} {'loaded s':>9} {'chart s':>9} {'KB in all':>10}")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for page in PAGES:
            if not page.startswith("/api"):
                context = browser.new_context()
                print(f"{page:<40} {opened(context.new_page(), f'http://127.0.0.1:{port}{page}')}")
                context.close()
        browser.close()


def opened(page: Any, address: str) -> str:
    """Return the seconds until scripts ran and until the first chart is drawn, and kilobytes."""
    asked: list[Any] = []
    page.on("requestfinished", lambda request: asked.append(request))
    began = time.perf_counter()
    page.goto(address)
    loaded = time.perf_counter() - began
    chart = ""
    if page.locator("[data-chart]").count():
        page.locator("[data-chart]").first.scroll_into_view_if_needed()
        page.wait_for_selector("[data-chart][data-drawn] svg")
        chart = f"{time.perf_counter() - began:.2f}"
    size = sum(request.sizes()["responseBodySize"] for request in asked)
    return f"{loaded:>9.2f} {chart:>9} {size / MS:>10.0f}"


async def measure(port: int, clients: int, seconds: float) -> None:
    head = f"{'page':<40} {'first':>8} {'p50 ms':>8} {'p95 ms':>8} {'max ms':>8} {'req/s':>7}"
    print(f"{head} {'KB sent':>8}")
    everything: list[float] = []
    for page in PAGES:
        request = f"GET {page} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n"
        first, sent = (await client(port, request.encode(), until=0.0))[0]
        until = time.perf_counter() + seconds
        asked = await asyncio.gather(
            *(client(port, request.encode(), until=until) for _ in range(clients))
        )
        times = [seen for each in asked for seen, _ in each]
        everything += times
        print(
            f"{page:<40} {first:>7.2f}s {middle(times):>8.1f} {high(times):>8.1f} "
            f"{max(times) * MS:>8.1f} {len(times) / seconds:>7.0f} {sent / MS:>8.1f}"
        )
    print(f"all pages: p50 {middle(everything):.1f} ms, p95 {high(everything):.1f} ms")


async def client(port: int, request: bytes, *, until: float) -> list[tuple[float, int]]:
    """Ask again and again over one connection; return (seconds to the first byte, bytes)."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    seen: list[tuple[float, int]] = []
    while not seen or time.perf_counter() < until:
        began = time.perf_counter()
        writer.write(request)
        status = await reader.readline()
        first = time.perf_counter() - began
        if b" 200 " not in status:
            raise SystemExit(f"{request!r}: {status!r}")
        seen.append((first, await rest(reader)))
    writer.close()
    return seen


async def rest(reader: asyncio.StreamReader) -> int:
    """Read headers and content; return the bytes of the content."""
    size = 0
    while (line := await reader.readline()) not in (b"\r\n", b""):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            size = int(value)
    await reader.readexactly(size)
    return size


def middle(times: Sequence[float]) -> float:
    return statistics.median(times) * MS


def high(times: Sequence[float]) -> float:
    return statistics.quantiles(times, n=20)[-1] * MS if len(times) > 1 else times[0] * MS


if __name__ == "__main__":
    main()
