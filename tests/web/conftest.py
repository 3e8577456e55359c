"""A small catalogue with hostile names, and a client that talks to the application."""

import asyncio
import math
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from equipoise.catalogue import Catalogue, build
from equipoise.domain import Run, Score, System
from equipoise.sources.base import RoundData
from equipoise.web.app import create_app

HOSTILE_SYSTEM = "<script>alert('s')<script>"
HOSTILE_SUBMITTER = "=cmd|' calc'!A0"
COUNTS = (8, 16, 32, 64, 128, 256)
ACCELERATORS = {
    "a100-sxm4-80gb": (30.0, 0.85),
    "h100-sxm5-80gb": (12.0, 0.88),
    "h200-sxm5-141gb": (10.0, 0.9),
}
ROUNDS = ("v4.0", "v4.1")


def _result(
    round_name: str, submitter: str, system_id: str, accelerator: str, n: int, factor: float
) -> tuple[System, tuple[Run, ...], Score]:
    work, exponent = ACCELERATORS[accelerator]
    minutes = factor * work * (8 / n) ** exponent + 0.2
    place: dict[str, Any] = {
        "round": round_name,
        "submitter": submitter,
        "system_id": system_id,
    }
    runs = tuple(
        Run(
            **place,
            benchmark="bert",
            benchmark_folder="bert",
            path=f"{submitter}/results/{system_id}/bert/result_{i}.txt",
            time_to_train_min=minutes * (1 + 0.01 * (i - 4.5) * math.sin(n)),
            success=True,
            start_ms=1.7e12 + hash((system_id, n, i)) % 10**9,
            samples_to_converge=2.6e6 * (1 + 0.05 * math.log2(n)),
            throughput_samples_per_s=2.5e6 / (minutes * 60),
            seed=str(i),
            global_batch_size=float(48 * n),
        )
        for i in range(10)
    )
    times = sorted(run.time_to_train_min or 0.0 for run in runs)[1:-1]
    score = Score(
        **place,
        benchmark="bert",
        benchmark_folder="bert",
        division="closed",
        availability="onprem" if n < 64 else "cloud",
        accelerator_id=accelerator,
        accelerator_model=accelerator.upper(),
        accelerators=n,
        nodes=n // 8,
        runs=10,
        distinct_runs=10,
        unscaled_min=sum(times) / len(times),
        time_to_train_min=sum(times) / len(times),
        global_batch_size=float(48 * n),
        samples_to_converge=2.6e6 * (1 + 0.05 * math.log2(n)),
        throughput_samples_per_s=2.5e6 / (minutes * 60),
    )
    system = System(
        **place,
        system_name=f"Name of {system_id}",
        division="closed",
        availability=score.availability,
        nodes=n // 8,
        accelerators_per_node=8,
        accelerators=n,
        accelerator_id=accelerator,
        accelerator_model=accelerator.upper(),
        host_processor_model="Xeon <b>8480</b>",
        host_processors_per_node=2,
        host_memory_gib=2048.0,
        framework="PyTorch",
        path=f"{submitter}/systems/{system_id}.json",
        raw='{"system_name": "<img src=x onerror=alert(1)>"}',
    )
    return system, runs, score


def small_round(name: str) -> RoundData:
    """Return a round with three accelerators, six counts and two submitters."""
    found = []
    for accelerator in ACCELERATORS:
        for n in COUNTS:
            found.append(_result(name, "Acme", f"{accelerator}_n{n}", accelerator, n, 1.0))
            other = f"{accelerator}_x{n}"
            found.append(_result(name, "Other Org", other, accelerator, n, 1.07))
    found.append(_result(name, HOSTILE_SUBMITTER, HOSTILE_SYSTEM, "h100-sxm5-80gb", 8, 1.2))
    return RoundData(
        round=name,
        source=f"https://example.org/{name}.git",
        revision="0123456789abcdef0123456789abcdef01234567",
        systems=tuple(system for system, _, _ in found),
        runs=tuple(run for _, runs, _ in found for run in runs),
        scores=tuple(score for _, _, score in found),
    )


