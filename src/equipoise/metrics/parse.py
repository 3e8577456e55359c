"""Host and software read from free text, each value with its raw text and confidence.

Confidence is `high` where the text says it, `medium` where it follows from a named model or
from one small assumption, `low` where it is the best guess; what cannot be read is None
with no confidence. Nothing is guessed from digits alone.
"""

import re
from typing import Literal

from equipoise.structs import dataclass

Confidence = Literal["high", "medium", "low"]
Value = float | str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A value, the raw text that it comes from, and how sure the reading is."""

    value: Value | None
    raw: str | None
    confidence: Confidence | None


def unread(raw: str | None = None) -> Reading:
    """Return the reading of text that says nothing usable."""
    return Reading(value=None, raw=raw, confidence=None)


def read(value: Value | None, raw: str | None, confidence: Confidence) -> Reading:
    """Return a reading, without confidence when there is no value."""
    return unread(raw) if value is None else Reading(value=value, raw=raw, confidence=confidence)


_EMPTY = {"", "-", "n/a", "na", "none", "todo", "tbd", "unknown", "cpuname", "null"}


def said(text: str | None) -> str | None:
    """Return stripped text, or None when it only fills the field.

    >>> said(" TODO ") is None
    True
    """
    if text is None:
        return None
    clean = " ".join(text.split())
    return None if clean.lower() in _EMPTY else clean


# ---- host processor ----------------------------------------------------------------------------

GENERATIONS = {
    "Naples": ("AMD", 2017),
    "Rome": ("AMD", 2019),
    "Milan": ("AMD", 2021),
    "Genoa": ("AMD", 2022),
    "Bergamo": ("AMD", 2023),
    "Turin": ("AMD", 2024),
    "Broadwell": ("Intel", 2016),
    "Skylake": ("Intel", 2017),
    "Cascade Lake": ("Intel", 2019),
    "Cooper Lake": ("Intel", 2020),
    "Ice Lake": ("Intel", 2021),
    "Sapphire Rapids": ("Intel", 2023),
    "Emerald Rapids": ("Intel", 2023),
    "Granite Rapids": ("Intel", 2024),
    "Grace": ("NVIDIA", 2023),
    "Kunpeng 920": ("Huawei", 2019),
}
"""Generation of server processors -> vendor and year of its launch (ark.intel.com, amd.com
product pages, nvidia.com press releases, hisilicon.com)."""

_EPYC = re.compile(
    r"\bE[PY]{2}C\s+(?P<series>[79])(?P<middle>[0-9A-Z]{2})(?P<last>\d)(?P<tail>[A-Z]*)", re.I
)
_EPYC_7 = {"1": "Naples", "2": "Rome", "3": "Milan"}
_EPYC_9 = {"4": "Genoa", "5": "Turin"}
_XEON = re.compile(
    r"\b(?P<class>[3-9])(?P<generation>\d)(?P<rest>\d\d)(?P<tail>[A-Z]{0,2})\b\+?", re.I
)
_XEON_GENERATION = {
    "1": "Skylake",
    "2": "Cascade Lake",
    "3": "Ice Lake",
    "4": "Sapphire Rapids",
    "5": "Emerald Rapids",
}
_XEON_6 = re.compile(r"\b6[79]\d\dP\b", re.I)
_XEON_V4 = re.compile(r"\bE[57]-\d{4}\s*v4\b", re.I)
_VENDORS = (
    ("AMD", re.compile(r"\bAMD\b|\bE[PY]{2}C\b", re.I)),
    ("Intel", re.compile(r"\bintel\b|\bxeon\b", re.I)),
    ("NVIDIA", re.compile(r"neoverse-?\s?v2|\bgrace\b", re.I)),
    ("Huawei", re.compile(r"kunpeng", re.I)),
)


def processor_vendor(text: str | None) -> Reading:
    """Return the vendor of the host processor.

    >>> processor_vendor("Intel(R) Xeon(R) Platinum 8480C").value
    'Intel'
    """
    clean = said(text)
    found = [name for name, pattern in _VENDORS if clean and pattern.search(_plain(clean))]
    if len(found) != 1:
        return unread(text)
    return read(found[0], text, "medium" if found == ["NVIDIA"] else "high")


def processor_generation(text: str | None) -> Reading:
    """Return the generation (code name) of the host processor from its model number.

    Two different processors in one description stay unread.

    >>> processor_generation("AMD EPYC 7742").value
    'Rome'
    >>> processor_generation("Intel(R) Xeon(R) Platinum 8380H CPU @ 2.90GHz").value
    'Cooper Lake'
    """
    clean = said(text)
    if clean is None:
        return unread(text)
    plain = _plain(clean)
    named = [name for name in GENERATIONS if re.search(rf"\b{name}\b", plain, re.I)]
    if len(named) == 1:
        return read(named[0], text, "high")
    epyc = {_epyc_generation(m) for m in _EPYC.finditer(plain)}
    if epyc:
        return read(epyc.pop() if len(epyc) == 1 else None, text, "medium")
    vendor = processor_vendor(clean).value
    if vendor == "NVIDIA":
        return read("Grace", text, "medium")
    return read(_xeon_generation(plain) if vendor == "Intel" else None, text, "medium")


def processor_year(text: str | None) -> Reading:
    """Return the year in which the generation of the host processor was launched.

    >>> processor_year("AMD EPYC 9654 96-Core Processor").value
    2022.0
    """
    generation = processor_generation(text)
    if not isinstance(generation.value, str) or generation.confidence is None:
        return unread(text)
    return read(float(GENERATIONS[generation.value][1]), text, generation.confidence)


def _plain(text: str) -> str:
    return " ".join(re.sub(r"\((?:R|TM)\)|®|™|\bCPU\b|@.*$", " ", text, flags=re.I).split())


def _epyc_generation(match: re.Match[str]) -> str | None:
    if match["series"] == "7":
        return _EPYC_7.get(match["last"])
    if match["last"] == "4" and match["middle"].startswith("7"):
        return "Bergamo"
    return _EPYC_9.get(match["last"])


def _xeon_generation(text: str) -> str | None:
    if _XEON_V4.search(text):
        return "Broadwell"
    if _XEON_6.search(text):
        return "Granite Rapids"
    found = _XEON.search(text)
    if found is None:
        return None
    if found["generation"] == "3" and found["tail"].upper().startswith("H"):
        return "Cooper Lake"  # third generation for four sockets and more
    return _XEON_GENERATION.get(found["generation"])


# ---- software ------------------------------------------------------------------------------------

_FRAMEWORKS = (
    ("MXNet", re.compile(r"mxnet", re.I)),
    ("PyTorch", re.compile(r"pytorch", re.I)),
    ("TensorFlow", re.compile(r"tensorflow|tenorflow|\btf(?:\b|[\d-])", re.I)),
    ("JAX", re.compile(r"\bjax\b|maxtext|maxdiffusion|\bpax\b", re.I)),
    ("NeMo", re.compile(r"\bnemo\b", re.I)),
    ("HugeCTR", re.compile(r"hugectr", re.I)),
    ("DGL", re.compile(r"\bdgl\b", re.I)),
    ("PopART", re.compile(r"popart", re.I)),
    ("PaddlePaddle", re.compile(r"paddle", re.I)),
    ("MindSpore", re.compile(r"mindspore", re.I)),
    ("tinygrad", re.compile(r"tinygrad", re.I)),
    ("LLMBoost", re.compile(r"llmboost", re.I)),
)
_RELEASE = re.compile(r"(?<![\d.])(?P<year>[12]\d)\.(?P<month>0[1-9]|1[0-2])(?!\d|\.\d)")
_PRECISIONS = (
    ("fp4", re.compile(r"fp4", re.I)),
    ("fp8", re.compile(r"fp8|e4m3|e5m2", re.I)),
    ("bf16", re.compile(r"bf16|bfloat16", re.I)),
    ("fp16", re.compile(r"fp16|float16|\bhalf\b", re.I)),
    ("tf32", re.compile(r"tf32|tensorfloat", re.I)),
    ("fp32", re.compile(r"fp32|float32", re.I)),
)


def framework(text: str | None) -> Reading:
    """Return the framework; a list of several does not say which one was used: unread.

    >>> framework("MxNet NVIDIA Release 22.04").value
    'MXNet'
    """
    clean = said(text)
    found = [name for name, pattern in _FRAMEWORKS if clean and pattern.search(clean)]
    return read(found[0], text, "high") if len(found) == 1 else unread(text)


def software_release(text: str | None) -> Reading:
    """Return the date of a dated container release (YY.MM) in years; several: unread.

    >>> software_release("MxNet NVIDIA Release 22.04").value
    2022.25
    """
    clean = said(text)
    if clean is None or not re.search(r"nvidia|ngc|release", clean, re.I):
        return unread(text)
    dates = {(int(m["year"]), int(m["month"])) for m in _RELEASE.finditer(clean)}
    if len(dates) != 1:
        return unread(text)
    year, month = dates.pop()
    return read(CENTURY + year + (month - 1) / MONTHS, text, "high")


CENTURY = 2000
MONTHS = 12


def precision(text: str | None) -> Reading:
    """Return the lowest precision named: the one of the matrix products.

    >>> precision("bfloat16").value
    'bf16'
    """
    clean = said(text)
    found = [name for name, pattern in _PRECISIONS if clean and pattern.search(clean)]
    sure: Confidence = "high" if len(found) == 1 else "medium"
    return read(found[0] if found else None, text, sure)
