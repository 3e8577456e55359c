"""Builders of small curves."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from equipoise.domain import Configuration

Build = Callable[..., Configuration]
Curve = Callable[..., list[Configuration]]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20)


@pytest.fixture
def configuration() -> Build:
    """Return a builder of one configuration with overridable defaults."""

    def build(**fields: Any) -> Configuration:
        given: dict[str, Any] = {
            "round": "v4.1",
            "submitter": "ExampleOrg",
            "benchmark": "bert",
            "division": "closed",
            "accelerator_id": "h100-sxm5-80gb",
            "accelerators": 8,
            "time_to_train_min": 60.0,
        } | fields
        given.setdefault("system_id", f"{given['submitter']}_n{given['accelerators']}")
        return Configuration(**given)

    return build


@pytest.fixture
def curve(configuration: Build) -> Curve:
    """Return a builder of a curve: one configuration per (n, minutes), with ten runs each."""

    def build(
        points: Sequence[tuple[int, float]],
        *,
        spread: float = 0.01,
        runs: int = 10,
        **fields: Any,
    ) -> list[Configuration]:
        draw = np.random.default_rng(11)
        made = []
        for count, minutes in points:
            times = minutes * np.exp(spread * draw.standard_normal(runs))
            made.append(
                configuration(
                    accelerators=count,
                    time_to_train_min=minutes,
                    run_times_min=tuple(float(t) for t in times),
                    **fields,
                )
            )
        return made

    return build
