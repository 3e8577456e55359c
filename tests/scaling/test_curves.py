import numpy as np
import pytest

from equipoise.errors import DataError, NothingFoundError, UnknownNameError, UsageError
from equipoise.scaling.curves import build_curves, noise_floor, usable_configurations


def test_the_best_score_of_a_count_is_the_point_and_the_others_stay(configuration) -> None:
    given = [
        configuration(accelerators=8, time_to_train_min=60.0),
        configuration(accelerators=8, time_to_train_min=55.0, submitter="Other"),
        configuration(accelerators=64, time_to_train_min=9.0),
    ]
    (curve,) = build_curves(given, by="accelerator", reference="smallest")
    assert curve.name == "v4.1 h100-sxm5-80gb"
    assert curve.best == (1, 2)
    assert curve.members == (1, 0, 2)
    assert curve.alternatives == ((1, 0), (2,))
    assert curve.reference == 1
    assert curve.submitter is None


def test_rounds_divisions_and_submitters_make_curves(configuration) -> None:
    given = [
        configuration(),
        configuration(round="v4.0"),
        configuration(division="open"),
        configuration(submitter="Other"),
        configuration(accelerator_id=None, accelerator_model="Odd X1"),
    ]
    names = [c.name for c in build_curves(given, by="accelerator", reference="smallest")]
    assert names == [
        "v4.0 h100-sxm5-80gb", "v4.1 Odd X1", "v4.1 h100-sxm5-80gb", "v4.1 h100-sxm5-80gb open",
    ]  # fmt: skip
    split = build_curves(given, by="accelerator+submitter", reference="smallest")
    assert "v4.1 h100-sxm5-80gb Other" in [c.name for c in split]
    with pytest.raises(UsageError, match="not by 'vendor'"):
        build_curves(given, by="vendor", reference="smallest")


def test_references(configuration) -> None:
    given = [
        configuration(accelerators=8, time_to_train_min=60.0),
        configuration(accelerators=64, time_to_train_min=9.0),
        configuration(accelerators=2, time_to_train_min=400.0, accelerator_id="l40s-48gb"),
        configuration(accelerators=512, time_to_train_min=900.0, accelerator_id="tpu-v3"),
        configuration(round="v4.0", accelerators=64, time_to_train_min=11.0),
    ]

    def reference(name: str) -> dict[str, int]:
        return {c.name: c.reference for c in build_curves(given, by="accelerator", reference=name)}

    assert reference("smallest")["v4.1 h100-sxm5-80gb"] == 0
    assert set(reference("slowest").values()) == {2}
    named = reference("exampleorg_N64")
    assert named["v4.1 h100-sxm5-80gb"] == 1
    assert named["v4.0 h100-sxm5-80gb"] == 4
    assert set(reference("ExampleOrg/ExampleOrg_n2").values()) == {2}
    assert set(reference(given[1].key).values()) == {1}
    with pytest.raises(UnknownNameError, match="did you mean 'slowest'"):
        reference("slowst")


def test_slowest_without_any_small_machine_looks_at_all(configuration) -> None:
    given = [
        configuration(accelerators=64, time_to_train_min=9.0),
        configuration(accelerators=128, time_to_train_min=12.0),
    ]
    (curve,) = build_curves(given, by="accelerator", reference="slowest")
    assert curve.reference == 1


def test_what_cannot_lie_on_a_curve_is_said(configuration) -> None:
    good = configuration()
    usable, warnings = usable_configurations(
        [
            good,
            configuration(accelerators=0, system_id="cpu"),
            configuration(time_to_train_min=float("nan"), system_id="nan"),
            configuration(time_to_train_min=0.0, system_id="zero"),
        ]
    )
    assert usable == (good,)
    assert len(warnings) == 3
    assert sum("has no time to train above zero" in text for text in warnings) == 2
    assert warnings[-1].endswith("/cpu/bert: has no accelerators, on no curve (1)")
    with pytest.raises(NothingFoundError):
        usable_configurations([])
    with pytest.raises(DataError, match="not bert, resnet"):
        usable_configurations([good, configuration(benchmark="resnet")])


def test_noise_floor_is_the_spread_between_submitters(configuration) -> None:
    given = [
        configuration(submitter="A", time_to_train_min=10.0),
        configuration(submitter="B", time_to_train_min=11.0),
        configuration(submitter="B", time_to_train_min=19.0, system_id="worse"),
        configuration(submitter="A", accelerators=16, time_to_train_min=5.0),
    ]
    (curve,) = build_curves(given, by="accelerator", reference="smallest")
    noise = noise_floor(given, curve)
    assert noise.groups == 1
    assert noise.max_ratio == pytest.approx(1.1)
    assert noise.log_spread == pytest.approx(np.log(1.1) / np.sqrt(2))
    alone = build_curves(given[:1], by="accelerator", reference="smallest")[0]
    assert noise_floor(given, alone).log_spread is None
