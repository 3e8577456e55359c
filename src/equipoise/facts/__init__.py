"""Facts with sources: rounds, benchmarks, accelerators, aliases, quality rules and prices.

Every fact is a row of a CSV file in `data/` with its source; nothing is read before it is
asked for.
"""

from equipoise.facts.accelerators import (
    Accelerator,
    Alias,
    accelerator,
    accelerators,
    accelerators_matching,
    aliases,
)
from equipoise.facts.benchmarks import (
    Benchmark,
    Block,
    FolderName,
    ProgressUnit,
    benchmark,
    benchmark_of_folder,
    benchmarks,
)
from equipoise.facts.blocks import (
    block_of,
    default_block,
    dropped_each_end,
    every_round,
    governing_block,
)
from equipoise.facts.identify import AcceleratorMatch, identify_accelerator
from equipoise.facts.names import accelerators_in_name, tpu_chips, tpu_generation
from equipoise.facts.prices import Price, PriceTable, parse_prices, price_table, prices
from equipoise.facts.quality import (
    Bound,
    QualityRule,
    RunRule,
    quality_rule,
    quality_rules,
    run_rule,
)
from equipoise.facts.rounds import Round, expand_rounds, round_index, round_named, rounds
from equipoise.facts.tables import digest
from equipoise.facts.training_state import TrainingState, training_state, training_state_gb

__all__ = [
    "Accelerator",
    "AcceleratorMatch",
    "Alias",
    "Benchmark",
    "Block",
    "Bound",
    "FolderName",
    "Price",
    "PriceTable",
    "ProgressUnit",
    "QualityRule",
    "Round",
    "RunRule",
    "TrainingState",
    "accelerator",
    "accelerators",
    "accelerators_in_name",
    "accelerators_matching",
    "aliases",
    "benchmark",
    "benchmark_of_folder",
    "benchmarks",
    "block_of",
    "default_block",
    "digest",
    "dropped_each_end",
    "every_round",
    "expand_rounds",
    "governing_block",
    "identify_accelerator",
    "parse_prices",
    "price_table",
    "prices",
    "quality_rule",
    "quality_rules",
    "round_index",
    "round_named",
    "rounds",
    "training_state",
    "training_state_gb",
    "run_rule",
    "tpu_chips",
    "tpu_generation",
]
