"""The official time to train of a configuration, from the times of its runs.

The rule is that of `result_summarizer` in mlperf-logging: a run that fails is infinitely
slow; the fastest and the slowest d runs are dropped; the rest is averaged and multiplied by
the factor of `scaling.json`. The order of the operations is kept, so that the figures agree
to the last bits.
"""

from collections.abc import Sequence


def kept_runs(times_min: Sequence[float | None], *, dropped_each_end: int) -> tuple[int, ...]:
    """Return the indices of the runs that a score averages, fastest first.

    With n runs of which f failed, sorted with the failures last, these are the places
    d ... n - d - 1.

    Parameters
    ----------
    times_min
        Time of each run in minutes, shape (n,); None for a run that failed.
    dropped_each_end
        d, runs dropped at each end.

    Returns
    -------
    tuple of int
        Empty if more runs failed than may be dropped or none is left.

    >>> kept_runs([5.0, 4.0, None, 6.0, 5.5], dropped_each_end=1)
    (0, 4, 3)
    """
    finished = [index for index, time in enumerate(times_min) if time is not None]
    failed = len(times_min) - len(finished)
    if failed > dropped_each_end:
        return ()
    ordered = sorted(finished, key=lambda index: _time(times_min[index]))
    return tuple(ordered[dropped_each_end : len(ordered) - (dropped_each_end - failed)])


def olympic_score(times_min: Sequence[float | None], *, dropped_each_end: int) -> float | None:
    r"""Return the mean time of the runs that are left after dropping both ends.

    .. math:: T = \frac{1}{n - 2d} \sum_{i=d}^{n-d-1} t_{(i)}

    with the times t in minutes sorted, failures as infinite, and d dropped at each end.

    Parameters
    ----------
    times_min
        Time of each run in minutes, shape (n,); None for a run that failed.
    dropped_each_end
        d; 1 for every benchmark except unet3d, which drops 4 of 40.

    Returns
    -------
    float or None
        Minutes; None if more than d runs failed or none is left.

    >>> olympic_score([5.0, 7.0, 6.0, 6.5, None], dropped_each_end=1)
    6.5
    >>> olympic_score([None, 5.0, None], dropped_each_end=1) is None
    True
    """
    kept = kept_runs(times_min, dropped_each_end=dropped_each_end)
    return mean_of(times_min, kept)


def mean_of(values: Sequence[float | None], kept: Sequence[int]) -> float | None:
    """Return the mean of the values at some indices, added up in that order, or None.

    >>> mean_of([1.0, 2.0, 4.0], (0, 2)), mean_of([1.0, None], (0, 1)) is None
    (2.5, True)
    """
    chosen = [value for index in kept if (value := values[index]) is not None]
    if not chosen or len(chosen) < len(kept):
        return None
    return sum(chosen) * 1.0 / len(chosen)


def median_of(values: Sequence[float]) -> float:
    """Return the median of at least one value; `statistics` costs 5 ms of every start to load.

    >>> median_of([3.0, 1.0, 2.0]), median_of([4.0, 1.0])
    (2.0, 2.5)
    """
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def too_many_failures(runs: int, failed: int, *, dropped_each_end: int) -> str | None:
    """Return why there is no score, in words, or None if the failures may be dropped.

    >>> too_many_failures(5, 5, dropped_each_end=1)
    '5 of 5 runs did not succeed; at most 1 may be dropped'
    """
    if failed <= dropped_each_end:
        return None
    return f"{failed} of {runs} runs did not succeed; at most {dropped_each_end} may be dropped"


def _time(value: float | None) -> float:
    return float("inf") if value is None else value
