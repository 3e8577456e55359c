from dataclasses import replace

import numpy as np
import pytest
from tests.scaling.pooled_builders import catalogue, true_minutes

from equipoise.errors import NothingFoundError, UnknownNameError, UsageError
from equipoise.scaling.pooled import PooledModel, fit_pooled
from equipoise.scaling.pooled.shipped import shipped
from equipoise.scaling.predict import LEVELS, Prediction, predict, predict_each
from equipoise.scaling.predict_basis import BASES, judge


@pytest.fixture(scope="module")
def model() -> PooledModel:
    return fit_pooled(catalogue())


def test_rows_follow_the_request(model: PooledModel) -> None:
    found = predict(
        model,
        benchmark="BERT-large",
        accelerator_id=["h100-sxm5-80gb", "H200-SXM5-141GB"],
        accelerators=[8, 64],
    )
    assert [(p.accelerator_id, p.accelerators) for p in found.predictions] == [
        ("h100-sxm5-80gb", 8),
        ("h100-sxm5-80gb", 64),
        ("h200-sxm5-141gb", 8),
        ("h200-sxm5-141gb", 64),
    ]
    assert found.round == "v5.0", "the latest round with scores"
    assert found.benchmark == "bert"
    for p in found.predictions:
        assert p.basis in BASES
        assert p.low_90 < p.low_80 < p.low_50 < p.time_to_train_min
        assert p.time_to_train_min < p.high_50 < p.high_80 < p.high_90
        assert p.nearest
        truth = true_minutes("bert", p.accelerator_id, "v5.0", p.accelerators)
        assert p.time_to_train_min == pytest.approx(truth, rel=0.08)


def test_bases_and_reasons(model: PooledModel) -> None:
    def basis(accelerator: str, n: int, round_name: str | None = None) -> tuple[str, str]:
        row = predict(
            model,
            benchmark="bert",
            accelerator_id=accelerator,
            accelerators=[n],
            round=round_name,
        ).predictions[0]
        return row.basis, row.reason

    assert basis("h100-sxm5-80gb", 16, "v4.0")[0] in ("measured", "interpolated")
    measured = {
        (p.place.round, p.place.accelerators)
        for p in model.pool.points
        if p.pair == ("bert@v1.0", "h100-sxm5-80gb")
    }
    round_name, n = sorted(measured)[0]
    assert basis("h100-sxm5-80gb", n, round_name)[0] == "measured"
    assert "submitter" in basis("h100-sxm5-80gb", n, round_name)[1]
    assert basis("h100-sxm5-80gb", 24)[0] == "interpolated"
    assert basis("h100-sxm5-80gb", 256)[0] == "extrapolated"
    assert basis("h100-sxm5-80gb", 4)[0] == "extrapolated"
    kind, reason = basis("rubin", 8)
    assert kind == "new_accelerator"
    assert "never measured" in reason


def test_what_was_measured_stands_beside_the_prediction(model: PooledModel) -> None:
    point = next(p for p in model.pool.points if p.pair == ("bert@v1.0", "h100-sxm5-80gb"))
    row = predict(
        model,
        benchmark="bert",
        accelerator_id="h100-sxm5-80gb",
        accelerators=[point.place.accelerators, 24],
        round=point.place.round,
    ).predictions
    assert row[0].measured_min == point.time_to_train_min
    assert row[1].measured_min is None


