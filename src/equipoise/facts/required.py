"""Records that a ruleset demands of every run of one benchmark.

They matter only where a log is damaged: a run whose damaged line was one of these fails
the official check, a run whose damaged line was any other does not.
"""

from functools import cache

from equipoise.facts.benchmarks import benchmark
from equipoise.facts.quality import run_rule
from equipoise.facts.rounds import round_index, rounds
from equipoise.facts.tables import table


@cache
def required_records(round_name: str, division: str, benchmark_id: str) -> frozenset[str]:
    """Return the keys that must be logged at least once; empty where there is no ruleset.

    Raises
    ------
    UnknownNameError
        The round or the benchmark does not exist.

    >>> "opt_name" in required_records("v4.1", "closed", "stable_diffusion")
    True
    >>> required_records("v4.1", "closed", "resnet")
    frozenset()
    """
    place = round_index(round_name)
    wanted = benchmark(benchmark_id).id
    if rounds()[place].name not in benchmark(wanted).rounds:
        return frozenset()
    keys: set[str] = set()
    common = run_rule(round_name, division)
    if common is not None:
        keys.update(common.exactly_one, common.at_least_one)
    for row in table("required_records"):
        if (row.text("benchmark_id"), row.text("division")) == (wanted, division):
            first, last = round_index(row.text("first_round")), round_index(row.text("last_round"))
            if first <= place <= last:
                keys.update(row.parts("keys"))
    return frozenset(keys)
