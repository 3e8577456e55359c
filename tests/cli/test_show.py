"""How wide answers are written."""

import io
import os
import sys

import pytest

from equipoise.cli import show
from equipoise.cli.command import Globals
from equipoise.domain import Rejection
from equipoise.errors import EquipoiseError
from equipoise.workflow.answer import Answer


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
    monkeypatch.setenv("COLUMNS", "100")
    assert show._width() is None


def rejections(count):
    return [
        Rejection(round="own", path="a\n.csv", line=3 + i, code="missing-value", reason="no\x1b[0m")
        for i in range(count)
    ]


def shown(capsys, tables):
    answer = Answer(command="scores", tables=tables, warnings=("bad\x1b[31m",))
    show.show(answer, form="csv", out=None, settings=Globals())
    return capsys.readouterr().err.splitlines()


def test_csv_says_what_was_rejected_on_the_error_stream(capsys) -> None:
    said = shown(capsys, {"scores": [], "rejections": rejections(2)})
    assert said == [
        "warning: bad\\x1b[31m",
        "rejected: a\\n.csv:3: no\\x1b[0m (missing-value)",
        "rejected: a\\n.csv:4: no\\x1b[0m (missing-value)",
    ]


def test_many_rejections_are_cut_short(capsys) -> None:
    said = shown(capsys, {"scores": [], "rejections": rejections(show.MOST_REJECTED + 5)})
    assert said[-1] == "rejected: 5 more; --format json has all"
    assert len(said) == show.MOST_REJECTED + 2


def test_a_table_of_rejections_is_not_said_twice(capsys) -> None:
    assert len(shown(capsys, {"rejections": rejections(2)})) == 1


def test_a_folder_as_output_is_an_error(tmp_path, monkeypatch) -> None:
    (tmp_path / "kept").write_text("x")
    monkeypatch.chdir(tmp_path)
    for name in (".", str(tmp_path)):
        with pytest.raises(EquipoiseError, match="it is a folder; name a file in it"):
            show.write_file(show.Path(name), "text")
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device")  # noqa: PTH110
def test_a_full_disk_is_an_error_and_a_device_stays_one() -> None:
    with pytest.raises(EquipoiseError, match="cannot write /dev/full: No space left"):
        show.write_file(show.Path("/dev/full"), "text")
    show.write_file(show.Path(os.devnull), "text")
    assert not show.Path("/dev/full").is_file()
    assert not show.Path(os.devnull).is_file()
