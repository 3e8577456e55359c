"""Benchmarks of MLPerf Training and the blocks of rounds that may be compared.

A benchmark is a model and its task under one canonical id. Its folder name may change
from round to round, and one folder name may mean different benchmarks (`ssd`). Results
may be compared only inside a block of compatible rounds.
"""

from collections.abc import Sequence
from functools import cache

from equipoise.errors import UnknownNameError
from equipoise.facts.rounds import round_index, rounds
from equipoise.facts.tables import Row, table
from equipoise.structs import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderName:
    """The name of a benchmark's folder over a range of rounds."""

    folder: str
    first_round: str
    last_round: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressUnit:
    """What a benchmark's logs count as progress over a range of rounds."""

    unit: str
    """epochs, epoch_fraction, epoch_fraction_from_1, samples, steps, tokens, iterations or
    mixed (differs by submitter)."""
    first_round: str
    last_round: str
    note: str | None
    """What the logged numbers mean, and their traps."""
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Rounds of one benchmark whose results may be compared with each other."""

    benchmark_id: str
    first_round: str
    last_round: str
    rounds: tuple[str, ...]
    model: str
    parameters: float | None
    """Parameters of the model; of a mixture of experts the total."""
    dataset: str
    train_samples_per_epoch: int | None
    eval_samples: int | None
    sample_unit: str
    """What one sample is: image, sequence, volume, ..."""
    sequence_length: int | None
    """Tokens of one sequence, for language models."""
    quality_metric: str
    target_text: str
    """The quality target in words, every metric of it."""
    target: float
    """The quality target; of two metrics the first."""
    target_direction: str
    """up if a larger value is better, down if a smaller one is."""
    min_runs: int
    """Runs that one result needs."""
    dropped_each_end: int
    """Runs dropped at each end before the mean of the score."""
    train_flops_per_sample: float | None
    """Floating-point operations of forward and backward pass for one sample."""
    train_flops_source: str | None
    progress_units: tuple[ProgressUnit, ...]
    folders: tuple[FolderName, ...]
    source: str
    confidence: str
    notes: str | None

    @property
    def name(self) -> str:
        """Return the block as a range of rounds, `v0.6..v4.0`.

        >>> from equipoise.facts import block_of
        >>> block_of("gpt3", "v4.0").name
        'v3.0..v4.1'
        """
        if self.first_round == self.last_round:
            return self.first_round
        return f"{self.first_round}..{self.last_round}"

    @property
    def log_progress_unit(self) -> str:
        """Return the unit of progress in the block's latest round; see `progress_unit`."""
        return self.progress_units[-1].unit

    def progress_unit(self, round_name: str) -> ProgressUnit:
        """Return what the logs of a round count as progress.

        Raises
        ------
        UnknownNameError
            The round is not in this block.

        >>> from equipoise.facts import block_of
        >>> block = block_of("unet3d", "v3.0")
        >>> block.progress_unit("v3.0").unit, block.progress_unit("v3.1").unit
        ('epochs', 'samples')
        """
        if round_name in self.rounds:
            for unit in self.progress_units:
                if _within(round_name, unit.first_round, unit.last_round):
                    return unit
        raise UnknownNameError("round of this block", round_name, self.rounds)

    def folder(self, round_name: str) -> str:
        """Return the usual name of the benchmark's folder in a round of this block.

        >>> from equipoise.facts import block_of
        >>> block_of("retinanet", "v4.1").folder("v4.1")
        'ssd'
        """
        for name in self.folders:
            if _within(round_name, name.first_round, name.last_round):
                return name.folder
        raise UnknownNameError("round of this block", round_name, self.rounds)

    def samples_trained(
        self, progress: float, round_name: str, *, global_batch_size: float | None = None
    ) -> float | None:
        """Return the training samples that a logged progress stands for, or None.

        `samples = progress x factor`: factor = samples per epoch D (epochs and fractions of
        one), 1 (samples), the global batch size (steps), 1 / sequence length (tokens);
        `(progress - 1) x D` where the one epoch is counted from 1. None where the facts do
        not decide it: iterations, units that differ by submitter, an unknown batch size.

        >>> from equipoise.facts import block_of
        >>> block_of("resnet", "v4.0").samples_trained(2.0, "v4.0")
        2562334.0
        >>> from equipoise.facts import block_of
        >>> block_of("gpt3", "v4.0").samples_trained(1207959552, "v4.0")
        589824.0
        """
        unit = self.progress_unit(round_name).unit
        if unit == "epoch_fraction_from_1":
            progress, unit = progress - 1.0, "epoch_fraction"
        factors: dict[str, float | None] = {
            "epochs": self.train_samples_per_epoch,
            "epoch_fraction": self.train_samples_per_epoch,
            "samples": 1.0,
            "steps": global_batch_size,
            "tokens": 1.0 / self.sequence_length if self.sequence_length else None,
        }
        factor = factors.get(unit)
        return None if factor is None else float(progress * factor)


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """One task with its model, under a canonical id."""

    id: str
    pretty_name: str
    task: str
    model: str
    """The model in the benchmark's latest block."""
    sample_unit: str
    aliases: tuple[str, ...]
    """Other spellings people use; folder names are not among them unless unmistakable."""
    blocks: tuple[Block, ...]
    """Blocks of compatible rounds, oldest first."""
    source: str

    @property
    def rounds(self) -> tuple[str, ...]:
        """Return every round that has this benchmark, oldest first."""
        return tuple(name for block in self.blocks for name in block.rounds)


