"""Quality rules: bounds at their edges, several metrics, and the rules of a division."""

import math

import pytest

from equipoise import facts
from equipoise.errors import DataError
from equipoise.facts.quality import _bound
from equipoise.facts.tables import Row


def rule(round_name: str, division: str, benchmark: str, **kwargs: float) -> facts.QualityRule:
    found = facts.quality_rule(round_name, division, benchmark, **kwargs)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("round_name", "benchmark", "good", "bad"),
    [
        ("v4.0", "resnet", 0.759, 0.7589),
        ("v1.0", "bert", 0.72, 0.7199),
        ("v0.7", "gnmt", 0.24, 24.1),
        ("v4.1", "gpt3", 2.69, 2.6),
        ("v4.1", "gpt3", 2.6001, 2.6901),
        ("v2.0", "rnnt", 0.058, 0.0),
        ("v5.1", "llama31_405b", 5.6, 5.6001),
        ("v4.0", "dlrm_dcnv2", 1.0, 0.8027),
        ("v1.0", "unet3d", 1.5, 0.9079),
        ("v2.0", "retinanet", 0.34, 0.3399),
        ("v1.1", "ssd", 0.23, 0.2299),
        ("v6.0", "deepseekv3_671b", 3.6, 3.61),
    ],
)
def test_closed_bounds_at_their_edges(
    round_name: str, benchmark: str, good: float, bad: float
) -> None:
    found = rule(round_name, "closed", benchmark)
    assert found.passes(good)
    assert not found.passes(bad)
    assert not found.passes(math.nan)


def test_the_bound_of_bert_depends_on_the_batch_size_in_v07() -> None:
    assert not rule("v0.7", "closed", "bert", global_batch_size=8191).passes(0.707)
    assert rule("v0.7", "closed", "bert", global_batch_size=8192).passes(0.707)
    assert not rule("v0.7", "closed", "bert").passes(0.707)
    assert not rule("v0.7", "open", "bert", global_batch_size=8192).passes(0.707)


def test_rules_of_two_metrics() -> None:
    images = rule("v3.1", "closed", "stable_diffusion")
    assert images.min_evaluations == 2
    assert images.progress_key == "step_num"
    assert rule("v5.0", "closed", "stable_diffusion").progress_key == "samples_count"
    assert images.passes({"FID": 90.0, "CLIP": 0.15})
    assert not images.passes({"FID": 90.1, "CLIP": 0.15})
    assert not images.passes({"FID": 80.0})
    assert not images.passes(80.0)
    masks = rule("v3.1", "closed", "maskrcnn")
    assert masks.passes({"BBOX": 0.377, "SEGM": 0.339})
    assert not masks.passes({"BBOX": 0.377, "SEGM": 0.338})


def test_open_rules_ask_for_less() -> None:
    assert rule("v4.0", "open", "resnet").passes(0.1)
    assert not rule("v0.7", "open", "resnet").passes(0.1)
    assert rule("v5.1", "open", "flux1").evaluation_key == "averaged_validation_loss"
    assert rule("v5.1", "open", "llama2_70b_lora").progress_key == "epoch_num"
    assert rule("v6.0", "open", "llama2_70b_lora").progress_key == "samples_count"
    # No rule file: nothing is demanded.
    assert rule("v3.0", "open", "gpt3").passes(99.0)


def test_the_first_rules_name_no_bound() -> None:
    found = rule("v0.6", "closed", "resnet")
    assert not found.at_least_one
    assert found.passes(0.1)


def test_what_has_no_rule_is_none() -> None:
    assert facts.quality_rule("v0.5", "closed", "resnet") is None
    assert facts.quality_rule("v4.1", "closed", "resnet") is None
    assert facts.quality_rule("v4.1", "unverified", "bert") is None
    assert facts.run_rule("v0.5", "closed") is None


def test_rules_of_every_run() -> None:
    found = {name: facts.run_rule(name, "closed") for name in ("v0.6", "v0.7", "v1.0", "v2.0")}
    limits = {name: r.init_limit_min for name, r in found.items() if r is not None}
    assert limits == {"v0.6": None, "v0.7": 20, "v1.0": 30, "v2.0": 30}
    latest = facts.run_rule("v5.1", "open")
    assert latest is not None
    assert latest.init_limit_min == 240
    assert not latest.success_required
    assert "run_stop" in latest.exactly_one
    assert "eval_accuracy" in latest.at_least_one


@pytest.mark.parametrize("text", ["value 1, 2", "value in 1, 2", "value in [a, 2]", "[1]"])
def test_a_broken_bound_is_an_error(text: str) -> None:
    with pytest.raises(DataError, match="no bound"):
        _bound(Row({}, "rules.csv", 3), text)
