"""Own measurements as they are typed, in a file, or in a folder of logs."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.errors import DataError, EquipoiseError, UsageError
from equipoise.workflow.measured import (
    Measurement,
    own_job_of,
    parse_measured,
    parse_typed,
    read_own_job,
)


def log(minutes: float, *, start_ms: int, benchmark: str = "bert", status: str = "success") -> str:
    """Return a training log."""
    stop_ms = start_ms + round(minutes * 60_000)
    records: list[tuple[str, int, Any, dict[str, Any]]] = [
        ("submission_benchmark", start_ms - 9, benchmark, {}),
        ("run_start", start_ms, None, {}),
        ("eval_accuracy", stop_ms - 1, 0.72, {"samples_count": 2_500_000}),
        ("run_stop", stop_ms, None, {"status": status}),
    ]
    return "".join(
        ":::MLLOG "
        + json.dumps({"namespace": "", "time_ms": t, "key": k, "value": v, "metadata": m})
        + "\n"
        for k, t, v, m in records
    )


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Return a folder of own logs: two counts, one failed run."""
    folder = tmp_path / "exp"
    for index, (name, minutes, status) in enumerate(
        [
            ("8xH100-SXM-80GB/a.log", 30.0, "success"),
            ("8xH100-SXM-80GB/b.log", 32.0, "success"),
            ("8xH100-SXM-80GB/c.log", 5.0, "aborted"),
            ("16xH100-SXM-80GB/a.log", 17.0, "success"),
        ]
    ):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            log(minutes, start_ms=1_700_000_000_000 + 10_000_000 * index, status=status)
        )
    return folder


def pairs(found: tuple[Measurement, ...]) -> list[tuple[int, float]]:
    """Return count and minutes."""
    return [(m.accelerators, m.time_to_train_min) for m in found]


def test_typed_and_given() -> None:
    assert pairs(parse_measured("8=180min, 16=1h37min,32=50")) == [(8, 180), (16, 97), (32, 50)]
    assert pairs(parse_measured([(8, 180.0)])) == [(8, 180.0)]


@pytest.mark.parametrize(
    "text",
    ["8=", "=3", "8=0", "0=3", "8=-1", "8=1,5h", "8=nan", "8:3", "", "a=b", "\0", "x" * 9999],
)
def test_what_is_not_understood_says_the_form(text: str) -> None:
    with pytest.raises(UsageError):
        parse_measured(text)
    with pytest.raises(UsageError):
        parse_typed(text)


@pytest.mark.parametrize(
    "given_pairs", [[], [(8.5, 3.0)], [(8, float("nan"))], [(8, float("inf"))]]
)
def test_pairs_are_checked(given_pairs: Any) -> None:
    with pytest.raises(UsageError):
        parse_measured(given_pairs)


@given(st.text(alphabet="0123456789=,.hmin sd-/\0", max_size=20))
def test_no_text_gives_a_traceback(text: str) -> None:
    try:
        found = parse_typed(text)
    except EquipoiseError:
        return
    assert all(m.accelerators > 0 and m.time_to_train_min > 0 for m in found)


