"""Reading of raw accelerator spellings: known aliases first, then the parts of the name.

A spelling gives an id only if it settles the form factor and the memory: two spellings
never share an id unless both are the same. A power limit is a separate field.
"""

import re
from collections.abc import Iterable
from functools import cache, lru_cache

from equipoise.facts.accelerators import Accelerator, Alias, accelerators, aliases
from equipoise.facts.names import tpu_generation
from equipoise.facts.tables import table
from equipoise.structs import dataclass
from equipoise.units import BYTES_PER_GIB, BYTES_PER_MIB

NO_ACCELERATOR = ("n/a", "na", "none", "no accelerator", "no accelerators", "-", "0", "cpu")
"""Spellings that say that a system has no accelerator."""

MEMORY_TOLERANCE = 0.07
"""Physical and exposed memory differ by up to this share (192 GB and 180 GB of a B200)."""

_MARKS = re.compile(r"\((?:r|tm|c)\)|[®™©]", re.IGNORECASE)
_SEPARATORS = re.compile(r"[\s\-_/,;:()\[\]+]+")
_MEMORY = re.compile(r"(?<![a-z0-9.])(\d+(?:\.\d+)?) ?(g|gb|gib|m|mb|mib)(?![a-z0-9])")
_WATTS = re.compile(r"(?<![a-z0-9.])(\d{2,4}) ?w(?:atts?)?(?![a-z0-9])")
_FORMS = re.compile(r"(?<![a-z])(sxm\d?|pcie?|nvl|oam|hgx|dgx)(?![a-z0-9])")
_MEMORY_TYPES = re.compile(r"(?<![a-z])(hbm\de?|gddr\dx?)(?![a-z0-9])")


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceleratorMatch:
    """What a raw spelling says about the accelerator."""

    accelerator_id: str | None
    power_limit_w: float | None
    ambiguous: bool
    """True if it names a product but leaves several variants."""
    reason: str
    candidates: tuple[str, ...] = ()
    """The ids it could be."""
    no_accelerator: bool = False
    """True if it says that the system has none."""


def identify_accelerator(
    raw: str | None, *, system_name: str | None = None, memory: str | None = None
) -> AcceleratorMatch:
    """Return which accelerator a raw spelling means, or why that cannot be said.

    The system name and the memory field of the system file are used only where the
    spelling alone leaves several variants.

    >>> identify_accelerator("NVIDIA A100-SXM-80GB (400W)").accelerator_id
    'a100-sxm4-80gb'
    >>> identify_accelerator("NVIDIA A100").reason
    'the name leaves a100-sxm4-40gb, a100-sxm4-80gb, a100-pcie-40gb, a100-pcie-80gb'
    """
    text = (raw or "").strip()
    if text.lower() in NO_ACCELERATOR:
        return AcceleratorMatch(
            accelerator_id=None,
            power_limit_w=None,
            ambiguous=False,
            reason="no accelerator",
            no_accelerator=True,
        )
    known = known_spelling(text) if text else None
    if known is not None and known.accelerator_id is not None:
        return AcceleratorMatch(
            accelerator_id=known.accelerator_id,
            power_limit_w=known.power_limit_w,
            ambiguous=False,
            reason=known.reason or "known spelling",
            candidates=(known.accelerator_id,),
        )
    if not text:
        return _from_system_name(system_name, memory)
    return _from_parts(text, system_name, memory)


def known_spelling(raw: str) -> Alias | None:
    """Return the alias of a published spelling; case and repeated blanks do not matter."""
    return _aliases().get(_key(raw))


@lru_cache(maxsize=4096)
def candidates_of(text: str) -> tuple[str, ...]:
    """Return the ids of the accelerators that the parts of a name leave possible.

    >>> candidates_of("HGX H100 80GB")
    ('h100-sxm5-80gb',)
    """
    plain = _plain(text)
    products = _products(plain)
    left = _with_form(products, plain)
    left = _with_memory(left, _memory_gb(plain))
    return tuple(entry.id for entry in _with_memory_type(left, plain))


def _from_parts(text: str, system_name: str | None, memory: str | None) -> AcceleratorMatch:
    plain = _plain(text)
    watts = _power_limit(plain)
    left = candidates_of(text)
    if not left:
        return _unsettled(watts, _why_nothing(plain), ())
    if len(left) == 1:
        return _settled(left[0], watts, "read from its parts")
    return _narrowed(left, watts, system_name, memory)


def _why_nothing(plain: str) -> str:
    families = sorted({entry.family for entry in _mentioned(plain)})
    if len(families) > 1:
        return f"it names several products: {', '.join(families)}"
    if families:
        return f"no known variant of {families[0]} has this form factor and memory"
    return "no known accelerator has this name"


def _narrowed(
    left: tuple[str, ...], watts: float | None, system_name: str | None, memory: str | None
) -> AcceleratorMatch:
    """Let the system name, then the memory field, choose between several variants."""
    by_name = _common(left, candidates_of(system_name or ""))
    if not by_name:
        by_name = _common(left, _tpu_ids(system_name))
    if len(by_name) == 1:
        return _settled(by_name[0], watts, f"the system name {system_name!r} decides")
    kept = by_name or left
    size = _memory_gb(_plain(memory or ""))
    by_memory = tuple(e.id for e in _with_memory([_entry(i) for i in kept], size))
    if len(by_memory) == 1:
        return _settled(by_memory[0], watts, f"the memory field {memory!r} decides")
    kept = by_memory or kept
    return _unsettled(watts, f"the name leaves {', '.join(kept)}", kept)


