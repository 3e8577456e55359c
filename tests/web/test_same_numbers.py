"""Command line, HTTP interface and pages say the same numbers, on the bundled catalogue."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from equipoise.catalogue import bundled_path
from equipoise.report.cells import record
from equipoise.report.columns import column
from equipoise.scaling.validate_stored import stored_accuracy
from equipoise.web.commands import COMMANDS, PREFIX

pytestmark = [pytest.mark.slow]

START = "from equipoise.cli.entry import main; main()"
ROUND = ("--round", "v4.1")
FEW = ("--resamples", "50")
EOS = "v4.1/NVIDIA/eos_n8_ngc24.09_nemo"
OTHER = "v4.1/NVIDIA/eos_n128_ngc24.09_nemo"
OWN = ("--measured", "8=180min,16=97min", "--accelerator", "h100-sxm5-80gb")
BOUGHT = ("--purchase", "35000usd", "--years", "5", "--utilisation", "0.4")

ASKED: dict[str, tuple[str, tuple[str, ...]]] = {
    "study": ("bert", (*ROUND, *FEW, "--k", "4")),
    "importance": ("bert", ("--round", "v3.1..v4.1", "--seed", "3")),
    "cluster": ("bert", (*ROUND, "--k", "3")),
    "rank": ("bert", (*ROUND, *FEW, "--weights", "time_to_train_min=2,accelerator_hours=1")),
    "scaling": ("llama2_70b_lora", (*ROUND, *FEW, "--reference", "slowest")),
    "breakeven": ("bert", (*ROUND, *FEW, "--efficiency-floor", "0.7", "--rule", "efficiency")),
    "study-scaling": ("", FEW),
    "predict": ("bert", ("--accelerator", "h200-sxm5-141gb", "--accelerators", "8,64,512")),
    "suggest": ("", OWN),
    "advise": ("llama2_70b_lora", ("--deadline", "30min", "--budget", "300usd", *BOUGHT)),
    "compare": ("", (f"{EOS}/llama2_70b_lora", f"{OTHER}/llama2_70b_lora")),
    "trends": ("retinanet", ()),
    "list": ("", ("accelerators",)),
    "show": ("", (EOS,)),
    "catalogue": ("", ("info",)),
}
"""Question -> benchmark and options on the command line."""
POSITIONAL = {"compare": ("a", "b"), "list": ("what",), "show": ("system-id",), "catalogue": ()}


@pytest.fixture(scope="module")
def bundled(client_of: Callable[[Path], Any]) -> Iterator[Any]:
    made = client_of(bundled_path())
    yield made
    made.close()


def said(*words: str) -> Any:
    """Return the JSON that the command line writes."""
    arguments = [*words, "--format", "json"]
    done = subprocess.run(
        [sys.executable, "-c", START, *arguments],
        capture_output=True,
        check=False,
        env={**os.environ, "NO_COLOR": "1"},
    )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def query(name: str) -> list[tuple[str, str]]:
    """Return the same question as the parameters of a query."""
    benchmark, options = ASKED[name]
    pairs = [("benchmark", benchmark)] if benchmark else []
    places = list(POSITIONAL.get(name, ()))
    rest = list(options)
    while rest:
        word = rest.pop(0)
        if word.startswith("--"):
            pairs.append((word.removeprefix("--"), rest.pop(0)))
        elif places:
            pairs.append((places.pop(0), word))
    return pairs


@pytest.fixture(scope="module")
def answers() -> dict[str, Any]:
    return {}


def answer_of(name: str, answers: dict[str, Any]) -> Any:
    if name not in answers:
        benchmark, options = ASKED[name]
        answers[name] = said(name, *([benchmark] if benchmark else []), *options)
    return answers[name]


def test_every_question_is_asked() -> None:
    apart = {"configurations", "validate"}  # the scores; minutes, so it was stored beforehand
    assert set(ASKED) == set(COMMANDS) - apart


@pytest.mark.parametrize("name", ASKED)
def test_the_interface_answers_as_the_command_line(
    bundled: Any, answers: dict[str, Any], name: str
) -> None:
    found = bundled.get(f"{PREFIX}/{name}", params=query(name))
    assert found.status_code == 200, found.text
    expected = answer_of(name, answers)
    expected.pop("path", None)  # where a catalogue lies is nobody's business over HTTP
    assert found.json() == expected


PAGES: dict[str, tuple[str, str, Sequence[tuple[str, str]]]] = {
    "scaling": ("scaling", "/scaling", [("table-points", "points"), ("table-curves", "curves")]),
    "breakeven": ("breakeven", "/scaling", [("default", "breakevens")]),
    "study": ("study", "/study", [("table-ranking", "ranking")]),
    "study-scaling": ("study-scaling", "/study-scaling", [("table-points", "points")]),
    "predict": ("predict", "/predict", [("table-predictions", "predictions")]),
    "advise": (
        "advise",
        "/advise",
        [
            ("table-options", "options"),
            ("table-purchases", "purchases"),
            ("table-excluded", "excluded"),
        ],
    ),
    "compare": ("compare", "/compare", [("table-comparison", "comparison")]),
    "trends": (
        "trends",
        "/trends",
        [("table-trends", "trends"), ("table-gains", "gains"), ("table-software", "software")],
    ),
    "system": ("show", "/show", [("table-scores", "scores"), ("table-runs", "runs")]),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_the_numbers_of_the_command_line(
    bundled: Any, answers: dict[str, Any], name: str
) -> None:
    asked, path, tables = PAGES[name]
    pairs = [pair for pair in query(asked) if pair[0] != "rule"]
    text = bundled.get(path, params=pairs).text
    expected = answer_of(asked, answers)
    for table, rows in tables:
        wanted = expected[rows]
        if table == "default":  # on the page the curves of the charts come first
            by_curve = {row["curve"]: row for row in wanted if row["default"]}
            heads, body = cells(text, table)
            wanted = [by_curve.pop(line[heads.index("curve")]) for line in body]
            assert not by_curve
        same_numbers(text, table, wanted)


def test_groups_and_variables_of_the_study_page(bundled: Any, answers: dict[str, Any]) -> None:
    text = bundled.get("/study", params=query("study")).text
    expected = answer_of("study", answers)
    same_numbers(text, "matters-0", expected["variables"])
    same_numbers(text, "groups-0", expected["clusters"])


def test_results_and_overview_have_the_scores_of_the_command_line(
    bundled: Any, answers: dict[str, Any]
) -> None:
    scores = said("list", "scores")["scores"]
    text = bundled.get("/benchmark", params={"benchmark": "bert", "round": "v4.1"}).text
    wanted = [
        row
        for row in scores
        if (row["benchmark"], row["round"], row["division"]) == ("bert", "v4.1", "closed")
        and row["time_to_train_min"] is not None
    ]  # those published before were in earlier rounds, so that each stands for itself here
    wanted.sort(key=lambda row: row["time_to_train_min"])
    same_numbers(text, "configurations", wanted)
    fastest = min(
        (r for r in scores if r["benchmark"] == "bert" and r["time_to_train_min"]),
        key=lambda r: (-float(r["round"].removeprefix("v")), r["time_to_train_min"]),
    )
    tile = bundled.get("/").text.partition('data-tile="BERT-large')[2].partition("</li>")[0]
    assert f"{fastest['accelerators']:,d} × {fastest['accelerator_id']}" in tile
    assert fastest["submitter"] in tile


def test_the_accuracy_page_has_the_stored_figures(bundled: Any) -> None:
    text = bundled.get("/validate").text
    rows = bundled.get(f"{PREFIX}/validate").json()["accuracy"]
    stored = [record(row) for row in stored_accuracy().accuracy]
    assert rows == json.loads(json.dumps(stored))
    for protocol in dict.fromkeys(row["protocol"] for row in rows):
        mine = [row for row in rows if row["protocol"] == protocol]
        same_numbers(text, f"table-{protocol}", mine)


def test_the_slider_part_ranks_as_the_command_line(bundled: Any, answers: dict[str, Any]) -> None:
    text = bundled.get("/parts/study", params=query("rank")).text
    same_numbers(text, "table-ranking", answer_of("rank", answers)["ranking"])


def same_numbers(text: str, table: str, rows: Sequence[dict[str, Any]]) -> None:
    """Check every number that a table of a page shows against rows of the command line.

    A cell carries the value itself (seven digits) beside what is read, unless both are alike.
    """
    heads, body = cells(text, table)
    assert body, table
    assert len(body) <= len(rows)
    checked = 0
    for shown, row in zip(body, rows, strict=False):
        for field, value in row.items():
            head = column(field).header
            if heads.count(head) != 1 or isinstance(value, bool | str | list | dict):
                continue
            cell = shown[heads.index(head)]
            checked += 1
            if value is None:
                assert cell in ("", "–"), (table, field, cell)
                continue
            assert cell.replace(",", "").replace(" ", "") in near(value), (table, field, cell, row)
    assert checked >= len(body), (table, heads)


def near(value: float) -> set[str]:
    return {f"{value:.7g}", f"{value:.15g}"}


def cells(text: str, table: str) -> tuple[list[str], list[list[str]]]:
    """Return heads and rows of a table of a page, each cell as the value it carries."""
    start = text.index(f'id="{table}"')
    part = text[start : text.index("</table>", start)]
    heads = [unescape(h) for h in re.findall(r"<th [^>]*>(.*?)</th>", part)]
    found = []
    for row in re.findall(r"<tr><td.*?</tr>", part, re.DOTALL):
        line = []
        for attributes, content in re.findall(r"<td([^>]*)>(.*?)</td>", row, re.DOTALL):
            value = re.search(r'data-v="([^"]*)"', attributes)
            plain = re.sub(r"<[^>]+>|[\u2007\u2008]", "", content)
            line.append(value[1] if value else unescape(plain).strip())
        found.append(line)
    return heads, found
