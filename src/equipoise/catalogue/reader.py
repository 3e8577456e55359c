"""Open a catalogue and ask it: configurations, rows as domain objects, SQL, checks."""

# ruff: noqa: S608  (names come from the table of columns, values are parameters)

import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from equipoise.catalogue.columns import TABLES, RoundEntry
from equipoise.catalogue.link import round_key
from equipoise.catalogue.load import column_list, connection, damaged, parquet
from equipoise.catalogue.manifest import Manifest, SourceEntry, read_manifest
from equipoise.catalogue.select import Filter, conditions, configurations
from equipoise.catalogue.tables import decode
from equipoise.domain import Configuration, Rejection, Run, Score, System
from equipoise.errors import CatalogueError
from equipoise.structs import dataclass

if TYPE_CHECKING:
    import duckdb

    from equipoise.catalogue.check import CheckReport
    from equipoise.catalogue.sql import SqlResult

AnswerT = TypeVar("AnswerT")

VARIABLE: Final = "EQUIPOISE_CATALOGUE"
"""Environment variable that names the catalogue to open by default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueInfo:
    """What a catalogue is and holds."""

    path: str
    schema_version: int
    package_version: str
    raw_descriptions: bool
    bytes: int
    rounds: tuple[RoundEntry, ...]
    sources: tuple[SourceEntry, ...]


def bundled_path() -> Path:
    """Return the folder of the catalogue that comes with the package."""
    return Path(__file__).with_name("data")


class Catalogue:
    """A catalogue opened for reading.

    It follows the folder: when a builder replaces the catalogue meanwhile, the next
    question is answered from the new one, never from a mixture. Threads may share it.
    """

    def __init__(self, path: Path, manifest: Manifest) -> None:
        self._path = path
        self._manifest = manifest
        self._lock = threading.RLock()
        self._views: duckdb.DuckDBPyConnection | None = None
        self._sandbox: duckdb.DuckDBPyConnection | None = None

    @classmethod
    def open(cls, path: Path | None = None) -> "Catalogue":
        """Open a folder, by default the one EQUIPOISE_CATALOGUE names, else the bundled one.

        Raises
        ------
        CatalogueError
            No catalogue there, a damaged manifest, or another schema version.
        """
        if path is None:
            named = os.environ.get(VARIABLE)
            path = Path(named) if named else bundled_path()
        path = Path(path)
        return cls(path, read_manifest(path))

    @property
    def path(self) -> Path:
        """Folder of the catalogue."""
        return self._path

    @property
    def manifest(self) -> Manifest:
        """Manifest as it was when the catalogue was last read."""
        return self._manifest

    def follow(self) -> Manifest:
        """Turn to the present catalogue, if it was replaced meanwhile; return its manifest."""
        with self._lock:
            self._follow()
            return self._manifest

    def files(self) -> dict[str, Path]:
        """Return the Parquet file of every table, for other SQL tools."""
        return {name: self._path / entry.path for name, entry in self._manifest.files.items()}

    def close(self) -> None:
        """Free the databases; the next question opens them anew."""
        with self._lock:
            for database in (self._views, self._sandbox):
                if database is not None:
                    database.close()
            self._views = self._sandbox = None

    def __enter__(self) -> "Catalogue":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def configurations(
        self,
        *,
        benchmark: str,
        rounds: Sequence[str] = (),
        divisions: Sequence[str] = ("closed",),
        submitters: Sequence[str] = (),
        accelerators: Sequence[str] = (),
        availability: Sequence[str] = (),
        min_accelerators: int | None = None,
        max_accelerators: int | None = None,
        keep_resubmitted: bool = False,
    ) -> tuple[Configuration, ...]:
        """Return the scored configurations of a benchmark (canonical id).

        An empty sequence is no condition. Of configurations with the same successful
        runs the first of the selection stays, unless `keep_resubmitted`.
        """
        wanted = Filter(
            benchmark=benchmark,
            rounds=tuple(rounds),
            divisions=tuple(divisions),
            submitters=tuple(submitters),
            accelerators=tuple(accelerators),
            availability=tuple(availability),
            min_accelerators=min_accelerators,
            max_accelerators=max_accelerators,
        )
        return self._answer(
            lambda: configurations(self._execute, wanted, keep_resubmitted=keep_resubmitted)
        )

    def rounds(self) -> tuple[RoundEntry, ...]:
        """Return one entry per round, oldest first."""
        found: list[RoundEntry] = self._records("rounds")
        return tuple(sorted(found, key=lambda entry: round_key(entry.round)))

    def systems(
        self,
        *,
        rounds: Sequence[str] = (),
        submitters: Sequence[str] = (),
        system_ids: Sequence[str] = (),
    ) -> tuple[System, ...]:
        """Return systems; an empty sequence is no condition."""
        return tuple(
            self._records("systems", round=rounds, submitter=submitters, system_id=system_ids)
        )

    def runs(
        self,
        *,
        benchmarks: Sequence[str] = (),
        rounds: Sequence[str] = (),
        submitters: Sequence[str] = (),
        system_ids: Sequence[str] = (),
    ) -> tuple[Run, ...]:
        """Return runs; an empty sequence is no condition."""
        return tuple(
            self._records(
                "runs",
                benchmark=benchmarks,
                round=rounds,
                submitter=submitters,
                system_id=system_ids,
            )
        )

    def scores(
        self,
        *,
        benchmarks: Sequence[str] = (),
        rounds: Sequence[str] = (),
        submitters: Sequence[str] = (),
        system_ids: Sequence[str] = (),
    ) -> tuple[Score, ...]:
        """Return scores, also of configurations without a time; empty is no condition."""
        return tuple(
            self._records(
                "scores",
                benchmark=benchmarks,
                round=rounds,
                submitter=submitters,
                system_id=system_ids,
            )
        )

    def rejections(self, *, rounds: Sequence[str] = ()) -> tuple[Rejection, ...]:
        """Return what was read but not used; an empty sequence is no condition."""
        return tuple(self._records("rejections", round=rounds))

    def submitters(self) -> tuple[str, ...]:
        """Return the names of all submitters in alphabetical order."""
        return self._names("submitter")

    def benchmarks(self) -> tuple[str, ...]:
        """Return the canonical ids of all benchmarks in alphabetical order."""
        return self._names("benchmark")

    def sql(self, query: str) -> "SqlResult":
        """Return what one SELECT over the tables gives; nothing else can be reached.

        Raises
        ------
        UsageError
            More than one statement, one that is not a SELECT, or an error in it.
        """
        from equipoise.catalogue.sql import run, sandbox

        def ask() -> "SqlResult":
            if self._sandbox is None:
                self._sandbox = sandbox(self._path, self._manifest)
            return run(self._sandbox, query)

        return self._answer(ask)

    def info(self) -> CatalogueInfo:
        """Return what the catalogue is and holds."""
        rounds = self.rounds()
        manifest = self._manifest
        return CatalogueInfo(
            path=str(self._path),
            schema_version=manifest.schema_version,
            package_version=manifest.package_version,
            raw_descriptions=manifest.raw_descriptions,
            bytes=sum(entry.bytes for entry in manifest.files.values()),
            rounds=rounds,
            sources=manifest.sources,
        )

    def check(self) -> "CheckReport":
        """Verify every file against the manifest and every row against the invariants."""
        from equipoise.catalogue.check import check

        return self._answer(lambda: check(self._path, self._manifest))

    def _names(self, column: str) -> tuple[str, ...]:
        query = f"select distinct {column} from scores order by 1"
        return tuple(row[0] for row in self._answer(lambda: self._execute(query, ())))

    def _records(self, name: str, **wanted: Sequence[str]) -> list[Any]:
        clauses, parameters = conditions(wanted.items())
        where = f" where {' and '.join(clauses)}" if clauses else ""
        query = f"select {column_list(name)} from {name}{where}"
        return decode(self._answer(lambda: self._execute(query, parameters)), TABLES[name])

    def _answer(self, ask: Callable[[], AnswerT]) -> AnswerT:
        """Return the answer from the present catalogue, also if it is replaced meanwhile."""
        with self._lock:
            self._follow()
            try:
                return ask()
            except CatalogueError:
                if not self._follow():
                    raise
                return ask()

    def _follow(self) -> bool:
        """Turn to the present catalogue; return whether it is another one than before."""
        present = read_manifest(self._path)
        if present == self._manifest:
            return False
        self.close()
        self._manifest = present
        return True

    def _execute(self, query: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
        import duckdb

        try:
            if self._views is None:
                self._views = self._with_views()
            return self._views.execute(query, list(parameters)).fetchall()
        except duckdb.Error as problem:
            name = next((n for n in TABLES if f"{n}.parquet" in str(problem)), "scores")
            raise damaged(self._path, self._manifest, name, problem) from problem

    def _with_views(self) -> "duckdb.DuckDBPyConnection":
        database = connection()
        for name in TABLES:
            source = parquet(self._path, self._manifest, name)
            database.execute(f"create view {name} as select * from {source}")
        return database
