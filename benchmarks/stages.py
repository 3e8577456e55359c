"""Processor seconds of the three stages at 1,000 to 100,000 synthetic configurations.

    python benchmarks/stages.py [--sizes 1000,10000,100000] [--stages rank,cluster] [--profile]

Synthetic configurations are published ones of ResNet-50 drawn with replacement, with another
system name and with counts and times of their own: the texts that are parsed, the gaps and the
numbers of runs are real ones, and no two configurations are equal. Printed are the seconds of
the processor, the growth against the size before (10 is linear at ten times the size, 13.3 is
n log n from 1,000 to 10,000) and what each result says it subsampled.
"""

import argparse
import cProfile
import math
import pstats
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import equipoise as eq
from equipoise.cluster import cluster
from equipoise.domain import Configuration
from equipoise.evaluate import importance
from equipoise.rank import rank
from equipoise.rank.methods import METHODS
from equipoise.workflow.selection import select

Stage = Callable[[Sequence[Configuration]], Any]
SAMPLED = ("stand for all", "look at", "instead of", "sample")
"""Words of the warnings that say what was subsampled."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--stages", default="")
    parser.add_argument("--profile", action="store_true", help="where the time of each goes")
    options = parser.parse_args()
    stages = all_stages()
    chosen = [name for name in options.stages.split(",") if name] or list(stages)
    sizes = [int(text) for text in options.sizes.split(",")]
    with eq.open_catalogue() as catalogue:
        _, published = select(catalogue, "resnet")
    drawn = {size: synthetic(published, size, rng=np.random.default_rng(7)) for size in sizes}
    for run in (stages[name] for name in chosen):
        run(drawn[sizes[0]][:200])  # imports are not counted
    print(f"{'stage':24} {'n':>8} {'seconds':>9} {'growth':>7} {'n log n':>8}  subsampled")
    for name in chosen:
        before: tuple[int, float] | None = None
        for size in sizes:
            seconds, result = measured(stages[name], drawn[size], profile=options.profile)
            print(row(name, size, seconds, before, result), flush=True)
            before = size, seconds


def all_stages() -> dict[str, Stage]:
    """Return every stage by name, the ranking once by each method."""

    def ranking(method: str) -> Stage:
        return lambda found: rank(found, method=method, rng=np.random.default_rng(0))

    return {
        "importance": lambda found: importance(found, rng=np.random.default_rng(0)),
        "cluster": lambda found: cluster(found, rng=np.random.default_rng(0)),
        "cluster k=auto": lambda found: cluster(found, k="auto", rng=np.random.default_rng(0)),
        "cluster hdbscan": lambda found: cluster(
            found, method="hdbscan", rng=np.random.default_rng(0)
        ),
        **{f"rank {name}": ranking(name) for name in METHODS},
        "rank 8 criteria": lambda found: rank(
            found,
            criteria=(
                *("time_to_train_min", "throughput_samples_per_s", "efficiency"),
                *("accelerator_hours", "throughput_per_accelerator", "scaling_efficiency"),
                *("run_spread", "utilisation"),
            ),
            min_coverage=0.1,
            rng=np.random.default_rng(0),
        ),
    }


def synthetic(
    published: Sequence[Configuration], size: int, *, rng: np.random.Generator
) -> list[Configuration]:
    """Return configurations like the published ones, each with a count and times of its own."""
    places = rng.integers(len(published), size=size)
    more = np.exp(rng.normal(0.0, 0.7, size=size))
    noise = np.exp(rng.normal(0.0, 0.1, size=size))
    found = []
    for i, (place, wider, factor) in enumerate(zip(places, more, noise, strict=True)):
        c = published[int(place)]
        count = max(1, round(c.accelerators * wider))
        slower = factor * (c.accelerators / count) ** 0.8 if c.accelerators else factor
        found.append(
            replace(
                c,
                system_id=f"{c.system_id}-{i}",
                accelerators=count if c.accelerators else 0,
                time_to_train_min=c.time_to_train_min * slower,
                run_times_min=tuple(t * slower for t in c.run_times_min),
                throughput_samples_per_s=c.throughput_samples_per_s
                and c.throughput_samples_per_s / slower,
                resubmission_of=None,
            )
        )
    return found


def measured(stage: Stage, found: Sequence[Configuration], *, profile: bool) -> tuple[float, Any]:
    """Return the processor seconds of one run of a stage, and its result."""
    profiler = cProfile.Profile()
    if profile:
        profiler.enable()
    start = time.process_time()
    result = stage(found)
    seconds = time.process_time() - start
    if profile:
        profiler.disable()
        pstats.Stats(profiler).sort_stats("tottime").print_stats(15)
    return seconds, result


def row(name: str, size: int, seconds: float, before: tuple[int, float] | None, result: Any) -> str:
    """Return one line of the table."""
    growth = allowed = ""
    if before is not None:
        growth = f"{seconds / before[1]:.1f}"
        allowed = f"{size * math.log(size) / (before[0] * math.log(before[0])):.1f}"
    said = " ".join(w for w in result.warnings if any(mark in w for mark in SAMPLED))
    return f"{name:24} {size:8,} {seconds:9.2f} {growth:>7} {allowed:>8}  {said}"


if __name__ == "__main__":
    main()