def test_a_file_with_rows_that_cannot_be_used(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    path.write_text("n,time_s,gpu\n8,600,H100-SXM-80GB\n16,,\n32,200,\n")
    job = read_own_job(path)
    assert pairs(job.measurements) == [(8, 10.0), (32, pytest.approx(10 / 3))]
    assert job.accelerator_id == "h100-sxm5-80gb"
    assert job.warnings == ("runs.csv:3: time_s is missing; fill it in, or take the row out",)
    assert read_own_job(str(path)) == job


def test_typed_text_never_becomes_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("8=3").write_text("n,time_s\n4,60\n")
    assert pairs(parse_measured("8=3")) == [(8, 3.0)]
    Path("run=3.csv").write_text("n,time_s\n4,60\n")
    assert pairs(parse_measured("run=3.csv")) == [(4, 1.0)]
    with pytest.raises(UsageError):
        parse_typed("run=3.csv")


def test_a_folder_of_own_logs(logs: Path) -> None:
    job = read_own_job(logs)
    assert pairs(job.measurements) == [(8, 30.0), (8, 32.0), (16, 17.0)]
    assert job.accelerator_id == "h100-sxm5-80gb"
    assert any(
        "c.log:" in text and "run_stop does not say success" in text for text in job.warnings
    )


def test_logs_whose_count_nobody_says(logs: Path) -> None:
    (logs / "8xH100-SXM-80GB").rename(logs / "tuned")
    job = read_own_job(logs)
    assert pairs(job.measurements) == [(16, 17.0)]
    assert any("exp-tuned: the number of accelerators is unknown" in t for t in job.warnings)


def test_a_round_folder_counts_by_its_system_file(shared: Path) -> None:
    job = read_own_job(shared / "cases" / "45-no-run-stop" / "input")
    assert {m.accelerators for m in job.measurements} == {8}
    assert len(job.measurements) == 4
    assert any("result_2.txt:9: no run_stop" in text for text in job.warnings)


def test_several_accelerators_need_a_choice(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    path.write_text("n,time_min,gpu\n8,10,H100-SXM-80GB\n8,20,A100-SXM-80GB\n16,6,\n")
    with pytest.raises(UsageError, match="several accelerators: h100-sxm5-80gb, a100-sxm4-80gb"):
        read_own_job(path)
    job = read_own_job(path, accelerator_id="a100-sxm4-80gb")
    assert pairs(job.measurements) == [(8, 20.0), (16, 6.0)]
    assert "1 rows are of other accelerators" in job.warnings[-1]
    only = tmp_path / "only.csv"
    only.write_text("n,time_min,gpu\n8,10,H100-SXM-80GB\n")
    with pytest.raises(UsageError, match="no own measurement is on a100-sxm4-80gb"):
        read_own_job(only, accelerator_id="a100-sxm4-80gb")


def test_several_benchmarks_are_several_jobs(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    path.write_text("n,time_min,benchmark\n8,10,bert\n8,20,resnet\n")
    with pytest.raises(UsageError, match=r"several benchmarks: bert \(1\), resnet \(1\)"):
        read_own_job(path)


def test_throughput_needs_samples_to_converge(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    path.write_text("n,samples_per_s\n8,100\n16,200\n")
    with pytest.raises(DataError, match="a throughput alone is no time: add samples_to_converge"):
        read_own_job(path)
    job = read_own_job(path, samples=lambda: 60_000.0)
    assert pairs(job.measurements) == [(8, 10.0), (16, 5.0)]
    assert "leave out evaluation and start" in job.warnings[-1]
    path.write_text("n,samples_per_s,samples_to_converge\n8,100,6000\n")
    assert pairs(read_own_job(path).measurements) == [(8, 1.0)]


def test_samples_come_from_the_benchmark_that_the_job_is_like(tmp_path: Path) -> None:
    class Catalogue:
        def configurations(self, *, benchmark: str, rounds: Any) -> Any:
            assert benchmark == "bert"
            assert "v4.1" in rounds
            return [SimpleNamespace(samples_to_converge=n) for n in (None, 50_000.0, 70_000.0)]

    path = tmp_path / "runs.csv"
    path.write_text("n,samples_per_s\n8,100\n")
    catalogue: Any = Catalogue()
    job = own_job_of(catalogue, path, like="BERT-large")
    assert pairs(job.measurements) == [(8, 10.0)]
    with pytest.raises(DataError):
        own_job_of(catalogue, path)


def test_nothing_usable_names_the_reasons(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    path.write_text("n,time_min\n8,\n")
    with pytest.raises(DataError, match=r"runs\.csv:2: time_min is missing"):
        read_own_job(path)
    with pytest.raises(DataError):
        read_own_job(tmp_path)
