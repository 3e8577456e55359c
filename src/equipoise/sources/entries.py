"""Read the descriptions of the first two rounds: `entry.json`, and text of log values.

They list groups of nodes: `nodes: [{num_nodes, num_accelerators, accelerator, cpu, ...}]`.
What is returned are the fields of the later schema, so that one reader does the rest.
"""

import ast
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from equipoise.facts import tpu_chips
from equipoise.sources.jsontext import decode_text

_TEXT_LINE: Final = re.compile(r"^\s*(\w+):\s*(\{.*\})\s*$", re.MULTILINE)
_TIMES: Final = re.compile(r"^\s*(\d{1,3})\s*x\s+", re.IGNORECASE)
_MAX_LITERAL: Final = 20_000
_COPIED: Final = {
    "division": "division",
    "status": "status",
    "hardware": "system_name",
    "platform": "system_name",
    "framework": "framework",
    "interconnect": "host_networking",
    "org": "submitter",
}


def text_entry(data: bytes) -> dict[str, Any] | None:
    r"""Return the description in a text of `key: {"value": ...}` lines, or None.

    NVIDIA's system files of v0.6 are such texts; their `entry` holds a dictionary printed
    as Python does, with further ones inside.

    >>> text_entry(b'org: {"value": "A"}\nentry: {"value": "{\'os\': \'x\'}"}')["os"]
    'x'
    """
    found: dict[str, Any] = {}
    for key, text in _TEXT_LINE.findall(decode_text(data)):
        try:
            content = json.loads(text)
        except ValueError:
            continue
        value = _unfolded(content.get("value") if isinstance(content, dict) else content)
        if key == "entry" and isinstance(value, dict):
            found.update(value)
        else:
            found[key] = value
    return found or None


def is_cluster(round_name: str, system_id: str) -> bool:
    """Return whether an entry gives the size of a cluster and not what a result used.

    NVIDIA's entries of v0.5 for several nodes name 128 DGX-1 (or 36 DGX-2H) for every
    benchmark, while their logs start 8 nodes for SSD, for example.

    >>> is_cluster("v0.5", "dgx1_multi_ngc18.11_pytorch")
    True
    """
    return round_name == "v0.5" and "_multi_" in system_id


def entry_fields(entry: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the fields of the later schema that an entry gives, None if it is no entry.

    Accelerators are the sum over the groups of nodes of nodes x accelerators of one node.
    Google's entries of v0.5 give the TPU cores of the whole system with every group, and
    name the slice (`tpuv3-32`): there the chips of that name count.
    """
    groups = _groups(entry.get("nodes"))
    if not groups:
        return None
    fields = {new: entry[old] for old, new in _COPIED.items() if entry.get(old) is not None}
    nodes = [_whole(group.get("num_nodes")) for group in groups]
    if None not in nodes:
        fields["number_of_nodes"] = sum(n for n in nodes if n is not None)
    else:
        fields["number_of_nodes"] = groups[0].get("num_nodes")
    first = groups[0]
    fields["accelerator_model_name"] = first.get("accelerator")
    fields.update(_accelerators(groups, nodes))
    fields.update(_host(first))
    return fields


def _accelerators(
    groups: Sequence[Mapping[str, Any]], nodes: Sequence[int | None]
) -> dict[str, Any]:
    counts = [_whole(group.get("num_accelerators")) for group in groups]
    chips = tpu_chips(str(groups[0].get("accelerator") or ""))
    if chips is not None:
        return {"accelerators": chips}
    if len(set(counts)) == 1:
        return {"accelerators_per_node": groups[0].get("num_accelerators")}
    if None in counts or None in nodes:
        return {}
    pairs = zip(nodes, counts, strict=True)
    return {"accelerators": sum((n or 0) * (count or 0) for n, count in pairs)}


def _host(group: Mapping[str, Any]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    cpu = group.get("cpu")
    if isinstance(cpu, str):
        times = _TIMES.match(cpu)
        fields["host_processor_model_name"] = _TIMES.sub("", cpu)
        cores = _whole(group.get("num_cores"))
        if times is not None:
            count = int(times[1])
            fields["host_processors_per_node"] = count
            if cores and count and cores % count == 0:
                fields["host_processor_core_count"] = cores // count
    memory = group.get("sys_mem_size")
    if memory not in (None, ""):
        plain = str(memory).strip()
        fields["host_memory_capacity"] = f"{plain} GB" if plain.isdigit() else plain
    if group.get("cpu_accel_interconnect"):
        fields["accelerator_host_interconnect"] = group["cpu_accel_interconnect"]
    return fields


def _groups(nodes: Any) -> list[Mapping[str, Any]]:
    nodes = _unfolded(nodes)
    if isinstance(nodes, Mapping):
        return [nodes]
    if not isinstance(nodes, list):
        return []
    unfolded = [_unfolded(group) for group in nodes]
    return [group for group in unfolded if isinstance(group, Mapping)]


def _unfolded(value: Any) -> Any:
    """Return what a text of a Python literal holds, else the value itself."""
    if not isinstance(value, str) or len(value) > _MAX_LITERAL or value[:1] not in {"{", "["}:
        return value
    try:
        return ast.literal_eval(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return value


def _whole(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    text = str(value).strip()
    return int(text) if text.isdigit() and len(text) < 10 else None
