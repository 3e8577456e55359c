"""A round put together: identity, scores, rejections, copies, any order, any process."""

import pytest

from equipoise.sources.assemble import read_round
from equipoise.sources.base import SourceFile

FOLDER = "ExampleOrg/results/node-a/resnet"
SYSTEM = "ExampleOrg/systems/node-a.json"
START_MS = 1_700_000_000_000
SECONDS = [300.0, 301.0, 302.0, 303.0, 304.0]


@pytest.fixture
def plain(maker, make_system):
    """Return the files of a small round without anything odd."""
    return {SYSTEM: make_system(), **maker.runs(FOLDER, SECONDS)}


def codes(data):
    return sorted(r.code for r in data.rejections)


def test_a_small_round(maker, plain):
    data = maker.read(plain)
    (score,) = data.scores
    assert score.time_to_train_min == pytest.approx(302 / 60, rel=1e-15)
    assert (score.submitter, score.system_id, score.benchmark) == ("ExampleOrg", "node-a", "resnet")
    assert (score.runs, score.runs_failed, score.distinct_runs) == (5, 0, 5)
    assert (score.accelerators, score.nodes, score.division) == (16, 2, "closed")
    assert (score.global_batch_size, score.progress_to_converge) == (256, 3)
    left = (
        "ExampleOrg/results/node-a/resnet: resnet is no part of v4.1; the rules of v0.6..v4.0 hold"
    )
    assert (score.warnings, data.rejections, data.notes) == ((left,), (), ())
    assert (data.files, len(data.systems), len(data.runs)) == (6, 1, 5)
    assert data.bytes == sum(len(d) for d in plain.values())


def test_the_order_of_the_files_does_not_matter(maker, plain):
    backwards = dict(reversed(plain.items()))
    assert maker.read(backwards) == maker.read(plain)


def test_workers_do_not_matter(plain, dict_source, batched_source, monkeypatch):
    from equipoise.sources import parallel

    alone = read_round(dict_source(plain))
    monkeypatch.setattr(parallel, "WORTH_WORKERS_BYTES", 1)
    monkeypatch.setattr(parallel, "BATCH_BYTES", 2000)
    seen = []
    for kind in (dict_source, batched_source):
        together = read_round(kind(plain), workers=2, progress=lambda done, _: seen.append(done))
        assert together == alone
    assert seen[-1] == alone.bytes


def test_names_inside_files_are_only_notes(maker, plain, make_system):
    plain[SYSTEM] = make_system(submitter="Other", system_name="something else")
    (score,) = maker.read(plain).scores
    assert (score.submitter, score.system_id) == ("ExampleOrg", "node-a")


def test_one_failure_is_dropped_two_are_too_many(maker, plain, mllog):
    plain[f"{FOLDER}/result_0.txt"] = mllog(status="aborted", seconds=10)
    data = maker.read(plain)
    (score,) = data.scores
    assert (score.runs, score.runs_failed) == (5, 1)
    assert score.time_to_train_min == pytest.approx(303 / 60)
    assert codes(data) == ["not-successful"]
    assert "result_0.txt:9: counts as infinitely slow" in score.warnings[0]
    plain[f"{FOLDER}/result_1.txt"] = b"nothing"
    data = maker.read(plain)
    assert data.scores[0].time_to_train_min is None
    assert "2 of 5 runs did not succeed; at most 1 may be dropped" in data.scores[0].warnings[0]
    assert codes(data) == ["no-records", "not-successful", "too-many-failures"]


def test_unet3d_drops_four(maker, make_system):
    folder = "A/results/s/unet3d"
    times = [float(100 + i) for i in range(40)]
    files = {"A/systems/s.json": make_system(), **maker.runs(folder, times, accuracy=0.95)}
    (score,) = maker.read(files, round="v4.0").scores
    assert score.time_to_train_min == pytest.approx(sum(times[4:36]) / 32 / 60)


def test_a_file_that_is_not_in_this_clone_is_no_failed_run(maker, plain):
    plain[f"{FOLDER}/result_2.txt"] = "not in this clone"
    data = maker.read(plain)
    (score,) = data.scores
    assert (score.runs, score.runs_failed, score.time_to_train_min) == (4, 0, None)
    assert codes(data) == ["not-in-this-clone", "unread-runs"]
    assert "1 of 5 result files could not be read" in score.warnings[0]


