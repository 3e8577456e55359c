"""The facts themselves: complete, without contradictions, every row with its source."""

import csv
import datetime
from itertools import combinations

import pytest

from equipoise import facts
from equipoise.facts import quality
from equipoise.facts.tables import DATA, table

TABLES = sorted(path.stem for path in DATA.glob("*.csv"))
UNITS = {
    "epochs",
    "epoch_fraction",
    "epoch_fraction_from_1",
    "samples",
    "steps",
    "tokens",
    "iterations",
    "mixed",
}


@pytest.mark.parametrize("name", TABLES)
def test_every_row_has_a_source(name: str) -> None:
    rows = table(name)
    assert rows
    for row in rows:
        assert len(row.text("source")) > 8, f"{name}:{row.line}"


@pytest.mark.parametrize("name", TABLES)
def test_confidence_is_one_of_three_words(name: str) -> None:
    for row in table(name):
        if "confidence" in row.cells:
            assert row.text("confidence") in ("high", "medium", "low"), f"{name}:{row.line}"


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_plain_utf8_with_unix_line_ends(name: str) -> None:
    data = (DATA / f"{name}.csv").read_bytes()
    assert b"\r" not in data
    assert data.endswith(b"\n")
    header, *rows = list(csv.reader(data.decode("utf-8").splitlines()))
    assert len(set(header)) == len(header)
    assert len({tuple(row) for row in rows}) == len(rows), "a row stands twice"


def test_ids_and_names_are_unique() -> None:
    for ids in (
        [entry.id for entry in facts.benchmarks()],
        [entry.pretty_name for entry in facts.benchmarks()],
        [entry.id for entry in facts.accelerators()],
        [entry.pretty_name for entry in facts.accelerators()],
        [entry.name for entry in facts.rounds()],
        [entry.ruleset for entry in facts.rounds()],
        [entry.raw for entry in facts.aliases()],
    ):
        assert len(set(ids)) == len(ids)


def test_names_and_aliases_of_benchmarks_do_not_collide() -> None:
    owner: dict[str, str] = {}
    for entry in facts.benchmarks():
        for name in {entry.id, entry.pretty_name, *entry.aliases}:
            plain = "".join(c for c in name.lower() if c.isalnum())
            assert owner.setdefault(plain, entry.id) == entry.id, name
            assert facts.benchmark(name).id == entry.id


def test_rounds_are_in_the_order_of_publication() -> None:
    dates = [entry.publication_date for entry in facts.rounds() if entry.published]
    assert None not in dates
    assert dates == sorted(dates, key=str)
    for entry in facts.rounds():
        for date in (entry.publication_date, entry.submission_deadline):
            if date is not None:
                assert datetime.date.fromisoformat(date).isoformat() == date
        assert (entry.repository is not None) == entry.published
        assert entry.ruleset == f"{entry.name[1:]}.0"


def test_every_benchmark_of_a_round_is_known_and_has_a_block() -> None:
    for entry in facts.rounds():
        for name in entry.benchmarks:
            assert facts.benchmark(name).id == name
            block = facts.block_of(name, entry.name)
            assert block is not None, (entry.name, name)
            assert entry.name in block.rounds


def test_blocks_do_not_overlap_and_are_whole() -> None:
    order = [entry.name for entry in facts.rounds()]
    for entry in facts.benchmarks():
        assert entry.blocks, entry.id
        for first, second in combinations(entry.blocks, 2):
            assert not set(first.rounds) & set(second.rounds), entry.id
        for block in entry.blocks:
            assert block.rounds[0] == block.first_round
            assert block.rounds[-1] == block.last_round
            start = order.index(block.first_round)
            assert block.rounds == tuple(order[start : start + len(block.rounds)]), block.name
        listed = tuple(r.name for r in facts.rounds() if entry.id in r.benchmarks)
        assert entry.rounds == listed, entry.id


def test_figures_of_blocks_are_plausible() -> None:
    for entry in facts.benchmarks():
        for block in entry.blocks:
            assert block.target_direction in ("up", "down")
            assert block.min_runs > 2 * block.dropped_each_end
            assert block.dropped_each_end == (4 if entry.id == "unet3d" else 1)
            assert block.parameters is None or 1e6 < block.parameters < 1e12
            flops = block.train_flops_per_sample
            assert (flops is None) == (block.train_flops_source is None)
            assert flops is None or 1e9 < flops < 1e18
            if flops and block.sequence_length and block.parameters and entry.id != "bert":
                per_parameter = flops / block.parameters / block.sequence_length
                assert 0.3 < per_parameter < 6.5, entry.id


def test_every_round_of_a_block_has_one_progress_unit_and_a_folder() -> None:
    for entry in facts.benchmarks():
        for block in entry.blocks:
            for name in block.rounds:
                unit = block.progress_unit(name)
                assert unit.unit in UNITS
                if unit.unit.startswith("epoch") and entry.id != "ncf":
                    assert block.train_samples_per_epoch, entry.id
                if unit.unit == "tokens":
                    assert block.sequence_length
                found = facts.benchmark_of_folder(name, block.folder(name))
                assert found is not None
                assert found.id == entry.id


def test_units_of_progress_do_not_overlap() -> None:
    for entry in facts.benchmarks():
        for name in entry.rounds:
            rows = [
                row
                for row in table("progress_units")
                if row.text("benchmark_id") == entry.id
                and facts.round_index(row.text("first_round"))
                <= facts.round_index(name)
                <= facts.round_index(row.text("last_round"))
            ]
            assert len(rows) == 1, (entry.id, name)


