"""Workers read a round as one process does, and leave nothing behind."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from equipoise.sources import parallel
from equipoise.sources.assemble import read_round
from equipoise.sources.base import MemoryBatch

SYSTEM = "A/systems/s.json"


@pytest.fixture
def round_files(maker, make_system, monkeypatch):
    monkeypatch.setattr(parallel, "WORTH_WORKERS_BYTES", 1)
    monkeypatch.setattr(parallel, "BATCH_BYTES", 2000)
    return {
        SYSTEM: make_system(),
        **maker.runs("A/results/s/bert", [float(100 + i) for i in range(10)], accuracy=0.72),
    }


class Deadly(MemoryBatch):
    """A batch that ends the process that reads it, unless that is the one given."""

    def files(self):
        if os.getpid() != PARENT:
            os.kill(os.getpid(), signal.SIGKILL)
        yield from super().files()


PARENT = os.getpid()


@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_any_way_to_start_workers_gives_the_same(round_files, dict_source, monkeypatch, method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip("not on this system")
    alone = read_round(dict_source(round_files))
    monkeypatch.setattr(parallel, "_context", lambda: multiprocessing.get_context(method))
    assert read_round(dict_source(round_files), workers=2) == alone
    assert multiprocessing.active_children() == []


def test_what_a_dying_worker_had_is_read_here(round_files, batched_source, monkeypatch):
    alone = read_round(batched_source(round_files))
    source = batched_source(round_files)
    batches = [Deadly(members=tuple(batch.files())) for batch in source.batches(target_bytes=2000)]
    assert len(batches) > 2
    monkeypatch.setattr(parallel, "batches_of", lambda _: iter(batches))
    assert read_round(source, workers=2) == alone
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("moment", ["no locks", "no process"])
def test_without_workers_everything_is_read_here(round_files, dict_source, monkeypatch, moment):
    def refuse(*_, **__):
        raise OSError(11, "Resource temporarily unavailable")

    alone = read_round(dict_source(round_files))
    if moment == "no locks":
        monkeypatch.setattr(parallel, "ProcessPoolExecutor", refuse)
    else:
        monkeypatch.setattr(ProcessPoolExecutor, "submit", refuse)
    assert read_round(dict_source(round_files), workers=2) == alone


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_refused_second_worker_leaves_no_first_one(round_files, dict_source, monkeypatch):
    alone = read_round(dict_source(round_files))
    monkeypatch.setattr(parallel, "_context", lambda: multiprocessing.get_context("fork"))
    fork, calls = os.fork, []

    def fork_once():
        calls.append(1)
        if len(calls) > 1:
            raise OSError(11, "Resource temporarily unavailable")
        return fork()

    monkeypatch.setattr(os, "fork", fork_once)
    assert read_round(dict_source(round_files), workers=2) == alone
    assert len(calls) == 2
    assert multiprocessing.active_children() == []


def test_a_daemon_reads_alone(round_files, dict_source, monkeypatch):
    alone = read_round(dict_source(round_files))
    monkeypatch.setattr(multiprocessing.current_process(), "_config", {"daemon": True})
    monkeypatch.setattr(parallel, "_in_processes", None)
    assert read_round(dict_source(round_files), workers=2) == alone


PROGRAM = """
import os, time
from equipoise.sources import parallel
from equipoise.sources.base import MemoryBatch
from equipoise.sources.extract import Task
class Slow(MemoryBatch):
    def files(self):
        os.write(1, b"reading ")
        time.sleep(60)
        return iter(())
for _ in parallel._in_processes([Slow(members=()) for _ in range(4)], Task(round="v4.1"), 2):
    pass
"""


def children_of(pid):
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("blow", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_worker_outlives_its_parent(blow):
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert program.stdout.read(16) == b"reading reading "  # both workers are at it
    workers = children_of(program.pid)
    assert len(workers) == 2
    if blow == signal.SIGINT:  # as a terminal does, to all of the group
        os.killpg(program.pid, blow)
    else:
        program.send_signal(blow)
    _, said = program.communicate(timeout=20)
    assert said.count(b"Traceback") == (blow == signal.SIGINT)  # the program's own
    until = time.monotonic() + 20
    while any(Path(f"/proc/{worker}").exists() for worker in workers):
        assert time.monotonic() < until
        time.sleep(0.05)
