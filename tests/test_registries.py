"""Every entry of every registry has its file, its test and its place in the docs."""

import re
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

from equipoise import facts
from equipoise.cluster.methods import METHODS as CLUSTERINGS
from equipoise.metrics.criteria import ALIASES, CRITERIA
from equipoise.metrics.variables import VARIABLES
from equipoise.rank.methods import METHODS as RANKINGS
from equipoise.rank.weights import WEIGHTINGS
from equipoise.scaling.laws import LAWS
from equipoise.scaling.rules import DEFAULT_RULE, RULES
from equipoise.sources.verdict import FAILURES

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "equipoise"
METHODS_PAGE = "docs/methods.md"
DATA_PAGE = "docs/data.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Registry:
    """Where the entries of a registry must be found."""

    name: str
    entries: tuple[str, ...]
    file: str
    """Path of the entry's code with `{entry}`, below src/equipoise."""
    tests: tuple[str, ...]
    """Tests that must name every entry; in a test the entry stands as a word."""
    page: str = METHODS_PAGE


CONTAINERS = ("folder", "git", "gitclone", "remote", "tar", "zip")
"""Kinds of sources; `test_containers_are_all_listed` keeps the list complete."""

REGISTRIES = (
    Registry(
        name="scaling laws",
        entries=tuple(LAWS),
        file="scaling/laws/{entry}.py",
        tests=("tests/scaling", "tests/published"),
    ),
    Registry(
        name="break-even rules",
        entries=tuple(RULES),
        file="scaling/rules.py",
        tests=("tests/scaling",),
    ),
    Registry(
        name="ranking methods",
        entries=tuple(RANKINGS),
        file="rank/methods/{entry}.py",
        tests=("tests/rank", "tests/published"),
    ),
    Registry(
        name="weightings",
        entries=tuple(WEIGHTINGS),
        file="rank/weights/{entry}.py",
        tests=("tests/rank",),
    ),
    Registry(
        name="clustering methods",
        entries=tuple(CLUSTERINGS),
        file="cluster/methods.py",
        tests=("tests/cluster",),
    ),
    Registry(
        name="criteria",
        entries=tuple(CRITERIA),
        file="metrics/criteria.py",
        tests=("tests/metrics/test_criteria.py",),
    ),
    Registry(
        name="explanatory variables",
        entries=tuple(VARIABLES),
        file="metrics/variables.py",
        tests=("tests/metrics/test_variables.py",),
    ),
    Registry(
        name="reasons why a run fails",
        entries=tuple(FAILURES),
        file="sources/verdict.py",
        tests=("tests/sources",),
    ),
    Registry(
        name="kinds of sources",
        entries=CONTAINERS,
        file="sources/containers/{entry}.py",
        tests=("tests/sources/containers",),
        page="docs/questions/add-round.md",
    ),
    Registry(
        name="benchmarks",
        entries=tuple(item.id for item in facts.benchmarks()),
        file="facts/data/benchmarks.csv",
        tests=("tests/facts",),
        page=DATA_PAGE,
    ),
)
PAIRS = [(registry, entry) for registry in REGISTRIES for entry in registry.entries]
IDS = [f"{registry.name}: {entry}" for registry, entry in PAIRS]
WALKS = {
    "scaling laws": r"\bLAWS\b",
    "ranking methods": r"\bMETHODS\b",
    "clustering methods": r"\bMETHODS\b",
    "weightings": r"\bWEIGHTINGS\b",
    "criteria": r"\bCRITERIA\b",
    "explanatory variables": r"\bVARIABLES\b",
    "break-even rules": r"\b(ALL_RULES|RULES)\b",
    "reasons why a run fails": r"\bFAILURES\b",
    "benchmarks": r"\bbenchmarks\(\)",
}
"""How a test that walks the whole registry names it."""


def text_of(places):
    files = []
    for place in places:
        path = ROOT / place
        files += [path] if path.is_file() else sorted(path.rglob("*.py"))
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


@pytest.fixture(scope="module")
def tests_of():
    return {registry.name: text_of(registry.tests) for registry in REGISTRIES}


@pytest.mark.parametrize(("registry", "entry"), PAIRS, ids=IDS)
def test_entry_has_its_file(registry, entry):
    path = SOURCE / registry.file.format(entry=entry)
    assert path.is_file()
    if "{entry}" not in registry.file:
        assert re.search(rf"(?<![\w-]){re.escape(entry)}(?![\w-])", path.read_text("utf-8"))


