"""The application: pages, the HTTP interface, charts and assets over one catalogue."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route

from equipoise.errors import UsageError
from equipoise.web.body import HTML, Body, body
from equipoise.web.commands import PREFIX
from equipoise.web.desk import BusyError, Desk
from equipoise.web.front import (
    LOCAL_NAMES,
    App,
    Front,
    Receive,
    Scope,
    Send,
    target_of,
    with_headers,
)
from equipoise.web.kitchen import Kind, problem_body
from equipoise.web.problems import problem, problem_of
from equipoise.web.query import BadQueryError, parse
from equipoise.web.responses import BodyResponse

Serve = Callable[[Kind, str, dict[str, Any], Request], Awaitable[Response]]

RETRY_AFTER_S: Final = 3
TIMEOUT_S: Final = 30.0
NO_TAG: Final = "-"
"""In the place of the hash of an asset: whatever it is now."""
FOREVER: Final = ("Cache-Control", "public, max-age=31536000, immutable")


def create_app(
    catalogue: Path,
    *,
    hosts: Sequence[str] = LOCAL_NAMES,
    workers: int = 0,
    timeout_s: float = TIMEOUT_S,
    warm: bool = False,
) -> Front:
    """Return the application over the catalogue in a folder.

    Parameters
    ----------
    hosts
        Names by which the server may be asked; `*` for any.
    workers
        Processes that compute; 0 for threads of this one.
    timeout_s
        Longest wait for a response; it is then made to the end, and the client asked to
        come again.
    warm
        Whether the pages that are asked first are made before anybody asks.
    """
    desk = Desk(catalogue, workers=workers, timeout_s=timeout_s)

    api = LazyApi(desk)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        from equipoise.web.warm import warming

        desk.start()
        api.start()
        async with warming(desk, wanted=warm):
            yield
            desk.leave()
        desk.stop()

    handlers = {**_HANDLERS, HTTPException: _missing_page(desk)}
    app = Starlette(lifespan=lifespan, routes=_routes(desk, api), exception_handlers=handlers)
    return Front(app, desk=desk, hosts=hosts)


class LazyApi:
    """The HTTP interface, loaded beside the first pages: it takes longest to import."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._made: asyncio.Task[App] | None = None

    def start(self) -> "asyncio.Task[App]":
        """Begin to load it."""
        if self._made is None:
            self._made = asyncio.ensure_future(asyncio.to_thread(self._make))
        return self._made

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as soon as it is loaded."""
        app = await self.start()
        await app(scope, receive, send)

    def _make(self) -> App:
        from equipoise.web.api import make_api

        return make_api(_server(self._desk), handlers=_HANDLERS)


def _server(desk: Desk) -> Serve:
    async def serve(kind: Kind, name: str, params: dict[str, Any], request: Request) -> Response:
        target = target_of(request.scope)
        return BodyResponse(await desk.serve(kind, name, params, target=target))

    return serve


def _routes(desk: Desk, api: App) -> list[Any]:
    from equipoise.web.pages import PAGES, page_model

    serve = _server(desk)

    async def openapi(request: Request) -> Response:
        return await serve("openapi", "openapi", {}, request)

    async def asset(request: Request) -> Response:
        found = await desk.serve("asset", request.path_params["name"], {})
        if found.status == 200 and request.path_params["tag"] != NO_TAG:
            found = with_headers(found, FOREVER)
        return BodyResponse(found)

    async def page(request: Request) -> Response:
        name = request.scope["path"].strip("/") or "overview"
        return await _page(serve, "page", name, request)

    async def part(request: Request) -> Response:
        return await _page(serve, "part", request.path_params["name"], request)

    async def chart(request: Request) -> Response:
        name = request.path_params["page"]
        figure, _, form = request.path_params["file"].rpartition(".")
        params = parse(page_model(name), request.scope["query_string"].decode("latin-1"))
        params |= {"chart_name": figure, "chart_form": form}
        return await serve("chart", name, params, request)

    return [
        Route(f"{PREFIX}/openapi.json", openapi),
        Mount(PREFIX, api),
        Route("/assets/{tag}/{name}", asset),
        Route("/charts/{page}/{file}", chart),
        Route("/parts/{name}", part),
        Route("/favicon.ico", _favicon),
        *(Route(known.path, page) for known in PAGES.values()),
    ]


async def _page(serve: Any, kind: Kind, name: str, request: Request) -> Response:
    from equipoise.web.pages import page_model

    try:
        params = parse(page_model(name), request.scope["query_string"].decode("latin-1"))
    except BadQueryError as error:
        params = {"refused": error.problems}
    response: Response = await serve(kind, name, params, request)
    return response


async def _favicon(_: Request) -> Response:
    return RedirectResponse(f"/assets/{NO_TAG}/icon.svg", status_code=308)


async def _busy(request: Request, _: Exception) -> Response:
    return BodyResponse(busy_body(page=_reads_pages(request)))


def _reads_pages(request: Request) -> bool:
    return "text/html" in request.headers.get("accept", "")


def _missing_page(desk: Desk) -> Callable[[Request, Exception], Awaitable[Response]]:
    """Return what answers an address where nothing is: a page to those who read pages."""

    async def missing(request: Request, error: Exception) -> Response:
        if not _reads_pages(request):
            return await _missing(request, error)
        return BodyResponse(await desk.serve("missing", "overview", {}))

    return missing


async def _missing(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    detail = f"nothing is at {request.url.path[:200]!r}; start at / or at {PREFIX}/openapi.json"
    return BodyResponse(problem_body(problem(error.status_code, "not-found", detail)))


async def _refused(_: Request, error: Exception) -> Response:
    return BodyResponse(problem_body(problem_of(error)))


_HANDLERS: Final[dict[Any, Any]] = {
    BusyError: _busy,
    UsageError: _refused,
    HTTPException: _missing,
}


def busy_body(*, page: bool) -> Body:
    """Return what is said while a response is still being made; a page asks again itself."""
    detail = f"this takes longer than usual; ask again in {RETRY_AFTER_S} seconds"
    again = ("Retry-After", str(RETRY_AFTER_S))
    if not page:
        return with_headers(problem_body(problem(503, "busy", detail)), again)
    text = (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="refresh" content="{RETRY_AFTER_S}"><title>Still computing</title>'
        f'<link rel="stylesheet" href="/assets/{NO_TAG}/style.css">'
        "</head><body><main><h1>Still computing</h1><p>This takes longer than usual. "
        "The page comes by itself when it is ready.</p></main></body></html>"
    )
    return body(text, media_type=HTML, status=503, headers=(again,))
