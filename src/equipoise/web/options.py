"""The options of the questions as they stand in a query: one row each, bounded.

The names are those of the command line without the dashes in front; what a row allows is
what the HTTP interface documents, checks and what the forms of the pages offer.
"""

from dataclasses import replace
from typing import Any, Final, Literal

from equipoise.cluster.methods import METHODS as CLUSTERINGS
from equipoise.facts.prices import PRICE_KINDS
from equipoise.rank.methods import METHODS as RANKINGS
from equipoise.rank.weights import WEIGHTINGS
from equipoise.scaling.rules import RULES as RULES_OF_BREAKEVEN
from equipoise.structs import dataclass

MOST_ACCELERATORS: Final = 10_000_000
MOST_RESAMPLES: Final = 5_000
"""Less than the command line allows: a request shares the machine with others."""
MOST_VALUES: Final = 64
"""Values of an option that may be repeated."""
LONGEST: Final = 200
"""Letters of a text."""
LONGEST_LIST: Final = 2_000
"""Letters of a text that lists things, such as own measurements."""

COUNT_LIST: Final = r"^ *[0-9]{1,8}( *, *[0-9]{1,8})* *$"
MEASURED_ITEM: Final = r" *[0-9]{1,8} *= *[0-9.]{1,12} *[A-Za-z ]{0,12}"
MEASURED: Final = rf"^{MEASURED_ITEM}(,{MEASURED_ITEM})*$"
"""Only count=time: a name of a file never gets past it."""
QUANTITY: Final = r"^ *[$]? *[0-9][0-9.,]{0,18} *[A-Za-z0-9. ]{0,24}$"
WEIGHT: Final = r" *[a-z_]{1,40} *= *[0-9.]{1,12} *"
WEIGHTS: Final = rf"^([a-z]{{1,20}}|{WEIGHT}(,{WEIGHT})*)$"
NAME_LIST: Final = r"^ *[a-z0-9_]{1,60}( *, *[a-z0-9_]{1,60})* *$"