@pytest.mark.parametrize(("registry", "entry"), PAIRS, ids=IDS)
def test_entry_has_a_test(registry, entry, tests_of):
    text = tests_of[registry.name]
    named = re.search(rf"(?<![a-z0-9-]){re.escape(entry)}(?![a-z0-9-])", text, re.IGNORECASE)
    walked = registry.name in WALKS and re.search(WALKS[registry.name], text)
    assert named or walked, f"no test of {registry.tests} names {entry}"


@pytest.mark.parametrize(("registry", "entry"), PAIRS, ids=IDS)
def test_entry_is_in_the_docs(registry, entry):
    text = (ROOT / registry.page).read_text(encoding="utf-8")
    word = entry if registry.name == "kinds of sources" else f"`{entry}`"
    if entry in {"gitclone", "remote"}:
        word = "address"
    assert word in text


@pytest.mark.parametrize("folder", ["scaling/laws", "rank/methods", "rank/weights"])
def test_every_file_is_an_entry(folder):
    registered = {
        "scaling/laws": set(LAWS),
        "rank/methods": set(RANKINGS),
        "rank/weights": {*WEIGHTINGS, "user"},
    }[folder]
    files = {path.stem for path in (SOURCE / folder).glob("*.py")} - {"__init__", "base"}
    assert files == registered


def test_containers_are_all_listed():
    folder = SOURCE / "sources" / "containers"
    classes = {
        path.stem
        for path in folder.glob("*.py")
        if re.search(r"^class \w+Source\b", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    missing = classes - {*CONTAINERS, "intake"}
    assert not missing, f"{sorted(missing)}: a row in CONTAINERS of this file, tests and docs"


def test_names_are_their_own():
    for registry in (LAWS, RULES, RANKINGS, WEIGHTINGS, CLUSTERINGS, CRITERIA, VARIABLES):
        assert all(name == item.name for name, item in registry.items())
    assert DEFAULT_RULE in RULES
    assert set(ALIASES.values()) <= set(CRITERIA)


@pytest.mark.parametrize("registry", [LAWS, RULES, RANKINGS, WEIGHTINGS, CRITERIA, VARIABLES])
def test_every_entry_says_where_it_comes_from(registry):
    assert [name for name, item in registry.items() if not item.source.strip()] == []


@pytest.mark.parametrize("item", facts.benchmarks(), ids=lambda item: item.id)
def test_benchmark_is_complete(item):
    for block in item.blocks:
        for name in block.rounds:
            assert facts.benchmark_of_folder(name, block.folder(name)) == item
            assert block.progress_unit(name).unit
            if facts.run_rule(name, "closed") is not None and facts.round_named(name).published:
                assert facts.quality_rule(name, "closed", item.id) is not None, name


def test_every_round_has_its_benchmarks():
    for item in facts.rounds():
        held = {b.id for b in facts.benchmarks() if facts.block_of(b.id, item.name) is not None}
        assert set(item.benchmarks) == held, item.name


def test_every_command_is_in_the_docs():
    from equipoise.cli.app import application

    pages = text_of(["README.md", "docs/methods.md", "docs/data.md"])
    pages += "\n".join(p.read_text(encoding="utf-8") for p in (ROOT / "docs").rglob("*.md"))
    app = application()
    commands = app.list_commands(click.Context(app))
    missing = [name for name in commands if f"equipoise {name}" not in pages]
    assert missing == []


@pytest.mark.parametrize(
    ("command", "option", "registry"),
    [
        ("breakeven", "--rule", RULES),
        ("cluster", "--method", CLUSTERINGS),
        ("rank", "--method", RANKINGS),
        ("rank", "--weights", WEIGHTINGS),
        ("rank", "--criteria", CRITERIA),
        ("importance", "--target", CRITERIA),
        ("study", "--method", RANKINGS),
    ],
)
def test_the_help_lists_every_name_and_the_shell_completes_them(command, option, registry):
    from equipoise.cli.app import application

    app = application()
    found = app.get_command(click.Context(app), command)
    (item,) = (p for p in found.params if option in p.opts)
    text = " ".join(found.get_help(found.context_class(found)).split())
    assert ", ".join(list(registry)[:-1]) + f" or {list(registry)[-1]}" in text
    offered = [c.value for c in item.shell_complete(click.Context(found), "")]
    assert offered == list(registry)


def test_the_dashboard_offers_every_name():
    from equipoise.web import options

    assert options.RULES.choices == tuple(RULES)
    assert options.CLUSTER_METHOD.choices == tuple(CLUSTERINGS)
    assert options.RANK_METHOD.choices == tuple(RANKINGS)
    assert all(name in options.RANK_WEIGHTS.help for name in WEIGHTINGS)


def test_every_public_name_is_there():
    import equipoise as eq

    for name in eq.__all__:
        assert getattr(eq, name) is not None
