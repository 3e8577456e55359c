"""Counts hidden in system names: TPU cores and chips, racks, nodes and accelerators.

What a system file says (nodes x accelerators per node) always wins; these readings are a
cross-check and the last resort.
"""

import re

_TPU = re.compile(
    r"(?<![a-z0-9])(?:tpu)?[-_ ]?"
    r"(?:v(?P<digit>[2-9])[-_ ]?(?P<suffix>litepod|lite|e|p|x)?|(?P<word>trillium|ironwood)|7x)"
    r"(?:[-_ ](?P<count>\d+))?(?![a-z0-9.])"
)
_LITE = ("litepod", "lite", "e")
_CORES_PER_CHIP = {"v2": 2, "v3": 2, "v4": 2, "v5p": 2, "v5e": 1, "v6e": 1}
"""What the number in a name counts: cores (2 a chip) up to v5p, chips for v5e and v6e.

Source: the TPU pages of docs.cloud.google.com, and the system files of v0.6-v5.0.
"""

_MODEL = (
    r"(?:GB[23]00|GH200|B[23]00|H[12]00|A100|A[1-4]0G?|V100S?|L40S?|L4|T4|"
    r"MI\d{3}X|Gaudi\d?|IPU|RTX)"
)
_NODES_TIMES = re.compile(rf"(?:(?<=x)|(?<=[A-FH-UW-Z]))(\d{{1,2}})x(\d{{1,2}})x?{_MODEL}", re.I)
"""Nodes x accelerators inside a rack's name; a digit behind G or V is a generation (`G5x8`)."""
_TIMES = re.compile(rf"(?<!\d)(\d{{1,4}})x?{_MODEL}", re.IGNORECASE)
_LEADING = re.compile(r"^(\d{1,4})x(?=[A-Za-z0-9])")
_NODES = re.compile(r"_n(\d{1,4})(?![A-Za-z0-9])")
_NGPU = re.compile(r"(?<![A-Za-z])n?gpus?(\d+)(?!\d)", re.IGNORECASE)


def tpu_generation(system_name: str) -> str | None:
    """Return the TPU generation that a name states (`v4`, `v5e`, `v6e`), or None.

    >>> tpu_generation("tpu-v4-128-TF"), tpu_generation("cloud-tpu-trillium-256")
    ('v4', 'v6e')
    """
    found = _read_tpu(system_name)
    return None if found is None else found[0]


def tpu_chips(system_name: str) -> int | None:
    """Return the TPU chips that a system name states, or None.

    The number counts cores, two a chip, in v2, v3, v4 and v5p, and chips in v5e and v6e
    (Trillium). From v0.6 on nodes x accelerators per node counts chips and wins.

    >>> tpu_chips("tpu-v3-2048"), tpu_chips("v5litepod-8"), tpu_chips("tpu-v3")
    (1024, 8, None)
    """
    found = _read_tpu(system_name)
    if found is None or found[1] is None or found[0] not in _CORES_PER_CHIP:
        return None
    chips, rest = divmod(found[1], _CORES_PER_CHIP[found[0]])
    return chips if chips and not rest else None


def accelerators_in_name(system_name: str) -> int | None:
    """Return the accelerators that a system name claims, or None if it does not say.

    Understands `8xXE9680x8H100` (nodes x accelerators), `8xRackA18x4GB200` (racks x nodes x
    accelerators), `8xH200_n64` and `theia_ngpu64`. Prose (`8x H200` with a blank) mostly
    describes one node, and the number of a rack product (`NVL72`) is its capacity and not
    what was used: neither is read.

    >>> [accelerators_in_name(n) for n in ("8xRackA18x4GB200", "2xRackA4GB200")]
    [576, 8]
    >>> accelerators_in_name("Rack A (8x NVIDIA GB200 NVL72)") is None
    True
    """
    stated = _NGPU.search(system_name)
    if stated:
        return int(stated[1])
    groups, nodes = _LEADING.match(system_name), _NODES.search(system_name)
    inner = _NODES_TIMES.search(system_name) if groups else None
    single = inner or _TIMES.search(system_name)
    if single is None:
        return None
    count = int(inner[1]) * int(inner[2]) if inner else int(single[1])
    if groups and single.start(1) > 0:
        count *= int(groups[1])
    elif nodes:
        count *= int(nodes[1])
    return count or None


def _read_tpu(system_name: str) -> tuple[str, int | None] | None:
    """Return the generation and the number behind it; a bare `v4` needs the word TPU."""
    text = system_name.strip().lower()
    for match in _TPU.finditer(text):
        named = "tpu" in text[: match.end()] or match["word"] or match["suffix"]
        if not named and match[0] != text:
            continue
        generation = _generation(match)
        if generation is not None:
            count = match["count"]
            return generation, None if count is None else int(count)
    return None


def _generation(match: re.Match[str]) -> str | None:
    if match["word"]:
        return "v6e" if match["word"] == "trillium" else "v7x"
    digit, suffix = match["digit"], match["suffix"]
    if digit is None or digit == "7":
        return "v7x"
    if digit in "234":
        return f"v{digit}" if suffix is None else None
    if digit == "5":
        return "v5e" if suffix in _LITE else "v5p" if suffix == "p" else None
    if digit == "6":
        return "v6e" if suffix in (None, *_LITE) else None
    return None
