"""Which configurations a question is about: names resolved, rounds held to a compatible block."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, TypedDict, Unpack

from equipoise import facts
from equipoise.domain import UNVERIFIED_DIVISION, VERIFIED_DIVISIONS, Configuration
from equipoise.errors import NothingFoundError, UnknownNameError, UsageError
from equipoise.structs import dataclass

if TYPE_CHECKING:
    from equipoise.catalogue import Catalogue

DIVISIONS: Final = {
    "closed": ("closed",),
    "open": ("open",),
    "unverified": (UNVERIFIED_DIVISION,),
    "all": (*VERIFIED_DIVISIONS, UNVERIFIED_DIVISION),
}
VERSION: Final = re.compile(r"v[0-9]+\.[0-9]+")
"""Name of a published round, also of one that no fact describes yet."""
AVAILABILITIES: Final = ("onprem", "cloud", "preview", "rdi")


class SelectionOptions(TypedDict, total=False):
    """The selection options of every analysis: same names in Python, CLI and HTTP."""

    rounds: Sequence[str]
    division: str
    submitters: Sequence[str]
    accelerators: Sequence[str]
    availability: Sequence[str]
    min_accelerators: int | None
    max_accelerators: int | None
    keep_resubmitted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """A checked selection; names are canonical ids."""

    benchmark: str
    rounds: tuple[str, ...]
    division: str = "closed"
    submitters: tuple[str, ...] = ()
    accelerators: tuple[str, ...] = ()
    availability: tuple[str, ...] = ()
    min_accelerators: int | None = None
    max_accelerators: int | None = None
    keep_resubmitted: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the selection as it stands in the JSON output."""
        return {
            "benchmark": self.benchmark,
            "rounds": list(self.rounds),
            "division": self.division,
            "submitters": list(self.submitters),
            "accelerators": list(self.accelerators),
            "availability": list(self.availability),
            "min_accelerators": self.min_accelerators,
            "max_accelerators": self.max_accelerators,
            "keep_resubmitted": self.keep_resubmitted,
        }


def select(
    catalogue: "Catalogue", benchmark: str, **options: Unpack[SelectionOptions]
) -> tuple[Selection, tuple[Configuration, ...]]:
    """Return the checked selection and its configurations.

    Raises
    ------
    UsageError
        For unknown names, rounds that may not be compared, or impossible limits.
    NothingFoundError
        When nothing in the catalogue fits the selection.
    """
    selection = resolve(catalogue, benchmark, **options)
    found = catalogue.configurations(
        benchmark=selection.benchmark,
        rounds=selection.rounds,
        divisions=DIVISIONS[selection.division],
        submitters=selection.submitters,
        accelerators=selection.accelerators,
        availability=selection.availability,
        min_accelerators=selection.min_accelerators,
        max_accelerators=selection.max_accelerators,
        keep_resubmitted=selection.keep_resubmitted,
    )
    if not found:
        raise NothingFoundError(_nothing_text(catalogue, selection))
    return selection, found


def resolve(
    catalogue: "Catalogue", benchmark: str, **options: Unpack[SelectionOptions]
) -> Selection:
    """Return the selection with every name checked and made canonical."""
    found = facts.benchmark(benchmark)
    low, high = options.get("min_accelerators"), options.get("max_accelerators")
    if low is not None and high is not None and low > high:
        raise UsageError(f"--min-accelerators {low} is greater than --max-accelerators {high}")
    for name, limit in (("--min-accelerators", low), ("--max-accelerators", high)):
        if limit is not None and limit < 0:
            raise UsageError(f"{name} {limit} is negative; give 0 or more")
    division = options.get("division", "closed")
    if division not in DIVISIONS:
        raise UnknownNameError("division", division, DIVISIONS)
    ids: dict[str, None] = {}
    for text in separate(options.get("accelerators", ())):
        ids.update(dict.fromkeys(facts.accelerators_matching(text)))
    return Selection(
        benchmark=found.id,
        rounds=_rounds(
            found, separate(options.get("rounds", ())), own=own_rounds(catalogue), division=division
        ),
        division=division,
        submitters=_known_submitters(catalogue, tuple(options.get("submitters", ()))),
        accelerators=tuple(ids),
        availability=_availability(tuple(options.get("availability", ()))),
        min_accelerators=low,
        max_accelerators=high,
        keep_resubmitted=options.get("keep_resubmitted", False),
    )


