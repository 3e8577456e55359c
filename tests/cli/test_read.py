"""Reading results by the command line: limits, places to write to, and what is said."""

import csv
import io
import json
import zipfile
from pathlib import Path

import pytest

LOG = "Alpha/results/node-a/bert/result_0.txt"
START = 1_700_000_000_000


def record(key, time_ms, value=None, **metadata):
    content = {"key": key, "time_ms": time_ms, "value": value, "metadata": metadata}
    return f":::MLLOG {json.dumps(content)}\n"


@pytest.fixture
def bomb(tmp_path: Path) -> Path:
    """Return an archive of one good run and 70 MB of nothing."""
    text = record("run_start", START) + record("run_stop", START + 60_000, status="success")
    path = tmp_path / "own.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(LOG, text)
        archive.writestr(LOG.replace("_0", "_1"), bytes(70_000_000))
    return path


def rejected(ran) -> list[tuple[str, str]]:
    return [(row["code"], row["reason"]) for row in ran.json["rejections"]]


def test_a_bomb_names_the_option_that_lets_it_through(cli, bomb) -> None:
    ran = cli("scores", bomb, "--workers", 1, "--format", "json")
    assert ran.code == 1
    assert "raise the limit max_ratio (--max-ratio)" in ran.err
    ran = cli("scores", bomb, "--workers", 1, "--format", "json", "--max-ratio", 1e6)
    assert ran.code == 0, ran.err
    assert "no-records" in dict(rejected(ran))


@pytest.mark.parametrize("command", ["scores", "ingest"])
@pytest.mark.parametrize(
    ("option", "value", "limit"),
    [("--max-total-gib", 0.05, "max_total_bytes"), ("--max-files", 1, "max_files")],
)
def test_limits_of_the_whole_source(cli, bomb, tmp_path, command, option, value, limit) -> None:
    where = ["--out", tmp_path / "catalogue"] if command == "ingest" else []
    ran = cli(command, bomb, "--max-ratio", 1e6, option, value, *where)
    assert ran.code == 1
    assert f"raise the limit {limit} ({option})" in ran.err


def test_a_file_over_the_limit_is_rejected_with_the_option(cli, tmp_path) -> None:
    folder = tmp_path / "r" / Path(LOG).parent
    folder.mkdir(parents=True)
    (folder / "result_0.txt").write_text(record("run_start", START))
    (folder / "result_1.txt").write_text(record("run_start", START) * 99)
    ran = cli("scores", tmp_path / "r", "--max-file-gib", 1e-6, "--format", "json")
    assert ran.code == 0, ran.err
    reason = dict(rejected(ran))["over-limit"]
    assert "raise the limit max_file_bytes (--max-file-gib)" in reason


def test_a_catalogue_is_never_written_over_other_things(cli, bomb, tmp_path) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "notes").write_text("mine")
    for name in ("file", "folder"):
        ran = cli("ingest", bomb, "--max-ratio", 1e6, "--out", tmp_path / name)
        assert ran.code == 1
        assert name in ran.err
        assert "Traceback" not in ran.err
    assert (tmp_path / "file").read_text() == "mine"
    assert [p.name for p in (tmp_path / "folder").iterdir()] == ["notes"]


def test_names_cannot_drive_a_terminal_or_a_spreadsheet(cli, tmp_path) -> None:
    for submitter, system in (("=1+1", "a\nb"), ("@x", "\x1b[31mred"), ("-2", "+3")):
        folder = tmp_path / "r" / submitter / "results" / system / "bert"
        folder.mkdir(parents=True)
        text = record("run_start", START) + record("run_stop", START + 60_000, status="success")
        (folder / "result_0.txt").write_text(text)
    ran = cli("scores", tmp_path / "r", "--round", "v4.1", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(ran.out, newline="")))
    names = {(row["submitter"], row["system_id"]) for row in rows}
    assert names == {("'=1+1", "a\\nb"), ("'@x", "\\x1b[31mred"), ("'-2", "'+3")}
    for form in ("csv", "table", "markdown"):
        ran = cli("scores", tmp_path / "r", "--round", "v4.1", "--format", form)
        assert "\x1b[31m" not in ran.out + ran.err
