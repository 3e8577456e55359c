"""Small inputs with defaults that a test overrides, as the fixture `make`."""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from equipoise.domain import Rejection, Run, Score, System
from equipoise.sources.base import RoundData


def system(**fields: Any) -> System:
    defaults: dict[str, Any] = {
        "round": "v4.1",
        "submitter": "ExampleOrg",
        "system_id": "node-a",
        "system_name": "Node A",
        "division": "closed",
        "availability": "onprem",
        "nodes": 1,
        "accelerators_per_node": 8,
        "accelerators": 8,
        "accelerator_id": "nvidia-h100-sxm-80gb",
        "accelerator_model": "NVIDIA H100-SXM5-80GB",
        "framework": "PyTorch",
        "raw": '{"submitter": "ExampleOrg"}',
        "path": "ExampleOrg/systems/node-a.json",
    }
    return System(**{**defaults, **fields})


def run(number: int = 0, **fields: Any) -> Run:
    name = {"submitter": "ExampleOrg", "system_id": "node-a", "benchmark": "bert", **fields}
    folder = fields.get("benchmark_folder", name["benchmark"])
    minutes = 5.0 + number
    start = 1.7e12 + number * 1e7
    defaults: dict[str, Any] = {
        "round": "v4.1",
        "submitter": "ExampleOrg",
        "system_id": "node-a",
        "benchmark": "bert",
        "benchmark_folder": folder,
        "path": f"{name['submitter']}/results/{name['system_id']}/{folder}/result_{number}.txt",
        "time_to_train_min": minutes,
        "success": True,
        "start_ms": start,
        "stop_ms": start + minutes * 60000.0,
        "seed": str(1000 + number),
        "bytes": 1000 + number,
    }
    return Run(**{**defaults, **fields})


def score(**fields: Any) -> Score:
    defaults: dict[str, Any] = {
        "round": "v4.1",
        "submitter": "ExampleOrg",
        "system_id": "node-a",
        "benchmark": "bert",
        "benchmark_folder": fields.get("benchmark", "bert"),
        "division": "closed",
        "availability": "onprem",
        "accelerator_id": "nvidia-h100-sxm-80gb",
        "accelerators": 8,
        "nodes": 1,
        "runs": 5,
        "distinct_runs": 5,
        "unscaled_min": 7.0,
        "time_to_train_min": 7.0,
    }
    return Score(**{**defaults, **fields})


def result(
    *, count: int = 5, run_fields: dict[str, Any] | None = None, **fields: Any
) -> tuple[tuple[Run, ...], Score]:
    """Runs 0, 1, ... of one configuration with its score."""
    shared = ("round", "submitter", "system_id", "benchmark", "benchmark_folder")
    names = {name: fields[name] for name in shared if name in fields}
    runs = tuple(run(number, **names, **(run_fields or {})) for number in range(count))
    return runs, score(runs=count, **fields)


def round_data(
    name: str = "v4.1", *, systems: tuple[str, ...] = ("node-a",), **fields: Any
) -> RoundData:
    """A round of one submitter with one bert result for each system."""
    made_runs: list[Run] = []
    scores: list[Score] = []
    offset = sum(map(ord, name)) * 1e9
    for index, system_id in enumerate(systems):
        start = 1.6e12 + offset + index * 1e8
        runs, own = result(round=name, system_id=system_id)
        made_runs += [
            run(
                number,
                round=name,
                system_id=system_id,
                start_ms=start + number * 1e7,
                stop_ms=start + number * 1e7 + 60000.0 * (5.0 + number),
            )
            for number in range(len(runs))
        ]
        scores.append(own)
    defaults: dict[str, Any] = {
        "round": name,
        "source": f"rounds/{name}",
        "systems": tuple(
            system(round=name, system_id=s, path=f"ExampleOrg/systems/{s}.json") for s in systems
        ),
        "runs": tuple(made_runs),
        "scores": tuple(scores),
        "rejections": (
            Rejection(
                round=name,
                path="ExampleOrg/results/node-a/bert/notes.md",
                line=None,
                code="not-a-result",
                reason="no run in it",
            ),
        ),
    }
    return RoundData(**{**defaults, **fields})


SYSTEM = {
    "submitter": "ExampleOrg",
    "division": "closed",
    "status": "Available on-premise",
    "system_name": "node",
    "number_of_nodes": "1",
    "accelerators_per_node": "8",
    "accelerator_model_name": "NVIDIA H100-SXM5-80GB",
    "system_notes": "a long story about the machine room",
}


