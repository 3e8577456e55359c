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

from equipoise.sources import parallel, pooled
from equipoise.sources.assemble import read_round
from equipoise.sources.base import MemoryBatch
from equipoise.sources.forked import Crew

# Tests that run beside others have threads; what they fork needs none of their locks.
pytestmark = pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")

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
        if elsewhere():
            os.kill(os.getpid(), signal.SIGKILL)
        yield from super().files()


class Failing(MemoryBatch):
    """A batch that fails in the process that reads it, unless that is the one given."""

    def files(self):
        if elsewhere():
            raise RecursionError
        yield from super().files()


PARENT = os.getpid()


def elsewhere():
    return os.getpid() != PARENT or multiprocessing.parent_process() is not None


@pytest.fixture(params=["fork", "forkserver", "spawn"])
def way(request, monkeypatch):
    """Each way to start workers, whatever this system would take."""
    method = request.param
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip("not on this system")
    monkeypatch.setattr(parallel, "_may_fork", lambda: method == "fork")
    if method != "fork":
        monkeypatch.setattr(pooled, "_context", lambda: multiprocessing.get_context(method))
    return method


def files_open():
    """Return how many files this process has open, where the system says it."""
    return len(list(Path("/proc/self/fd").iterdir())) if sys.platform == "linux" else 0


def children():
    """Return the processes that this one has started and not waited for, as files_open does."""
    multiprocessing.active_children()  # waits for those of the standard library
    if sys.platform != "linux":
        return []
    listing = Path(f"/proc/self/task/{os.getpid()}/children")
    names = [Path(f"/proc/{pid}/cmdline").read_text() for pid in listing.read_text().split()]
    return [name for name in names if "forkserver" not in name and "resource_tracker" not in name]


def test_any_way_to_start_workers_gives_the_same(round_files, dict_source, way):
    alone = read_round(dict_source(round_files))
    before = children()
    assert read_round(dict_source(round_files), workers=2) == alone
    assert children() == before


@pytest.mark.parametrize("batch_type", [Deadly, Failing])
@pytest.mark.parametrize("kind", ["listed", "streamed"])
def test_what_a_dying_or_failing_worker_had_is_read_here(
    round_files, dict_source, batched_source, monkeypatch, way, kind, batch_type
):
    if way != "fork" and kind == "streamed":
        pytest.skip("a pool makes no difference between them")
    alone = read_round(batched_source(round_files))
    source = batched_source(round_files)
    parts = source.batches(target_bytes=2000)
    batches = [batch_type(members=tuple(part.files())) for part in parts]
    assert len(batches) > 2
    if kind == "listed":
        monkeypatch.setattr(parallel, "MemoryBatch", int)  # so that they may wait in the pipe
    monkeypatch.setattr(parallel, "batches_of", lambda _: iter(batches))
    before = children()
    assert read_round(source, workers=2) == alone
    assert children() == before


@pytest.mark.parametrize("moment", ["no locks", "no process"])
def test_without_a_pool_everything_is_read_here(round_files, dict_source, monkeypatch, moment):
    def refuse(*_, **__):
        raise OSError(11, "Resource temporarily unavailable")

    alone = read_round(dict_source(round_files))
    monkeypatch.setattr(parallel, "_may_fork", lambda: False)
    if moment == "no locks":
        monkeypatch.setattr(pooled, "Pool", refuse)
    else:
        monkeypatch.setattr(ProcessPoolExecutor, "submit", refuse)
    assert read_round(dict_source(round_files), workers=2) == alone


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.parametrize("allowed", [0, 1])
@pytest.mark.parametrize("call", ["fork", "pipe"])
def test_a_system_that_refuses_workers_gets_the_same(
    round_files, dict_source, monkeypatch, allowed, call
):
    alone = read_round(dict_source(round_files))
    monkeypatch.setattr(parallel, "_may_fork", lambda: True)
    real, calls = getattr(os, call), []

    def refuse_later():
        calls.append(1)
        if len(calls) > allowed * (3 if call == "pipe" else 1):
            raise OSError(11, "Resource temporarily unavailable")
        return real()

    monkeypatch.setattr(os, call, refuse_later)
    before, open_files = children(), files_open()
    assert read_round(dict_source(round_files), workers=2) == alone
    assert children() == before
    assert files_open() == open_files


def test_an_error_in_a_worker_is_raised_here(round_files, dict_source, monkeypatch, way):
    def fail(batch, task):
        raise RuntimeError(f"process {os.getpid()}")

    if way != "fork":
        pytest.skip("other processes do not see the patched function")
    monkeypatch.setattr(parallel, "work", fail)
    with pytest.raises(RuntimeError, match=str(PARENT)):
        read_round(dict_source(round_files), workers=2)


def test_large_messages_pass_in_both_directions():
    crew = Crew(lambda item: item * 2, 2)
    try:
        given = [bytes([n]) * 300_000 for n in range(6)]
        found = []
        for item in given:
            while not crew.give(item, ahead=True):
                found += crew.answers()
        while crew.busy:
            found += crew.answers()
        assert sorted(found) == [item * 2 for item in given]
        assert crew.lost == []
    finally:
        crew.dismiss()


def test_a_daemon_reads_alone(round_files, dict_source, monkeypatch):
    alone = read_round(dict_source(round_files))
    monkeypatch.setattr(multiprocessing.current_process(), "_config", {"daemon": True})
    monkeypatch.setattr(parallel, "_in_processes", None)
    assert read_round(dict_source(round_files), workers=2) == alone


SCRIPT = """
import sys, threading, time
print("running", flush=True)
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
from equipoise.sources import parallel
from equipoise.sources.base import MemoryBatch
from equipoise.sources.extract import Task
batches = [MemoryBatch(members=()) for _ in range(4)]
print(len(list(parallel._in_processes(batches, Task(round="v4.1"), 2))), __file__ is not None)
"""


def test_no_worker_runs_the_script_of_the_program_again(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=100, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "running\n4 True\n", "")


PROGRAM = """
import os, time
from equipoise.sources import parallel, pooled
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


def test_many_tiny_files_are_worth_workers_too(round_files, dict_source, monkeypatch):
    alone = read_round(dict_source(round_files))
    monkeypatch.setattr(parallel, "WORTH_WORKERS_BYTES", 1 << 40)
    monkeypatch.setattr(parallel, "BATCH_BYTES", 1 << 40)
    in_processes, calls = parallel._in_processes, []

    def counted(*given):
        calls.append(1)
        return in_processes(*given)

    monkeypatch.setattr(parallel, "_in_processes", counted)
    for files, spread in ((2, True), (1000, False)):
        monkeypatch.setattr(parallel, "BATCH_FILES", files)
        assert read_round(dict_source(round_files), workers=2) == alone
        assert bool(calls) == spread
        calls.clear()
