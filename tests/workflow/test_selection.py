"""Selections: names resolved, rounds held to a block."""

import pytest

import equipoise as eq
from equipoise.errors import NothingFoundError, UnknownNameError, UsageError
from equipoise.workflow.selection import resolve, select


@pytest.fixture(scope="module")
def catalogue():
    return eq.open_catalogue()


def test_the_default_rounds_are_the_largest_block(catalogue) -> None:
    assert resolve(catalogue, "bert").rounds[0] == "v1.0"
    assert resolve(catalogue, "bert").rounds[-1] == "v5.0"


@pytest.mark.parametrize("name", ["retinanet", "RetinaNet", "RETINANET"])
def test_names_are_resolved(catalogue, name) -> None:
    assert resolve(catalogue, name).benchmark == "retinanet"


def test_rounds_of_two_blocks_are_refused_with_the_blocks(catalogue) -> None:
    with pytest.raises(UsageError, match=r"v0\.7.*v1\.0-v5\.0"):
        resolve(catalogue, "bert", rounds=["v0.7", "v1.0"])


def test_a_round_without_the_benchmark_is_refused(catalogue) -> None:
    with pytest.raises(UsageError, match="not part of"):
        resolve(catalogue, "flux1", rounds=["v3.0"])


def test_a_range_that_reaches_beyond_the_block_keeps_what_is_in_it(catalogue) -> None:
    assert resolve(catalogue, "gpt3", rounds=["v2.0..v5.1"]).rounds == (
        *("v3.0", "v3.1", "v4.0", "v4.1"),
    )


def test_a_family_stands_for_its_accelerators(catalogue) -> None:
    ids = resolve(catalogue, "bert", accelerators=["h100"]).accelerators
    assert "h100-sxm5-80gb" in ids
    assert all(name.startswith("h100") for name in ids)


def test_every_condition_holds_for_what_is_selected(catalogue) -> None:
    _, found = select(
        catalogue,
        "bert",
        rounds=["v4.0..v4.1"],
        accelerators=["h100-sxm5-80gb"],
        min_accelerators=8,
        max_accelerators=64,
    )
    assert found
    assert {c.round for c in found} == {"v4.0", "v4.1"}
    assert {c.accelerator_id for c in found} == {"h100-sxm5-80gb"}
    assert all(8 <= c.accelerators <= 64 and c.division == "closed" for c in found)


def test_resubmitted_configurations_are_kept_on_request(catalogue) -> None:
    _, once = select(catalogue, "resnet")
    _, every = select(catalogue, "resnet", keep_resubmitted=True)
    assert len(every) > len(once)


def test_nothing_found_says_what_there_is(catalogue) -> None:
    with pytest.raises(NothingFoundError, match=r"\d+ exist"):
        select(catalogue, "bert", min_accelerators=10**6)


@pytest.mark.parametrize(
    "options",
    [
        {"division": "half-open"},
        {"availability": ["tomorrow"]},
        {"submitters": ["Nobody"]},
        {"accelerators": ["abacus"]},
    ],
)
def test_unknown_names_list_the_choices(catalogue, options) -> None:
    with pytest.raises(UnknownNameError, match="choices"):
        resolve(catalogue, "bert", **options)


def test_submitters_and_availability_may_be_one_text(catalogue) -> None:
    found = resolve(catalogue, "bert", submitters=["dell, NVIDIA"], availability=["onprem,cloud"])
    assert list(dict.fromkeys(name.lower() for name in found.submitters)) == ["dell", "nvidia"]
    assert found.availability == ("onprem", "cloud")


def test_a_submitter_is_found_under_every_spelling():
    with eq.open_catalogue() as catalogue:
        assert {"NVIDIA", "nvidia"} <= set(catalogue.submitters())
        for name in ("NVIDIA", "nvidia"):
            _, found = select(catalogue, "resnet", submitters=(name,))
            assert {c.submitter for c in found} == {"NVIDIA"}
            _, found = select(catalogue, "resnet", rounds=("v0.5",), submitters=(name,))
            assert {c.submitter for c in found} == {"nvidia"}


def test_rounds_and_accelerators_take_commas_and_every_name_is_checked(catalogue) -> None:
    both = resolve(catalogue, "bert", rounds=["v4.0, v4.1"], accelerators=["h100,h200"])
    apart = resolve(catalogue, "bert", rounds=["v4.0", "v4.1"], accelerators=["h100", "h200"])
    assert both == apart
    with pytest.raises(UnknownNameError, match="xyz"):
        resolve(catalogue, "bert", accelerators=["h100,xyz"])
