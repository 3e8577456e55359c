"""Own runs beside the rounds: in the catalogue, unverified everywhere, never in closed answers."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from equipoise.domain import UNVERIFIED_DIVISION
from equipoise.errors import DataError, NothingFoundError, UnknownNameError
from equipoise.report.footnotes import UNVERIFIED_PHRASE
from equipoise.report.tables import markdown_text
from equipoise.workflow.analyses import rank, scaling
from equipoise.workflow.browse import list_things
from equipoise.workflow.reading import build_catalogue, open_catalogue, read_scores
from equipoise.workflow.selection import select

ROWS = "n,time_min,gpu,benchmark\n8,20,H100-SXM-80GB,llama2_70b_lora\n16,,,\n"


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """Return a copy of the bundled catalogue with own measurements appended."""
    folder = tmp_path_factory.mktemp("own")
    bundled = open_catalogue().path
    shutil.copytree(bundled, folder / "catalogue")
    (folder / "mine.csv").write_text(ROWS)
    build_catalogue(folder / "mine.csv", out=folder / "catalogue", append=True)
    return folder, open_catalogue(folder / "catalogue")


def test_scores_of_a_table_are_unverified(own: tuple[Path, Any]) -> None:
    answer = read_scores(own[0] / "mine.csv")
    (score,) = answer.tables["scores"]
    assert (score.division, score.time_to_train_min) == (UNVERIFIED_DIVISION, 20.0)
    assert any(note.startswith(UNVERIFIED_PHRASE) for note in answer.footnotes)
    assert not any("as published by MLCommons" in note for note in answer.footnotes)
    text = markdown_text(answer)
    assert "own-runs (unverified)" in text
    assert "time\\_min is missing" in text or "time_min is missing" in text


def test_strict_names_the_line(own: tuple[Path, Any]) -> None:
    with pytest.raises(DataError, match=r"mine\.csv:3: time_min is missing"):
        read_scores(own[0] / "mine.csv", strict=True)


def test_own_rounds_can_be_listed(own: tuple[Path, Any]) -> None:
    answer = list_things(own[1], "scores", rounds=["own", "v4.1"])
    assert {row.round for row in answer.tables["scores"]} == {"own", "v4.1"}
    assert any(note.startswith(UNVERIFIED_PHRASE) for note in answer.footnotes)


def test_the_catalogue_stays_whole(own: tuple[Path, Any]) -> None:
    assert own[1].check().passed
    assert "own" in {entry.round for entry in own[1].rounds()}


def test_default_answers_know_nothing_of_own_runs(own: tuple[Path, Any]) -> None:
    bundled = open_catalogue()
    for division in ("closed", "open"):
        try:
            expected = select(bundled, "llama2_70b_lora", division=division)
        except NothingFoundError:
            continue
        assert select(own[1], "llama2_70b_lora", division=division) == expected


def test_own_runs_come_along_where_all_divisions_are_asked_for(own: tuple[Path, Any]) -> None:
    selection, found = select(own[1], "llama2_70b_lora", division="all")
    assert selection.rounds[-1] == "own"
    assert [c.key for c in found if not c.verified] == [
        "own/own-runs/mine-8xh100-sxm5-80gb/llama2_70b_lora"
    ]
    _, alone = select(own[1], "llama2_70b_lora", rounds=["own"], division="unverified")
    assert [c.run_times_min for c in alone] == [(20.0,)]
    assert alone[0].runs_dropped_each_end == 0
    _, beside = select(own[1], "llama2_70b_lora", rounds=["v4.1", "own"], division="all")
    assert {c.round for c in beside} == {"v4.1", "own"}


def test_asking_for_own_runs_in_the_closed_division_says_the_remedy(own: tuple[Path, Any]) -> None:
    with pytest.raises(NothingFoundError, match="add --division unverified"):
        select(own[1], "llama2_70b_lora", rounds=["own"])
    with pytest.raises(UnknownNameError, match="unknown round 'mine'"):
        select(own[1], "llama2_70b_lora", rounds=["mine"])


@pytest.mark.parametrize("command", [rank, scaling])
def test_every_table_marks_them(own: tuple[Path, Any], command: Any) -> None:
    answer = command(
        own[1],
        "llama2_70b_lora",
        rounds=["v4.1", "own"],
        division="all",
        resamples=20,
        max_accelerators=8,
    )
    text = markdown_text(answer)
    assert "own-runs (unverified)" in text
    footnotes = "\n".join(answer.footnotes)
    assert UNVERIFIED_PHRASE in footnotes
    assert "v4.1 (published 2024-11-13)," in footnotes
    assert ", own," not in footnotes


def test_reading_a_corrected_table_again_replaces_it(own: tuple[Path, Any]) -> None:
    folder, catalogue = own
    table = folder / "again" / "mine.csv"
    table.parent.mkdir()
    table.write_text("n,time_min,gpu,benchmark\n8,19,H100-SXM-80GB,llama2_70b_lora\n")
    try:
        build_catalogue(table, out=folder / "catalogue", append=True)
        (score,) = catalogue.scores(rounds=["own"])
        assert score.time_to_train_min == 19.0
        assert not catalogue.rejections(rounds=["own"])
        assert catalogue.check().passed
    finally:
        build_catalogue(folder / "mine.csv", out=folder / "catalogue", append=True)