Kind = Literal["text", "count", "number", "flag"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One parameter of a query."""

    name: str
    """In the query."""
    help: str
    key: str = ""
    """Keyword argument of the workflow function; the name with underscores by default."""
    kind: Kind = "text"
    default: Any = None
    required: bool = False
    many: bool = False
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    pattern: str | None = None
    longest: int = LONGEST
    label: str = ""
    """In a form; the name in words by default."""
    page_only: bool = False
    """How a page looks, not what is asked."""

    @property
    def keyword(self) -> str:
        """Return the keyword argument that the option becomes."""
        return self.key or self.name.replace("-", "_")

    @property
    def title(self) -> str:
        """Return the label of a form field."""
        return self.label or self.name.replace("-", " ").capitalize()


def benchmark_names() -> tuple[str, ...]:
    """Return every id, pretty name and alias of a benchmark."""
    from equipoise import facts

    names: dict[str, None] = {}
    for entry in facts.benchmarks():
        names.update(dict.fromkeys((entry.id, entry.pretty_name, *entry.aliases)))
    return tuple(names)


BENCHMARK: Final = Option(name="benchmark", help="Benchmark: id, pretty name or alias.")

SELECTION: Final = (
    Option(
        name="round",
        key="rounds",
        many=True,
        longest=20,
        label="Rounds",
        help="Round such as v4.1, or a range v3.0..v4.0. Without one: the largest block of "
        "compatible rounds of the benchmark.",
    ),
    Option(
        name="division",
        default="closed",
        choices=("closed", "open", "unverified", "all"),
        help="Which results count.",
    ),
    Option(name="submitter", key="submitters", many=True, label="Submitters", help="Submitter."),
    Option(
        name="accelerator",
        key="accelerators",
        many=True,
        label="Accelerators",
        help="Accelerator id, family or vendor.",
    ),
    Option(
        name="availability",
        many=True,
        choices=("onprem", "cloud", "preview", "rdi"),
        help="Whether and where the system can be had.",
    ),
    Option(
        name="min-accelerators",
        kind="count",
        low=0,
        high=MOST_ACCELERATORS,
        label="At least",
        help="At least so many accelerators.",
    ),
    Option(
        name="max-accelerators",
        kind="count",
        low=0,
        high=MOST_ACCELERATORS,
        label="At most",
        help="At most so many accelerators.",
    ),
    Option(
        name="keep-resubmitted",
        kind="flag",
        default=False,
        label="Count runs again that were submitted again",
        help="Keep runs submitted again in a later round or under another system.",
    ),
)

SEED: Final = Option(
    name="seed", kind="count", default=0, low=0, high=2**31 - 1, help="Seed of the resampling."
)
RESAMPLES: Final = Option(
    name="resamples",
    kind="count",
    default=1000,
    low=0,
    high=MOST_RESAMPLES,
    help="Bootstrap resamples.",
)
REFERENCE: Final = Option(
    name="reference",
    default="smallest",
    help="What speedup and efficiency refer to: smallest, slowest or a system id.",
)
BY: Final = Option(
    name="by",
    default="accelerator",
    choices=("accelerator", "accelerator+submitter"),
    label="One curve per",
    help="Curves per accelerator, or per accelerator and submitter.",
)
RULES: Final = Option(
    name="rule",
    key="rules",
    many=True,
    choices=tuple(RULES_OF_BREAKEVEN),
    label="Rules",
    help="Rule of the break-even point; all by default.",
)
EFFICIENCY_FLOOR: Final = Option(
    name="efficiency-floor",
    kind="number",
    default=0.5,
    low=0,
    high=1,
    help="Rule efficiency: least efficiency that is still worth it.",
)
MARGINAL_GAIN: Final = Option(
    name="marginal-gain",
    kind="number",
    default=0.25,
    low=0,
    high=1,
    help="Rule marginal: least share of the time that a doubling must save.",
)
PAPER: Final = Option(
    name="paper",
    kind="flag",
    default=True,
    help="The second paper's setting: the only one there is.",
)
TARGET: Final = Option(
    name="target",
    default="time_to_train_min",
    longest=60,
    help="Criterion to explain, such as time_to_train_min.",
)
K: Final = Option(
    name="k",
    default="5",
    pattern=r"^([1-9][0-9]?|auto)$",
    label="Groups",
    help="Number of groups, or auto.",
)
CLUSTER_METHOD: Final = Option(
    name="method",
    default="kmeans",
    choices=tuple(CLUSTERINGS),
    help="How groups are found.",
)
RANK_METHOD: Final = Option(
    name="method",
    default="topsis",
    choices=tuple(RANKINGS),
    label="Ranking method",
    help="How criteria become a rank.",
)
RANK_WEIGHTS: Final = Option(
    name="weights",
    default="equal",
    longest=LONGEST_LIST,
    pattern=WEIGHTS,
    help=f"{', '.join(WEIGHTINGS)} or name=weight,name=weight,...",
)
CRITERIA: Final = Option(
    name="criteria",
    longest=LONGEST_LIST,
    pattern=NAME_LIST,
    help="Criteria of the ranking, separated by commas.",
)
MEASURED_OPTION: Final = Option(
    name="measured",
    longest=LONGEST_LIST,
    pattern=MEASURED,
    label="Own measurements",
    help="Your own job as count=time, such as 8=180min,16=97min.",
)
PRICE_KIND: Final = Option(
    name="price-kind",
    default="on-demand",
    choices=(*PRICE_KINDS, "reserved"),
    help="Kind of price; reserved is the same as reserved-1y.",
)
PREDICTED_ACCELERATOR: Final = Option(
    name="accelerator",
    key="accelerator",
    many=True,
    required=True,
    label="Accelerator",
    help="Accelerator id, family or vendor.",
)
PREDICTED_COUNTS: Final = Option(
    name="accelerators",
    required=True,
    longest=LONGEST_LIST,
    pattern=COUNT_LIST,
    label="Numbers of accelerators",
    help="How many accelerators: one number or several, such as 8,64,512.",
)
PREDICTED_ROUND: Final = Option(
    name="round",
    longest=20,
    label="Software of round",
    help="Whose software; the latest round of the benchmark by default.",
)
PREDICTED_SUBMITTER: Final = Option(
    name="submitter",
    label="Tuned by",
    help="Whose tuning; those of the nearest results by default.",
)
SUGGESTED_ACCELERATOR: Final = Option(
    name="accelerator",
    key="accelerator",
    required=True,
    help="The accelerator that the own job was measured on.",
)
CANDIDATES: Final = Option(
    name="accelerators",
    key="candidates",
    longest=LONGEST_LIST,
    pattern=COUNT_LIST,
    help="Counts that could be measured, such as 32,64.",
)
ON: Final = Option(
    name="on", many=True, help="Accelerators that could be measured on; the same by default."
)
PROTOCOLS: Final = Option(
    name="protocol",
    key="protocols",
    many=True,
    choices=("interior", "edge", "pair", "family", "forward", "own-job"),
    label="What is left out",
    help="What is left out and predicted; everything by default.",
)
BASELINES: Final = Option(
    name="baselines",
    kind="flag",
    default=True,
    help="Also measure the baselines.",
)
DEADLINE: Final = Option(
    name="deadline", longest=40, pattern=QUANTITY, help="Longest time, such as 90min or 2h."
)
BUDGET: Final = Option(
    name="budget", longest=40, pattern=QUANTITY, help="Most money, such as 500usd."
)
OBJECTIVE: Final = Option(
    name="objective",
    default="balanced",
    choices=("balanced", "time", "cost"),
    label="Prefer",
    help="What decides between the options that satisfy the limits.",
)
MEASURED_ON: Final = Option(
    name="measured-on", help="The accelerator that the own job was measured on."
)
LIKE: Final = Option(name="like", help="The benchmark that the own job is like.")
MEASURED_ONLY: Final = Option(
    name="measured-only",
    kind="flag",
    default=False,
    label="Only published configurations",
    help="Only published configurations, no predicted sizes.",
)
ESTIMATE_ENERGY: Final = Option(
    name="estimate-energy",
    kind="flag",
    default=False,
    label="Estimate energy for planning",
    help="Add energy from rated power: a planning estimate, not an MLPerf metric.",
)
GRID: Final = Option(
    name="grid-g-per-kwh",
    kind="number",
    low=0,
    high=5000,
    help="Grams of CO2 per kWh of the grid, for the planning estimate.",
)
INTERRUPTIONS: Final = Option(
    name="interruptions",
    kind="number",
    low=0,
    high=100,
    help="Interruptions per instance-hour on spot machines.",
)
A: Final = Option(
    name="a",
    required=True,
    longest=400,
    label="Configuration A",
    help="round/submitter/system/benchmark, or a shorter tail of it that only one has.",
)
B: Final = Option(
    name="b",
    required=True,
    longest=400,
    label="Configuration B",
    help="round/submitter/system/benchmark, or a shorter tail of it that only one has.",
)
WHAT: Final = Option(
    name="what",
    required=True,
    choices=("rounds", "benchmarks", "accelerators", "prices", "systems", "scores", "rejections"),
    help="What to list.",
)
LISTED_ROUNDS: Final = Option(
    name="round", key="rounds", many=True, longest=20, help="Only these rounds."
)
SYSTEM_ID: Final = Option(
    name="system-id",
    required=True,
    longest=400,
    label="System",
    help="System id, or round/submitter/system id.",
)


def required(option: Option) -> Option:
    """Return the option as one that must be given."""
    return replace(option, required=True)
