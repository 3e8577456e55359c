"""The workbook: sheets like the official tables, every name as text, never a formula."""

import io
import re
import zipfile
from dataclasses import replace
from html import unescape
from typing import Any

import pytest

from equipoise.web.questions import configurations
from equipoise.web.workbook import official_sheets, workbook

FORMULAS = ("=1+1", "+1", "@SUM(A1)", "-1+2", "<script>alert(1)</script>", "https://a.example")


def opened(content: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(content)) as book:
        return {name: book.read(name).decode() for name in book.namelist()}


@pytest.fixture
def answer(catalogue: Any) -> Any:
    return configurations(catalogue, "bert")


def test_one_sheet_for_each_division_and_availability(answer: Any) -> None:
    files = opened(workbook(answer))
    names = re.findall(r'<sheet name="([^"]+)"', files["xl/workbook.xml"])
    assert names[:2] == ["Closed On-premises", "Closed Cloud"]
    assert names[-1] == "Notes"
    first = files["xl/worksheets/sheet1.xml"]
    onprem = [row for row in answer.tables["configurations"] if row.availability == "onprem"]
    lines = {(row.round, row.submitter, row.system_id) for row in onprem}
    assert first.count("<row ") == 1 + len(lines)
    assert "autoFilter" in first
    assert 'state="frozen"' in first


def test_the_sheets_come_in_the_order_of_the_official_tables() -> None:
    rows = [
        {"division": division, "availability": availability}
        for division in ("open", "closed")
        for availability in ("rdi", "preview", "cloud", "onprem", None)
    ]
    assert [title for title, _ in official_sheets(rows)] == [
        f"{division} {kind}"
        for division in ("Closed", "Open")
        for kind in ("On-premises", "Cloud", "Preview", "RDI", "availability unknown")
    ]


@pytest.mark.parametrize("name", FORMULAS)
def test_no_name_becomes_a_formula_or_a_link(answer: Any, name: str) -> None:
    rows = answer.tables["configurations"]
    hostile = [replace(rows[0], submitter=name), *rows[1:]]
    files = opened(workbook(replace(answer, tables={"configurations": hostile})))
    sheets = [text for path, text in files.items() if path.startswith("xl/worksheets/sheet")]
    assert all("<f>" not in text and "<hyperlink" not in text for text in sheets)
    assert name in [
        unescape(t) for t in re.findall(r"<t[^>]*>(.*?)</t>", files["xl/sharedStrings.xml"])
    ]
