"""The HTTP interface: the command line's answers, documented, bounded, read-only."""

import csv
import io
import json
from typing import Any

import click
import pytest

from equipoise.report.tables import render
from equipoise.web.commands import COMMANDS
from equipoise.workflow import analyses, browse, decisions
from equipoise.workflow.paper2 import study_scaling
from equipoise.workflow.study import study

KEY = "v4.1/Acme/h100-sxm5-80gb_n8/bert"
OTHER = "v4.1/Acme/h100-sxm5-80gb_n16/bert"
PREDICTED = {"benchmark": "bert", "accelerator": "h100-sxm5-80gb", "accelerators": "8,64"}
MEASURED = {"measured": "8=180min,16=97min", "accelerator": "h100-sxm5-80gb"}
ASKED: dict[str, dict[str, Any]] = {
    "configurations": {"benchmark": "bert"},
    "study": {"benchmark": "bert", "resamples": 20, "k": 3},
    "importance": {"benchmark": "bert"},
    "cluster": {"benchmark": "bert", "k": "auto"},
    "rank": {"benchmark": "bert", "resamples": 20},
    "scaling": {"benchmark": "bert", "resamples": 20},
    "breakeven": {"benchmark": "bert", "resamples": 20, "rule": ["power", "knee"]},
    "study-scaling": {"resamples": 20},
    "predict": PREDICTED,
    "suggest": MEASURED,
    "advise": {"benchmark": "bert", "deadline": "2h", "measured-only": "true"},
    "compare": {"a": KEY, "b": OTHER},
    "trends": {"benchmark": "bert"},
    "list": {"what": "scores"},
    "show": {"system-id": KEY.removesuffix("/bert")},
    "catalogue": {},
}


def api(client: Any, name: str, **params: Any) -> Any:
    found = client.get(f"/api/v1/{name}", params=params)
    assert found.status_code == 200, found.text
    return found


@pytest.mark.parametrize("name", ASKED)
def test_every_question_is_answered(client: Any, name: str) -> None:
    found = api(client, name, **ASKED[name])
    content = found.json()
    assert found.headers["content-type"] == "application/json"
    assert {"selection", "footnotes", "warnings"} <= set(content)
    if COMMANDS[name].main != "rows":
        assert len(content[COMMANDS[name].main]) == int(found.headers["x-total-count"])


def test_only_validate_is_too_slow_for_the_list() -> None:
    assert set(COMMANDS) - set(ASKED) == {"validate"}


@pytest.mark.parametrize(
    ("name", "ask"),
    [
        ("scaling", lambda c: analyses.scaling(c, "bert", resamples=20)),
        ("rank", lambda c: analyses.rank(c, "bert", resamples=20)),
        ("cluster", lambda c: analyses.cluster(c, "bert", k="auto")),
        (
            "breakeven",
            lambda c: analyses.breakeven(c, "bert", rules=("power", "knee"), resamples=20),
        ),
        ("study-scaling", lambda c: study_scaling(c, resamples=20)),
        ("study", lambda c: study(c, "bert", resamples=20, k=3)),
        ("trends", lambda c: decisions.trends(c, "bert")),
        ("compare", lambda c: decisions.compare(c, KEY, OTHER)),
        ("list", lambda c: browse.list_things(c, "scores")),
    ],
)
def test_the_answer_is_that_of_the_workflow(
    client: Any, catalogue: Any, name: str, ask: Any
) -> None:
    assert api(client, name, **ASKED[name]).text == render(ask(catalogue), form="json")


def test_csv_and_markdown_are_those_of_the_command_line(client: Any, catalogue: Any) -> None:
    answer = analyses.scaling(catalogue, "bert", resamples=20)
    for form, kind in (("csv", "text/csv"), ("markdown", "text/markdown")):
        found = api(client, "scaling", **ASKED["scaling"], format=form)
        assert found.headers["content-type"].startswith(kind)
        assert found.content.decode() == render(answer, form=form)
    curves = api(client, "scaling", **ASKED["scaling"], format="csv", table="curves")
    assert curves.content.decode() == render(answer, form="csv", table="curves")


def test_no_cell_of_csv_starts_a_formula(client: Any) -> None:
    text = api(client, "configurations", benchmark="bert", format="csv").content.decode()
    for row in csv.reader(io.StringIO(text)):
        assert all(not cell.startswith(("=", "+", "@", "\t")) for cell in row)
    assert "'=cmd" in text


def test_names_of_options_may_be_written_with_underscores_on_pages_only(client: Any) -> None:
    hyphens = api(client, "configurations", benchmark="bert", **{"max-accelerators": 16})
    assert {row["accelerators"] for row in hyphens.json()["configurations"]} == {8, 16}
    refused = client.get("/api/v1/configurations?benchmark=bert&max_accelerators=16")
    assert refused.status_code == 400
    assert "did you mean max-accelerators?" in refused.json()["detail"]