@cache
def benchmarks() -> tuple[Benchmark, ...]:
    """Return every benchmark in the order of the fact table.

    >>> benchmarks()[0].pretty_name
    'ResNet-50 v1.5'
    """
    blocks: dict[str, list[Block]] = {}
    for row in table("blocks"):
        blocks.setdefault(row.text("benchmark_id"), []).append(_block(row))
    return tuple(_benchmark(row, tuple(blocks[row.text("id")])) for row in table("benchmarks"))


def benchmark(name: str) -> Benchmark:
    """Return a benchmark by id, pretty name or alias; case and punctuation do not matter.

    Raises
    ------
    UnknownNameError
        No benchmark has that name; the message has the nearest ids.

    >>> benchmark("ResNet-50").id, benchmark("Llama2-70B-LoRA").id
    ('resnet', 'llama2_70b_lora')
    """
    found = _names().get(_plain(name))
    if found is None:
        raise UnknownNameError("benchmark", name, (entry.id for entry in benchmarks()))
    return found


def benchmark_of_folder(round_name: str, folder: str) -> Benchmark | None:
    """Return the benchmark that a result folder of a round holds, or None.

    >>> [benchmark_of_folder(r, "ssd").id for r in ("v1.1", "v2.0")]
    ['ssd', 'retinanet']
    """
    found = _folders().get((rounds()[round_index(round_name)].name, folder.strip().lower()))
    return None if found is None else benchmark(found)


def _benchmark(row: Row, blocks: tuple[Block, ...]) -> Benchmark:
    return Benchmark(
        id=row.text("id"),
        pretty_name=row.text("pretty_name"),
        task=row.text("task"),
        model=blocks[-1].model,
        sample_unit=blocks[-1].sample_unit,
        aliases=row.parts("aliases"),
        blocks=blocks,
        source=row.text("source"),
    )


def _block(row: Row) -> Block:
    name, first, last = row.text("benchmark_id"), row.text("first_round"), row.text("last_round")
    return Block(
        benchmark_id=name,
        first_round=first,
        last_round=last,
        rounds=_rounds_of_block(name, first, last),
        model=row.text("model"),
        parameters=row.number("parameters"),
        dataset=row.text("dataset"),
        train_samples_per_epoch=row.count("train_samples_per_epoch"),
        eval_samples=row.count("eval_samples"),
        sample_unit=row.text("sample_unit"),
        sequence_length=row.count("sequence_length"),
        quality_metric=row.text("quality_metric"),
        target_text=row.text("target_text"),
        target=_known(row, "target"),
        target_direction=row.text("target_direction"),
        min_runs=int(_known(row, "min_runs")),
        dropped_each_end=int(_known(row, "dropped_each_end")),
        train_flops_per_sample=row.number("train_flops_per_sample"),
        train_flops_source=row.optional("train_flops_source"),
        progress_units=_progress_units(name, first, last),
        folders=_folder_names(name, first, last),
        source=row.text("source"),
        confidence=row.text("confidence"),
        notes=row.optional("notes"),
    )


def _known(row: Row, column: str) -> float:
    value = row.number(column)
    if value is None:
        raise row.error(f"column {column!r} is blank")
    return value


def _rounds_of_block(benchmark_id: str, first: str, last: str) -> tuple[str, ...]:
    return tuple(
        entry.name
        for entry in rounds()
        if benchmark_id in entry.benchmarks and _within(entry.name, first, last)
    )


def _progress_units(benchmark_id: str, first: str, last: str) -> tuple[ProgressUnit, ...]:
    return tuple(
        ProgressUnit(
            unit=row.text("unit"),
            first_round=row.text("first_round"),
            last_round=row.text("last_round"),
            note=row.optional("note"),
            source=row.text("source"),
        )
        for row in _rows_of("progress_units", benchmark_id)
        if _overlaps(row, first, last)
    )


def _folder_names(benchmark_id: str, first: str, last: str) -> tuple[FolderName, ...]:
    return tuple(
        FolderName(
            folder=row.text("folder"),
            first_round=row.text("first_round"),
            last_round=row.text("last_round"),
            source=row.text("source"),
        )
        for row in _rows_of("folders", benchmark_id)
        if _overlaps(row, first, last)
    )


def _rows_of(name: str, benchmark_id: str) -> Sequence[Row]:
    return _by_benchmark(name).get(benchmark_id, ())


@cache
def _by_benchmark(name: str) -> dict[str, list[Row]]:
    rows: dict[str, list[Row]] = {}
    for row in table(name):
        rows.setdefault(row.text("benchmark_id"), []).append(row)
    return rows


def _overlaps(row: Row, first: str, last: str) -> bool:
    starts, ends = round_index(row.text("first_round")), round_index(row.text("last_round"))
    return starts <= round_index(last) and round_index(first) <= ends


def _within(round_name: str, first: str, last: str) -> bool:
    return round_index(first) <= round_index(round_name) <= round_index(last)


def _plain(name: str) -> str:
    return "".join(c for c in name.lower() if c.isalnum())


@cache
def _names() -> dict[str, Benchmark]:
    names: dict[str, Benchmark] = {}
    for entry in benchmarks():
        for name in (*entry.aliases, entry.pretty_name, entry.id):
            names.setdefault(_plain(name), entry)
    for entry in benchmarks():
        names[_plain(entry.id)] = entry
    return names


@cache
def _folders() -> dict[tuple[str, str], str]:
    folders: dict[tuple[str, str], str] = {}
    for entry in benchmarks():
        for block in entry.blocks:
            for name in block.folders:
                for round_name in block.rounds:
                    if _within(round_name, name.first_round, name.last_round):
                        folders[round_name, name.folder] = entry.id
    return folders
