"""System descriptions as people write them."""

import json

import pytest

from equipoise.sources.jsontext import NotJsonError, load_loose
from equipoise.sources.systems import memory_gib, read_system, whole

TEXT_DESCRIPTION = rb"""org: {"value": "NVIDIA", "metadata": {"lineno": 231}}
division: {"value": "closed", "metadata": {}}
status: {"value": "onprem", "metadata": {}}
platform: {"value": "130xDGX-1 with V100", "metadata": {}}
entry: {"value": "{'os': 'x', 'nodes': \"{'num_cores': '40', 'cpu': '2x Xeon', 'accelerator': 'Tesla V100-SXM2-16GB', 'num_accelerators': '8', 'num_nodes': '130', 'sys_mem_size': '503 GB'}\", 'interconnect': 'IB'}"}
poc_name: {"value": "x"}
"""  # noqa: E501


def read(data, **changes):
    names = {
        "round_name": "v4.1",
        "submitter": "A",
        "system_id": "s",
        "path": "A/systems/s.json",
        "keep_raw": False,
    }
    return read_system(data, **{**names, **changes})


def test_a_plain_description(make_system):
    system, rejections = read(make_system())
    assert rejections == ()
    assert (system.nodes, system.accelerators_per_node, system.accelerators) == (2, 8, 16)
    assert (system.division, system.availability) == ("closed", "onprem")
    assert system.accelerator_id == "h100-sxm5-80gb"
    assert (system.host_processors, system.host_processor_cores) == (4, 32)
    assert system.host_memory_gib == 512
    assert (system.raw, system.warnings) == (None, ())
    assert json.loads(read(make_system(), keep_raw=True)[0].raw)["system_name"] == "node-a"


@pytest.mark.parametrize("value", [2, 2.0, "2", " 2 ", "2.0"])
def test_counts_that_are_whole(make_system, value):
    system, rejections = read(make_system(number_of_nodes=value))
    assert (system.nodes, rejections) == (2, ())


@pytest.mark.parametrize(
    "value",
    [1.5, "two", "2 racks", "2 GPUs", "2 or 3", "", "-1", True, [2], "0", 10**12, {"n": 2}],
)
def test_counts_that_are_not(make_system, value):
    system, rejections = read(make_system(number_of_nodes=value))
    assert (system.nodes, system.accelerators) == (None, None)
    assert [r.code for r in rejections] == ["bad-count"]
    assert rejections[0].path == "A/systems/s.json"
    assert "number_of_nodes" in rejections[0].reason
    assert "; write" in rejections[0].reason
    text = make_system(number_of_nodes=value).decode()
    assert "number_of_nodes" in text.splitlines()[rejections[0].line - 1]


@pytest.mark.parametrize(
    ("field", "value", "count"),
    [
        ("number_of_nodes", "2 nodes", 2),
        ("number_of_nodes", "1 node", 1),
        ("number_of_nodes", "4 (servers)", 4),
        ("number_of_nodes", "16Nodes", 16),
        ("accelerators_per_node", "8 (GPUs)", 8),
        ("accelerators_per_node", "4 accelerators", 4),
        ("accelerators_per_node", "8GPUs", 8),
        ("host_processors_per_node", "2 sockets", 2),
    ],
)
def test_a_count_with_its_unit_is_read_and_said(make_system, field, value, count):
    data = make_system(**{field: value})
    system, rejections = read(data)
    assert rejections == ()
    name = {"number_of_nodes": "nodes"}.get(field, field)
    assert getattr(system, name) == count
    line = 1 + next(i for i, t in enumerate(data.decode().splitlines()) if field in t)
    expected = f'A/systems/s.json:{line}: {field} "{value}" read as {count}'
    assert expected in system.warnings


@pytest.mark.parametrize(
    "nodes", ["{(1, 2): 3}", "{'num_nodes': {(1, 2): 3}}", "[b'x']", "{'num_nodes': 2j}"]
)
def test_odd_literals_in_a_text_never_raise(nodes):
    entry = json.dumps({"value": f"{{'nodes': {nodes}}}"})
    system, rejections = read(f"entry: {entry}\n".encode())
    assert system.accelerators is None
    assert rejections


def test_a_missing_count_is_said(make_system):
    system, rejections = read(make_system(number_of_nodes=...))
    assert system.accelerators is None
    assert [(r.code, r.reason) for r in rejections] == [
        ("missing-field", "number_of_nodes is missing; add it")
    ]


def test_no_accelerators(make_system):
    system, rejections = read(make_system(accelerators_per_node="0", accelerator_model_name="N/A"))
    assert (system.accelerators, system.accelerator_id, rejections) == (0, None, ())
    system, rejections = read(make_system(accelerators_per_node="", accelerator_model_name=""))
    assert (system.accelerators, rejections) == (None, ())


def test_unequal_nodes(make_system):
    system, _ = read(make_system(accelerators_per_node="8, 4"))
    assert (system.accelerators, system.accelerators_per_node) == (12, None)
    system, rejections = read(make_system(accelerators_per_node="8, 4, 4"))
    assert system.accelerators is None
    assert "accelerators_per_node" in rejections[0].reason


