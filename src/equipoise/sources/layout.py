"""What a path of a round means: a log, a description, a scaling factor, a power file ..."""

import re
from enum import Enum
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from sys import intern
from typing import Final

from equipoise.structs import dataclass

RESULT_PATTERN: Final = "result_*.txt"
"""Only files of this name are runs; the official summarizer reads no other."""

SCALING_FILE: Final = "scaling.json"
ENTRY_FILE: Final = "entry.json"
POWER_FOLDER: Final = "power"
POWER_PATTERNS: Final = ("node_*.txt", "sw_*.txt")
MEASUREMENT_ENDINGS: Final = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet")
"""Names of files that hold own measurements."""

FIRST_ROUND_FOLDER: Final = "v0.5.0"
_PLAIN_FOLDER: Final = "submission"
_DIGITS: Final = re.compile(r"(\d+)")


class Kind(Enum):
    """What a file is."""

    LOG = "log"
    SYSTEM = "system"
    ENTRY = "entry"
    SCALING = "scaling"
    POWER = "power"
    NESTED = "nested"
    """A log in a folder below a benchmark's folder."""
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class FilePlace:
    """Kind and identity of one file."""

    kind: Kind
    path: str
    submitter: str = ""
    system_id: str = ""
    folder: str = ""
    """The benchmark's folder; of a nested log `<benchmark>/<nested folder>`."""
    result: str = ""
    """Of a power file: the name of its run (`result_0`)."""

    @property
    def configuration(self) -> tuple[str, str, str]:
        """Return submitter, system and benchmark folder."""
        return self.submitter, self.system_id, self.folder


def place_of(path: str, *, any_log: bool = False) -> FilePlace:
    """Return what a path means.

    Parameters
    ----------
    path
        Relative to the round, `<Submitter>/results/<system>/<benchmark>/<file>`.
    any_log
        Whether a file of any other name in a benchmark's folder is a log too (the user's
        own runs).

    >>> place_of("A/results/s1/bert/result_0.txt").configuration
    ('A', 's1', 'bert')
    >>> place_of("A/systems/s1.json").kind.value, place_of("A/results/s1/x.log").kind.value
    ('system', 'other')
    """
    *above, name = path.split("/")
    folders = [intern(folder) for folder in above]  # the same ones in thousands of paths
    if "results" in folders:
        return _result_place(path, folders, name, any_log)
    if "systems" in folders and name.endswith(".json") and folders[-1] == "systems":
        submitter = folders[-2] if len(folders) > 1 else ""
        system_id = name.removesuffix(".json")
        return FilePlace(Kind.SYSTEM, path, submitter, system_id)
    return FilePlace(Kind.OTHER, path)


def _result_place(path: str, folders: list[str], name: str, any_log: bool) -> FilePlace:
    at = folders.index("results")
    submitter, prefix = _submitter(folders[:at])
    below = folders[at + 1 :]
    if not below:
        return FilePlace(Kind.OTHER, path, submitter)
    system_id = "-".join((*prefix, below[0]))
    if len(below) == 1:
        kind = Kind.ENTRY if name == ENTRY_FILE else Kind.OTHER
        return FilePlace(kind, path, submitter, system_id)
    folder = below[1]
    is_log = fnmatchcase(name, RESULT_PATTERN)
    if len(below) > 2 and below[2] == POWER_FOLDER:
        result = below[3] if len(below) > 3 else ""
        is_power = len(below) == 4 and any(fnmatchcase(name, p) for p in POWER_PATTERNS)
        kind = Kind.POWER if is_power else Kind.OTHER
        return FilePlace(kind, path, submitter, system_id, folder, result)
    if len(below) > 2:
        kind = Kind.NESTED if is_log else Kind.OTHER
        return FilePlace(kind, path, submitter, system_id, "/".join(below[1:]))
    if name == SCALING_FILE:
        return FilePlace(Kind.SCALING, path, submitter, system_id, folder)
    kind = Kind.LOG if is_log or any_log else Kind.OTHER
    return FilePlace(kind, path, submitter, system_id, folder)


def _submitter(above: list[str]) -> tuple[str, tuple[str, ...]]:
    """Return the submitter and what a system's name must carry to be unique.

    Round v0.5 has `v0.5.0/<submitter>/<submission>[/<part>]/results/<system>`.
    """
    if FIRST_ROUND_FOLDER in above:
        inner = above[above.index(FIRST_ROUND_FOLDER) + 1 :]
        if inner:
            return inner[0], tuple(part for part in inner[1:] if part != _PLAIN_FOLDER)
    return (above[-1] if above else ""), ()


def folder_of(path: str) -> str:
    """Return the folder of a file of a round.

    >>> folder_of("A/results/s1/bert/result_0.txt"), folder_of("result_0.txt")
    ('A/results/s1/bert', '.')
    """
    return path.rpartition("/")[0] or "."


def is_measurement_file(place: str | Path) -> bool:
    """Return whether a place is a file that by its name holds measurements.

    >>> is_measurement_file("no such file.csv")
    False
    """
    path = Path(place)
    try:
        return path.name.lower().endswith(MEASUREMENT_ENDINGS) and path.is_file()
    except (OSError, ValueError):
        return False


@lru_cache(maxsize=1 << 14)
def natural_key(text: str) -> tuple[tuple[int, str], ...]:
    """Return a sort key in which numbers inside names count as numbers.

    >>> sorted(["result_10.txt", "result_9.txt"], key=natural_key)
    ['result_9.txt', 'result_10.txt']
    """
    parts = _DIGITS.split(text)
    key: list[tuple[int, str]] = [(-1, part) for part in parts]
    key[1::2] = [(int(part), "") for part in parts[1::2]]
    return tuple(key)
