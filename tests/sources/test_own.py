"""Own logs in folders of any name, and tables of measurements, as unverified rounds."""

from pathlib import Path
from typing import Any

import pytest

from equipoise.domain import UNVERIFIED_DIVISION
from equipoise.errors import DataError
from equipoise.sources.assemble import read_round
from equipoise.sources.base import RoundData
from equipoise.sources.containers import open_source
from equipoise.sources.measured_round import measured_round
from equipoise.sources.measurements import read_measurements
from equipoise.sources.own_names import accelerators_of_name, benchmark_of_name


def write(folder: Path, mllog: Any, names: list[str], **changes: Any) -> None:
    """Write one log per name, one an hour, ten seconds longer each."""
    for index, name in enumerate(names):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        start = 1_700_000_000_000 + 3_600_000 * index
        path.write_bytes(mllog(start_ms=start, seconds=300 + 10 * index, seed=index, **changes))


def read(folder: Path, **options: Any) -> RoundData:
    """Read a folder as the commands do."""
    return read_round(open_source(folder), **options)


def test_a_folder_of_own_logs(tmp_path: Path, mllog: Any) -> None:
    write(tmp_path / "exp", mllog, [f"8xH100-SXM-80GB/try{i}.log" for i in range(5)])
    data = read(tmp_path / "exp")
    (score,) = data.scores
    assert (data.round, score.division) == ("own", UNVERIFIED_DIVISION)
    assert (score.system_id, score.benchmark) == ("exp-8xH100-SXM-80GB", "resnet")
    assert (score.accelerators, score.accelerator_id) == (8, "h100-sxm5-80gb")
    assert score.time_to_train_min == pytest.approx(320 / 60)
    assert score.samples_to_converge == pytest.approx(3 * 1_281_167)
    assert {run.division for run in data.systems} == {UNVERIFIED_DIVISION}
    assert any("8 accelerators read from its name" in note for note in data.notes)


def test_counts_in_the_names_of_files(tmp_path: Path, mllog: Any) -> None:
    write(tmp_path / "exp", mllog, ["a_8gpus.log", "b_8gpus.log", "a_16gpus.log"])
    data = read(tmp_path / "exp")
    assert {(s.accelerators, s.runs) for s in data.scores} == {(8, 2), (16, 1)}
    assert len({s.system_id for s in data.scores}) == 2


def test_few_own_runs_give_their_mean_and_say_so(tmp_path: Path, mllog: Any) -> None:
    write(tmp_path / "exp", mllog, ["8xH100/a.log", "8xH100/b.log"])
    (score,) = read(tmp_path / "exp").scores
    assert score.time_to_train_min == pytest.approx(305 / 60)
    assert any("mean of 2 own runs" in text for text in score.warnings)


def test_a_failed_own_run_still_counts_as_infinitely_slow(tmp_path: Path, mllog: Any) -> None:
    write(tmp_path / "exp", mllog, ["8xH100/a.log"])
    (tmp_path / "exp" / "8xH100" / "b.log").write_bytes(mllog(status="aborted", seed=9))
    data = read(tmp_path / "exp")
    (score,) = data.scores
    assert (score.time_to_train_min, score.runs_failed) == (None, 1)
    assert "not-successful" in {entry.code for entry in data.rejections}


def test_no_quality_target_is_asked_of_own_runs(tmp_path: Path, mllog: Any) -> None:
    write(tmp_path / "exp", mllog, ["8xH100/a.log"], accuracy=0.1)
    (run,) = read(tmp_path / "exp").runs
    assert run.success


def test_two_benchmarks_in_one_folder_are_two_scores(tmp_path: Path, mllog: Any) -> None:
    from dataclasses import replace

    write(tmp_path / "exp", mllog, ["8xH100/a.log"])
    write(tmp_path / "exp", replace(mllog, benchmark="ssd"), ["8xH100/b.log"])
    found = {(s.benchmark, s.runs) for s in read(tmp_path / "exp").scores}
    assert found == {("resnet", 1), ("retinanet", 1)}


def test_a_count_nobody_says_stays_unknown_with_a_remedy(tmp_path: Path, mllog: Any) -> None:
    write(tmp_path / "exp", mllog, ["tuned/a.log"])
    data = read(tmp_path / "exp")
    assert data.scores[0].accelerators is None
    assert any("name its folder after them, such as 8xH100-SXM-80GB" in n for n in data.notes)


