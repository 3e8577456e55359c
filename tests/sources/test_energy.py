"""Energy of runs and scores."""

import pytest

START = 1_700_000_000_000
FOLDER = "A/results/s/bert"


@pytest.fixture
def files(maker, make_system):
    found = {"A/systems/s.json": make_system()}
    runs = maker.runs(FOLDER, [100.0, 200.0, 300.0])
    return found | runs


def node(make_record, watts):
    lines = [
        make_record("power_measurement_start", START),
        make_record("power_reading", START + 1000, watts),
        make_record("power_measurement_stop", START + 1000),
    ]
    return "\n".join(lines).encode()


def test_the_mean_is_over_the_runs_of_the_score(maker, files, make_record):
    for i, watts in enumerate((900, 100, 500)):
        files[f"{FOLDER}/power/result_{i}/node_0.txt"] = node(make_record, watts)
    files[f"{FOLDER}/power/result_1/node_1.txt"] = node(make_record, 50)
    switch = make_record("interconnect_power_est", START, 10.0).encode()
    files[f"{FOLDER}/power/result_1/sw_0.txt"] = switch
    files[f"{FOLDER}/power/result_1/total_power.txt"] = b"Total Power Usage: 10 kWh"
    files[f"{FOLDER}/scaling.json"] = b'{"scaling_factor": 2.0}'
    data = maker.read(files, round="v5.1")
    assert [r.energy_kj for r in data.runs] == pytest.approx([90.0, 32.0, 150.0])
    (score,) = data.scores
    assert score.time_to_train_min == pytest.approx(400 / 60)
    assert score.energy_kj == pytest.approx(64.0)


def test_without_power_there_is_no_energy(maker, files):
    (score,) = maker.read(files).scores
    assert score.energy_kj is None


def test_an_unmeasured_run_of_the_score_leaves_it_without_energy(maker, files, make_record):
    files[f"{FOLDER}/power/result_0/node_0.txt"] = node(make_record, 100)
    files[f"{FOLDER}/power/result_1/node_0.txt"] = b"no measurement"
    data = maker.read(files)
    (score,) = data.scores
    assert score.energy_kj is None
    assert score.time_to_train_min is not None
    assert "power/result_1/node_0.txt: tells no energy" in " ".join(score.warnings)


def test_a_node_that_cannot_be_read_leaves_the_run_without_energy(maker, files, make_record):
    for i in range(3):
        files[f"{FOLDER}/power/result_{i}/node_0.txt"] = node(make_record, 100)
    files[f"{FOLDER}/power/result_1/node_1.txt"] = "not in this clone"
    data = maker.read(files)
    assert [run.energy_kj is None for run in data.runs] == [False, True, False]
    assert data.scores[0].energy_kj is None
    assert [r.code for r in data.rejections] == ["not-in-this-clone"]
