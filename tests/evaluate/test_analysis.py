"""Stage 1 on planted truth, on little data and on data that cannot be predicted."""

from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest

from equipoise.domain import Configuration
from equipoise.errors import UnknownNameError
from equipoise.evaluate import ImportanceResult, importance

ACCELERATORS = {
    "v100-sxm2-16gb": 1.0,
    "a100-sxm4-40gb": 2.2,
    "a100-pcie-80gb": 1.9,
    "h100-sxm5-80gb": 5.0,
}
ROUNDS = ("v1.0", "v1.1", "v2.0", "v2.1", "v3.0")
HOSTS = ("AMD EPYC 7742", "AMD EPYC 7763", "Intel(R) Xeon(R) Platinum 8380",
         "Intel(R) Xeon(R) Platinum 8480+")  # fmt: skip
NETWORKS = ("1x ConnectX-6 IB HDR 200Gb/Sec", "4x ConnectX-6 IB HDR 200Gb/Sec", "10G Ethernet")


def simulate(
    rng: np.random.Generator, *, n: int = 160, noise: float = 0.08, network_effect: float = 0.0,
    host_effect: float = 0.0,
) -> list[Configuration]:  # fmt: skip
    """Make configurations whose time depends on accelerator, count and what is asked for.

    Host memory, cores, network and host are drawn independently of everything else.
    """
    rows = []
    for i in range(n):
        name = str(rng.choice(list(ACCELERATORS)))
        count = int(2 ** rng.integers(3, 9))
        network = int(rng.integers(len(NETWORKS)))
        host = int(rng.integers(len(HOSTS)))
        log_time = np.log(1000 / ACCELERATORS[name]) - 0.85 * np.log(count)
        log_time += network_effect * network + host_effect * host + noise * rng.normal()
        rows.append(
            Configuration(
                round=str(rng.choice(ROUNDS)),
                submitter=f"Lab {rng.integers(6)}",
                system_id=f"s{i}",
                benchmark="resnet",
                division="closed",
                time_to_train_min=float(np.exp(log_time)),
                accelerators=count,
                nodes=count // 8,
                accelerators_per_node=8,
                accelerator_id=name,
                host_processor_model=HOSTS[host],
                host_processors_per_node=2,
                host_processor_cores=int(rng.choice([32, 48, 64, 96])),
                host_memory_gib=float(rng.choice([512, 1024, 2048])),
                host_networking=NETWORKS[network],
            )
        )
    return rows


def run(rows: list[Configuration], **kwargs: Any) -> ImportanceResult:
    return importance(rows, rng=np.random.default_rng(0), **kwargs)


@pytest.fixture(scope="module")
def planted() -> ImportanceResult:
    return run(simulate(np.random.default_rng(1)))


def test_what_was_planted_is_found_first(planted: ImportanceResult) -> None:
    assert planted.skill is not None
    assert planted.skill.r2 is not None
    assert planted.skill.r2 > 0.9
    assert not planted.withheld
    first, second = planted.variables[:2]
    assert first.variable == "accelerators"
    assert "accelerator_family" in second.members
    for row in (first, second):
        assert row.matters
        assert row.low > 0.05
        assert row.agreement == 1.0
    assert [row.rank for row in planted.variables] == list(range(1, len(planted.variables) + 1))


def test_intervals_of_variables_that_do_nothing_cover_zero() -> None:
    idle = {"host_memory_gib_per_accelerator", "host_cores_per_accelerator", "network_kind",
            "host_processor_generation", "network_gbit_s_per_accelerator", "submitter"}  # fmt: skip
    covered, looked_at = 0, 0
    for seed in range(4):
        result = run(simulate(np.random.default_rng(100 + seed), n=120))
        for row in result.variables:
            if not idle & set(row.members):
                continue
            looked_at += 1
            covered += row.low <= 0 <= row.high
            assert row.importance < 0.01
    assert looked_at >= 16
    assert covered / looked_at >= 0.8


