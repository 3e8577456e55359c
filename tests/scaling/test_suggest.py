import numpy as np
import pytest
from tests.scaling.pooled_builders import catalogue

from equipoise.errors import UsageError
from equipoise.scaling.pooled import PooledModel, fit_pooled
from equipoise.scaling.suggest import expected_right, suggest

H100 = "h100-sxm5-80gb"
MEASURED = [(8, 300.0), (16, 160.0)]


@pytest.fixture(scope="module")
def model() -> PooledModel:
    return fit_pooled(catalogue())


def test_an_outcome_that_tells_all_is_always_right() -> None:
    answer = np.repeat(np.arange(4), 250)
    assert expected_right(answer.astype(float), answer) == 1.0
    silent = np.random.default_rng(0).standard_normal(1000)
    assert expected_right(silent, answer) == pytest.approx(0.25, abs=0.12)


def test_suggestions_are_ranked_with_reasons(model: PooledModel) -> None:
    found = suggest(model, measured=MEASURED, accelerator_id=H100, rng=np.random.default_rng(1))
    assert [s.rank for s in found.suggestions] == list(range(1, len(found.suggestions) + 1))
    best = found.suggestions[0]
    assert best.accelerators not in (8, 16)
    assert best.gain >= found.suggestions[-1].gain
    assert 0.0 < best.probability_right <= 1.0
    assert 0.0 <= best.variance_drop <= 1.0
    assert best.accelerator_hours == pytest.approx(
        best.accelerators * best.time_to_train_min / 60.0
    )
    assert str(best.accelerators) in best.reason
    assert found.breakeven_now in found.decision


def test_measuring_far_out_says_more_than_beside(model: PooledModel) -> None:
    found = suggest(
        model,
        measured=MEASURED,
        accelerator_id=H100,
        candidates=[12, 128],
        rng=np.random.default_rng(1),
    )
    drops = {s.accelerators: s.variance_drop for s in found.suggestions}
    assert drops[128] > drops[12]


def test_other_accelerators_can_be_suggested(model: PooledModel) -> None:
    found = suggest(
        model,
        measured=MEASURED,
        accelerator_id=H100,
        candidates=[32],
        on=[H100, "h200-sxm5-141gb"],
        rng=np.random.default_rng(1),
    )
    assert {s.accelerator_id for s in found.suggestions} == {H100, "h200-sxm5-141gb"}
    assert found.suggestions[0].accelerator_id == H100


def test_same_seed_same_answer(model: PooledModel) -> None:
    def ask() -> object:
        return suggest(model, measured=MEASURED, accelerator_id=H100, rng=np.random.default_rng(7))

    assert ask() == ask()


def test_requests_are_checked(model: PooledModel) -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(UsageError, match="floor"):
        suggest(model, measured=MEASURED, accelerator_id=H100, efficiency_floor=0.0, rng=rng)
    with pytest.raises(UsageError, match="measured already"):
        suggest(model, measured=MEASURED, accelerator_id=H100, candidates=[8, 16], rng=rng)
    with pytest.raises(UsageError, match="no measurement"):
        suggest(model, measured=[], accelerator_id=H100, rng=rng)
