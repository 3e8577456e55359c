"""The same files from every container."""

import pickle
import tarfile
from pathlib import Path

import pytest
from tests.sources.containers.builders import (
    LISTED_ONLY,
    LOG,
    ROUND,
    TAR_CODECS,
    WANTED,
    make_bare,
    make_folder,
    make_git,
    make_tar,
    make_zip,
    tar_bytes,
)

from equipoise.errors import SourceError
from equipoise.sources.base import BatchedSource, Source
from equipoise.sources.containers import Limits, open_source


def contents(source: Source) -> dict[str, bytes | None]:
    found: dict[str, bytes | None] = {}
    for file in source.files():
        assert file.problem is None, file
        assert file.path not in found
        found[file.path] = b"".join(file.pieces()) if file.path in WANTED else file.data
    return found


def batched(source: Source, target_bytes: int) -> dict[str, bytes | None]:
    assert isinstance(source, BatchedSource)
    found: dict[str, bytes | None] = {}
    for batch in source.batches(target_bytes=target_bytes):
        for file in pickle.loads(pickle.dumps(batch)).files():
            assert file.path not in found
            found[file.path] = file.data
    return found


EXPECTED: dict[str, bytes | None] = {**WANTED, **dict.fromkeys(LISTED_ONLY)}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_git(tmp_path_factory.mktemp("git") / "training_results_v4.1")


@pytest.mark.parametrize("kind", sorted(TAR_CODECS))
def test_tar_of_every_compression(tmp_path: Path, kind: str) -> None:
    source = open_source(make_tar(tmp_path / f"any.{kind}"))
    assert (source.kind, source.round) == (kind, "v4.1")
    assert contents(source) == EXPECTED
    assert contents(source) == EXPECTED, "a source can be read again"


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_tar_formats_and_long_names(tmp_path: Path, form: int) -> None:
    long = "Alpha/results/" + "/".join(["n" * 40] * 3) + "/result_0.txt"
    path = tmp_path / "v4.1.tar"
    path.write_bytes(tar_bytes({**ROUND, long: LOG}, form=form))
    assert contents(open_source(path)) == {**EXPECTED, long: LOG}


def test_tar_without_top_folder_takes_the_round_from_its_name(tmp_path: Path) -> None:
    source = open_source(make_tar(tmp_path / "v3.0.tar.gz", top=""))
    assert source.round == "v3.0"
    assert contents(source) == EXPECTED
    assert open_source(tmp_path / "v3.0.tar.gz", round="v2.1").round == "v2.1"


def test_folder(tmp_path: Path) -> None:
    source = open_source(make_folder(tmp_path / "training_results_v4.1-main"))
    assert (source.kind, source.round) == ("folder", "v4.1")
    assert contents(source) == EXPECTED
    for size in (1, 1000, 10**9):
        assert batched(source, size) == EXPECTED


def test_folder_that_wraps_the_round(tmp_path: Path) -> None:
    make_folder(tmp_path / "outer" / "v4.1")
    source = open_source(str(tmp_path / "outer"))
    assert source.round == "v4.1"
    assert contents(source) == EXPECTED


def test_zip(tmp_path: Path) -> None:
    source = open_source(make_zip(tmp_path / "a.zip"))
    assert (source.kind, source.round) == ("zip", "v4.1")
    assert contents(source) == EXPECTED
    for size in (1, 1000, 10**9):
        assert batched(source, size) == EXPECTED


def test_git_work_tree_bare_and_linked_work_tree(repository: Path, tmp_path: Path) -> None:
    from tests.sources.containers.builders import git

    bare = make_bare(tmp_path / "training_results_v4.1.git", repository)
    git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"), cwd=repository)
    commit = git("rev-parse", "HEAD", cwd=repository).decode().strip()
    for path in (repository, repository / ".git", bare, tmp_path / "linked"):
        source = open_source(path)
        assert source.kind == "git"
        assert getattr(source, "revision", None) == commit
        assert contents(source) == EXPECTED
        assert batched(source, 1000) == EXPECTED
    assert open_source(bare).round == "v4.1"


def test_git_reads_the_commit_not_the_work_tree(tmp_path: Path) -> None:
    root = make_git(tmp_path / "v4.1")
    (root / "Alpha/results/node-a/bert/result_7.txt").write_bytes(LOG)
    assert contents(open_source(root)) == EXPECTED


def test_git_repository_of_sha256_names(tmp_path: Path) -> None:
    from tests.sources.containers.builders import git

    root = make_folder(tmp_path / "v4.1")
    git("init", "-q", "--object-format=sha256", ".", cwd=root)
    git("add", "-A", cwd=root)
    git("commit", "-q", "-m", "round", cwd=root)
    assert contents(open_source(root)) == EXPECTED


