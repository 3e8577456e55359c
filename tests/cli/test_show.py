"""How wide answers are written."""

import io
import os
import sys

from equipoise.cli import show


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_columns_wins_and_a_terminal_without_a_width_counts_as_80(monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdout", _Terminal())
    monkeypatch.setattr(sys, "__stdout__", None)
    monkeypatch.setenv("COLUMNS", "132")
    assert show._width() == 132
    monkeypatch.delenv("COLUMNS")
    monkeypatch.setattr(os, "get_terminal_size", lambda *_: os.terminal_size((0, 0)))
    assert show._width() == 80


def test_a_pipe_has_no_width(monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert show._width() is None
