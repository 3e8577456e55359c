"""The report of a study as a story: answer, what matters, groups, leaders, break-even, proof."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from equipoise.cluster.results import ClusterResult, ClusterRow
from equipoise.evaluate.results import ImportanceResult
from equipoise.rank.results import RankResult
from equipoise.report.cells import cell_text, number_text
from equipoise.report.columns import column, words
from equipoise.report.figures.base import counted
from equipoise.report.figures.breakeven import breakeven_marked, breakeven_rules, open_interval
from equipoise.report.figures.curves import leading_curves, scaling_speedup, scaling_time
from equipoise.report.figures.decomposition import decomposed_curve, decomposition
from equipoise.report.figures.importance import importance as importance_figure
from equipoise.report.figures.ranking import configuration_name
from equipoise.report.figures.ranking import ranking as ranking_figure
from equipoise.report.figures.style import SERIES
from equipoise.report.figures.time import efficiency_by_cluster, time_by, time_by_cluster
from equipoise.report.html import HtmlFigure, HtmlTable, html_figure, html_table
from equipoise.report.study import StudyLike
from equipoise.report.views import VIEWS
from equipoise.scaling.results import BreakevenRow
from equipoise.structs import dataclass

RANKED: Final = 50
"""Rows of the ranking in the report."""
LISTED: Final = 500
"""Rows of the list of all configurations in the report."""
DRAWN_CURVES: Final = 5
TOO_FEW: Final = "There are too few configurations for this part; the warnings say how many."


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A few facts under a heading, such as one group."""

    title: str
    facts: tuple[tuple[str, str], ...]
    mark: str | None = None
    """Class of the colour mark beside the title."""
    badge: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One part of the report: sentences, cards, charts, tables."""

    id: str
    title: str
    short: str = ""
    """Title in the list of parts."""
    lead: tuple[str, ...] = ()
    cards: tuple[Card, ...] = ()
    figures: tuple[HtmlFigure, ...] = ()
    tables: tuple[HtmlTable, ...] = ()


def study_page(study: StudyLike) -> dict[str, Any]:
    """Return the context of the template `study.html.j2`."""
    sections = (
        importance_section(study.importance),
        cluster_section(study.clusters),
        ranking_section(study.ranking),
        breakeven_section(study),
        evidence_section(study),
    )
    return {
        "title": study.title,
        "answer": study.answer,
        "paragraphs": study.paragraphs,
        "headline_cards": headline_cards(study),
        "sections": sections,
        "methods": method_notes(study),
        "selection": selection_words(study.selection),
        "warnings": study.warnings,
        "footnotes": study.footnotes,
    }


def headline_cards(study: StudyLike) -> tuple[Card, ...]:
    """Return the three figures that carry the answer: group, leader, break-even point."""
    cards = []
    balanced = balanced_group(study.clusters)
    if balanced is not None:
        facts = (
            ("accelerators", counts_between(balanced.accelerators_min, balanced.accelerators_max)),
            ("median time", f"{number_text(balanced.time_to_train_min_median)} min"),
        )
        mark = group_mark(balanced.cluster)
        cards.append(Card(title=balanced.label, facts=facts, mark=mark, badge="Balanced group"))
    if study.ranking is not None and study.ranking.ranking:
        first = study.ranking.ranking[0]
        facts = (
            ("time to train", f"{number_text(first.time_to_train_min)} min"),
            ("rank interval", f"{first.rank_low} to {first.rank_high}"),
        )
        cards.append(Card(title=configuration_name(first), facts=facts, badge="Leads the ranking"))
    quoted = quoted_breakeven(study)
    if quoted is not None and quoted.accelerators is not None:
        facts = (
            ("interval", open_interval(quoted.low, quoted.high)),
            ("efficiency there", cell_text(quoted.efficiency, column("efficiency"))),
        )
        title = f"{quoted.accelerators:,d} accelerators"
        badge = "Break-even point"
        cards.append(Card(title=title, facts=facts, badge=badge, note=quoted.curve))
    return tuple(cards)


def importance_section(result: ImportanceResult | None) -> Section:
    """Return the part on stage 1."""
    if result is None:
        return Section(id="matters", title="What matters", short="What matters", lead=(TOO_FEW,))
    lead = [result.sentence]
    if result.skill is not None:
        lead.append(result.skill.sentence)
    tables = []
    if result.variables:
        tables.append(html_table("variables", result.variables))
    if result.fixed:
        tables.append(html_table("fixed", result.fixed))
    return Section(
        id="matters",
        title="What matters",
        short="What matters",
        lead=tuple(text for text in lead if text),
        figures=(html_figure(importance_figure(result)),) if result.variables else (),
        tables=tuple(tables),
    )


def cluster_section(result: ClusterResult | None) -> Section:
    """Return the part on stage 2."""
    title = "The groups, and the balanced one"
    if result is None or not result.clusters:
        return Section(id="groups", title=title, short="Groups", lead=(TOO_FEW,))
    tables = [html_table("clusters", result.clusters)]
    if result.paper:
        caption = "The five groups of the paper, looked for in these"
        tables.append(html_table("paper", result.paper, caption=caption))
    return Section(
        id="groups",
        title="The groups, and the balanced one",
        short="Groups",
        lead=(result.sentence,),
        cards=tuple(group_card(row, result) for row in result.clusters),
        figures=(
            html_figure(time_by_cluster(result)),
            html_figure(efficiency_by_cluster(result)),
        ),
        tables=tuple(tables),
    )


def group_card(row: ClusterRow, result: ClusterResult) -> Card:
    """Return one group as a card."""
    facts = [
        ("configurations", f"{row.size:,d}"),
        ("accelerators", counts_between(row.accelerators_min, row.accelerators_max)),
        ("median time", f"{number_text(row.time_to_train_min_median)} min"),
    ]
    if row.efficiency_median is not None:
        facts.append(("median efficiency", number_text(row.efficiency_median, 2)))
    if row.stability is not None:
        facts.append(("stability", number_text(row.stability, 2)))
    badge = "Balanced" if row.balanced else None
    if badge is None and row.cluster == result.largest:
        badge = "Largest systems"
    return Card(
        title=f"{row.cluster} · {row.label}",
        facts=tuple(facts),
        mark=group_mark(row.cluster),
        badge=badge,
        note=row.families,
    )


def ranking_section(result: RankResult | None) -> Section:
    """Return the part on stage 3."""
    title = "Which configurations lead, and how sure that is"
    if result is None or not result.ranking:
        return Section(id="leaders", title=title, short="Leaders", lead=(TOO_FEW,))
    lead = [result.why_first]
    if result.reversal is not None:
        lead.append(reversal_words(result))
    how = replace(VIEWS["ranking"], limit=RANKED)
    tables = [html_table("ranking", result.ranking, how=how)]
    tables.append(html_table("criteria", result.criteria))
    if result.agreement:
        tables.append(html_table("agreement", result.agreement, caption="Agreement of the methods"))
    return Section(
        id="leaders",
        title=title,
        short="Leaders",
        lead=tuple(text for text in lead if text),
        figures=(html_figure(ranking_figure(result)),),
        tables=tuple(tables),
    )


def reversal_words(result: RankResult) -> str:
    """Return the outcome of the rank-reversal test in a sentence."""
    test = result.reversal
    if test is None:
        return ""
    if not test.reversed_pairs:
        return "Adding a clearly worse alternative changes no order (rank-reversal test)."
    first = "the first place changes" if test.first_changed else "the first place stays"
    return (
        f"Adding a clearly worse alternative turns {test.reversed_pairs:,d} of {test.pairs:,d} "
        f"pairs round (rank-reversal test); {first}."
    )


def breakeven_section(study: StudyLike) -> Section:
    """Return the part on scaling and the break-even point."""
    title = "How many accelerators are worth it"
    result = study.scaling
    if result is None or not result.points:
        return Section(id="breakeven", title=title, short="Break-even", lead=(TOO_FEW,))
    curves = drawn_curves(study)
    quoted = quoted_breakeven(study)
    figures = []
    tables = []
    if study.breakevens is not None:
        figures.append(breakeven_marked(result, study.breakevens, curves=curves))
        if study.curve is not None and any(
            row.curve == study.curve and row.accelerators is not None and row.basis == "fitted"
            for row in study.breakevens.breakevens
        ):
            figures.append(breakeven_rules(study.breakevens, curves=[study.curve]))
        tables = breakeven_tables(study)
    figures += [scaling_speedup(result, curves=curves), scaling_time(result, curves=curves)]
    decomposed = decomposed_curve(result, prefer=study.curve)
    if decomposed is not None:
        figures.append(decomposition(result, curve=decomposed))
    return Section(
        id="breakeven",
        title=title,
        short="Break-even",
        lead=(quoted.reason,) if quoted is not None else (),
        figures=tuple(html_figure(figure) for figure in figures),
        tables=tuple(tables),
    )


def breakeven_tables(study: StudyLike) -> list[HtmlTable]:
    """Return every rule on the quoted curve, and the default rule on every curve."""
    if study.breakevens is None:
        return []
    rows = study.breakevens.breakevens
    tables = []
    quoted = [row for row in rows if row.curve == study.curve]
    if quoted:
        caption = f"Every rule on the curve {study.curve}"
        every = VIEWS["breakevens"]
        how = replace(every, columns=tuple(c for c in every.columns if c != "curve"))
        tables.append(html_table("breakevens", quoted, how=how, caption=caption))
    default = [row for row in rows if row.default]
    if default:
        caption = f"The rule {study.breakevens.default_rule} on every curve"
        tables.append(html_table("breakevens", default, caption=caption))
    return tables


def evidence_section(study: StudyLike) -> Section:
    """Return the part with all configurations."""
    rows = sorted(study.configurations, key=lambda c: (c.time_to_train_min, c.key))
    how = replace(VIEWS["configurations"], limit=LISTED)
    return Section(
        id="evidence",
        title="All results",
        short="All results",
        lead=(f"{counted(len(rows), 'configuration')}, the fastest first.",),
        figures=(html_figure(time_by(rows)),) if rows else (),
        tables=(html_table("configurations", rows, how=how),) if rows else (),
    )


def method_notes(study: StudyLike) -> tuple[tuple[str, str], ...]:
    """Return what the stages say about how they worked, by part."""
    notes = []
    if study.importance is not None:
        notes.append(("What matters", study.importance.method))
    if study.clusters is not None:
        notes.append(("Groups", study.clusters.details))
    if study.ranking is not None:
        rank = study.ranking
        notes.append(
            (
                "Ranking",
                f"{rank.method} with {rank.weights} weights; rank intervals hold "
                f"{rank.level:.0%} of {rank.resamples:,d} resamples of scores and weights.",
            )
        )
    if study.scaling is not None:
        curves = study.scaling
        notes.append(
            (
                "Scaling",
                f"Reference: {curves.reference}. Intervals at {curves.level:.0%} from "
                f"{curves.resamples:,d} resamples of the runs through the official score rule.",
            )
        )
    return tuple((part, text) for part, text in notes if text)


def selection_words(selection: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return what was asked for as pairs of label and text, empty choices left out."""
    pairs = []
    for name, value in selection.items():
        if value is None or value is False or value in ([], (), ""):
            continue
        if name == "rounds" and isinstance(value, Sequence) and len(value) > 2:
            text = f"{value[0]} to {value[-1]}"
        else:
            text = cell_text(value, column(name))
        pairs.append((words(name), text))
    return tuple(pairs)


