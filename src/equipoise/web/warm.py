"""Make the pages that people ask first before they ask, one at a time."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from equipoise.web.desk import Desk

FIRST: Final = ("overview", "methods", "api")
LAST: Final = ("study-scaling", "validate")
PER_BENCHMARK: Final = ("benchmark", "scaling", "study", "trends")


@asynccontextmanager
async def warming(desk: "Desk", *, wanted: bool) -> AsyncIterator[None]:
    """Make pages in the background until the server stops."""
    task = asyncio.create_task(_warm(desk)) if wanted else None
    try:
        yield
    finally:
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


async def _warm(desk: "Desk") -> None:
    import orjson

    from equipoise.web.desk import BusyError
    from equipoise.web.pages import defaults

    for name in ("style.css", "web.js", "theme.js", "charts.js"):
        await desk.serve("asset", name, {})
    for name in FIRST:
        await desk.serve("page", name, defaults(name))
    listed = await desk.serve("benchmarks", "benchmarks", {})
    for benchmark in orjson.loads(listed.content):
        for name in PER_BENCHMARK:
            with suppress(BusyError):
                await desk.serve("page", name, {**defaults(name), "benchmark": benchmark})
    for name in LAST:
        with suppress(BusyError):
            await desk.serve("page", name, defaults(name))