@pytest.mark.parametrize(
    ("status", "availability"),
    [
        ("onprem", "onprem"),
        ("Available on-premise", "onprem"),
        ("Available on premise", "onprem"),
        ("available", "onprem"),
        ("Available Cloud", "cloud"),
        ("Available in cloud", "cloud"),
        ("Preview", "preview"),
        ("research", "rdi"),
        ("Research, Development, or Internal (RDI)", "rdi"),
        ("soon", None),
    ],
)
def test_availability(make_system, status, availability):
    assert read(make_system(status=status))[0].availability == availability


@pytest.mark.parametrize(
    ("division", "expected"),
    [("Closed", "closed"), ("close", "closed"), ("Open", "open"), ("hpc", None)],
)
def test_division(make_system, division, expected):
    system, rejections = read(make_system(division=division))
    assert system.division == expected
    assert [r.code for r in rejections] == ([] if expected else ["bad-division"])


def test_misspelt_fields_are_read_and_said():
    data = (
        b'{"sumitter": "A", "divison": "close", "number of nodes": "4",\n'
        b' "Accelerators_Per_Node": 8, "accelerator_model_nam": "NVIDIA A100-SXM4-80GB",\n'
        b' "accelerator_driver": "1.2"}'
    )
    system, rejections = read(data)
    assert (system.nodes, system.accelerators, system.division) == (4, 32, "closed")
    assert system.accelerator_id == "a100-sxm4-80gb"
    assert rejections == ()
    assert 'A/systems/s.json:1: "divison" read as division' in system.warnings
    assert not any("driver" in text for text in system.warnings)


def test_byte_order_mark_duplicate_keys_trailing_comma_and_latin_1():
    data = b'\xef\xbb\xbf{"number_of_nodes": 1, "number_of_nodes": 2, "accelerators_per_node": 3,}'
    system, rejections = read(data)
    assert (system.accelerators, rejections) == (6, ())
    assert "twice" in system.warnings[0]
    assert "comma" in system.warnings[1]
    assert read(b'{"system_name": "caf\xe9"}')[0].system_name == "café"


@pytest.mark.parametrize(
    ("data", "line"),
    [(b"", 1), (b"hello", 1), (b'{\n"a": 1\n"b": 2}', 3), (b"[1]", 1), (b"\x00\xff", 1)],
)
def test_what_is_no_description(data, line):
    system, rejections = read(data)
    assert (system.accelerators, system.system_id) == (None, "s")
    assert rejections[0].line == line
    assert rejections[0].code in {"not-json", "not-a-description"}


def test_hostile_json():
    assert read(b"[" * 100_000)[1][0].reason.startswith("not JSON: nested too deeply")
    with pytest.raises(NotJsonError, match="more than a description"):
        load_loose(b" " * (5 * 2**20))


def test_texts_can_always_be_written():
    data = rb'{"system_name": "a\ud800b", "division": "\u001b[31m\ud801", "status": "x\u0007"}'
    system, rejections = read(data)
    assert system.system_name == "a?b"
    texts = [*system.warnings, *(r.reason for r in rejections)]
    assert all(text.isprintable() for text in texts)


def test_text_of_the_second_round():
    system, rejections = read(TEXT_DESCRIPTION, round_name="v0.6")
    assert rejections == ()
    assert (system.nodes, system.accelerators, system.accelerator_id) == (
        130,
        1040,
        "v100-sxm2-16gb",
    )
    assert (system.division, system.availability) == ("closed", "onprem")
    assert (system.host_processors_per_node, system.host_processor_cores) == (2, 20)
    assert system.host_memory_gib == 503


def entry(**group):
    nodes = {"num_nodes": 2, "cpu": "Xeon", "accelerator": "Tesla V100-SXM2-16GB", **group}
    return json.dumps({"division": "closed", "status": "cloud", "nodes": [nodes]}).encode()


def test_entries_of_the_first_rounds():
    system, _ = read(entry(num_accelerators=4), round_name="v0.6")
    assert (system.nodes, system.accelerators_per_node, system.accelerators) == (2, 4, 8)
    system, _ = read(entry(num_accelerators=32, accelerator="tpuv3-32"), round_name="v0.5")
    assert (system.accelerators, system.accelerator_id) == (16, "tpu-v3")
    system, _ = read(entry(num_accelerators=0, accelerator="NA"), round_name="v0.5")
    assert (system.accelerators, system.accelerator_id) == (0, None)


def test_unequal_groups_of_an_entry():
    groups = [{"num_nodes": 2, "num_accelerators": 8}, {"num_nodes": 1, "num_accelerators": 4}]
    system, _ = read(json.dumps({"nodes": groups}).encode(), round_name="v0.6")
    assert (system.nodes, system.accelerators) == (3, 20)


def test_the_size_of_a_cluster_is_refused():
    system, rejections = read(
        entry(num_nodes=128, num_accelerators=8),
        round_name="v0.5",
        system_id="dgx1_multi_ngc18.11_pytorch",
    )
    assert (system.nodes, system.accelerators) == (None, None)
    assert "size of the cluster" in rejections[0].reason


def test_whole_and_memory():
    assert whole(float("nan")) is None
    assert [memory_gib(t) for t in ("2TiB", "512GB", "1,5 TB", None, "0 GB", "263.9 GB")] == [
        2048.0,
        512.0,
        None,
        None,
        None,
        263.9,
    ]
