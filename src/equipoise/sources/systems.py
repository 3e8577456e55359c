"""Read a system description (`systems/<system>.json`) as people really write it.

Misspelt fields and values are read with a warning, counts may be text, int or float, and
whatever cannot be read becomes a rejection with file, line and field: the system is then
kept without that fact.
"""

import re
from collections.abc import Mapping
from dataclasses import field
from difflib import get_close_matches
from typing import Any, Final

from equipoise.domain import Rejection, System
from equipoise.errors import locate, printable
from equipoise.facts import identify_accelerator
from equipoise.sources.entries import entry_fields, is_cluster, text_entry
from equipoise.sources.jsontext import NotJsonError, clean, line_of, load_loose, short
from equipoise.structs import dataclass
from equipoise.units import GIB_PER_TIB

FIELDS: Final = (
    "submitter",
    "division",
    "status",
    "system_name",
    "number_of_nodes",
    "host_processors_per_node",
    "host_processor_model_name",
    "host_processor_core_count",
    "host_processor_vcpu_count",
    "host_processor_frequency",
    "host_processor_caches",
    "host_processor_interconnect",
    "host_memory_capacity",
    "host_storage_type",
    "host_storage_capacity",
    "host_networking",
    "host_networking_topology",
    "host_memory_configuration",
    "accelerators_per_node",
    "accelerator_model_name",
    "accelerator_host_interconnect",
    "accelerator_frequency",
    "accelerator_on-chip_memories",
    "accelerator_memory_configuration",
    "accelerator_memory_capacity",
    "accelerator_interconnect",
    "accelerator_interconnect_topology",
    "cooling",
    "hw_notes",
    "sw_notes",
    "framework",
    "other_software_stack",
    "operating_system",
)
"""Field names of the schema; a key close to one that is absent is read as that one."""

DIVISIONS: Final[Mapping[str, str]] = {"closed": "closed", "close": "closed", "open": "open"}

AVAILABILITY_WORDS: Final = (
    ("preview", "preview"),
    ("research", "rdi"),
    ("rdi", "rdi"),
    ("internal", "rdi"),
    ("development", "rdi"),
    ("cloud", "cloud"),
    ("prem", "onprem"),
    ("available", "onprem"),
)
"""First word found in the status decides; plain "available" is on-premise officially."""

_NOTHING: Final = frozenset({"", "-", "n/a", "na", "none", "null"})
_WITH_UNIT: Final = re.compile(r"\s*(\d{1,9})\s*[(\[]?\s*([a-z]+)\s*[)\]]?\s*", re.IGNORECASE)
_UNITS: Final[Mapping[str, frozenset[str]]] = {
    "number_of_nodes": frozenset(
        ("node", "server", "host", "machine", "instance", "system", "vm", "box", "boxe", "blade")
    ),
    "accelerators_per_node": frozenset(
        ("accelerator", "gpu", "tpu", "hpu", "ipu", "npu", "xpu", "card", "device", "chip")
    ),
    "host_processors_per_node": frozenset(("processor", "cpu", "socket")),
}
"""What a field counts, in the singular: a count may be written with this word behind it."""

_COUNT_LIST: Final = re.compile(r"\s*\d{1,6}(\s*[,;+]\s*\d{1,6})+\s*")
_MEMORY: Final = re.compile(
    r"(?<![\d.,])(?:(\d{1,4})\s*[x*]\s*)?(\d{1,7}(?:\.\d{1,6})?)\s*(t|g|m)(?:i?b)?(?![a-z])",
    re.IGNORECASE,
)
_GIB: Final = {"t": GIB_PER_TIB, "g": 1.0, "m": 1.0 / GIB_PER_TIB}
_CLOSE: Final = 0.8


@dataclass(slots=True)
class Description:
    """Fields of one description under their right names, and what is odd about them."""

    path: str
    data: bytes
    fields: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    problems: list[tuple[int | None, str, str]] = field(default_factory=list)
    """Line, code and reason of what cannot be read."""

    def warn(self, text: str, line: int | None = None) -> None:
        """Note something that was read all the same."""
        self.warnings.append(locate(printable(text), self.path, line))

    def text(self, name: str) -> str | None:
        """Return a field as text; None where it says nothing."""
        value = self.fields.get(name)
        if value is None or isinstance(value, dict | list):
            return None
        plain = clean(str(value)).strip()
        return None if plain.lower() in _NOTHING else plain

    def count(self, name: str, *, needed: bool = False) -> int | None:
        """Return a field as a whole number of at least 0; note it where it is none."""
        value = self.fields.get(name)
        if value is None:
            if needed and self.fields:
                reason = f"{name} is missing; add it"
                self.problems.append((None, "missing-field", reason))
            return None
        found = whole(value)
        if found is None:
            found = with_unit(name, value)
            if found is None:
                reason = f"{name} {short(value)} is not one whole number; write a count such as 8"
                self.problems.append((self.line(name), "bad-count", reason))
            else:
                self.warn(f"{name} {short(value)} read as {found}", self.line(name))
        return found

    def line(self, name: str) -> int | None:
        """Return the line of a field."""
        return line_of(self.data, f'"{name}"')


