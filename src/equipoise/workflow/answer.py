"""What every question returns: tables, selection, footnotes and warnings in one frozen object."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from equipoise.errors import UnknownNameError, UsageError
from equipoise.extras import need
from equipoise.report.cells import record
from equipoise.report.tables import json_text
from equipoise.report.views import View
from equipoise.structs import dataclass

if TYPE_CHECKING:
    import altair
    import polars

Spec = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to one question, ready for a terminal, a file, a notebook or a page.

    `tables` maps names to rows, the main table first. Field names are the library's and
    are stable.
    """

    command: str
    tables: Mapping[str, Sequence[Any]]
    views: Mapping[str, View] = field(default_factory=dict)
    """How a table is shown where it differs from the usual view of its name."""
    selection: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Further members of the JSON object beside the tables."""
    headline: str | None = None
    """The answer in words, above the tables."""
    notes: tuple[str, ...] = ()
    """Remarks for the terminal, such as where a report was written."""
    footnotes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    result: Any = None
    """The frozen result object of the computing layer."""
    charts: Mapping[str, Callable[[], Spec]] = field(default_factory=dict)
    """Chart name to the function that draws its Vega-Lite specification."""

    def rows(self, table: str | None = None) -> list[dict[str, Any]]:
        """Return the rows of one table, by default of the main one, as dicts."""
        return [record(row) for row in self.tables[self._table(table)]]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of the command line and the HTTP interface."""
        import orjson

        content: dict[str, Any] = orjson.loads(json_text(self))
        return content

    def to_polars(self, table: str | None = None) -> "polars.DataFrame":
        """Return one table, by default the main one, as a Polars frame.

        Raises
        ------
        MissingExtraError
            The extra `frames` is not installed.
        """
        need("frames", "a Polars frame")
        import polars

        rows = self.to_dict()[self._table(table)]
        return polars.DataFrame(rows, infer_schema_length=None)

    def _table(self, name: str | None) -> str:
        chosen = name or next(iter(self.tables))
        if chosen not in self.tables:
            raise UnknownNameError("table", chosen, self.tables)
        return chosen

    def with_note(self, note: str) -> "Answer":
        """Return the same answer with one more remark."""
        return dataclasses.replace(self, notes=(*self.notes, note))

    def spec(self, name: str | None = None) -> Spec:
        """Return the Vega-Lite specification of one chart, by default of the first."""
        if not self.charts:
            raise UsageError(f"{self.command} has no chart")
        chosen = name or next(iter(self.charts))
        if chosen not in self.charts:
            raise UnknownNameError("chart", chosen, self.charts)
        return self.charts[chosen]()

    def chart(self, name: str | None = None) -> "altair.Chart":
        """Return one chart as an Altair object, by default the first.

        Raises
        ------
        MissingExtraError
            The extra `charts` is not installed.
        """
        need("charts", "an Altair chart", "altair")
        import altair

        chart: altair.Chart = altair.Chart.from_dict(self.spec(name))
        return chart

    def _repr_html_(self) -> str:
        from equipoise.report.notebook import answer_html

        return answer_html(self)
