"""Every command on the bundled catalogue: formats, files, stable fields."""

import csv
import io
import json

import pytest

COMMANDS = {
    "scaling": (["bert", "--round", "v4.1", "--resamples", "50"], "points"),
    "breakeven": (["bert", "--round", "v4.1", "--resamples", "50"], "breakevens"),
    "cluster": (["bert", "--round", "v4.1"], "clusters"),
    "rank": (["bert", "--round", "v4.1", "--resamples", "50"], "ranking"),
    "importance": (["bert", "--round", "v3.0..v4.1"], "variables"),
    "trends": (["bert"], "trends"),
    "predict": (["bert", "--accelerator", "h100-sxm5-80gb", "--accelerators", "8"], "predictions"),
    "advise": (["bert", "--round", "v4.1", "--deadline", "30min"], "options"),
}
FIELDS = {
    "points": {
        *("round", "submitter", "system_id", "accelerator_id", "accelerators"),
        *("time_to_train_min", "time_to_train_min_low", "time_to_train_min_high", "speedup"),
        *("efficiency", "efficiency_plain", "efficiency_throughput", "efficiency_convergence"),
        *("efficiency_overhead", "accelerator_hours"),
    },
    "breakevens": {
        *("curve", "rule", "accelerators", "low", "high", "time_to_train_min", "efficiency"),
        "reason",
    },
    "clusters": {
        *("cluster", "label", "size", "accelerators_min", "accelerators_median"),
        *("accelerators_max", "stability"),
    },
    "ranking": {"rank", "rank_low", "rank_high", "score", "system_id", "criteria"},
    "variables": {"variable", "importance", "low", "high", "rank", "agreement", "n"},
    "trends": {"round", "accelerator_id", "accelerators"},
    "predictions": {
        *("accelerator_id", "accelerators", "time_to_train_min", "low_50", "high_50", "low_90"),
        *("high_90", "basis", "reason"),
    },
    "options": {
        *("rank", "pareto", "accelerator_id", "accelerators", "time_to_train_min", "cost_usd"),
        *("probability_meets_deadline", "probability_within_budget", "reason"),
    },
}


@pytest.mark.parametrize("command", COMMANDS)
def test_json_is_one_strict_object_with_stable_fields(cli, command) -> None:
    arguments, rows = COMMANDS[command]
    ran = cli(command, *arguments, "--format", "json")
    assert ran.code == 0, ran.err
    content = ran.json
    assert next(iter(content)) == rows
    assert {"selection", "footnotes", "warnings"} <= set(content)
    assert any("MLCommons" in note for note in content["footnotes"])
    assert content[rows]
    assert FIELDS[rows] <= set(content[rows][0])


@pytest.mark.parametrize("form", ["table", "csv", "markdown"])
def test_the_other_formats_show_the_same_rows(cli, form) -> None:
    arguments, _ = COMMANDS["scaling"]
    ran = cli("scaling", *arguments, "--format", form)
    assert ran.code == 0, ran.err
    assert "h100-sxm5-80gb" in ran.out
    if form == "csv":
        rows = list(csv.DictReader(io.StringIO(ran.out)))
        whole = cli("scaling", *arguments, "--format", "json").json
        assert len(rows) == len(whole["points"])


def test_out_writes_the_file_and_leaves_stdout_empty(cli, tmp_path) -> None:
    target = tmp_path / "deep" / "scores.json"
    ran = cli("list", "benchmarks", "--format", "json", "--out", str(target))
    assert ran.code == 0
    assert ran.out == ""
    assert str(target) in ran.err
    assert json.loads(target.read_text("utf-8"))["benchmarks"]


def test_out_that_cannot_be_written_is_one_line(cli, tmp_path) -> None:
    (tmp_path / "file").write_text("")
    ran = cli("list", "benchmarks", "--out", str(tmp_path / "file" / "x.json"))
    assert ran.code == 1
    assert ran.err.startswith("error: cannot write")


def test_quiet_says_nothing_on_stderr(cli, tmp_path) -> None:
    ran = cli("--quiet", "list", "rounds", "--out", str(tmp_path / "r.txt"))
    assert ran.code == 0
    assert ran.err == ""


def test_the_same_seed_gives_the_same_output(cli) -> None:
    arguments = ["rank", "bert", "--round", "v4.1", "--resamples", "50", "--format", "json"]
    assert cli(*arguments, "--seed", "7").out == cli(*arguments, "--seed", "7").out


@pytest.mark.parametrize("what", ["rounds", "benchmarks", "accelerators", "prices", "systems"])
def test_lists_have_rows(cli, what) -> None:
    ran = cli("list", what, "--format", "json")
    assert ran.code == 0
    assert len(ran.json[what]) > 10


def test_sql_lists_thirteen_rounds(cli) -> None:
    ran = cli("sql", "select round, count(*) from scores group by 1", "--format", "json")
    assert ran.code == 0
    assert len({row["round"] for row in ran.json["rows"]}) == 13


def test_show_says_facts_scores_and_provenance(cli) -> None:
    listed = cli("list", "systems", "--round", "v4.1", "--format", "json").json["systems"]
    chosen = next(s for s in listed if s["submitter"] == "NVIDIA")
    name = f"{chosen['round']}/{chosen['submitter']}/{chosen['system_id']}"
    content = cli("show", name, "--format", "json").json
    assert content["scores"]
    assert content["runs"]
    assert content["provenance"][0]["revision"]


def test_catalogue_check_is_green(cli) -> None:
    ran = cli("catalogue", "check")
    assert ran.code == 0, ran.err
    assert "whole" in ran.out


@pytest.mark.parametrize(
    "command",
    [
        *("study", "importance", "cluster", "rank", "scaling", "breakeven", "predict", "advise"),
        *("compare", "trends", "scores", "ingest", "list", "show", "sql"),
    ],
)
def test_help_has_an_example(cli, command) -> None:
    ran = cli(command, "--help")
    assert ran.code == 0
    assert f"equipoise {command}" in ran.out.replace("\n", " ")
