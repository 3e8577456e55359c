"""The words of a study on bundled configurations."""

import equipoise as eq
from equipoise.workflow.answer import Answer


def _study(benchmark: str, **options: object) -> Answer:
    return eq.study(eq.open_catalogue(), benchmark, resamples=50, **options)


def test_machines_without_accelerators_are_named_apart() -> None:
    found = _study("resnet", rounds=["v3.0"]).to_dict()["paragraphs"][0]
    assert "with 0 to" not in found
    assert found.endswith("3,584 accelerators, 1 of them without any.")


def test_one_submitter_is_singular_and_the_status_of_each_rule_is_shown() -> None:
    answer = _study("bert", rounds=["v4.1"], submitters=["Clemson"], accelerators=["a100"])
    content = answer.to_dict()
    assert "from 1 submitter (v4.1), with 16 to 32 accelerators." in content["paragraphs"][0]
    assert "status" in answer.views["breakevens"].columns


def test_an_interval_says_its_level_and_too_few_counts_have_no_answer() -> None:
    assert "(90 % interval " in _study("llama2_70b_lora", rounds=["v4.1"]).to_dict()["answer"]


def test_a_single_configuration_leads_no_ranking_and_forms_no_group() -> None:
    content = _study("unet3d", max_accelerators=2).to_dict()
    assert "is the only configuration" in content["answer"]
    assert "leads" not in content["answer"]
    assert "group the" not in " ".join(content["paragraphs"])


def test_a_rank_interval_of_one_rank_is_one_rank() -> None:
    content = _study("bert").to_dict()
    assert "(rank 1 under noise" in content["answer"]
    assert "rank 1 to 1" not in " ".join(content["paragraphs"])
