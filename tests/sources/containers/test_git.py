"""Git repositories: partial clones, hostile configuration, odd content, addresses."""

import os
import subprocess
from pathlib import Path

import pytest
from tests.sources.containers.builders import (
    LISTED_ONLY,
    LOG,
    ROUND,
    WANTED,
    git,
    make_bare,
    make_git,
)

from equipoise.errors import SourceError
from equipoise.sources.base import SourceFile
from equipoise.sources.containers import Limits, open_source
from equipoise.sources.containers.gitclone import GitAddressSource, is_git_address


def read(path: Path | str) -> list[SourceFile]:
    return list(open_source(path).files())


@pytest.fixture
def worktree(tmp_path: Path) -> Path:
    return make_git(tmp_path / "training_results_v4.1")


@pytest.fixture
def bare(tmp_path: Path, worktree: Path) -> Path:
    return make_bare(tmp_path / "srv" / "training_results_v4.1.git", worktree)


def partial_clone(bare: Path, target: Path) -> Path:
    git("clone", "-q", "--bare", "--filter=blob:none", bare.as_uri(), str(target), cwd=bare)
    return target


def test_absent_blobs_of_a_partial_clone_are_said_and_not_fetched(
    tmp_path: Path, bare: Path
) -> None:
    clone = partial_clone(bare, tmp_path / "clone.git")
    for _ in range(2):
        files = read(clone)
        problems = {file.path for file in files if file.problem}
        assert problems == set(WANTED)
        assert {file.problem_code for file in files if file.problem} == {"not-in-this-clone"}
        assert all("not in this clone" in (file.problem or "") for file in files if file.problem)
        assert {file.path for file in files} == set(WANTED) | LISTED_ONLY
    batches = list(open_source(clone).batches(target_bytes=10))  # type: ignore[attr-defined]
    again = [file for batch in batches for file in batch.files()]
    assert {file.path for file in again if file.problem} == set(WANTED)
    packs = list((clone / "objects" / "pack").glob("*.pack"))
    assert len(packs) == 1, "reading fetched something"


def test_nothing_in_the_repository_is_obeyed(tmp_path: Path, worktree: Path) -> None:
    mark = tmp_path / "executed"
    script = tmp_path / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {mark}\n")
    script.chmod(0o755)
    git_dir = worktree / ".git"
    for name in ("post-checkout", "reference-transaction", "pre-auto-gc", "fsmonitor-watchman"):
        hook = git_dir / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(script.read_text())
        hook.chmod(0o755)
    blob = git("rev-parse", "HEAD:Alpha/results/node-a/bert/result_0.txt", cwd=worktree)
    name = blob.decode().strip()
    (git_dir / "objects" / name[:2] / name[2:]).unlink()
    with (git_dir / "config").open("a") as config:
        config.write(
            f"""
[core]
    fsmonitor = {script}
    pager = {script}
    editor = {script}
    sshCommand = {script}
    gitProxy = {script}
    alternateRefsCommand = {script}
    repositoryFormatVersion = 1
[extensions]
    partialClone = origin
[remote "origin"]
    url = ext::{script}
    promisor = true
    partialclonefilter = blob:none
    uploadpack = {script}
[protocol "ext"]
    allow = always
[alias]
    ls-tree = !{script}
    cat-file = !{script}
[filter "x"]
    smudge = {script}
[include]
    path = {script}
"""
        )
    files = {file.path: file for file in read(worktree)}
    assert files["Alpha/results/node-a/bert/result_0.txt"].problem_code == "not-in-this-clone"
    assert files["Beta/systems/node-b.json"].data == b"{}"
    assert not mark.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="changing the owner needs root")
def test_repository_of_another_owner(worktree: Path) -> None:
    for folder, _, names in os.walk(worktree):
        for name in (".", *names):
            os.chown(Path(folder) / name, 12345, 12345, follow_symlinks=False)
    assert {file.path for file in read(worktree) if file.data is not None} == set(WANTED)


def test_variables_of_git_in_the_environment_do_not_lead_elsewhere(
    worktree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_git(tmp_path / "other", {"X/results/x/bert/result_0.txt": LOG})
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other / ".git" / "objects"))
    monkeypatch.setenv("GIT_TRACE", str(tmp_path / "trace"))
    assert {file.path for file in read(worktree)} == set(WANTED) | LISTED_ONLY
    assert not (tmp_path / "trace").exists()


def test_links_and_submodules_of_a_commit(tmp_path: Path) -> None:
    root = make_git(tmp_path / "v0.6", {"A/results/s/resnet/result_0.txt": LOG})
    (root / "A/systems").mkdir()
    (root / "A/systems/s.json").symlink_to("t.json")
    (root / "A/results/s/resnet/result_1.txt").symlink_to("/etc/passwd")
    git("add", "-A", cwd=root)
    commit = git("rev-parse", "HEAD", cwd=root).decode().strip()
    entry = f"160000,{commit},A/results/sub"
    git("update-index", "--add", "--cacheinfo", entry, cwd=root)
    git("commit", "-q", "-m", "links", cwd=root)
    files = {file.path: file for file in read(root)}
    assert files["A/systems/s.json"].data == b"t.json"
    assert files["A/results/s/resnet/result_1.txt"].problem_code == "link"
    assert set(files) == {
        "A/systems/s.json",
        "A/results/s/resnet/result_0.txt",
        "A/results/s/resnet/result_1.txt",
    }