def test_an_own_round_with_system_files_keeps_them(
    tmp_path: Path, mllog: Any, make_system: Any
) -> None:
    names = [f"MyOrg/results/node-a/resnet/result_{i}.txt" for i in range(3)]
    write(tmp_path / "mine", mllog, names)
    (tmp_path / "mine" / "MyOrg" / "systems").mkdir()
    (tmp_path / "mine" / "MyOrg" / "systems" / "node-a.json").write_bytes(make_system())
    (score,) = read(tmp_path / "mine").scores
    assert (score.submitter, score.system_id, score.accelerators) == ("MyOrg", "node-a", 16)
    assert score.division == UNVERIFIED_DIVISION


def test_a_scaling_file_beside_own_logs_counts(tmp_path: Path, mllog: Any) -> None:
    write(tmp_path / "exp", mllog, ["8xH100/a.log"])
    (tmp_path / "exp" / "8xH100" / "scaling.json").write_text('{"scaling_factor": 2.0}')
    (score,) = read(tmp_path / "exp").scores
    assert (score.unscaled_min, score.time_to_train_min) == (5.0, 10.0)


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("8xH100-SXM-80GB", 8),
        ("8xXE9680x8H100", 64),
        ("GX2560M7_H100_SXM_80GBx4", 4),
        ("bert_64gpus", 64),
        ("64-gpu", 64),
        ("gpus=32", 32),
        ("n=16", 16),
        ("1node_8gpus", 8),
        ("tpu-v3-2048", 1024),
        ("4nodes-8gpus", None),
        ("2nodes", None),
        ("run7", None),
        ("v100", None),
        ("8gpus-of-16gpus", None),
        ("0gpus", None),
    ],
)
def test_accelerators_of_name(name: str, count: int | None) -> None:
    assert accelerators_of_name(name) == count


def test_benchmark_of_name() -> None:
    names = ["bert", "ssd", "gnn", "ResNet-50", "my-run"]
    found = [benchmark_of_name(name) for name in names]
    assert found == ["bert", "retinanet", "rgat", "resnet", None]


TABLE = (
    "label,n,accelerator,benchmark,time_to_train_min,samples_per_s,samples_to_converge\n"
    "a,8,H100-SXM-80GB,bert,30,,\n"
    "a,8,H100-SXM-80GB,bert,31,,\n"
    "a,16,H100-SXM-80GB,bert,,1000,2400000\n"
    "a,32,H100-SXM-80GB,bert,,2000,\n"
    "a,64,H100-SXM-80GB,,9,,\n"
)


def test_measurements_become_an_unverified_round() -> None:
    data = measured_round(read_measurements(TABLE, label="mine.csv"))
    assert data.round == "own"
    by_count = {score.accelerators: score for score in data.scores}
    assert by_count.keys() == {8, 16}
    assert {score.division for score in data.scores} == {UNVERIFIED_DIVISION}
    assert by_count[8].system_id == "mine-a-8xh100-sxm5-80gb"
    assert (by_count[8].runs, by_count[8].time_to_train_min) == (2, 30.5)
    assert by_count[16].time_to_train_min == pytest.approx(40.0)
    assert any("without evaluation and start" in text for text in by_count[16].warnings)
    assert [(r.line, r.code) for r in data.rejections] == [(5, "no-time"), (6, "no-benchmark")]
    assert len({run.path for run in data.runs}) == len(data.runs)


def test_a_benchmark_can_be_said_for_rows_without_one() -> None:
    table = read_measurements("n,time_s\n8,60\n", label="mine.csv")
    (score,) = measured_round(table, benchmark="bert", round="mine").scores
    assert (score.round, score.benchmark, score.system_id) == ("mine", "bert", "mine-8")
    with pytest.raises(DataError, match=r"mine\.csv:2: says no benchmark"):
        measured_round(table)


def test_names_in_a_table_never_make_paths() -> None:
    table = read_measurements("n,time_s,label,benchmark\n8,60,../../etc/x,a/b\n", label="m.csv")
    (score,) = measured_round(table).scores
    assert "/" not in score.system_id + score.benchmark_folder
