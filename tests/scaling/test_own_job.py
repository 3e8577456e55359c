import numpy as np
import pytest
from tests.scaling.pooled_builders import catalogue, true_minutes

from equipoise.errors import NothingFoundError, UnknownNameError, UsageError
from equipoise.scaling.own_job import OwnJobResult, own_job
from equipoise.scaling.pooled import PooledModel, fit_pooled

H100 = "h100-sxm5-80gb"


@pytest.fixture(scope="module")
def model() -> PooledModel:
    return fit_pooled(catalogue())


def test_one_measurement_is_enough(model: PooledModel) -> None:
    found = own_job(model, measured=[(8, 300.0)], accelerator_id=H100, accelerators=[8, 16, 64])
    first, second, third = found.predictions
    assert first.basis == "measured"
    assert first.time_to_train_min == pytest.approx(300.0, rel=0.02)
    assert second.basis == "extrapolated"
    assert 150.0 < second.time_to_train_min < 250.0
    assert np.log(third.high_90 / third.low_90) > np.log(second.high_90 / second.low_90)
    assert third.far
    assert any("measure a second count" in text for text in found.warnings)
    assert any("not verified" in text for text in found.warnings)
    assert sum(s.weight for s in found.similar) == pytest.approx(1.0)


def test_a_second_measurement_narrows_the_intervals(model: PooledModel) -> None:
    one = own_job(model, measured=[(8, 300.0)], accelerator_id=H100, accelerators=[64])
    two = own_job(
        model, measured=[(8, 300.0), (32, 80.0)], accelerator_id=H100, accelerators=[64, 16]
    )

    def width(row: object) -> float:
        return float(np.log(row.high_90 / row.low_90))  # type: ignore[attr-defined]

    assert width(two.predictions[0]) < width(one.predictions[0])
    assert two.predictions[1].basis == "interpolated"


def test_measurements_that_contradict_every_curve_widen_the_intervals(model: PooledModel) -> None:
    def asked(at_16: float) -> OwnJobResult:
        return own_job(
            model,
            measured=[(8, 10.0), (16, at_16)],
            accelerator_id=H100,
            accelerators=[16, 64],
            like="bert",
        )

    def width(result: OwnJobResult) -> float:
        row = result.predictions[1]
        return float(np.log(row.high_90 / row.low_90))

    usual, rising = asked(5.4), asked(12.0)
    assert width(rising) > 3 * width(usual)
    assert rising.predictions[0].measured_min == 12.0
    assert rising.predictions[1].measured_min is None
    assert any("no faster than 8" in text for text in rising.warnings)
    assert any("contradict the curve of bert" in text for text in rising.warnings)
    assert not any("contradict" in text or "faster" in text for text in usual.warnings)


def test_the_level_is_free(model: PooledModel) -> None:
    def times(scale: float) -> np.ndarray:
        found = own_job(
            model,
            measured=[(8, 30.0 * scale), (16, 16.0 * scale)],
            accelerator_id=H100,
            accelerators=[32, 64],
            like="retinanet",
        )
        return np.array([p.time_to_train_min for p in found.predictions])

    np.testing.assert_allclose(times(100.0), 100.0 * times(1.0), rtol=2e-3)


def test_a_benchmark_measured_again_is_recognised_and_predicted(model: PooledModel) -> None:
    measured = [(n, true_minutes("bert", H100, "v5.0", n)) for n in (8, 16)]
    found = own_job(
        model, measured=measured, accelerator_id=H100, accelerators=[32, 64], like="bert"
    )
    for row in found.predictions:
        truth = true_minutes("bert", H100, "v5.0", row.accelerators)
        assert row.low_90 < truth < row.high_90
        assert row.time_to_train_min == pytest.approx(truth, rel=0.1)
    assert found.similar[0].benchmark == "bert"
    assert found.similar[0].weight == 1.0


def test_another_accelerator_is_predicted_with_more_doubt(model: PooledModel) -> None:
    found = own_job(
        model,
        measured=[(8, 300.0), (16, 160.0)],
        accelerator_id=H100,
        accelerators=[8],
        on=["b200-sxm-180gb", H100],
    )
    new, old = found.predictions
    assert new.basis == "new_accelerator"
    assert new.time_to_train_min < old.time_to_train_min
    assert new.high_90 / new.low_90 > old.high_90 / old.low_90


def test_samples_match_the_intervals(model: PooledModel) -> None:
    found = own_job(
        model, measured=[(8, 300.0), (16, 160.0)], accelerator_id=H100, accelerators=[32, 64]
    )
    drawn = found.samples(np.random.default_rng(5), size=20000)
    for k, row in enumerate(found.predictions):
        low, middle, high = np.quantile(drawn[:, k], [0.05, 0.5, 0.95])
        assert middle == pytest.approx(row.time_to_train_min, rel=0.02)
        assert low == pytest.approx(row.low_90, rel=0.06)
        assert high == pytest.approx(row.high_90, rel=0.06)
    assert np.corrcoef(np.log(drawn.T))[0, 1] > 0.3


def test_repeated_measurements_are_averaged(model: PooledModel) -> None:
    found = own_job(model, measured=[(8, 290.0), (8, 310.0)], accelerator_id=H100, accelerators=[8])
    assert found.predictions[0].time_to_train_min == pytest.approx(300.0, rel=0.02)


@pytest.mark.parametrize("measured", [[], [(0, 5.0)], [(8, 0.0)], [(8, float("nan"))]])
def test_useless_measurements_are_refused(
    model: PooledModel, measured: list[tuple[int, float]]
) -> None:
    with pytest.raises(UsageError, match="measurement"):
        own_job(model, measured=measured, accelerator_id=H100, accelerators=[8])


def test_unknown_names(model: PooledModel) -> None:
    with pytest.raises(UnknownNameError):
        own_job(model, measured=[(8, 5.0)], accelerator_id="h1000", accelerators=[8])
    with pytest.raises(NothingFoundError, match="no score of flux1"):
        own_job(model, measured=[(8, 5.0)], accelerator_id=H100, accelerators=[8], like="FLUX.1")


def test_an_accelerator_nobody_measured_still_works(model: PooledModel) -> None:
    found = own_job(model, measured=[(8, 300.0)], accelerator_id="rubin", accelerators=[64])
    assert any("never measured" in text for text in found.warnings)
    assert found.predictions[0].time_to_train_min < 300.0