def test_partial_dependence_shows_the_planted_law(planted: ImportanceResult) -> None:
    points = [p for p in planted.dependence if p.variable == "accelerators"]
    assert [p.value for p in points] == [8.0, 16.0, 32.0, 64.0, 128.0, 256.0]
    times = [p.target for p in points]
    assert times == sorted(times, reverse=True)
    slope = np.polyfit(np.log([p.value for p in points if p.value]), np.log(times), 1)[0]
    assert slope == pytest.approx(-0.85, abs=0.12)
    assert all(p.low <= p.target <= p.high for p in points)


def test_fixed_comparison_finds_a_planted_network_and_not_an_idle_host() -> None:
    rows = simulate(np.random.default_rng(2), n=400, noise=0.03, network_effect=0.1)
    result = run(rows)
    found = {f.variable: f for f in result.fixed}
    assert found["network_kind"].verdict == "matters"
    assert found["network_kind"].n > 0
    assert found["host_processor_year"].verdict == "no effect seen"
    assert "the network matters" in result.sentence
    assert "no effect of the host is seen" in result.sentence


def test_a_target_that_cannot_be_predicted_withholds_importances() -> None:
    rng = np.random.default_rng(3)
    rows = [replace(c, time_to_train_min=float(np.exp(rng.normal()))) for c in simulate(rng, n=100)]
    result = run(rows)
    assert result.withheld
    assert result.variables == ()
    assert result.dependence == ()
    assert result.skill is not None
    assert not result.skill.trusted
    assert "withheld" in result.sentence
    assert result.coverage


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_little_data_is_said_to_be_too_little(count: int) -> None:
    result = run(simulate(np.random.default_rng(4))[:count])
    assert result.withheld
    assert result.skill is None
    assert "too few" in result.sentence
    assert result.configurations == count
    assert all(f.verdict == "cannot be told" for f in result.fixed)
    assert not any("among 0 configurations" in f.sentence for f in result.fixed)


def test_equal_configurations_explain_nothing() -> None:
    one = simulate(np.random.default_rng(5))[0]
    result = run([replace(one, system_id=str(i)) for i in range(20)])
    assert result.withheld
    assert result.skill is None


def test_same_seed_same_result() -> None:
    rows = simulate(np.random.default_rng(6), n=60)
    assert asdict(run(rows)) == asdict(run(rows))


def test_order_of_rows_and_unit_change_no_verdict_of_the_first_variables() -> None:
    rows = simulate(np.random.default_rng(7), n=120)
    one = run(rows)
    two = run([replace(c, time_to_train_min=c.time_to_train_min * 60) for c in rows])
    assert [v.variable for v in one.variables] == [v.variable for v in two.variables]
    three = run(rows[::-1])
    assert [v.variable for v in one.variables[:2]] == [v.variable for v in three.variables[:2]]


def test_other_targets_and_their_aliases() -> None:
    rows = [replace(c, samples_to_converge=4.5e7) for c in simulate(np.random.default_rng(8), n=80)]
    assert run(rows, target="throughput").target == "throughput_samples_per_s"
    result = run(rows, target="efficiency")
    assert result.target == "efficiency"
    assert result.skill is not None
    with pytest.raises(UnknownNameError):
        run(rows, target="beauty")
    spread = run(rows, target="run_spread")
    assert spread.withheld
    assert spread.configurations == 0


def test_coverage_lists_every_variable_with_the_reason_for_leaving_it_out(
    planted: ImportanceResult,
) -> None:
    rows = {row.variable: row for row in planted.coverage}
    assert rows["accelerators"].used
    assert rows["precision"].reason == "not known for any configuration"
    assert rows["division"].reason == "the same for all configurations"
    assert rows["nodes"].reason == "implied by accelerators and accelerators_per_node"
    for row in rows.values():
        assert row.high + row.medium + row.low == row.known <= row.n
