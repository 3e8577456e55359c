import subprocess
import sys

import pytest
from tests.scaling.pooled_builders import catalogue as configurations

from equipoise.errors import UsageError
from equipoise.workflow import accuracy


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(
        accuracy, "all_configurations", lambda _: tuple(configurations(benchmarks=("bert",)))
    )


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_cluster_gives_the_same_table_as_this_process(small, dask_cluster):
    for _ in range(2):
        dask_cluster.start_worker()
    dask_cluster.wait_for_workers()
    asked = {"protocols": ("forward", "interior"), "baselines": False}
    here = accuracy.validate(None, **asked, workers=1)
    there = accuracy.validate(None, **asked, scheduler=dask_cluster.address)
    assert [row.n for row in here.result.accuracy if row.n]
    for ours, theirs in zip(here.result.accuracy, there.result.accuracy, strict=True):
        assert (ours.protocol, ours.predictor, ours.n) == (
            theirs.protocol,
            theirs.predictor,
            theirs.n,
        )
        assert ours.mdape == pytest.approx(theirs.mdape, rel=1e-6)


def test_no_scheduler_is_told(small, monkeypatch):
    pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
    monkeypatch.setattr("equipoise.catalogue.fleet.CONNECT_S", 1)
    with pytest.raises(UsageError, match="no Dask scheduler answers"):
        accuracy.validate(None, protocols=("interior",), scheduler="tcp://127.0.0.1:9")


SCRIPT = """
from equipoise.workflow.accuracy import _executor
print("running", flush=True)
with _executor(2, None) as pool:
    print(list(pool.map(len, ["ab", "c"])))
"""


def test_a_script_without_a_guard_can_validate_in_processes(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=100, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "running\n[2, 1]\n", "")
