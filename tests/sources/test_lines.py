"""Lines of marked records, counted late."""

import pickle
from itertools import pairwise

import pytest

from equipoise.sources import records
from equipoise.sources.lines import Lines
from equipoise.sources.logs import read_log


def test_a_mark_that_is_not_there_has_no_line():
    assert Lines().of("run_stop") is None


def test_settled_lines_are_the_same_and_keep_no_log():
    lines = Lines({"a": 7}, {"b": 1}, [b"x\ny\n" * 1000, b"z"], 100)
    kept = lines.settled()
    assert (kept.of("a"), kept.of("b")) == (lines.of("a"), lines.of("b")) == (7, 2101)
    assert len(pickle.dumps(kept)) < 200


@pytest.mark.parametrize("window", [300, 1000, 10_000])
def test_the_window_does_not_matter(mllog, monkeypatch, window):
    monkeypatch.setattr(records, "WINDOW_BYTES", window)
    data = b"banner\n" * 9 + mllog() + b"\ntail\n"
    found = read_log([data]).lines
    names = ("run_start", "evaluation", "run_stop")
    keys = (b"run_start", b"eval_accuracy", b"run_stop")
    places = [found.of(name) for name in names]
    for place, key in zip(places, keys, strict=True):
        assert b'"key": "%b"' % key in data.split(b"\n")[place - 1]
    assert all(one < next_one for one, next_one in pairwise(places))
