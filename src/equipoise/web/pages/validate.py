"""How accurate is it? The predictors on results that they were not shown."""

from typing import TYPE_CHECKING, Any, Final

from equipoise.report.cells import percent_text
from equipoise.report.views import View
from equipoise.web import options as o
from equipoise.web.forms import Choice, Field
from equipoise.web.pages import asked
from equipoise.web.parts import Part
from equipoise.web.questions import stored_accuracy
from equipoise.web.tables import web_table

if TYPE_CHECKING:
    from equipoise.web.kitchen import Kitchen

WORDS: Final = {
    "interior": "a count between two measured ones of the same curve",
    "edge": "the largest count of a curve, beyond what was measured",
    "pair": "everything of one accelerator on one benchmark",
    "family": "everything of one accelerator family, as if it were new",
    "forward": "the next round, from the rounds before",
    "own-job": "a benchmark as if it were your own job with two or three measurements",
}
ACCURACY: Final = View(
    title="Accuracy",
    columns=(
        *("protocol", "predictor", "n", "mdape", "mape", "coverage_50", "coverage_80"),
        *("coverage_90", "log_score"),
    ),
)
POOLED: Final = "pooled"


def context(kitchen: "Kitchen", params: dict[str, Any]) -> dict[str, Any]:
    """Return the accuracy by what was left out: as measured before, or measured on request."""
    wanted = asked("validate", params)
    chosen = tuple(wanted.get("protocols", ()))
    made: dict[str, Any] = {
        "title": "How accurate is it?",
        "lead": (
            "Published results are left out, predicted from the others, and compared with what "
            "was measured. An honest 90 % interval holds about 90 % of them."
        ),
        "fields": [_protocols(chosen), _baselines(params)],
        "parts": [],
        "measured": None,
    }
    if not chosen and kitchen.kept("stored", lambda: stored_accuracy(kitchen.catalogue)) is None:
        return made
    answer = kitchen.answer("validate", wanted)
    rows = answer.rows("accuracy")
    named = list(dict.fromkeys(row["protocol"] for row in rows))
    measured = answer.selection
    return made | {
        "parts": [_part(rows, name) for name in named],
        "measured": f"{measured['points']:,d} points from {measured['configurations']:,d} "
        f"configurations of {measured['rounds'][0]} to {measured['rounds'][-1]}",
        "footnotes": answer.footnotes,
        "warnings": answer.warnings,
    }


def _part(rows: list[dict[str, Any]], name: str) -> Part:
    words = WORDS.get(name, name)
    return Part(
        id=name,
        title=words[0].upper() + words[1:],
        lead=_sentence(rows, name),
        tables=(
            web_table(
                "accuracy",
                [row for row in rows if row["protocol"] == name],
                how=ACCURACY,
                caption=f"Left out: {words}",
                id=f"table-{name}",
            ),
        ),
    )


def _baselines(params: dict[str, Any]) -> Field:
    """Return the choice of baselines; a box could not say no to what is usual."""
    wanted = params.get("baselines", True)
    return Field(
        kind="select",
        name=o.BASELINES.name,
        label=o.BASELINES.title,
        choices=(
            Choice(value="true", label="measured too", chosen=wanted),
            Choice(value="false", label="left out", chosen=not wanted),
        ),
    )


def _protocols(chosen: tuple[str, ...]) -> Field:
    return Field(
        kind="checks",
        name=o.PROTOCOLS.name,
        label=o.PROTOCOLS.title,
        choices=tuple(
            Choice(value=name, label=f"{name}: {WORDS[name]}", chosen=name in chosen)
            for name in o.PROTOCOLS.choices
        ),
    )


def _sentence(rows: list[dict[str, Any]], protocol: str) -> tuple[str, ...]:
    """Return how well the default predictor does here."""
    row = next((r for r in rows if r["protocol"] == protocol and r["predictor"] == POOLED), None)
    if row is None:
        return ()
    text = f"Half of {row['n']:,d} predictions are within {percent_text(row['mdape'])} of the truth"
    if row["coverage_90"] is not None:
        text += f"; the 90 % interval holds {percent_text(row['coverage_90'])} of them"
    return (f"{text}.",)
