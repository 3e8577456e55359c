from dataclasses import replace

import orjson
import pytest

from equipoise.catalogue import Catalogue, build
from equipoise.catalogue import build as builder
from equipoise.catalogue.check import INVARIANTS
from equipoise.catalogue.manifest import sha256


def reasons(folder):
    with Catalogue.open(folder) as catalogue:
        return [f"{p.table}: {p.reason}" for p in catalogue.check().problems]


def test_a_whole_catalogue_passes(make, tmp_path):
    build([make.round_data(), make.round_data("v5.0")], tmp_path)
    with Catalogue.open(tmp_path) as catalogue:
        report = catalogue.check()
    assert report.passed
    assert report.files == 5
    assert report.rows == 2 * (1 + 1 + 5 + 1 + 1)
    assert report.invariants == len(INVARIANTS)


def test_one_flipped_bit_is_found(make, tmp_path):
    build([make.round_data()], tmp_path)
    path = next(tmp_path.glob("tables-*/runs.parquet"))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert reasons(tmp_path) == ["runs: other content than the builder wrote (SHA-256 differs)"]


def test_a_cut_and_a_lost_file_are_found(make, tmp_path):
    build([make.round_data()], tmp_path)
    runs = next(tmp_path.glob("tables-*/runs.parquet"))
    size = runs.stat().st_size
    runs.write_bytes(runs.read_bytes()[:-1])
    next(tmp_path.glob("tables-*/scores.parquet")).unlink()
    assert reasons(tmp_path) == [
        f"runs: {size - 1} bytes instead of {size}",
        "scores: cannot be read: No such file or directory",
    ]


def test_a_table_in_the_place_of_another_is_found(make, tmp_path):
    build([make.round_data()], tmp_path)
    manifest = tmp_path / "manifest.json"
    content = orjson.loads(manifest.read_bytes())
    other = next(tmp_path.glob("tables-*/rejections.parquet")).read_bytes()
    next(tmp_path.glob("tables-*/rounds.parquet")).write_bytes(other)
    content["files"]["rounds"].update(sha256=sha256(other), bytes=len(other), rows=7)
    manifest.write_bytes(orjson.dumps(content))
    found = reasons(tmp_path)
    assert "rounds: column publication_date VARCHAR is missing" in found
    assert "rounds: column code VARCHAR is unknown" in found
    assert "rounds: 1 rows instead of 7" in found


def altered(make, **parts):
    data = make.round_data()
    return replace(data, **{name: change(getattr(data, name)) for name, change in parts.items()})


def each(**fields):
    return lambda records: tuple(replace(record, **fields) for record in records)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"systems": lambda rows: ()}, "scores: 1 rows break `belongs to a system"),
        ({"runs": lambda rows: rows[1:]}, "scores: 1 rows break `has as many runs"),
        ({"scores": each(runs_failed=1)}, "scores: 1 rows break `has as many runs"),
        ({"scores": each(unscaled_min=6.0)}, "scores: 1 rows break `is the unscaled time"),
        ({"scores": lambda rows: ()}, "runs: 5 rows break `belongs to a score row`"),
        ({"runs": each(time_to_train_min=None)}, "runs: 5 rows break `lasted from its start"),
        ({"systems": each(division="ajar")}, "systems: 1 rows break `has a known division"),
    ],
)
def test_a_broken_invariant_is_named_with_an_example(make, tmp_path, parts, message):
    build([altered(make, **parts)], tmp_path)
    (found,) = reasons(tmp_path)
    assert found.startswith(message)
    assert "ExampleOrg" in found


def test_an_unverified_score_needs_no_system(make, tmp_path):
    data = altered(make, systems=lambda rows: (), scores=each(division="unverified"))
    build([data], tmp_path)
    assert reasons(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "fields", "message"),
    [
        ("runs", {"duplicate_of": "v0.7:gone"}, "runs: 5 rows break `copies a run"),
        ("scores", {"resubmission_of": "v0.7/a/b/bert"}, "scores: 1 rows break `repeats a conf"),
    ],
)
def test_a_link_to_nowhere_is_found(make, tmp_path, monkeypatch, name, fields, message):
    module = __import__("equipoise.catalogue.builder", fromlist=["link"])
    real = module.link

    def wrong(runs, scores):
        linked = real(runs, scores)
        return replace(linked, **{name: each(**fields)(getattr(linked, name))})

    monkeypatch.setattr(module, "link", wrong)
    builder([make.round_data()], tmp_path)
    (found,) = reasons(tmp_path)
    assert found.startswith(message)


def test_wrong_counts_and_doubled_rows_are_found(make, tmp_path, monkeypatch):
    module = __import__("equipoise.catalogue.builder", fromlist=["_entries"])
    real = module._entries

    def wrong(held, linked):
        (entry,) = real(held, linked)
        return (replace(entry, systems=9), replace(entry, notes=("again",)))

    monkeypatch.setattr(module, "_entries", wrong)
    builder([make.round_data()], tmp_path)
    assert [text.split(":")[1].split("`")[1] for text in reasons(tmp_path)] == [
        "counts its systems right",
        "is the only row of its identity",
    ]
