"""Links and networks read from free text, each value with its raw text and confidence."""

import re

from equipoise.metrics.parse import Confidence, Reading, read, said, unread

# ---- network between the nodes -------------------------------------------------------------

_NETWORKS = (
    ("RoCE", re.compile(r"\broce", re.I)),
    ("InfiniBand", re.compile(r"infini\s?band|\bIB\b|\b[EHNX]DR\d*\b|quantum", re.I)),
    ("Omni-Path", re.compile(r"omni-?path|\bOPA\b", re.I)),
    ("Slingshot", re.compile(r"slingshot", re.I)),
    ("EFA", re.compile(r"\bEFA\b|elastic fabric", re.I)),
    ("Ethernet", re.compile(r"ethernet|\d\s?GbE\b|netxtreme|\bE810|\bX710|10GBASE", re.I)),
)
_SECTION = re.compile(r"(storage|management|compute|mgmt)\b[^:]{0,24}:", re.I)
_PORTS = re.compile(r"(?P<count>\d+)\s*x\s*(?=[A-Za-z\[(]|\d+\s*x?\s*\d*\s*G)", re.I)
_SPEED = re.compile(
    r"(?<![\d.\-])(\d+(?:\.\d+)?)\s*G\s?(?:b|B|ig)?(?:E\b|ps\b|it\b|\s?/\s?s|/|\b)", re.I
)
_ADAPTERS = ((r"connect\s?-?x\s?-\s?5", 100.0), (r"connect\s?-?x\s?-\s?6(?!\s?lx)", 200.0),
             (r"connect\s?-?x\s?-\s?7|\bCX7\b", 400.0), (r"connect\s?-?x\s?-\s?8|\bCX8\b", 800.0),
             (r"\bE810-(?:C|2C)", 100.0))  # fmt: skip


def network_kind(text: str | None) -> Reading:
    """Return the kind of network that joins the nodes: InfiniBand, Ethernet, RoCE, ...

    Where sections are named, only the compute section counts.

    >>> network_kind("Management: 1x Ethernet 40Gb/Sec, Compute: 8x ConnectX-6 IB HDR").value
    'InfiniBand'
    """
    clean = said(text)
    if clean is None:
        return unread(text)
    part, confidence = _compute_part(clean)
    kinds = [name for name, pattern in _NETWORKS if pattern.search(part)]
    if "RoCE" in kinds and "Ethernet" in kinds:
        kinds.remove("Ethernet")
    if len(kinds) > 1 and kinds[:2] != ["InfiniBand", "Ethernet"]:
        return unread(text)
    if len(kinds) > 1:
        # Both named without sections: InfiniBand carries training, Ethernet manages.
        return read(kinds[0], text, "medium" if confidence == "high" else "low")
    return read(kinds[0], text, confidence) if kinds else unread(text)


def network_gbit_s(text: str | None) -> Reading:
    """Return the network rate of one node in Gb/s: ports x rate of the compute adapters.

    The greatest port rate counts, with the ports that have it. Without a stated number of
    ports it is one, and the confidence is low.

    >>> network_gbit_s("2x ConnectX-6 IB HDR 200Gb/Sec").value
    400.0
    """
    clean = said(text)
    if clean is None or re.search(r"PCIe-NIC", clean):
        return unread(text)
    part, confidence = _compute_part(clean)
    best: tuple[float, float, Confidence] | None = None
    for piece in re.split(r"[,;+&]|\band\b", part):
        rates = [float(x) for x in _SPEED.findall(piece)]
        sure: Confidence = confidence if len(rates) == 1 else "low"
        if re.search(r"\bgiga?(bit)?\b", piece, re.I) and not rates:
            rates = [1.0]
        if not rates:
            rates = [rate for model, rate in _ADAPTERS if re.search(model, piece, re.I)]
            sure = "low"
        if not rates:
            continue
        ports = _PORTS.search(piece)
        count = float(ports["count"]) if ports else 1.0
        sure = sure if ports else "low"
        found = (max(rates), count, sure)
        best = found if best is None or found[:2] > best[:2] else best
    return unread(text) if best is None else read(best[0] * best[1], text, best[2])


