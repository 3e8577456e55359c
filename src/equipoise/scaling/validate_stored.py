"""The accuracy table that comes with the package, for pages that cannot wait for minutes."""

import json
from dataclasses import asdict
from functools import cache
from importlib.resources import files
from typing import Final

from equipoise.scaling.validate import AccuracyRow
from equipoise.structs import dataclass

FOLDER: Final = "equipoise.scaling.pooled"
FILE: Final = "accuracy.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAccuracy:
    """The table as it was measured on the bundled catalogue, and how."""

    accuracy: tuple[AccuracyRow, ...]
    points: int
    configurations: int
    rounds: tuple[str, ...]
    command: str


@cache
def stored_accuracy() -> StoredAccuracy:
    """Return the accuracy table measured beforehand by `benchmarks/accuracy.py`.

    >>> sorted({row.protocol for row in stored_accuracy().accuracy})
    ['edge', 'family', 'forward', 'interior', 'own-job', 'pair']
    """
    return read_accuracy(files(FOLDER).joinpath("data", FILE).read_text("utf-8"))


def read_accuracy(text: str) -> StoredAccuracy:
    """Return a stored table from its JSON text."""
    raw = json.loads(text)
    return StoredAccuracy(
        accuracy=tuple(AccuracyRow(**row) for row in raw["accuracy"]),
        points=raw["points"],
        configurations=raw["configurations"],
        rounds=tuple(raw["rounds"]),
        command=raw["command"],
    )


def write_accuracy(stored: StoredAccuracy) -> str:
    """Return the JSON text of a table."""
    return json.dumps(asdict(stored), indent=1) + "\n"
