"""Find logs that are the same run: the same benchmark, start, stop and no other seed.

The size of the log is no mark of identity: copies differ by a banner or a few lines.

This is the one rule of what is the same run. The readers apply it to the runs of one round,
so that `scores` can say it without a catalogue; `catalogue.link` applies it to all rounds of a
catalogue at once, which also finds resubmissions.
"""

from collections import defaultdict
from collections.abc import Sequence

from equipoise.domain import Run


def originals(runs: Sequence[Run]) -> list[int]:
    """Return for every run the index of the first run that it is the same as.

    Runs are the same if benchmark, start and stop are equal and their seeds do not
    contradict each other; a run without both stamps is only the same as itself.
    """
    groups: dict[tuple[str, float, float], list[int]] = defaultdict(list)
    for index, run in enumerate(runs):
        if run.start_ms is not None and run.stop_ms is not None:
            groups[run.benchmark, run.start_ms, run.stop_ms].append(index)
    first = list(range(len(runs)))
    for members in groups.values():
        if len(members) > 1:
            _link(runs, members, first)
    return first


def _link(runs: Sequence[Run], members: Sequence[int], first: list[int]) -> None:
    with_seed: dict[str, int] = {}
    for index in members:
        seed = runs[index].seed
        if seed is not None:
            with_seed.setdefault(seed, index)
    if len(with_seed) < 2:
        for index in members:
            first[index] = members[0]
        return
    without = next((index for index in members if runs[index].seed is None), None)
    for index in members:
        seed = runs[index].seed
        if seed is not None:
            first[index] = with_seed[seed]
        elif without is not None:
            first[index] = without
