"""Every chart is valid Vega-Lite, draws its marks, and keeps colours and words right."""

import itertools
import json
import re
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any

import altair
import pytest

from equipoise.facts import accelerators
from equipoise.report import export
from equipoise.report.figures import clusters as cluster_charts
from equipoise.report.figures import importance as importance_charts
from equipoise.report.figures import ranking as ranking_charts
from equipoise.report.figures import scaling as scaling_charts
from equipoise.report.figures.base import Figure, decimal_ticks, powers_of_two, sized, themed
from equipoise.report.figures.breakeven import _spread, breakeven_marked, breakeven_rules
from equipoise.report.figures.curves import scaling_efficiency, scaling_speedup, scaling_time
from equipoise.report.figures.decomposition import decomposition
from equipoise.report.figures.importance import importance
from equipoise.report.figures.pareto import pareto
from equipoise.report.figures.prediction import prediction
from equipoise.report.figures.ranking import ranking
from equipoise.report.figures.style import (
    ACCELERATOR_STYLES,
    COLOURS,
    SERIES,
    SHAPES,
    THEMES,
    Theme,
    accelerator_dash,
    accelerator_style,
    named_styles,
)
from equipoise.report.figures.time import efficiency_by_cluster, time_by, time_by_cluster
from equipoise.report.figures.trends import trends

PREDICTIONS = [
    {
        "accelerator_id": "h100-sxm5-80gb",
        "accelerators": n,
        "time_to_train_min": 800 / n,
        "low_50": 740 / n,
        "high_50": 870 / n,
        "low_90": 600 / n,
        "high_90": 1050 / n,
        "basis": "interpolated" if n < 100 else "extrapolated",
        "reason": "",
    }
    for n in (8, 16, 64, 256, 1024)
]
OPTIONS = [
    {
        "rank": i,
        "pareto": i < 4,
        "accelerator_id": accelerator,
        "accelerators": 8 * 2**i,
        "time_to_train_min": 100.0 / 2**i,
        "cost_usd": 40.0 * 1.2**i,
        "reason": "cheap enough",
    }
    for i, accelerator in enumerate(("h100-sxm5-80gb", "mi300x", "gaudi2", "b200-sxm-180gb"), 1)
]
TRENDS = [
    {
        "round": r,
        "accelerator_id": a,
        "accelerators": 8,
        "time_to_train_min": t,
        "submitter": "NVIDIA",
        "system_id": "box",
    }
    for r, a, t in (
        ("v0.7", "a100-sxm4-40gb", 40.0),
        ("v1.0", "a100-sxm4-80gb", 30.0),
        ("v1.1", "a100-sxm4-80gb", 28.0),
        ("v3.0", "h100-sxm5-80gb", 14.0),
    )
]
FIGURES: dict[str, Callable[[Any], Figure]] = {
    "time-by-accelerator": lambda s: time_by(s.configurations),
    "time-by-submitter": lambda s: time_by(s.configurations, colour_by="submitter"),
    "time-by-cluster": lambda s: time_by_cluster(s.clusters),
    "efficiency-by-cluster": lambda s: efficiency_by_cluster(s.clusters),
    "scaling-time": lambda s: scaling_time(s.scaling),
    "scaling-speedup": lambda s: scaling_speedup(s.scaling),
    "scaling-efficiency": lambda s: scaling_efficiency(s.scaling),
    "decomposition": lambda s: decomposition(s.scaling),
    "importance": lambda s: importance(s.importance),
    "ranking": lambda s: ranking(s.ranking),
    "breakeven": lambda s: breakeven_marked(s.scaling, s.breakevens),
    "breakeven-rules": lambda s: breakeven_rules(s.breakevens),
    "prediction": lambda s: prediction(
        PREDICTIONS, measured=[{**PREDICTIONS[0], "label": "own run"}]
    ),
    "pareto": lambda s: pareto(OPTIONS, deadline_min=60, budget=75),
    "trends": lambda s: trends(TRENDS),
}


