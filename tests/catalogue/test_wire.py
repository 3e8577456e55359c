"""Facts as Arrow tables: what comes back is what went in, to the type and the bit."""

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.catalogue.columns import TABLES
from equipoise.domain import Run
from equipoise.sources.containers import open_source
from equipoise.sources.extract import Extracted, Task
from equipoise.sources.layout import FilePlace, Kind
from equipoise.sources.lines import Lines
from equipoise.sources.logs import Evaluation, LogFacts
from equipoise.sources.parallel import batches_of, work
from equipoise.sources.runs import Place

pyarrow = pytest.importorskip("pyarrow", reason="the extra `cluster` is not installed")

from equipoise.catalogue.cells import codec_of, escaped, unescaped  # noqa: E402
from equipoise.catalogue.wire import PAIRS, TOTALS, UNFIT, from_arrow, schemas, to_arrow  # noqa: E402

HINTS = get_type_hints(Extracted)
KINDS = [name for name, kind in HINTS.items() if get_origin(kind) is list]
TEXT = st.text(st.characters() | st.sampled_from("\x10\x00\ud800\udfff\ude00"), max_size=6)
INTEGER = st.integers() | st.sampled_from([2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 10**400])
REAL = st.floats() | st.sampled_from([-0.0, math.nan, math.inf, -math.inf, 5e-324])
NUMBER = INTEGER | REAL | st.booleans()
"""Code that is loose about its numbers leaves any of these where another one is declared."""
JSON = st.recursive(
    st.none() | st.booleans() | INTEGER | REAL | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
PLAIN = {
    NoneType: st.none(),
    str: TEXT,
    int: NUMBER,
    float: NUMBER,
    bool: NUMBER,
    Any: JSON,
    Lines: st.builds(Lines, st.dictionaries(TEXT, INTEGER, max_size=3)),
}


def values_of(kind: Any) -> st.SearchStrategy[Any]:
    """Return values of an annotation."""
    outer, inner = get_origin(kind), get_args(kind)
    if kind in PLAIN:
        return PLAIN[kind]
    if outer in {Union, UnionType}:
        return st.one_of([values_of(one) for one in inner])
    if is_dataclass(kind) or hasattr(kind, "_fields"):
        hints = get_type_hints(kind)
        names = [f.name for f in fields(kind)] if is_dataclass(kind) else kind._fields
        return st.builds(kind, **{name: values_of(hints[name]) for name in names})
    if isinstance(kind, type) and issubclass(kind, Enum):
        return st.sampled_from(kind)
    if outer is tuple and inner[1:] == (...,):
        return st.lists(values_of(inner[0]), max_size=3).map(tuple)
    if outer is tuple:
        return st.tuples(*map(values_of, inner))
    if outer is frozenset:
        return st.frozensets(values_of(inner[0]), max_size=3)
    if outer in {Mapping, dict}:
        return st.dictionaries(values_of(inner[0]), values_of(inner[1]), max_size=3)
    raise AssertionError(kind)


def shown(found: Extracted) -> str:
    """Return facts as text: it tells 1 from 1.0 and from True, 0.0 from -0.0, and NaN is NaN."""
    facts = {name: getattr(found, name) for name in HINTS}
    # A set shows its members in any order, and a log does not show its lines.
    facts["undecided"] = [
        (place, replace(log, lost_keys=frozenset()), sorted(log.lost_keys), log.lines)
        for place, log in found.undecided
    ]
    return repr(facts)


def assert_comes_back(found: Extracted) -> Mapping[str, Any]:
    before = shown(found)
    tables = to_arrow(found)
    for table in tables.values():
        table.validate(full=True)
    assert shown(from_arrow(tables)) == before
    assert shown(found) == before
    return tables


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_fact_comes_back(name):
    @settings(max_examples=40)
    @given(st.lists(values_of(get_args(HINTS[name])[0]), min_size=1, max_size=3), INTEGER)
    def check(facts, number):
        tables = assert_comes_back(Extracted(**{name: facts}, bytes=number, files=3))
        assert set(tables) == {TOTALS, name}
        assert tables[name].num_rows == len(facts)

    check()


def test_no_facts():
    tables = assert_comes_back(Extracted())
    assert tables[TOTALS].to_pylist() == [{"bytes": 0, "files": 0, UNFIT: None}]
    assert set(tables) == {TOTALS}


def test_facts_of_a_round_of_odd_files(make_odd_round, tmp_path):
    source = open_source(make_odd_round(tmp_path / "v4.1"), round="v4.1")
    found = Extracted()
    for batch in batches_of(source):
        found.add(work(batch, Task(round="v4.1", keep_raw=True)))
    tables = assert_comes_back(found)
    assert set(tables) == {TOTALS, *KINDS}, "a kind of fact is not in the round"
    assert tables["runs"].column(UNFIT).null_count == tables["runs"].num_rows
    assert found == from_arrow(tables)
    _, log = found.undecided[0]
    assert log.odd_time is not None
    assert log.damages
    _, back = from_arrow(tables).undecided[0]
    assert back.lines.of("run_stop") == log.lines.of("run_stop") is not None
    assert back.warnings("p") == log.warnings("p")


def test_facts_of_the_cases(shared):
    folders = sorted((shared / "cases").glob("*/input/*/results"))
    if not folders:
        pytest.skip("no cases beside this checkout")
    read = 0
    for folder in folders:
        source = open_source(folder.parents[1], round="v4.1")
        for batch in batches_of(source):
            for unverified in (False, True):
                found = work(batch, Task(round="v4.1", unverified=unverified, keep_raw=True))
                assert_comes_back(found)
                read += found.files
    assert read > 0


def test_lines_travel_without_their_log():
    log = LogFacts(lines=Lines({}, {"run_stop": 1}, [b"a\n", b"b"], 3))
    place = Place(
        round="v4.1",
        submitter="A",
        system_id="s",
        benchmark="bert",
        benchmark_folder="bert",
        path="p",
    )
    tables = to_arrow(Extracted(undecided=[(place, log)]))
    (_, back), *_ = from_arrow(tables).undecided
    assert back.lines == Lines({"run_stop": 5})


@pytest.mark.parametrize("name", ["systems", "runs", "rejections"])
def test_columns_have_the_types_of_the_catalogue(name):
    arrow = {
        "text": pyarrow.string(),
        "integer": pyarrow.int64(),
        "real": pyarrow.float64(),
        "truth": pyarrow.bool_(),
        "texts": pyarrow.list_(pyarrow.string()),
    }
    prefix = f"{PAIRS[name][0]}." if name in PAIRS else ""
    schema = schemas()[name]
    for column in TABLES[name].columns:
        assert schema.field(prefix + column.name).type == arrow[column.kind], column.name


PLACE = "kind string, path string, submitter string, system_id string, folder string, result string"


def placed(rest: str) -> str:
    names = [f"place.{one}" for one in PLACE.split(", ")]
    return ", ".join([*names, rest])


EXPECTED = {
    "totals": "bytes int64, files int64",
    "links": placed("target string"),
    "factors": placed(
        "factor.value double, factor.warnings list<item: string>, factor.problem string, "
        "factor.line int64"
    ),
    "power": placed(
        "is_switch bool, start_ms double, end_ms double, stop_repeats_start bool, "
        "watt_ms double, conversion_efficiency double, switch_w double, readings int64, "
        "damage_count int64"
    ),
    "others": PLACE,
    "unread": PLACE,
    "rejections": "round string, path string, line int64, code string, reason string",
    "undecided": "place.round string, place.submitter string, place.system_id string, "
    "place.benchmark string, place.benchmark_folder string, place.path string, "
    "log.notation string, log.start_ms double, log.stop_ms double, log.starts int64, "
    "log.stops int64, log.status string, log.stop_progress map<string, double>, "
    "log.evaluations "
    "list<item: struct<key: string, logged: string, metadata: map<string, string>>>, "
    "log.evaluations_after_stop "
    "list<item: struct<key: string, logged: string, metadata: map<string, string>>>, "
    "log.init_start_ms double, log.init_stop_ms double, log.values map<string, string>, "
    "log.rates_per_s list<item: double>, log.step_times_s list<item: double>, "
    "log.eval_result_s double, log.run_final bool, "
    "log.damages list<item: struct<line: int64, key: string, reason: string, lost: bool>>, "
    "log.damage_count int64, log.lost_keys list<item: string>, "
    "log.odd_time struct<0: int64, 1: double>, log.odd_times int64, log.bytes int64, "
    "log.lines map<string, int64>",
}


@pytest.mark.parametrize("name", EXPECTED)
def test_schema(name):
    found = ", ".join(f"{field.name} {field.type}" for field in schemas()[name])
    assert found == f"{EXPECTED[name]}, {UNFIT} string"


def test_a_schema_for_every_kind():
    assert list(schemas()) == [TOTALS, *KINDS]
    pairs = {n for n in KINDS if get_origin(get_args(HINTS[n])[0]) is tuple}
    assert set(PAIRS) == pairs
    assert schemas()["nested"].names[:-1] == [field.name for field in fields(Run)]


def test_what_a_column_cannot_hold_is_beside_it(make):
    run = make.run(micro_batch_size=2**70, start_ms=5, seed="7")
    table = to_arrow(Extracted(nested=[make.run(), run]))["nested"]
    assert table.column("micro_batch_size").to_pylist() == [None, None]
    assert table.column("start_ms").to_pylist() == [make.run().start_ms, None]
    assert table.column(UNFIT).to_pylist() == [
        None,
        f'{{"start_ms": 5, "micro_batch_size": {2**70}}}',
    ]


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (str, b"bytes"),
        (float, 1j),
        (tuple[str, ...], ["a list"]),
        (tuple[int, float], [1, 2.0]),
        (frozenset[str], {"a set"}),
        (Any, {"a": (1, 2)}),
        (Any, {1: "a"}),
        (dict[str, Any], {1: "a"}),
        (dict[str, int], [("a", 1)]),
        (Kind, "log"),
        (Evaluation, ("a", 1, {})),
        (Lines, {"a": 1}),
    ],
    ids=str,
)
def test_what_would_come_back_as_something_else_is_refused(kind, value):
    with pytest.raises(TypeError):
        codec_of(kind).put(value)


