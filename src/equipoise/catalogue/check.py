"""Is a catalogue whole? Every file against the manifest, every row against the invariants."""

# ruff: noqa: S608  (names come from the table of columns, values are parameters)

from pathlib import Path
from typing import TYPE_CHECKING, Final

from equipoise.catalogue.columns import TABLES, Kind, Table
from equipoise.catalogue.load import connection, parquet
from equipoise.catalogue.manifest import FileEntry, Manifest, sha256
from equipoise.structs import dataclass

if TYPE_CHECKING:
    import duckdb

_TYPES: Final[dict[Kind, str]] = {
    "text": "VARCHAR",
    "integer": "BIGINT",
    "real": "DOUBLE",
    "truth": "BOOLEAN",
    "texts": "VARCHAR[]",
}
_SAME_SYSTEM: Final = (
    "y.round = s.round and y.submitter = s.submitter and y.system_id = s.system_id"
)
_SAME_CONFIGURATION: Final = (
    "r.round = s.round and r.submitter = s.submitter and r.system_id = s.system_id "
    "and r.benchmark = s.benchmark and r.benchmark_folder = s.benchmark_folder"
)
_KEY: Final = "concat_ws('/', s.round, s.submitter, s.system_id, s.benchmark)"
_EXAMPLES: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong with a catalogue."""

    table: str
    path: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """What a check looked at and what it found."""

    path: str
    files: int
    rows: int
    invariants: int
    problems: tuple[Problem, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


@dataclass(frozen=True, slots=True)
class Invariant:
    """Something that holds for every row; the query names the rows that break it."""

    table: str
    meaning: str
    query: str


INVARIANTS: Final = (
    Invariant(
        "scores",
        "belongs to a system of the catalogue, or is unverified",
        f"select {_KEY} from scores s left join systems y on {_SAME_SYSTEM} "
        "where y.round is null and s.division is distinct from 'unverified' "
        "and s.time_to_train_min is not null",
    ),
    Invariant(
        "scores",
        "has as many runs, and as many failed ones, as it says",
        f"select any_value({_KEY}) from scores s left join runs r on {_SAME_CONFIGURATION} "
        "group by s.round, s.submitter, s.system_id, s.benchmark, s.benchmark_folder "
        "having count(r.path) <> any_value(s.runs) or "
        "count(*) filter (r.path is not null and not r.success) <> any_value(s.runs_failed)",
    ),
    Invariant(
        "scores",
        "is the unscaled time times the scaling factor",
        f"select {_KEY} from scores s where time_to_train_min is not null and ("
        "time_to_train_min <= 0 or unscaled_min is null or "
        "abs(unscaled_min * scaling_factor / time_to_train_min - 1) > 1e-9)",
    ),
    Invariant(
        "scores",
        "repeats a configuration that the catalogue holds",
        f"select {_KEY} from scores s where resubmission_of is not null and resubmission_of "
        "not in (select concat_ws('/', round, submitter, system_id, benchmark) from runs)",
    ),
    Invariant(
        "runs",
        "belongs to a score row",
        "select concat_ws(':', r.round, r.path) from runs r left join scores s "
        f"on {_SAME_CONFIGURATION} where s.round is null",
    ),
    Invariant(
        "runs",
        "copies a run that is itself no copy",
        "select concat_ws(':', r.round, r.path) from runs r where r.duplicate_of is not null "
        "and r.duplicate_of not in "
        "(select concat_ws(':', round, path) from runs where duplicate_of is null)",
    ),
    Invariant(
        "runs",
        "lasted from its start to its stop",
        "select concat_ws(':', round, path) from runs where success and "
        "(time_to_train_min is null or time_to_train_min <= 0 or stop_ms <= start_ms)",
    ),
    Invariant(
        "systems",
        "has a known division and no negative count",
        "select concat_ws('/', round, submitter, system_id) from systems where "
        "division not in ('closed', 'open', 'unverified') or nodes < 0 or accelerators < 0",
    ),
    *(
        Invariant(
            "rounds",
            f"counts its {name} right",
            f"select r.round from rounds r where r.{name} <> "
            f"(select count(*) from {name} t where t.round = r.round)",
        )
        for name in ("systems", "runs", "scores", "rejections")
    ),
    *(
        Invariant(
            name,
            "is of a round of the catalogue",
            f"select distinct round from {name} where round is null "
            "or round not in (select round from rounds)",
        )
        for name in ("systems", "runs", "scores", "rejections")
    ),
    *(
        Invariant(
            table.name,
            "is the only row of its identity",
            f"select concat_ws('/', {', '.join(table.identity)}) from {table.name} "
            f"group by {', '.join(table.identity)} having count(*) > 1",
        )
        for table in TABLES.values()
        if table.identity
    ),
)
"""What must hold in every catalogue."""


def check(folder: Path, manifest: Manifest) -> CheckReport:
    """Return what is wrong with a catalogue: files first, then, if they are whole, rows."""
    problems: list[Problem] = []
    for name, entry in manifest.files.items():
        problems.extend(_file_problems(folder, name, entry))
    with connection() as database:
        if not problems:
            for table in TABLES.values():
                problems.extend(_column_problems(database, folder, manifest, table))
        if not problems:
            problems.extend(_row_problems(database, folder, manifest))
    return CheckReport(
        path=str(folder),
        files=len(manifest.files),
        rows=sum(entry.rows for entry in manifest.files.values()),
        invariants=len(INVARIANTS),
        problems=tuple(problems),
    )


def _file_problems(folder: Path, name: str, entry: FileEntry) -> list[Problem]:
    try:
        content = (folder / entry.path).read_bytes()
    except OSError as problem:
        reason = f"cannot be read: {problem.strerror or problem}"
        return [Problem(table=name, path=entry.path, reason=reason)]
    if len(content) != entry.bytes:
        reason = f"{len(content)} bytes instead of {entry.bytes}"
    elif sha256(content) != entry.sha256:
        reason = "other content than the builder wrote (SHA-256 differs)"
    else:
        return []
    return [Problem(table=name, path=entry.path, reason=reason)]


def _column_problems(
    database: "duckdb.DuckDBPyConnection", folder: Path, manifest: Manifest, table: Table
) -> list[Problem]:
    """Compare the columns and the number of rows of a file with what they should be."""
    import duckdb

    entry = manifest.files[table.name]
    source = parquet(folder, manifest, table.name)
    try:
        described = database.execute(f"describe select * from {source}").fetchall()
        counted = database.execute(f"select count(*) from {source}").fetchone()
    except duckdb.Error as problem:
        reason = f"not readable as Parquet: {str(problem).partition(chr(10))[0]}"
        return [Problem(table=table.name, path=entry.path, reason=reason)]
    found = [(row[0], row[1]) for row in described]
    wanted = [(column.name, _TYPES[column.kind]) for column in table.columns]
    reasons = [
        f"column {name} {kind} is missing" for name, kind in wanted if (name, kind) not in found
    ]
    reasons += [
        f"column {name} {kind} is unknown" for name, kind in found if (name, kind) not in wanted
    ]
    rows = counted[0] if counted else None
    if rows != entry.rows:
        reasons.append(f"{rows} rows instead of {entry.rows}")
    return [Problem(table=table.name, path=entry.path, reason=reason) for reason in reasons]


def _row_problems(
    database: "duckdb.DuckDBPyConnection", folder: Path, manifest: Manifest
) -> list[Problem]:
    for name in TABLES:
        source = parquet(folder, manifest, name)
        database.execute(f"create view {name} as select * from {source}")
    problems = []
    for invariant in INVARIANTS:
        broken = sorted(str(row[0]) for row in database.execute(invariant.query).fetchall())
        if broken:
            named = ", ".join(broken[:_EXAMPLES]) + (", ..." if len(broken) > _EXAMPLES else "")
            problems.append(
                Problem(
                    table=invariant.table,
                    path=manifest.files[invariant.table].path,
                    reason=f"{len(broken)} rows break `{invariant.meaning}`: {named}",
                )
            )
    return problems
