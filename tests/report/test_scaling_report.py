"""The report on several workloads: every chart draws its own numbers."""

import json
import re
from dataclasses import replace
from types import ModuleType

import pytest

from equipoise.report.figures.alike import on_the_same_axes
from equipoise.report.figures.curves import scaling_efficiency, scaling_time
from equipoise.report.scaling_report import scaling_html


@pytest.fixture(scope="module")
def page(builders: ModuleType) -> str:
    scaling = builders.scaling_result(builders.configurations())
    worth = builders.breakeven_result(scaling)
    parts = [
        (name.upper(), replace(scaling, benchmark=name), replace(worth, benchmark=name))
        for name in ("bert", "retinanet")
    ]
    return scaling_html(parts, title="Two", answer="Both.", selection={})


def test_no_chart_takes_the_numbers_of_another_workload(page: str) -> None:
    charts = re.findall(r'data-chart="([\w-]+)"', page)
    specs = re.findall(r'id="spec-([\w-]+)"', page)
    assert charts == specs
    assert len(set(charts)) == len(charts) >= 10
    ids = re.findall(r' id="([\w-]+)"', page)
    assert len(set(ids)) == len(ids)


def test_the_workloads_stand_side_by_side_with_their_breakeven(page: str) -> None:
    part = page.partition('id="side-by-side"')[2].partition("</section>")[0]
    assert part.count("<figure") == 2
    assert part.count('class="card marked"') == 2
    assert "<dt>90 % interval</dt>" not in part  # the planted points have no upper end
    assert "32 accelerators" in part


def test_charts_side_by_side_have_the_same_axes(builders: ModuleType) -> None:
    scaling = builders.scaling_result(builders.configurations())
    names = [curve.curve for curve in scaling.curves]
    figures = [scaling_time(scaling, curves=[name]) for name in names[:2]]
    alone = [json.dumps(figure.spec["layer"][-1]["encoding"]["x"]) for figure in figures]
    assert alone[0] != alone[1]
    first, second = on_the_same_axes(figures)
    for axis in ("x", "y"):
        one, other = (f.spec["layer"][-1]["encoding"][axis] for f in (first, second))
        assert one == other
        before = [f.spec["layer"][-1]["encoding"][axis]["scale"]["domain"] for f in figures]
        assert one["scale"]["domain"] == [min(b[0] for b in before), max(b[1] for b in before)]
        ticks = one["axis"]["values"]
        assert one["scale"]["domain"][0] <= ticks[0]
        assert ticks[-1] <= one["scale"]["domain"][1]
    assert figures[0].spec != first.spec
    shares = on_the_same_axes([scaling_efficiency(scaling, curves=[n]) for n in names[:2]])
    assert "values" not in shares[0].spec["layer"][-1]["encoding"]["y"]["axis"]
