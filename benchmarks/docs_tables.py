"""Write what is generated in docs/: tables from facts and catalogue, excerpts of real output.

Usage: python benchmarks/docs_tables.py [--check]

A table stands between `<!-- table: NAME -->` and `<!-- end -->`. An excerpt stands between
`<!-- output: A-B -->` and `<!-- end -->` below the commands that print it: lines A to B of the
last one. `--check` changes nothing and leaves with code 1 where something is out of date;
`tests/docs/test_tables.py` does so for the tables.
"""

import io
import re
import shlex
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from statistics import median

import numpy as np

from equipoise import facts
from equipoise.catalogue import Catalogue
from equipoise.domain import Configuration
from equipoise.metrics.criteria import CRITERIA
from equipoise.metrics.throughput import MAX_RATIO
from equipoise.metrics.variables import VARIABLES
from equipoise.rank.methods import METHODS
from equipoise.rank.weights import WEIGHTINGS
from equipoise.scaling.decompose import coverage, inconsistency
from equipoise.scaling.fit import why_refused
from equipoise.scaling.laws import LAWS, Law
from equipoise.scaling.rules import RULES
from equipoise.sources.verdict import FAILURES
from equipoise.units import S_PER_MIN

ROOT = Path(__file__).resolve().parents[1]
PAGES = (ROOT / "docs" / "methods.md", ROOT / "docs" / "data.md")
QUESTIONS = tuple(sorted((ROOT / "docs" / "questions").glob("*.md")))
SHOWN = re.compile(
    r"(```console\n((?:(?!```).)*?)```\n\n<!-- output: (\d+)-(\d+) -->\n)(.*?)(<!-- end -->)",
    re.DOTALL,
)
WIDTH = 118
MARKED = re.compile(r"(<!-- table: ([\w-]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)

REASONS = {
    **FAILURES,
    "not-in-this-clone": "the clone was made without this file (4 MiB and more)",
    "unread-runs": "a configuration some of whose result files cannot be read",
    "too-many-failures": "more runs failed than are dropped",
    "no-result-files": "a folder of a benchmark without result_*.txt",
    "nested-folder": "result files in a folder inside a benchmark's folder",
    "odd-place": "a folder named results that is not one of the round",
    "bad-count": "a count of nodes or accelerators that is not what the result used",
    "refused-rule": "a benchmark whose rule of that round is not applied (NCF)",
}
"""Codes of rejections in words; `python benchmarks/docs_tables.py` fails on a new one."""


def rows_of(catalogue: Catalogue, query: str) -> list[tuple]:
    return list(catalogue.sql(query)[1])


def markdown(header: Sequence[str], rows: Iterable[Sequence[object]], *, right: int = 0) -> str:
    """Return a table; columns from `right` on hold numbers."""
    marks = ["---" if i < right or right == 0 else "---:" for i in range(len(header))]
    lines = [header, marks, *rows]
    text = "\n".join("| " + " | ".join(_cell(c) for c in line) + " |" for line in lines)
    return f"\n{text}\n\n"


def _cell(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, int):
        return f"{value:,}"
    return str(value).replace("|", "\\|")


def _yes(truth: bool) -> str:
    return "yes" if truth else "no"


def rounds(catalogue: Catalogue) -> str:
    found = rows_of(
        catalogue,
        "select r.round, publication_date, systems, runs, scores, "
        "(select count(*) from scores s where s.round = r.round and time_to_train_min is null), "
        "rejections, runs_linked, substr(revision, 1, 12) from rounds r",
    )
    order = sorted(found, key=lambda row: facts.round_index(row[0]))
    body = [[*row[:-1], f"`{row[-1]}`"] for row in order]
    total = ["all", "", *(sum(row[i] for row in found) for i in range(2, 8)), ""]
    header = (
        "round", "published", "systems", "runs", "configurations", "without score",
        "rejections", "copies of other runs", "commit",
    )  # fmt: skip
    return markdown(header, [*body, total], right=2)


def blocks(catalogue: Catalogue) -> str:
    body = [
        (
            f"`{item.id}`", item.pretty_name, block.name, block.min_runs, block.dropped_each_end,
            ", ".join(dict.fromkeys(f"`{block.folder(name)}`" for name in block.rounds)),
            block.target_text or "", block.sample_unit or "",
        )
        for item in facts.benchmarks()
        for block in item.blocks
    ]  # fmt: skip
    header = (
        "id", "benchmark", "block", "runs", "dropped each end", "folder", "quality target",
        "sample",
    )  # fmt: skip
    return markdown(header, body)


def rejections(catalogue: Catalogue) -> str:
    found = rows_of(
        catalogue,
        "select code, count(*), string_agg(distinct round, ' ') from rejections group by 1 "
        "order by 2 desc, 1",
    )
    body = [
        (f"`{code}`", REASONS[code], n, " ".join(sorted(names.split(), key=facts.round_index)))
        for code, n, names in found
    ]
    return markdown(("code", "what", "count", "rounds"), body)


def every(catalogue: Catalogue) -> list[Configuration]:
    found: list[Configuration] = []
    for item in facts.benchmarks():
        for block in item.blocks:
            found += catalogue.configurations(
                benchmark=item.id, rounds=block.rounds, divisions=("closed",)
            )
    return found


def decomposition(catalogue: Catalogue) -> str:
    configurations = every(catalogue)
    found = coverage(configurations)
    with_log = set(
        rows_of(
            catalogue,
            "select distinct round, submitter, system_id, benchmark from runs "
            "where success and throughput_source = 'logged'",
        )
    )
    own_figure = Counter(
        c.benchmark
        for c in configurations
        if inconsistency(c) is None and (c.round, c.submitter, c.system_id, c.benchmark) in with_log
    )
    by_benchmark = defaultdict(list)
    for row in found:
        by_benchmark[row.benchmark].append(row)
    body = []
    for name, rows in by_benchmark.items():
        shares = [r.training_share_median for r in rows if r.training_share_median is not None]
        per_round = sorted(rows, key=lambda r: facts.round_index(r.round))
        words = ", ".join(f"{r.round} {r.decomposable}/{r.configurations}" for r in per_round)
        body.append(
            (
                f"`{name}`", sum(r.configurations for r in rows),
                sum(r.decomposable for r in rows), own_figure[name],
                sum(r.not_logged for r in rows), sum(r.disagreeing for r in rows),
                median(shares) if shares else None, words,
            )
        )  # fmt: skip
    total = [sum(row[i] for row in body) for i in range(1, 6)]
    header = (
        "benchmark", "configurations", "decomposable", "with a logged throughput", "not logged",
        "units disagree",
        "median share of training", "decomposable by round",
    )  # fmt: skip
    return markdown(header, [*body, ("all", *total, None, "")])


def throughput(catalogue: Catalogue) -> str:
    found = rows_of(
        catalogue,
        "select benchmark, throughput_logged, samples_to_converge, time_to_train_min, "
        "throughput_source from runs where success",
    )
    groups: dict[str, list[tuple]] = defaultdict(list)
    for name, *values in found:
        groups[name].append(tuple(values))
    body, totals = [], Counter()
    for name, runs in sorted(groups.items()):
        both = [(x / (n / (t * S_PER_MIN)), source) for x, n, t, source in runs if x and n and t]
        near = [ratio for ratio, _ in both if 1 / MAX_RATIO <= ratio <= MAX_RATIO]
        of_one = sum(ratio < 1 / MAX_RATIO and source == "logged" for ratio, source in both)
        row = (
            len(runs), sum(bool(x) for x, *_ in runs), sum(bool(n) for _, n, *_ in runs),
            len(both), len(both) - len(near), of_one,
        )  # fmt: skip
        totals.update(dict(enumerate(row)))
        body.append((f"`{name}`", *row, median(near) if near else None))
    body.append(("all", *(totals[i] for i in range(6)), None))
    header = (
        "benchmark", "successful runs", "throughput logged", "samples known", "both",
        "more than 2x apart", "of these, logged for one accelerator",
        "median logged / computed of the others",
    )  # fmt: skip
    return markdown(header, body, right=1)


def progress(catalogue: Catalogue) -> str:
    body = []
    for item in facts.benchmarks():
        for block in item.blocks:
            units: dict[str, list[str]] = defaultdict(list)
            for name in block.rounds:
                units[block.progress_unit(name).unit].append(name)
            for unit, names in units.items():
                span = names[0] if len(names) == 1 else f"{names[0]}..{names[-1]}"
                body.append((f"`{item.id}`", span, unit, block.train_samples_per_epoch))
    return markdown(("benchmark", "rounds", "progress is logged in", "samples per epoch"), body)


def fewest(law: Law) -> int:
    """Return the least number of different counts at which a law is fitted."""
    return next(n for n in range(1, 10) if why_refused(law, np.arange(1.0, n + 1)) is None)


def laws(catalogue: Catalogue) -> str:
    body = [
        (
            f"`{law.name}`", f"`{law.formula}`",
            ", ".join(f"{p.name} [{p.unit}]" for p in law.parameters), fewest(law), law.source,
        )
        for law in LAWS.values()
    ]  # fmt: skip
    return markdown(("law", "formula", "parameters", "fewest counts", "source"), body)


def rules(catalogue: Catalogue) -> str:
    body = [
        (
            f"`{rule.name}`", rule.title, rule.least_points,
            _yes(rule.depends_on_range), rule.source,
        )
        for rule in RULES.values()
    ]  # fmt: skip
    return markdown(("rule", "title", "fewest counts", "depends on the range", "source"), body)


def criteria(catalogue: Catalogue) -> str:
    body = [
        (
            f"`{c.name}`",
            c.unit,
            c.direction,
            "yes" if c.official else "no",
            c.source,
            c.availability,
        )
        for c in CRITERIA.values()
    ]
    return markdown(("criterion", "unit", "better", "official", "what", "who has it"), body)


def variables(catalogue: Catalogue) -> str:
    body = [(f"`{v.name}`", v.unit or "name", v.theme, v.source) for v in VARIABLES.values()]
    return markdown(("variable", "unit", "theme", "from"), body)


def ranking_methods(catalogue: Catalogue) -> str:
    body = [(f"`{m.name}`", m.title, m.source) for m in METHODS.values()]
    return markdown(("method", "title", "source"), body)


def weightings(catalogue: Catalogue) -> str:
    body = [(f"`{w.name}`", w.source) for w in WEIGHTINGS.values()]
    return markdown(("weighting", "source"), body)


TABLES: dict[str, Callable[[Catalogue], str]] = {
    "rounds": rounds,
    "blocks": blocks,
    "rejections": rejections,
    "decomposition": decomposition,
    "throughput": throughput,
    "progress": progress,
    "laws": laws,
    "rules": rules,
    "criteria": criteria,
    "variables": variables,
    "ranking-methods": ranking_methods,
    "weightings": weightings,
}


def with_tables(text: str, catalogue: Catalogue) -> str:
    """Return a page with its tables made anew."""
    return MARKED.sub(lambda m: f"{m[1]}{TABLES[m[2]](catalogue)}{m[4]}", text)


def output_of(command: str) -> list[str]:
    """Return the lines that a command prints to stdout."""
    from equipoise.cli.entry import run

    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        run(shlex.split(command, comments=True)[1:])
    return out.getvalue().splitlines()


def with_output(text: str) -> str:
    """Return a page with its excerpts made anew."""

    def fresh(match: re.Match[str]) -> str:
        command = match[2].strip().splitlines()[-1]
        lines = output_of(command)[int(match[3]) - 1 : int(match[4])]
        cut = [line[:WIDTH].rstrip() + (" ..." if len(line) > WIDTH else "") for line in lines]
        shown = "\n".join(cut)
        return f"{match[1]}```text\n{shown}\n```\n{match[6]}"

    return SHOWN.sub(fresh, text)


def main(arguments: Sequence[str]) -> int:
    stale = []
    with Catalogue.open(None) as catalogue:
        for page in (*PAGES, *QUESTIONS):
            old = page.read_text(encoding="utf-8")
            new = with_output(old) if page in QUESTIONS else with_tables(old, catalogue)
            if new != old:
                stale.append(page.name)
                if "--check" not in arguments:
                    page.write_text(new, encoding="utf-8")
    print(f"out of date: {', '.join(stale) or 'nothing'}")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
