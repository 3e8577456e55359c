"""Whole rounds against the numbers of the official summarizer."""

import csv

import pytest

from equipoise.sources.assemble import read_round
from equipoise.sources.containers import open_source

FOLDERS = {
    "Supermicro_MangoBoost": "MangoBoost",
    "Clemson University Research Computing and Data": "Clemson",
}
"""The table has names out of system files; a configuration is named by its folders."""

PUBLISHED_ENERGY = {
    ("smc-dc-power", "1xSMC-H100-SXM-80GB", "llama2_70b_lora"): (29.101, 11_769.96),
    ("smc-dc-power", "8xSMC-H100-SXM-80GB", "resnet"): (2.554, 7_757.11),
}
"""Published v4.0 results: minutes and kJ."""


@pytest.mark.slow
@pytest.mark.parametrize("round_name", ["v4.1", "v5.1"])
def test_every_score_of_a_round(shared, round_name):
    table = shared / "mlperf" / f"official_{round_name}.csv"
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    official = {
        (FOLDERS.get(r["submitter"], r["submitter"]), r["system"], r["benchmark"]): r for r in rows
    }
    data = read_round(open_source(shared / "mlperf" / f"{round_name}.tar.zst"), workers=2)
    ours = {(s.submitter, s.system_id, s.benchmark_folder): s for s in data.scores}
    given = {key for key, score in ours.items() if score.time_to_train_min is not None}
    assert given == official.keys()
    for key, row in official.items():
        score = ours[key]
        expected = pytest.approx(float(row["official_minutes"]), rel=1e-9)
        assert score.time_to_train_min == expected, key
        assert score.scaling_factor == float(row["scaling_factor"]), key
        if row["global_batch_size"]:
            assert score.global_batch_size == float(row["global_batch_size"]), key
        if row["samples_to_converge"]:
            expected = pytest.approx(float(row["samples_to_converge"]), rel=1e-9)
            assert score.progress_to_converge == expected, key
        if row["energy_j"]:
            assert score.energy_kj == pytest.approx(float(row["energy_j"]) / 1000, rel=1e-9), key


@pytest.mark.slow
def test_published_energy(shared):
    data = read_round(open_source(shared / "mlperf" / "v4.0.tar.zst"), workers=2)
    found = {
        (s.submitter, s.system_id, s.benchmark): (s.time_to_train_min, s.energy_kj)
        for s in data.scores
    }
    for key, (minutes, energy_kj) in PUBLISHED_ENERGY.items():
        assert found[key][0] == pytest.approx(minutes, abs=5e-4)
        assert found[key][1] == pytest.approx(energy_kj, abs=5e-3)


@pytest.mark.slow
def test_published_scores_of_the_second_round(shared):
    data = read_round(open_source(shared / "mlperf" / "v0.6.tar.zst"))
    found = {(s.system_id, s.benchmark): s.time_to_train_min for s in data.scores}
    published = {
        ("dgx2h_n96_ngc19.05_mxnet", "resnet"): 1.33,
        ("dgx1_n130_ngc19.05_mxnet", "resnet"): 1.69,
        ("dgx1_ngc19.05_mxnet", "resnet"): 115.22,
        ("dgx1_ngc19.05_pytorch", "maskrcnn"): 207.48,
        ("dgx1_ngc19.05_tensorflow", "minigo"): 27.39,
        ("clx-8260l-2s-x32", "minigo"): 14.43,
        ("tpu-v3-2048", "resnet"): 1.28,
    }
    for key, minutes in published.items():
        assert found[key] == pytest.approx(minutes, abs=6e-3), key
