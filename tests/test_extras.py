"""What runs without the extras, and what is said where one is needed."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.sources.containers.builders import ROUND, make_folder, make_tar

from equipoise import extras
from equipoise.errors import UsageError
from equipoise.extras import EXTRAS, MissingExtraError, need

ROOT = Path(__file__).parents[1]
LOG_PATH = "Alpha/results/node-a/bert/result_2.txt"
LOG_TEXT = (
    b':::MLLOG {"key": "run_start", "time_ms": 1000, "value": null}\n'
    b':::MLLOG {"key": "run_stop", "time_ms": 601000, "value": null, '
    b'"metadata": {"status": "success"}}\n'
)
OPTIONAL = sorted({name for names in EXTRAS.values() for name in names} | {"pandas", "pyarrow"})

WITHOUT_EXTRAS = f"""
import contextlib, importlib.abc, io, json, sys

BLOCKED = {OPTIONAL!r}

class Blocked(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BLOCKED:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
        return None

sys.meta_path.insert(0, Blocked())
from equipoise.cli.entry import run

found = []
for arguments in json.load(sys.stdin):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(arguments)
    found.append([code, out.getvalue(), err.getvalue()])
json.dump(found, sys.stdout)
"""


def run_without_extras(*commands: list[str]) -> list[tuple[int, str, str]]:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_EXTRAS],
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return [(code, out, err) for code, out, err in json.loads(done.stdout)]


def test_the_core_computes_everything() -> None:
    few = ["--resamples", "50"]
    commands = [
        ["study", "resnet", *few, "--format", "json"],
        ["importance", "resnet"],
        ["cluster", "resnet", "--format", "csv"],
        ["rank", "resnet", "--format", "csv", *few],
        ["scaling", "bert", "--round", "v4.1", *few],
        ["breakeven", "bert", "--round", "v4.1", "--format", "markdown", *few],
        ["predict", "bert", "--accelerator", "h100-sxm5-80gb", "--accelerators", "8,64"],
        ["advise", "llama2_70b_lora", "--deadline", "30min"],
        ["trends", "resnet"],
        ["suggest", "bert", "--measured", "8=100min,16=55min", "--accelerator", "h100-sxm5-80gb"],
        ["list", "benchmarks"],
        ["sql", "select round, count(*) from scores group by 1 order by 1"],
        ["catalogue", "check"],
    ]
    for command, (code, out, err) in zip(commands, run_without_extras(*commands), strict=True):
        assert code == 0, (command, err)
        assert len(out) > 50, command


def test_a_round_and_own_measurements_are_read_without_extras(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "v4.1", {**ROUND, LOG_PATH: LOG_TEXT})
    out = tmp_path / "catalogue"
    own = tmp_path / "own.csv"
    own.write_text("n,time_to_train_min\n8,100\n16,55\n")
    archive = make_tar(tmp_path / "v4.1.tar.zst", {**ROUND, LOG_PATH: LOG_TEXT})
    results = run_without_extras(
        ["scores", str(folder), "--format", "csv"],
        ["scores", str(archive), "--format", "csv"],
        ["ingest", str(folder), "--out", str(out)],
        ["--catalogue", str(out), "sql", "select count(*) from runs"],
        [
            "predict",
            "bert",
            "--measured",
            str(own),
            "--accelerator",
            "h100-sxm5-80gb",
            "--accelerators",
            "32",
        ],
    )
    assert [code for code, _, _ in results] == [0] * 5, results
    assert results[0][1] == results[1][1]


NEEDY = [
    (["study", "resnet", "--report", "DIR/a.html"], "charts"),
    (["study-scaling", "--report", "DIR/a.html"], "charts"),
    (["reproduce", "--report", "DIR/a.html"], "charts"),
    (["report", "resnet", "--out", "DIR/a.html"], "charts"),
    (["report", "resnet", "--out", "DIR/folder"], "charts"),
    (["report", "--site", "DIR/site"], "web"),
    (["serve"], "web"),
    (["ingest", "DIR", "--out", "DIR/c", "--scheduler", "tcp://localhost:1"], "cluster"),
    (["scores", "s3://bucket/v4.1"], "remote"),
]


def test_a_missing_extra_is_named_before_anything_is_done(tmp_path: Path) -> None:
    commands = [[part.replace("DIR", str(tmp_path)) for part in command] for command, _ in NEEDY]
    for (command, extra), (code, out, err) in zip(
        NEEDY, run_without_extras(*commands), strict=True
    ):
        assert (code, out) == (2, ""), command
        assert err.startswith("error: "), command
        assert err.count("\n") == 1
        assert f"pip install 'equipoise[{extra}]'" in err
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_frames_and_charts_name_their_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    from equipoise.report.export import javascript, svg
    from equipoise.report.figures.base import Figure
    from equipoise.workflow.answer import Answer

    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    answer = Answer(command="x", tables={"rows": [{"a": 1}]}, charts={"c": dict})
    with pytest.raises(MissingExtraError, match=r"polars, which is .*'equipoise\[frames\]'"):
        answer.to_polars()
    with pytest.raises(MissingExtraError, match=r"altair, which is .*'equipoise\[charts\]'"):
        answer.chart()
    figure: Any = Figure(name="f", title="", description="", spec={}, rows=())
    javascript.cache_clear()
    for draw in (lambda: svg(figure), javascript):
        with pytest.raises(UsageError, match=r"needs vl-convert-python, .*'equipoise\[charts\]'"):
            draw()


def test_need() -> None:
    need("charts", "a report", "json")
    with pytest.raises(MissingExtraError, match="a report needs no_such, nor_this, which are"):
        need("charts", "a report", "json", "no_such", "nor_this")


def test_the_extras_of_the_package_bring_what_the_code_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = {name: " ".join(rows) for name, rows in project["optional-dependencies"].items()}
    for extra, packages in EXTRAS.items():
        assert extra in named["all"]
        for package in packages:
            assert extras._DISTRIBUTIONS.get(package, package) in named[extra]
    core = " ".join(project["dependencies"])
    assert not [name for name in OPTIONAL if extras._DISTRIBUTIONS.get(name, name) in core]
    for extra in EXTRAS.keys() - {"remote"}:  # no test talks to a cloud
        assert extra in named["dev"]
