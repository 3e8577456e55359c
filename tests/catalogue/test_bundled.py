"""The catalogue that comes with the package: what it must hold, and that it is right."""

import csv
from collections import Counter, defaultdict

import pytest

from equipoise.catalogue import Catalogue, bundled_path
from equipoise.catalogue.columns import TABLES
from equipoise.catalogue.tables import SHORT_MESSAGE, SHORT_TEXT

ROUNDS = [
    "v0.5",
    "v0.6",
    "v0.7",
    "v1.0",
    "v1.1",
    "v2.0",
    "v2.1",
    "v3.0",
    "v3.1",
    "v4.0",
    "v4.1",
    "v5.0",
    "v5.1",
]
LIMIT_BYTES = 8 * 2**20
REFERRED_TO = {"path", "duplicate_of", "resubmission_of", "system_id", "notes"}


@pytest.fixture(scope="module")
def bundled():
    with Catalogue.open(bundled_path()) as catalogue:
        yield catalogue


def test_every_file_and_row_is_right(bundled):
    report = bundled.check()
    assert report.problems == ()
    assert report.files == len(TABLES)


def test_it_holds_every_round_with_the_commit_it_came_from(bundled):
    assert [entry.round for entry in bundled.rounds()] == ROUNDS
    sources = bundled.info().sources
    assert [source.round for source in sources] == ROUNDS
    assert all(len(source.revision) == 40 for source in sources)
    assert {source.source for source in sources} == {"git"}


def test_the_example_of_the_interface(bundled):
    columns, rows = bundled.sql("select round, count(*) from scores group by 1")
    assert columns[0] == "round"
    assert {row[0] for row in rows} == set(ROUNDS)
    assert all(row[1] >= 30 for row in rows)


def test_it_is_small_and_has_nothing_else_in_its_folder(bundled):
    files = [path for path in bundled.path.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < LIMIT_BYTES
    assert set(files) == {*bundled.files().values(), bundled.path / "manifest.json"}


def test_it_holds_facts_and_no_free_text(bundled):
    assert not bundled.manifest.raw_descriptions
    assert all(system.raw is None for system in bundled.systems())
    for table in TABLES.values():
        for column in table.columns:
            if column.name in REFERRED_TO or column.kind not in {"text", "texts"}:
                continue
            value = column.name if column.kind == "text" else f"array_to_string({column.name}, '')"
            query = f"select coalesce(max(length({value})), 0) from {table.name}"
            ((longest,),) = bundled.sql(query).rows
            limit = SHORT_TEXT if column.name not in {"reason", "warnings"} else None
            if limit is None:
                limit = SHORT_MESSAGE if column.kind == "text" else 20 * SHORT_MESSAGE
            assert longest <= limit, (table.name, column.name)


@pytest.mark.parametrize("name", ["v4.1", "v5.1"])
def test_every_official_score_is_there_to_nine_digits_and_none_extra(bundled, shared, name):
    # The official table names the submitter as the system file does, the catalogue as its
    # folder does; system and benchmark are named alike.
    official: dict[tuple[str, str], list[float]] = defaultdict(list)
    with (shared / "mlperf" / f"official_{name}.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            if row["official_minutes"]:
                key = row["system"], row["benchmark"]
                official[key].append(float(row["official_minutes"]))
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for score in bundled.scores(rounds=[name]):
        if score.time_to_train_min is not None:
            found[score.system_id, score.benchmark_folder].append(score.time_to_train_min)
    assert found.keys() == official.keys()
    for key, minutes in official.items():
        assert sorted(found[key]) == pytest.approx(sorted(minutes), rel=1e-9), key


def test_runs_published_again_are_linked(bundled):
    runs = bundled.runs()
    originals = Counter(run.duplicate_of for run in runs if run.duplicate_of)
    assert len(originals) > 1500
    resubmitted = [score for score in bundled.scores() if score.resubmission_of]
    assert len(resubmitted) > 150


def test_resnet_has_its_rounds_and_run_times(bundled):
    found = bundled.configurations(benchmark="resnet")
    assert {c.round for c in found} >= set(ROUNDS[2:10])
    for configuration in found:
        kept = len(configuration.run_times_min)
        assert kept >= 1
        assert configuration.time_to_train_min > 0
