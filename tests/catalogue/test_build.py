import errno
import os
import random
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from equipoise.catalogue import Catalogue, build
from equipoise.catalogue import store as store_module
from equipoise.errors import CatalogueError


def snapshot(folder: Path) -> dict[str, bytes]:
    """Every file of a folder with its bytes."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_catalogue_gives_back_what_was_put_in(make, tmp_path):
    data = make.round_data(systems=("node-a", "node-b"))
    build([data], tmp_path / "c")
    with Catalogue.open(tmp_path / "c") as catalogue:
        assert set(catalogue.systems()) == set(data.systems)
        assert set(catalogue.runs()) == set(data.runs)
        assert set(catalogue.scores()) == set(data.scores)
        assert set(catalogue.rejections()) == set(data.rejections)
        assert catalogue.check().problems == ()


def test_the_bytes_do_not_depend_on_order(make, tmp_path):
    rounds = [make.round_data(name, systems=("a", "b")) for name in ("v4.0", "v4.1", "v5.0")]
    build(rounds, tmp_path / "one")
    shuffler = random.Random(7)
    for attempt in range(3):
        shuffled = []
        for data in shuffler.sample(rounds, len(rounds)):
            runs = shuffler.sample(data.runs, len(data.runs))
            systems = shuffler.sample(data.systems, len(data.systems))
            scores = shuffler.sample(data.scores, len(data.scores))
            shuffled.append(
                replace(data, runs=tuple(runs), systems=tuple(systems), scores=tuple(scores))
            )
        build(shuffled, tmp_path / f"other{attempt}")
        assert snapshot(tmp_path / f"other{attempt}") == snapshot(tmp_path / "one")


def test_appending_gives_the_same_bytes_as_building_at_once(make, tmp_path):
    rounds = [make.round_data(name) for name in ("v4.0", "v4.1", "v5.0")]
    build(rounds, tmp_path / "at-once")
    for data in reversed(rounds):
        build([data], tmp_path / "by-and-by", append=True)
    assert snapshot(tmp_path / "by-and-by") == snapshot(tmp_path / "at-once")


def test_the_place_of_a_source_is_not_written(make, tmp_path):
    build([make.round_data(source="/somewhere/deep/v4.1")], tmp_path / "a")
    build([make.round_data(source="other/v4.1/")], tmp_path / "b")
    assert snapshot(tmp_path / "a") == snapshot(tmp_path / "b")
    build([make.round_data(source="/x/clone", revision="abc")], tmp_path / "c")
    build([make.round_data(source="https://host/repo.git", revision="abc")], tmp_path / "d")
    assert snapshot(tmp_path / "c") == snapshot(tmp_path / "d")
    with Catalogue.open(tmp_path / "c") as catalogue:
        (source,) = catalogue.info().sources
        assert (source.round, source.source, source.revision) == ("v4.1", "git", "abc")


def test_building_replaces_and_appending_keeps(make, tmp_path):
    build([make.round_data("v4.0")], tmp_path)
    build([make.round_data("v4.1")], tmp_path, append=True)
    with Catalogue.open(tmp_path) as catalogue:
        assert [entry.round for entry in catalogue.rounds()] == ["v4.0", "v4.1"]
        build([make.round_data("v5.0")], tmp_path)
        assert [entry.round for entry in catalogue.rounds()] == ["v5.0"]
    assert len(list(tmp_path.glob("tables-*"))) == 1


def both_submitters(make, **fields):
    """A round with a result of ExampleOrg and one of OtherOrg."""
    whole = make.round_data(**fields)
    runs, score = make.result(submitter="OtherOrg", run_fields={"seed": "other"})
    return replace(
        whole,
        systems=(*whole.systems, make.system(submitter="OtherOrg")),
        runs=whole.runs + runs,
        scores=(*whole.scores, score),
    )


def test_appending_a_round_again_replaces_it(make, tmp_path):
    build([both_submitters(make, systems=("a", "b")), make.round_data("v5.0")], tmp_path)
    build([both_submitters(make, systems=("c",))], tmp_path, append=True)
    with Catalogue.open(tmp_path) as catalogue:
        assert [s.system_id for s in catalogue.systems(rounds=["v4.1"])] == ["c", "node-a"]
        assert len(catalogue.rounds()) == 2
        assert catalogue.check().passed


def test_data_of_one_submitter_replace_their_own_configurations_only(make, tmp_path):
    build([both_submitters(make, systems=("a", "b"))], tmp_path)
    part = make.round_data(systems=("b", "new"), source="mine", rejections=())
    part = replace(part, scores=tuple(replace(s, warnings=("again",)) for s in part.scores))
    build([part], tmp_path, append=True)
    with Catalogue.open(tmp_path) as catalogue:
        found = {(s.submitter, s.system_id): s.warnings for s in catalogue.scores()}
        assert found == {
            ("ExampleOrg", "a"): (),
            ("ExampleOrg", "b"): ("again",),
            ("ExampleOrg", "new"): ("again",),
            ("OtherOrg", "node-a"): (),
        }
        assert [s.source for s in catalogue.info().sources] == ["mine", "v4.1"]
        assert catalogue.check().passed


def test_rejections_of_a_configuration_read_again_are_replaced(make, tmp_path):
    data = make.round_data()
    elsewhere = replace(data.rejections[0], path="ExampleOrg/results/node-a/bertha/x.txt")
    build([replace(data, rejections=(*data.rejections, elsewhere))], tmp_path)
    now = replace(data.rejections[0], line=3)
    build([replace(data, rejections=(now,))], tmp_path, append=True)
    with Catalogue.open(tmp_path) as catalogue:
        assert set(catalogue.rejections()) == {elsewhere, now}


def test_own_runs_lie_beside_the_rounds_and_beside_each_other(make, tmp_path):
    build([make.round_data()], tmp_path)
    for system_id in ("monday", "tuesday", "tuesday"):
        data = make.round_data("own", systems=(system_id,))
        own = tuple(replace(s, division="unverified", submitter="own-runs") for s in data.scores)
        runs = tuple(replace(r, submitter="own-runs", seed=system_id) for r in data.runs)
        build([replace(data, systems=(), scores=own, runs=runs)], tmp_path, append=True)
    with Catalogue.open(tmp_path) as catalogue:
        assert [e.round for e in catalogue.rounds()] == ["v4.1", "own"]
        found = catalogue.configurations(benchmark="bert", divisions=["unverified"])
        assert [(c.system_id, c.verified) for c in found] == [("monday", False), ("tuesday", False)]
        assert [c.verified for c in catalogue.configurations(benchmark="bert")] == [True]
        assert catalogue.check().passed


def test_one_round_from_two_sources_is_joined_and_doubles_count_once(make, tmp_path):
    data = make.round_data()
    changed = replace(data.scores[0], time_to_train_min=8.0, unscaled_min=8.0)
    build([data, data, replace(data, scores=(changed,))], tmp_path)
    with Catalogue.open(tmp_path) as catalogue:
        assert len(catalogue.runs()) == 5
        assert [s.time_to_train_min for s in catalogue.scores()] == [7.0]
        doubles = [r for r in catalogue.rejections() if r.code == "given-twice"]
        assert [r.path for r in doubles] == ["ExampleOrg/node-a/bert/bert"]
        assert catalogue.check().passed


def test_the_bundled_form_has_no_raw_text_and_only_short_facts(make, tmp_path):
    long = make.system(host_networking="10 GbE\n" * 99, framework=None)
    data = make.round_data()
    build([replace(data, systems=(long,))], tmp_path, keep_raw=False)
    with Catalogue.open(tmp_path) as catalogue:
        (system,) = catalogue.systems()
        assert not catalogue.manifest.raw_descriptions
        assert system.raw is None
        assert system.host_networking.startswith("10 GbE 10 GbE")
        assert len(system.host_networking) == 120
        build([make.round_data("v5.0")], tmp_path, append=True)
        assert {s.raw for s in catalogue.systems()} == {None}


def test_values_that_parquet_cannot_hold_become_missing_with_a_warning(make, tmp_path):
    odd = make.system(nodes=10**30, host_memory_gib=float("nan"), host_memory="\udcff GB")
    build([replace(make.round_data(), systems=(odd,))], tmp_path)
    with Catalogue.open(tmp_path) as catalogue:
        (system,) = catalogue.systems()
        assert (system.nodes, system.host_memory_gib) == (None, None)
        assert system.host_memory == "\\udcff GB"
        assert len(system.warnings) == 2


def test_nothing_to_build_from(tmp_path):
    with pytest.raises(CatalogueError, match="nothing to build"):
        build([], tmp_path / "c")


def test_a_folder_of_other_things_is_refused(make, tmp_path):
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(CatalogueError, match=r"not empty \('thesis.tex'"):
        build([make.round_data()], tmp_path)
    assert snapshot(tmp_path) == {"thesis.tex": b"precious"}


def test_a_file_in_the_place_of_the_folder_is_refused(make, tmp_path):
    (tmp_path / "c").write_text("")
    with pytest.raises(CatalogueError, match="cannot be written"):
        build([make.round_data()], tmp_path / "c")


STEPS = ("_write_tables", "_place_tables", "_switch", "write_durably")


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_builder_that_dies_leaves_a_whole_catalogue(make, tmp_path, monkeypatch, step, after):
    build([make.round_data("v4.0")], tmp_path)
    real = getattr(store_module, step)

    class Killed(BaseException):
        pass

    def die(*args, **kwargs):
        if after:
            real(*args, **kwargs)
        raise Killed

    monkeypatch.setattr(store_module, step, die)
    with pytest.raises(Killed):
        build([make.round_data("v5.0")], tmp_path)
    monkeypatch.undo()
    with Catalogue.open(tmp_path) as catalogue:
        switched = step == "_switch" and after
        assert [e.round for e in catalogue.rounds()] == ["v5.0" if switched else "v4.0"]
        assert catalogue.check().passed
        build([make.round_data("v5.1")], tmp_path)
        assert [e.round for e in catalogue.rounds()] == ["v5.1"]
    names = {path.name for path in tmp_path.iterdir()}
    assert len(names) == 2
    assert "manifest.json" in names


def test_a_full_disk_is_told_and_the_old_catalogue_stays(make, tmp_path, monkeypatch):
    build([make.round_data("v4.0")], tmp_path)
    before = snapshot(tmp_path)

    def full(path, content):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(store_module, "write_durably", full)
    with pytest.raises(CatalogueError, match="disk is full; the former catalogue is whole"):
        build([make.round_data("v5.0")], tmp_path)
    assert snapshot(tmp_path) == before


def test_building_over_a_damaged_catalogue_mends_it(make, tmp_path):
    build([make.round_data()], tmp_path)
    before = snapshot(tmp_path)
    next(tmp_path.glob("tables-*/runs.parquet")).write_bytes(b"damaged")
    build([make.round_data()], tmp_path)
    assert snapshot(tmp_path) == before


@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(text=st.text(), number=st.floats(allow_nan=True), count=st.integers())
def test_any_text_and_number_can_be_kept(make, tmp_path_factory, text, number, count):
    folder = tmp_path_factory.mktemp("c")
    odd = make.system(framework=text, host_memory_gib=number, host_processors=count)
    build([replace(make.round_data(), systems=(odd,))], folder)
    with Catalogue.open(folder) as catalogue:
        (system,) = catalogue.systems()
        assert system.framework == text.encode("utf-8", "backslashreplace").decode()
        if abs(number) < float("inf"):
            assert system.host_memory_gib == number


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of file size there")
def test_a_file_that_the_system_refuses_to_grow_keeps_the_old_catalogue(make, tmp_path):
    import resource

    build([make.round_data("v4.0")], tmp_path)
    before = snapshot(tmp_path)
    former = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3000, former[1]))
    try:
        with pytest.raises(CatalogueError, match="disk is full; the former catalogue is whole"):
            build([make.round_data("v5.0")], tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, former)
    assert snapshot(tmp_path) == before
