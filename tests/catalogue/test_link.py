import random
from dataclasses import replace

import pytest

from equipoise.catalogue.link import link, place_of


def test_a_run_published_again_names_its_first_place(make):
    first = make.run(round="v4.0")
    again = replace(first, round="v4.1", bytes=999, system_id="node-b")
    linked = link([again, first], [])
    assert {run.round: run.duplicate_of for run in linked.runs} == {
        "v4.0": None,
        "v4.1": place_of(first),
    }
    assert (linked.groups, linked.copies) == (1, 1)


@pytest.mark.parametrize(
    "change",
    [
        {"start_ms": 1.0},
        {"stop_ms": 1.9e12},
        {"seed": "other"},
        {"benchmark": "resnet"},
        {"start_ms": None},
        {"stop_ms": None},
    ],
)
def test_runs_that_differ_are_not_linked(make, change):
    one = make.run()
    linked = link([one, replace(one, path="other.txt", **change)], [])
    assert linked.copies == 0


def test_a_seed_that_one_log_lacks_does_not_separate_copies(make):
    one = make.run(seed=None)
    linked = link([one, replace(one, round="v5.0", seed="7")], [])
    assert linked.copies == 1


def test_with_two_seeds_logs_without_seed_are_only_copies_of_each_other(make):
    one = make.run()
    runs = [
        replace(one, path=str(place), seed=seed)
        for place, seed in enumerate(["1", None, "2", None, "1"])
    ]
    linked = {run.path: run.duplicate_of for run in link(runs, []).runs}
    assert linked == {"0": None, "1": None, "2": None, "3": "v4.1:1", "4": "v4.1:0"}


def test_a_copy_inside_one_folder_counts_once(make):
    runs, score = make.result(count=5)
    copies = [replace(run, path=run.path.replace("_", "_raw_")) for run in runs]
    linked = link([*runs, *copies], [replace(score, runs=10)])
    (only,) = linked.scores
    assert (only.runs, only.distinct_runs, only.resubmission_of) == (10, 5, None)


def test_a_score_whose_runs_were_all_published_before_is_a_resubmission(make):
    runs, score = make.result(round="v4.0")
    again = [replace(run, round="v5.0") for run in runs]
    linked = link([*again, *runs], [replace(score, round="v5.0"), score])
    assert [s.resubmission_of for s in linked.scores] == ["v4.0/ExampleOrg/node-a/bert", None]
    assert linked.resubmissions == 1


def test_a_failed_run_of_its_own_does_not_make_a_resubmission_new(make):
    runs, score = make.result(round="v4.0")
    again = [replace(run, round="v5.0") for run in runs]
    again.append(make.run(9, round="v5.0", success=False, failure="status"))
    linked = link([*again, *runs], [replace(score, round="v5.0", runs=6)])
    assert linked.scores[0].resubmission_of == "v4.0/ExampleOrg/node-a/bert"


def test_one_new_run_makes_a_score_new(make):
    runs, score = make.result(round="v4.0")
    again = [replace(run, round="v5.0") for run in runs[:4]]
    again.append(make.run(9, round="v5.0"))
    linked = link([*again, *runs], [replace(score, round="v5.0")])
    assert linked.scores[0].resubmission_of is None


def test_runs_from_two_earlier_configurations_are_no_resubmission_of_either(make):
    one, _ = make.result(round="v4.0", system_id="node-a")
    other = make.run(7, round="v4.0", system_id="node-b")
    mixed = [replace(run, round="v5.0", system_id="node-c") for run in (*one, other)]
    linked = link([*one, other, *mixed], [make.score(round="v5.0", system_id="node-c")])
    assert linked.scores[0].resubmission_of is None


def test_a_third_publication_names_the_first(make):
    runs, score = make.result(round="v4.0")
    rounds = ("v4.1", "v5.0")
    more = [replace(run, round=name) for name in rounds for run in runs]
    linked = link([*more, *runs], [replace(score, round=name) for name in rounds])
    assert {s.resubmission_of for s in linked.scores} == {"v4.0/ExampleOrg/node-a/bert"}


def test_links_do_not_depend_on_order_and_forget_earlier_links(make):
    runs, _ = make.result(round="v4.0")
    everything = [*runs, *(replace(run, round="v5.0") for run in runs)]
    expected = link(everything, []).runs
    shuffled = [replace(run, duplicate_of="v0.6:gone") for run in everything]
    random.Random(3).shuffle(shuffled)
    assert link(shuffled, []).runs == expected