def balanced_group(result: ClusterResult | None) -> ClusterRow | None:
    """Return the group that is balanced, None when there is none."""
    if result is None or result.balanced is None:
        return None
    return next((row for row in result.clusters if row.cluster == result.balanced), None)


def quoted_breakeven(study: StudyLike) -> BreakevenRow | None:
    """Return the break-even point that the answer quotes."""
    if study.breakevens is None or study.curve is None:
        return None
    rows = [r for r in study.breakevens.breakevens if r.curve == study.curve and r.default]
    return rows[0] if rows else None


def drawn_curves(study: StudyLike) -> list[str]:
    """Return the curves of the charts: the quoted one and those with most counts."""
    if study.scaling is None:
        return []
    longest = [row.curve for row in leading_curves(study.scaling, limit=DRAWN_CURVES)]
    if study.curve is None or study.curve in longest:
        return longest
    return [study.curve, *longest[: DRAWN_CURVES - 1]]


def group_mark(cluster: int) -> str:
    """Return the style class with the colour of a group."""
    return f"eq-{SERIES[(cluster - 1) % len(SERIES)]}"


def counts_between(low: int, high: int) -> str:
    """Return a range of counts.

    >>> counts_between(8, 3456), counts_between(8, 8)
    ('8 to 3,456', '8')
    """
    return f"{low:,d}" if low == high else f"{low:,d} to {high:,d}"
