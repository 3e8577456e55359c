"""Whole rounds give the official scores from every kind of container."""

import bz2
import csv
import gzip
import io
import lzma
import shutil
import subprocess
import sys
import tarfile
import zipfile
from functools import partial
from pathlib import Path

import pytest
from tests.sources.containers.builders import git

from equipoise.sources.assemble import read_round
from equipoise.sources.containers import open_source
from equipoise.units import BYTES_PER_MIB

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

FOLDERS = {
    "Supermicro_MangoBoost": "MangoBoost",
    "Clemson University Research Computing and Data": "Clemson",
}
"""The table has names out of system files; a configuration is named by its folders."""

CODECS = {
    "tar": open,
    "tar.gz": partial(gzip.open, compresslevel=1),
    "tar.bz2": partial(bz2.open, compresslevel=1),
    "tar.xz": partial(lzma.open, preset=0),
    "tar.zst": zstd.open,
}
KINDS = ("folder", "zip", *CODECS, "git", "bare git", "file address")


@pytest.fixture(scope="module", params=["v4.1", "v5.1"])
def official(request, shared, tmp_path_factory):
    """Return a round's name, its folder unpacked, and its official rows."""
    name = request.param
    folder = tmp_path_factory.mktemp("official") / name
    folder.mkdir()
    with (
        zstd.open(shared / "mlperf" / f"{name}.tar.zst") as packed,
        tarfile.open(fileobj=packed, mode="r|") as archive,
    ):
        archive.extractall(folder, filter="data")
    inner = folder / name
    table = shared / "mlperf" / f"official_{name}.csv"
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    yield name, inner if inner.is_dir() else folder, rows
    shutil.rmtree(folder)


def contain(kind: str, name: str, folder: Path, room: Path) -> str | Path:
    """Put a round into a container of a kind; return what to open."""
    if kind == "folder":
        return folder
    if kind == "zip":
        path = room / f"{name}.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for file in sorted(folder.rglob("*")):
                archive.write(file, f"{name}/{file.relative_to(folder)}")
        return path
    if kind in CODECS:
        path = room / f"{name}.{kind}"
        with (
            CODECS[kind](path, mode="wb") as out,
            io.BufferedWriter(out, BYTES_PER_MIB) as buffered,
            tarfile.open(fileobj=buffered, mode="w|") as archive,
        ):
            archive.add(folder, name)
        return path
    tree = room / name
    git("init", "-q", "-b", "main", str(tree), cwd=room)
    git("config", "core.autocrlf", "false", cwd=tree)
    git("config", "core.compression", "1", cwd=tree)
    work = ("--work-tree", str(folder), "--git-dir", str(tree / ".git"))
    git(*work, "add", "-A", "--force", ".", cwd=folder)
    git(*work, "commit", "-q", "-m", name, cwd=folder)
    if kind == "git":
        return tree
    if kind == "file address":
        git("config", "uploadpack.allowFilter", "true", cwd=tree)
        git("config", "uploadpack.allowAnySHA1InWant", "true", cwd=tree)
        return f"file://{tree}"
    bare = room / "bare" / name
    subprocess.run(["git", "clone", "-q", "--bare", str(tree), str(bare)], check=True)
    return bare


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_official_score(official, kind, tmp_path):
    name, folder, rows = official
    try:
        place = contain(kind, name, folder, tmp_path)
        data = read_round(open_source(place, round=name), workers=2)
    finally:
        shutil.rmtree(tmp_path)
    ours = {
        (s.submitter, s.system_id, s.benchmark_folder): s.time_to_train_min
        for s in data.scores
        if s.time_to_train_min is not None
    }
    expected = {
        (FOLDERS.get(r["submitter"], r["submitter"]), r["system"], r["benchmark"]): float(
            r["official_minutes"]
        )
        for r in rows
    }
    assert ours == pytest.approx(expected, rel=1e-9)
