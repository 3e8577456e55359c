"""The work behind a response: ask the workflow, write the page, the table or the chart.

Runs in worker processes (or threads in tests), where the heavy packages are loaded; what
goes in and out is small and plain.
"""

import logging
from collections.abc import Hashable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from equipoise.structs import dataclass
from equipoise.web.body import HTML, JSON, PROBLEM, Body, body
from equipoise.web.cache import Kept
from equipoise.web.problems import problem, problem_of

if TYPE_CHECKING:
    from equipoise.catalogue import Catalogue
    from equipoise.workflow.answer import Answer

Kind = Literal["api", "page", "part", "chart", "asset", "openapi", "benchmarks", "missing"]
LOG: Final = logging.getLogger("equipoise.web")


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One response to be made: what, of which question, with which parameters."""

    kind: Kind
    name: str
    params: tuple[tuple[str, Any], ...] = ()
    """Sorted keyword, value."""
    version: Hashable = None
    """State of the catalogue that the response is about."""


def task(kind: Kind, name: str, params: dict[str, Any], *, version: Hashable = None) -> Task:
    """Return a task whose parameters compare and hash."""
    return Task(kind=kind, name=name, params=tuple(sorted(params.items())), version=version)


class Kitchen:
    """One catalogue with the answers given lately."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._kept: Kept[Any] = Kept()
        self._opened: Kept[Catalogue] = Kept()
        self._version: Hashable = None

    @property
    def catalogue(self) -> "Catalogue":
        """The catalogue, opened at its first use."""
        from equipoise.workflow.reading import open_catalogue

        return self._opened.get("catalogue", lambda: open_catalogue(self._path))

    def kept(self, key: Hashable, make: Any) -> Any:
        """Return a value made once for this state of the catalogue."""
        return self._kept.get((self._version, key), make)

    def answer(self, name: str, params: dict[str, Any]) -> "Answer":
        """Return the answer to a question; the same question is computed once."""
        from equipoise.web.commands import ask, command

        key = (name, tuple(sorted(params.items())))
        found: Answer = self.kept(key, lambda: ask(command(name), self.catalogue, params))
        return found

    def cook(self, work: Task) -> Body:
        """Return the finished response of a task; an error becomes its page or document."""
        self._version = work.version
        params = dict(work.params)
        try:
            if work.kind == "api":
                return self._api(work.name, params)
            if work.kind == "asset":
                from equipoise.web.assets import asset_body

                return asset_body(work.name)
            if work.kind == "benchmarks":
                from equipoise.web.forms import scores_by_benchmark

                return json_body(list(scores_by_benchmark(self)))
            if work.kind == "openapi":
                from equipoise.web.api import document

                return json_body(document())
            if work.kind == "missing":
                from equipoise.web.render import error_page

                found = problem(404, "not-found", "nothing is at this address")
                text = error_page(self, work.name, params, found)
                return body(text, media_type=HTML, status=404)
            if work.kind == "chart":
                from equipoise.web.render import chart_body

                return chart_body(self, work.name, params)
            from equipoise.web.render import page_body

            return page_body(self, work.name, params, part=work.kind == "part")
        except Exception as error:
            return self._failed(work, params, error)

    def _api(self, name: str, params: dict[str, Any]) -> Body:
        from equipoise.web.api_body import OUTPUT_KEYS, api_body

        output = {key: params.pop(key) for key in OUTPUT_KEYS if key in params}
        return api_body(self.answer(name, params), name=name, **output)

    def _failed(self, work: Task, params: dict[str, Any], error: Exception) -> Body:
        found = problem_of(error)
        if found["status"] >= 500:
            LOG.error("%s %s failed", work.kind, work.name, exc_info=error)
        if work.kind != "page":
            return problem_body(found)
        from equipoise.web.render import error_page

        try:
            text = error_page(self, work.name, params, found)
        except Exception:
            LOG.exception("the page of the problem failed too")
            return problem_body(found)
        return body(text, media_type=HTML, status=found["status"])


def problem_body(found: dict[str, Any]) -> Body:
    """Return a problem as a response."""
    import orjson

    return body(orjson.dumps(found), media_type=PROBLEM, status=found["status"])


def json_body(value: object) -> Body:
    """Return a value as a JSON response."""
    import orjson

    return body(orjson.dumps(value), media_type=JSON)
