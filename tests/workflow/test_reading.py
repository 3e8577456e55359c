"""What is said beside the scores: how files were understood, and rounds nobody knows."""

import json
from pathlib import Path

import pytest

from equipoise.workflow.reading import build_catalogue, read_scores

START = 1_700_000_000_000


def write_round(folder: Path, system: dict[str, object]) -> Path:
    systems, results = folder / "A/systems", folder / "A/results/s/bert"
    systems.mkdir(parents=True)
    results.mkdir(parents=True)
    (systems / "s.json").write_text(json.dumps(system, indent=1))
    keys = (
        ("run_start", START, None, {}),
        ("eval_accuracy", START + 1, 0.73, {"epoch_num": 1}),
        ("run_stop", START + 60_000, None, {"status": "success"}),
    )
    lines = [
        json.dumps({"key": key, "time_ms": ms, "value": value, "metadata": metadata})
        for key, ms, value, metadata in keys
    ]
    for run in range(3):
        (results / f"result_{run}.txt").write_text("".join(f":::MLLOG {t}\n" for t in lines))
    return folder


SYSTEM = {
    "submitter": "A",
    "divison": "close",
    "status": "onprem",
    "system_name": "s",
    "number of nodes": "2",
    "accelerators_per_node": "8",
    "accelerator_model_name": "NVIDIA A100-SXM4-80GB",
}


def test_how_a_system_file_was_understood_is_said_with_its_line(tmp_path: Path) -> None:
    answer = read_scores(write_round(tmp_path / "r", SYSTEM), round="v4.1", workers=1)
    said = "\n".join(answer.warnings)
    assert 'A/systems/s.json:3: "divison" read as division' in said
    assert 'A/systems/s.json:6: "number of nodes" read as number_of_nodes' in said
    assert 'A/systems/s.json:3: "close" read as closed' in said


def test_ingest_says_that_system_files_were_read_otherwise(tmp_path: Path) -> None:
    source = write_round(tmp_path / "r", SYSTEM)
    answer = build_catalogue(source, out=tmp_path / "out", round="v4.1", workers=1)
    assert any("1 system files" in text for text in answer.warnings)


@pytest.mark.parametrize(("name", "known"), [("v4.1", True), ("v9.9", False), ("x", False)])
def test_a_round_that_is_not_known_is_said(tmp_path: Path, name: str, known: bool) -> None:
    answer = read_scores(write_round(tmp_path / "r", SYSTEM), round=name, workers=1)
    assert any("is not known" in text for text in answer.warnings) is not known
