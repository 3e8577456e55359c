"""`/api/v1`: one route per question, documented and checked from the rows of `commands`."""

from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import Annotated, Any, Final

from fastapi import APIRouter, FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel

from equipoise.web.commands import COMMANDS, OUTPUT, PREFIX, Command
from equipoise.web.kitchen import problem_body
from equipoise.web.problems import problem_of
from equipoise.web.query import BadQueryError, aliases, given, model_of, problems
from equipoise.web.responses import BodyResponse

DESCRIPTION: Final = (
    "The questions of the command line over HTTP: the same names of options as query "
    "parameters, the same JSON. Reading only. Every answer carries selection, footnotes and "
    "warnings; results of MLPerf Training are MLCommons Association's, derived figures are not "
    "official."
)
PROBLEM_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "title": "Problem",
    "description": "RFC 9457: what went wrong and what to do.",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "parameters": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "parameter": {"type": "string"},
                    "reason": {"type": "string"},
                },
            },
        },
        "choices": {"type": "array", "items": {"type": "string"}},
    },
}
STATUSES: Final = {
    304: "The client has this answer (If-None-Match).",
    400: "The query is malformed.",
    404: "Nothing satisfies the request.",
    414: "The address is longer than the server takes.",
    421: "The request names another server.",
    422: "The question cannot be answered as it stands.",
    503: "Still computing; ask again after Retry-After.",
}
Serve = Callable[..., Awaitable[Response]]


def make_api(serve: Serve, *, handlers: Mapping[Any, Any]) -> FastAPI:
    """Return the application of the interface, without its document."""
    app = FastAPI(
        docs_url=None, redoc_url=None, openapi_url=None, exception_handlers=dict(handlers)
    )
    app.include_router(router(serve, prefix=""))
    app.add_exception_handler(RequestValidationError, _malformed)
    return app


async def _malformed(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    name = request.scope["path"].rpartition("/")[2]
    known = aliases(api_model(COMMANDS[name])) if name in COMMANDS else []
    listed = problems(error.errors(), known)
    return BodyResponse(problem_body(problem_of(BadQueryError(listed))))


def router(serve: Serve, *, prefix: str = PREFIX) -> APIRouter:
    """Return the routes of all questions; `serve(kind, name, params, request)` answers."""
    routes = APIRouter(prefix=prefix)
    for command in COMMANDS.values():
        routes.add_api_route(
            f"/{command.name}",
            _endpoint(command, serve),
            methods=["GET"],
            summary=command.summary,
            tags=[command.group],
            operation_id=command.name,
            response_class=Response,
            responses=_responses(command),
        )
    return routes


def _endpoint(command: Command, serve: Serve) -> Callable[..., Awaitable[Response]]:
    model = api_model(command)

    async def endpoint(request: Request, query: Annotated[model, Query()]) -> Response:  # type: ignore[valid-type]
        return await serve("api", command.name, given(query), request)

    return endpoint


@cache
def api_model(command: Command) -> type[BaseModel]:
    """Return the model of the query of a question."""
    return model_of(f"{command.name.capitalize()}Query", (*command.options, *OUTPUT))


def _responses(command: Command) -> dict[int | str, dict[str, Any]]:
    row: dict[str, Any] = {"type": "array", "items": {"type": "object"}}
    answer: dict[str, Any] = {
        "type": "object",
        "required": ["selection", "footnotes", "warnings"],
        "properties": {
            "selection": {"type": "object"},
            "footnotes": {"type": "array", "items": {"type": "string"}},
            "warnings": {"type": "array", "items": {"type": "string"}},
        },
    }
    if command.main != "rows":
        answer["properties"][command.main] = row
        answer["required"] = [command.main, *answer["required"]]
    text = {"schema": {"type": "string"}}
    found: dict[int | str, dict[str, Any]] = {
        200: {
            "description": "The answer.",
            "headers": {
                "X-Total-Count": {
                    "description": "Rows of the table before limit and offset.",
                    "schema": {"type": "integer"},
                },
                "ETag": {"description": "Tag of the content.", "schema": {"type": "string"}},
            },
            "content": {
                "application/json": {"schema": answer},
                "text/csv": text,
                "text/markdown": text,
                "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": {
                    "schema": {"type": "string", "format": "binary"}
                },
            },
        }
    }
    for status, words in STATUSES.items():
        found[status] = {"description": words}
        if status >= 400:
            found[status]["content"] = {"application/problem+json": {"schema": PROBLEM_SCHEMA}}
    return found


def document() -> dict[str, Any]:
    """Return the OpenAPI document of the interface."""
    from equipoise import __version__

    async def nobody(*_: Any) -> Response:
        return Response()

    app = FastAPI(title="equipoise", version=__version__, description=DESCRIPTION)
    app.include_router(router(nobody))
    described: dict[str, Any] = app.openapi()
    for path in described["paths"].values():
        path["get"]["responses"].pop("default", None)
        path["get"]["responses"]["200"]["content"].pop("text/plain", None)
    described.get("components", {}).get("schemas", {}).pop("HTTPValidationError", None)
    described.get("components", {}).get("schemas", {}).pop("ValidationError", None)
    return described