def read_system(
    data: bytes, *, round_name: str, submitter: str, system_id: str, path: str, keep_raw: bool
) -> tuple[System, tuple[Rejection, ...]]:
    """Return the system that a description names, and what of it could not be read.

    The system is returned in any case, so that its results keep their score.

    Parameters
    ----------
    data
        The file.
    round_name, submitter, system_id, path
        Identity: names of round, folder and file, never those written inside.
    keep_raw
        Whether to keep the description itself.
    """
    description = Description(path, data)
    try:
        loose = load_loose(data)
    except NotJsonError as error:
        entry = text_entry(data)
        fields = None if entry is None else entry_fields(entry)
        if fields is None:
            reason = f"{error.reason}; correct it there"
            description.problems.append((error.line, "not-json", reason))
        else:
            description.fields = fields
    else:
        for line, text in loose.warnings:
            description.warn(text, line)
        if isinstance(loose.value, dict):
            named = _named(loose.value, description)
            description.fields = {**(entry_fields(loose.value) or {}), **named}
        else:
            description.problems.append(
                (1, "not-a-description", "is JSON but not an object with fields")
            )
    system = _system(description, round_name, submitter, system_id, keep_raw=keep_raw)
    return system, rejections_of(description, round_name)


def link_target(data: bytes) -> str | None:
    """Return the other description that a file only names, as links are in some archives.

    >>> link_target(b"../systems/dgx1.json"), link_target(b"{}") is None
    ('../systems/dgx1.json', True)
    """
    text = data.strip()
    if len(text) > 1024 or not text.endswith(b".json") or any(c in text for c in b'{}[]"\n:'):
        return None
    return text.decode("utf-8", "replace")


def rejections_of(description: Description, round_name: str) -> tuple[Rejection, ...]:
    """Return what a description does not say legibly."""
    return tuple(
        Rejection(round=round_name, path=description.path, line=line, code=code, reason=reason)
        for line, code, reason in description.problems
    )


def _system(
    description: Description, round_name: str, submitter: str, system_id: str, *, keep_raw: bool
) -> System:
    nodes = description.count("number_of_nodes", needed=True)
    if nodes == 0:
        reason = "number_of_nodes 0 is no system; write how many nodes were used"
        line = description.line("number_of_nodes")
        description.problems.append((line, "bad-count", reason))
        nodes = None
    per_node, accelerators = _accelerators(description, nodes)
    if is_cluster(round_name, system_id):
        reason = f"num_nodes {nodes} is the size of the cluster and not what a result used"
        description.problems.append((line_of(description.data, "num_nodes"), "bad-count", reason))
        nodes = accelerators = None
    processors = description.count("host_processors_per_node")
    name = description.text("system_name")
    model = description.text("accelerator_model_name")
    memory = description.text("accelerator_memory_capacity")
    match = identify_accelerator(model, system_name=name or system_id, memory=memory)
    host_memory = description.text("host_memory_capacity")
    cores = description.text("host_processor_core_count")
    return System(
        round=round_name,
        submitter=submitter,
        system_id=system_id,
        system_name=name,
        division=_division(description),
        availability=_availability(description),
        nodes=nodes,
        accelerators_per_node=per_node,
        accelerators=accelerators,
        accelerator_id=None if accelerators == 0 else match.accelerator_id,
        accelerator_model=model,
        accelerator_power_limit_w=match.power_limit_w,
        accelerator_memory=memory,
        accelerator_interconnect=description.text("accelerator_interconnect"),
        accelerator_host_interconnect=description.text("accelerator_host_interconnect"),
        host_processor_model=description.text("host_processor_model_name"),
        host_processors_per_node=processors,
        host_processors=None if nodes is None or processors is None else nodes * processors,
        host_processor_cores=None if cores is None else whole(cores),
        host_memory=host_memory,
        host_memory_gib=memory_gib(host_memory),
        host_networking=description.text("host_networking"),
        framework=description.text("framework"),
        path=description.path,
        raw=_raw(description) if keep_raw else None,
        warnings=tuple(description.warnings),
    )


