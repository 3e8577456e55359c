"""Small rounds made in memory: logs, system descriptions and a source of them."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from equipoise.sources.assemble import read_round
from equipoise.sources.base import MemoryBatch, RoundData, SourceFile

START_MS = 1_700_000_000_000


def record(key: str, time_ms: Any, value: Any = None, **metadata: Any) -> str:
    """Return one record as the loggers since v0.7 write it."""
    content = {
        "namespace": "",
        "time_ms": time_ms,
        "event_type": "POINT_IN_TIME",
        "key": key,
        "value": value,
        "metadata": {"file": "train.py", "lineno": 1, **metadata},
    }
    return ":::MLLOG " + json.dumps(content)


@dataclass(frozen=True, kw_only=True)
class LogMaker:
    """Makes logs; every part can be changed."""

    benchmark: str = "resnet"
    division: str | None = "closed"

    def lines(
        self,
        *,
        start_ms: int = START_MS,
        seconds: float = 300.0,
        status: str | None = "success",
        batch: float | None = 256,
        accuracy: Any = 0.76,
        epoch: float = 3,
        seed: Any = 1,
        extra: tuple[str, ...] = (),
        after_start: tuple[str, ...] = (),
    ) -> list[str]:
        stop_ms = round(start_ms + seconds * 1000)
        found = [record("submission_benchmark", start_ms - 9000, self.benchmark)]
        if self.division is not None:
            found.append(record("submission_division", start_ms - 9000, self.division))
        if batch is not None:
            found.append(record("global_batch_size", start_ms - 8000, batch))
        if seed is not None:
            found.append(record("seed", start_ms - 8000, seed))
        found += extra
        found.append(record("init_start", start_ms - 7000))
        found.append(record("init_stop", start_ms - 1))
        found.append(record("run_start", start_ms))
        found += after_start
        if accuracy is not None:
            found.append(record("eval_accuracy", stop_ms - 5, accuracy, epoch_num=epoch))
        if status is not None:
            found.append(record("run_stop", stop_ms, None, status=status))
        return found

    def __call__(self, **changes: Any) -> bytes:
        """Return a log as bytes."""
        return ("\n".join(self.lines(**changes)) + "\n").encode()


def system(**fields: Any) -> bytes:
    """Return a system description; a field set to `...` is left out."""
    content: dict[str, Any] = {
        "submitter": "ExampleOrg",
        "division": "closed",
        "status": "onprem",
        "system_name": "node-a",
        "number_of_nodes": "2",
        "host_processors_per_node": "2",
        "host_processor_model_name": "Example CPU",
        "host_processor_core_count": "32",
        "host_memory_capacity": "512 GB",
        "accelerators_per_node": "8",
        "accelerator_model_name": "NVIDIA H100-SXM5-80GB",
        "framework": "ExampleFW 1.0",
        **fields,
    }
    return json.dumps({k: v for k, v in content.items() if v is not ...}, indent=1).encode()


@dataclass(frozen=True)
class DictSource:
    """A source whose files are in a dictionary; a text instead of bytes is a problem."""

    contents: Mapping[str, bytes | str | None]
    round: str | None = "v4.1"
    label: str = "memory"
    kind: str = "memory"
    notes: tuple[str, ...] = field(default=())

    def files(self) -> Iterator[SourceFile]:
        for path, data in self.contents.items():
            if isinstance(data, str):
                yield SourceFile(path=path, size=9, problem=data, problem_code="not-in-this-clone")
            else:
                yield SourceFile(path=path, size=len(data or b""), data=data)


@dataclass(frozen=True)
class BatchedDictSource(DictSource):
    """The same, able to be read in several processes."""

    def batches(self, *, target_bytes: int) -> Iterator[MemoryBatch]:
        for file in self.files():
            yield MemoryBatch(members=(file,))


@dataclass(frozen=True)
class RoundMaker:
    """Puts files into the layout of a round and reads it."""

    logs: LogMaker = LogMaker()

    def runs(self, folder: str, seconds: list[float], **changes: Any) -> dict[str, bytes]:
        """Return result files of one folder, one run an hour."""
        return {
            f"{folder}/result_{i}.txt": self.logs(
                start_ms=START_MS + 3_600_000 * i, seconds=s, seed=i, **changes
            )
            for i, s in enumerate(seconds)
        }

    def read(self, contents: Mapping[str, bytes | str | None], **options: Any) -> RoundData:
        """Read the files as one round."""
        name = options.pop("round", "v4.1")
        return read_round(DictSource(contents, round=name), **options)


@pytest.fixture
def mllog() -> LogMaker:
    """Return a maker of logs."""
    return LogMaker()


@pytest.fixture
def maker() -> RoundMaker:
    """Return a maker of rounds."""
    return RoundMaker()


@pytest.fixture
def make_record() -> Any:
    """Return the function that makes one record."""
    return record


@pytest.fixture
def make_system() -> Any:
    """Return the function that makes a system description."""
    return system


@pytest.fixture
def dict_source() -> type[DictSource]:
    """Return the class of sources in memory."""
    return DictSource


@pytest.fixture
def batched_source() -> type[BatchedDictSource]:
    """Return the class of sources in memory that can be split."""
    return BatchedDictSource
