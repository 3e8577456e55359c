"""The fields of a page's form: what there is to choose from, and what is chosen."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from equipoise import facts
from equipoise.domain import Score
from equipoise.structs import dataclass
from equipoise.web.options import SELECTION, Option

if TYPE_CHECKING:
    from equipoise.web.kitchen import Kitchen

FIRST_CHOICE: Final = "resnet"
"""Benchmark of a page that names none, where the catalogue has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One value of a field."""

    value: str
    label: str
    chosen: bool
    group: str = ""
    count: int | None = None
    """Configurations that have it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One control: select, checks (several of many), number, text, area, flag or list."""

    kind: str
    name: str
    label: str
    value: str = ""
    choices: tuple[Choice, ...] = ()
    help: str = ""
    low: float | None = None
    high: float | None = None
    step: str = "any"
    placeholder: str = ""
    longest: int | None = None

    @property
    def chosen(self) -> bool:
        """Return whether anything is chosen."""
        return bool(self.value) or any(choice.chosen for choice in self.choices)


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """What the results of one benchmark have."""

    benchmark: str
    rounds: Counter[str]
    submitters: Counter[str]
    accelerators: Counter[str]
    availability: Counter[str]
    divisions: Counter[str]


def scores_by_benchmark(kitchen: "Kitchen") -> dict[str, list[Score]]:
    """Return the scores of the catalogue that have a time, by benchmark."""

    def make() -> dict[str, list[Score]]:
        found: dict[str, list[Score]] = {}
        for score in kitchen.catalogue.scores():
            if score.time_to_train_min is not None:
                found.setdefault(score.benchmark, []).append(score)
        return found

    result: dict[str, list[Score]] = kitchen.kept("scores by benchmark", make)
    return result


def benchmark_of(kitchen: "Kitchen", params: Mapping[str, Any]) -> str:
    """Return the canonical id of the benchmark of a page, the usual one when none is named."""
    named = params.get("benchmark")
    if named:
        return facts.benchmark(named).id
    known = scores_by_benchmark(kitchen)
    if FIRST_CHOICE in known or not known:
        return FIRST_CHOICE
    return max(known, key=lambda name: (len(known[name]), name))


def vocabulary(kitchen: "Kitchen", benchmark: str) -> Vocabulary:
    """Return what there is to select from."""
    scores = scores_by_benchmark(kitchen).get(benchmark, [])
    return Vocabulary(
        benchmark=benchmark,
        rounds=Counter(s.round for s in scores),
        submitters=Counter(s.submitter for s in scores),
        accelerators=Counter(s.accelerator_id for s in scores if s.accelerator_id),
        availability=Counter(s.availability for s in scores if s.availability),
        divisions=Counter(s.division for s in scores if s.division),
    )


def benchmark_field(kitchen: "Kitchen", chosen: str, *, blank: str | None = None) -> Field:
    """Return the choice of a benchmark; those without results come last."""
    known = scores_by_benchmark(kitchen)
    entries = sorted(facts.benchmarks(), key=lambda b: (b.id not in known, b.pretty_name.lower()))
    choices = [
        Choice(
            value=entry.id,
            label=entry.pretty_name,
            chosen=entry.id == chosen,
            count=len(known.get(entry.id, ())),
        )
        for entry in entries
    ]
    if blank is not None:
        choices.insert(0, Choice(value="", label=blank, chosen=not chosen))
    return Field(kind="select", name="benchmark", label="Benchmark", choices=tuple(choices))


def selection_fields(kitchen: "Kitchen", benchmark: str, params: Mapping[str, Any]) -> list[Field]:
    """Return the fields that narrow down the configurations of a benchmark."""
    words = vocabulary(kitchen, benchmark)
    known = {b.id: b for b in facts.benchmarks()}
    options = {option.keyword: option for option in SELECTION}
    fields = [_rounds(known.get(benchmark), words, params.get("rounds", ()))]
    for key in ("accelerators", "submitters"):
        counts: Counter[str] = getattr(words, key)
        fields.append(_checks(options[key], counts, params.get(key, ())))
    fields.append(select_field(options["division"], params, counts=words.divisions))
    named = params.get("availability", ())
    plain = ("min_accelerators", "max_accelerators", "keep_resubmitted")
    return [
        *fields,
        _checks(options["availability"], words.availability, named),
        *(plain_field(options[key], params) for key in plain),
    ]


def _rounds(entry: facts.Benchmark | None, words: Vocabulary, chosen: Iterable[str]) -> Field:
    option = SELECTION[0]
    wanted = set(facts.expand_rounds(chosen)) if chosen else set()
    choices = [
        Choice(
            value=name,
            label=name,
            chosen=name in wanted,
            group=block.name.replace("..", " to "),
            count=words.rounds[name],
        )
        for block in (entry.blocks if entry else ())
        for name in block.rounds
        if words.rounds[name] or name in wanted
    ]
    return Field(
        kind="checks",
        name=option.name,
        label=option.title,
        choices=tuple(choices),
        help="Only rounds of one group may be compared; none chosen: the largest group.",
    )


def _checks(option: Option, counts: Counter[str], chosen: Iterable[str]) -> Field:
    wanted = list(chosen)
    names = sorted({*counts, *wanted}, key=lambda name: (name.lower(), name))
    return Field(
        kind="checks",
        name=option.name,
        label=option.title,
        choices=tuple(
            Choice(value=name, label=name, chosen=name in wanted, count=counts.get(name))
            for name in names
        ),
    )


def select_field(
    option: Option, params: Mapping[str, Any], *, counts: Counter[str] | None = None
) -> Field:
    """Return the choice of one of the values that an option allows."""
    value = params.get(option.keyword, option.default)
    return Field(
        kind="select",
        name=option.name,
        label=option.title,
        help=option.help,
        choices=tuple(
            Choice(
                value=name,
                label=name.replace("+", " and "),
                chosen=name == value,
                count=counts.get(name) if counts else None,
            )
            for name in option.choices
        ),
    )


def plain_field(option: Option, params: Mapping[str, Any], *, placeholder: str = "") -> Field:
    """Return a field for a number, a text or a truth value."""
    value = params.get(option.keyword)
    if option.kind == "flag":
        return Field(
            kind="flag",
            name=option.name,
            label=option.title,
            value="true" if value else "",
            help=option.help,
        )
    if option.choices:
        return select_field(option, params)
    kind = "number" if option.kind in ("count", "number") else "text"
    return Field(
        kind=kind,
        name=option.name,
        label=option.title,
        value=shown_value(value),
        help=option.help,
        low=option.low,
        high=option.high,
        step="1" if option.kind == "count" else "any",
        placeholder=placeholder,
        longest=option.longest if kind == "text" else None,
    )


def shown_value(value: object) -> str:
    """Return a value as it stands in a form field."""
    if value is None:
        return ""
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    if isinstance(value, tuple | list):
        return ", ".join(str(item) for item in value)
    return str(value)


def narrowing(fields: Sequence[Field]) -> int:
    """Return how many of the selection fields narrow anything down."""
    usual = {"division": "closed"}
    count = 0
    for field in fields:
        if field.kind == "select":
            count += any(c.chosen and c.value != usual.get(field.name) for c in field.choices)
        else:
            count += field.chosen
    return count