@pytest.fixture(scope="module", params=FIGURES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def marks(svg: str) -> int:
    """Return how many data marks an SVG has."""
    groups = re.findall(r'class="mark-(?:symbol|rect|line|area|rule) role-mark[^"]*"', svg)
    return len(groups)


def layers(spec: dict[str, Any]) -> list[dict[str, Any]]:
    return spec.get("layer", [spec])


def test_is_valid_and_draws_its_marks(name: str, study: Any) -> None:
    figure = FIGURES[name](study)
    assert figure.name == name
    altair.Chart.from_dict(themed(sized(figure.spec), "light"), validate=True)
    svg = export.svg(figure)
    assert marks(svg) >= 1
    assert svg.count("<path") > 5
    assert "NaN" not in svg
    assert "Infinity" not in svg


def test_has_words_and_numbers_beside_it(name: str, study: Any) -> None:
    figure = FIGURES[name](study)
    assert figure.title
    assert len(figure.description) > 60
    assert figure.spec["description"] == figure.description
    assert figure.rows
    json.dumps(figure.spec, allow_nan=False)


def test_takes_the_width_of_its_place(name: str, study: Any) -> None:
    assert FIGURES[name](study).spec["width"] == "container"


def test_has_tooltips(name: str, study: Any) -> None:
    spec = FIGURES[name](study).spec
    assert any("tooltip" in layer["encoding"] for layer in layers(spec))


@pytest.mark.parametrize("theme", THEMES)
def test_exported_picture_has_the_colours_of_its_theme(study: Any, theme: Theme) -> None:
    svg = export.svg(time_by_cluster(study.clusters), theme=theme)
    assert "var(" not in svg
    assert COLOURS["surface"][theme] in svg
    assert COLOURS["c1"][theme] in svg


def test_png_is_a_png(study: Any) -> None:
    assert export.png(importance(study.importance)).startswith(b"\x89PNG\r\n\x1a\n")


def test_measured_fitted_and_extrapolated_look_different(study: Any) -> None:
    spec = scaling_time(study.scaling).spec
    line = next(
        x for x in layers(spec) if x["mark"]["type"] == "line" and "detail" in x["encoding"]
    )
    scale = line["encoding"]["strokeDash"]["scale"]
    assert scale["domain"] == ["fitted", "extrapolated"]
    assert scale["range"][0] != scale["range"][1]
    assert any(layer["mark"]["type"] == "point" for layer in layers(spec))


def test_dashed_stretches_touch_the_solid_ones(study: Any) -> None:
    lines = scaling_time(study.scaling).spec["datasets"]["lines"]
    for curve in {point["who"] for point in lines}:
        mine = [p for p in lines if p["who"] == curve]
        solid = {p["n"] for p in mine if p["part"] == "fitted"}
        dashed = {p["n"] for p in mine if p["part"] == "extrapolated"}
        assert solid & dashed
        assert solid & dashed <= {min(solid), max(solid)}


def test_count_axis_has_powers_of_two_from_1_to_8192() -> None:
    assert powers_of_two(1, 8192) == [2**i for i in range(14)]
    assert decimal_ticks(0.5, 50) == [0.5, 1, 2, 5, 10, 20, 50]
    assert set(decimal_ticks(1e-4, 1e6)) == {10.0**i for i in range(-4, 7)}


def test_an_accelerator_looks_the_same_in_every_chart(study: Any) -> None:
    seen: dict[str, set[tuple[str, str]]] = {}
    for name in ("time-by-accelerator", "scaling-time", "ranking", "breakeven", "pareto", "trends"):
        for layer in layers(FIGURES[name](study).spec):
            colour, shape = (layer["encoding"].get(c, {}).get("scale") for c in ("color", "shape"))
            if colour and shape:
                assert colour["domain"] == shape["domain"]
                for who, *look in zip(
                    colour["domain"], colour["range"], shape["range"], strict=True
                ):
                    seen.setdefault(who, set()).add((look[0], look[1]))
    assert len(seen) > 5
    assert {who for who, looks in seen.items() if len(looks) > 1} == set()


def test_every_known_accelerator_has_a_look_of_its_own() -> None:
    ids = {accelerator.id for accelerator in accelerators()}
    assert ids - set(ACCELERATOR_STYLES) == set()
    looks = list(ACCELERATOR_STYLES.values())
    assert len(set(looks)) == len(looks)
    assert {shape for _, shape in looks} <= set(SHAPES)


def test_unknown_names_get_a_steady_look() -> None:
    assert accelerator_style("made-up-9000") == accelerator_style("made-up-9000")
    names = [f"submitter {i}" for i in range(30)]
    styles = named_styles(names)
    assert len(set(styles)) == len(names)
    assert named_styles(names) == styles


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", THEMES)
def test_colours_stand_out_from_the_page(theme: Theme) -> None:
    surface = COLOURS["surface"][theme]
    for name in SERIES:
        assert contrast(COLOURS[name][theme], surface) >= 3, name
    for name in ("ink", "muted", "accent"):
        assert contrast(COLOURS[name][theme], surface) >= 4.5, name


@pytest.mark.parametrize("theme", THEMES)
def test_no_two_series_have_one_colour(theme: Theme) -> None:
    for one, other in itertools.combinations(SERIES, 2):
        assert COLOURS[one][theme] != COLOURS[other][theme]


def test_many_curves_are_cut_and_said(study: Any, builders: ModuleType) -> None:
    from dataclasses import replace

    curves = study.scaling.curves
    many = tuple(replace(c, curve=f"{c.curve} {i}") for i in range(3) for c in curves)
    figure = scaling_time(replace(study.scaling, curves=(*curves, *many)))
    assert any("not drawn" in note for note in figure.notes)


def test_named_charts_are_complete_light_specifications(study: Any) -> None:
    drawers = {
        **scaling_charts.charts(study.scaling),
        **scaling_charts.breakeven_charts(study.breakevens),
        **cluster_charts.charts(study.clusters),
        **importance_charts.charts(study.importance),
        **ranking_charts.charts(study.ranking),
    }
    assert {"time", "speedup", "efficiency", "decomposition", "rules", "importance"} <= set(drawers)
    for draw in drawers.values():
        spec = draw()
        assert "var(--" not in json.dumps(spec)
        assert isinstance(spec["width"], int)


def test_save_writes_by_ending_and_names_the_endings(study: Any, tmp_path: Any) -> None:
    from equipoise.errors import EquipoiseError, UsageError

    figure = importance(study.importance)
    for ending in export.PICTURE_ENDINGS:
        export.save(figure, tmp_path / f"chart{ending}")
        assert (tmp_path / f"chart{ending}").stat().st_size > 500
    with pytest.raises(UsageError, match=r"\.svg"):
        export.save(figure, tmp_path / "chart.bmp")
    with pytest.raises(EquipoiseError, match="cannot write"):
        export.save(figure, tmp_path / "no" / "folder.svg")


def test_own_results_are_marked_in_tooltips(study: Any) -> None:
    """MLCommons' rules: what it did not verify says so, in charts as in tables."""
    first, second, *_ = study.configurations
    own = replace(first, division="unverified", submitter="me")
    official = replace(second, submitter="Acme")
    values = time_by([own, official]).spec["data"]["values"]
    assert {value["s"] for value in values} == {"me (unverified)", "Acme"}


def test_accelerators_of_one_chart_never_look_alike() -> None:
    looks = {(*accelerator_style(name), accelerator_dash(name)) for name in ACCELERATOR_STYLES}
    assert len(looks) == len(ACCELERATOR_STYLES)
    assert accelerator_style("tpu-v3")[0] != accelerator_style("h100-sxm5-80gb")[0]
    lines = {(accelerator_style(name)[0], accelerator_dash(name)) for name in ACCELERATOR_STYLES}
    assert len(lines) >= len(ACCELERATOR_STYLES) - 4


def test_the_lines_of_trends_have_a_legend() -> None:
    row = {"round": "v4.0", "accelerators": 8, "time_to_train_min": 3.0}
    later = {"round": "v4.1", "accelerators": 8, "time_to_train_min": 2.0}
    rows = [{**each, "accelerator_id": name} for each in (row, later) for name in ("tpu-v4", "l4")]
    assert ">tpu-v4<" in str(export.svg(trends(rows)))


def test_legends_stand_below_each_other_on_a_phone() -> None:
    spec = trends([]).spec
    assert sized(spec, width=350)["config"]["legend"]["layout"]["bottom"]["direction"] == "vertical"
    assert "layout" not in sized(spec, width=900)["config"]["legend"]


def test_legends_of_an_exported_picture_stand_below_each_other_where_they_do_not_fit() -> None:
    many = {"legendEntry": 150, "legendEntries": 6}
    spec = {**trends([]).spec, "usermeta": many}
    legend = sized(spec, picture=True)["config"]["legend"]
    assert legend["layout"]["bottom"]["direction"] == "vertical"
    assert "layout" not in sized(spec)["config"]["legend"]
    few = {**spec, "usermeta": {**many, "legendEntries": 1}}
    assert "layout" not in sized(few, picture=True)["config"]["legend"]


def test_labels_of_neighbouring_marks_take_different_places() -> None:
    marks = [{"n": n} for n in (179, 180, 101, 508)]
    places = {mark["n"]: dy for values, dy in _spread(marks) for mark in values}
    assert places[179] != places[180]
    assert places[101] == places[179] == places[508]


def test_an_open_interval_is_drawn_to_the_edge_and_not_as_a_sure_point(study: Any) -> None:
    rows = [r for r in study.breakevens.breakevens if r.basis == "fitted" and r.accelerators]
    opened = replace(rows[0], low=rows[0].accelerators // 2, high=None)
    result = replace(study.breakevens, breakevens=(opened, *rows[1:]))
    for figure in (breakeven_rules(result), breakeven_marked(study.scaling, result)):
        bars = [
            value
            for layer in layers(figure.spec)
            for value in layer.get("data", {}).get("values", ())
            if "from" in value
        ]
        if figure.name == "breakeven" and not opened.default:
            continue
        (bar,) = [b for b in bars if b["curve"] == opened.curve and b["rule"] == opened.rule]
        assert bar["from"] == opened.low
        assert bar["to"] > opened.accelerators
        assert "stroke-dasharray" in export.svg(figure)
