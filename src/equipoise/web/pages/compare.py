"""Compare: two configurations side by side."""

from typing import TYPE_CHECKING, Any, Final

from equipoise import facts
from equipoise.report.cells import cell_text
from equipoise.report.columns import column
from equipoise.web import options as o
from equipoise.web.forms import (
    Choice,
    Field,
    benchmark_field,
    benchmark_of,
    scores_by_benchmark,
    select_field,
)
from equipoise.web.pages import asked
from equipoise.web.tables import system_link, web_table

if TYPE_CHECKING:
    from equipoise.web.kitchen import Kitchen

SIDES: Final = ("a", "b")


def context(kitchen: "Kitchen", params: dict[str, Any]) -> dict[str, Any]:
    """Return the form, and the comparison when both are named."""
    named = params.get("a") or params.get("b") or ""
    last = str(named).rpartition("/")[2]
    known = scores_by_benchmark(kitchen)
    given = {"benchmark": last} if last in known and not params.get("benchmark") else params
    benchmark = benchmark_of(kitchen, given)
    keys = sorted(
        (f"{s.round}/{s.submitter}/{s.system_id}/{s.benchmark}" for s in known.get(benchmark, ())),
        key=lambda key: (-facts.round_index(key.partition("/")[0]), key),
    )
    made: dict[str, Any] = {
        "title": "Compare two configurations",
        "lead": "Pick two configurations of one benchmark: type a part of the name.",
        "fields": [
            benchmark_field(kitchen, benchmark),
            *(_side(name, params, keys) for name in SIDES),
            select_field(o.PRICE_KIND, params),
        ],
        "result": None,
        "examples": _examples(keys),
    }
    if params.get("a") and params.get("b"):
        answer = kitchen.answer("compare", {**asked("compare", params), "benchmark": benchmark})
        made |= {
            "result": answer.result,
            "rows": [
                _row(field)
                for field in answer.result.fields
                if field.a is not None or field.b is not None
            ],
            "links": [system_link(getattr(answer.result, n).rpartition("/")[0]) for n in SIDES],
            "lead": answer.headline or "",
            "tables": [
                web_table(name, answer.tables[name])
                for name in ("comparison", "same_count")
                if name in answer.tables
            ],
            "notes": answer.notes,
            "footnotes": answer.footnotes,
            "warnings": answer.warnings,
        }
    return made


def _side(name: str, params: dict[str, Any], keys: list[str]) -> Field:
    option = o.A if name == "a" else o.B
    return Field(
        kind="list",
        name=name,
        label=option.title,
        value=str(params.get(name, "")),
        placeholder="round/submitter/system/benchmark",
        choices=tuple(Choice(value=key, label=key, chosen=False) for key in keys),
    )


def _examples(keys: list[str]) -> list[tuple[str, str]]:
    """Return the first two configurations of the latest round, to start from."""
    return [(keys[0], keys[1])] if len(keys) > 1 else []


def _row(field: Any) -> dict[str, Any]:
    shown = column(field.field)
    return {
        "name": shown.header,
        "a": cell_text(field.a, shown),
        "b": cell_text(field.b, shown),
        "same": field.same,
    }
