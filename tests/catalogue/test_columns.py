from dataclasses import fields
from typing import get_type_hints

import pytest

from equipoise.catalogue.columns import TABLES

KINDS = {
    str: "text",
    str | None: "text",
    int: "integer",
    int | None: "integer",
    float: "real",
    float | None: "real",
    bool: "truth",
    tuple[str, ...]: "texts",
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_columns_are_the_fields_of_the_dataclass_with_their_types(table):
    hints = get_type_hints(table.record)
    assert table.names == tuple(field.name for field in fields(table.record))
    assert {c.name: c.kind for c in table.columns} == {n: KINDS[h] for n, h in hints.items()}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_every_column_is_explained_and_identities_are_columns(table):
    assert all(column.meaning for column in table.columns)
    assert set(table.identity) <= set(table.names)
    assert set(table.free_text) <= set(table.names)


def test_scores_have_the_fields_of_the_interface():
    wanted = (
        "round submitter system_id benchmark accelerator_id accelerator_model accelerators nodes "
        "division runs runs_failed distinct_runs unscaled_min scaling_factor time_to_train_min "
        "energy_kj global_batch_size samples_to_converge throughput_samples_per_s warnings"
    )
    assert set(wanted.split()) <= set(TABLES["scores"].names)


def test_tables_of_a_catalogue():
    assert list(TABLES) == ["rounds", "systems", "runs", "scores", "rejections"]
