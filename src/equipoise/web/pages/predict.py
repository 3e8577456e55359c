"""Predict: configurations that nobody measured, and the user's own job."""

from typing import TYPE_CHECKING, Any, Final

from equipoise import facts
from equipoise.report.cells import UNVERIFIED_MARK
from equipoise.report.figures.prediction import prediction
from equipoise.report.html import html_figure
from equipoise.report.views import View
from equipoise.web import options as o
from equipoise.web.commands import measured_pairs
from equipoise.web.forms import (
    Choice,
    Field,
    benchmark_field,
    benchmark_of,
    plain_field,
    scores_by_benchmark,
)
from equipoise.web.pages import asked
from equipoise.web.parts import Part
from equipoise.web.tables import web_table

if TYPE_CHECKING:
    from equipoise.domain import Score
    from equipoise.web.kitchen import Kitchen
    from equipoise.workflow.answer import Answer

LEAST, MOST, LARGEST = 8, 4, 16_384
"""Counts drawn by default: powers of two from 8 to four times what was measured."""
OWN_LABEL: Final = f"own{UNVERIFIED_MARK}"
PREDICTIONS: Final = View(
    title="Predictions",
    columns=(
        *("accelerator_id", "accelerators", "time_to_train_min", "low_50", "high_50"),
        *("low_90", "high_90", "basis", "reason"),
    ),
)
SUGGESTIONS: Final = View(title="What to measure next")


def context(kitchen: "Kitchen", params: dict[str, Any]) -> dict[str, Any]:
    """Return predictions with their intervals; without a question, those of a usual one."""
    own = params.get("measured")
    from equipoise.web.render import api_link, downloads

    benchmark = benchmark_of(kitchen, params)
    scores = [s for s in scores_by_benchmark(kitchen).get(benchmark, ()) if s.accelerators]
    wanted = _wanted(params, benchmark, scores)
    answer = kitchen.answer("predict", wanted)
    measured = _own_points(str(own), wanted) if own else _published_points(scores, wanted)
    figure = prediction(answer.result.predictions, measured=measured)
    parts = [
        Part(
            id="predictions",
            title="In numbers",
            tables=(web_table("predictions", answer.tables["predictions"], how=PREDICTIONS),),
        ),
        *_similar(answer),
        *_next(kitchen, wanted, own=bool(own)),
    ]
    return {
        "title": "Your own job" if own else f"Predict {facts.benchmark(benchmark).pretty_name}",
        "lead": _lead(wanted, own=bool(own)),
        "fields": _fields(kitchen, params, wanted, benchmark, scores),
        "figures": [html_figure(figure)],
        "parts": parts,
        "own": bool(own),
        "downloads": downloads("predict", wanted),
        "api_link": api_link("predict", wanted),
        "footnotes": answer.footnotes,
        "warnings": answer.warnings,
    }


def usual(kitchen: "Kitchen", benchmark: str) -> dict[str, Any]:
    """Return the question about a benchmark that is asked when nothing else is."""
    scores = [s for s in scores_by_benchmark(kitchen).get(benchmark, ()) if s.accelerators]
    return _wanted({"benchmark": benchmark}, benchmark, scores)


def _wanted(params: dict[str, Any], benchmark: str, scores: "list[Score]") -> dict[str, Any]:
    """Return the question with accelerator and counts filled in where they are not given."""
    wanted = asked("predict", params)
    if not wanted.get("measured") or wanted.get("benchmark"):
        wanted["benchmark"] = benchmark
    else:
        wanted["benchmark"] = None
    if not wanted.get("accelerator"):
        wanted["accelerator"] = (_usual(scores),)
    if not wanted.get("accelerators"):
        wanted["accelerators"] = _counts(scores, wanted["accelerator"])
    return wanted


def _usual(scores: "list[Score]") -> str:
    """Return the accelerator with most results in the latest round."""
    known = [s for s in scores if s.accelerator_id]
    if not known:
        return facts.accelerators()[0].id
    latest = max(facts.round_index(s.round) for s in known)
    names = [str(s.accelerator_id) for s in known if facts.round_index(s.round) == latest]
    return max(sorted(set(names)), key=names.count)


