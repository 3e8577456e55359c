"""Stage 2 on planted groups, on little data and on odd data."""

import csv
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from equipoise.cluster import cluster
from equipoise.cluster.choice import choice_table, silhouettes
from equipoise.cluster.describe import _count_text
from equipoise.cluster.methods import METHODS, group, method
from equipoise.domain import Configuration
from equipoise.errors import UnknownNameError, UsageError


def configuration(**kwargs: Any) -> Configuration:
    base: dict[str, Any] = {
        "round": "v3.0",
        "submitter": "Lab",
        "system_id": "one",
        "benchmark": "resnet",
        "division": "closed",
        "time_to_train_min": 30.0,
        "accelerators": 8,
        "accelerator_id": "a100-sxm4-80gb",
        "samples_to_converge": 4.5e7,
    }
    return Configuration(**{**base, **kwargs})


PLANTED = (
    # accelerators, accelerator-minutes, accelerator
    (2, 300.0, "a100-sxm4-80gb"),
    (8, 110.0, "h100-sxm5-80gb"),
    (16, 500.0, "v100-sxm2-16gb"),
    (256, 330.0, "a100-sxm4-80gb"),
    (4096, 1500.0, "a100-sxm4-80gb"),
)


def planted(rng: np.random.Generator, each: int = 15) -> tuple[list[Configuration], list[int]]:
    rows, truth = [], []
    for g, (n, work, accelerator) in enumerate(PLANTED):
        for i in range(each):
            count = int(n * rng.choice([1, 1, 2]))
            minutes = work / count * float(np.exp(0.08 * rng.normal()))
            rows.append(
                configuration(
                    system_id=f"g{g}-{i}",
                    accelerators=count,
                    time_to_train_min=minutes,
                    accelerator_id=accelerator,
                )
            )
            truth.append(g)
    return rows, truth


def test_known_groups_are_recovered() -> None:
    rows, truth = planted(np.random.default_rng(3))
    result = cluster(rows, k=5, rng=np.random.default_rng(0))
    found = {m.key: m.cluster for m in result.members}
    rand = adjusted_rand_score(truth, [found[c.key] for c in rows])
    assert rand > 0.9
    assert [row.cluster for row in result.clusters] == [1, 2, 3, 4, 5]
    medians = [row.accelerators_median for row in result.clusters]
    assert medians == sorted(medians)
    assert result.stability is not None
    assert result.stability > 0.75


def test_the_balanced_and_the_largest_group_are_told_from_their_numbers() -> None:
    rows, _ = planted(np.random.default_rng(4))
    result = cluster(rows, k=5, rng=np.random.default_rng(0))
    assert result.balanced is not None
    balanced = result.clusters[result.balanced - 1]
    assert balanced.families == "h100 (15)"
    assert balanced.newest_share == 1.0
    assert "newest-generation" in balanced.label
    assert "most efficient" in balanced.label
    largest = result.clusters[-1]
    assert result.largest == largest.cluster
    assert "the fastest and least efficient" in largest.label
    assert f"The largest systems are in group {largest.cluster} (" in result.sentence
    closeness = {row.claim: row.closeness for row in result.paper}
    assert closeness["the largest systems are the least efficient"] == 1.0
    assert len({row.label for row in result.clusters}) == 5


@pytest.mark.parametrize("name", list(METHODS))
def test_every_method_groups_and_is_compared(name: str) -> None:
    rows, truth = planted(np.random.default_rng(5), each=10)
    result = cluster(rows, k=5, method=name, rng=np.random.default_rng(0), resamples=20)
    found = {m.key: m.cluster or 0 for m in result.members}
    assert adjusted_rand_score(truth, [found[c.key] for c in rows]) > 0.5
    assert [row.method for row in result.methods] == list(METHODS)
    assert sum(row.chosen for row in result.methods) == 1
    assert len(result.members) == len(rows)


def test_auto_shows_every_criterion() -> None:
    rows, _ = planted(np.random.default_rng(6))
    result = cluster(rows, k="auto", rng=np.random.default_rng(0))
    assert 4 <= result.k <= 6
    assert sum(row.chosen for row in result.choices) == 1
    assert sum(row.votes for row in result.choices) == 3
    shown = [row for row in result.choices if row.k > 1]
    assert all(row.silhouette is not None and row.gap is not None for row in shown)
    assert all(row.stability is not None for row in shown)


def test_same_seed_same_result_and_order_of_rows_does_not_matter() -> None:
    rows, _ = planted(np.random.default_rng(7), each=8)
    first = cluster(rows, rng=np.random.default_rng(1))
    assert asdict(first) == asdict(cluster(rows, rng=np.random.default_rng(1)))
    other = cluster(rows[::-1], rng=np.random.default_rng(2))
    one = {m.key: m.cluster for m in first.members}
    two = {m.key: m.cluster for m in other.members}
    assert one == two