def record(key: str, ms: int, value: Any = None, **metadata: Any) -> str:
    fields = {"key": key, "value": value, "time_ms": ms, "event_type": "POINT_IN_TIME"}
    return f":::MLLOG {json.dumps({**fields, 'metadata': metadata})}\n"


def log(number: int, minutes: float) -> str:
    """A bert log as text; the number sets its start and its seed."""
    start = 1_700_000_000_000 + number * 10_000_000
    stop = start + int(minutes * 60_000)
    return (
        record("submission_benchmark", start, "bert")
        + record("submission_division", start, "closed")
        + record("seed", start, 100 + number)
        + record("global_batch_size", start, 48)
        + record("run_start", start)
        + record("eval_accuracy", stop, 0.721, samples_count=2_000_000)
        + record("run_stop", stop, status="success", samples_count=2_000_000)
    )


def round_folder(root: Path, *, systems: int = 1, logs: int = 10) -> Path:
    """Write a round of one submitter with bert results as a folder."""
    descriptions = root / "ExampleOrg" / "systems"
    descriptions.mkdir(parents=True)
    for index in range(systems):
        name = f"node-{'abcdefghij'[index]}"
        folder = root / "ExampleOrg" / "results" / name / "bert"
        folder.mkdir(parents=True)
        for number in range(logs):
            text = log(100 * index + number, 5 + number)
            (folder / f"result_{number}.txt").write_text(text)
        (descriptions / f"{name}.json").write_text(json.dumps(SYSTEM))
    return root


def odd_round_folder(root: Path) -> Path:
    """Write a round with every kind of file, and logs that do not say their division."""
    round_folder(root, systems=2, logs=5)
    submitter = root / "ExampleOrg"
    bert = submitter / "results" / "node-a" / "bert"
    for folder in (bert / "power" / "result_0", bert / "more"):
        folder.mkdir(parents=True)
    (bert / "power" / "result_0" / "node_0.txt").write_text(power_file())
    (bert / "more" / "result_0.txt").write_text(log(30, 6))
    (bert / "scaling.json").write_text('{"scaling_factor": 1.05}')
    (bert / "notes.md").write_text("not a result")
    (bert / "result_8.txt").symlink_to(root.parent / "nowhere.txt")
    for number in (5, 6):
        (bert / f"result_{number}.txt").write_bytes(odd_log(number))
    (submitter / "results" / "node-b" / "entry.json").write_text(json.dumps(SYSTEM))
    (submitter / "systems" / "node-c.json").write_text("node-a.json")
    odd = {**SYSTEM, "system_name": "caf\ud800\x10", "accelerators_per_node": "eight"}
    (submitter / "systems" / "node-d.json").write_text(json.dumps(odd))
    return root


def odd_log(number: int) -> bytes:
    """A log without a division whose records hold what is hard to hand over."""
    text = log(number, 5 + number)
    lines = [line for line in text.splitlines() if "submission_division" not in line]
    late = 4_200_000_000_000
    before = [
        record("micro_batch_size", 1, 2**63),
        record("tensor_parallelism", 1, float("inf")),
        record("config_filename", 1, "a\ud800\x10\u0000b"),
        record("lowest_numerical_precision_in_linear", 1, [1, 1.0, -0.0, {"": None, "a": []}]),
        record("eval_accuracy", late, {"BBOX": 0.1, "SEGM": "0.2"}, epoch_num=3),
        record("eval_accuracy", late + 1, float("nan"), samples_count=2**70, more=[None, True]),
        ':::MLLOG {"key": "seed", "time_ms": 1, "val',
    ]
    step = [record("tracked_stats", late, {"throughput": 9 + i}) for i in range(3)]
    parts = (*before, *lines[:-2], *step, *lines[-2:])
    return "\n".join(part.rstrip("\n") for part in parts).encode()


def power_file() -> str:
    start = 1_700_000_000_000
    return (
        record("power_measurement_start", start)
        + "".join(record("power_reading", start + i * 100_000, 250.5) for i in range(1, 4))
        + record("power_measurement_stop", start + 300_000)
    )


@pytest.fixture(scope="session")
def make_round() -> Callable[..., Path]:
    """Writer of a round as a folder: make_round(root, systems=1, logs=10)."""
    return round_folder


@pytest.fixture(scope="session")
def make_odd_round() -> Callable[[Path], Path]:
    """Writer of a round as a folder with at least one fact of every kind."""
    return odd_round_folder


@pytest.fixture(scope="session")
def make() -> SimpleNamespace:
    """Builders: system, run, score, result, round_data, and the text of a log."""
    return SimpleNamespace(
        system=system, run=run, score=score, result=result, round_data=round_data, log=log
    )
