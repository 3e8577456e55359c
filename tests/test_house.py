"""The rules of the house, checked on every file."""

import ast
import re
import subprocess
from fnmatch import fnmatch
from pathlib import Path

import pytest

from equipoise import units

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "equipoise"
MODULES = sorted(path for path in SOURCE.rglob("*.py"))
MOST_LINES = 400
MOST_LINES_OF_A_FUNCTION = 60
REASON = "# long: "
"""Begins the comment above a longer function that says why."""

MAY_SPEAK = ("cli/*", "__main__.py")
"""Where print and exit are allowed, below src/equipoise."""

FACTORS = {60, 1000, 3600, 8760, 86400, 1024, 2**20, 2**30, 10**6, 10**9, 10**12}
"""Numbers that convert units when something is multiplied or divided by them."""

MACHINE = re.compile(r"(?<![\w.])/(?:work|tmp|root|home|Users|var/folders)/[\w.-]+")
REGISTRY = re.compile(
    r"pypi\.org|pythonhosted|anaconda\.org|artifactory|nexus\.|index-url|extra-index|"
    r"registry\.npmjs|conda\.io",
    re.IGNORECASE,
)
EXAMPLE_PATHS = {"/home/me/rounds"}
"""Paths that docs and doctests show as somebody's own."""

ELSEWHERE = {
    "__main__": ("tests/cli/test_entry.py", "one line"),
    "cli.*": ("tests/cli/test_commands.py", "every command runs there"),
    "web.*": ("tests/web/test_pages.py", "every page and every address is asked there"),
    "workflow.*": ("tests/cli/test_commands.py", "one call of each per command"),
    "advise.*": ("tests/advise/test_recommend.py", "parts of advise()"),
    "catalogue.*": ("tests/catalogue/test_build.py", "parts of build() and open()"),
    "cluster.*": ("tests/cluster/test_analysis.py", "parts of cluster()"),
    "evaluate.*": ("tests/evaluate/test_analysis.py", "parts of importance()"),
    "facts.benchmarks": ("tests/facts/test_lookups.py", "all look-ups"),
    "facts.blocks": ("tests/facts/test_lookups.py", "all look-ups"),
    "rank.methods.*": ("tests/rank/test_methods.py", "walks the registry"),
    "rank.weights.*": ("tests/rank/test_weights.py", "walks the registry"),
    "rank.*": ("tests/rank/test_ranking.py", "parts of rank()"),
    "report.figures.*": ("tests/report/test_figures.py", "every chart"),
    "report.*": ("tests/report/test_tables.py", "parts of render()"),
    "scaling.laws.*": ("tests/scaling/test_laws.py", "walks the registry"),
    "scaling.pooled.*": ("tests/scaling/test_pooled.py", "parts of the model"),
    "scaling.own_job_mixture": ("tests/scaling/test_own_job.py", "part of own_job()"),
    "scaling.analysis": ("tests/scaling/test_summary.py", "part of scaling()"),
    "scaling.locate": ("tests/scaling/test_breakeven.py", "part of breakeven()"),
    "sources.containers.*": ("tests/sources/containers/test_opening.py", "every container"),
    "sources.columns": ("tests/sources/test_measurements.py", "part of the reader"),
    "sources.tabular": ("tests/sources/test_measurements.py", "part of the reader"),
    "sources.copies": ("tests/catalogue/test_link.py", "the rule that links runs"),
    "sources.entries": ("tests/sources/test_systems.py", "part of the reader of systems"),
    "sources.scoring": ("tests/sources/test_assemble.py", "part of read_round()"),
    "sources.extract": ("tests/sources/test_assemble.py", "part of read_round()"),
}
"""Modules without a test file of their own: where they are tested instead, and why there.

A module that some test imports by name needs no row.
"""


def names(paths):
    return [path.relative_to(SOURCE).as_posix() for path in paths]


