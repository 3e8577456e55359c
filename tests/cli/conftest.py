"""Run the command line in this process and look at what it writes."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from equipoise.cli.entry import run


@dataclass(frozen=True)
class Ran:
    """Exit code and output of one command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        def refuse(name: str) -> None:
            raise AssertionError(f"not strict JSON: {name}")

        return json.loads(self.out, parse_constant=refuse)


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Return a function that runs the command line with its arguments."""

    def call(*arguments: object) -> Ran:
        code = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return call