def test_a_type_without_a_column_is_refused():
    with pytest.raises(TypeError, match="no column can hold"):
        codec_of(set[int])


@pytest.mark.parametrize(
    "value",
    [
        "\ud83d\ude00",  # two halves, each by itself: not the character that a pair makes
        "\x10d83d",
        {"\ud83d\ude00": ["\x10", "\x00", "\\ud83d"]},
        [True, 1, 1.0, -0.0, 10**4000, -(2**70), 1e400, -1e400],
        float("nan"),
        {"a": {}, "b": [], "c": None},
    ],
    ids=ascii,
)
def test_odd_json_comes_back(value):
    codec = codec_of(Any)
    column = pyarrow.array([codec.put(value)], codec.arrow)
    column.validate(full=True)
    assert repr(codec.take(column.to_pylist()[0])) == repr(value)


def test_deep_json_comes_back():
    value: Any = 1
    for _ in range(400):
        value = [value]
    codec = codec_of(Any)
    assert codec.take(codec.put(value)) == value


@given(TEXT)
def test_text_is_escaped_without_loss(text):
    assert unescaped(escaped(text)) == text
    assert unescaped(escaped(text).encode().decode()) == text


def test_tables_of_another_version_are_refused(make):
    tables = to_arrow(Extracted(nested=[make.run()]))
    with pytest.raises(ValueError, match="tables of another version: nested"):
        from_arrow({"nested": tables["nested"]})
    with pytest.raises(ValueError, match="tables of another version: new, totals"):
        from_arrow({TOTALS: tables[TOTALS], "new": tables["nested"]})
    for changed in (
        tables["nested"].drop_columns(["seed"]),
        tables["nested"].rename_columns(["x", *tables["nested"].column_names[1:]]),
    ):
        with pytest.raises(ValueError, match="columns of a table"):
            from_arrow({**tables, "nested": changed})


def test_dask_ships_the_tables_as_arrow_streams(make):
    protocol = pytest.importorskip("distributed.protocol", reason="needs the extra `cluster`")
    place = FilePlace(Kind.LOG, "a/\udcff")
    facts = Extracted(nested=[replace(make.run(), seed="\ud800")], unread=[place], files=1)
    tables = to_arrow(facts)
    header, frames = protocol.serialize(tables)
    read = [pyarrow.ipc.open_stream(pyarrow.py_buffer(bytes(f))).read_all() for f in frames]
    assert read == list(tables.values())
    assert shown(from_arrow(protocol.deserialize(header, frames))) == shown(facts)
