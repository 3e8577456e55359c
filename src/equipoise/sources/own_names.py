"""What the names around a user's own log say: its benchmark and its accelerators.

A published system describes itself in a file. Own logs lie in folders of any name; what
neither the log nor a name says stays unknown.
"""

import re
from dataclasses import replace
from functools import lru_cache
from typing import Final

from equipoise import facts
from equipoise.domain import UNVERIFIED_DIVISION, Run
from equipoise.errors import UnknownNameError
from equipoise.sources.logs import LogFacts
from equipoise.sources.runs import Place, Verdict, make_run

_WORD: Final = r"(?:gpus?|accelerators?|accels?|chips?|devices?|tpus?|hpus?|ipus?|cards?)"
_COUNT_FIRST: Final = re.compile(
    rf"(?<![0-9.])([0-9]{{1,6}})[-_ x]*{_WORD}(?![a-z])", re.IGNORECASE
)
_COUNT_LAST: Final = re.compile(rf"(?<![a-z]){_WORD}[-_ =]*([0-9]{{1,6}})(?![0-9.])", re.IGNORECASE)
_EQUALS: Final = re.compile(r"(?<![a-z])n=([0-9]{1,6})(?![0-9.])", re.IGNORECASE)
_TIMES_LAST: Final = re.compile(r"[a-z0-9]x([0-9]{1,6})$", re.IGNORECASE)
_NODES: Final = re.compile(r"(?<![0-9.])([0-9]{1,5})[-_ ]*(?:x[-_ ]*)?n(?:odes?)?(?![a-z])", re.I)


@lru_cache(maxsize=4096)
def accelerators_of_name(name: str) -> int | None:
    """Return the accelerators that the name of a folder or file states, or None.

    A name that also counts nodes says it only where nodes x accelerators is meant.

    >>> [accelerators_of_name(n) for n in ("8xH100-SXM-80GB", "bert_64gpus", "n=16", "gpu8")]
    [8, 64, 16, 8]
    >>> [accelerators_of_name(n) for n in ("4nodes-8gpus", "1node_8gpus", "run7", "MI300X")]
    [None, 8, None, None]
    """
    found = facts.accelerators_in_name(name) or facts.tpu_chips(name)
    if found is not None:
        return found
    nodes = _NODES.search(name)
    if nodes is not None and int(nodes[1]) != 1:
        return None
    counts = {
        int(match[1])
        for pattern in (_COUNT_FIRST, _COUNT_LAST, _EQUALS)
        for match in pattern.finditer(name)
    }
    last = _TIMES_LAST.search(name)
    if not counts and last is not None:
        model = name[: last.start() + 1]
        counts = {int(last[1])} if facts.identify_accelerator(model).candidates else set()
    counts.discard(0)
    return counts.pop() if len(counts) == 1 else None


@lru_cache(maxsize=4096)
def benchmark_of_name(name: str) -> str | None:
    """Return the benchmark that a folder or a log names by any of its names, or None.

    Of a name that changed its meaning (`ssd`) the newest counts.

    >>> benchmark_of_name("ssd"), benchmark_of_name("BERT-large"), benchmark_of_name("run7")
    ('retinanet', 'bert', None)
    """
    for entry in reversed(facts.rounds()):
        found = facts.benchmark_of_folder(entry.name, name)
        if found is not None:
            return found.id
    try:
        return facts.benchmark(name).id
    except UnknownNameError:
        return None


def own_run(log: LogFacts, where: Place) -> tuple[Run, Verdict]:
    """Return the run of a user's own log, and why it fails if it does.

    A folder that is no benchmark says nothing; then the log says which benchmark it is.
    Outside the published rounds progress is counted as in the newest round with this
    benchmark. No quality target is asked for: success is what the log says.
    """
    if _is_round(where.round):
        return make_run(log, where, division=UNVERIFIED_DIVISION)
    logged = log.text("submission_benchmark")
    found = benchmark_of_name(where.benchmark_folder)
    if found is None and logged is not None:
        found = benchmark_of_name(logged)
    if found is None:
        return make_run(log, where, division=UNVERIFIED_DIVISION)
    rules = facts.benchmark(found).blocks[-1].last_round
    place = replace(where, round=rules, benchmark=found)
    run, verdict = make_run(log, place, division=UNVERIFIED_DIVISION)
    return replace(run, round=where.round), verdict


@lru_cache(maxsize=256)
def _is_round(name: str) -> bool:
    try:
        facts.round_named(name)
    except UnknownNameError:
        return False
    return True
