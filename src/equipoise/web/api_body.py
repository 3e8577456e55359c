"""An answer as the HTTP interface hands it out: JSON, CSV, Markdown or a workbook."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from equipoise.web.body import JSON, Body, body

if TYPE_CHECKING:
    from equipoise.workflow.answer import Answer

XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
CSV: Final = "text/csv; charset=utf-8"
MARKDOWN: Final = "text/markdown; charset=utf-8"
ENDINGS: Final = {"json": "json", "csv": "csv", "markdown": "md", "xlsx": "xlsx"}
OUTPUT_KEYS: Final = ("format", "table", "limit", "offset", "download")


def api_body(
    answer: "Answer",
    *,
    name: str,
    format: str = "json",  # noqa: A002  (the name of the parameter)
    table: str | None = None,
    limit: int | None = None,
    offset: int = 0,
    download: bool = False,
) -> Body:
    """Return the response of a question in one format.

    `limit` and `offset` cut one table, by default the main one; the JSON then has a member
    `page`, and every response says in `X-Total-Count` how many rows there are.
    """
    shown = next(iter(answer.tables)) if table is None else table
    rows = len(answer.rows(shown))
    cut = _cut(answer, shown, limit, offset) if limit is not None or offset else answer
    headers = [("X-Total-Count", str(rows))]
    if download or format == "xlsx":
        headers.append(("Content-Disposition", _disposition(name, answer, format)))
    content, media_type = _content(cut, shown if table else None, format)
    return body(content, media_type=media_type, headers=tuple(headers))


def _content(answer: "Answer", table: str | None, form: str) -> tuple[bytes, str]:
    from equipoise.report.tables import render

    if form == "xlsx":
        from equipoise.web.workbook import workbook

        return workbook(answer), XLSX
    if form == "csv":
        return render(answer, form="csv", table=table).encode(), CSV
    if form == "markdown":
        return render(answer, form="markdown").encode(), MARKDOWN
    return render(answer, form="json").encode(), JSON


def _cut(answer: "Answer", table: str, limit: int | None, offset: int) -> "Answer":
    rows = answer.tables[table]
    kept = rows[offset:] if limit is None else rows[offset : offset + limit]
    page: dict[str, Any] = {"table": table, "offset": offset, "limit": limit, "total": len(rows)}
    return replace(
        answer,
        tables={**answer.tables, table: kept},
        extra={**answer.extra, "page": page},
    )


def _disposition(name: str, answer: "Answer", form: str) -> str:
    benchmark = answer.selection.get("benchmark")
    stem = "-".join(str(part) for part in ("equipoise", name, benchmark) if part)
    return f"attachment; filename*=UTF-8''{quote(stem)}.{ENDINGS[form]}"
