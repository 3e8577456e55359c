"""Where a file of a container belongs: its path relative to the round.

The assembler always sees `<Submitter>/results/<system>/<benchmark>/<file>` or
`<Submitter>/systems/<system>.json`; the user may point at a round, at one submitter, at
one system or benchmark folder, at one log, or at an archive of any of these.
"""

import re
from collections.abc import Sequence
from dataclasses import field
from typing import Final

from equipoise.errors import SourceError, printable
from equipoise.structs import dataclass

TREE_FOLDERS: Final = frozenset({"results", "systems"})
CODE_FOLDER: Final = "benchmarks"
"""Holds the submitters' programs; a `results` below it is no published result."""

FIRST_ROUND_FOLDER: Final = "v0.5.0"
"""Round v0.5 keeps its submitters in this folder, and other levels below them."""

OWN_SUBMITTER: Final = "own-runs"
"""Stands for the submitter when no folder of the source is one."""

_FIRST_ROUND: Final = "v0.5"
_ROUND: Final = re.compile(
    r"(?:(?:mlperf|mlcommons|training|results?|rounds?)[-_. ]?)*"
    r"(v\d+\.\d+)(?:\.0)?(?:[-_.].*)?",
    re.DOTALL | re.IGNORECASE,
)
"""Other words before the version are none of a round of Training: `inference_results_v4.1`."""
_MAX_LEVELS_BELOW_RESULTS: Final = 3


class MisplacedError(Exception):
    """A `results` folder lies deeper than those of the round: one file, one rejection."""


def round_of_name(name: str) -> str | None:
    """Return the round that the name of a folder or archive says, if it says one.

    >>> round_of_name("training_results_v4.1-main"), round_of_name("v5.1.tar.zst")
    ('v4.1', 'v5.1')
    >>> round_of_name("results-v4.1"), round_of_name("inference_results_v4.1") is None
    ('v4.1', True)
    """
    match = _ROUND.fullmatch(name)
    return match[1].lower() if match else None


def tree_index(folders: Sequence[str]) -> int | None:
    """Return the position of `results` or `systems` among the folders of a path.

    >>> tree_index(["v4.1", "Dell", "results", "s", "bert"])
    2
    >>> tree_index(["Dell", "benchmarks", "bert", "results"]) is None
    True
    """
    for index, folder in enumerate(folders):
        if folder in TREE_FOLDERS:
            return index
        if folder == CODE_FOLDER:
            return None
    return None


def clean_parts(raw: str) -> tuple[str, ...] | None:
    """Return the components of a path in a container; None if it leads out of it.

    >>> clean_parts("./v4.1//Dell/results/"), clean_parts("/etc/passwd") is None
    (('v4.1', 'Dell', 'results'), True)
    >>> clean_parts("a/../../b") is None
    True
    """
    if raw.startswith("/") or "\0" in raw:
        return None
    parts = tuple(part for part in raw.split("/") if part not in {"", "."})
    return None if ".." in parts or not parts else parts


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What is known about a container from outside: the names of the folders around it."""

    name: str
    """Name of the folder, or of the archive without its endings."""
    above: tuple[str, ...] = ()
    """Names of the folders that hold it, outermost first."""

    def submitter_prefix(self) -> tuple[str, ...] | None:
        """Return `(submitter, results, ...)` down to this folder when it lies in a round.

        >>> Place(name="bert", above=("x", "Dell", "results", "s")).submitter_prefix()
        ('Dell', 'results', 's', 'bert')
        >>> Place(name="bert", above=("x", "y")).submitter_prefix() is None
        True
        """
        names = (*self.above, self.name)
        for back in range(1, _MAX_LEVELS_BELOW_RESULTS + 1):
            if back < len(names) and names[-back] == "results":
                return names[-back - 1 :]
        return None

    def first_round_prefix(self) -> tuple[str, ...] | None:
        """Return the folders from `v0.5.0` on when this one lies in that round's tree."""
        names = (*self.above, self.name)
        if FIRST_ROUND_FOLDER not in names:
            return None
        index = names.index(FIRST_ROUND_FOLDER)
        known = index == len(names) - 1 or round_of_name(names[index - 1]) == _FIRST_ROUND
        return names[index:] if known else None

    def round(self, levels: int = 1) -> str | None:
        """Return the round that the own name or one of the nearest folders above says.

        Folders further up are no evidence: `v2.0` there is the version of something else.
        """
        for name in (self.name, *reversed(self.above[max(0, len(self.above) - levels) :])):
            found = round_of_name(name)
            if found is not None:
                return found
        return None