def _from_system_name(system_name: str | None, memory: str | None) -> AcceleratorMatch:
    if not system_name:
        return _unsettled(None, "the accelerator is not stated", ())
    left = candidates_of(system_name) or _tpu_ids(system_name)
    if not left:
        return _unsettled(None, "neither the accelerator field nor the system name says it", ())
    if len(left) == 1:
        return _settled(left[0], None, f"not stated; read from the system name {system_name!r}")
    return _narrowed(left, None, None, memory)


def _settled(accelerator_id: str, watts: float | None, reason: str) -> AcceleratorMatch:
    return AcceleratorMatch(
        accelerator_id=accelerator_id,
        power_limit_w=watts,
        ambiguous=False,
        reason=reason,
        candidates=(accelerator_id,),
    )


def _unsettled(watts: float | None, reason: str, left: tuple[str, ...]) -> AcceleratorMatch:
    return AcceleratorMatch(
        accelerator_id=None,
        power_limit_w=watts,
        ambiguous=len(left) > 1,
        reason=reason,
        candidates=left,
    )


def _products(plain: str) -> list[Accelerator]:
    """Return every variant of the one product a name mentions; none if it mentions two."""
    found = _mentioned(plain)
    return found if len({entry.family for entry in found}) == 1 else []


def _mentioned(plain: str) -> list[Accelerator]:
    """Return every variant of the products a name mentions; the longest word wins."""
    spans: list[tuple[int, int, Accelerator]] = []
    for entry, pattern in _patterns():
        spans.extend((m.start(), m.end(), entry) for m in pattern.finditer(plain))
    found = [
        entry
        for start, end, entry in spans
        if not any(s <= start and end <= e and e - s > end - start for s, e, _ in spans)
    ]
    if not found and re.search(r"(?<![a-z])tpu(?![a-z])", plain):
        found = [entry for entry in accelerators() if entry.family == "tpu"]
    return [entry for entry in accelerators() if entry in found]


def _with_form(entries: list[Accelerator], plain: str) -> list[Accelerator]:
    forms = _FORMS.findall(plain)
    stated = [form for form in forms if form not in ("hgx", "dgx")]
    if stated:
        # An NVL card is a PCIe card; where both are named the narrower word counts.
        wanted = "nvl" if "nvl" in stated else "pcie" if stated[0] == "pci" else stated[0]
        return [e for e in entries if e.form_factor.startswith(wanted)]
    # HGX and DGX boards carry SXM modules where the product has them.
    on_board = [e for e in entries if e.form_factor.startswith("sxm")] if forms else []
    return on_board or entries


def _with_memory(entries: list[Accelerator], size_gb: float | None) -> list[Accelerator]:
    if size_gb is None:
        return entries
    exact = [e for e in entries if e.memory_gb == size_gb]
    if exact:
        return exact
    limit = MEMORY_TOLERANCE * size_gb
    return [e for e in entries if e.memory_gb is not None and abs(e.memory_gb - size_gb) <= limit]


def _with_memory_type(entries: list[Accelerator], plain: str) -> list[Accelerator]:
    """Keep the variants with the memory type a name states, if that leaves any."""
    types = _MEMORY_TYPES.findall(plain)
    if not types or len(entries) < 2:
        return entries
    return [e for e in entries if (e.memory_type or "").lower() == types[0]] or entries


def _memory_gb(plain: str) -> float | None:
    found = _MEMORY.search(plain)
    if found is None:
        return None
    size = float(found[1])
    return size * BYTES_PER_MIB / BYTES_PER_GIB if found[2].startswith("m") else size


def _power_limit(plain: str) -> float | None:
    found = _WATTS.search(plain)
    if found is not None:
        return float(found[1])
    for row in table("power_words"):
        word, family = row.text("word"), row.text("family")
        if family in plain and re.search(rf"(?<![a-z0-9]){word}(?![a-z0-9])", plain):
            return row.number("power_limit_w")
    return None


def _tpu_ids(system_name: str | None) -> tuple[str, ...]:
    generation = tpu_generation(system_name or "")
    return tuple(e.id for e in accelerators() if e.id == f"tpu-{generation}")


def _common(left: Iterable[str], right: Iterable[str]) -> tuple[str, ...]:
    wanted = set(right)
    return tuple(name for name in left if name in wanted)


def _plain(text: str) -> str:
    return _SEPARATORS.sub(" ", _MARKS.sub("", text)).strip().lower()


def _key(text: str) -> str:
    return " ".join(text.lower().split())


@cache
def _aliases() -> dict[str, Alias]:
    return {_key(alias.raw): alias for alias in aliases()}


@cache
def _entries() -> dict[str, Accelerator]:
    return {entry.id: entry for entry in accelerators()}


def _entry(accelerator_id: str) -> Accelerator:
    return _entries()[accelerator_id]


@cache
def _patterns() -> tuple[tuple[Accelerator, re.Pattern[str]], ...]:
    """Return a pattern for every word that names a product; counts may stick to its front."""
    patterns = []
    for entry in accelerators():
        for token in entry.name_tokens:
            words = r" ?".join(re.escape(word) for word in token.split())
            front = r"(?<![a-wyz0-9])" if token[0].isdigit() else r"(?<![a-wyz])"
            patterns.append((entry, re.compile(rf"{front}{words}(?![a-z0-9])")))
    return tuple(patterns)
