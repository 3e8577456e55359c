"""What the pages say to type works.

Every `python` block runs, and every line of a `console` block that starts with `equipoise`,
unless a comment `<!-- needs: WHAT -->` above the block says what the reader must bring.
Resampling is kept small: it is the commands that are tested here, not the figures.
"""

import shlex
import textwrap

import pytest
from docs_pages import ROOT, blocks

from equipoise.cli.entry import run

RESAMPLED = {"study", "scaling", "breakeven", "rank", "reproduce"}


def commands():
    """Return every command of the pages once, wherever it stands."""
    found = {}
    for block in blocks("console"):
        if block.needs is None:
            for line in block.body.splitlines():
                if line.startswith("equipoise "):
                    found.setdefault(tuple(shlex.split(line, comments=True)), (block, line))
    return list(found.values())


COMMANDS = commands()
PYTHON = blocks("python")


def arguments_of(line):
    words = shlex.split(line, comments=True)[1:]
    if "--resamples" not in words and RESAMPLED & set(words):
        words += ["--resamples", "20"]
    return words


@pytest.mark.parametrize(
    ("block", "line"), COMMANDS, ids=[f"{b.page}: {line[:60]}" for b, line in COMMANDS]
)
def test_commands_of_the_pages_run(block, line, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(arguments_of(line)) == 0, capsys.readouterr().err


@pytest.mark.parametrize("block", PYTHON, ids=[f"{b.page}:{b.line}" for b in PYTHON])
def test_python_blocks_run(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = compile("\n" * block.line + textwrap.dedent(block.body), block.page, "exec")
    exec(code, {"__name__": "block"})


def test_there_is_something_to_run():
    pages = {block.page for block, _ in COMMANDS}
    assert {"README.md", "data.md", "how-many.md", "job-cost.md"} <= pages
    assert PYTHON
    assert (ROOT / "README.md").is_file()


def test_blocks_that_are_not_run_use_commands_that_exist(capsys):
    lines = [
        line
        for block in blocks("console")
        if block.needs is not None
        for line in block.body.splitlines()
        if line.startswith("equipoise ")
    ]
    for line in lines:
        words = shlex.split(line, comments=True)[1:]
        words = words[2:] if words[0] == "--catalogue" else words
        command = words[:2] if words[0] == "catalogue" else words[:1]
        assert run([*command, "--help"]) == 0, line
