"""Free text of published system descriptions, read with raw text and confidence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.metrics import parse, parse_links

# spellings that occur in published system descriptions of v0.6-v5.1
NETWORKS = [
    ("Storage: 2x ConnectX-6 IB HDR 200Gb/sec, Management: 1x ConnectX-6 Ethernet 100Gb/Sec, "
     "Compute: 8x ConnectX-6 IB HDR 200Gb/Sec", "InfiniBand", 1600.0, "high"),
    ("Management: 1 x 25 Gb / Sec Ethernet, Compute: 1 x ConnectX - 6 IB HDR100 100 Gb / Sec",
     "InfiniBand", 100.0, "high"),
    ("8x ConnectX-7 IB NDR 400Gb/s + 200Gb/s Ethernet NIC", "InfiniBand", 3200.0, "high"),
    ("1x Ethernet 40Gb/Sec, 8x ConnectX-6 IB HDR 200Gb/Sec", "InfiniBand", 1600.0, "high"),
    ("2x Mellanox ConnectX-5 Ex 100Gb/s Ethernet", "Ethernet", 200.0, "high"),
    ("Management: 1x Ethernet 10GB/Sec", "Ethernet", 10.0, "low"),
    ("1x Cornelis Networks Omni-Path HFI Adapter 100 Series 100Gb/Sec", "Omni-Path", 100.0, "high"),
    ("Mellanox ConnectX-6", None, 200.0, "low"),
    ("ROCE2; Data bandwidth for GPU-PCIe: 504 GB/s; PCIe-NIC: 500 GB/s", "RoCE", None, None),
    ("Gig Ethernet", "Ethernet", 1.0, "low"),
    ("BCM57414 NetXtreme-E 10Gb/25Gb RDMA Ethernet Controller", "Ethernet", 25.0, "low"),
    ("Ethernet, Infiniband", "InfiniBand", None, None),
    ("N/A", None, None, None),
    ("", None, None, None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "rate", "confidence"), NETWORKS)
def test_network(text: str, kind: str | None, rate: float | None, confidence: str | None) -> None:
    assert parse_links.network_kind(text).value == kind
    found = parse_links.network_gbit_s(text)
    assert (found.value, found.confidence, found.raw) == (rate, confidence, text)


LINKS = [
    ("NVLINK Gen4 900 GB/s + NVSWITCH Gen3", "NVLink", 4.0, 900.0),
    ("NVLINK 3.0, NVSWITCH 2.0 600GB/s", "NVLink", 3.0, 600.0),
    ("18x 5th Gen NVLink, 14.4 TB/s aggregated bandwidth", "NVLink", 5.0, None),
    ("NVLINK2.0 300GB/s", "NVLink", 2.0, 300.0),
    ("NVLink 600 GB/s", "NVLink", None, 600.0),
    ("12xNVLink 25GB/s + 6xNVSwitch", "NVLink", None, None),
    ("PCIe, Gen5", "PCIe", 5.0, None),
    ("24x 100Gb/s Ethernet", "Ethernet", None, 300.0),
    ("XGMI", "Infinity Fabric", None, None),
    ("IPULINK", "IPU-Link", None, None),
    ("custom", None, None, None),
    ("TODO", None, None, None),
]


@pytest.mark.parametrize(("text", "kind", "generation", "rate"), LINKS)
def test_link(text: str, kind: str | None, generation: float | None, rate: float | None) -> None:
    assert parse_links.link_kind(text).value == kind
    assert parse_links.link_generation(text).value == generation
    assert parse_links.link_gb_s(text).value == rate


@pytest.mark.parametrize(
    ("text", "generation"),
    [("PCIe 4.0x16", 4.0), ("4x PCIe 4.0 x16", 4.0), ("PCIe Gen5 Switch", 5.0), ("PCIe 4", 4.0),
     ("2x PCIe Gen 4", 4.0), ("PCIe", None), ("Infiniband NDR", None), (None, None)],
)  # fmt: skip
def test_host_link(text: str | None, generation: float | None) -> None:
    assert parse_links.host_link_generation(text).value == generation


# generations by ark.intel.com and the product pages of amd.com
PROCESSORS = [
    ("AMD EPYC 7742", "AMD", "Rome", 2019.0),
    ("AMD EYPC 7513", "AMD", "Milan", 2021.0),
    ("AMD EPYC 7V13 64-Core Processor", "AMD", "Milan", 2021.0),
    ("AMD EPYC 9654 96-Core Processor", "AMD", "Genoa", 2022.0),
    ("AMD EPYC 9754 128-Core Processor", "AMD", "Bergamo", 2023.0),
    ("AMD EPYC 9575F", "AMD", "Turin", 2024.0),
    ("AMD Rome", "AMD", "Rome", 2019.0),
    ("Intel(R) Xeon(R) Platinum 8174 CPU @ 3.1GHz", "Intel", "Skylake", 2017.0),
    ("Intel(R) Xeon(R) Gold 6248R CPU @ 3.00GHz", "Intel", "Cascade Lake", 2019.0),
    ("Intel(R) Xeon(R) Platinum 8376H CPU @ 2.60GHz", "Intel", "Cooper Lake", 2020.0),
    ("Intel(R) Xeon (R) Platinum 8352V", "Intel", "Ice Lake", 2021.0),
    ("Intel(R)Xeon(R)Platinum 8490H", "Intel", "Sapphire Rapids", 2023.0),
    ("INTEL(R) XEON(R) PLATINUM 8592+", "Intel", "Emerald Rapids", 2023.0),
    ("Intel(R) Xeon(R) 6960P", "Intel", "Granite Rapids", 2024.0),
    ("Intel(R) Xeon(R) CPU E5-2698 v4 @ 2.20GHz", "Intel", "Broadwell", 2016.0),
    ("Intel(R) Xeon(R) CPU @ 2.20GHz", "Intel", None, None),
    ("Neoverse-V2", "NVIDIA", "Grace", 2023.0),
    ("Kunpeng 920", "Huawei", "Kunpeng 920", 2019.0),
    ("CPUName", None, None, None),
    (None, None, None, None),
]


@pytest.mark.parametrize(("text", "vendor", "generation", "year"), PROCESSORS)
def test_processor(
    text: str | None, vendor: str | None, generation: str | None, year: float | None
) -> None:
    assert parse.processor_vendor(text).value == vendor
    assert parse.processor_generation(text).value == generation
    assert parse.processor_year(text).value == year


@pytest.mark.parametrize(
    ("text", "name", "release"),
    [
        ("MxNet NVIDIA Release 22.04", "MXNet", 2022.25),
        ("NGC MXNet 22.09 , NGC PyTorch 22.09 , NGC TensorFlow 22.09-tf1", None, 2022 + 8 / 12),
        ("PyTorch NVIDIA Release 22.09 or 22.04", "PyTorch", None),
        ("TensorFlow 1.14 commit hash = faf9db515c4bf550daacc", "TensorFlow", None),
        ("merlin_hugectr NVIDIA Release 21.09", "HugeCTR", 2021 + 8 / 12),
        ("PyTorch 2.8.0.dev20251001+rocm7.0.0.git64359f59, ROCm 7.0.0", "PyTorch", None),
        ("research-tf", "TensorFlow", None),
        ("", None, None),
    ],
)  # fmt: skip
def test_software(text: str, name: str | None, release: float | None) -> None:
    assert parse.framework(text).value == name
    found = parse.software_release(text).value
    assert found == (None if release is None else pytest.approx(release))


@pytest.mark.parametrize(
    ("text", "name"),
    [("bfloat16", "bf16"), ("FP8", "fp8"), ("nvfp4", "fp4"), ("float16", "fp16"), ("??", None)],
)
def test_precision(text: str, name: str | None) -> None:
    assert parse.precision(text).value == name


READERS = (
    parse_links.network_kind, parse_links.network_gbit_s, parse_links.link_kind,
    parse_links.link_generation, parse_links.link_gb_s, parse_links.host_link_generation,
    parse.processor_vendor, parse.processor_generation, parse.processor_year, parse.framework,
    parse.software_release, parse.precision,
)  # fmt: skip
PIECES = st.sampled_from(
    ["2x", "8 x ", "ConnectX-7 ", "IB ", "NVLink ", "Gen5 ", "400Gb/s ", "900 GB/s", "PCIe 5.0",
     "+", ", ", "Compute: ", "EPYC 9", "Xeon 8", "480", "@ ", "(R)", "Release 2", "5.04"]
)  # fmt: skip


@given(st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=10).map("".join)))
def test_any_text_gives_a_value_with_confidence_or_nothing(text: str) -> None:
    for reader in READERS:
        found = reader(text)
        assert (found.value is None) == (found.confidence is None)
        assert found.raw == text
        if isinstance(found.value, float):
            assert found.value > 0
