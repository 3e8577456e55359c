"""Raw accelerator spellings: the cases, every published spelling, and unseen ones."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise import facts
from equipoise.facts import identify

WANTED = {
    "A100-SXM-80GB": "a100-sxm4-80gb",
    "A100-SXM-40GB": "a100-sxm4-40gb",
    "A100-PCIe-80GB": "a100-pcie-80gb",
    "A100-PCIe-40GB": "a100-pcie-40gb",
    "H100-SXM-80GB": "h100-sxm5-80gb",
    "H100-SXM-96GB": "h100-sxm5-96gb",
    "H100-NVL": "h100-nvl-94gb",
    "H100-PCIe-80GB": "h100-pcie-80gb",
    "H200-NVL-141GB": "h200-nvl-141gb",
    "B200": "b200-sxm-180gb",
    "GB200": "gb200",
    "MI300X": "mi300x",
    "MI325X": "mi325x",
    "Gaudi2": "gaudi2",
    "Gaudi": "gaudi",
    "TPU-v3": "tpu-v3",
    "none": None,
}


def test_the_groups_of_the_case(shared: Path) -> None:
    case = json.loads((shared / "cases/62-accelerator-names/expected.json").read_text("utf-8"))
    for group, spellings in case["groups"].items():
        for raw in spellings:
            match = facts.identify_accelerator(raw)
            assert match.accelerator_id == WANTED[group], raw
            assert match.no_accelerator == (group == "none")
            assert not match.ambiguous


def test_ambiguous_spellings_are_not_guessed() -> None:
    match = facts.identify_accelerator("NVIDIA A100")
    assert match.accelerator_id is None
    assert match.ambiguous
    assert match.candidates == facts.accelerators_matching("a100")
    half = facts.identify_accelerator("NVIDIA A100", memory="40G")
    assert half.candidates == ("a100-sxm4-40gb", "a100-pcie-40gb")
    assert facts.identify_accelerator("TPU").accelerator_id is None
    assert facts.identify_accelerator("TPU", system_name="tpu-v4-128").accelerator_id == "tpu-v4"
    assert facts.identify_accelerator("NVIDIA H100-PCIe").accelerator_id == "h100-pcie-80gb"


@pytest.mark.parametrize("alias", facts.aliases(), ids=lambda a: a.raw or "blank")
def test_every_published_spelling(alias: facts.Alias) -> None:
    match = facts.identify_accelerator(alias.raw)
    assert match.accelerator_id == alias.accelerator_id
    assert match.no_accelerator == (alias.kind == "none")
    if alias.kind == "accelerator":
        assert match.power_limit_w == alias.power_limit_w
    assert match.reason


@pytest.mark.parametrize(
    "alias", [a for a in facts.aliases() if a.kind == "accelerator"], ids=lambda a: a.raw
)
def test_the_parts_alone_give_the_same_answer(
    alias: facts.Alias, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(identify, "known_spelling", lambda raw: None)
    match = facts.identify_accelerator(alias.raw)
    assert match.accelerator_id == alias.accelerator_id
    # A limit that only the system file states is known to the alias alone.
    assert match.power_limit_w in (None, alias.power_limit_w)


@pytest.mark.parametrize(
    ("raw", "wanted", "watts"),
    [
        ("nvidia  a100_sxm4_80gb", "a100-sxm4-80gb", None),
        ("A100 80 GB PCIe 300 W", "a100-pcie-80gb", 300),
        ("NVIDIA A100-SXM4-40GB CTS", "a100-sxm4-40gb", 500),
        ("NVIDIA HGX H100 80GB", "h100-sxm5-80gb", None),
        ("8x H200 SXM5", "h200-sxm5-141gb", None),
        ("NVIDIA B200 192GB", "b200-sxm-180gb", None),
        ("NVIDIA GB200 NVL72", "gb200", None),
        ("AMD Instinct(TM) MI300X", "mi300x", None),
        ("Intel® Gaudi® 3 HL-325L", "gaudi3", None),
        ("Google Cloud TPU v5p", "tpu-v5p", None),
        ("tpu trillium", "tpu-v6e", None),
        ("Tesla T4", "t4-pcie-16gb", None),
        ("Tesla V100-SXM3-32GB-H", "v100-sxm3-32gb", 450),
        ("NVIDIA L40", "l40-pcie-48gb", None),
        ("NVIDIA A10", "a10-pcie-24gb", None),
        ("AMD Instinct MI355X 288GB HBM3e", "mi355x", None),
    ],
)
def test_unseen_spellings(raw: str, wanted: str, watts: float | None) -> None:
    match = facts.identify_accelerator(raw)
    assert match.accelerator_id == wanted
    assert match.power_limit_w == watts


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("NVIDIA H20", "no known accelerator"),
        ("Gaudi2 PCIe", "no known variant of gaudi2"),
        ("A100-SXM4-48GB", "no known variant of a100"),
        ("H100-SXM5-80GB and A100-SXM4-80GB", "several products: a100, h100"),
        ("", "not stated"),
        ("???", "no known accelerator"),
    ],
)
def test_what_cannot_be_identified_says_why(raw: str, reason: str) -> None:
    match = facts.identify_accelerator(raw)
    assert match.accelerator_id is None
    assert not match.ambiguous
    assert not match.no_accelerator
    assert reason in match.reason


def test_the_system_file_decides_between_variants() -> None:
    by_memory = facts.identify_accelerator("NVIDIA Hopper GPU (GH200)", memory="96 GB")
    assert by_memory.accelerator_id == "gh200-96gb"
    in_mib = facts.identify_accelerator("NVIDIA H100 SXM", memory="95830 MiB")
    assert in_mib.accelerator_id == "h100-sxm5-96gb"
    by_name = facts.identify_accelerator("NVIDIA A100", system_name="2xXE8545x4A100-SXM-40GB")
    assert by_name.accelerator_id == "a100-sxm4-40gb"
    blank = facts.identify_accelerator(None, system_name="MI355X_EPYC_9575F_primus")
    assert blank.accelerator_id == "mi355x"
    assert facts.identify_accelerator(None, system_name="node-a").accelerator_id is None
    # A wrong memory field never overrides what the spelling says.
    firm = facts.identify_accelerator("NVIDIA H200 NVL 141GB", memory="96000 MiB")
    assert firm.accelerator_id == "h200-nvl-141gb"
    # A hint that fits nothing changes nothing.
    odd = facts.identify_accelerator("NVIDIA A100", memory="TODO", system_name="NF5488")
    assert len(odd.candidates) == 4


def test_absent_accelerators() -> None:
    for raw in ("N/A", "n/a", "NA", "none", "-"):
        match = facts.identify_accelerator(raw, system_name="8xH100-SXM-80GB")
        assert match.no_accelerator
        assert match.accelerator_id is None


@given(st.text(max_size=60), st.text(max_size=30), st.text(max_size=20))
def test_any_text_is_answered(raw: str, system_name: str, memory: str) -> None:
    match = facts.identify_accelerator(raw, system_name=system_name, memory=memory)
    assert match.reason
    if match.accelerator_id is not None:
        assert facts.accelerator(match.accelerator_id).id == match.accelerator_id


@given(st.sampled_from([a for a in facts.aliases() if a.accelerator_id]), st.data())
def test_case_and_blanks_do_not_matter(alias: facts.Alias, data: st.DataObject) -> None:
    upper = data.draw(st.booleans())
    raw = (alias.raw.upper() if upper else alias.raw.lower()).replace(" ", "  ")
    assert facts.identify_accelerator(f" {raw} ").accelerator_id == alias.accelerator_id


def test_groups_for_selection() -> None:
    assert facts.accelerators_matching("google") == facts.accelerators_matching("TPU")
    assert len(facts.accelerators_matching("Hopper")) == 6
    assert facts.accelerators_matching("a100-pcie") == ("a100-pcie-40gb", "a100-pcie-80gb")
    assert facts.accelerators_matching("NVIDIA A100-SXM-80GB CTS") == ("a100-sxm4-80gb",)