def test_single_submitter(tmp_path: Path) -> None:
    alpha = {name: data for name, data in EXPECTED.items() if name.startswith("Alpha/")}
    inner = {n.removeprefix("Alpha/"): d for n, d in ROUND.items() if n.startswith("Alpha/")}
    root = make_folder(tmp_path / "v4.1")
    for source in (
        open_source(root / "Alpha"),
        open_source(make_tar(tmp_path / "Alpha.tar.gz", inner, top="")),
        open_source(make_zip(tmp_path / "Alpha.zip", inner, top="")),
        open_source(make_tar(tmp_path / "any.tar.zst", inner, top="Alpha/")),
    ):
        assert contents(source) == alpha
    assert open_source(root / "Alpha").round == "v4.1"


@pytest.mark.parametrize(
    ("part", "count"),
    [
        ("Alpha/results", 6),
        ("Alpha/results/node-a", 6),
        ("Alpha/results/node-a/bert", 6),
        ("Alpha/results/node-a/bert/result_1.txt", 2),
    ],
)
def test_part_of_a_round_keeps_its_identity_and_system(
    tmp_path: Path, part: str, count: int
) -> None:
    root = make_folder(tmp_path / "v4.1")
    source = open_source(root / part)
    found = contents(source)
    assert source.round == "v4.1"
    assert found.items() <= EXPECTED.items()
    if part != "Alpha/results":
        assert len(found) == count
        assert "Alpha/systems/node-a.json" in found


def test_own_logs_are_named_after_their_folders(tmp_path: Path) -> None:
    files = {"exp7/bert/a.log": LOG, "exp7/bert/notes.txt": b"no log", "exp7/bert/b.txt": LOG}
    make_folder(tmp_path, files)
    expected = {
        "own-runs/results/exp7/bert/a.log": LOG,
        "own-runs/results/exp7/bert/b.txt": LOG,
        "own-runs/results/exp7/bert/notes.txt": None,
    }
    inner = {name.removeprefix("exp7/"): data for name, data in files.items()}
    for source in (
        open_source(tmp_path / "exp7"),
        open_source(tmp_path / "exp7" / "bert"),
        open_source(make_tar(tmp_path / "exp7.tar.gz", inner, top="")),
        open_source(make_zip(tmp_path / "exp7.zip", inner, top="")),
        open_source(make_tar(tmp_path / "other.tar", inner, top="exp7/")),
        open_source(make_zip(tmp_path / "other.zip", inner, top="exp7/")),
    ):
        assert {file.path: file.data for file in source.files()} == expected
        assert "own-runs" in source.notes[0]
        if isinstance(source, BatchedSource):
            assert batched(source, 10) == expected


def test_single_own_log(tmp_path: Path) -> None:
    make_folder(tmp_path, {"exp7/bert/a.log": LOG, "exp7/bert/picture.txt": b"\x89PNG\0"})
    source = open_source(tmp_path / "exp7/bert/a.log")
    assert source.kind == "log"
    assert contents(source) == {"own-runs/results/exp7/bert/a.log": LOG}
    with pytest.raises(SourceError, match="no MLPerf results here"):
        list(open_source(tmp_path / "exp7/bert/picture.txt").files())


@pytest.mark.parametrize("name", ["nowhere", "nowhere/v4.1.tar.zst", "a\0b", "x" * 5000])
def test_wrong_path(tmp_path: Path, name: str) -> None:
    with pytest.raises(SourceError, match=r"check the path|cannot be opened"):
        open_source(str(tmp_path / name))


