"""The questions that can be asked over HTTP: one row each, with options and function."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from equipoise.structs import dataclass
from equipoise.web import options as o
from equipoise.web.options import Option
from equipoise.web.purchase import PURCHASE

if TYPE_CHECKING:
    from equipoise.catalogue import Catalogue
    from equipoise.workflow.answer import Answer


PREFIX: Final = "/api/v1"
MOST_ROWS: Final = 10_000
OUTPUT: Final = (
    Option(
        name="format",
        default="json",
        choices=("json", "csv", "markdown", "xlsx"),
        help="How the answer is written.",
    ),
    Option(
        name="table",
        pattern=r"^[a-z_]{1,40}$",
        help="The table that CSV has and that limit and offset cut; the main one by default.",
    ),
    Option(
        name="limit",
        kind="count",
        low=1,
        high=MOST_ROWS,
        help="Rows of that table at most; all by default.",
    ),
    Option(
        name="offset",
        kind="count",
        low=0,
        high=100_000_000,
        default=0,
        help="Rows of that table to leave out at its start.",
    ),
    Option(
        name="download",
        kind="flag",
        default=False,
        help="Ask the browser to save the answer as a file.",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One question: `GET /api/v1/<name>`."""

    name: str
    summary: str
    function: str
    """module:function, loaded at its first use."""
    options: tuple[Option, ...] = ()
    main: str = "rows"
    """Name of the main table."""
    group: str = "Analyses"


def ask(command: Command, catalogue: "Catalogue", given: Mapping[str, Any]) -> "Answer":
    """Return the answer to a question; `given` maps keywords to checked values."""
    arguments = {name: value for name, value in given.items() if value is not None}
    if "measured" in arguments:
        arguments["measured"] = measured_pairs(arguments["measured"])
    answer: Answer = _function(command.function)(catalogue, **arguments)
    return answer


def measured_pairs(text: str) -> list[tuple[int, float]]:
    """Return own measurements as (count, minutes); text never becomes the name of a file.

    >>> measured_pairs("8=3h,16=97")
    [(8, 180.0), (16, 97.0)]
    """
    from equipoise.errors import UsageError
    from equipoise.workflow.measured import parse_typed

    if "=" not in text:
        raise UsageError("own measurements are count=time, such as 8=180min,16=97min")
    return [(m.accelerators, m.time_to_train_min) for m in parse_typed(text)]


