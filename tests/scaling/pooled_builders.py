"""Small catalogues with known curves for the tests of the pooled model."""

from collections.abc import Mapping, Sequence
from zlib import crc32

import numpy as np

from equipoise.domain import Configuration

SPEED: Mapping[str, float] = {
    "a100-sxm4-80gb": 1.0,
    "h100-sxm5-80gb": 2.6,
    "h200-sxm5-141gb": 2.9,
    "b200-sxm-180gb": 5.0,
}
WORK: Mapping[str, float] = {"bert": 120.0, "retinanet": 700.0, "stable_diffusion": 400.0}
ROUNDS = ("v4.0", "v4.1", "v5.0")
COUNTS = (8, 16, 32, 64, 128)


def configuration(**changes: object) -> Configuration:
    """Return a closed configuration with five runs around its score."""
    fields: dict[str, object] = {
        "round": "v4.1",
        "submitter": "Alpha",
        "system_id": "one",
        "benchmark": "bert",
        "division": "closed",
        "time_to_train_min": 10.0,
        "accelerators": 8,
        "accelerator_id": "h100-sxm5-80gb",
    }
    fields |= changes
    minutes = float(str(fields["time_to_train_min"]))
    mark = 1e-6 * crc32(repr(sorted(fields.items())).encode()) / 2**32  # no two are copies
    fields.setdefault(
        "run_times_min", tuple(minutes * (1 + mark + 0.01 * k) for k in (-2, -1, 0, 1, 2))
    )
    return Configuration(**fields)  # type: ignore[arg-type]


def true_minutes(benchmark: str, accelerator: str, round_name: str, n: int) -> float:
    """Return the curve behind the small catalogue: a serial part that hardware shrinks."""
    work = WORK[benchmark] / SPEED[accelerator] * 0.93 ** ROUNDS.index(round_name)
    return work / n + 0.002 * work + 0.01 * np.log2(n)


def catalogue(
    *,
    noise: float = 0.02,
    seed: int = 0,
    benchmarks: Sequence[str] = tuple(WORK),
    submitters: Sequence[str] = ("Alpha", "Beta"),
) -> list[Configuration]:
    """Return configurations of all benchmarks, accelerators, rounds and counts with noise."""
    rng = np.random.default_rng(seed)
    found = []
    for benchmark in benchmarks:
        for a, accelerator in enumerate(SPEED):
            for r, round_name in enumerate(ROUNDS):
                for k, n in enumerate(COUNTS):
                    if (a + r + k) % 2:
                        continue
                    submitter = submitters[(r + k) % len(submitters)]
                    minutes = true_minutes(benchmark, accelerator, round_name, n)
                    found.append(
                        configuration(
                            round=round_name,
                            benchmark=benchmark,
                            accelerator_id=accelerator,
                            accelerators=n,
                            submitter=submitter,
                            system_id=f"{accelerator}-{n}",
                            time_to_train_min=float(
                                minutes * np.exp(noise * rng.standard_normal())
                            ),
                        )
                    )
    return found