def test_scaling_factors(maker, plain):
    path = f"{FOLDER}/scaling.json"
    (score,) = maker.read({**plain, path: b'{"scaling_factor": 1.5}'}).scores
    assert score.time_to_train_min == pytest.approx(453 / 60)
    assert (score.unscaled_min, score.scaling_factor) == (pytest.approx(302 / 60), 1.5)
    for bad in (b"{", b"{}", b'{"scaling_factor": "x"}', b'{"scaling_factor": -1}', b"[]"):
        data = maker.read({**plain, path: bad})
        assert data.scores[0].time_to_train_min is None
        assert codes(data) == ["bad-scaling-factor", "no-scaling-factor"]
    data = maker.read({**plain, path: "over the limit"})
    assert data.scores[0].time_to_train_min is None


def test_a_broken_description_keeps_the_score(maker, plain):
    for bad in (b"{", None):
        files = {**plain, SYSTEM: bad} if bad else {k: v for k, v in plain.items() if k != SYSTEM}
        data = maker.read(files)
        (score,) = data.scores
        assert score.time_to_train_min == pytest.approx(302 / 60)
        assert score.accelerators is None
        assert score.warnings


def test_a_description_that_names_another(maker, plain, make_system):
    plain["ExampleOrg/systems/base.json"] = plain[SYSTEM]
    plain[SYSTEM] = b"base.json"
    data = maker.read(plain)
    assert data.scores[0].accelerators == 16
    plain[SYSTEM] = b"../elsewhere/none.json"
    assert codes(maker.read(plain)) == ["broken-link"]


def test_an_entry_beside_the_results_describes_the_system(maker, plain):
    del plain[SYSTEM]
    plain["ExampleOrg/results/node-a/entry.json"] = (
        b'{"division": "open", "nodes": [{"num_nodes": 3, "num_accelerators": 4}]}'
    )
    (score,) = maker.read(plain).scores
    assert (score.accelerators, score.division) == (12, "open")


def test_copies_are_linked_and_counted_once(maker, plain):
    copy = plain[f"{FOLDER}/result_4.txt"] + b"a banner\n"
    data = maker.read({**plain, f"{FOLDER}/result_4_raw.txt": copy})
    (score,) = data.scores
    assert (score.runs, score.distinct_runs) == (6, 5)
    linked = {r.path: r.duplicate_of for r in data.runs if r.duplicate_of}
    assert linked == {f"{FOLDER}/result_4_raw.txt": f"v4.1:{FOLDER}/result_4.txt"}
    assert "only 5 of 6 runs are distinct" in " ".join(score.warnings)


def test_the_same_runs_under_another_system(maker, plain, make_system):
    twin = {p.replace("node-a", "node-b"): d for p, d in plain.items()}
    data = maker.read({**plain, **twin})
    assert [s.distinct_runs for s in data.scores] == [5, 5]
    assert sum(r.duplicate_of is not None for r in data.runs) == 5


def test_throughput_logged_by_one_accelerator(maker, make_system, make_record):
    rate = make_record("tracked_stats", START_MS + 1, {"throughput": 290.0})
    files = maker.runs("A/results/s/ssd", [1000.0], epoch=2, after_start=(rate,))
    alone = maker.read(files).runs[0]
    assert (alone.throughput_source, len(alone.warnings)) == ("computed", 1)
    run = maker.read({"A/systems/s.json": make_system(), **files}).runs[0]
    expected = (290.0 * 16, "logged", 290.0)
    assert (run.throughput_samples_per_s, run.throughput_source, run.throughput_logged) == expected
    assert run.warnings == ()


def test_seeds_that_differ_are_other_runs(maker, plain, mllog):
    plain[f"{FOLDER}/result_9.txt"] = mllog(seconds=300.0, seed=99)
    assert maker.read(plain).scores[0].distinct_runs == 6


def test_other_files_are_named_and_ignored(maker, plain):
    plain |= {f"{FOLDER}/{n}": None for n in ("rcp_checker.log", ".!1!result_1.txt", "a\x1b.txt")}
    data = maker.read(plain)
    assert data.scores[0].runs == 5
    assert ".!1!result_1.txt" in data.notes[0]
    assert "\x1b" not in data.notes[0]


def test_a_folder_without_result_files_is_told(maker, plain):
    data = maker.read({**plain, "ExampleOrg/results/node-a/bert/run.log": None})
    score = next(s for s in data.scores if s.benchmark == "bert")
    assert (score.runs, score.time_to_train_min) == (0, None)
    assert codes(data) == ["no-result-files"]


