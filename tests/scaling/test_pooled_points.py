import numpy as np
import pytest
from tests.scaling.pooled_builders import catalogue, configuration

from equipoise import facts
from equipoise.scaling.pooled import pool_points
from equipoise.scaling.pooled.coordinates import (
    Place,
    coordinates,
    filled_in,
    hardware_figures,
    kind_of,
    year_of,
)
from equipoise.scaling.pooled.mixture import evidence_shares
from equipoise.scaling.pooled.points import build_pool


def test_one_point_is_the_median_over_submitters() -> None:
    found = pool_points(
        [
            configuration(submitter="Alpha", time_to_train_min=10.0),
            configuration(submitter="Beta", time_to_train_min=13.0),
            configuration(submitter="Gamma", time_to_train_min=11.0),
        ]
    )
    assert len(found) == 1
    assert found[0].time_to_train_min == 11.0
    assert set(found[0].submitters) == {"Alpha", "Beta", "Gamma"}
    assert found[0].block == "bert@v1.0"


@pytest.mark.parametrize(
    "changes",
    [
        {"division": "open"},
        {"accelerators": 0},
        {"accelerator_id": None},
        {"accelerator_id": "an accelerator without facts"},
        {"benchmark": "a benchmark without facts"},
        {"round": "v9.9"},
        {"benchmark": "flux1", "round": "v4.0"},
        {"benchmark": "minigo", "round": "v1.1"},
        {"resubmission_of": "v4.0/Alpha/one/bert"},
    ],
)
def test_what_cannot_teach_is_left_out(changes: dict[str, object]) -> None:
    assert pool_points([configuration(**changes)]) == ()


def test_the_same_runs_under_another_system_count_once() -> None:
    times = (9.1, 9.7, 10.0, 10.2, 10.9)
    found = pool_points(
        [
            configuration(round="v4.1", system_id="renamed", run_times_min=times),
            configuration(round="v4.0", system_id="first", run_times_min=times[::-1]),
        ]
    )
    assert [p.place.round for p in found] == ["v4.0"]


def test_order_of_input_does_not_matter() -> None:
    found = catalogue()
    assert pool_points(found) == pool_points(found[::-1])


def test_places_become_coordinates_and_learn_new_names() -> None:
    vocabulary: dict[str, dict[str, int]] = {}
    places = [
        Place("bert", "v0.7", "a100-sxm4-80gb", 8),
        Place("bert", "v1.0", "a100-sxm4-40gb", 16),
    ]
    at = coordinates(places, np.zeros((2, 0)), vocabulary=vocabulary)
    assert at.codes["block"][0] != at.codes["block"][1], "v0.7 and v1.0 are not comparable"
    assert at.codes["family"][0] == at.codes["family"][1]
    assert at.places["log_n"].tolist() == [3.0, 4.0]
    assert set(vocabulary["block"]) == {"bert@v0.7", "bert@v1.0"}


def test_every_accelerator_has_every_figure() -> None:
    for accelerator in facts.accelerators():
        assert np.isfinite(list(hardware_figures(accelerator.id).values())).all()
    assert "peak" in filled_in("gaudi")
    assert 3.5 < hardware_figures("gaudi")["peak"] < 6.5


def test_every_benchmark_has_a_kind_and_every_round_a_year() -> None:
    kinds = {kind_of(b.id) for b in facts.benchmarks()}
    assert "other" not in kinds
    years = [year_of(r.name) for r in facts.rounds()]
    assert years == sorted(years)


def test_shares_are_those_of_the_nearest_evidence() -> None:
    points = pool_points(
        [
            configuration(submitter="Alpha", accelerators=8),
            configuration(submitter="Beta", accelerators=512),
            configuration(submitter="Gamma", accelerator_id="a100-sxm4-80gb"),
        ]
    )
    pool = build_pool(points)
    place = Place("bert", "v4.1", "h100-sxm5-80gb", 16)
    query = coordinates([place], np.zeros((1, 3)), vocabulary=pool.vocabulary)
    shares = dict(zip(pool.submitters, evidence_shares(query, pool.at)[0], strict=True))
    assert shares["Alpha"] > 0.98
    assert shares["Gamma"] < 0.01
    hidden = np.array([[p.submitters == ("Alpha",) for p in points]])
    shares = dict(
        zip(pool.submitters, evidence_shares(query, pool.at, hidden=hidden)[0], strict=True)
    )
    assert shares["Alpha"] == 0.0
    assert shares["Beta"] > 0.9
