"""Where a file belongs: properties of the normalisation of paths."""

from hypothesis import given
from hypothesis import strategies as st

from equipoise.errors import SourceError
from equipoise.sources.containers.names import (
    Layout,
    MisplacedError,
    Place,
    clean_parts,
    own_path,
    round_of_name,
    tree_index,
)

NAME = st.sampled_from(
    ["v4.1", "Dell", "results", "systems", "benchmarks", "bert", "x y", "..", "."]
)
RAW = st.one_of(st.text(max_size=60), st.lists(NAME, max_size=8).map("/".join))
FOLDER = st.text(st.characters(exclude_characters="/\0"), min_size=1, max_size=8).filter(
    lambda name: name not in {".", "..", "results", "systems", "benchmarks", "power", "v0.5.0"}
)


@given(RAW)
def test_clean_parts_never_lead_out(raw: str) -> None:
    parts = clean_parts(raw)
    if parts is not None:
        assert not raw.startswith("/")
        assert all(part not in {"", ".", ".."} and "/" not in part for part in parts)


@given(RAW)
def test_cleaning_twice_changes_nothing(raw: str) -> None:
    parts = clean_parts(raw)
    if parts is not None:
        assert clean_parts("/".join(parts)) == parts


@given(st.lists(RAW, max_size=6))
def test_located_paths_have_the_submitter_first(raws: list[str]) -> None:
    layout = Layout(place=Place(name="here"), label="x")
    for raw in raws:
        parts = clean_parts(raw)
        if parts is None:
            continue
        try:
            located = layout.locate(parts)
        except (MisplacedError, SourceError):
            continue
        if located is None:
            assert tree_index(parts[:-1]) is None
        else:
            assert located[1] in {"results", "systems"}
            assert located[-1] == parts[-1]


@given(st.lists(FOLDER, min_size=3, max_size=3), st.sampled_from(["", "v4.1/", "./", "a/b/"]))
def test_outer_folders_do_not_matter(names: list[str], top: str) -> None:
    submitter, system, benchmark = names
    inside = f"{submitter}/results/{system}/{benchmark}/result_0.txt"
    parts = clean_parts(top + inside)
    assert parts is not None
    located = Layout(place=Place(name="here"), label="x").locate(parts)
    assert located is not None
    assert "/".join(located) == inside


@given(st.lists(FOLDER, min_size=1, max_size=6), FOLDER, st.lists(FOLDER, max_size=3))
def test_own_logs_always_have_all_levels(parts: list[str], name: str, above: list[str]) -> None:
    place = Place(name=name, above=tuple(above))
    located = own_path(parts, place)
    assert len(located) >= 5
    assert located[1] == "results"
    assert located[-1] == parts[-1]


def test_power_files_stay_with_their_benchmark() -> None:
    parts = ["exp", "bert", "power", "result_0", "node_0.txt"]
    assert own_path(parts, Place(name="x"))[2:] == (
        "exp",
        "bert",
        "power",
        "result_0",
        "node_0.txt",
    )


def test_round_of_name() -> None:
    named = {
        "training_results_v0.7": "v0.7",
        "training_results_v5.1-main": "v5.1",
        "v6.0-format": "v6.0",
        "v4.1": "v4.1",
        "v0.5.0": "v0.5",
        "results-v4.1": "v4.1",
        "MLPerf-Training-V5.0-results": "v5.0",
        "inference_results_v4.1": None,
        "pytorch-v2.1": None,
        "v1": None,
        "rev4.1": None,
        "": None,
    }
    assert {name: round_of_name(name) for name in named} == named


def test_outside_names() -> None:
    place = Place(name="bert", above=("home", "v4.1", "Dell", "results", "node"))
    assert (place.round(), place.round(4)) == (None, "v4.1")
    assert Place(name="results", above=()).submitter_prefix() is None
    assert Place(name="d", above=("results", "a", "b", "c")).submitter_prefix() is None
    unrelated = Place(name="data", above=("opt", "tool", "v0.5.0"))
    assert unrelated.first_round_prefix() is None
