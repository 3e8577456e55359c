"""Training throughput in samples per second, out of what a log tells of it."""

from typing import Final, Literal

from equipoise.structs import dataclass
from equipoise.units import S_PER_MIN

MAX_RATIO: Final = 2.0
"""A logged throughput further than this from samples / time is not believed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Throughput:
    """A throughput and where it comes from."""

    samples_per_s: float | None = None
    source: Literal["logged", "computed"] | None = None
    disbelieved_per_s: float | None = None
    """The logged figure, where it contradicts the computed one."""


def training_throughput(
    *,
    logged_per_s: float | None = None,
    step_time_s: float | None = None,
    batch_size: float | None = None,
    samples: float | None = None,
    time_min: float | None = None,
) -> Throughput:
    """Return the throughput of a run, cross-checked where that is possible.

    X = logged, else B / t_step; N / T where neither is logged or where X is further than
    `MAX_RATIO` from N / T in either direction.

    Parameters
    ----------
    logged_per_s
        X as logged, taken for samples per second.
    step_time_s
        t_step, time of one optimiser step in seconds.
    batch_size
        B, samples of one step over all accelerators.
    samples
        N, samples to converge.
    time_min
        T, time to train in minutes.

    >>> training_throughput(logged_per_s=100.0, samples=48_000.0, time_min=10.0).source
    'logged'
    >>> found = training_throughput(logged_per_s=10.0, samples=48_000.0, time_min=10.0)
    >>> found.samples_per_s, found.source, found.disbelieved_per_s
    (80.0, 'computed', 10.0)
    """
    logged = logged_per_s
    if logged is None and step_time_s is not None and batch_size is not None and step_time_s > 0:
        logged = batch_size / step_time_s
    if samples is None or time_min is None or time_min <= 0:
        return Throughput(samples_per_s=logged, source=None if logged is None else "logged")
    computed = samples / (time_min * S_PER_MIN)
    if logged is None:
        return Throughput(samples_per_s=computed, source="computed")
    if computed / MAX_RATIO <= logged <= computed * MAX_RATIO:
        return Throughput(samples_per_s=logged, source="logged")
    return Throughput(samples_per_s=computed, source="computed", disbelieved_per_s=logged)


def from_one_accelerator(
    logged_per_s: float, computed_per_s: float, accelerators: int
) -> float | None:
    """Return the throughput of all accelerators where the log gives that of one, else None.

    X = n x logged if N / T <= n x logged <= `MAX_RATIO` x N / T: no evaluation and start can
    make training slower than the whole run. RetinaNet logs of v2.0 to v5.0 are such.

    >>> from_one_accelerator(284.1, 2155.0, 8), from_one_accelerator(284.1, 100.0, 8)
    (2272.8, None)
    """
    everywhere = logged_per_s * accelerators
    if computed_per_s <= everywhere <= MAX_RATIO * computed_per_s:
        return everywhere
    return None