def test_a_change_of_unit_changes_no_group() -> None:
    rows, _ = planted(np.random.default_rng(8), each=8)
    slower = [replace(c, time_to_train_min=c.time_to_train_min * 60) for c in rows]
    one = cluster(rows, rng=np.random.default_rng(1)).members
    two = cluster(slower, rng=np.random.default_rng(1)).members
    assert [(m.key, m.cluster) for m in one] == [(m.key, m.cluster) for m in two]


def test_resubmitted_runs_count_once() -> None:
    rows, _ = planted(np.random.default_rng(9), each=6)
    first = rows[0]
    again = replace(first, round="v3.1", resubmission_of=first.key)
    result = cluster([*rows, again], rng=np.random.default_rng(0))
    member = next(m for m in result.members if m.key == again.key)
    assert member.duplicate_of == first.key
    assert sum(row.size for row in result.clusters) == len(rows)
    assert any("count once" in text for text in result.warnings)


def test_little_data_says_something_sensible() -> None:
    empty = cluster([], rng=np.random.default_rng(0))
    assert empty.clusters == ()
    assert "no configuration" in empty.sentence
    one = cluster([configuration()], rng=np.random.default_rng(0))
    assert [row.size for row in one.clusters] == [1]
    assert "one configuration only" in one.sentence
    for count in (2, 3):
        rows = [
            configuration(system_id=str(i), accelerators=2**i, time_to_train_min=60.0 / (i + 1))
            for i in range(count)
        ]
        result = cluster(rows, rng=np.random.default_rng(0))
        assert result.k == count
        assert any("Fewer points than groups" in text for text in result.warnings)
        assert "too few to group" in result.sentence
        assert result.balanced is None
        assert result.paper == ()
        assert cluster(rows, k="auto", rng=np.random.default_rng(0)).k <= count


def test_cpu_only_systems_are_set_aside() -> None:
    rows = [configuration(), configuration(system_id="cpu", accelerators=0)]
    result = cluster(rows, rng=np.random.default_rng(0))
    assert [m.system_id for m in result.members] == ["one"]
    assert any("in no group" in text for text in result.warnings)


def test_unknown_throughput_is_replaced_by_accelerator_hours() -> None:
    rows = [
        configuration(system_id=str(i), accelerators=2**i, samples_to_converge=None,
                      time_to_train_min=100.0 / 1.7**i)
        for i in range(6)
    ]  # fmt: skip
    result = cluster(rows, k=2, rng=np.random.default_rng(0))
    assert "accelerator_hours" in result.features
    assert all(row.throughput_per_accelerator_median is None for row in result.clusters)


def test_equal_configurations_form_one_group() -> None:
    rows = [configuration(system_id=str(i)) for i in range(6)]
    result = cluster(rows, rng=np.random.default_rng(0))
    assert [row.size for row in result.clusters] == [6]
    assert any("same for all" in text for text in result.warnings)


def test_wrong_requests_name_the_choices() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(UnknownNameError, match="kmeans"):
        cluster([configuration()], method="kmean5", rng=rng)
    for wrong in (0, "many", -1):
        with pytest.raises(UsageError):
            cluster([configuration()], k=wrong, rng=rng)


def test_case_84_more_clusters_than_points(shared: Path) -> None:
    path = shared / "cases/84-more-clusters-than-points/input/features.csv"
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    points = np.array([[float(r["log_n"]), float(r["log_minutes"])] for r in rows])
    for name in METHODS:
        if not method(name).needs_k:
            continue
        labels = group(points, method=method(name), k=5, rng=np.random.default_rng(0))
        assert len(set(labels.tolist())) == 2
        assert labels[0] == labels[1] == labels[2] != labels[3]
        found = silhouettes(points, labels)
        assert found is not None
        np.testing.assert_allclose(found, [1, 1, 1, 0])
        assert found.mean() == pytest.approx(0.75)
    _, table = choice_table(
        points, method=method("kmeans"), requested=None, rng=np.random.default_rng(0)
    )
    assert [(row.k, row.silhouette) for row in table] == [(1, None), (2, 0.75)]


def test_a_label_that_leaves_out_the_ends_says_mostly() -> None:
    counts = np.array([8.0] * 10 + [512.0] + [4096.0] * 30)
    assert _count_text(counts) == "8-4,096"
    assert _count_text(np.append(counts, 5000.0)) == "mostly 8-4,096"


def test_thousands_of_accelerators_are_not_balanced_for_being_fast() -> None:
    """In v3.0 alone the largest systems are newest-generation and not the least efficient."""
    import equipoise as eq

    with eq.open_catalogue() as catalogue:
        answer = eq.cluster(catalogue, "resnet", rounds=["v3.0"])
    row = answer.result.clusters[answer.result.balanced - 1]
    assert 4 <= row.accelerators_median <= 32
    assert row.newest_share > 0.9
    assert {m.division for m in answer.result.members} == {"closed"}
