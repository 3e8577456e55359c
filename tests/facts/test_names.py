"""Counts in system names: TPU cores and chips, racks, nodes and accelerators."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise import facts


def test_chips_and_cores_of_the_case(shared: Path) -> None:
    case = shared / "cases/57-tpu-chips-and-cores"
    chips = json.loads((case / "expected.json").read_text("utf-8"))["chips"]
    names = (case / "input/names.txt").read_text("utf-8").split()
    assert {name: facts.tpu_chips(name) for name in names} == chips


@pytest.mark.parametrize(
    ("name", "generation", "chips"),
    [
        ("tpuv2-512", "v2", 256),
        ("tpuv3-32", "v3", 16),
        ("TPU v3-1024", "v3", 512),
        ("tpu-v4-6912-TF", "v4", 3456),
        ("research-tpu-v4-256-TF", "v4", 128),
        ("cloud-tpu-v5p-12288-maxtext", "v5p", 6144),
        ("tpu-v5litepod-16", "v5e", 16),
        ("tpu-trillium-3072", "v6e", 3072),
        ("tpu-v3", "v3", None),
        ("tpu-v3-7", "v3", None),
        ("tpu7x-8", "v7x", None),
        ("v6.0", None, None),
        ("GH200-96GB_n1_v6.0", None, None),
        ("dgxh100_n16_ngc23.04", None, None),
        ("node-v4-8", None, None),
        ("", None, None),
    ],
)
def test_tpu_names(name: str, generation: str | None, chips: int | None) -> None:
    assert facts.tpu_generation(name) == generation
    assert facts.tpu_chips(name) == chips


def test_rack_names_of_the_case(shared: Path) -> None:
    case = json.loads((shared / "cases/61-rack-names/expected.json").read_text("utf-8"))
    found = {name: facts.accelerators_in_name(name) for name in case["accelerators_total"]}
    assert found == case["accelerators_total"]


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("8xXE9680x8H100-SXM-80GB", 64),
        ("2xR750xax4A100-PCIE-80GB-2opa", 8),
        ("XE8545x4A100-SXM-80GB", 4),
        ("DSS8440x8A100-PCIE-40GB-NVBridge", 8),
        ("R5300G5x4A100-PCIE-80GB", 4),
        ("G5500V7x10xL40", 10),
        ("8xKinabalux18x4GB200", 576),
        ("6x8xH100-SXM5-80GB", 48),
        ("8xV100", 8),
        ("theia_ngpu64_ngc26.03_hugectr", 64),
        ("tinybox_8xMI350X", 8),
        ("nebius_soperator_8xH200_n128", 1024),
        ("Rack A (8x NVIDIA GB200 NVL72)", None),
        ("HPE Cray XD670 (8x H200-SXM-141GB)", None),
        ("ThinkSystem SR675 V3 Server with 4x 96GB SXM5 H100", None),
        ("64xSMC-H100-SXM-80GB", None),
        ("dgxh100_n16_ngc23.04", None),
        ("gpu-v100-8-TF2.0", None),
        ("", None),
    ],
)
def test_accelerators_in_names(name: str, count: int | None) -> None:
    assert facts.accelerators_in_name(name) == count


@given(st.text(max_size=60))
def test_any_name_is_read(name: str) -> None:
    for count in (facts.tpu_chips(name), facts.accelerators_in_name(name)):
        assert count is None or count >= 0
