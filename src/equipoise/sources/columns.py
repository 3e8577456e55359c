"""Names of the columns of own measurements, and what they mean."""

import re
from collections.abc import Mapping
from typing import Final

from equipoise.units import MIN_PER_H, S_PER_MIN

COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "accelerators": (
        *("accelerators", "n", "gpus", "num_gpus", "n_gpus", "ngpus", "gpu_count", "chips"),
        *("num_accelerators", "n_accelerators", "accelerator_count", "number_of_accelerators"),
        *("devices", "num_devices", "n_devices", "tpus", "hpus", "count"),
    ),
    "time_to_train_min": (
        *("time_to_train_min", "time_min", "minutes", "min", "ttt_min", "duration_min"),
        *("time_to_train_minutes", "time_minutes"),
    ),
    "time_s": (
        *("time_s", "seconds", "time_seconds", "time_sec", "time_to_train_s", "duration_s"),
        *("sec", "secs", "s"),
    ),
    "time_h": ("time_h", "hours", "time_hours", "time_to_train_h", "duration_h"),
    "throughput_samples_per_s": (
        *("throughput_samples_per_s", "samples_per_s", "samples_per_second", "samples_s"),
        *("throughput_samples_per_second", "samples_per_sec", "samples_sec"),
        *("throughput_samples_s",),
    ),
    "samples_to_converge": ("samples_to_converge",),
    "accelerator": (
        *("accelerator", "accelerator_id", "accelerator_model", "accelerator_type"),
        *("accelerator_model_name", "gpu", "gpu_type", "gpu_model", "chip"),
    ),
    "label": ("label", "system", "system_id", "system_name", "name", "run", "configuration"),
    "benchmark": ("benchmark", "benchmark_id", "workload", "task"),
    "price_usd_per_accelerator_hour": (
        *("price_usd_per_accelerator_hour", "usd_per_accelerator_hour"),
        *("price_per_accelerator_hour", "price"),
    ),
}
"""What a column means -> the names that are accepted for it, the proper one first."""

TIMES: Final[Mapping[str, float]] = {
    "time_to_train_min": 1.0,
    "time_s": S_PER_MIN,
    "time_h": 1.0 / MIN_PER_H,
}
"""Columns of a time -> how many of their units are a minute."""

NO_UNIT: Final[Mapping[str, str]] = {
    "time": "time_s or time_to_train_min",
    "time_to_train": "time_to_train_min",
    "duration": "time_s or time_to_train_min",
    "runtime": "time_s or time_to_train_min",
    "throughput": "throughput_samples_per_s",
}
"""Names that do not say their unit -> what to call the column."""

MEANINGS: Final[Mapping[str, str]] = {
    name: meaning for meaning, names in COLUMNS.items() for name in names
}
"""Plain name of a column -> what it means."""

NUMBERS: Final = (
    "accelerators",
    *TIMES,
    "throughput_samples_per_s",
    "samples_to_converge",
    "price_usd_per_accelerator_hour",
)
"""Columns that hold numbers above zero."""


def plain_name(text: str) -> str:
    """Return the name of a column without case, blanks and brackets.

    >>> plain_name(" Time to train [min] ")
    'time_to_train_min'
    """
    return re.sub(r"[^a-z0-9]+", "_", text.strip("\ufeff \t").lower()).strip("_")