@pytest.fixture(scope="session")
def small_catalogue(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("catalogue") / "small"
    build([small_round(name) for name in ROUNDS], path)
    return path


@pytest.fixture(scope="session")
def catalogue(small_catalogue: Path) -> Iterator[Catalogue]:
    with Catalogue.open(small_catalogue) as opened:
        yield opened


KEY = "v4.1/Acme/h100-sxm5-80gb_n8/bert"
OTHER = "v4.1/Acme/h100-sxm5-80gb_n16/bert"
STATES: dict[str, dict[str, Any]] = {
    "overview": {},
    "benchmark": {"benchmark": "bert"},
    "scaling": {"benchmark": "bert", "resamples": 50},
    "study": {"benchmark": "bert", "resamples": 50, "k": 3},
    "predict": {"benchmark": "bert", "accelerator": "h100-sxm5-80gb", "accelerators": "8,512"},
    "advise": {"benchmark": "bert", "deadline": "2h", "measured-only": "true"},
    "trends": {"benchmark": "bert"},
    "compare": {"a": KEY, "b": OTHER},
    "validate": {},
    "study-scaling": {"resamples": 50},
    "show": {"system-id": KEY.removesuffix("/bert")},
    "methods": {},
    "api": {},
}
"""A state of every page that has something to show."""


@pytest.fixture(scope="session")
def states() -> dict[str, dict[str, Any]]:
    return STATES


class Client:
    """Asks the application in one event loop of its own, as a server would."""

    def __init__(self, path: Path, **options: Any) -> None:
        self._runner = asyncio.Runner()
        self.app = create_app(path, hosts=("test",), timeout_s=300.0, **options)
        transport = httpx.ASGITransport(app=self.app)
        self._http = httpx.AsyncClient(transport=transport, base_url="http://test")

    def request(self, method: str, url: str, **options: Any) -> httpx.Response:
        return self._runner.run(self._http.request(method, url, **options))

    def get(self, url: str, **options: Any) -> httpx.Response:
        return self.request("GET", url, **options)

    def page(self, url: str, **params: Any) -> httpx.Response:
        found = self.get(url, params=params)
        assert found.status_code == 200, found.text[:2000]
        return found

    def together(self, *urls: str) -> list[httpx.Response]:
        async def all_of() -> list[httpx.Response]:
            return list(await asyncio.gather(*(self._http.get(url) for url in urls)))

        return self._runner.run(all_of())

    def close(self) -> None:
        self._runner.run(self._http.aclose())
        self._runner.close()


@pytest.fixture(scope="session")
def client(small_catalogue: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    patch = pytest.MonkeyPatch()
    patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    made = Client(small_catalogue)
    yield made
    made.close()
    patch.undo()


@pytest.fixture(scope="session")
def client_of() -> Any:
    """Return how to get a client of another catalogue."""
    return Client


START = "from equipoise.cli.entry import main; main()"
WAIT_S = 60.0


def started(catalogue: Path, *options: str, code: str = START) -> tuple[subprocess.Popen[str], int]:
    """Start a server on a free port; return the process and the port."""
    arguments = ["--catalogue", str(catalogue), "serve", "--port", "0", "--no-warm", *options]
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "NO_COLOR": "1"},
    )
    assert process.stderr is not None
    for line in process.stderr:
        found = re.search(r"http://[\d.]+:(\d+)/", line)
        if found:
            return process, int(found[1])
    raise AssertionError(f"the server did not start: {process.wait()}")


def stopped(process: subprocess.Popen[str], by: int = signal.SIGINT) -> tuple[int, str]:
    """Stop a server; return its exit code and what else it said."""
    process.send_signal(by)
    _, said = process.communicate(timeout=WAIT_S)
    return process.returncode, said


@pytest.fixture(scope="session")
def serving() -> SimpleNamespace:
    """Return how to start and stop a server as a process."""
    return SimpleNamespace(started=started, stopped=stopped, start=START, wait_s=WAIT_S)
