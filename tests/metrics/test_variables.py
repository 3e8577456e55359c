"""The registry of explanatory variables: complete, sourced, honest about gaps."""

from typing import Any

import pytest

from equipoise import facts
from equipoise.domain import Configuration
from equipoise.errors import UnknownNameError
from equipoise.metrics.variables import VARIABLES, accelerator_fact, coverage, readings, variable


def configuration(**kwargs: Any) -> Configuration:
    base: dict[str, Any] = {
        "round": "v3.0",
        "submitter": "Lab",
        "system_id": "one",
        "benchmark": "resnet",
        "division": "closed",
        "time_to_train_min": 30.0,
        "accelerators": 16,
        "accelerator_id": "h100-sxm5-80gb",
    }
    return Configuration(**{**base, **kwargs})


def value(name: str, **kwargs: Any) -> object:
    return readings([configuration(**kwargs)], name)[0].value


def test_every_variable_says_what_it_is() -> None:
    empty = configuration(accelerator_id=None, accelerators=0, round="own", division="unverified")
    for name, item in VARIABLES.items():
        assert item.name == name
        assert item.label
        assert item.source
        assert (item.unit is None) == (item.kind == "category")
        found = item.reading(empty)
        assert (found.value is None) == (found.confidence is None)
        full = item.reading(configuration())
        if full.value is not None:
            assert isinstance(full.value, str) == (item.kind == "category")


def test_figures_per_accelerator() -> None:
    node = {"nodes": 2, "accelerators_per_node": 8}
    assert value("batch_per_accelerator", global_batch_size=3200.0) == 200.0
    assert (
        value("host_cores_per_accelerator", host_processor_cores=64, host_processors_per_node=2,
              **node) == 16.0
    )  # fmt: skip
    assert value("host_memory_gib_per_accelerator", host_memory_gib=2048.0, **node) == 256.0
    text = "8x ConnectX-7 IB NDR 400Gb/s"
    assert value("network_gbit_s_per_accelerator", host_networking=text, **node) == 400.0
    assert value("accelerators_per_node", nodes=2) == 8.0


def test_link_comes_from_the_description_first_and_the_data_sheet_second() -> None:
    own = readings([configuration(accelerator_interconnect="NVLink 600 GB/s")], "link_gb_s")[0]
    assert (own.value, own.confidence) == (600.0, "high")
    sheet = readings([configuration()], "link_gb_s")[0]
    assert sheet.value == facts.accelerator("h100-sxm5-80gb").interconnect_gb_s
    assert sheet.confidence == "medium"
    assert value("link_kind") == "NVLink"


def test_every_fact_field_exists_for_every_accelerator() -> None:
    names = [name for name, item in VARIABLES.items() if item.theme == "accelerator"]
    for accelerator in facts.accelerators():
        for name in names:
            readings([configuration(accelerator_id=accelerator.id)], name)


def test_unknown_accelerators_and_rounds_are_unread() -> None:
    assert accelerator_fact("no-such-chip", "family").value is None
    assert value("round", round="own") is None
    assert value("accelerator_family", accelerator_id=None) is None


def test_coverage_counts_by_confidence() -> None:
    rows = [configuration(host_networking=t) for t in ("Infiniband", "Ethernet, Infiniband", None)]
    found = next(row for row in coverage(rows) if row.variable == "network_kind")
    assert (found.known, found.n, found.high, found.medium, found.distinct) == (2, 3, 1, 1, 1)


def test_unknown_name_lists_the_choices() -> None:
    with pytest.raises(UnknownNameError, match="host_processor_year"):
        variable("host_processor_yaer")
