"""Looking facts up: names, ranges, blocks, and errors with the nearest choices."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise import facts
from equipoise.errors import DataError, UnknownNameError, UsageError
from equipoise.facts.tables import read_rows


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("resnet", "resnet"),
        ("ResNet-50 v1.5", "resnet"),
        ("RESNET50", "resnet"),
        ("BERT", "bert"),
        ("llama2-70b-lora", "llama2_70b_lora"),
        ("Llama 2 70B LoRA", "llama2_70b_lora"),
        ("gnn", "rgat"),
        ("R-GAT", "rgat"),
        ("mask", "maskrcnn"),
        ("3D U-Net", "unet3d"),
        ("dlrm", "dlrm"),
        ("DLRM-DCNv2", "dlrm_dcnv2"),
        ("sdv2", "stable_diffusion"),
        ("FLUX.1", "flux1"),
        ("ssd", "ssd"),
    ],
)
def test_benchmark_by_any_name(name: str, wanted: str) -> None:
    assert facts.benchmark(name).id == wanted


def test_misspelt_names_get_the_nearest_choices() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'resnet'"):
        facts.benchmark("resnt")
    with pytest.raises(UnknownNameError, match="did you mean 'h100-sxm5-80gb'"):
        facts.accelerator("h100-sxm-80gb")
    with pytest.raises(UnknownNameError, match="did you mean"):
        facts.accelerators_matching("mi300z")
    with pytest.raises(UsageError, match="processors alone"):
        facts.accelerators_matching("CPU")
    with pytest.raises(UnknownNameError, match=r"choices: v0\.5"):
        facts.round_named("v9.9")
    with pytest.raises(UnknownNameError):
        facts.quality_rule("v4.1", "closed", "no such benchmark")


@pytest.mark.parametrize(
    ("benchmark", "round_name", "drop"),
    [("unet3d", "v4.0", 4), ("unet3d", "v4.1", 4), ("resnet", "v4.1", 1), ("new", "v4.0", 1)],
)
def test_drop_rule_holds_also_outside_a_benchmarks_rounds(
    benchmark: str, round_name: str, drop: int
) -> None:
    assert facts.dropped_each_end(benchmark, round_name) == drop


def test_ranges_of_rounds() -> None:
    assert facts.expand_rounds(["v0.6..v1.0"]) == ("v0.6", "v0.7", "v1.0")
    assert facts.expand_rounds(["5.1", "v5.0"]) == ("v5.0", "v5.1")
    assert facts.expand_rounds(["v4.1", "V4.1", "v4.0..v4.1"]) == ("v4.0", "v4.1")
    assert facts.expand_rounds([]) == ()
    with pytest.raises(UsageError, match="backwards"):
        facts.expand_rounds(["v4.1..v4.0"])
    with pytest.raises(UnknownNameError):
        facts.expand_rounds(["v4.1.."])


@given(st.integers(0, 13), st.integers(0, 13))
def test_a_range_holds_its_ends_and_what_lies_between(first: int, last: int) -> None:
    names = [entry.name for entry in facts.rounds()]
    low, high = sorted((first, last))
    found = facts.expand_rounds([f"{names[low]}..{names[high]}"])
    assert found == tuple(names[low : high + 1])


@pytest.mark.parametrize(
    ("benchmark", "blocks"),
    [
        ("resnet", ["v0.5", "v0.6..v4.0"]),
        ("ssd", ["v0.5", "v0.6..v1.1"]),
        ("retinanet", ["v2.0..v5.1"]),
        ("maskrcnn", ["v0.5", "v0.6..v3.1"]),
        ("bert", ["v0.7", "v1.0..v5.0"]),
        ("dlrm", ["v0.7..v2.1"]),
        ("dlrm_dcnv2", ["v3.0..v6.0"]),
        ("rnnt", ["v1.0", "v1.1..v3.1"]),
        ("unet3d", ["v1.0..v4.0"]),
        ("gpt3", ["v3.0..v4.1"]),
        ("stable_diffusion", ["v3.1..v5.0"]),
        ("rgat", ["v4.0..v5.1"]),
        ("gnmt", ["v0.5", "v0.6..v0.7"]),
        ("transformer", ["v0.5", "v0.6..v0.7"]),
        ("minigo", ["v0.5..v0.6", "v0.7..v2.1"]),
    ],
)
def test_blocks_of_compatible_rounds(benchmark: str, blocks: list[str]) -> None:
    assert [block.name for block in facts.benchmark(benchmark).blocks] == blocks


def test_the_default_block_has_most_rounds() -> None:
    assert facts.default_block("resnet").name == "v0.6..v4.0"
    assert facts.default_block("minigo").name == "v0.7..v2.1"
    assert facts.default_block("transformer").name == "v0.6..v0.7"
    assert facts.default_block("ncf").name == "v0.5"


def test_one_folder_name_two_benchmarks() -> None:
    wanted = {"v0.5": "ssd", "v1.1": "ssd", "v2.0": "retinanet", "v4.1": "retinanet"}
    for name, benchmark in wanted.items():
        found = facts.benchmark_of_folder(name, "ssd")
        assert found is not None
        assert found.id == benchmark
    assert facts.benchmark_of_folder("v5.0", "ssd") is None
    assert facts.benchmark_of_folder("v4.1", "resnet") is None
    assert facts.benchmark_of_folder("v0.6", "mask") == facts.benchmark("maskrcnn")
    assert facts.benchmark_of_folder("v4.0", "gnn") == facts.benchmark("rgat")
    assert facts.benchmark_of_folder("v4.0", "nonsense") is None


def test_blocks_outside_the_rounds_of_a_benchmark_are_none() -> None:
    assert facts.block_of("resnet", "v4.1") is None
    block = facts.block_of("resnet", "v4.0")
    assert block is not None
    with pytest.raises(UnknownNameError):
        block.progress_unit("v4.1")


def test_samples_trained_follows_the_unit_of_the_round() -> None:
    def samples(
        benchmark: str, name: str, progress: float, *, batch: float | None = None
    ) -> float | None:
        block = facts.block_of(benchmark, name)
        assert block is not None
        return block.samples_trained(progress, name, global_batch_size=batch)

    assert samples("unet3d", "v3.0", 2200) == 2200 * 168
    assert samples("unet3d", "v3.1", 369600) == 369600
    assert samples("stable_diffusion", "v3.1", 1000, batch=1024) == 1024000
    assert samples("stable_diffusion", "v3.1", 1000) is None
    assert samples("stable_diffusion", "v4.0", 3072000) == 3072000
    assert samples("gpt3", "v4.0", 1207959552) == 589824
    # Logged by HugeCTR in v2.0 together with train_samples 3775334400.
    assert samples("dlrm", "v2.0", 1.899905) == pytest.approx(3775334400, rel=1e-4)
    assert samples("dlrm", "v0.7", 17) is None
    assert samples("bert", "v0.7", 1) is None
    assert samples("minigo", "v2.0", 43) is None
    assert samples("llama2_70b_lora", "v5.1", 3072) == 3072


def test_peaks_by_precision() -> None:
    entry = facts.accelerator("b200-sxm-180gb")
    assert entry.peak_tflops("nvfp4") == entry.peak_fp4_tflops == 9000
    assert facts.accelerator("v100-sxm2-16gb").peak_tflops("bf16") is None
    assert facts.accelerator("tpu-v4").peak_tflops("bfloat16") == 275
    assert facts.accelerator("gaudi").peak_16bit_tflops is None
    assert entry.peak_tflops("int8") is None


def test_a_ragged_or_wrong_table_names_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "facts.csv"
    path.write_text("a,b\n1,2\n1,2,3\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"facts\.csv:3: 3 cells where the header has 2"):
        list(read_rows(path))
    path.write_text("a,b\nx,\n1.5,maybe\n", encoding="utf-8")
    first, second = read_rows(path)
    assert first.optional("b") is None
    for call in (
        lambda: first.text("b"),
        lambda: first.number("a"),
        lambda: first.text("c"),
        lambda: second.count("a"),
        lambda: second.flag("b"),
    ):
        with pytest.raises(DataError, match=r"facts\.csv:[23]: column"):
            call()


def test_importing_the_facts_reads_no_table() -> None:
    code = (
        "import equipoise.facts as f\n"
        "from equipoise.facts.tables import table\n"
        "import sys\n"
        "assert table.cache_info().currsize == 0\n"
        "assert not {'numpy', 'polars', 'duckdb'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
