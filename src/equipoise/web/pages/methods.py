"""Methods and footnotes: how every figure is made, and whose results these are."""

from typing import TYPE_CHECKING, Any, Final

from equipoise.report.footnotes import footnotes
from equipoise.report.views import View
from equipoise.web.problems import TITLES

if TYPE_CHECKING:
    from equipoise.web.kitchen import Kitchen


HELD: Final = View(
    title="What the catalogue holds",
    columns=(
        *("round", "publication_date", "systems", "runs", "scores", "rejections"),
        *("runs_linked", "bytes"),
    ),
)


def context(kitchen: "Kitchen", params: dict[str, Any]) -> dict[str, Any]:
    """Return the methods, what the catalogue holds, and the footnotes in full."""
    answer = kitchen.answer("catalogue", {})
    rounds = [row["round"] for row in answer.rows("rounds")]
    from equipoise.web.tables import web_table

    return {
        "title": "Methods and footnotes",
        "problems": TITLES.items(),
        "tables": [
            web_table("rounds", answer.tables["rounds"], how=HELD),
            web_table("sources", answer.extra["sources"], caption="Where it comes from"),
        ],
        "footnotes": footnotes(
            rounds=rounds,
            divisions=("closed", "open"),
            derived=True,
            priced=True,
            estimated_energy=True,
            unverified=True,
        ),
        "warnings": answer.warnings,
    }