def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def tracked():
    """Return the files of the repository, or those of the tree where there is no git."""
    try:
        done = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
        )
        found = [ROOT / name for name in done.stdout.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        found = [*ROOT.glob("*.*"), *(p for d in ("src", "tests", "docs") for p in ROOT.glob(d))]
    return [path for path in found if path.is_file()]


@pytest.mark.parametrize("path", MODULES, ids=names(MODULES))
def test_files_are_short(path):
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= MOST_LINES, f"{lines} lines"


@pytest.mark.parametrize("path", MODULES, ids=names(MODULES))
def test_functions_are_short_or_say_why(path):
    """Lines of code count, the docstring does not."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for node in ast.walk(parsed(path)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        docstring = ast.get_docstring(node, clean=False)
        size = node.end_lineno - node.lineno + 1
        size -= len(docstring.splitlines()) if docstring else 0
        first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        near = lines[max(first - 2, 0) : node.lineno]
        reason = any(REASON in line for line in near)
        assert size <= MOST_LINES_OF_A_FUNCTION or reason, f"{node.name}: {size} lines"


@pytest.mark.parametrize("path", MODULES, ids=names(MODULES))
def test_the_library_neither_prints_nor_exits(path):
    if any(fnmatch(path.relative_to(SOURCE).as_posix(), pattern) for pattern in MAY_SPEAK):
        return
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            assert called not in {"print", "exit", "quit", "sys.exit", "breakpoint"}, called
        if isinstance(node, ast.Raise) and node.exc is not None:
            assert "SystemExit" not in ast.unparse(node.exc)


@pytest.mark.parametrize("path", MODULES, ids=names(MODULES))
def test_conversion_factors_have_names(path):
    if path.name == "units.py":
        return
    for node in ast.walk(parsed(path)):
        if not isinstance(node, ast.BinOp) or not isinstance(
            node.op, ast.Mult | ast.Div | ast.FloorDiv | ast.Mod
        ):
            continue
        for side in (node.left, node.right):
            try:
                value = ast.literal_eval(side)
            except ValueError:
                value = _power(side)
            factor = isinstance(value, int | float) and value in FACTORS
            assert not factor, f"line {node.lineno}: {ast.unparse(node)}"


def _power(node):
    """Return the value of `2**30`, None of anything else."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        parts = (node.left, node.right)
        if all(isinstance(part, ast.Constant) for part in parts):
            return node.left.value**node.right.value
    return None


def test_units_are_what_they_say():
    assert units.S_PER_H == units.S_PER_MIN * units.MIN_PER_H
    assert units.MS_PER_MIN == units.MS_PER_S * units.S_PER_MIN
    assert units.KJ_PER_KWH * units.J_PER_KJ == units.S_PER_H * units.WH_PER_KWH
    assert units.BYTES_PER_GIB == units.BYTES_PER_MIB * units.GIB_PER_TIB


TEXTS = {".py", ".md", ".toml", ".txt", ".cfg", ".csv", ".yaml", ".yml", ".html", ".css", ".js", ""}


def test_no_file_names_a_machine_or_a_registry():
    found = []
    for path in tracked():
        if path.suffix not in TEXTS or path == Path(__file__).resolve():
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        name = path.relative_to(ROOT).as_posix()
        paths = {m[0] for m in MACHINE.finditer(text)}
        shown = {p for p in paths if not any(e.startswith(p) for e in EXAMPLE_PATHS)}
        found += [f"{name}: {path}" for path in sorted(shown)]
        found += [f"{name}: {m[0]}" for m in REGISTRY.finditer(text)]
    assert found == []


def test_nothing_is_left_to_do():
    word = re.compile(r"\b(?:TODO|FIXME|XXX)\b(?!\")")
    for path in MODULES:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            comment = line.partition("#")[2]
            assert not word.search(comment), f"{path}:{number}"


def imported_by_tests():
    found = set()
    for path in (ROOT / "tests").rglob("*.py"):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def test_every_module_is_tested_somewhere():
    imported = imported_by_tests()
    missing = []
    for path in MODULES:
        relative = path.relative_to(SOURCE)
        name = ".".join(relative.with_suffix("").parts)
        mirror = ROOT / "tests" / relative.parent / f"test_{path.stem}.py"
        if path.name == "__init__.py" or mirror.is_file() or f"equipoise.{name}" in imported:
            continue
        rows = [where for pattern, (where, _) in ELSEWHERE.items() if fnmatch(name, pattern)]
        if not any((ROOT / where).is_file() for where in rows):
            missing.append(name)
    assert missing == []


def test_no_row_of_the_list_is_idle():
    idle = []
    known = [".".join(p.relative_to(SOURCE).with_suffix("").parts) for p in MODULES]
    for pattern, (where, _) in ELSEWHERE.items():
        if not any(fnmatch(name, pattern) for name in known) or not (ROOT / where).is_file():
            idle.append(pattern)
    assert idle == []
