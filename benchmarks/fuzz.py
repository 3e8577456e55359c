"""Coverage-guided fuzzing of everything that reads foreign bytes (needs `pip install atheris`).

    python benchmarks/fuzz.py [--target log ...] [--seconds 300] [--corpus FOLDER]

Each target runs in a process of its own, one after the other, on a corpus that begins with small
examples made here and grows. A target calls a reader as the programme does and checks more
than that nothing is raised: the same facts in whatever pieces the bytes come, text that can be
written, numbers that are finite. Prints executions, executions per second, features and
coverage as libFuzzer counts them, the size of the corpus, and how many inputs failed; these stay
in the corpus folder as `crash-*`, `timeout-*` or `oom-*`. Exit code 1 if there are any.
"""

import argparse
import dataclasses
import json
import math
import re
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path

LONGEST_INPUT = 8192
SLOWEST_S = 10
MEMORY_MB = 2048

STAMP = 1_700_000_000_000
TOKENS = (
    *(":::MLLOG ", ":::MLL ", ":::MLPv0.5.0 ", "run_start", "run_stop", "eval_accuracy"),
    *("global_batch_size", "tracked_stats", "throughput", "init_start", "init_stop", "seed"),
    *("submission_division", "closed", "open", "success", "aborted", "status", "epoch_num"),
    *("samples_count", "power_measurement_start", "power_measurement_stop", "power_reading"),
    *("conversion_eff", "interconnect_power_est", "NaN", "Infinity", "-1e999", "null", "true"),
    *("scaling_factor", "number_of_nodes", "accelerators_per_node", "accelerator_model_name"),
    *("num_nodes", "num_accelerators", "nodes", "entry", "value", "metadata", "time_ms", "key"),
    *("accelerators", "time_s", "minutes", "measurements", "sep=;", "1,024", "1.024,5", "1e309"),
    *("8 x 32 GB", "2 nodes", "tpu-v3-32", "H100-SXM-80GB", "\\ufeff", "\\xff\\xfe", "\\x00"),
)


def main() -> None:
    arguments = _arguments()
    if arguments.run is not None:
        _fuzz(arguments.run[0], Path(arguments.run[1]), seconds=arguments.seconds)
        return
    with tempfile.TemporaryDirectory() as scratch:
        corpus = arguments.corpus or Path(scratch)
        print("target        executions   per s  coverage  features  corpus  failing inputs")
        failing = 0
        for target in arguments.target or TARGETS:
            failing += _measure(target, corpus / target, seconds=arguments.seconds)
    sys.exit(1 if failing else 0)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--target", action="append", choices=sorted(TARGETS))
    parser.add_argument("--seconds", type=int, default=300, help="for each target")
    parser.add_argument("--corpus", type=Path, help="folder to keep and to begin with")
    parser.add_argument("--run", nargs=2, metavar=("TARGET", "FOLDER"), help=argparse.SUPPRESS)
    return parser.parse_args()


def _measure(target: str, folder: Path, *, seconds: int) -> int:
    """Fuzz one target in a process of its own; print its row and return what failed."""
    folder.mkdir(parents=True, exist_ok=True)
    for index, seed in enumerate(SEEDS[target]):
        (folder / f"seed-{index}").write_bytes(seed)
    command = [sys.executable, __file__, "--run", target, str(folder), "--seconds", str(seconds)]
    done = subprocess.run(command, capture_output=True, check=False)
    said = done.stderr.decode("utf-8", "replace")
    states = re.findall(r"cov: (\d+) ft: (\d+) corp: (\d+)/", said)
    runs = re.search(r"number_of_executed_units: (\d+)", said)
    if not states or runs is None:
        sys.exit(f"{target}: did not run\n{said[-3000:]}")
    failing = sum(1 for kind in ("crash", "timeout", "oom") for _ in folder.glob(f"{kind}-*"))
    coverage, features, size = states[-1]
    executed = int(runs[1])
    print(
        f"{target:12s} {executed:11,d} {executed / seconds:7,.0f} {coverage:>9s} {features:>9s} "
        f"{size:>7s} {failing:15d}",
        flush=True,
    )
    if done.returncode:
        print(said[-3000:], file=sys.stderr)
    return failing or int(done.returncode != 0)


def _fuzz(target: str, folder: Path, *, seconds: int) -> None:
    import atheris

    with atheris.instrument_imports(include=["equipoise", "json"]):
        import equipoise.sources.energy
        import equipoise.sources.extract
        import equipoise.sources.measurements  # noqa: F401
    words = folder.parent / "tokens.dict"
    words.write_text("".join(f"{json.dumps(t)}\n" for t in TOKENS if "\\" not in t), "ascii")
    options = [
        *(sys.argv[0], str(folder), f"-max_total_time={seconds}", f"-max_len={LONGEST_INPUT}"),
        *(f"-timeout={SLOWEST_S}", f"-rss_limit_mb={MEMORY_MB}", f"-dict={words}"),
        *("-print_final_stats=1", f"-artifact_prefix={folder}/", "-seed=20"),
    ]
    atheris.Setup(options, TARGETS[target])
    atheris.Fuzz()


