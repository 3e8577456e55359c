"""How much accelerator memory the state of a training takes at least."""

from functools import cache

from equipoise.facts.blocks import governing_block
from equipoise.facts.tables import table
from equipoise.structs import dataclass
from equipoise.units import BYTES_PER_GB


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingState:
    """What must be held for each parameter of a benchmark's model, all accelerators together."""

    benchmark_id: str
    bytes_per_parameter: float
    what: str
    source: str


@cache
def training_states() -> tuple[TrainingState, ...]:
    """Return what is known, one entry per benchmark."""
    return tuple(
        TrainingState(
            benchmark_id=row.text("benchmark_id"),
            bytes_per_parameter=float(row.text("bytes_per_parameter")),
            what=row.text("what"),
            source=row.text("source"),
        )
        for row in table("training_state")
    )


def training_state(benchmark_id: str) -> TrainingState | None:
    """Return what is known of a benchmark, by its id.

    >>> training_state("llama2_70b_lora").what
    'the frozen weights in 16 bits'
    """
    return next((item for item in training_states() if item.benchmark_id == benchmark_id), None)


def training_state_gb(benchmark_id: str, round_name: str) -> float | None:
    """Return the size of the training state in gigabytes, None where it is not known.

    Activations, buffers and copies come on top, so that less memory cannot do, while as
    much may not either.

    >>> training_state_gb("llama31_405b", "v5.1")
    6480.0
    """
    state = training_state(benchmark_id)
    block = governing_block(benchmark_id, round_name)
    if state is None or block.parameters is None:
        return None
    return state.bytes_per_parameter * block.parameters / BYTES_PER_GB
