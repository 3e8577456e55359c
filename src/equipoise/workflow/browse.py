"""Look into a catalogue: what is in it, one system, lists of facts, read-only SQL."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from equipoise import facts
from equipoise.domain import UNVERIFIED_DIVISION
from equipoise.errors import CatalogueError, NothingFoundError, UnknownNameError, UsageError
from equipoise.report.footnotes import PUBLISHED, footnotes
from equipoise.report.views import View
from equipoise.workflow.answer import Answer
from equipoise.workflow.selection import own_rounds, separate

if TYPE_CHECKING:
    from equipoise.catalogue import Catalogue
    from equipoise.domain import System

LISTS = ("rounds", "benchmarks", "accelerators", "prices", "systems", "scores", "rejections")
CATALOGUE_LISTS = ("systems", "scores", "rejections")
INFO_COLUMNS = (
    *("round", "publication_date", "systems", "runs", "scores", "rejections", "runs_linked"),
    *("bytes", "source"),
)


def info(catalogue: "Catalogue") -> Answer:
    """Return the rounds of a catalogue with what is in them."""
    found = catalogue.info()
    return Answer(
        command="catalogue info",
        tables={"rounds": found.rounds},
        views={"rounds": View(title="Rounds", columns=INFO_COLUMNS)},
        extra={
            "path": found.path,
            "schema_version": found.schema_version,
            "package_version": found.package_version,
            "raw_descriptions": found.raw_descriptions,
            "bytes": found.bytes,
            "sources": found.sources,
        },
        headline=f"catalogue {found.path}: {found.bytes:,} bytes, schema {found.schema_version}",
        footnotes=_notes(tuple(row.round for row in found.rounds)),
    )


def check(catalogue: "Catalogue") -> Answer:
    """Return that a catalogue is whole.

    Raises
    ------
    CatalogueError
        When a file or an invariant is wrong, with every problem.
    """
    found = catalogue.check()
    if not found.passed:
        listed = "; ".join(f"{p.table}: {p.path}: {p.reason}" for p in found.problems)
        raise CatalogueError(
            f"{len(found.problems)} problems: {listed}; build it again with `equipoise ingest`"
        )
    return Answer(
        command="catalogue check",
        tables={"checks": [found]},
        headline=f"whole: {found.files} files, {found.rows:,} rows, {found.invariants} invariants",
    )


def path(catalogue: "Catalogue") -> Answer:
    """Return where the catalogue is."""
    return Answer(
        command="catalogue path",
        tables={"catalogue": [{"path": str(catalogue.path)}]},
    )


def sql(catalogue: "Catalogue", query: str) -> Answer:
    """Return the rows of a read-only SQL query.

    Raises
    ------
    UsageError
        When the query is wrong or would do anything but read the catalogue's tables.
    """
    columns, rows = catalogue.sql(query)
    names = _unique(columns)
    return Answer(
        command="sql",
        tables={"rows": [dict(zip(names, row, strict=True)) for row in rows]},
        selection={"query": query},
        footnotes=_notes(_rounds(catalogue)),
    )


def list_things(catalogue: "Catalogue", what: str, *, rounds: Sequence[str] = ()) -> Answer:
    """Return rounds, benchmarks, accelerators, prices, systems, scores or rejections."""
    if what not in LISTS:
        raise UnknownNameError("list", what, LISTS)
    rounds = separate(rounds)
    own = own_rounds(catalogue) if rounds else ()
    official = facts.expand_rounds(name for name in rounds if name not in own)
    wanted = (*official, *(name for name in rounds if name in own))
    if wanted and what not in CATALOGUE_LISTS:
        raise UsageError(f"--round does not apply to {what}")
    rows = _rows(catalogue, what, wanted)
    return Answer(
        command=f"list {what}",
        tables={what: rows},
        selection={"rounds": list(wanted)},
        footnotes=_notes(wanted or _rounds(catalogue)) if what in CATALOGUE_LISTS else (),
    )


def show(catalogue: "Catalogue", system_id: str) -> Answer:
    """Return one system with its facts, its scores and where they come from.

    Raises
    ------
    UnknownNameError
        When no system has this id.
    UsageError
        When several rounds or submitters have it: the message lists them.
    """
    system = _find_system(catalogue, system_id)
    key = (system.round, system.submitter, system.system_id)
    own: Any = {
        "rounds": (system.round,),
        "submitters": (system.submitter,),
        "system_ids": (system.system_id,),
    }
    scores, runs = catalogue.scores(**own), catalogue.runs(**own)
    described = [
        {"field": name, "value": value}
        for name, value in _fields(system).items()
        if value not in (None, (), [])
    ]
    return Answer(
        command="show",
        tables={
            "system": described,
            "scores": scores,
            "runs": runs,
        },
        selection={"system": "/".join(key)},
        extra={"provenance": _provenance(catalogue, system)},
        footnotes=_notes((system.round,)),
    )


def _provenance(catalogue: "Catalogue", system: "System") -> list[object]:
    """Return where the round came from: source, revision and path."""
    return [entry for entry in catalogue.info().sources if entry.round == system.round]


def _find_system(catalogue: "Catalogue", text: str) -> "System":
    *prefix, name = text.strip("/").split("/")
    systems = catalogue.systems()
    found = [s for s in systems if s.system_id == name]
    found = [s for s in found if not prefix or [s.round, s.submitter][-len(prefix) :] == prefix]
    if not found:
        raise UnknownNameError("system", text, {s.system_id for s in systems})
    if len(found) > 1:
        listed = ", ".join(f"{s.round}/{s.submitter}/{s.system_id}" for s in found[:20])
        raise UsageError(f"{text} is the name of {len(found)} systems; say which: {listed}")
    return found[0]


def _fields(system: "System") -> dict[str, Any]:
    from equipoise.report.cells import record

    return record(system)


def _rows(catalogue: "Catalogue", what: str, rounds: tuple[str, ...]) -> Sequence[object]:
    if what == "rounds":
        return facts.rounds()
    if what == "benchmarks":
        return [_benchmark_row(benchmark) for benchmark in facts.benchmarks()]
    if what == "accelerators":
        return facts.accelerators()
    if what == "prices":
        return facts.prices()
    if what == "systems":
        found: Sequence[object] = catalogue.systems(rounds=rounds)
    elif what == "scores":
        found = catalogue.scores(rounds=rounds)
    else:
        found = catalogue.rejections(rounds=rounds)
    if not found and rounds:
        raise NothingFoundError(f"the catalogue has no {what} of {', '.join(rounds)}")
    return found


def _benchmark_row(benchmark: facts.Benchmark) -> dict[str, Any]:
    return {
        "benchmark": benchmark.id,
        "pretty_name": benchmark.pretty_name,
        "task": benchmark.task,
        "compatible_rounds": " | ".join(block.name for block in benchmark.blocks),
        "min_runs": benchmark.blocks[-1].min_runs,
        "dropped_each_end": benchmark.blocks[-1].dropped_each_end,
        "target": benchmark.blocks[-1].target_text,
        "sample_unit": benchmark.blocks[-1].sample_unit,
        "aliases": benchmark.aliases,
    }


def _unique(columns: Sequence[str]) -> tuple[str, ...]:
    """Return column names made unique: the second `a` becomes `a_2`.

    The database names a count of rows `count_star()`; here it has the name as it is written.
    """
    columns = ["count(*)" if column == "count_star()" else column for column in columns]
    seen: dict[str, int] = {}
    names = []
    for column in columns:
        seen[column] = seen.get(column, 0) + 1
        names.append(column if seen[column] == 1 else f"{column}_{seen[column]}")
    return tuple(names)


def _rounds(catalogue: "Catalogue") -> tuple[str, ...]:
    return tuple(entry.round for entry in catalogue.rounds())


def _notes(rounds: Sequence[str]) -> tuple[str, ...]:
    own = any(PUBLISHED.fullmatch(name) is None for name in rounds)
    divisions = ("closed", "open", UNVERIFIED_DIVISION) if own else ("closed", "open")
    return footnotes(rounds=tuple(rounds), divisions=divisions, derived=False)
