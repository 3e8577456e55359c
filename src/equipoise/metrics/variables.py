"""The one registry of explanatory variables: what may explain a configuration's results.

Every variable is one row of data (name, unit, kind, theme, source) with a function that
reads it from one configuration; free text keeps its raw spelling and a confidence, what
cannot be read is None.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Literal

from equipoise import facts
from equipoise.domain import Configuration
from equipoise.errors import UnknownNameError
from equipoise.metrics import parse, parse_links
from equipoise.metrics.parse import Confidence, Reading, read, unread
from equipoise.structs import dataclass

Kind = Literal["number", "category"]
Theme = Literal["scale", "accelerator", "link", "network", "host", "training", "software", "origin"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """One property of a configuration that may explain its results."""

    name: str
    label: str
    unit: str | None
    """None for a category; "1" for a plain number."""
    kind: Kind
    log: bool
    """Whether ratios count (doubling the accelerators), so that a model sees the logarithm."""
    theme: Theme
    source: str
    reading: Callable[[Configuration], Reading]


def variable(name: str) -> Variable:
    """Return the variable of that name; raise UnknownNameError otherwise.

    >>> variable("accelerators").unit
    '1'
    """
    found = VARIABLES.get(name.strip().lower().replace("-", "_"))
    if found is None:
        raise UnknownNameError("variable", name, VARIABLES)
    return found


def readings(configurations: Sequence[Configuration], name: str) -> tuple[Reading, ...]:
    """Return one variable of every configuration with raw text and confidence."""
    item = variable(name)
    return tuple(item.reading(c) for c in configurations)


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """For how many configurations a variable is known, and how well."""

    variable: str
    known: int
    n: int
    high: int
    medium: int
    low: int
    distinct: int


def coverage(configurations: Sequence[Configuration]) -> tuple[Coverage, ...]:
    """Return how much is known of every variable of the registry."""
    return tuple(_cover(name, readings(configurations, name)) for name in VARIABLES)


def _cover(name: str, found: Sequence[Reading]) -> Coverage:
    sure = Counter(r.confidence for r in found if r.value is not None)
    return Coverage(
        variable=name,
        known=sum(sure.values()),
        n=len(found),
        high=sure["high"],
        medium=sure["medium"],
        low=sure["low"],
        distinct=len({r.value for r in found if r.value is not None}),
    )


_CONFIDENCE: dict[str, Confidence] = {"high": "high", "medium": "medium", "low": "low"}


@cache
def accelerator_fact(accelerator_id: str | None, field: str) -> Reading:
    """Return one field of the fact table of accelerators; unread for an unknown one."""
    if accelerator_id is None:
        return unread()
    try:
        found = facts.accelerator(accelerator_id)
    except UnknownNameError:
        return unread(accelerator_id)
    value: Any = getattr(found, field)
    sure = _CONFIDENCE.get(found.confidence, "low")
    if value is None or isinstance(value, str):
        return read(value or None, accelerator_id, sure)
    return read(float(value), accelerator_id, sure)


@cache
def _cached(function: Callable[[str | None], Reading], text: str | None) -> Reading:
    return function(text)


def _field(name: str) -> Callable[[Configuration], Reading]:
    def reading(c: Configuration) -> Reading:
        value = getattr(c, name)
        if value is None or isinstance(value, str):
            return read(parse.said(value), value, "high")
        return read(float(value), str(value), "high")

    return reading


def _text(
    name: str, function: Callable[[str | None], Reading]
) -> Callable[[Configuration], Reading]:
    return lambda c: _cached(function, getattr(c, name))


def _fact(field: str) -> Callable[[Configuration], Reading]:
    return lambda c: accelerator_fact(c.accelerator_id, field)


def _share(numerator: float | None, denominator: float | None, raw: str) -> Reading:
    if not numerator or not denominator:
        return unread()
    return read(numerator / denominator, raw, "high")


def _per_node(c: Configuration) -> Reading:
    if c.accelerators_per_node:
        return read(float(c.accelerators_per_node), str(c.accelerators_per_node), "high")
    if not c.accelerators or not c.nodes:
        return unread()
    return read(c.accelerators / c.nodes, f"{c.accelerators}/{c.nodes}", "medium")


def _batch_per_accelerator(c: Configuration) -> Reading:
    return _share(c.global_batch_size, c.accelerators, f"{c.global_batch_size}/{c.accelerators}")


def _cores_per_accelerator(c: Configuration) -> Reading:
    per_node = _per_node(c).value
    if not c.host_processor_cores or not c.host_processors_per_node or not per_node:
        return unread()
    cores = c.host_processor_cores * c.host_processors_per_node
    return read(cores / float(per_node), f"{cores}/{per_node}", "high")


def _memory_per_accelerator(c: Configuration) -> Reading:
    per_node = _per_node(c).value
    return _share(c.host_memory_gib, None if per_node is None else float(per_node), "per node")


def _link(
    function: Callable[[str | None], Reading], from_sheet: Callable[[Configuration], Reading]
) -> Callable[[Configuration], Reading]:
    """Read the description's own text first, the accelerator's data sheet second."""

    def reading(c: Configuration) -> Reading:
        own = _cached(function, c.accelerator_interconnect)
        return own if own.value is not None else from_sheet(c)

    return reading


def _sheet_text(function: Callable[[str | None], Reading]) -> Callable[[Configuration], Reading]:
    def reading(c: Configuration) -> Reading:
        text = accelerator_fact(c.accelerator_id, "interconnect").value
        return _weaker(_cached(function, str(text)) if text else unread())

    return reading


def _sheet_rate(c: Configuration) -> Reading:
    return _weaker(accelerator_fact(c.accelerator_id, "interconnect_gb_s"))


def _weaker(found: Reading) -> Reading:
    sure: Confidence = "medium"
    return found if found.value is None else read(found.value, found.raw, sure)


def _network_per_accelerator(c: Configuration) -> Reading:
    rate, per_node = _cached(parse_links.network_gbit_s, c.host_networking), _per_node(c).value
    if rate.value is None or rate.confidence is None or not per_node:
        return unread(c.host_networking)
    return read(float(rate.value) / float(per_node), c.host_networking, rate.confidence)


def _round(c: Configuration) -> Reading:
    try:
        return read(float(facts.round_index(c.round)), c.round, "high")
    except UnknownNameError:
        return unread(c.round)


def _row(
    name: str,
    label: str,
    unit: str | None,
    theme: Theme,
    source: str,
    reading: Callable[[Configuration], Reading],
    *,
    log: bool = False,
) -> Variable:
    kind: Kind = "category" if unit is None else "number"
    return Variable(
        name=name, label=label, unit=unit, kind=kind, log=log, theme=theme, source=source,
        reading=reading,
    )  # fmt: skip


_SYSTEM = "system description"
_SHEET = "fact table of accelerators"
_REGISTRY = (
    _row("accelerators", "accelerators", "1", "scale", _SYSTEM, _field("accelerators"), log=True),
    _row("nodes", "nodes", "1", "scale", _SYSTEM, _field("nodes"), log=True),
    _row("accelerators_per_node", "accelerators per node", "1", "scale", _SYSTEM, _per_node,
         log=True),
    _row("accelerator_vendor", "accelerator vendor", None, "accelerator", _SHEET, _fact("vendor")),
    _row("accelerator_family", "accelerator family", None, "accelerator", _SHEET, _fact("family")),
    _row("accelerator_architecture", "accelerator architecture", None, "accelerator", _SHEET,
         _fact("architecture")),
    _row("accelerator_form_factor", "accelerator form factor", None, "accelerator", _SHEET,
         _fact("form_factor")),
    _row("accelerator_year", "accelerator release year", "year", "accelerator", _SHEET,
         _fact("release_year")),
    _row("accelerator_memory_gb", "accelerator memory", "GB", "accelerator", _SHEET,
         _fact("memory_gb"), log=True),
    _row("accelerator_bandwidth_gb_s", "accelerator memory bandwidth", "GB/s", "accelerator",
         _SHEET, _fact("memory_bandwidth_gb_s"), log=True),
    _row("accelerator_peak_tflops", "accelerator peak (16 bit, dense)", "TFLOP/s", "accelerator",
         _SHEET, _fact("peak_16bit_tflops"), log=True),
    _row("link_kind", "link between accelerators", None, "link",
         "accelerator_interconnect, parsed; else data sheet",
         _link(parse_links.link_kind, _sheet_text(parse_links.link_kind))),
    _row("link_generation", "generation of the link", "1", "link",
         "accelerator_interconnect, parsed; else data sheet",
         _link(parse_links.link_generation, _sheet_text(parse_links.link_generation))),
    _row("link_gb_s", "link bandwidth per accelerator", "GB/s", "link",
         "accelerator_interconnect, parsed; else data sheet",
         _link(parse_links.link_gb_s, _sheet_rate), log=True),
    _row("host_link_generation", "PCIe generation to the host", "1", "link",
         "accelerator_host_interconnect, parsed",
         _text("accelerator_host_interconnect", parse_links.host_link_generation)),
    _row("network_kind", "network between nodes", None, "network", "host_networking, parsed",
         _text("host_networking", parse_links.network_kind)),
    _row("network_gbit_s", "network rate per node", "Gb/s", "network", "host_networking, parsed",
         _text("host_networking", parse_links.network_gbit_s), log=True),
    _row("network_gbit_s_per_accelerator", "network rate per accelerator", "Gb/s", "network",
         "host_networking, parsed, over accelerators per node", _network_per_accelerator, log=True),
    _row("host_processor_vendor", "host processor vendor", None, "host",
         "host_processor_model, parsed", _text("host_processor_model", parse.processor_vendor)),
    _row("host_processor_generation", "host processor generation", None, "host",
         "host_processor_model, parsed",
         _text("host_processor_model", parse.processor_generation)),
    _row("host_processor_year", "host processor launch year", "year", "host",
         "host_processor_model, parsed", _text("host_processor_model", parse.processor_year)),
    _row("host_processors_per_node", "host processors per node", "1", "host", _SYSTEM,
         _field("host_processors_per_node"), log=True),
    _row("host_processor_cores", "cores per host processor", "1", "host", _SYSTEM,
         _field("host_processor_cores"), log=True),
    _row("host_cores_per_accelerator", "host cores per accelerator", "1", "host", _SYSTEM,
         _cores_per_accelerator, log=True),
    _row("host_memory_gib", "host memory per node", "GiB", "host", _SYSTEM,
         _field("host_memory_gib"), log=True),
    _row("host_memory_gib_per_accelerator", "host memory per accelerator", "GiB", "host", _SYSTEM,
         _memory_per_accelerator, log=True),
    _row("global_batch_size", "global batch size", "samples", "training", "run logs",
         _field("global_batch_size"), log=True),
    _row("batch_per_accelerator", "batch size per accelerator", "samples", "training", "run logs",
         _batch_per_accelerator, log=True),
    _row("tensor_parallelism", "tensor parallelism", "1", "training", "run logs",
         _field("tensor_parallelism"), log=True),
    _row("pipeline_parallelism", "pipeline parallelism", "1", "training", "run logs",
         _field("pipeline_parallelism"), log=True),
    _row("precision", "precision", None, "training", "run logs, parsed",
         _text("precision", parse.precision)),
    _row("framework", "framework", None, "software", "framework, parsed",
         _text("framework", parse.framework)),
    _row("software_release", "date of the software container", "year", "software",
         "framework, parsed", _text("framework", parse.software_release)),
    _row("round", "round", "1", "origin", "its place in the order of rounds", _round),
    _row("submitter", "submitter", None, "origin", "folder of the submitter", _field("submitter")),
    _row("division", "division", None, "origin", _SYSTEM, _field("division")),
    _row("availability", "availability", None, "origin", _SYSTEM, _field("availability")),
)  # fmt: skip

VARIABLES: dict[str, Variable] = {item.name: item for item in _REGISTRY}
"""Every explanatory variable by name, in the order in which tables show them."""
