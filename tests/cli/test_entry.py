"""Exit codes and messages: one clear line, never a traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import equipoise


def test_version_is_printed_without_the_application() -> None:
    code = (
        "import sys; from equipoise.cli.entry import run; code = run(['--version']); "
        "heavy = {'click', 'polars', 'duckdb', 'numpy', 'sklearn', 'rich'} & set(sys.modules); "
        "sys.exit(f'{code} {heavy}' if code or heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"equipoise {equipoise.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["scalling", "bert"], 2, "scaling"),
        (["scaling", "resnt"], 2, "did you mean 'resnet'"),
        (["scaling"], 2, "BENCHMARK"),
        (["scaling", "bert", "--round", "v9.9"], 2, "v9.9"),
        (["scaling", "bert", "--division", "ajar"], 2, "ajar"),
        (["scaling", "bert", "--accelerator", "h1000"], 2, "h1000"),
        (["scaling", "bert", "--submitter", "NVIDEA"], 2, "did you mean 'NVIDIA'"),
        (["scaling", "resnet", "--round", "v0.5..v0.6"], 2, "v0.6"),
        (["scaling", "bert", "--min-accelerators", "9", "--max-accelerators", "8"], 2, "greater"),
        (["scaling", "bert", "--min-accelerators", "100000"], 3, "no configuration"),
        (["rank", "bert", "--round", "v4.1", "--method", "topsy"], 2, "topsis"),
        (["rank", "bert", "--round", "v4.1", "--weights", "time=x"], 2, "x"),
        (["cluster", "bert", "--round", "v4.1", "--k", "-3"], 2, "k"),
        (["cluster", "bert", "--round", "v4.1", "--k", "many"], 2, "many"),
        (["importance", "bert", "--round", "v4.1", "--target", "joy"], 2, "joy"),
        (["scaling", "bert", "--round", "v4.1", "--resamples", "0"], 2, "resamples"),
        (["list", "acelerators"], 2, "did you mean 'accelerators'"),
        (["show", "no-such-system-at-all"], 2, "no-such-system-at-all"),
        (["sql", "select * from nothing"], 2, "nothing"),
        (["sql", "drop table scores"], 2, "SELECT"),
        (["scores", "no/such/folder"], 1, "no/such/folder"),
        (["--catalogue", "no/such/catalogue", "catalogue", "info"], 1, "no/such/catalogue"),
        (["predict", "bert", "--accelerator", "h100", "--accelerators", "8,x"], 2, "x"),
    ],
)
def test_a_mistake_is_one_clear_line(cli, arguments, code, said) -> None:
    ran = cli(*arguments)
    assert ran.code == code, ran.err
    assert said in ran.err
    assert ran.err.startswith("error: ")
    assert ran.err.count("\n") == 1
    assert "Traceback" not in ran.err
    assert ran.out == ""


def test_an_empty_folder_is_bad_data(cli, tmp_path) -> None:
    ran = cli("scores", str(tmp_path))
    assert ran.code == 1
    assert ran.err.startswith("error: ")
    assert ran.err.count("\n") == 1


def test_an_interruption_exits_130(cli, monkeypatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("equipoise.workflow.browse.path", interrupted)
    assert cli("catalogue", "path").code == 130


def test_a_closed_pipe_is_no_error() -> None:
    command = f"{sys.executable} -m equipoise list accelerators --format csv | head -n 1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout.startswith("id,")
    assert done.stderr == ""


def test_a_name_with_escape_codes_is_shown_escaped(cli) -> None:
    ran = cli("show", "evil\x1b[31m\nname")
    assert ran.code == 2
    assert "\x1b" not in ran.err
    assert "\\x1b[31m\\nname" in ran.err


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            ValueError("odd\nvalue"),
            "error: a fault in equipoise, please report it: ValueError: odd",
        ),
        (OSError(28, "No space left on device", "out/x"), "error: out/x: No space left on device"),
        (RecursionError("too deep"), "RecursionError"),
    ],
)
def test_what_nobody_foresaw_is_one_line_too(cli, monkeypatch, error, said) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("equipoise.workflow.browse.path", fail)
    ran = cli("catalogue", "path")
    assert ran.code == 1
    assert said in ran.err
    assert ran.err.count("\n") == 1
    assert "Traceback" not in ran.err


def test_verbose_shows_where_a_fault_is(cli, monkeypatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("odd")

    monkeypatch.setattr("equipoise.workflow.browse.path", fail)
    ran = cli("--verbose", "catalogue", "path")
    assert ran.code == 1
    assert "Traceback" in ran.err
    assert ran.err.endswith("please report it: ValueError: odd\n")


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
@pytest.mark.parametrize("arguments", ["--version", "list benchmarks"])
def test_a_closed_stream_is_no_error(closed: str, arguments: str) -> None:
    command = f"{sys.executable} -m equipoise {arguments} {closed}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr


def test_a_terminal_without_many_letters_gets_escapes() -> None:
    command = f"PYTHONIOENCODING=ascii {sys.executable} -m equipoise list benchmarks"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "resnet" in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device here")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("--version >/dev/full", 1, "error: No space left on device\n"),
        ("--help >/dev/full", 1, "error: No space left on device\n"),
        ("list benchmarks >/dev/full", 1, "error: No space left on device\n"),
        ("--no-such-option 2>/dev/full", 2, ""),
        ("scores no/such/folder 2>/dev/full", 1, ""),
        ("--no-such-option 2>/dev/full >/dev/full", 2, ""),
    ],
)
def test_a_full_disk_behind_a_stream_is_one_line_or_an_exit_code(
    command, code, said, unbuffered
) -> None:
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m equipoise {command}"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
    )
    assert (done.returncode, done.stdout, done.stderr) == (code, "", said)


def test_an_error_that_nobody_reads_keeps_its_exit_code() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "equipoise", "--no-such-option"]
    done = subprocess.run(command, stdout=writing, stderr=writing, check=False)
    os.close(writing)
    assert done.returncode == 2