def own_rounds(catalogue: "Catalogue") -> tuple[str, ...]:
    """Return the rounds of a catalogue that hold the user's own runs and no publication."""
    published = {entry.name for entry in facts.rounds()}
    return tuple(
        entry.round
        for entry in catalogue.rounds()
        if entry.round not in published and VERSION.fullmatch(entry.round) is None
    )


def _rounds(
    benchmark: facts.Benchmark, wanted: tuple[str, ...], *, own: tuple[str, ...], division: str
) -> tuple[str, ...]:
    """Return the rounds of a selection; own runs come along where their division does."""
    if not wanted:
        published = facts.default_block(benchmark.id).rounds
        return (*published, *own) if UNVERIFIED_DIVISION in DIVISIONS[division] else published
    named = tuple(name for name in wanted if name in own)
    official = tuple(name for name in wanted if name not in own)
    return (*(_published_rounds(benchmark, official) if official else ()), *named)


def _published_rounds(benchmark: facts.Benchmark, wanted: tuple[str, ...]) -> tuple[str, ...]:
    expanded = facts.expand_rounds(wanted)
    described = " | ".join(_block_text(block) for block in benchmark.blocks)
    blocks = {r: facts.block_of(benchmark.id, r) for r in expanded}
    known = {r: block for r, block in blocks.items() if block is not None}
    if not known:
        raise UsageError(
            f"{benchmark.id} was not part of {', '.join(expanded)}; its rounds are: {described}"
        )
    if len({block.first_round for block in known.values()}) > 1:
        raise UsageError(
            f"results of {benchmark.id} may be compared only inside one block of compatible "
            f"rounds: {described}; {', '.join(known)} is more than one"
        )
    return tuple(known)


def _block_text(block: facts.Block) -> str:
    first, last = block.rounds[0], block.rounds[-1]
    return first if first == last else f"{first}-{last}"


def _known_submitters(catalogue: "Catalogue", wanted: tuple[str, ...]) -> tuple[str, ...]:
    if not wanted:
        return ()
    known: dict[str, list[str]] = {}
    for name in catalogue.submitters():  # the rounds do not all spell one name alike
        known.setdefault(name.lower(), []).append(name)
    wanted = tuple(
        part for text in wanted for part in ([text] if text.lower() in known else _parts(text))
    )
    for name in wanted:
        if name.lower() not in known:
            raise UnknownNameError("submitter", name, catalogue.submitters())
    return tuple(spelt for name in wanted for spelt in known[name.lower()])


def separate(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the names of an option that is given several times, with commas, or both.

    >>> separate(["v5.0, v5.1", "v4.1"])
    ('v5.0', 'v5.1', 'v4.1')
    """
    return tuple(part for text in texts for part in _parts(text))


def _parts(text: str) -> list[str]:
    return [part for item in text.split(",") if (part := item.strip())]


def _availability(wanted: tuple[str, ...]) -> tuple[str, ...]:
    wanted = separate(wanted)
    for name in wanted:
        if name not in AVAILABILITIES:
            raise UnknownNameError("availability", name, AVAILABILITIES)
    return wanted


def _nothing_text(catalogue: "Catalogue", selection: Selection) -> str:
    everything = catalogue.configurations(
        benchmark=selection.benchmark,
        rounds=selection.rounds,
        divisions=DIVISIONS["all"],
        keep_resubmitted=True,
    )
    if not everything:
        return (
            f"the catalogue has no scored configuration of {selection.benchmark} in "
            f"{', '.join(selection.rounds)}; see `equipoise list benchmarks`"
        )
    verified = selection.division in VERIFIED_DIVISIONS
    if verified and not any(c.verified for c in everything):
        return (
            f"{', '.join(selection.rounds)} holds only own, unverified runs of "
            f"{selection.benchmark}; add --division unverified or --division all"
        )
    return (
        f"no configuration of {selection.benchmark} fits the selection "
        f"({len(everything)} exist in {', '.join(selection.rounds)} before division, submitter, "
        "accelerator, availability and count are applied); relax one of them"
    )
