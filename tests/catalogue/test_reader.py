import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import orjson
import pytest

from equipoise.catalogue import Catalogue, build
from equipoise.catalogue.select import first_published
from equipoise.domain import Configuration
from equipoise.errors import CatalogueError


@pytest.fixture
def small(make, tmp_path):
    """A catalogue of two rounds; v5.0 publishes the runs of v4.1 again."""
    first = make.round_data("v4.1", systems=("a", "b"))
    again = replace(
        first,
        round="v5.0",
        systems=tuple(replace(s, round="v5.0") for s in first.systems),
        runs=tuple(replace(r, round="v5.0") for r in first.runs),
        scores=tuple(replace(s, round="v5.0") for s in first.scores),
        rejections=(),
    )
    build([first, again], tmp_path)
    with Catalogue.open(tmp_path) as catalogue:
        yield catalogue


def names(configurations):
    return [f"{c.round}/{c.system_id}" for c in configurations]


def test_configurations_join_scores_systems_and_runs(make, tmp_path):
    runs, score = make.result(count=4)
    failed = make.run(8, success=False, failure="status", time_to_train_min=1.0, precision="fp32")
    copy = replace(runs[0], path="ExampleOrg/results/node-a/bert/result_raw_0.txt")
    settings = {"precision": "fp8", "tensor_parallelism": 4}
    runs = tuple(replace(run, **settings) for run in runs)
    system = make.system(host_memory_gib=2048.0, host_networking="400G")
    data = make.round_data()
    data = replace(
        data,
        systems=(system,),
        runs=(*runs, failed, copy),
        scores=(replace(score, runs=6, runs_failed=1, scaling_factor=2.0, warnings=("w",)),),
    )
    build([data], tmp_path)
    with Catalogue.open(tmp_path) as catalogue:
        (found,) = catalogue.configurations(benchmark="bert")
    assert isinstance(found, Configuration)
    assert found.key == "v4.1/ExampleOrg/node-a/bert"
    assert found.run_times_min == (5.0, 6.0, 7.0, 8.0)
    assert (found.runs_failed, found.runs_dropped_each_end) == (1, 1)
    assert (found.precision, found.tensor_parallelism, found.pipeline_parallelism) == (
        "fp8",
        4,
        None,
    )
    assert (found.host_memory_gib, found.host_networking) == (2048.0, "400G")
    assert (found.time_to_train_min, found.scaling_factor, found.warnings) == (7.0, 2.0, ("w",))


def test_drops_follow_the_rule_of_the_benchmark(make, tmp_path):
    runs, score = make.result(round="v4.0", benchmark="unet3d", count=3)
    build([replace(make.round_data("v4.0"), runs=runs, scores=(score,))], tmp_path)
    with Catalogue.open(tmp_path) as catalogue:
        (found,) = catalogue.configurations(benchmark="unet3d")
    assert found.runs_dropped_each_end == 4


def test_a_benchmark_that_no_fact_describes_drops_one_run(make, tmp_path):
    runs, score = make.result(benchmark="from_the_future", count=3)
    build([replace(make.round_data(), runs=runs, scores=(score,))], tmp_path)
    with Catalogue.open(tmp_path) as catalogue:
        (found,) = catalogue.configurations(benchmark="from_the_future")
    assert found.runs_dropped_each_end == 1


def test_a_resubmission_is_one_point(small):
    assert names(small.configurations(benchmark="bert")) == ["v4.1/a", "v4.1/b"]
    everything = small.configurations(benchmark="bert", keep_resubmitted=True)
    assert names(everything) == ["v4.1/a", "v4.1/b", "v5.0/a", "v5.0/b"]
    assert everything[2].resubmission_of == "v4.1/ExampleOrg/a/bert"


def test_a_resubmission_stays_when_its_original_is_not_selected(small):
    assert names(small.configurations(benchmark="bert", rounds=["v5.0"])) == ["v5.0/a", "v5.0/b"]
    found = small.configurations(benchmark="bert", rounds=["v5.0"])
    assert len(first_published([*found, *found])) == 2


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({}, 2),
        ({"rounds": ["v4.1"]}, 2),
        ({"rounds": ["v0.7"]}, 0),
        ({"divisions": ["open"]}, 0),
        ({"divisions": ["open", "closed"]}, 2),
        ({"submitters": ["ExampleOrg"]}, 2),
        ({"submitters": ["Nobody"]}, 0),
        ({"accelerators": ["nvidia-h100-sxm-80gb", "x"]}, 2),
        ({"accelerators": ["x"]}, 0),
        ({"availability": ["cloud"]}, 0),
        ({"availability": ["cloud", "onprem"]}, 2),
        ({"min_accelerators": 8, "max_accelerators": 8}, 2),
        ({"min_accelerators": 9}, 0),
        ({"max_accelerators": 7}, 0),
    ],
)
def test_every_condition_selects(small, wanted, found):
    assert len(small.configurations(benchmark="bert", **wanted)) == found


def test_scores_without_time_or_count_are_no_configurations(make, tmp_path):
    data = make.round_data(systems=("a", "b", "c"))
    lost = (
        replace(data.scores[0], time_to_train_min=None, unscaled_min=None),
        replace(data.scores[1], accelerators=None),
        replace(data.scores[2], accelerators=0),
    )
    build([replace(data, scores=lost)], tmp_path)
    with Catalogue.open(tmp_path) as catalogue:
        assert names(catalogue.configurations(benchmark="bert")) == ["v4.1/c"]