@cache
def _function(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


_ANALYSES: Final = "equipoise.workflow.analyses"
_ASKED: Final = (o.required(o.BENCHMARK), *o.SELECTION)
_DECISIONS: Final = "equipoise.workflow.decisions"
_SAMPLED: Final = (o.RESAMPLES, o.SEED)

COMMANDS: Final[dict[str, Command]] = {
    command.name: command
    for command in (
        Command(
            name="configurations",
            summary="Every scored configuration of a benchmark with its facts",
            function="equipoise.web.questions:configurations",
            options=_ASKED,
            main="configurations",
        ),
        Command(
            name="study",
            summary="The three stages, the break-even points and the answer in a sentence",
            function="equipoise.workflow.study:study",
            options=(*_ASKED, o.K, o.RANK_METHOD, o.RANK_WEIGHTS, *_SAMPLED),
            main="variables",
        ),
        Command(
            name="importance",
            summary="Stage 1: which variables matter",
            function=f"{_ANALYSES}:importance",
            options=(*_ASKED, o.TARGET, o.SEED),
            main="variables",
        ),
        Command(
            name="cluster",
            summary="Stage 2: groups of configurations",
            function=f"{_ANALYSES}:cluster",
            options=(*_ASKED, o.K, o.CLUSTER_METHOD, o.SEED),
            main="clusters",
        ),
        Command(
            name="rank",
            summary="Stage 3: configurations ranked by several criteria",
            function="equipoise.web.questions:rank",
            options=(*_ASKED, o.RANK_METHOD, o.RANK_WEIGHTS, o.CRITERIA, *_SAMPLED),
            main="ranking",
        ),
        Command(
            name="scaling",
            summary="Curves with speedup, efficiency, accelerator-hours and fitted laws",
            function=f"{_ANALYSES}:scaling",
            options=(*_ASKED, o.REFERENCE, o.BY, *_SAMPLED),
            main="points",
        ),
        Command(
            name="breakeven",
            summary="The largest number of accelerators that is still worth it, by every rule",
            function=f"{_ANALYSES}:breakeven",
            options=(
                *_ASKED,
                o.RULES,
                o.EFFICIENCY_FLOOR,
                o.MARGINAL_GAIN,
                o.REFERENCE,
                *_SAMPLED,
            ),
            main="breakevens",
        ),
        Command(
            name="study-scaling",
            summary="The second paper's setting: four workloads of v4.1 side by side",
            function="equipoise.web.questions:study_scaling",
            options=(o.PAPER, *_SAMPLED),
            main="points",
        ),
        Command(
            name="predict",
            summary="Time to train of configurations that nobody measured, with intervals",
            function="equipoise.web.questions:predict",
            options=(
                o.BENCHMARK,
                o.PREDICTED_ACCELERATOR,
                o.PREDICTED_COUNTS,
                o.PREDICTED_ROUND,
                o.PREDICTED_SUBMITTER,
                o.MEASURED_OPTION,
                o.MEASURED_ON,
            ),
            main="predictions",
        ),
        Command(
            name="suggest",
            summary="Which configuration of the own job to measure next, and why",
            function="equipoise.workflow.accuracy:suggest",
            options=(
                o.BENCHMARK,
                o.required(o.MEASURED_OPTION),
                o.SUGGESTED_ACCELERATOR,
                o.CANDIDATES,
                o.ON,
                o.EFFICIENCY_FLOOR,
                o.SEED,
            ),
            main="suggestions",
        ),
        Command(
            name="validate",
            summary="How accurate the predictors are on results left out, against baselines",
            function="equipoise.web.questions:validate",
            options=(o.PROTOCOLS, o.BASELINES, o.SEED),
            main="accuracy",
        ),
        Command(
            name="advise",
            summary="What to train on under a deadline and a budget",
            function="equipoise.web.questions:advise",
            options=(
                o.BENCHMARK,
                *o.SELECTION,
                o.DEADLINE,
                o.BUDGET,
                o.PRICE_KIND,
                o.OBJECTIVE,
                o.MEASURED_OPTION,
                o.MEASURED_ON,
                o.LIKE,
                o.MEASURED_ONLY,
                o.ESTIMATE_ENERGY,
                o.GRID,
                o.INTERRUPTIONS,
                *PURCHASE,
            ),
            main="options",
        ),
        Command(
            name="compare",
            summary="Two configurations side by side",
            function=f"{_DECISIONS}:compare",
            options=(o.A, o.B, o.BENCHMARK, o.PRICE_KIND, o.SEED),
            main="fields",
        ),
        Command(
            name="trends",
            summary="Progress over the rounds, by hardware and by software",
            function=f"{_DECISIONS}:trends",
            options=_ASKED,
            main="trends",
        ),
        Command(
            name="list",
            summary="Rounds, benchmarks, accelerators, prices, systems, scores or rejections",
            function="equipoise.workflow.browse:list_things",
            options=(o.WHAT, o.LISTED_ROUNDS),
            main="rows",
            group="Catalogue",
        ),
        Command(
            name="show",
            summary="One system: its facts, its scores and where they come from",
            function="equipoise.workflow.browse:show",
            options=(o.SYSTEM_ID,),
            main="system",
            group="Catalogue",
        ),
        Command(
            name="catalogue",
            summary="What the catalogue holds",
            function="equipoise.web.questions:catalogue_info",
            main="rounds",
            group="Catalogue",
        ),
    )
}


def command(name: str) -> Command:
    """Return a question by its name.

    Raises
    ------
    UnknownNameError
        There is no such question.
    """
    from equipoise.errors import UnknownNameError

    if name not in COMMANDS:
        raise UnknownNameError("command", name, COMMANDS)
    return COMMANDS[name]