def test_limit_and_offset_cut_one_table_and_say_so(client: Any) -> None:
    whole = api(client, "rank", **ASKED["rank"]).json()
    found = api(client, "rank", **ASKED["rank"], limit=3, offset=2)
    content = found.json()
    assert content["ranking"] == whole["ranking"][2:5]
    assert content["criteria"] == whole["criteria"]
    assert content["page"] == {
        "table": "ranking",
        "offset": 2,
        "limit": 3,
        "total": len(whole["ranking"]),
    }
    assert "page" not in whole
    beyond = api(client, "rank", **ASKED["rank"], offset=10_000).json()
    assert beyond["ranking"] == []


@pytest.mark.parametrize(
    ("name", "params", "status", "said"),
    [
        ("scaling", {}, 400, "benchmark"),
        ("scaling", {"benchmark": "brt"}, 422, "did you mean 'bert'"),
        ("scaling", {"benchmark": "bert", "resamples": 10**9}, 400, "resamples"),
        ("scaling", {"benchmark": "bert", "resamples": -1}, 400, "resamples"),
        ("scaling", {"benchmark": "bert", "efficiency-flor": 1}, 400, "unknown parameter"),
        ("breakeven", {"benchmark": "bert", "efficiency-floor": "nan"}, 400, "efficiency-floor"),
        ("breakeven", {"benchmark": "bert", "efficiency-floor": 1.5}, 400, "efficiency-floor"),
        ("rank", {"benchmark": "bert", "limit": 0}, 400, "limit"),
        ("rank", {"benchmark": "bert", "table": "nope"}, 422, "unknown table"),
        ("rank", {"benchmark": "bert", "method": "magic"}, 400, "method"),
        ("rank", {"benchmark": "bert", "min-accelerators": 9, "max-accelerators": 2}, 422, ">"),
        ("configurations", {"benchmark": "bert", "submitter": "Nobody"}, 422, "submitter"),
        ("configurations", {"benchmark": "bert", "submitter": "a\x00b"}, 400, "submitter"),
        ("configurations", {"benchmark": "resnet"}, 404, "no scored configuration"),
        ("configurations", {"benchmark": "bert", "round": ["v1.0"] * 65}, 400, "round"),
        ("predict", {**PREDICTED, "measured": "../../secret.csv"}, 400, "measured"),
        ("predict", {**PREDICTED, "accelerators": "8;drop"}, 400, "accelerators"),
        ("advise", {"benchmark": "bert", "prices": "prices.csv"}, 400, "unknown parameter"),
        ("show", {"system-id": "../../../passwd"}, 422, "unknown system"),
        ("list", {"what": "secrets"}, 400, "what"),
    ],
)
def test_problems_are_documents_that_name_the_parameter(
    client: Any, name: str, params: dict[str, Any], status: int, said: str
) -> None:
    found = client.get(f"/api/v1/{name}", params=params)
    content = found.json()
    assert (found.status_code, content["status"]) == (status, status)
    assert found.headers["content-type"] == "application/problem+json"
    assert set(content) >= {"type", "title", "status", "detail"}
    text = json.dumps(content)
    assert said in text or (said == ">" and "greater" in text)


def test_there_is_no_way_to_sql_or_to_files(client: Any) -> None:
    assert client.get("/api/v1/sql", params={"query": "select 1"}).status_code == 404
    assert client.get("/api/v1/scores", params={"source": "/etc"}).status_code == 404
    for path in ("/assets/-/../app.py", "/assets/-/..%2fapp.py", "/assets/-/%2e%2e%2fapp.py"):
        assert client.get(path).status_code >= 400


def test_the_document_describes_every_question(client: Any) -> None:
    document = client.get("/api/v1/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    assert set(document["paths"]) == {f"/api/v1/{name}" for name in COMMANDS}
    for name, command in COMMANDS.items():
        described = document["paths"][f"/api/v1/{name}"]["get"]
        names = {parameter["name"] for parameter in described["parameters"]}
        assert {option.name for option in command.options} <= names
        assert {"200", "400", "404", "422", "503"} <= set(described["responses"])


def test_the_page_of_the_interface_lists_every_parameter(client: Any) -> None:
    text = client.page("/api").text
    for command in COMMANDS.values():
        assert f'id="c-{command.name}"' in text
        for option in command.options:
            assert f"<code>{option.name}</code>" in text


def test_options_are_those_of_the_command_line() -> None:
    """Every option of an analysis on the command line is a parameter, and the reverse."""
    from equipoise.cli.app import application

    group = application()
    context = click.Context(group)
    output = {"format", "out", "report"}
    local = {"prices", "rate", "workers", "scheduler"}  # files, processes of the one who types
    for name, command in COMMANDS.items():
        if name in ("configurations", "catalogue", "list", "show"):
            continue
        typed: Any = group.get_command(context, name)
        names = {
            option.removeprefix("--")
            for parameter in typed.params
            for option in parameter.opts
            if option.startswith("--")
        }
        names |= {p.name for p in typed.params if p.param_type_name == "argument"}
        assert names - output - local - {"help"} == {o.name for o in command.options}, name
