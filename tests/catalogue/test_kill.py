"""Builders killed at random moments; EQUIPOISE_KILLS sets how many (50 for the record)."""

import os
import random
import signal
import subprocess
import sys
import textwrap
import time

from equipoise.catalogue import Catalogue, build

KILLS = int(os.environ.get("EQUIPOISE_KILLS", "6"))

BUILDER = textwrap.dedent(
    """
    import itertools, sys
    from dataclasses import replace
    from pathlib import Path
    from equipoise.catalogue import build
    from equipoise.domain import Run, Score, System
    from equipoise.sources.base import RoundData

    def data(name, count):
        where = {"round": name, "submitter": "A", "system_id": "s"}
        what = {**where, "benchmark": "bert", "benchmark_folder": "bert"}
        runs = tuple(
            Run(**what, path=f"{i}.txt", time_to_train_min=1.0 + i, success=True)
            for i in range(count)
        )
        score = Score(**what, division="closed", runs=count, unscaled_min=2.0,
                      time_to_train_min=2.0)
        return RoundData(round=name, source=name, systems=(System(**where),),
                         runs=runs, scores=(score,))

    out = Path(sys.argv[1])
    print("ready", flush=True)
    for turn in itertools.count():
        build([data("v4.1", 5 + turn % 40)], out, append=turn % 2 == 1)
    """
)


def test_a_killed_builder_never_leaves_a_broken_catalogue(make, tmp_path):
    build([make.round_data("v4.0")], tmp_path)
    moments = random.Random(20)
    for _ in range(KILLS):
        process = subprocess.Popen(
            [sys.executable, "-c", BUILDER, str(tmp_path)], stdout=subprocess.PIPE
        )
        with process:
            assert process.stdout.readline() == b"ready\n"
            time.sleep(moments.uniform(0.0, 1.2))
            os.kill(process.pid, signal.SIGKILL)
        with Catalogue.open(tmp_path) as catalogue:
            report = catalogue.check()
            assert report.problems == ()
            assert {entry.round for entry in catalogue.rounds()} <= {"v4.0", "v4.1"}
    build([make.round_data("v5.0")], tmp_path)
    assert len(list(tmp_path.iterdir())) == 2


def test_two_builders_at_once_leave_the_catalogue_of_one_of_them(make, tmp_path):
    build([make.round_data("v4.0")], tmp_path)
    commands = [sys.executable, "-c", BUILDER, str(tmp_path)]
    with (
        subprocess.Popen(commands, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as one,
        subprocess.Popen(commands, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as other,
    ):
        codes = [one.poll(), other.poll()]
        deadline = time.monotonic() + 60
        while codes == [None, None] and time.monotonic() < deadline:
            time.sleep(0.02)
            codes = [one.poll(), other.poll()]
        one.kill()
        other.kill()
    assert 1 in codes
    with Catalogue.open(tmp_path) as catalogue:
        assert catalogue.check().passed
    build([make.round_data()], tmp_path)