def _extracted(path: str, data: bytes, *, unverified: bool = False) -> object:
    """Read one file of a round as the programme does, and check what comes back."""
    from equipoise.sources.base import SourceFile
    from equipoise.sources.extract import Extracted, Task, extract_into

    found = Extracted()
    round_name = ("v4.1", "v0.5", "v0.6", "v4.0", "v6.0")[zlib.crc32(data) % 5]
    task = Task(round=round_name, unverified=unverified, keep_raw=True)
    extract_into(found, SourceFile(path=path, size=len(data), data=data), task)
    for rejection in found.rejections:
        assert rejection.path == path, rejection
        assert rejection.reason, rejection
        assert rejection.line is None or 1 <= rejection.line <= 1 + len(data), rejection
    for thing in (*found.systems, *found.entries, *(run for run, _ in found.runs)):
        _check(thing)
    return found


def _check(thing: object) -> None:
    """Check that every fact can be written, and is finite where it is a number."""
    for name in (entry.name for entry in dataclasses.fields(thing)):  # type: ignore[arg-type]
        value = getattr(thing, name)
        if isinstance(value, str):
            value.encode("utf-8")
        elif isinstance(value, float):
            assert math.isfinite(value), (name, value)
        elif isinstance(value, int) and not isinstance(value, bool):
            assert value >= 0, (name, value)
        elif isinstance(value, tuple):
            for text in value:
                text.encode("utf-8")


def log(data: bytes) -> None:
    from equipoise.sources.logs import read_log
    from equipoise.sources.runs import Place, make_run

    step = 1 + data[0] % 64 if data else 1
    whole = read_log([data])
    parts = read_log(data[at : at + step] for at in range(0, len(data), step))
    assert whole == parts
    place = Place(
        round="v4.1",
        submitter="A",
        system_id="s",
        benchmark="bert",
        benchmark_folder="bert",
        path="A/results/s/bert/result_0.txt",
    )
    run, verdict = make_run(whole, place)
    assert verdict == make_run(parts, place)[1]
    assert verdict.line is None or 1 <= verdict.line <= 1 + data.count(b"\n")
    assert run.success == (verdict.failure is None) == (verdict.reason is None)
    for text in run.warnings:
        assert text.isprintable(), text
    _check(run)
    _extracted("A/results/s/gpt3/result_0.txt", data)
    _extracted("A/results/s/resnet/result_0.txt", data, unverified=True)


def system(data: bytes) -> None:
    _extracted("A/systems/s.json", data)
    _extracted("A/results/s/entry.json", data)


def scaling(data: bytes) -> None:
    found = _extracted("A/results/s/resnet/scaling.json", data)
    ((_, factor),) = found.factors  # type: ignore[attr-defined]
    assert (factor.value is None) == bool(found.rejections)  # type: ignore[attr-defined]
    assert factor.value is None or (math.isfinite(factor.value) and factor.value > 0)
    assert all(text.isprintable() for text in factor.warnings)


def power(data: bytes) -> None:
    from equipoise.domain import Run, Score
    from equipoise.sources.energy import energy_of

    base = "A/results/s/resnet/power/result_0"
    found = _extracted(f"{base}/node_0.txt", data)
    switch = _extracted(f"{base}/sw_0.txt", data)
    files = [*found.power, *switch.power]  # type: ignore[attr-defined]
    place = {
        "round": "v4.1",
        "submitter": "A",
        "system_id": "s",
        "benchmark": "resnet",
        "benchmark_folder": "resnet",
    }
    run = Run(**place, path="A/results/s/resnet/result_0.txt", time_to_train_min=5.0, success=True)
    for kept in (files, files[:1]):
        energy = energy_of([run], kept, factor=1.0, identity=Score(**place))
        assert all(math.isfinite(value) for value in energy.run_kj.values())


def measurements(data: bytes) -> None:
    from equipoise.errors import DataError
    from equipoise.sources.measured_round import measured_round
    from equipoise.sources.measurements import read_measurements

    try:
        table = read_measurements(data, label="runs")
        read = measured_round(table, benchmark="resnet")
    except DataError as error:
        str(error).encode("utf-8")
        return
    for row in table.rows:
        assert row.accelerators > 0
        assert row.time_to_train_min is None or row.time_to_train_min > 0
        _check(row)
    for thing in (*read.systems, *read.runs, *read.scores):
        _check(thing)