def _compute_part(text: str) -> tuple[str, Confidence]:
    """Return the part of the text about the compute network, and how sure that is."""
    marks = list(_SECTION.finditer(text))
    if not marks:
        return text, "high"
    for i, mark in enumerate(marks):
        if "compute" in text[mark.start() : mark.end()].lower():
            end = marks[i + 1].start() if i + 1 < len(marks) else len(text)
            return text[mark.end() : end], "high"
    rest = text[: marks[0].start()].strip(" ,;+")
    return (rest, "medium") if rest else (text, "low")


# ---- link between the accelerators, link to the host -----------------------------------------

_LINKS = (
    ("NVLink", re.compile(r"nv\s?-?link|nvline|nvswitch", re.I)),
    ("Infinity Fabric", re.compile(r"xgmi|infinity fabric", re.I)),
    ("IPU-Link", re.compile(r"ipu-?link", re.I)),
    ("HCCS", re.compile(r"\bhccs\b", re.I)),
    ("ICI", re.compile(r"\bici\b", re.I)),
    ("Ethernet", re.compile(r"\d\s?GbE\b|ethernet", re.I)),
    ("PCIe", re.compile(r"pci\s?-?e", re.I)),
)
_NVLINK_GENERATION = re.compile(
    r"nvlink[\s,-]*(?:gen\s?)?(?P<a>[1-9])(?:\.0)?(?![\d.]*\s*G?B)|(?P<b>[1-9])(?:st|nd|rd|th)[\s-]gen",
    re.I,
)
_PCIE_GENERATION = re.compile(r"pci\s?-?e[\s,]*(?:gen\s?)?(?P<a>[1-7])(?:\.0)?(?![\d])", re.I)
_GB_S = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)\s*GB\s?/\s?[sS]")
_ETHERNET_PORTS = re.compile(r"(\d+)\s?x\s*(\d+)\s?G(?:b/s|b?E)\b", re.I)
BITS_PER_BYTE = 8
_TB_S = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)\s*TB\s?/\s?s", re.I)


def link_kind(text: str | None) -> Reading:
    """Return the kind of link between the accelerators of one node.

    >>> link_kind("NVLINK Gen4 900 GB/s + NVSWITCH Gen3").value
    'NVLink'
    """
    clean = said(text)
    if clean is None:
        return unread(text)
    kinds = [name for name, pattern in _LINKS if pattern.search(clean)]
    sure: Confidence = "high" if len(kinds) == 1 else "medium"
    return read(kinds[0] if kinds else None, text, sure)


def link_generation(text: str | None) -> Reading:
    """Return the generation of NVLink, or of PCIe where that is the only link.

    >>> link_generation("18x 5th Gen NVLink, 14.4 TB/s aggregated bandwidth").value
    5.0
    """
    clean = said(text)
    if clean is None:
        return unread(text)
    kind = link_kind(clean).value
    pattern = {"NVLink": _NVLINK_GENERATION, "PCIe": _PCIE_GENERATION}.get(str(kind))
    found = pattern.search(clean) if pattern else None
    if found is None:
        return unread(text)
    return read(float(next(g for g in found.groups() if g)), text, "high")


def link_gb_s(text: str | None) -> Reading:
    """Return the stated link bandwidth of one accelerator in GB/s.

    A bandwidth of a whole node (TB/s) is not one of an accelerator and stays unread;
    Ethernet ports are ports x rate.

    >>> link_gb_s("NVLink 3.0 600GB/s").value
    600.0
    """
    clean = said(text)
    if clean is None:
        return unread(text)
    ports = _ETHERNET_PORTS.search(clean)
    if ports:
        return read(float(ports[1]) * float(ports[2]) / BITS_PER_BYTE, text, "medium")
    found = _GB_S.search(clean)
    if found is None or _TB_S.search(clean):
        return unread(text)
    per_link = re.search(r"\dx\s?(?:\w+\s)?NVLink\s+\d+\s?GB/s", clean, re.I)
    return unread(text) if per_link else read(float(found[1]), text, "high")


def host_link_generation(text: str | None) -> Reading:
    """Return the PCIe generation between host and accelerators.

    >>> host_link_generation("PCIe 4.0x16").value
    4.0
    """
    clean = said(text)
    found = _PCIE_GENERATION.search(clean) if clean else None
    return unread(text) if found is None else read(float(found["a"]), text, "high")
