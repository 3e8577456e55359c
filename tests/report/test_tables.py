"""Tables in four formats, with names that try to do harm."""

import csv
import io
import json
import re
import unicodedata
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.errors import UnknownNameError, printable
from equipoise.report.cells import cell_text
from equipoise.report.columns import column
from equipoise.report.tables import FORMATS, Document, render

ROW = {
    "round": "v4.1",
    "submitter": "Someone",
    "system_id": "box",
    "accelerators": 8,
    "time_to_train_min": 12.3456789,
    "energy_kj": None,
}
TEXTS = (
    "<script>alert(1)</script>",
    "=HYPERLINK(0)",
    "+1",
    "-1",
    "@x",
    "\tx",
    "\rx",
    "a|b",
    "line\nbreak",
    "\x1b[31mred\x1b[0m",
    '"quoted", with comma',
    "[bold]rich[/bold]",
    "naïve ✓ 漢字",
)


def document(**changes: object) -> Document:
    return Document(
        tables={"scores": [ROW | changes]}, footnotes=("A note.",), warnings=("Careful.",)
    )


def parse_csv(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_ends_in_one_newline(form: str) -> None:
    text = render(document(), form=form)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


def test_json_is_one_strict_object_with_all_fields() -> None:
    got = json.loads(render(document(), form="json"))
    assert list(got) == ["scores", "selection", "footnotes", "warnings"]
    assert got["scores"] == [ROW]
    assert got["footnotes"] == ["A note."]
    assert got["warnings"] == ["Careful."]


def test_json_has_no_nan_and_no_infinity() -> None:
    text = render(document(a=float("nan"), b=float("inf"), c=np.float64(1.5)), form="json")
    got = json.loads(text, parse_constant=lambda name: pytest.fail(name))
    assert (got["scores"][0]["a"], got["scores"][0]["b"]) == (None, None)
    assert got["scores"][0]["c"] == 1.5


def test_json_takes_dataclasses_big_numbers_and_broken_text() -> None:
    @dataclass(frozen=True, slots=True)
    class Row:
        name: str
        size: int

    made = Document(tables={"rows": [Row("bad \udc80 byte", 2**70)]})
    got = json.loads(render(made, form="json"))["rows"][0]
    assert got == {"name": "bad \\udc80 byte", "size": float(2**70)}


@pytest.mark.parametrize("text", TEXTS)
def test_csv_keeps_rows_and_disarms_formulas(text: str) -> None:
    header, row = parse_csv(render(document(submitter=text), form="csv"))
    assert header == list(ROW)
    cell = row[header.index("submitter")]
    assert cell[0] not in "=+-@\t\r"
    assert cell.removeprefix("'") == printable(text)


def test_csv_leaves_numbers_alone_and_missing_empty() -> None:
    header, row = parse_csv(render(document(time_to_train_min=-1.25e-7, n=-3), form="csv"))
    got = dict(zip(header, row, strict=True))
    assert float(got["time_to_train_min"]) == -1.25e-7
    assert got["n"] == "-3"
    assert got["energy_kj"] == ""


def test_csv_has_crlf_and_opens_mappings() -> None:
    text = render(document(criteria={"time": 1.5}, warnings=("a", "b")), form="csv")
    header, row = parse_csv(text)
    got = dict(zip(header, row, strict=True))
    assert got["criteria.time"] == "1.5"
    assert got["warnings"] == "a; b"
    assert text.count("\r\n") == 2


@given(st.text(st.characters(codec="utf-8", exclude_categories=("Cc",)), min_size=1))
def test_csv_gives_back_any_text_without_control_characters(text: str) -> None:
    text = re.sub("[\u2028-\u202e\u2066-\u2069]", "", text) or "x"
    made = Document(tables={"t": [{"name": text}]})
    (cell,) = parse_csv(render(made, form="csv"))[1]
    assert cell in (text, "'" + text)
    assert cell[0] not in "=+-@"


@given(st.text(st.characters(codec="utf-8"), min_size=1))
def test_csv_never_drives_a_terminal_or_a_spreadsheet(text: str) -> None:
    made = Document(tables={"t": [{"name": text}]})
    _, line = render(made, form="csv").removesuffix("\r\n").split("\r\n")
    assert not any(unicodedata.category(c) in {"Cc", "Zl", "Zp"} for c in line)
    (cell,) = parse_csv(render(made, form="csv"))[1]
    assert cell.lstrip()[:1] not in set("=+-@")


@pytest.mark.parametrize("text", TEXTS)
def test_markdown_keeps_one_line_per_row_and_no_markup(text: str) -> None:
    lines = render(document(submitter=text), form="markdown").splitlines()
    rows = [line for line in lines if line.startswith("|")]
    assert len(rows) == 3
    pipes = [line.replace("\\|", "").count("|") for line in rows]
    assert len(set(pipes)) == 1
    assert "<script" not in "".join(lines)
    assert "\x1b" not in "".join(lines)


@pytest.mark.parametrize("width", [None, 40, 80, 200])
@pytest.mark.parametrize("text", TEXTS)
def test_terminal_shows_names_as_text_within_the_width(text: str, width: int | None) -> None:
    shown = render(document(submitter=text), width=width)
    assert "\x1b" not in shown
    assert "\r" not in shown
    if width:
        assert max(len(line) for line in shown.splitlines()) <= width
    if text == "[bold]rich[/bold]" and width != 40:
        assert text in shown


def test_narrow_terminal_drops_the_least_needed_columns_and_says_so() -> None:
    row = ROW | {"nodes": 1, "division": "closed", "framework": "x" * 60, "scaling_factor": 1.5}
    wide = render(Document(tables={"t": [row]}), width=200)
    narrow = render(Document(tables={"t": [row]}), width=60)
    assert "scaling factor" in wide
    assert "Not shown at this width" not in wide
    head, _, rest = narrow.partition("Not shown at this width:")
    assert "scaling factor" not in head
    assert "scaling factor" in " ".join(rest.split())
    assert "time to train" in " ".join(head.split())


OPTION = {
    "rank": 1,
    "accelerator_id": "h100-sxm5-80gb",
    "accelerators": 512,
    "time_to_train_min": 13211.4,
    "time_to_train_min_low": 2466.0,
    "time_to_train_min_high": 70800.0,
    "cost_usd": 552407.0,
    "cost_usd_low": 103031.0,
    "cost_usd_high": 2961778.0,
    "probability_meets_deadline": 1.0,
    "probability_within_budget": 0.0,
    "reason": "measured on another accelerator, " * 4,
}


@pytest.mark.parametrize("width", [80, 120])
def test_sentences_stand_below_their_row_before_an_interval_is_dropped(width: int) -> None:
    rows = [OPTION, OPTION | {"rank": 2}]
    lines = render(Document(tables={"options": rows}), width=width).splitlines()
    firsts = [i for i, line in enumerate(lines) if "13,211" in line]
    assert len(firsts) == 2
    assert "2,466 – 70,800" in lines[firsts[0]]
    assert ("103,031 – 2,961,778" in lines[firsts[0]]) == (width == 120)
    for first in firsts:
        assert lines[first + 1].startswith("      measured on another accelerator,")
    assert max(len(line) for line in lines) <= width
    assert "\ue000" not in "".join(lines)


def test_both_ends_of_a_predicted_interval_stand_or_fall_together() -> None:
    row = {"accelerators": 8, "time_to_train_min": 1.5, "low_50": 1.2, "high_50": 1.8}
    row |= {"low_90": 1.1, "high_90": 2.5, "basis": "measured", "reason": "because " * 20}
    for width in (50, 60, 80, 200):
        text = render(Document(tables={"predictions": [row]}), width=width)
        assert "1.100 – 2.500" in text
        assert ("1.200 – 1.800" in text) == ("50 % interval" not in text.partition("Not shown")[2])


@pytest.mark.parametrize("width", [80, 100, 120])
def test_a_list_of_prices_shows_the_prices_at_every_width(width: int) -> None:
    row = {"accelerator_id": "h100-sxm5-80gb", "provider": "someone", "kind": "on-demand"}
    row |= {"instance_type": "x" * 30, "accelerators_per_instance": 8, "as_of": "2026-09-20"}
    row |= {"usd_per_accelerator_hour": 2.95, "region": "here", "source": "https://" + "x" * 80}
    text = render(Document(tables={"prices": [row]}), width=width)
    assert "2.95" in text
    assert "on-demand" in text


def test_a_chance_is_never_shown_as_certain() -> None:
    text = render(Document(tables={"options": [OPTION]}))
    assert "> 99 %" in text
    assert "< 1 %" in text
    assert "100 %" not in text


def test_units_stand_in_headers_and_decimal_points_in_one_column() -> None:
    rows = [{"time_to_train_min": t} for t in (1.5, 123.456, 7.0)]
    lines = render(Document(tables={"scores": rows})).splitlines()
    assert lines[0] == "time to train [min]"
    points = {line.index(".") for line in lines[2:4]}
    assert len(points) == 1


def test_intervals_are_one_column_for_people_and_two_fields_for_machines() -> None:
    rows = [{"rank": 1, "rank_low": 1, "rank_high": 4}]
    assert "1 – 4" in render(Document(tables={"t": rows}))
    assert parse_csv(render(Document(tables={"t": rows}), form="csv"))[0] == list(rows[0])


def test_color_only_on_request() -> None:
    assert "\x1b[" in render(document(), color=True)
    assert "\x1b[" not in render(document(), color=False)


def test_empty_table_says_so_in_words_and_keeps_its_shape() -> None:
    empty = Document(tables={"ranking": []})
    assert "No rows." in render(empty)
    assert json.loads(render(empty, form="json"))["ranking"] == []
    assert parse_csv(render(empty, form="csv"))[0][0] == "rank"


def test_people_see_the_first_rows_and_how_many_are_left() -> None:
    rows = [{"rank": i, "submitter": "x"} for i in range(1, 101)]
    assert "80 more rows" in render(Document(tables={"ranking": rows}))
    assert len(parse_csv(render(Document(tables={"ranking": rows}), form="csv"))) == 101


def test_unknown_format_and_table_list_the_choices() -> None:
    with pytest.raises(UnknownNameError, match="json"):
        render(document(), form="xml")
    with pytest.raises(UnknownNameError, match="scores"):
        render(document(), form="csv", table="score")


def test_empty_tables_beside_others_and_said_warnings_are_left_out():
    content = Document(
        tables={"fixed": [], "criteria": [{"criterion": "time", "unit": "min"}]},
        headline="Nothing to see: too few.",
        warnings=("too few", "odd"),
    )
    for form in ("table", "markdown"):
        text = render(content, form=form)
        assert "No rows" not in text
        assert "Warning: too few" not in text
        assert "Warning: odd" in text


def test_time_stamps_are_dates_for_people():
    assert cell_text(1.73e12, column("start_ms")) == "2024-10-27 03:33:20"