def test_nothing_inside(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(SourceError, match=r"empty: no MLPerf results here \(it is empty\)"):
        open_source(tmp_path / "empty")
    (tmp_path / "void.tar").write_bytes(b"")
    with pytest.raises(SourceError, match="is empty"):
        open_source(tmp_path / "void.tar")
    make_folder(tmp_path / "code", {"src/main.py": b"x", "docs/a.md": b"y"})
    make_tar(tmp_path / "code.tar.gz", {"src/main.py": b"x"})
    make_zip(tmp_path / "code.zip", {"src/main.py": b"x"})
    make_git(tmp_path / "codegit", {"src/main.py": b"x"})
    for name in ("code", "code.tar.gz", "code.zip", "codegit"):
        with pytest.raises(SourceError, match="no MLPerf results here") as caught:
            list(open_source(tmp_path / name).files())
        assert caught.value.path == str(tmp_path / name)


def test_only_systems_is_no_result(tmp_path: Path) -> None:
    make_folder(tmp_path / "v4.1", {"A/systems/s.json": b"{}"})
    with pytest.raises(SourceError, match="no MLPerf results"):
        list(open_source(tmp_path / "v4.1").files())


def test_two_rounds_in_one_place(tmp_path: Path) -> None:
    files = {f"{top}/A/results/s/bert/result_0.txt": LOG for top in ("v4.0", "v4.1")}
    make_folder(tmp_path / "both", files)
    for path in (
        tmp_path / "both",
        make_tar(tmp_path / "b.tar", files, top=""),
        make_zip(tmp_path / "b.zip", files, top=""),
    ):
        with pytest.raises(SourceError, match=r"'v4.0' and in 'v4.1': a source is one round"):
            list(open_source(path).files())


def test_results_below_the_level_of_the_others(tmp_path: Path) -> None:
    files = {**ROUND, "Beta/old/Gamma/results/s/bert/result_0.txt": LOG}
    for path in (
        make_folder(tmp_path / "v4.1", files),
        make_tar(tmp_path / "v4.1.tar", files),
        make_zip(tmp_path / "v4.1.zip", files),
    ):
        odd = [file for file in open_source(path).files() if file.problem]
        assert [file.problem_code for file in odd] == ["odd-place"]


def test_first_round_keeps_its_own_tree(tmp_path: Path) -> None:
    path = "v0.5.0/google/cloud/resnet-tpu/results/tpu/resnet/result_0.txt"
    other = "v0.5.0/nvidia/submission/results/dgx1/ncf/result_0.txt"
    files = {path: b":::MLPv0.5.0 x", other: b":::MLPv0.5.0 y"}
    root = make_folder(tmp_path / "v0.5", files)
    for source in (
        open_source(root),
        open_source(root / "v0.5.0"),
        open_source(make_tar(tmp_path / "a.tar", files, top="v0.5/")),
        open_source(make_zip(tmp_path / "a.zip", files, top="v0.5/")),
        open_source(make_git(tmp_path / "training_results_v0.5", files)),
    ):
        assert (contents_of(source), source.round) == (files, "v0.5")
    part = open_source(root / "v0.5.0/google")
    assert (contents_of(part), part.round) == ({path: files[path]}, "v0.5")


def contents_of(source: Source) -> dict[str, bytes | None]:
    return {file.path: file.data for file in source.files()}


def test_list_of_left_out_files(tmp_path: Path) -> None:
    absent = "Beta/results/node-b/ssd/result_2.txt"
    files = {**ROUND, "MISSING": f"{absent}\n\n../x\n".encode()}
    for path in (
        make_folder(tmp_path / "v4.1", files),
        make_tar(tmp_path / "v4.1.tar.zst", files),
        make_zip(tmp_path / "v4.1.zip", files),
        make_git(tmp_path / "git" / "v4.1", files),
        make_git(tmp_path / "address" / "v4.1", files).as_uri(),
    ):
        found = list(open_source(path).files())
        problems = [file for file in found if file.problem]
        assert [(file.path, file.problem_code) for file in problems] == [
            (absent, "not-in-this-copy")
        ]
        assert {file.path: file.data for file in found if not file.problem} == EXPECTED


def test_limits_must_let_something_through() -> None:
    with pytest.raises(SourceError, match="max_files must be above 0"):
        Limits(max_files=0)


def test_chunks_of_large_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("folder", "tar", "zip", "git"):
        target = f"equipoise.sources.containers.{module}.WHOLE_FILE_BYTES"
        monkeypatch.setattr(target, 1000)
        if module != "zip":
            monkeypatch.setattr(f"equipoise.sources.containers.{module}.CHUNK_BYTES", 100_000)
    for path in (
        make_folder(tmp_path / "v4.1"),
        make_tar(tmp_path / "v4.1.tar.zst"),
        make_zip(tmp_path / "v4.1.zip"),
        make_git(tmp_path / "git"),
    ):
        sizes = {}
        for file in open_source(path).files():
            if file.chunks is not None:
                sizes[file.path] = b"".join(file.chunks)
        assert sizes == {name: data for name, data in WANTED.items() if len(data) > 1000}
        unread = [file.path for file in open_source(path).files() if file.path in EXPECTED]
        assert sorted(unread) == sorted(EXPECTED), "chunks that nobody took are passed over"


@pytest.mark.parametrize("name", ["v4.1", "v5.1"])
def test_real_round_is_the_same_from_archive_and_folder(
    shared: Path, tmp_path: Path, name: str
) -> None:
    archive = shared / "mlperf" / f"{name}.tar.zst"
    sizes: dict[str, int] = {}
    absent = set()
    for file in open_source(archive).files():
        if file.problem is not None:
            absent.add(file.path)
            continue
        sizes[file.path] = file.size
        target = tmp_path / name / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.data or b"")
    assert len(absent) == 10
    folder = {file.path: file.size for file in open_source(tmp_path / name).files()}
    assert folder == sizes


@pytest.mark.parametrize("name", ["", "  "])
def test_an_empty_name_is_not_the_current_folder(name):
    with pytest.raises(SourceError, match="empty"):
        open_source(name)
