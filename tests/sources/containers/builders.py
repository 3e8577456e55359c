"""One small round, and every container that it can be put into."""

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

LOG = b':::MLLOG {"key": "run_start", "time_ms": 1, "value": null}\n'

ROUND: dict[str, bytes] = {
    "Alpha/results/node-a/bert/result_0.txt": LOG * 3,
    "Alpha/results/node-a/bert/result_1.txt": LOG * 5,
    "Alpha/results/node-a/bert/scaling.json": b'{"scaling_factor": 1.1}',
    "Alpha/results/node-a/bert/power/result_0/node_0.txt": LOG,
    "Alpha/results/node-a/bert/plot.png": b"\x89PNG",
    "Alpha/systems/node-a.json": b'{"system_name": "node-a"}',
    "Beta/results/node-b/ssd/result_0.txt": b"",
    "Beta/results/node-b/ssd/result_1.txt": LOG * 100_000,
    "Beta/systems/node-b.json": b"{}",
    "Beta/benchmarks/ssd/results/result_9.txt": LOG,
    "Beta/benchmarks/ssd/run.sh": b"exit 1\n",
    "README.md": b"# a round\n",
}

LISTED_ONLY = {"Alpha/results/node-a/bert/plot.png"}
IGNORED = {name for name in ROUND if "/benchmarks/" in name or "/" not in name}
WANTED = {name: data for name, data in ROUND.items() if name not in LISTED_ONLY | IGNORED}

TAR_CODECS = {
    "tar": lambda data: data,
    "tar.gz": gzip.compress,
    "tar.xz": lzma.compress,
    "tar.bz2": bz2.compress,
    "tar.zst": lambda data: zstd.compress(
        data, options={zstd.CompressionParameter.content_size_flag: 0}
    ),
}


def make_folder(root: Path, files: Mapping[str, bytes] = ROUND) -> Path:
    for name, data in files.items():
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return root


def tar_bytes(
    files: Mapping[str, bytes] = ROUND,
    *,
    top: str = "v4.1/",
    form: int = tarfile.GNU_FORMAT,
    members: tuple[tarfile.TarInfo, ...] = (),
) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form, errors="surrogateescape") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(top + name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for info in members:
            archive.addfile(info)
    return out.getvalue()


def make_tar(path: Path, files: Mapping[str, bytes] = ROUND, *, top: str = "v4.1/") -> Path:
    kind = next(kind for kind in sorted(TAR_CODECS, reverse=True) if path.name.endswith(kind))
    path.write_bytes(TAR_CODECS[kind](tar_bytes(files, top=top)))
    return path


def make_zip(path: Path, files: Mapping[str, bytes] = ROUND, *, top: str = "v4.1/") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(top + name, data)
    return path


def git(*arguments: str, cwd: Path, stdin: bytes = b"") -> bytes:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    environment |= {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@example.org",
    }
    done = subprocess.run(
        ["git", "-c", "protocol.file.allow=always", *arguments],
        cwd=cwd,
        env=environment,
        input=stdin,
        capture_output=True,
        check=True,
    )
    return done.stdout


def make_git(root: Path, files: Mapping[str, bytes] = ROUND) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    make_folder(root, files)
    git("init", "-q", "-b", "main", ".", cwd=root)
    git("config", "core.autocrlf", "false", cwd=root)
    git("add", "-A", cwd=root)
    git("commit", "-q", "-m", "round", cwd=root)
    return root


def make_bare(root: Path, worktree: Path) -> Path:
    git("clone", "-q", "--bare", str(worktree), str(root), cwd=worktree)
    git("config", "uploadpack.allowFilter", "true", cwd=root)
    git("config", "uploadpack.allowAnySHA1InWant", "true", cwd=root)
    return root
