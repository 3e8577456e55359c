"""The pages and their fenced blocks."""

import importlib.util
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = (
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    *sorted((ROOT / "docs").rglob("*.md")),
)
BLOCK = re.compile(
    r"(?:<!-- needs: (?P<needs>[^\n]*?) -->\n)?^```(?P<kind>\w*)\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


def loaded(name):
    """Return a script of benchmarks/ as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "benchmarks" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One fenced block of a page."""

    page: str
    line: int
    kind: str
    body: str
    needs: str | None
    """What the reader must bring; such a block is not run."""


def blocks(*kinds: str) -> list[Block]:
    """Return the blocks of some kinds on all pages."""
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        found += [
            Block(
                page=page.name,
                line=text.count("\n", 0, match.start("body")),
                kind=match["kind"],
                body=match["body"],
                needs=match["needs"],
            )
            for match in BLOCK.finditer(text)
        ]
    return [block for block in found if block.kind in kinds]
