"""The small odd inputs beside the checkout, each with its right outcome."""

import json
from pathlib import Path

import pytest

from equipoise.errors import locate
from equipoise.sources.assemble import read_round
from equipoise.sources.base import RoundData
from equipoise.sources.containers import open_source

ONLY_SCORE = {
    "01-score-not-scale": ("ssd", 5.033333),
    "06-run-stop-inside-metadata": ("resnet", 5.044444),
    "07-cpu-only-zero-accelerators": ("resnet", 10.0),
    "14-aborted-run-is-not-the-fastest": ("resnet", 5.683333),
    "17-time-wraps-unsigned": ("resnet", 5.033333),
    "18-record-broken-over-two-lines": ("resnet", 5.033333),
    "21-nan-and-infinity": ("resnet", 5.033333),
    "25-two-attempts-in-one-file": ("resnet", 5.033333),
    "29-two-records-on-one-line": ("resnet", 5.033333),
    "35-one-bad-time-stamp": ("resnet", 5.033333),
    "41-line-damaged-by-redaction": ("resnet", 5.033333),
    "42-text-before-the-token": ("resnet", 5.033333),
    "43-line-ends-and-bytes": ("resnet", 5.033333),
    "45-no-run-stop": ("resnet", 5.044444),
    "49-file-names": ("resnet", 5.033333),
}


def read(shared: Path, name: str, round_name: str = "v4.1") -> RoundData:
    folder = shared / "cases" / name / "input"
    if not folder.is_dir():
        pytest.skip(f"{name} is not among the cases")
    return read_round(open_source(folder, round=round_name))


def score(data: RoundData, benchmark_folder: str = "resnet", system: str | None = None):
    found = [
        s
        for s in data.scores
        if s.benchmark_folder == benchmark_folder and system in {None, s.system_id}
    ]
    assert len(found) == 1
    return found[0]


def said(data: RoundData) -> str:
    """Return everything that is told about a round."""
    texts = [text for s in data.scores for text in s.warnings]
    texts += [text for s in data.systems for text in s.warnings]
    texts += [text for run in data.runs for text in run.warnings]
    texts += [locate(r.reason, r.path, r.line) for r in data.rejections]
    return "\n".join([*texts, *data.notes])


@pytest.mark.parametrize("name", sorted(ONLY_SCORE))
def test_score(shared, name):
    folder, minutes = ONLY_SCORE[name]
    found = score(read(shared, name), folder)
    assert found.time_to_train_min == pytest.approx(minutes, abs=1e-6)


def test_01_factor(shared):
    found = score(read(shared, "01-score-not-scale"))
    assert found.unscaled_min == pytest.approx(10.15, abs=1e-9)
    assert found.scaling_factor == 1.05
    assert found.time_to_train_min == pytest.approx(10.6575, abs=1e-9)


def test_02_no_score_and_the_reason(shared):
    data = read(shared, "02-one-folder-without-score")
    assert score(data).time_to_train_min is None
    expected = "5 of 5 runs did not succeed; at most 1 may be dropped"
    assert f"ExampleOrg/results/node-a/resnet: {expected}" in said(data)
    assert score(data, "ssd").time_to_train_min == pytest.approx(5.033333, abs=1e-6)


def test_03_energy_of_the_same_runs(shared):
    data = read(shared, "03-power-pairs-with-its-run")
    assert score(data).time_to_train_min == pytest.approx(5.0)
    assert score(data).energy_kj == pytest.approx(966.666667, abs=1e-6)
    per_run = {Path(r.path).stem: r.energy_kj for r in data.runs}
    assert per_run["result_0"] == pytest.approx(1600.0)
    assert per_run["result_4"] == pytest.approx(2500.0)


@pytest.mark.parametrize("name", ["06-run-stop-inside-metadata", "45-no-run-stop"])
def test_no_run_stop_is_named(shared, name):
    data = read(shared, name)
    (rejection,) = data.rejections
    assert rejection.code == "no-run-stop"
    line = 8 if name.startswith("06") else 9
    assert rejection.line == line
    assert f"result_2.txt:{line}: counts as infinitely slow: no run_stop" in said(data)


def test_45_names_the_cut_record(shared):
    assert "file ends inside a record at line 9" in said(read(shared, "45-no-run-stop"))


def test_07_cpu_only(shared):
    data = read(shared, "07-cpu-only-zero-accelerators")
    system = data.systems[0]
    assert (system.accelerators, system.nodes, system.host_processors) == (0, 4, 32)
    assert system.accelerator_id is None
    assert data.rejections == ()


