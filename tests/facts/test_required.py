"""Records that a ruleset demands."""

import pytest

from equipoise.errors import UnknownNameError
from equipoise.facts import benchmark
from equipoise.facts.required import required_records
from equipoise.facts.rounds import round_index
from equipoise.facts.tables import table


def test_common_and_own_records():
    found = required_records("v4.1", "closed", "stable_diffusion")
    assert {"opt_name", "opt_adamw_weight_decay", "init_start", "run_stop"} <= found
    assert "opt_name" not in required_records("v4.1", "open", "stable_diffusion")


def test_no_ruleset_no_demand():
    assert required_records("v4.1", "closed", "resnet") == frozenset()
    assert required_records("v4.1", "unverified", "bert") == frozenset()
    with pytest.raises(UnknownNameError):
        required_records("v9.9", "closed", "bert")


def test_every_row_is_about_known_things():
    for row in table("required_records"):
        rounds = benchmark(row.text("benchmark_id")).rounds
        assert row.text("first_round") in rounds
        assert row.text("last_round") in rounds
        assert round_index(row.text("first_round")) <= round_index(row.text("last_round"))
        assert row.parts("keys") == tuple(sorted(row.parts("keys")))
        assert row.text("source").startswith("mlperf-logging")