def _counts(scores: "list[Score]", accelerators: tuple[str, ...]) -> str:
    ids = {i for text in accelerators for i in facts.accelerators_matching(text)}
    known = [s.accelerators or 0 for s in scores if s.accelerator_id in ids]
    known = known or [s.accelerators or 0 for s in scores] or [LEAST]
    first, last = min(LEAST, *known), min(LARGEST, MOST * max(known))
    powers = [2**k for k in range(20) if first <= 2**k <= last]
    return ",".join(str(n) for n in powers or [LEAST])


def _published_points(scores: "list[Score]", wanted: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the results of the same accelerators in the latest round that has them."""
    ids = {i for text in wanted["accelerator"] for i in facts.accelerators_matching(text)}
    mine = [s for s in scores if s.accelerator_id in ids and s.division == "closed"]
    if not mine:
        return []
    named = wanted.get("round")
    latest = max(mine, key=lambda s: facts.round_index(s.round)).round
    return [
        {
            "accelerator_id": s.accelerator_id,
            "accelerators": s.accelerators,
            "time_to_train_min": s.time_to_train_min,
            "system_id": s.system_id,
        }
        for s in mine
        if s.round == (named or latest)
    ]


def _own_points(text: str, wanted: dict[str, Any]) -> list[dict[str, Any]]:
    ids = facts.accelerators_matching(wanted.get("measured_on") or wanted["accelerator"][0])
    return [
        {
            "accelerator_id": ids[0],
            "accelerators": n,
            "time_to_train_min": minutes,
            "label": OWN_LABEL,
        }
        for n, minutes in measured_pairs(text)
    ]


def _lead(wanted: dict[str, Any], *, own: bool) -> str:
    if own:
        return (
            "Predicted from your own measurements and the shapes of the published curves. Your "
            "results are unverified; they stay on this machine, in the address of this page."
        )
    return (
        "Predicted by the pooled model from every published result. Filled points are the "
        "published results of the latest round with this accelerator."
    )


def _fields(
    kitchen: "Kitchen",
    params: dict[str, Any],
    wanted: dict[str, Any],
    benchmark: str,
    scores: "list[Score]",
) -> list[Field]:
    own = bool(params.get("measured"))
    chosen = "" if own and not params.get("benchmark") else benchmark
    known = sorted({str(s.accelerator_id) for s in scores if s.accelerator_id})
    accelerators = [entry.id for entry in facts.accelerators()]
    named = wanted["accelerator"]
    return [
        benchmark_field(kitchen, chosen, blank="(own job: let the data say)" if own else None),
        Field(
            kind="list",
            name="accelerator",
            label="Accelerator",
            value=named[0] if named else "",
            help="Id, family or vendor.",
            choices=tuple(
                Choice(value=i, label=i, chosen=False)
                for i in [*known, *(i for i in accelerators if i not in known)]
            ),
        ),
        Field(
            kind="text",
            name="accelerators",
            label="Numbers of accelerators",
            value=str(wanted["accelerators"]),
            placeholder="8,64,512",
            help=o.PREDICTED_COUNTS.help,
        ),
        plain_field(o.PREDICTED_ROUND, params, placeholder="latest"),
        plain_field(o.PREDICTED_SUBMITTER, params, placeholder="like the nearest"),
        Field(
            kind="area",
            name="measured",
            label="Own measurements (optional)",
            value=str(params.get("measured", "")).replace(",", "\n"),
            placeholder="8=180min\n16=97min",
            help="One a line: count = time. Paste from a table: 8, 180min works too.",
            longest=o.LONGEST_LIST,
        ),
        plain_field(o.MEASURED_ON, params, placeholder="the same accelerator"),
    ]


def _similar(answer: "Answer") -> list[Part]:
    if not answer.tables.get("similar"):
        return []
    table = web_table("similar", answer.tables["similar"], caption="Benchmarks that it is like")
    return [Part(id="like", title="What your job is like", tables=(table,))]


def _next(kitchen: "Kitchen", wanted: dict[str, Any], *, own: bool) -> list[Part]:
    """Return what to measure next, for own jobs."""
    if not own:
        return []
    asked_for = {
        "benchmark": wanted.get("benchmark"),
        "measured": wanted["measured"],
        "accelerator": wanted.get("measured_on") or wanted["accelerator"][0],
    }
    answer = kitchen.answer("suggest", asked_for)
    table = web_table("suggestions", answer.tables["suggestions"], how=SUGGESTIONS)
    lead = (answer.headline,) if answer.headline else ()
    return [Part(id="next", title="What to measure next", lead=lead, tables=(table,))]
