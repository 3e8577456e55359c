"""The footnotes name what MLCommons asks for."""

from equipoise.facts import round_named
from equipoise.report.footnotes import UNVERIFIED_PHRASE, footnotes


def test_rounds_in_order_with_dates_division_and_source() -> None:
    first = footnotes(rounds=["v4.1", "v0.7"], divisions=["open", "closed"])[0]
    assert first.index("v0.7") < first.index("v4.1")
    assert str(round_named("v4.1").publication_date) in first
    assert "closed and open divisions" in first
    assert "MLCommons" in first


def test_trademark_is_always_there() -> None:
    for notes in (
        footnotes(rounds=[], divisions=[]),
        footnotes(rounds=["v4.1"], divisions=["closed"], derived=False),
    ):
        assert "MLPerf is a trademark of MLCommons Association" in notes[-1]


def test_unverified_results_carry_the_fixed_phrase() -> None:
    own = footnotes(rounds=["own"], divisions=["unverified"])
    assert UNVERIFIED_PHRASE == "Result not verified by MLCommons Association."
    assert any(note.startswith(UNVERIFIED_PHRASE) for note in own)
    assert not any("published by MLCommons" in note for note in own)
    published = footnotes(rounds=["v4.1"], divisions=["closed"])
    assert not any(UNVERIFIED_PHRASE in note for note in published)


def test_derived_figures_energy_estimates_and_prices_are_said_when_shown() -> None:
    plain = " ".join(footnotes(rounds=["v4.1"], divisions=["closed"], derived=False))
    full = " ".join(
        footnotes(rounds=["v4.1"], divisions=["closed"], estimated_energy=True, priced=True)
    )
    for words in ("none of them is an official", "not an MLPerf metric", "price list"):
        assert words not in plain
        assert words in full


def test_unknown_round_is_named_without_a_date_and_escaped() -> None:
    note = footnotes(rounds=["v99\x1b[31m"], divisions=["closed"])[0]
    assert "v99\\x1b[31m" in note
    assert "published 2" not in note