def _accelerators(description: Description, nodes: int | None) -> tuple[int | None, int | None]:
    """Return accelerators per node and in all; unequal nodes have only the latter."""
    in_all = description.fields.get("accelerators")
    if isinstance(in_all, int):
        return None, in_all
    value = description.fields.get("accelerators_per_node")
    if isinstance(value, str) and _COUNT_LIST.fullmatch(value) and nodes is not None:
        counts = [int(part) for part in re.findall(r"\d+", value)]
        if len(counts) == nodes:
            description.warn(
                f'accelerators_per_node "{value}" lists unequal nodes; {sum(counts)} in all',
                line_of(description.data, '"accelerators_per_node"'),
            )
            return None, sum(counts)
    if isinstance(value, str) and value.strip().lower() in _NOTHING and not _model(description):
        value = None
        description.fields["accelerators_per_node"] = None
    per_node = description.count("accelerators_per_node", needed=_model(description) is not None)
    if per_node is None or nodes is None:
        return per_node, 0 if per_node == 0 else None
    return per_node, nodes * per_node


def _model(description: Description) -> str | None:
    return description.text("accelerator_model_name")


def _division(description: Description) -> str | None:
    raw = description.text("division")
    if raw is None:
        return None
    found = DIVISIONS.get(raw.lower())
    if found is None:
        reason = f'division "{printable(raw)[:80]}" is neither closed nor open; write which'
        description.problems.append((line_of(description.data, raw), "bad-division", reason))
    elif found != raw.lower():
        description.warn(f'"{raw}" read as {found}', line_of(description.data, raw))
    return found


def _availability(description: Description) -> str | None:
    raw = description.text("status")
    if raw is None:
        return None
    for word, availability in AVAILABILITY_WORDS:
        if word in raw.lower():
            return availability
    description.warn(
        f'status "{raw}" is none of onprem, cloud, preview, research', description.line("status")
    )
    return None


def _named(values: Mapping[str, Any], description: Description) -> dict[str, Any]:
    """Return the fields under their right names; close spellings are read with a warning."""
    named: dict[str, Any] = {}
    unknown: list[str] = []
    for key, value in values.items():
        plain = re.sub(r"[\s_]+", "_", key.strip().lower())
        if plain == key:
            named[key] = value
        if plain not in FIELDS or plain != key:
            unknown.append(key)
    for key in unknown:
        plain = re.sub(r"[\s_]+", "_", key.strip().lower())
        absent = [name for name in FIELDS if name not in named]
        near = get_close_matches(plain, absent, n=1, cutoff=_CLOSE)
        if near and _same_kind(plain, near[0]):
            named[near[0]] = values[key]
            description.warn(f'"{key}" read as {near[0]}', line_of(description.data, f'"{key}"'))
    return named


def _same_kind(plain: str, name: str) -> bool:
    """Return whether two names differ by letters and not by a word that means another fact."""
    words, others = set(plain.split("_")), set(name.split("_"))
    return all(get_close_matches(word, others, n=1, cutoff=0.7) for word in words - others)


def whole(value: Any) -> int | None:
    """Return a whole number of at least 0 given as int, float or text, else None.

    >>> [whole(v) for v in (2, 2.0, " 2 ", "2.0", 1.5, True, "", "2 nodes", "-1")]
    [2, 2, 2, 2, None, None, None, None, None]
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        text = (
            value.strip().replace(",", "")
            if re.fullmatch(r"\s*\d{1,3}(,\d{3})+\s*", value)
            else value
        )
        match = re.fullmatch(r"\s*\+?(\d{1,9})(?:\.0+)?\s*", text)
        return int(match[1]) if match else None
    if isinstance(value, float):
        return int(value) if value.is_integer() and 0 <= value < 1e9 else None
    if isinstance(value, int):
        return value if 0 <= value < 10**9 else None
    return None


def with_unit(name: str, value: Any) -> int | None:
    """Return a count that is written with the word for what it counts, else None.

    >>> [with_unit("number_of_nodes", v) for v in ("2 nodes", "1 (server)", "2 racks", "2 GPUs")]
    [2, 1, None, None]
    """
    match = _WITH_UNIT.fullmatch(value) if isinstance(value, str) else None
    if match is None or match[2].lower().removesuffix("s") not in _UNITS.get(name, ()):
        return None
    return int(match[1])


def memory_gib(text: str | None) -> float | None:
    """Return memory in GiB; makers' GB and TB are powers of two here.

    >>> memory_gib("2.0 TB"), memory_gib("24 x 32GB RDIMM, 3200MT/s"), memory_gib("SSD")
    (2048.0, 768.0, None)
    """
    match = _MEMORY.search(text or "")
    if match is None:
        return None
    times, size, unit = match.groups()
    gib = float(times or 1) * float(size) * _GIB[unit.lower()]
    return gib if gib > 0 else None


def _raw(description: Description) -> str:
    return description.data.decode("utf-8-sig", "replace")