def test_rows_can_be_asked_for_by_name(small):
    assert len(small.runs(benchmarks=["bert"], rounds=["v5.0"], system_ids=["a"])) == 5
    assert small.runs(submitters=["Nobody"]) == ()
    assert len(small.scores(rounds=["v4.1"])) == 2
    assert len(small.systems(system_ids=["b"])) == 2
    assert small.rejections(rounds=["v5.0"]) == ()
    assert small.submitters() == ("ExampleOrg",)
    assert small.benchmarks() == ("bert",)
    assert [(e.round, e.runs, e.runs_linked) for e in small.rounds()] == [
        ("v4.1", 10, 0),
        ("v5.0", 10, 10),
    ]


def test_info_says_where_and_what(small):
    info = small.info()
    assert info.path == str(small.path)
    assert [entry.publication_date for entry in info.rounds] == ["2024-11-13", "2025-06-04"]
    assert info.bytes == sum(path.stat().st_size for path in small.files().values())


def test_text_cannot_end_a_query(small):
    assert small.configurations(benchmark="bert' or 1=1 --") == ()
    assert small.runs(rounds=["v4.1') or 1=1 --"]) == ()


def test_an_open_catalogue_follows_a_new_one(make, small):
    assert len(small.configurations(benchmark="bert")) == 2
    build([make.round_data("v5.1", systems=("z",))], small.path)
    assert names(small.configurations(benchmark="bert")) == ["v5.1/z"]
    assert small.sql("select count(*) from scores").rows == ((1,),)


def test_a_catalogue_replaced_in_the_middle_of_a_question(make, small, monkeypatch):
    real = Catalogue._execute
    built = []

    def replaced_first(self, query, parameters):
        if not built:
            built.append(build([make.round_data("v5.1", systems=("z",))], self.path))
        return real(self, query, parameters)

    monkeypatch.setattr(Catalogue, "_execute", replaced_first)
    assert names(small.configurations(benchmark="bert")) == ["v5.1/z"]


def test_the_default_is_named_by_the_environment(small, monkeypatch):
    monkeypatch.setenv("EQUIPOISE_CATALOGUE", str(small.path))
    assert Catalogue.open().path == small.path


def test_odd_characters_in_the_path_of_a_catalogue(make, tmp_path):
    folder = tmp_path / "we[i]rd *? it's"
    build([make.round_data()], folder)
    with Catalogue.open(folder) as catalogue:
        assert len(catalogue.configurations(benchmark="bert")) == 1
        assert catalogue.check().passed


def test_a_relative_path_survives_a_change_of_folder(make, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    build([make.round_data()], tmp_path / "c")
    with Catalogue.open("c") as catalogue:
        assert os.fspath(catalogue.path) == "c"
        assert len(catalogue.scores()) == 1


def test_no_catalogue(tmp_path):
    with pytest.raises(CatalogueError, match=r"no catalogue in this folder.*equipoise ingest"):
        Catalogue.open(tmp_path)
    with pytest.raises(CatalogueError, match="no such folder"):
        Catalogue.open(tmp_path / "absent")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema_version": 99}, "schema version 99, this equipoise reads 1; update equipoise"),
        ({"schema_version": 0}, "schema version 0, this equipoise reads 1; build it again"),
        ({"format": "other"}, "not a manifest of equipoise"),
        ({"files": {}}, "damaged manifest"),
        ({"sources": [{"a": 1}]}, "damaged manifest"),
    ],
)
def test_a_manifest_that_cannot_be_used(small, change, message):
    path = small.path / "manifest.json"
    path.write_bytes(orjson.dumps({**orjson.loads(path.read_bytes()), **change}))
    with pytest.raises(CatalogueError, match=message):
        Catalogue.open(small.path)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff"])
def test_a_damaged_manifest(small, content):
    (small.path / "manifest.json").write_bytes(content)
    with pytest.raises(CatalogueError, match="manifest"):
        Catalogue.open(small.path)


@pytest.mark.parametrize("place", ["/etc/passwd", "../outside.parquet"])
def test_a_manifest_cannot_lead_out_of_the_folder(small, place):
    path = small.path / "manifest.json"
    content = orjson.loads(path.read_bytes())
    content["files"]["runs"]["path"] = place
    path.write_bytes(orjson.dumps(content))
    with pytest.raises(CatalogueError, match="outside the catalogue"):
        Catalogue.open(small.path)


@pytest.mark.parametrize("damage", ["garbage", "cut", "gone"])
def test_a_damaged_table_is_named(small, damage):
    path = small.files()["scores"]
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(b"x" * 50 if damage == "garbage" else path.read_bytes()[:-20])
    with pytest.raises(CatalogueError, match=r"scores\.parquet: damaged or missing table scores"):
        small.configurations(benchmark="bert")
    with pytest.raises(CatalogueError, match="damaged or missing table scores"):
        small.sql("select 1 from scores")


def test_threads_may_share_a_catalogue(make, small):
    def ask(number: int) -> int:
        if number % 3 == 0:
            return small.sql("select count(*) from scores").rows[0][0]
        return len(small.configurations(benchmark="bert", keep_resubmitted=True))

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(ask, range(60))) == {4}
