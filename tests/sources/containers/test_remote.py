"""Folders and archives in stores that fsspec reaches."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.sources.containers.builders import (
    LISTED_ONLY,
    LOG,
    ROUND,
    TAR_CODECS,
    WANTED,
    make_zip,
    tar_bytes,
)

from equipoise.errors import SourceError
from equipoise.extras import MissingExtraError
from equipoise.sources.base import BatchedSource
from equipoise.sources.containers import open_source

fsspec = pytest.importorskip("fsspec", reason="the extra 'remote' (fsspec) is not installed")
EXPECTED = {**WANTED, **dict.fromkeys(LISTED_ONLY)}


@pytest.fixture
def store() -> Iterator[object]:
    filesystem = fsspec.filesystem("memory")
    filesystem.store.clear()
    filesystem.pseudo_dirs[:] = [""]
    yield filesystem
    filesystem.store.clear()
    filesystem.pseudo_dirs[:] = [""]


def put(store: object, files: dict[str, bytes], top: str) -> None:
    for name, data in files.items():
        store.pipe_file(f"{top}/{name}", data)  # type: ignore[attr-defined]


def test_folder_of_a_store(store: object) -> None:
    put(store, ROUND, "/bucket/v4.1")
    source = open_source("memory://bucket/v4.1/")
    assert source.round == "v4.1"
    assert {file.path: file.data for file in source.files()} == EXPECTED
    assert isinstance(source, BatchedSource)
    for size in (1, 10**9):
        files = [f for batch in source.batches(target_bytes=size) for f in batch.files()]
        assert {file.path: file.data for file in files} == EXPECTED
        assert len(files) == len(EXPECTED)


def test_folder_that_wraps_and_list_of_missing(store: object) -> None:
    absent = "Beta/results/node-b/ssd/result_2.txt"
    put(store, {**ROUND, "MISSING": absent.encode()}, "/bucket/v4.1")
    files = list(open_source("memory://bucket/v4.1").files())
    assert [file.path for file in files if file.problem] == [absent]
    wrapped = open_source("memory://bucket")
    assert wrapped.round == "v4.1"
    assert {f.path: f.data for f in wrapped.files() if not f.problem} == EXPECTED


def test_own_logs_of_a_store(store: object) -> None:
    put(store, {"bert/a.log": LOG, "bert/b.txt": b"no log"}, "/bucket/exp7")
    source = open_source("memory://bucket/exp7")
    assert isinstance(source, BatchedSource)
    expected = {
        "own-runs/results/exp7/bert/a.log": LOG,
        "own-runs/results/exp7/bert/b.txt": None,
    }
    assert {file.path: file.data for file in source.files()} == expected
    files = [f for batch in source.batches(target_bytes=10) for f in batch.files()]
    assert {file.path: file.data for file in files} == expected


@pytest.mark.parametrize("kind", ["tar", "tar.zst", "tar.gz", "zip"])
def test_archives_of_a_store(store: object, tmp_path: Path, kind: str) -> None:
    if kind == "zip":
        content = make_zip(tmp_path / "a.zip").read_bytes()
    else:
        content = TAR_CODECS[kind](tar_bytes())
    put(store, {f"any.{kind}": content}, "/bucket")
    source = open_source(f"memory://bucket/any.{kind}")
    assert (source.kind, source.round) == (kind, "v4.1")
    assert {file.path: file.data for file in source.files()} == EXPECTED


def test_large_files_come_in_pieces(store: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("equipoise.sources.containers.remote.WHOLE_FILE_BYTES", 1000)
    put(store, ROUND, "/bucket/v4.1")
    found = {}
    for file in open_source("memory://bucket/v4.1").files():
        if file.chunks is not None:
            found[file.path] = b"".join(file.chunks)
    assert found == {name: data for name, data in WANTED.items() if len(data) > 1000}


def test_file_that_vanished_is_said(store: object) -> None:
    put(store, ROUND, "/bucket/v4.1")
    source = open_source("memory://bucket/v4.1")
    batches = list(source.batches(target_bytes=10**9))  # type: ignore[attr-defined]
    store.rm("/bucket/v4.1/Beta/systems/node-b.json")  # type: ignore[attr-defined]
    files = [file for batch in batches for file in batch.files()]
    assert [f.path for f in files if f.problem] == ["Beta/systems/node-b.json"]


def test_nothing_there(store: object) -> None:
    put(store, {"notes.txt": b"x"}, "/bucket/v4.1")
    with pytest.raises(SourceError, match="nothing at this address"):
        open_source("memory://bucket/v5.1")
    with pytest.raises(SourceError, match="is no archive"):
        open_source("memory://bucket/v4.1/notes.txt")
    with pytest.raises(SourceError, match="no MLPerf results"):
        list(open_source("memory://bucket/v4.1").files())


def test_unknown_kind_of_address() -> None:
    with pytest.raises(SourceError, match="cannot be opened"):
        open_source("nosuchstore://bucket/v4.1")


def test_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'equipoise\[remote\]'") as caught:
        open_source("s3://bucket/v4.1.tar.zst")
    assert caught.value.exit_code == 2