def test_figures_of_accelerators_are_plausible() -> None:
    for entry in facts.accelerators():
        assert entry.memory_gb is None or 0.5 < entry.memory_gb < 600
        assert entry.memory_bandwidth_gb_s is None or 250 < entry.memory_bandwidth_gb_s < 30000
        assert entry.tdp_w is None or 50 < entry.tdp_w < 2500
        assert entry.interconnect_gb_s is None or 25 < entry.interconnect_gb_s < 5000
        assert entry.release_year is None or 2016 < entry.release_year < 2030
        peaks = [
            entry.peak_fp32_tflops,
            entry.peak_tf32_tflops,
            entry.peak_16bit_tflops,
            entry.peak_fp8_tflops,
            entry.peak_fp4_tflops,
        ]
        known = [peak for peak in peaks if peak is not None]
        assert known == sorted(known), f"{entry.id}: a narrower format is slower"
        assert all(5 < peak < 50000 for peak in known), entry.id
        assert entry.name_tokens
        assert all(token == token.lower() for token in entry.name_tokens)


def test_every_accelerator_is_found_by_its_own_names() -> None:
    for entry in facts.accelerators():
        assert facts.accelerators_matching(entry.id) == (entry.id,)
        assert entry.id in facts.accelerators_matching(entry.family)
        assert entry.id in facts.accelerators_matching(entry.vendor)
        assert entry.id in facts.accelerators_matching(entry.pretty_name)


def test_every_alias_target_exists() -> None:
    ids = {entry.id for entry in facts.accelerators()}
    used = set()
    for alias in facts.aliases():
        assert alias.kind in ("accelerator", "ambiguous", "none")
        assert (alias.accelerator_id is not None) == (alias.kind == "accelerator")
        for target in (alias.accelerator_id, alias.likely_id):
            assert target is None or target in ids
            used.add(target)
        for name in alias.rounds:
            assert facts.round_named(name).name == name
    for entry in facts.accelerators():
        if entry.in_mlperf_training:
            assert entry.id in used, f"{entry.id} has no spelling"


def test_spellings_that_differ_in_case_alone_agree() -> None:
    known: dict[str, tuple[str | None, float | None]] = {}
    for alias in facts.aliases():
        said = alias.accelerator_id, alias.power_limit_w
        assert known.setdefault(alias.raw.lower(), said) == said, alias.raw


def test_spellings_with_one_id_agree_on_form_and_memory() -> None:
    for alias in facts.aliases():
        if alias.accelerator_id is None or alias.raw.lower().startswith(("tpu", "v5")):
            continue
        left = facts.accelerators_matching(alias.raw)
        assert left == (alias.accelerator_id,), alias.raw


def test_every_price_names_a_known_accelerator_and_a_date() -> None:
    whole = facts.price_table()
    assert whole.notes == ()
    assert len(whole.prices) == len(table("prices"))
    ids = {entry.id for entry in facts.accelerators()}
    for price in whole.prices:
        assert price.accelerator_id in ids
        assert price.usd_per_accelerator_hour != 0
        if price.usd_per_accelerator_hour is not None:
            assert 0.01 < price.usd_per_accelerator_hour < 25
        assert price.accelerators_per_instance is None or (
            1 <= price.accelerators_per_instance <= 72
        )
        assert 0 < price.age_days(datetime.date(2030, 1, 1)) < 365 * 8


def test_rules_are_complete_for_every_round_and_benchmark() -> None:
    for entry in facts.rounds():
        if entry.name == "v0.5":  # published before the rules became a program
            continue
        for division in ("closed", "open"):
            assert facts.run_rule(entry.name, division) is not None
            for name in entry.benchmarks:
                rule = facts.quality_rule(entry.name, division, name)
                assert rule is not None, (entry.name, division, name)
                assert rule.division == division
                assert bool(rule.bounds) == rule.at_least_one
                if entry.name != "v0.6" and division == "closed":
                    assert rule.bounds


def test_rules_of_benchmarks_that_are_not_in_a_round_are_absent() -> None:
    listed = {(entry.name, name) for entry in facts.rounds() for name in entry.benchmarks}
    for rule in facts.quality_rules():
        assert (rule.round, rule.benchmark_id) in listed


def test_closed_rules_ask_for_the_target_of_the_block() -> None:
    fractions = {"gnmt": 0.01, "transformer": 0.01}  # logged as a fraction of 1
    for rule in facts.quality_rules():
        block = facts.block_of(rule.benchmark_id, rule.round)
        assert block is not None
        if rule.division == "open" or not rule.bounds:
            continue
        bound = rule.bounds[0]
        demanded = bound.minimum if block.target_direction == "up" else bound.maximum
        wanted = block.target * fractions.get(rule.benchmark_id, 1.0)
        if (rule.benchmark_id, rule.round) == ("bert", "v0.7"):
            assert demanded in (0.712, 0.706)
        else:
            assert demanded == pytest.approx(wanted), (rule.round, rule.benchmark_id)


def test_rule_bounds_are_not_empty_intervals() -> None:
    for rule in facts.quality_rules():
        for bound in rule.bounds:
            assert bound.minimum is not None or bound.maximum is not None
            if bound.minimum is not None and bound.maximum is not None:
                assert bound.minimum < bound.maximum


def test_power_words_name_a_family() -> None:
    families = {entry.family for entry in facts.accelerators()}
    for row in table("power_words"):
        assert row.text("family") in families
        assert row.number("power_limit_w")


def test_module_documents_its_public_names() -> None:
    for name in facts.__all__:
        assert getattr(facts, name).__doc__, name
    assert quality.__doc__