def test_17_names_file_line_and_stamp(shared):
    text = said(read(shared, "17-time-wraps-unsigned"))
    assert "result_0.txt:1: time stamp 18446744073708.008 ms (year 2554) ignored" in text


def test_18_names_file_and_line(shared):
    text = said(read(shared, "18-record-broken-over-two-lines"))
    assert "result_0.txt:4: record does not parse" in text


def test_20_unequal_nodes(shared):
    data = read(shared, "20-unequal-nodes")
    assert data.systems[0].accelerators == 12
    assert 'accelerators_per_node "8, 4" lists unequal nodes' in said(data)


def test_24_misspelt_fields(shared):
    data = read(shared, "24-misspelt-fields")
    system = data.systems[0]
    assert (system.nodes, system.accelerators, system.division) == (4, 32, "closed")
    expected = json.loads((shared / "cases/24-misspelt-fields/expected.json").read_text())
    for warning in expected["warnings"]:
        assert warning in said(data)


def test_25_takes_the_last_start(shared):
    data = read(shared, "25-two-attempts-in-one-file")
    run = next(r for r in data.runs if r.path.endswith("result_3.txt"))
    assert run.time_to_train_min == pytest.approx(303 / 60)
    assert "2 run_start records" in said(data)


def test_27_counts(shared):
    data = read(shared, "27-node-count-types")
    counts = {s.system_id: s.accelerators for s in data.systems}
    for name in ("node-int", "node-float", "node-str", "node-padded", "bad-words"):
        assert counts[name] == 16
    assert 'bad-words.json:6: number_of_nodes "2 nodes" read as 2' in said(data)
    assert all(r.line == 6 for r in data.rejections)
    bad = {Path(r.path).stem for r in data.rejections if "number_of_nodes" in r.reason}
    assert bad == {"bad-frac", "bad-empty", "bad-neg", "bad-bool"}
    assert all(counts[name] is None for name in bad)
    assert all(s.time_to_train_min is not None for s in data.scores)


def test_30_broken_description(shared):
    data = read(shared, "30-broken-system-json")
    rejection = data.rejections[0]
    assert (rejection.path, rejection.line) == ("ExampleOrg/systems/node-a.json", 4)
    assert "line 4" in rejection.reason
    assert score(data).time_to_train_min is not None
    assert score(data).accelerators is None


def test_36_doubled_lines_of_the_first_round(shared):
    data = read(shared, "36-doubled-logger-lines", "v0.5")
    found = data.scores[0]
    assert (found.runs, found.accelerators) == (5, 16)
    assert found.time_to_train_min == pytest.approx(73.915, abs=1e-6)


def test_38_trailing_comma(shared):
    data = read(shared, "38-trailing-comma")
    assert data.systems[0].accelerators == 16
    assert "node-a.json:6: comma before a closing bracket ignored" in said(data)


def test_41_names_file_and_line(shared):
    data = read(shared, "41-line-damaged-by-redaction")
    assert "result_1.txt:3: record does not parse" in said(data)
    assert score(data).runs_failed == 0


def test_49_ignored_names(shared):
    data = read(shared, "49-file-names")
    assert score(data).runs == 5
    text = "\n".join(data.notes)
    for name in (".!65506!result_1.txt", "rcp_checker.log", "nccl_allreduce.txt"):
        assert name in text
    assert "checker-log.txt" in text


def test_50_copies_count_officially_and_are_told(shared):
    data = read(shared, "50-raw-copies-count-once")
    found = score(data, "dlrm_dcnv2")
    assert found.time_to_train_min == pytest.approx(3.836477, abs=1e-6)
    assert (found.runs, found.distinct_runs) == (10, 5)
    assert "only 5 of 10 runs are distinct" in said(data)
    assert sum(run.duplicate_of is not None for run in data.runs) == 5
    distinct = sorted(r.time_to_train_min for r in data.runs if r.duplicate_of is None)
    assert sum(distinct[1:-1]) / 3 == pytest.approx(3.774328, abs=1e-6)


def test_53_nested_folder(shared):
    data = read(shared, "53-nested-benchmark-folder")
    assert {s.benchmark: round(s.time_to_train_min, 6) for s in data.scores} == {
        "bert": 5.033333,
        "resnet": 8.366667,
    }
    assert "results/node-a/resnet/bert: repeats ExampleOrg/results/node-a/bert" in said(data)


def test_61_rack_names(shared):
    data = read(shared, "61-rack-names")
    expected = json.loads((shared / "cases/61-rack-names/expected.json").read_text())
    counts = {s.system_id: s.accelerators for s in data.systems}
    assert counts == expected["accelerators_total"]
