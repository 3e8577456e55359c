"""Official scores of one round: equipoise against mlperf-logging and against grep, in one run.

    python benchmarks/ingest.py ROUND_ARCHIVE_OR_FOLDER [--skip-peer] [--repeats 3]

Unpacks the archive into a temporary folder (not timed), then times, each as a process of its own,
`equipoise scores` on the archive and on the folder, `grep -c run_stop` over the same files, and the
summarizer of mlperf-logging (pip install mlperf-logging pandas pyyaml numpy scipy) over every
submitter. Prints medians of the time on the clock, MB/s, the processor time, the two ratios
and the peak memory of equipoise. Run it on an idle machine: the peer and grep use one core,
equipoise all of them.
"""

import argparse
import importlib.util
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MB = 1e6


def main() -> None:
    arguments = _arguments()
    with tempfile.TemporaryDirectory() as scratch:
        folder = _folder(arguments.source, Path(scratch))
        files = [f for f in folder.rglob("result_*.txt") if f.is_file()]
        size = sum(f.stat().st_size for f in files)
        print(f"{len(files)} result files, {size / MB:.0f} MB in {folder.name}")
        own = {"folder": [str(folder)]}
        if arguments.source.is_file():
            own["archive"] = [str(arguments.source)]
        seconds, processor = {}, {}
        for name, paths in own.items():
            before = _processor_time()
            seconds[name] = _median([*_equipoise(), *paths], repeats=arguments.repeats)
            processor[name] = (_processor_time() - before) / arguments.repeats
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        for name, value in seconds.items():
            print(f"equipoise scores, {name}: {value:.2f} s, {size / MB / value:.0f} MB/s")
            print(f"  processor time of all its processes: {processor[name]:.2f} s")
        print(f"peak memory of its largest process: {peak:.0f} MiB")
        grep = _median(
            ["grep", "-rac", "--include=result_*.txt", "run_stop", str(folder)],
            repeats=arguments.repeats,
        )
        fastest = min(seconds.values())
        print(f"grep -c run_stop: {grep:.2f} s; equipoise takes {fastest / grep:.1f} times as long")
        if not arguments.skip_peer:
            peer = _peer(folder)
            print(f"mlperf-logging: {peer:.1f} s; equipoise is {peer / fastest:.0f} times as fast")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("--skip-peer", action="store_true")
    parser.add_argument("--repeats", type=int, default=3)
    return parser.parse_args()


def _folder(source: Path, scratch: Path) -> Path:
    if source.is_dir():
        copy = scratch / source.name  # the peer rewrites scaling.json in what it reads
        shutil.copytree(source, copy)
        return copy
    with (
        source.open("rb") as raw,
        zstd.ZstdFile(raw, options={zstd.DecompressionParameter.window_log_max: 31}) as stream,
        tarfile.open(fileobj=stream, mode="r|") as archive,
    ):
        archive.extractall(scratch, filter="data")
    return next(path for path in scratch.iterdir() if path.is_dir())


def _equipoise() -> list[str]:
    return [str(Path(sys.executable).with_name("equipoise")), "scores", "--format", "json"]


def _processor_time() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def _median(command: list[str], *, repeats: int) -> float:
    taken = []
    for _ in range(repeats):
        started = time.perf_counter()
        done = subprocess.run(command, capture_output=True, check=False)
        taken.append(time.perf_counter() - started)
        if done.returncode > 1 or (command[0] != "grep" and done.returncode):
            sys.exit(f"{command} failed: {done.stderr.decode()[-500:]}")
    return statistics.median(taken)


def _peer(folder: Path) -> float:
    if importlib.util.find_spec("mlperf_logging") is None:
        sys.exit("mlperf-logging is not installed; install it or pass --skip-peer")
    ruleset = re.sub("^v", "", folder.name) + ".0"
    started = time.perf_counter()
    subprocess.run(
        [
            sys.executable,
            "-m",
            "mlperf_logging.result_summarizer",
            f"{folder}/{{*}}",
            "training",
            ruleset,
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder.parent,
        check=False,
    )
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
