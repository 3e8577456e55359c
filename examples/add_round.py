"""Add a round: official scores of a folder laid out as MLPerf does, and a catalogue with it.

Give the path of a round (a folder, an archive, a git repository); without one a tiny round is made.
"""

import json
import sys
import tempfile
from pathlib import Path

import equipoise as eq

SYSTEM = {
    "division": "closed", "status": "onprem", "system_name": "example", "number_of_nodes": 1,
    "accelerators_per_node": 8, "accelerator_model_name": "NVIDIA H100-SXM5-80GB",
}  # fmt: skip


def record(time_ms: int, key: str, value: object = None, **metadata: object) -> str:
    """Return one line of a log."""
    text = {"namespace": "", "time_ms": time_ms, "event_type": "POINT_IN_TIME", "key": key}
    return f":::MLLOG {json.dumps({**text, 'value': value, 'metadata': metadata})}\n"


def make_round(place: Path) -> Path:
    """Write ten runs of BERT on one system."""
    results = place / "Example" / "results" / "example-8xH100" / "bert"
    results.mkdir(parents=True)
    (place / "Example" / "systems").mkdir()
    description = place / "Example" / "systems" / "example-8xH100.json"
    description.write_text(json.dumps(SYSTEM), encoding="utf-8")
    start = 1_700_000_000_000
    for i in range(10):
        stop = start + 330_000 + 2_000 * i
        log = record(start, "run_start") + record(stop - 1, "eval_accuracy", 0.721, epoch_num=1)
        log += record(stop, "run_stop", status="success")
        (results / f"result_{i}.txt").write_text(log, encoding="utf-8")
        start = stop + 60_000
    return place


with tempfile.TemporaryDirectory() as folder:
    source = Path(sys.argv[1]) if len(sys.argv) > 1 else make_round(Path(folder) / "v4.1")
    answer = eq.read_scores(source)
    eq.build_catalogue(source, out=Path(folder) / "catalogue")

for score in answer.rows("scores"):
    print(score["system_id"], score["benchmark"], score["time_to_train_min"])
for rejection in answer.rows("rejections"):
    print(rejection["path"], rejection["line"], rejection["reason"])