def test_later_rounds_are_moved_by_how_earlier_ones_leaned(
    model: PooledModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(round_name: str, n: int) -> Prediction:
        return predict(
            model,
            benchmark="retinanet",
            accelerator_id="h100-sxm5-80gb",
            accelerators=[n],
            round=round_name,
        ).predictions[0]

    rows = [("v5.0", 16), ("v5.1", 16), ("v5.1", 1024)]
    before = [asked(*row) for row in rows]
    usual = shipped()
    moved = dict(usual.calibrations)
    moved["forward"] = replace(moved["forward"], location=moved["forward"].location + 1.0)
    monkeypatch.setattr(
        "equipoise.scaling.predict.shipped", lambda: replace(usual, calibrations=moved)
    )
    same, *later = [asked(*row) for row in rows]
    assert same == before[0]
    for new, old in zip(later, before[1:], strict=True):
        assert new.time_to_train_min > old.time_to_train_min
        assert new.low_90 / new.time_to_train_min == pytest.approx(
            old.low_90 / old.time_to_train_min
        )


def test_further_away_is_less_certain(model: PooledModel) -> None:
    found = predict(
        model, benchmark="bert", accelerator_id="h100-sxm5-80gb", accelerators=[64, 256, 2048]
    )
    widths = [np.log(p.high_90 / p.low_90) for p in found.predictions]
    assert widths == sorted(widths)
    new = predict(model, benchmark="bert", accelerator_id="rubin", accelerators=[64])
    assert np.log(new.predictions[0].high_90 / new.predictions[0].low_90) > widths[0]


def test_far_counts_are_flagged(model: PooledModel) -> None:
    found = predict(
        model, benchmark="bert", accelerator_id="h100-sxm5-80gb", accelerators=[512, 513]
    )
    assert [p.far for p in found.predictions] == [False, True]
    assert "do not rely on it" in found.predictions[1].reason
    assert any("more than 4 times" in text for text in found.warnings)


def test_a_measurement_outside_its_interval_is_said(model: PooledModel, monkeypatch) -> None:
    point = next(p for p in model.pool.points if p.place.benchmark == "bert")
    place = point.place

    def asked() -> str:
        return predict(
            model,
            benchmark="bert",
            accelerator_id=place.accelerator_id,
            accelerators=[place.accelerators],
            round=place.round,
        ).predictions[0].reason  # fmt: skip

    assert "the 90 % interval" not in asked()
    judged = judge(model, place)
    far_off = replace(judged, measured_min=point.time_to_train_min * 5)
    monkeypatch.setattr("equipoise.scaling.predict.judge", lambda *_: far_off)
    assert "above the 90 % interval" in asked()


def test_too_little_memory_is_flagged(model: PooledModel, monkeypatch) -> None:
    """Less than the state of the training takes, and than every published configuration has."""
    sizes = [p.place.accelerators for p in model.pool.points if p.place.benchmark == "bert"]
    counts = [min(sizes), max(sizes)]
    largest = 80.0 * max(sizes)  # h100-sxm5-80gb
    arguments = {"benchmark": "bert", "accelerator_id": "h100-sxm5-80gb", "accelerators": [1, 64]}
    monkeypatch.setattr("equipoise.facts.training_state_gb", lambda *_: 81.0)
    one, many = predict(model, **arguments).predictions
    assert (one.too_small, many.too_small) == (min(counts) > 1, False)
    assert ("too little accelerator memory" in one.reason) == one.too_small
    monkeypatch.setattr("equipoise.facts.training_state_gb", lambda *_: largest * 2)
    found = predict(model, **{**arguments, "accelerators": counts})
    assert [p.too_small for p in found.predictions] == [False, False]  # published: so it fits
    monkeypatch.setattr("equipoise.facts.training_state_gb", lambda *_: None)
    assert not any(p.too_small for p in predict(model, **arguments).predictions)


@pytest.mark.parametrize("n", [0, -8])
def test_no_accelerators_is_refused(model: PooledModel, n: int) -> None:
    with pytest.raises(UsageError, match="CPU-only"):
        predict(model, benchmark="bert", accelerator_id="h100-sxm5-80gb", accelerators=[n])


def test_names_are_checked(model: PooledModel) -> None:
    def ask(**changes: object) -> None:
        request: dict[str, object] = {
            "benchmark": "bert",
            "accelerator_id": "h100-sxm5-80gb",
            "accelerators": [8],
        }
        predict(model, **(request | changes))  # type: ignore[arg-type]

    with pytest.raises(UnknownNameError, match="h100-sxm5-80gb"):
        ask(accelerator_id="h100-sxm5-80g")
    with pytest.raises(UnknownNameError, match="bert"):
        ask(benchmark="brt")
    with pytest.raises(UnknownNameError, match="Alpha"):
        ask(submitter="Alpa")
    with pytest.raises(UsageError, match="not part of"):
        ask(round="v5.1")
    with pytest.raises(NothingFoundError, match="comparable"):
        ask(round="v0.7")
    with pytest.raises(NothingFoundError, match="no score of flux1"):
        ask(benchmark="flux1")
    with pytest.raises(NothingFoundError, match="self-play"):
        ask(benchmark="minigo")
    with pytest.raises(UsageError, match="no count"):
        ask(accelerators=[])


def test_submitters(model: PooledModel) -> None:
    def one(submitter: str | None) -> float:
        return (
            predict(
                model,
                benchmark="bert",
                accelerator_id="h100-sxm5-80gb",
                accelerators=[24],
                submitter=submitter,
            )
            .predictions[0]
            .time_to_train_min
        )

    values = {name: one(name) for name in (None, "typical", "alpha", "Beta")}
    assert max(values.values()) / min(values.values()) < 1.1
    assert len(set(values.values())) == 4


def test_samples_agree_with_the_intervals_and_hang_together(model: PooledModel) -> None:
    found = predict(
        model, benchmark="bert", accelerator_id="b200-sxm-180gb", accelerators=[24, 48, 256]
    )
    drawn = found.samples(np.random.default_rng(0), size=20000)
    assert drawn.shape == (20000, 3)
    for k, p in enumerate(found.predictions[:2]):
        for level in LEVELS:
            low, high = np.quantile(drawn[:, k], [(1 - level) / 2, (1 + level) / 2])
            assert low == pytest.approx(getattr(p, f"low_{level * 100:.0f}"), rel=0.04)
            assert high == pytest.approx(getattr(p, f"high_{level * 100:.0f}"), rel=0.04)
    assert np.corrcoef(np.log(drawn[:, 0]), np.log(drawn[:, 1]))[0, 1] > 0.1
    again = found.samples(np.random.default_rng(0), size=20000)
    np.testing.assert_array_equal(drawn, again)


def test_same_request_same_numbers(model: PooledModel) -> None:
    request = {"benchmark": "bert", "accelerator_id": "h200-sxm5-141gb", "accelerators": [8, 99]}
    assert predict(model, **request) == predict(fit_pooled(catalogue()), **request)


def test_many_sizes_at_once_give_the_same_numbers(model: PooledModel) -> None:
    place = model.pool.points[0].place
    alone = predict(
        model,
        benchmark=place.benchmark,
        accelerator_id=place.accelerator_id,
        accelerators=[2, 32],
    )
    wanted = [(place.accelerator_id, 2), (place.accelerator_id, 32)]
    for one, other in zip(
        alone.predictions, predict_each(model, wanted, benchmark=place.benchmark), strict=True
    ):
        assert other.time_to_train_min == pytest.approx(one.time_to_train_min, rel=1e-9)
        assert other.high_90 == pytest.approx(one.high_90, rel=1e-9)
        assert other.basis == one.basis
