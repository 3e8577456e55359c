"""Write docs/reproduction.md and its charts: the papers' claims, tested on the bundled catalogue.

Usage: python benchmarks/reproduction.py [--check]

`--check` changes nothing and leaves with code 1 where the page is out of date: another claim,
test or verdict, or a number that moved by more than a tenth (the last digits of a resampled
interval may differ between machines). `tests/docs/test_reproduction.py` does so too.
"""

import re
import sys
from pathlib import Path

import equipoise as eq
from equipoise.report.export import save
from equipoise.workflow.answer import Answer

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "reproduction.md"
FIGURES = ROOT / "docs" / "figures"
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
TOLERANCE = 0.1
SOURCES = {
    "ranking paper": "Selecting and ranking GPU configurations on ResNet-50 (three stages)",
    "scaling paper": "Scaling efficiency of GPUs on four workloads of MLPerf Training v4.1",
}

HEAD = """# The papers' claims, tested

<!-- written by benchmarks/reproduction.py -->

equipoise grew out of two papers on MLPerf Training results. What is tested here comes from
machine-made summaries of them, put in our words, not from the papers themselves: where the data
disagree, the summary may be at fault. Every verdict is computed from the bundled catalogue by the
analyses that answer all other questions; nothing on this page is written by hand.

```console
equipoise reproduce
```

`--format json` has all numbers behind the evidence, `--report FILE.html` every chart.

"""


def page(answer: Answer) -> str:
    """Return the page."""
    rows = answer.tables["claims"]
    counts = answer.extra["verdicts"]
    parts = [HEAD]
    parts.append("| verdict | claims | numbers |\n|---|---:|---|\n")
    for verdict, count in counts.items():
        which = ", ".join(f"[{r.id}](#claim-{r.id})" for r in rows if r.verdict == verdict)
        parts.append(f"| {verdict} | {count} | {which} |\n")
    drawn: set[str] = set()
    for source in dict.fromkeys(row.source for row in rows):
        parts.append(f"\n## {SOURCES[source]}\n")
        for row in rows:
            if row.source == source:
                parts.append(_claim(row, drawn))
    parts.append("\n## Footnotes\n\n" + "\n".join(f"* {text}" for text in answer.footnotes) + "\n")
    return "".join(parts)


def _claim(row, drawn: set[str]) -> str:
    text = (
        f"\n### Claim {row.id}\n\n{row.claim}\n\n"
        f"**Verdict: {row.verdict}.** {row.evidence}\n\n*Test:* {row.test}\n"
    )
    if row.figure is None:
        return text
    if row.figure in drawn:
        return text + f"\n*Figure:* [{row.figure}](figures/{row.figure}.svg)\n"
    drawn.add(row.figure)
    return text + f"\n![{row.figure}](figures/{row.figure}.svg)\n"


def same(one: str, other: str) -> bool:
    """Return whether two pages say the same, numbers within the tolerance."""
    if NUMBER.sub("#", one) != NUMBER.sub("#", other):
        return False
    pairs = zip(NUMBER.findall(one), NUMBER.findall(other), strict=True)
    return all(_near(float(a.replace(",", "")), float(b.replace(",", ""))) for a, b in pairs)


def _near(a: float, b: float) -> bool:
    return abs(a - b) <= TOLERANCE * max(abs(a), abs(b)) + 0.011


def main(arguments: list[str]) -> int:
    with eq.open_catalogue() as catalogue:
        answer = eq.reproduce(catalogue)
        text = page(answer)
        if "--check" in arguments:
            fresh = same(PAGE.read_text(encoding="utf-8"), text)
            if not fresh:
                print(f"{PAGE.name} is out of date: run python benchmarks/reproduction.py")
            return 0 if fresh else 1
        PAGE.write_text(text, encoding="utf-8")
        FIGURES.mkdir(exist_ok=True)
        for name in answer.charts:
            save(answer.result.evidence.figure(name), FIGURES / f"{name}.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
