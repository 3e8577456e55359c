"""The same catalogue from a real Dask scheduler and two worker processes, one killed midway."""

import os
import signal

import pytest

from equipoise.catalogue import Catalogue, fleet
from equipoise.catalogue.ingest import ingest
from equipoise.errors import SourceError, UsageError
from equipoise.sources import parallel

pytest.importorskip("distributed", reason="the extra `cluster` is not installed")


@pytest.fixture
def many_logs(make_round, tmp_path):
    """A round of sixty logs in six systems."""
    return make_round(tmp_path / "v4.1", systems=6, logs=10)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_killed_worker_changes_nothing(dask_cluster, many_logs, tmp_path, monkeypatch):
    ingest([many_logs], tmp_path / "here")
    for _ in range(2):
        dask_cluster.start_worker()
    dask_cluster.wait_for_workers()
    monkeypatch.setattr(parallel, "BATCH_BYTES", 4000)
    killed: list[int] = []

    def kill_one(done: int, _: int | None) -> None:
        if not killed:
            os.kill(dask_cluster.workers[0].pid, signal.SIGKILL)
            killed.append(done)

    report = ingest(
        [many_logs], tmp_path / "there", scheduler=dask_cluster.address, progress=kill_one
    )
    assert 0 < killed[0] < report.rounds[0].bytes
    assert dask_cluster.workers[0].wait() == -signal.SIGKILL
    assert dask_cluster.workers[1].poll() is None
    ours, theirs = (Catalogue.open(tmp_path / name) for name in ("here", "there"))
    assert theirs.manifest == ours.manifest
    assert theirs.check().passed


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_scheduler_without_workers_and_no_scheduler(
    dask_cluster, many_logs, tmp_path, monkeypatch
):
    with pytest.raises(UsageError, match="has no worker"):
        ingest([many_logs], tmp_path / "c", scheduler=dask_cluster.address)
    monkeypatch.setattr(fleet, "CONNECT_S", 1)
    with pytest.raises(UsageError, match=r"no Dask scheduler answers at 'tcp://127\.0\.0\.1:9'"):
        ingest([many_logs], tmp_path / "c", scheduler="tcp://127.0.0.1:9")
    with pytest.raises(UsageError, match="no Dask scheduler answers"):
        ingest([many_logs], tmp_path / "c", scheduler="not an address")


class Answers:
    """A client that says what workers would say."""

    def __init__(self, answers):
        self.answers = answers

    def run(self, *_, **__):
        return self.answers


def test_a_worker_with_another_version_is_refused():
    with pytest.raises(UsageError, match=r"worker tcp://a has equipoise 0\.0\.0"):
        fleet._refuse_other_versions(Answers({"tcp://a": "0.0.0"}), "tcp://s")


def test_a_worker_that_cannot_see_the_source_is_refused(many_logs):
    reader = fleet._ClusterReader(Answers({"tcp://a": True, "tcp://b": False}), "tcp://s")
    source = type("Local", (), {"label": str(many_logs)})()
    with pytest.raises(SourceError, match="worker tcp://b cannot see it"):
        reader._refuse_unseen(source)
