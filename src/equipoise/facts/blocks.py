"""Which block of compatible rounds, and with it which rules, hold for a benchmark in a round."""

from typing import Final

from equipoise.errors import UnknownNameError
from equipoise.facts.benchmarks import Block, benchmark, benchmarks
from equipoise.facts.rounds import round_index, rounds

DROPPED_EACH_END: Final = 1
"""Runs dropped at each end for a benchmark that no fact knows: the usual rule."""


def block_of(benchmark_id: str, round_name: str) -> Block | None:
    """Return the block of compatible rounds that holds a round, or None.

    >>> block_of("resnet", "v0.5").name, block_of("resnet", "v2.0").name
    ('v0.5', 'v0.6..v4.0')
    """
    wanted = rounds()[round_index(round_name)].name
    for block in benchmark(benchmark_id).blocks:
        if wanted in block.rounds:
            return block
    return None


def governing_block(benchmark_id: str, round_name: str) -> Block:
    """Return the block whose rules hold for a benchmark in a round, even outside its rounds.

    A benchmark that left the suite keeps the rules of its last block before the round; one
    that has not joined yet has those of its first block.

    >>> governing_block("unet3d", "v4.1").name, governing_block("flux1", "v3.0").name
    ('v1.0..v4.0', 'v5.1..v6.1')
    """
    own = block_of(benchmark_id, round_name)
    if own is not None:
        return own
    blocks = benchmark(benchmark_id).blocks
    here = round_index(round_name)
    earlier = [block for block in blocks if round_index(block.last_round) < here]
    return earlier[-1] if earlier else blocks[0]


def dropped_each_end(benchmark_id: str, round_name: str) -> int:
    """Return how many runs the official rule drops at each end; 1 for what no fact knows.

    >>> dropped_each_end("unet3d", "v4.0"), dropped_each_end("new_task", "v9.0")
    (4, 1)
    """
    try:
        return governing_block(benchmark_id, round_name).dropped_each_end
    except UnknownNameError:
        return DROPPED_EACH_END


def every_round(benchmark_id: str) -> tuple[str, ...]:
    """Return the rounds of all blocks of a benchmark id; empty for one that no fact knows.

    >>> every_round("gpt3"), every_round("new_task")
    (('v3.0', 'v3.1', 'v4.0', 'v4.1'), ())
    """
    return tuple(
        name
        for known in benchmarks()
        if known.id == benchmark_id
        for block in known.blocks
        for name in block.rounds
    )


def default_block(benchmark_id: str) -> Block:
    """Return the block with most published rounds, the later one on ties.

    >>> default_block("bert").name
    'v1.0..v5.0'
    """
    published = {entry.name for entry in rounds() if entry.published}
    blocks = benchmark(benchmark_id).blocks
    return max(
        blocks,
        key=lambda block: (len(published.intersection(block.rounds)), blocks.index(block)),
    )
