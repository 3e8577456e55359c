"""`equipoise report`: a file to mail, a folder, or all pages as files."""

import json
from pathlib import Path
from typing import Any

import pytest

from equipoise.cli.entry import run


def report(small_catalogue: Path, *arguments: str) -> int:
    return run(["--catalogue", str(small_catalogue), "report", *arguments])


def test_a_file_to_mail(small_catalogue: Path, tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / "bert.html"
    assert report(small_catalogue, "bert", "--out", str(out), "--resamples", "50") == 0
    text = out.read_text("utf-8")
    assert text.count("data-chart=") > 5
    assert "Content-Security-Policy" in text
    assert str(out) in capsys.readouterr().out


def test_a_folder_has_page_tables_and_charts(
    small_catalogue: Path, tmp_path: Path, capsys: Any
) -> None:
    out = tmp_path / "bert"
    arguments = ("bert", "--out", str(out), "--resamples", "50", "--format", "json")
    assert report(small_catalogue, *arguments) == 0
    files = json.loads(capsys.readouterr().out)["files"]
    assert {Path(row["path"]) for row in files} == {p for p in out.rglob("*") if p.is_file()}
    assert (out / "index.html").is_file()
    assert (out / "tables" / "ranking.csv").stat().st_size > 1000
    assert (out / "charts" / "ranking.svg").read_text("utf-8").startswith("<svg")
    assert (out / "charts" / "ranking.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "arguments",
    [(), ("bert",), ("--out", "x.html"), ("bert", "--site", "s"), ("brt", "--out", "x")],
)
def test_what_cannot_be_meant_is_usage(
    small_catalogue: Path, capsys: Any, arguments: tuple[str, ...]
) -> None:
    assert report(small_catalogue, *arguments) == 2
    assert "error:" in capsys.readouterr().err


def test_the_pages_as_files(small_catalogue: Path, tmp_path: Path, capsys: Any) -> None:
    assert report(small_catalogue, "--site", str(tmp_path / "s"), "--no-systems") == 0
    assert (tmp_path / "s" / "index.html").is_file()
    assert (tmp_path / "s" / "study" / "bert.html").is_file()
    assert not (tmp_path / "s" / "systems").exists()
    listed = (tmp_path / "s" / "benchmark" / "bert.html").read_text("utf-8")
    assert "needs-the-server" not in listed
    assert "h100-sxm5-80gb_n8" in listed
    assert "index.html" in capsys.readouterr().out
