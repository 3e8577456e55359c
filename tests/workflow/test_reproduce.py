"""Every claim gets a verdict out of the data, and other data give other verdicts."""

import dataclasses
from types import SimpleNamespace

import pytest

import equipoise as eq
from equipoise.workflow.claims import CLAIMS, drivers, groups, scaling
from equipoise.workflow.claims.base import VERDICTS, Evidence, by_share, curves_of, graded
from equipoise.workflow.reproduce import reproduce_report


@pytest.fixture(scope="module")
def evidence():
    with eq.open_catalogue() as catalogue:
        yield Evidence(catalogue, resamples=20, seed=0)


@pytest.fixture(scope="module")
def answer():
    with eq.open_catalogue() as catalogue:
        yield eq.reproduce(catalogue, resamples=20)


def test_every_claim_has_verdict_evidence_and_numbers(answer):
    rows = answer.to_dict()["claims"]
    assert [row["id"] for row in rows] == list(range(1, len(CLAIMS) + 1))
    for row in rows:
        assert row["verdict"] in VERDICTS
        assert row["evidence"].endswith(".")
        assert row["numbers"], row["claim"]
    assert sum(answer.to_dict()["verdicts"].values()) == len(rows)


def test_claims_are_stated_with_a_test_each():
    assert len({claim.claim for claim in CLAIMS}) == len(CLAIMS)
    assert all(claim.test.endswith(".") and claim.claim.endswith(".") for claim in CLAIMS)


def test_every_figure_can_be_drawn(answer):
    named = {row.figure for row in answer.tables["claims"]} - {None}
    assert named == set(answer.charts)
    for name in named:
        assert answer.spec(name)["$schema"]


def test_report_has_a_part_for_every_claim(answer):
    html = reproduce_report(answer)
    for number in range(1, len(CLAIMS) + 1):
        assert f'id="claim-{number}"' in html
    assert "http-equiv" in html


def verdict_of(answer, words):
    return next(r.verdict for r in answer.tables["claims"] if words in r.claim)


def test_what_the_bundled_data_say(answer):
    assert verdict_of(answer, "less than proportionally") == "holds"
    assert verdict_of(answer, "30 % less") == "does not hold"
    assert verdict_of(answer, "RetinaNet is at 4") == "does not hold"
    assert verdict_of(answer, "A100 and the V100") == "holds in part"
    assert verdict_of(answer, "was measured") == "cannot be tested"


def test_a_catalogue_without_the_data_cannot_test_them():
    class Empty:
        def configurations(self, **_):
            return ()

        def rounds(self):
            return ()

    answer = eq.reproduce(Empty(), resamples=20)
    assert {row.verdict for row in answer.tables["claims"]} == {"cannot be tested"}


def test_a_saving_that_is_there_is_confirmed(evidence):
    real = scaling.saving("bert", 4, 8, 0.30, evidence)
    assert real.verdict == "does not hold"
    measured = real.numbers["saving v4.1 h100-sxm5-80gb"]
    assert scaling.saving("bert", 4, 8, measured, evidence).verdict == "holds"
    assert scaling.saving("bert", 4, 5, 0.3, evidence).verdict == "cannot be tested"


def test_a_breakeven_point_that_is_there_is_confirmed(evidence):
    point = scaling.breakeven_exists("bert", evidence).numbers["breakeven_accelerators"]
    assert scaling.breakeven_at("bert", int(point), evidence).verdict == "holds"
    assert scaling.breakeven_at("bert", 4, evidence).verdict == "does not hold"


def test_faster_than_proportional_scaling_is_not_sublinear(evidence):
    def warped(point):
        count = point.accelerators
        return dataclasses.replace(point, time_to_train_min=100 / count**1.5)

    points = tuple(warped(p) for p in evidence.resnet_scaling.points)
    fake = SimpleNamespace(resnet_scaling=SimpleNamespace(points=points))
    assert drivers.sublinear(fake).verdict == "does not hold"
    assert drivers.sublinear(evidence).verdict == "holds"
    assert drivers.diminishing(fake).verdict == "does not hold"


def test_groups_are_judged_by_their_own_numbers(evidence):
    slow = [
        dataclasses.replace(row, time_to_train_min_median=1000.0)
        if row.cluster == evidence.clusters.largest
        else row
        for row in evidence.clusters.clusters
    ]
    clusters = dataclasses.replace(evidence.clusters, clusters=tuple(slow))
    fake = SimpleNamespace(clusters=clusters, resnet=evidence.resnet)
    fake.group = lambda number: Evidence.group(fake, number)
    assert groups.largest_fastest(fake).verdict == "holds in part"
    assert groups.largest_fastest(evidence).verdict == "holds"
    nothing = SimpleNamespace(clusters=clusters, group=lambda number: None)
    assert groups.moderate_newest(nothing).verdict == "cannot be tested"


def test_verdicts_of_parts_and_shares():
    assert graded([True, False]) == "holds in part"
    assert graded([False, False]) == "does not hold"
    assert by_share(0.5) == "does not hold"


def test_curves_have_two_counts_or_more(evidence):
    for points in curves_of(evidence.resnet_scaling).values():
        counts = [p.accelerators for p in points]
        assert counts == sorted(set(counts))
        assert len(counts) > 1
