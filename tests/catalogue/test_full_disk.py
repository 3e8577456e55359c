"""The whole command on a disk that is full: a clear error, and what was there is whole."""

import json
import subprocess
import sys

import pytest

from equipoise.catalogue import Catalogue, build

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no limits of file size there")

LIMITED = """
import resource, signal, sys
from equipoise.cli.entry import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
main(sys.argv[2:])
"""
START = 1_700_000_000_000


def run(limit, *arguments):
    command = [sys.executable, "-c", LIMITED, str(limit), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def logs(tmp_path):
    """Return a folder of own runs."""
    for index in range(3):
        folder = tmp_path / "own" / "8xH100-SXM-80GB" / "bert"
        folder.mkdir(parents=True, exist_ok=True)
        keys = {"run_start": {}, "run_stop": {"status": "success"}}
        texts = [
            {"key": key, "time_ms": START + at * 60_000 + index, "value": None, "metadata": more}
            for at, (key, more) in enumerate(keys.items())
        ]
        lines = [f":::MLLOG {json.dumps(text)}" for text in texts]
        (folder / f"result_{index}.txt").write_text("\n".join(lines))
    return tmp_path / "own"


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        (0, "cannot write here: File too large"),
        (100, "the disk is full; the former catalogue is whole"),
        (1500, "the disk is full; the former catalogue is whole"),
    ],
)
def test_ingest_keeps_the_former_catalogue(make, logs, tmp_path, limit, said):
    out = tmp_path / "catalogue"
    build([make.round_data("v4.0")], out)
    ran = run(limit, "ingest", logs, "--append", "--out", out, "--workers", 1)
    assert ran.returncode == 1, ran.stderr
    assert said in ran.stderr
    assert "Traceback" not in ran.stderr
    with Catalogue.open(out) as catalogue:
        assert catalogue.check().passed
        assert [entry.round for entry in catalogue.rounds()] == ["v4.0"]
    ran = run(10**9, "ingest", logs, "--append", "--out", out, "--workers", 1)
    assert ran.returncode == 0, ran.stderr


def test_a_file_of_results_is_whole_or_not_there(logs, tmp_path):
    out = tmp_path / "scores.json"
    out.write_text("former")
    ran = run(100, "scores", logs, "--workers", 1, "--format", "json", "--out", out)
    assert ran.returncode == 1
    assert f"cannot write {out}: File too large" in ran.stderr
    assert out.read_text() == "former"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["own", "scores.json"]