def test_nested_folders(maker, plain):
    inner = {p.replace("/resnet/", "/resnet/old/"): d for p, d in plain.items() if "result_" in p}
    data = maker.read({**plain, **inner})
    assert data.scores[0].runs == 5
    assert codes(data) == ["nested-folder"]
    assert f"repeats {FOLDER}" in data.rejections[0].reason
    other = {p: d.replace(b"17000", b"17110") for p, d in inner.items()}
    assert "belong to no configuration" in maker.read({**plain, **other}).rejections[0].reason


def test_an_unknown_benchmark_is_read_with_a_note(maker, make_system):
    folder = "A/results/s/world_model"
    data = maker.read({"A/systems/s.json": make_system(), **maker.runs(folder, SECONDS)})
    assert data.scores[0].benchmark == "world_model"
    assert data.scores[0].time_to_train_min is not None
    assert "unknown benchmark 'world_model'" in data.notes[0]


def test_own_runs_are_unverified(maker, mllog):
    files = {f"own-runs/results/exp/resnet/run{i}.log": mllog(seconds=100 + i) for i in range(3)}
    data = maker.read(files, round=None)
    (score,) = data.scores
    assert (data.round, score.division, score.runs) == ("own", "unverified", 3)
    assert score.time_to_train_min == pytest.approx(101 / 60)


def test_a_round_that_no_name_says_is_not_silently_taken_for_own_runs(maker, plain):
    unsaid = maker.read(plain, round=None)
    assert unsaid.scores[0].division == "unverified"
    assert [note for note in unsaid.notes if "give --round if it is one" in note]
    assert maker.read(plain).notes == ()


def test_the_same_folder_means_another_benchmark_in_another_round(maker, make_system):
    folder = "A/results/s/ssd"
    files = {"A/systems/s.json": make_system(), **maker.runs(folder, SECONDS)}
    found = {r: maker.read(files, round=r).scores[0].benchmark for r in ("v1.1", "v4.1")}
    assert found == {"v1.1": "ssd", "v4.1": "retinanet"}


def test_a_large_file_comes_in_chunks(maker, plain, mllog):
    class Chunked:
        round, label, kind = "v4.1", "chunks", "memory"

        def files(self):
            for path, data in plain.items():
                pieces = (data[i : i + 100] for i in range(0, len(data), 100))
                yield SourceFile(path=path, size=len(data), chunks=pieces)

    assert read_round(Chunked()).scores == maker.read(plain).scores
    assert read_round(Chunked(), workers=2).scores == maker.read(plain).scores


def test_paths_that_are_no_text(maker, plain):
    odd = {p.replace("node-a", "n\udcff\n\x1b"): d for p, d in plain.items()}
    data = maker.read(odd)
    (score,) = data.scores
    assert score.accelerators == 16
    assert score.system_id.encode("utf-8") == b"n\\udcff\n\x1b"


def test_empty_names_and_odd_depths(maker, mllog):
    files = {
        "results/s/bert/result_0.txt": mllog(),
        "A/results/result_0.txt": mllog(),
        "A/results/s/result_0.txt": mllog(),
        "result_0.txt": mllog(),
        "A/systems/deep/x.json": b"{}",
        "A/results/s/bert/power/result_0/deep/node_0.txt": b"",
    }
    data = maker.read(files)
    assert [len(data.runs), len(data.systems)] == [1, 0]


@pytest.mark.parametrize("name", ["ResNet-50", "resnet50"])
def test_another_name_of_a_benchmark_as_its_folder_is_taken_and_said(maker, make_system, name):
    folder = f"ExampleOrg/results/node-a/{name}"
    data = maker.read({SYSTEM: make_system(), **maker.runs(folder, SECONDS)})
    (score,) = data.scores
    assert (score.benchmark, score.benchmark_folder) == ("resnet", name)
    assert any(f"{name!r} is read as the benchmark resnet" in text for text in score.warnings)


def test_an_unknown_benchmark_keeps_the_name_of_its_folder(maker, make_system):
    folder = "ExampleOrg/results/node-a/new_task"
    data = maker.read({SYSTEM: make_system(), **maker.runs(folder, SECONDS)})
    assert data.scores[0].benchmark == "new_task"
