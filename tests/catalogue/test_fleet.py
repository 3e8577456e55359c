"""The same catalogue from a real Dask scheduler and two worker processes, one killed midway."""

import os
import signal

import pytest

from equipoise import extras
from equipoise.catalogue import Catalogue, fleet
from equipoise.catalogue.ingest import ingest
from equipoise.errors import SourceError, UsageError
from equipoise.extras import MissingExtraError
from equipoise.sources import parallel
from equipoise.sources.containers import open_source
from equipoise.sources.extract import Task
from equipoise.sources.parallel import batches_of

pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
pyarrow = pytest.importorskip("pyarrow", reason="the extra `cluster` is not installed")

from equipoise.catalogue import wire  # noqa: E402
from equipoise.catalogue.wire import from_arrow  # noqa: E402


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
def test_when_the_last_worker_is_gone_the_wait_ends(dask_cluster, many_logs, tmp_path, monkeypatch):
    dask_cluster.start_worker()
    dask_cluster.wait_for_workers()
    monkeypatch.setattr(parallel, "BATCH_BYTES", 4000)
    monkeypatch.setattr(fleet, "ALONE_S", 0.5)
    monkeypatch.setattr(fleet, "LOOK_S", 0.1)

    def kill_all(_: int, __: int | None) -> None:
        dask_cluster.workers[0].kill()

    with pytest.raises(
        SourceError, match=r"no worker is left; start some with `dask worker tcp://"
    ):
        ingest([many_logs], tmp_path / "c", scheduler=dask_cluster.address, progress=kill_all)
    assert not (tmp_path / "c" / "manifest.json").exists()


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_workers_answer_in_arrow_tables(dask_cluster, make_odd_round, tmp_path, monkeypatch):
    """Nothing is read here, and every fact of every kind comes as a table."""
    folder = make_odd_round(tmp_path / "v4.1")
    ingest([folder], tmp_path / "here")
    dask_cluster.start_worker()
    dask_cluster.wait_for_workers()
    monkeypatch.setattr(parallel, "BATCH_BYTES", 4000)
    monkeypatch.setattr(fleet, "work", read_here)
    answers: list[dict[str, pyarrow.Table]] = []
    monkeypatch.setattr(wire, "from_arrow", lambda a: answers.append(a) or from_arrow(a))
    ingest([folder], tmp_path / "there", scheduler=dask_cluster.address)
    assert len(answers) > 3
    assert {type(table) for answer in answers for table in answer.values()} == {pyarrow.Table}
    assert {name for answer in answers for name in answer} == wire.schemas().keys()
    ours, theirs = (Catalogue.open(tmp_path / name) for name in ("here", "there"))
    assert theirs.manifest == ours.manifest
    assert [path.read_bytes() for path in sorted((tmp_path / "here").rglob("*.parquet"))] == [
        path.read_bytes() for path in sorted((tmp_path / "there").rglob("*.parquet"))
    ]


def read_here(*_):
    raise AssertionError("a batch was read by the process that asks")


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


class Done:
    """The future of a batch that a worker has read."""

    key, status = "k", "finished"

    def __init__(self, found):
        self.found = found

    def result(self, timeout):
        assert timeout == fleet.LOOK_S
        if isinstance(self.found, Exception):
            raise self.found
        return self.found


WATCH = fleet._Watch(None, "tcp://s")


@pytest.mark.parametrize(
    "answer", [{}, {"totals": pyarrow.table({"a": [1]})}, TypeError("no table")]
)
def test_a_batch_whose_answer_is_no_table_is_read_here(many_logs, answer):
    task = Task(round="v4.1")
    (batch,) = batches_of(open_source(many_logs, round="v4.1"))
    waiting = {"k": (7, batch)}
    assert fleet._outcome(Done(answer), waiting, task, WATCH) == (7, parallel.work(batch, task))
    assert waiting == {}


def test_an_answer_is_the_facts_of_the_batch(many_logs):
    task = Task(round="v4.1")
    (batch,) = batches_of(open_source(many_logs, round="v4.1"))
    answer = fleet.answer(batch, task)
    assert answer["runs"].num_rows == 60
    found = fleet._outcome(Done(answer), {"k": (0, batch)}, task, WATCH)
    assert found == (0, parallel.work(batch, task))


class Answers:
    """A client that says what workers would say."""

    def __init__(self, answers):
        self.answers = answers

    def run(self, *_, **__):
        return self.answers


def test_a_worker_with_another_version_is_refused():
    with pytest.raises(UsageError, match=r"worker tcp://a has equipoise 0\.0\.0"):
        fleet._refuse_other_versions(Answers({"tcp://a": "0.0.0"}), "tcp://s")


def test_a_worker_without_the_extra_is_refused(monkeypatch):
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "pyarrow" else name)
    with pytest.raises(
        MissingExtraError, match=r"needs pyarrow, .*'equipoise\[cluster\]'"
    ) as found:
        fleet._version()
    with pytest.raises(MissingExtraError, match="a Dask cluster needs pyarrow, which is not"):
        fleet._client("tcp://s")
    with pytest.raises(UsageError, match=r"worker tcp://a cannot answer \(a worker needs pyarrow"):
        fleet._refuse_other_versions(Answers({"tcp://a": found.value}), "tcp://s")


def test_a_worker_that_cannot_see_the_source_is_refused(many_logs):
    reader = fleet._ClusterReader(Answers({"tcp://a": True, "tcp://b": False}), "tcp://s")
    source = type("Local", (), {"label": str(many_logs)})()
    with pytest.raises(SourceError, match="worker tcp://b cannot see it"):
        reader._refuse_unseen(source)
