"""Accelerators: one variant (form factor and memory) per row, with sourced figures.

Peaks are dense (without sparsity), of one accelerator as MLPerf system files count them: a
GPU, a TPU chip, a card. A blank figure was not found in a source and is None.
"""

from functools import cache

from equipoise.errors import UnknownNameError, UsageError
from equipoise.facts.tables import table
from equipoise.structs import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Accelerator:
    """One accelerator variant: same form factor and memory, hence comparable."""

    id: str
    pretty_name: str
    vendor: str
    family: str
    """Variants of one product: `h100` for SXM5, PCIe and NVL."""
    architecture: str | None
    form_factor: str
    name_tokens: tuple[str, ...]
    """Words by which a raw spelling names this product (not yet the variant)."""
    memory_gb: float | None
    memory_type: str | None
    memory_bandwidth_gb_s: float | None
    peak_fp32_tflops: float | None
    peak_tf32_tflops: float | None
    peak_fp16_tflops: float | None
    peak_bf16_tflops: float | None
    peak_fp8_tflops: float | None
    peak_fp4_tflops: float | None
    interconnect: str | None
    """Link between accelerators inside a node or rack."""
    interconnect_gb_s: float | None
    """Both directions together, of one accelerator."""
    tdp_w: float | None
    release_year: int | None
    in_mlperf_training: bool
    """Whether it occurs in the published rounds v0.5-v5.1."""
    unit_note: str | None
    """What one accelerator is, where that is not obvious."""
    source: str
    confidence: str
    """high, medium or low; figures of low confidence are to be shown as such."""
    notes: str | None

    @property
    def peak_16bit_tflops(self) -> float | None:
        """Return the dense peak of 16-bit training: BF16, else FP16.

        >>> accelerator("v100-sxm2-16gb").peak_16bit_tflops
        125.0
        """
        return self.peak_bf16_tflops if self.peak_bf16_tflops is not None else self.peak_fp16_tflops

    def peak_tflops(self, precision: str) -> float | None:
        """Return the dense peak at a precision as logs name it, or None.

        >>> accelerator("h100-sxm5-80gb").peak_tflops("bfloat16")
        989.4
        """
        peaks = {
            "fp32": self.peak_fp32_tflops,
            "tf32": self.peak_tf32_tflops,
            "fp16": self.peak_fp16_tflops,
            "bf16": self.peak_bf16_tflops,
            "bfloat16": self.peak_bf16_tflops,
            "fp8": self.peak_fp8_tflops,
            "fp4": self.peak_fp4_tflops,
            "nvfp4": self.peak_fp4_tflops,
            "mxfp4": self.peak_fp4_tflops,
        }
        return peaks.get(precision.strip().lower())


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """One raw spelling of an accelerator in published system files."""

    raw: str
    kind: str
    """accelerator, ambiguous or none (a system without accelerators)."""
    accelerator_id: str | None
    likely_id: str | None
    """For an ambiguous spelling, what other fields of its systems suggest; never assumed."""
    power_limit_w: float | None
    reason: str | None
    rounds: tuple[str, ...]
    systems: int | None
    """System files with this spelling."""
    source: str


@cache
def accelerators() -> tuple[Accelerator, ...]:
    """Return every accelerator in the order of the fact table.

    >>> accelerators()[0].id
    'v100-sxm2-16gb'
    """
    return tuple(
        Accelerator(
            id=row.text("id"),
            pretty_name=row.text("pretty_name"),
            vendor=row.text("vendor"),
            family=row.text("family"),
            architecture=row.optional("architecture"),
            form_factor=row.text("form_factor"),
            name_tokens=row.parts("name_tokens"),
            memory_gb=row.number("memory_gb"),
            memory_type=row.optional("memory_type"),
            memory_bandwidth_gb_s=row.number("memory_bandwidth_gb_s"),
            peak_fp32_tflops=row.number("peak_fp32_tflops"),
            peak_tf32_tflops=row.number("peak_tf32_tflops"),
            peak_fp16_tflops=row.number("peak_fp16_tflops"),
            peak_bf16_tflops=row.number("peak_bf16_tflops"),
            peak_fp8_tflops=row.number("peak_fp8_tflops"),
            peak_fp4_tflops=row.number("peak_fp4_tflops"),
            interconnect=row.optional("interconnect"),
            interconnect_gb_s=row.number("interconnect_gb_s"),
            tdp_w=row.number("tdp_w"),
            release_year=row.count("release_year"),
            in_mlperf_training=row.flag("in_mlperf_training"),
            unit_note=row.optional("unit_note"),
            source=row.text("source"),
            confidence=row.text("confidence"),
            notes=row.optional("notes"),
        )
        for row in table("accelerators")
    )


@cache
def aliases() -> tuple[Alias, ...]:
    """Return every raw spelling of an accelerator found in published system files."""
    return tuple(
        Alias(
            raw=row.cells["raw"],
            kind=row.text("kind"),
            accelerator_id=row.optional("accelerator_id"),
            likely_id=row.optional("likely_id"),
            power_limit_w=row.number("power_limit_w"),
            reason=row.optional("reason"),
            rounds=row.parts("rounds"),
            systems=row.count("systems"),
            source=row.text("source"),
        )
        for row in table("aliases")
    )


def accelerator(accelerator_id: str) -> Accelerator:
    """Return an accelerator by its id; the case does not matter.

    Raises
    ------
    UnknownNameError
        No such id; the message has the nearest ones.

    >>> accelerator("h100-sxm5-80gb").memory_gb
    80.0
    """
    found = _by_id().get(accelerator_id.strip().lower())
    if found is None:
        raise UnknownNameError("accelerator", accelerator_id, _by_id())
    return found


def accelerators_matching(text: str) -> tuple[str, ...]:
    """Return the ids that an id, family, vendor, architecture or spelling stands for.

    Raises
    ------
    UnknownNameError
        The text fits no accelerator.
    UsageError
        The text says that there is none, such as `cpu`.

    >>> accelerators_matching("H200")
    ('h200-sxm5-141gb', 'h200-nvl-141gb')
    >>> accelerators_matching("H100 80GB")
    ('h100-sxm5-80gb', 'h100-pcie-80gb')
    """
    # Imported here: the reader of spellings stands on this module.
    from equipoise.facts.identify import NO_ACCELERATOR, candidates_of, known_spelling

    wanted = text.strip().lower()
    if wanted in _by_id():
        return (wanted,)
    spelling = known_spelling(text)
    if spelling is not None and spelling.accelerator_id is not None:
        return (spelling.accelerator_id,)
    for group in ("family", "vendor", "architecture"):
        members = tuple(a.id for a in accelerators() if _is(getattr(a, group), wanted))
        if members:
            return members
    if wanted in NO_ACCELERATOR:
        raise UsageError(
            f"{text.strip()!r} names no accelerator: systems with processors alone are in the "
            "catalogue with 0 accelerators, and have no speedup, prediction or advice"
        )
    members = candidates_of(text)
    if members:
        return members
    choices = {a.id for a in accelerators()} | {a.family for a in accelerators()}
    raise UnknownNameError("accelerator", text, choices | {a.vendor for a in accelerators()})


def _is(value: str | None, wanted: str) -> bool:
    return value is not None and value.lower() == wanted


@cache
def _by_id() -> dict[str, Accelerator]:
    return {entry.id: entry for entry in accelerators()}