def test_packed_references_detached_head_and_packs(worktree: Path) -> None:
    git("gc", "-q", cwd=worktree)
    assert not (worktree / ".git/refs/heads/main").exists()
    assert {file.path for file in read(worktree) if file.data is not None} == set(WANTED)
    git("checkout", "-q", "--detach", cwd=worktree)
    assert {file.path for file in read(worktree) if file.data is not None} == set(WANTED)


def test_repository_without_commit(tmp_path: Path) -> None:
    root = tmp_path / "new"
    root.mkdir()
    git("init", "-q", ".", cwd=root)
    with pytest.raises(SourceError, match="names no commit"):
        open_source(root)


def test_repository_without_its_folders(worktree: Path) -> None:
    tree = git("rev-parse", "HEAD:Alpha", cwd=worktree).decode().strip()
    (worktree / ".git/objects" / tree[:2] / tree[2:]).unlink()
    with pytest.raises(SourceError, match="list of files cannot be read"):
        read(worktree)


def test_damaged_blob_is_said_for_its_file(worktree: Path) -> None:
    blob = git("rev-parse", "HEAD:Alpha/results/node-a/bert/result_1.txt", cwd=worktree)
    name = blob.decode().strip()
    path = worktree / ".git/objects" / name[:2] / name[2:]
    path.chmod(0o644)
    path.write_bytes(b"garbage")
    codes = {file.path: file.problem_code for file in read(worktree) if file.problem}
    assert "Alpha/results/node-a/bert/result_1.txt" in codes


def test_without_the_program_git(worktree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(worktree))
    with pytest.raises(SourceError, match="needs the program git"):
        open_source(worktree)
    with pytest.raises(SourceError, match="needs the program git"):
        open_source("https://example.org/training_results_v4.1")


def test_reader_that_stops_early_leaves_no_process(worktree: Path) -> None:
    files = open_source(worktree).files()
    next(files)
    files.close()  # type: ignore[attr-defined]
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_address_is_fetched_without_code(bare: Path) -> None:
    seen: list[tuple[str, int, int | None]] = []
    source = open_source(bare.as_uri(), progress=lambda *step: seen.append(step))
    assert isinstance(source, GitAddressSource)
    assert (source.kind, source.round, len(source.revision)) == ("git", "v4.1", 40)
    assert {f.path: f.data for f in source.files() if f.data is not None} == WANTED
    folder = Path(source._repository.objects).parent
    readme = git("rev-parse", "HEAD:README.md", cwd=bare).decode().strip()
    wanted = git("rev-parse", "HEAD:Beta/systems/node-b.json", cwd=bare).decode().strip()
    for oid, present in ((readme, False), (wanted, True)):
        done = subprocess.run(
            ["git", f"--git-dir={folder}", "cat-file", "-e", oid],
            env={**os.environ, "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"},
            check=False,
            capture_output=True,
        )
        assert (done.returncode == 0) is present
    assert any(total is not None and done == total for _, done, total in seen)
    source.close()
    assert not folder.exists()


def test_address_with_branch_or_commit(bare: Path, worktree: Path) -> None:
    first = git("rev-parse", "HEAD", cwd=worktree).decode().strip()
    (worktree / "Alpha/results/node-a/bert/result_2.txt").write_bytes(LOG)
    git("add", "-A", cwd=worktree)
    git("commit", "-q", "-m", "more", cwd=worktree)
    git("push", "-q", str(bare), "main", "main:refs/heads/next", cwd=worktree)
    newer = "Alpha/results/node-a/bert/result_2.txt"
    for address, has in (
        (bare.as_uri(), True),
        (f"{bare.as_uri()}#next", True),
        (f"{bare.as_uri()}#{first}", False),
    ):
        source = open_source(address)
        assert (newer in {file.path for file in source.files()}) is has
        assert getattr(source, "revision", "") == first or has


def test_server_without_partial_clones(bare: Path) -> None:
    git("config", "uploadpack.allowFilter", "false", cwd=bare)
    found = {f.path: f.data for f in read(bare.as_uri()) if f.data is not None}
    assert found == WANTED


@pytest.mark.parametrize(
    "address",
    ["file:///nowhere/at/all", "file:///nowhere#--upload-pack=x", "file:///nowhere#a:b"],
)
def test_addresses_that_cannot_be_fetched(address: str) -> None:
    with pytest.raises(SourceError) as caught:
        open_source(address)
    assert caught.value.path == address


def test_copy_goes_away_when_fetching_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(SourceError):
        open_source("file:///nowhere/at/all")
    assert list(tmp_path.iterdir()) == []


def test_which_addresses_git_fetches() -> None:
    assert is_git_address("git@example.org:mlcommons/training_results_v4.1.git")
    assert is_git_address("ssh://example.org/x")
    for other in ("ext::sh -c x", "s3://bucket/x", "a:b", "-oProxy@x:y", "C:\\x"):
        assert not is_git_address(other)


def test_file_address_of_a_folder_or_archive_is_just_a_path(tmp_path: Path) -> None:
    from tests.sources.containers.builders import make_folder, make_tar

    folder = make_folder(tmp_path / "v4.1")
    archive = make_tar(tmp_path / "v4.1.tar.zst")
    for path in (folder, archive):
        found = {file.path: file.data for file in read(path.as_uri()) if file.data is not None}
        assert found == WANTED


def test_limits_hold_for_git(worktree: Path) -> None:
    source = open_source(worktree, limits=Limits(max_file_bytes=100))
    codes = {file.path: file.problem_code for file in source.files() if file.problem}
    over = {name for name, data in ROUND.items() if len(data) > 100 and name in WANTED}
    assert codes == dict.fromkeys(over, "over-limit")