def table_csv(data: bytes) -> None:
    measurements(data.replace(b"PAR1", b""))


def table_json(data: bytes) -> None:
    measurements(b"[" + data)


TARGETS: dict[str, Callable[[bytes], None]] = {
    "log": log,
    "system": system,
    "scaling": scaling,
    "power": power,
    "csv": table_csv,
    "json": table_json,
}


def _record(key: str, time_ms: object, value: object = None, **metadata: object) -> str:
    content = {
        "namespace": "",
        "time_ms": time_ms,
        "event_type": "POINT_IN_TIME",
        "key": key,
        "value": value,
        "metadata": {"file": "train.py", "lineno": 1, **metadata},
    }
    return ":::MLLOG " + json.dumps(content) + "\n"


def _example_log(*, status: str = "success", end: str = "\n") -> bytes:
    lines = [
        _record("submission_benchmark", STAMP, "bert"),
        _record("submission_division", STAMP, "closed"),
        _record("global_batch_size", STAMP, 256),
        "0: " + _record("seed", STAMP, 1),
        _record("init_start", STAMP),
        _record("init_stop", STAMP + 9),
        _record("run_start", STAMP + 10),
        _record("tracked_stats", STAMP + 20, {"throughput": 9.5}, step=1),
        _record("eval_accuracy", STAMP + 30, 0.73, samples_count=9, epoch_num=1),
        _record("run_stop", STAMP + 40, None, status=status),
    ]
    return "".join(lines).replace("\n", end).encode()


_SYSTEM = {
    "submitter": "A",
    "division": "closed",
    "status": "onprem",
    "system_name": "s",
    "number_of_nodes": "2",
    "accelerators_per_node": "8, 4",
    "accelerator_model_name": "NVIDIA H100-SXM5-80GB",
    "host_processors_per_node": 2,
    "host_memory_capacity": "24 x 32GB",
}
_ENTRY = {"nodes": [{"num_nodes": "2", "num_accelerators": 8, "cpu": "2x Xeon", "num_cores": 8}]}
_POWER = (
    _record("power_measurement_start", STAMP)
    + _record("conversion_eff", STAMP, 0.95)
    + "".join(_record("power_reading", STAMP + i, 500.5) for i in range(3))
    + _record("power_measurement_stop", STAMP + 4)
)
_SWITCH = _record("interconnect_power_est", STAMP, 300.0) + _record("conversion_eff", STAMP, 0.9)

SEEDS: dict[str, list[bytes]] = {
    "log": [
        _example_log(),
        _example_log(status="aborted", end="\r\n"),
        _example_log(end="\r")[:700],
        b':::MLL 1700000000.5 run_start: {"value": null, "metadata": {"lineno": 1}}\n'
        b":::MLL 1700000009.5 run_stop: {'value': null, status: success}\n",
        b":::MLPv0.5.0 resnet 1700000000.5 (a.py:1) run_start\n"
        b':::MLPv0.5.0 resnet 1700000003.5 (a.py:1) eval_accuracy: {"epoch": 1, "value": 0.5}\n'
        b':::MLPv0.5.0 resnet 1700000009.5 (a.py:1) run_stop: {"success": true}\n',
    ],
    "system": [
        json.dumps(_SYSTEM, indent=1).encode(),
        b"\xef\xbb\xbf" + json.dumps({**_SYSTEM, "divison": "close"}).encode()[:-1] + b",}",
        json.dumps(_ENTRY).encode(),
        b'org: {"value": "A"}\nentry: {"value": "{\'nodes\': [{\'num_nodes\': 2}]}"}',
        b"../systems/other.json",
    ],
    "scaling": [
        b'{"scaling_factor": 1.05}',
        b'{"scaling_factor": "1.5", "scaling_factor": 2,}',
        b'{"scaling_factor": NaN}',
    ],
    "power": [_POWER.encode(), _SWITCH.encode(), _POWER.replace(": 500.5", ": null").encode()],
    "csv": [
        b"\xef\xbb\xbfsystem,benchmark,accelerators,seconds\na,resnet,8,600\na,resnet,16,\n",
        b'sep=;\nn;time_s;gpu\n8;1.024,5;H100\n"1,024";9,5;A100\n',
        b"n\tminutes\tprice\n8\t60\t2.5\n",
        "n,time_s\n8,600\n".encode("utf-16"),
    ],
    "json": [
        b'{"accelerators": 8, "time_s": 600, "benchmark": "resnet"}]',
        b'{"n": "8", "minutes": 1e3},\n{"n": 16.0, "minutes": null}]',
    ],
}

if __name__ == "__main__":
    main()
