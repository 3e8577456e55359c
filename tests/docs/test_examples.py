"""Every example runs as it is, warnings being errors."""

import subprocess
import sys

import pytest
from docs_pages import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
WITHOUT_RESAMPLES = {"add_round", "job_cost"}
"""Examples whose argument is not the number of resamples."""


@pytest.mark.parametrize("example", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_example(example, tmp_path):
    resamples = [] if example.stem in WITHOUT_RESAMPLES else ["20"]
    done = subprocess.run(
        [sys.executable, "-W", "error", str(example), *resamples],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_there_is_one_for_every_question():
    assert {path.stem for path in EXAMPLES} == {
        "add_round",
        "how_many",
        "is_it_worth_it",
        "job_cost",
        "own_runs",
        "which_accelerator",
    }


def test_examples_are_short():
    for example in EXAMPLES:
        lines = example.read_text(encoding="utf-8").splitlines()
        assert len(lines) <= 70, example.name
