"""What a page says when its question has no answer: why, and what to do."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from equipoise.errors import EquipoiseError
from equipoise.web.forms import benchmark_field, benchmark_of, narrowing, selection_fields
from equipoise.web.pages import PAGES
from equipoise.web.problems import TITLES
from equipoise.web.render import navigation

if TYPE_CHECKING:
    from equipoise.web.kitchen import Kitchen

LOST: Final = "Choose a page above, or a benchmark from the overview."
ADVICE: Final = {
    400: "Correct the parameter named above in the address, or start again from the form.",
    404: "Relax the selection: fewer filters, another round, the open division, wider limits.",
    422: "Choose one of the names that there are, or rounds of one compatible group.",
    500: "The server's log has the details; the other pages still work.",
}


def context(
    kitchen: "Kitchen", name: str, params: dict[str, Any], problem: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the problem in words, with the form of the page where it can be had."""
    made: dict[str, Any] = {
        "title": problem["title"],
        "problem": problem,
        "advice": LOST
        if problem["title"] == TITLES["not-found"]
        else ADVICE.get(problem["status"], ADVICE[500]),
        "fields": (),
        "more_fields": (),
        "narrowing": 0,
    }
    if problem["title"] == TITLES["not-found"]:  # at no page: none of the list is the current one
        made["navigation"] = navigation("", params)
    if not PAGES[name].about_benchmark:
        return made
    try:
        benchmark = benchmark_of(kitchen, params)
        made["fields"] = [benchmark_field(kitchen, benchmark)]
        made["more_fields"] = selection_fields(kitchen, benchmark, params)
        made["narrowing"] = narrowing(made["more_fields"])
    except EquipoiseError:  # the benchmark itself is what is wrong
        usual: dict[str, Any] = {}
        try:
            made["fields"] = [benchmark_field(kitchen, benchmark_of(kitchen, usual))]
        except EquipoiseError:
            return made
    return made
