"""The report on several workloads: every chart draws its own numbers."""

import json
import re
from dataclasses import replace
from types import ModuleType

import pytest

from equipoise.report.figures.alike import on_the_same_axes
from equipoise.report.figures.curves import curve_styles, scaling_efficiency, scaling_time
from equipoise.report.scaling_report import scaling_html, side_by_side


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


def test_efficiency_side_by_side_is_that_of_the_breakeven_points(builders: ModuleType) -> None:
    scaling = builders.scaling_result(builders.configurations())
    worth = builders.breakeven_result(scaling)
    section = side_by_side([("One", scaling, worth), ("Two", scaling, worth)], own=[scaling] * 2)
    assert [item.figure.title for item in section.figures] == ["One", "Two"]
    assert section.figures[0].figure.rows[0]["accelerators"] == 32
    assert side_by_side([("One", scaling, worth)]).figures == ()


def test_two_curves_of_one_accelerator_are_told_apart(builders: ModuleType) -> None:
    scaling = builders.scaling_result(builders.configurations())
    first, second = scaling.curves[:2]
    same = replace(second, accelerator_id=first.accelerator_id)
    double = replace(scaling, curves=(first, same, *scaling.curves[2:]))
    spec = scaling_time(double, curves=[first.curve, second.curve]).spec
    marks = next(layer for layer in spec["layer"] if "shape" in layer["encoding"])
    assert marks["encoding"]["color"]["title"] == "Curve"
    assert marks["encoding"]["color"]["scale"]["domain"] == [first.curve, second.curve]
    colours = marks["encoding"]["color"]["scale"]["range"]
    assert colours[0] == colours[1]  # an accelerator keeps its colour
    shapes = marks["encoding"]["shape"]["scale"]["range"]
    assert shapes[0] != shapes[1]
    labels = [layer for layer in spec["layer"] if layer["mark"]["type"] == "text"]
    assert len(labels[0]["data"]["values"]) == 2
    alone = scaling_time(scaling, curves=[first.curve, second.curve]).spec
    assert not [layer for layer in alone["layer"] if layer["mark"]["type"] == "text"]
    assert curve_styles(["a100-sxm4-80gb"] * 2)[1] != curve_styles(["a100-sxm4-80gb"])[0]