def own_path(parts: Sequence[str], place: Place) -> tuple[str, ...]:
    """Return the place of a log that lies in no `results` folder.

    The two folders nearest to the log are system and benchmark, as in a round; what the
    container does not have is filled from the names around it.

    >>> "/".join(own_path(["bert", "a.log"], Place(name="exp7", above=("data",))))
    'own-runs/results/exp7/bert/a.log'
    >>> "/".join(own_path(["a.log"], Place(name="bert", above=("data", "exp7"))))
    'own-runs/results/exp7/bert/a.log'
    """
    folders, rest = list(parts[:-1]), [parts[-1]]
    if "power" in folders:
        cut = folders.index("power")
        folders, rest = folders[:cut], [*folders[cut:], *rest]
    around = [*place.above, place.name]
    while len(folders) < 2:
        folders.insert(0, around.pop() if around else place.name)
    submitter = folders[-3] if len(folders) > 2 else OWN_SUBMITTER
    return (submitter, "results", *folders[-2:], *rest)


@dataclass(slots=True)
class Layout:
    """Turn paths of one container into paths of the round, and notice what is odd.

    One object serves one pass: it remembers which outer folder was taken off, because a
    container that holds two rounds cannot be read as one.
    """

    place: Place
    label: str
    own_logs: bool = False
    """No `results` folder anywhere: every log is the user's own run."""
    prefix: tuple[str, ...] | None = None
    """Outer folders that are taken off, known after the first path."""
    base: tuple[str, ...] = ()
    """What stands before every path, when the container is a part of a round."""
    notes: dict[str, None] = field(default_factory=dict)
    """What the user should know about names that were filled in."""

    def locate(self, parts: tuple[str, ...]) -> tuple[str, ...] | None:
        """Return the path in the round; None when the file is no part of the results.

        Raises
        ------
        MisplacedError
            When this file lies in a `results` folder below the level of the others.
        SourceError
            When the container holds more than one round.
        """
        if self.base:
            return (*self.base, *parts)
        if self.own_logs:
            located = own_path(parts, self.place)
            self.notes.setdefault(
                f"no folder 'results' here: submitter {printable(located[0])!r}, system "
                f"{printable(located[2])!r} and, unless the log says it, benchmark "
                f"{printable(located[3])!r} are names of folders"
            )
            return located
        index = tree_index(parts[:-1])
        if index is None:
            return None
        if index == 0:
            self.notes.setdefault(
                f"no submitter's folder here: {printable(self.place.name)!r} is taken for it"
            )
            return (self.place.name, *parts)
        start = index - 1
        if FIRST_ROUND_FOLDER in parts[:index]:
            start = parts.index(FIRST_ROUND_FOLDER)
        return self._without_prefix(parts, start)

    def _without_prefix(self, parts: tuple[str, ...], start: int) -> tuple[str, ...]:
        prefix = parts[:start]
        if self.prefix is None:
            self.prefix = prefix
        if prefix == self.prefix:
            return parts[start:]
        if len(prefix) > len(self.prefix) and prefix[: len(self.prefix)] == self.prefix:
            raise MisplacedError
        first, second = ("/".join(p) or "." for p in (self.prefix, prefix))
        raise SourceError(
            f"holds results in {printable(first)!r} and in {printable(second)!r}: "
            "a source is one round, so name one of these folders",
            path=self.label,
        )

    def round(self) -> str | None:
        """Return the round that a folder taken off, or the names around, say."""
        for name in reversed(self.prefix or ()):
            found = round_of_name(name)
            if found is not None:
                return found
        return self.place.round(0 if self.own_logs else max(1, len(self.base)))
