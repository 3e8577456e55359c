"""The application: pages, the HTTP interface, charts and assets over one catalogue."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse

from equipoise.web.api import PREFIX, router
from equipoise.web.body import HTML, Body, body
from equipoise.web.desk import BusyError, Desk
from equipoise.web.front import LOCAL_NAMES, App, Front, target_of, with_headers
from equipoise.web.kitchen import Kind, problem_body
from equipoise.web.problems import problem, problem_of
from equipoise.web.query import BadQueryError, parse, problems
from equipoise.web.responses import BodyResponse

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
) -> App:
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

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        from equipoise.web.warm import warming

        desk.start()
        async with warming(desk, wanted=warm):
            yield
        desk.stop()

    app = FastAPI(lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    app.state.desk = desk
    _add_routes(app, desk)
    _add_errors(app)
    return Front(app, desk=desk, hosts=hosts)


def _add_routes(app: FastAPI, desk: Desk) -> None:
    from equipoise.web.pages import PAGES, page_model

    async def serve(kind: Kind, name: str, params: dict[str, Any], request: Request) -> Response:
        target = target_of(request.scope)
        return BodyResponse(await desk.serve(kind, name, params, target=target))

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

    app.add_route(f"{PREFIX}/openapi.json", openapi)
    app.include_router(router(serve))
    app.add_route("/assets/{tag}/{name}", asset)
    app.add_route("/charts/{page}/{file}", chart)
    app.add_route("/parts/{name}", part)
    app.add_route("/favicon.ico", _favicon)
    for known in PAGES.values():
        app.add_route(known.path, page)


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


def _add_errors(app: FastAPI) -> None:
    async def malformed(_: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        listed = problems(error.errors(), ())
        return BodyResponse(problem_body(problem_of(BadQueryError(listed))))

    async def busy(request: Request, _: Exception) -> Response:
        return BodyResponse(busy_body(page="text/html" in request.headers.get("accept", "")))

    async def missing(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        detail = f"nothing is at {request.url.path[:200]!r}; start at / or at {PREFIX}/openapi.json"
        return BodyResponse(problem_body(problem(error.status_code, "not-found", detail)))

    async def refused(_: Request, error: Exception) -> Response:
        return BodyResponse(problem_body(problem_of(error)))

    app.add_exception_handler(RequestValidationError, malformed)
    app.add_exception_handler(BusyError, busy)
    app.add_exception_handler(BadQueryError, refused)
    app.add_exception_handler(HTTPException, missing)


def busy_body(*, page: bool) -> Body:
    """Return what is said while a response is still being made; a page asks again itself."""
    detail = f"this takes longer than usual; ask again in {RETRY_AFTER_S} seconds"
    again = ("Retry-After", str(RETRY_AFTER_S))
    if not page:
        return with_headers(problem_body(problem(503, "busy", detail)), again)
    text = (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="refresh" content="{RETRY_AFTER_S}"><title>Still computing</title>'
        "</head><body><h1>Still computing</h1><p>This takes longer than usual. "
        "The page comes by itself when it is ready.</p></body></html>"
    )
    return body(text, media_type=HTML, status=503, headers=(again,))
