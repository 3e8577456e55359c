from pathlib import Path

from equipoise.catalogue.columns import TABLES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "catalogue.md"


def test_the_page_of_the_catalogue_lists_every_column_and_no_other():
    lines = PAGE.read_text(encoding="utf-8").partition("## Tables")[2].splitlines()
    listed = [
        line for line in lines if line.startswith("| ") and line != "| column | kind | meaning |"
    ]
    wanted = [
        f"| {column.name} | {column.kind} | {column.meaning} |"
        for table in TABLES.values()
        for column in table.columns
    ]
    assert listed == wanted
    assert [line[4:] for line in lines if line.startswith("### ")] == list(TABLES)
