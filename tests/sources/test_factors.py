"""What scaling files say, and what is wrong with them."""

import pytest

from equipoise.sources.factors import read_factor

FOLDER = "ExampleOrg/results/node-a/resnet"


def test_a_plain_factor_says_nothing_more():
    found = read_factor(b'{"scaling_factor": 1.05}', "p")
    assert (found.value, found.warnings, found.problem) == (1.05, (), None)


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ('{"scaling_factor": 0}', 1, "scaling_factor 0 is not a number above 0"),
        ('{\n"scaling_factor": -1.5}', 2, "scaling_factor -1.5 is not"),
        ('{"scaling_factor": NaN}', 1, "scaling_factor NaN is not"),
        ('{"scaling_factor": 1e999}', 1, "scaling_factor Infinity is not"),
        ('{"scaling_factor": true}', 1, "scaling_factor true is not"),
        ('{"scaling_factor": null}', 1, "scaling_factor null is not"),
        ('{"scaling_factor": "much"}', 1, 'scaling_factor "much" is not'),
        ('{"scaling_factor": [1.1]}', 1, "scaling_factor [1.1] is not"),
        ('{"factor": 1.1}', None, "has no scaling_factor"),
        ("1.05", None, "has no scaling_factor"),
        ("[" * 100_000, None, "nested too deeply"),
        ('{"scaling_factor"\n 1.05}', 2, "not JSON"),
        ("scaling_factor,1.05", 1, "not JSON"),
        ("", 1, "not JSON"),
    ],
)
def test_what_is_no_factor_has_line_and_remedy(text, line, reason):
    found = read_factor(text.encode(), "p")
    assert (found.value, found.line) == (None, line)
    assert reason in found.problem
    assert 'write {"scaling_factor": 1.05}, or remove the file' in found.problem


@pytest.mark.parametrize(
    ("text", "value", "warning"),
    [
        (
            '{"scaling_factor": 1.5,\n"scaling_factor": 1.1}',
            1.1,
            'p:2: "scaling_factor" is given twice (1.5, then 1.1); the last one is used',
        ),
        ('{"scaling_factor": 1.1,}', 1.1, "p:1: comma before a closing bracket ignored"),
        ('\n{"scaling_factor": 12}', 12.0, "p:2: scaling_factor 12 is strange"),
        ('{"scaling_factor": 0.5}', 0.5, "p:1: scaling_factor 0.5 is strange"),
    ],
)
def test_what_is_odd_is_applied_and_said(text, value, warning):
    found = read_factor(text.encode(), "p")
    assert (found.value, found.problem) == (value, None)
    assert len(found.warnings) == 1
    assert found.warnings[0].startswith(warning)


def read(maker, text, **options):
    runs = maker.runs(FOLDER, [300, 301, 302, 303, 304])
    return maker.read({**runs, f"{FOLDER}/scaling.json": text}, **options)


def test_a_score_says_what_is_odd_about_its_factor(maker):
    data = read(maker, b'{"scaling_factor": 2, "scaling_factor": 20}')
    (score,) = data.scores
    assert score.time_to_train_min == pytest.approx(302 / 60 * 20)
    text = " ".join(score.warnings)
    assert f"{FOLDER}/scaling.json:1: scaling_factor 20 is strange" in text
    assert "is given twice (2, then 20)" in text


def test_without_a_factor_there_is_no_score(maker):
    data = read(maker, b'{"scaling_factor": "x"}')
    assert data.scores[0].time_to_train_min is None
    codes = {r.code: (r.path, r.line) for r in data.rejections}
    assert codes["bad-scaling-factor"] == (f"{FOLDER}/scaling.json", 1)
