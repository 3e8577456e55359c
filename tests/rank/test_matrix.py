import csv
import json
import math

import pytest

from equipoise.errors import DataError, UsageError
from equipoise.rank import METHODS, WEIGHTINGS, rank_matrix


def load(folder):
    with (folder / "input" / "matrix.csv").open(newline="") as lines:
        header, *rows = csv.reader(lines)
    names = [row[0] for row in rows]
    values = [[float(cell) for cell in row[1:]] for row in rows]
    return names, header[1:], values, json.loads((folder / "expected.json").read_text())


def finite(result):
    numbers = [row.score for row in result.ranking if row.score is not None]
    numbers += [value for row in result.ranking for value in row.contributions.values()]
    return all(math.isfinite(number) for number in [*numbers, *result.weights.values()])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("weights", WEIGHTINGS)
def test_case_zero_and_constant_columns(shared, method, weights):
    names, criteria, values, expected = load(shared / "cases" / "78-zero-and-constant-columns")
    result = rank_matrix(values, criteria, names=names, method=method, weights=weights)
    assert list(result.criteria_used) == expected["ranking_uses"]
    assert any(text.startswith("energy and preview are the same") for text in result.warnings)
    assert finite(result)
    without = rank_matrix(
        [row[:2] for row in values], criteria[:2], names=names, method=method, weights=weights
    )
    assert result.ranks == without.ranks


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("weights", [*WEIGHTINGS, "minutes=2,cost=1"])
def test_case_all_alternatives_equal(shared, method, weights):
    names, criteria, values, expected = load(shared / "cases" / "80-all-alternatives-equal")
    result = rank_matrix(values, criteria, names=names, method=method, weights=weights)
    assert result.ranks == expected["rank"]
    assert finite(result)
    assert all(row.pareto for row in result.ranking)


def test_a_row_without_a_value_is_set_aside_and_named():
    result = rank_matrix(
        [[1.0, 9], [2, 5], [3, 4], [4, None], [5, 1], [6, 0.5]],
        ["time:min", "cost:min"],
        names="abcdef",
    )
    assert "d" not in result.ranks
    assert result.set_aside == {"d": "no value of cost"}
    assert "1 of 6 rows" in result.warnings[0]


def test_a_criterion_that_few_rows_have_is_set_aside_instead():
    result = rank_matrix(
        [[1.0, 9], [2, None], [3, None], [4, None]], ["time:min", "energy:min"], names="abcd"
    )
    assert result.ranks == {"a": 1, "b": 2, "c": 3, "d": 4}
    assert result.criteria_used == ("time",)
    assert "known for 25%" in result.warnings[0]


def test_infinite_and_missing_columns_do_not_reach_the_method():
    result = rank_matrix(
        [[1.0, math.nan, math.inf], [2, None, -math.inf]], ["a:min", "b:min", "c:max"]
    )
    assert result.ranks == {"1": 1, "2": 2}
    assert finite(result)


def test_user_weights_scale_away_and_zero_leaves_a_criterion_out():
    values = [[1.0, 9, 3], [2, 5, 1], [3, 4, 2]]
    criteria = ["a:min", "b:min", "c:max"]
    small = rank_matrix(values, criteria, weights="a=1,b=2,c=1")
    large = rank_matrix(values, criteria, weights={"a": 100, "b": 200, "c": 100})
    assert small.ranking == large.ranking
    without = rank_matrix(values, criteria, weights="a=1,b=2,c=0")
    assert without.criteria_used == ("a", "b")


def test_one_row_and_no_row():
    assert rank_matrix([[1.0, 2.0]], ["a:min", "b:max"]).ranks == {"1": 1}
    assert rank_matrix([], ["a:min"]).ranks == {}


def test_options_reach_the_methods():
    values = [[1.0, 9], [2, 5], [4, 4]]
    criteria = ["a:min", "b:min"]
    assert rank_matrix(values, criteria, method="vikor", options={"v": 1.0}).ranks
    bounds = {"a": (0, 10), "b": (0, 10)}
    spotis = rank_matrix(values, criteria, method="spotis", options={"bounds": bounds})
    assert spotis.ranking[0].score == pytest.approx(0.35)
    thresholds = {"indifference": {"a": 5, "b": 0}, "preference": {"a": 9, "b": 1}}
    flows = rank_matrix(values, criteria, method="promethee", options=thresholds)
    assert flows.ranks == {"3": 1, "2": 2, "1": 3}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"criteria": ["a", "b:min"]}, "name:min or name:max"),
        ({"criteria": ["a:min", "a:min"]}, "each of them once"),
        ({"criteria": ["a:min"]}, "row 1 has 2 values"),
        ({"names": ["x", "x"]}, "name of its own"),
        ({"method": "tops"}, "did you mean 'topsis'"),
        ({"weights": "a=1"}, "no weight for b"),
        ({"weights": "a=1,c=1"}, "not among the criteria"),
        ({"options": {"w": 1}}, "no option 'w'"),
        ({"method": "vikor", "options": {"v": 2}}, "from 0 to 1"),
        ({"method": "promethee", "options": {"preference": {"a": 1, "b": 1}}}, "together"),
        ({"method": "spotis", "options": {"bounds": {"a": (0, 1)}}}, "needs numbers for each"),
    ],
)
def test_odd_requests_say_what_is_wrong(changes, words):
    request = {"matrix": [[1.0, 2.0], [2.0, 1.0]], "criteria": ["a:min", "b:min"]} | changes
    matrix, criteria = request.pop("matrix"), request.pop("criteria")
    with pytest.raises(UsageError, match=words):
        rank_matrix(matrix, criteria, **request)


def test_waspas_refuses_zeros_by_name():
    with pytest.raises(DataError, match="cost has others"):
        rank_matrix([[1.0, 0], [2, 1]], ["time:min", "cost:min"], method="waspas")


@pytest.mark.parametrize("value", ["x", 10**400, 1e200, [1]])
def test_a_value_that_is_no_usable_number_is_named(value: object) -> None:
    with pytest.raises(UsageError, match="row 2, value 1"):
        rank_matrix([[1.0, 2.0], [value, 1.0]], ["a:min", "b:max"])  # type: ignore[list-item]
