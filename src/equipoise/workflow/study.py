"""The three stages, the break-even point and the answer: one coherent study of a benchmark."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from equipoise import facts
from equipoise.domain import Configuration
from equipoise.errors import EquipoiseError
from equipoise.report.views import View, view
from equipoise.structs import dataclass
from equipoise.workflow import analyses, story
from equipoise.workflow.answer import Answer
from equipoise.workflow.selection import Selection, SelectionOptions, select

if TYPE_CHECKING:
    from equipoise.catalogue import Catalogue
    from equipoise.cluster.results import ClusterResult
    from equipoise.evaluate.results import ImportanceResult
    from equipoise.rank.results import RankResult
    from equipoise.scaling.results import BreakevenResult, ScalingResult

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """Everything a study found; a stage that could not be done is None, with a warning."""

    title: str
    selection: dict[str, Any]
    configurations: tuple[Configuration, ...]
    importance: "ImportanceResult | None"
    clusters: "ClusterResult | None"
    ranking: "RankResult | None"
    scaling: "ScalingResult | None"
    breakevens: "BreakevenResult | None"
    curve: str | None
    """Curve whose break-even point the answer quotes."""
    answer: str
    paragraphs: tuple[str, ...]
    footnotes: tuple[str, ...]
    warnings: tuple[str, ...]


def study(
    catalogue: "Catalogue",
    benchmark: str,
    *,
    k: int | str = 5,
    method: str = "topsis",
    weights: str = "equal",
    resamples: int = 1000,
    seed: int = 0,
    **options: Unpack[SelectionOptions],
) -> Answer:
    """Return what matters, which groups exist, which is balanced, what leads, and how sure.

    Raises
    ------
    UsageError, NothingFoundError
        For an impossible or an empty selection.
    """
    selection, found = select(catalogue, benchmark, **options)
    result = make_study(
        selection, found, k=k, method=method, weights=weights, resamples=resamples, seed=seed
    )
    return study_answer(result)


# long: the stages in their order, one after the other
def make_study(
    selection: Selection,
    found: tuple[Configuration, ...],
    *,
    k: int | str,
    method: str,
    weights: str,
    resamples: int,
    seed: int,
) -> Study:
    """Run every stage on the configurations; each with its own generator of the same seed."""
    from equipoise.cluster import cluster
    from equipoise.evaluate import importance
    from equipoise.rank import rank
    from equipoise.scaling.breakeven import scaling_and_breakeven

    rng = analyses.generator
    warnings: list[str] = []
    importances = _stage(warnings, "importance", lambda: importance(found, rng=rng(seed)))
    clusters = _stage(
        warnings,
        "cluster",
        lambda: cluster(found, k=analyses.number_or_auto(k), rng=rng(seed)),
    )
    ranking = _stage(
        warnings,
        "rank",
        lambda: rank(found, method=method, weights=weights, resamples=resamples, rng=rng(seed)),
    )
    both = _stage(
        warnings,
        "scaling",
        lambda: scaling_and_breakeven(found, rng=rng(seed), resamples=resamples),
    )
    curves, breakevens = both or (None, None)
    for result in (curves, breakevens):
        warnings.extend(f"scaling: {text}" for text in (result.warnings if result else ()))
    curve = story.quoted_curve(ranking, breakevens)
    words = story.Findings(
        benchmark=facts.benchmark(selection.benchmark).pretty_name,
        configurations=found,
        importance=importances,
        clusters=clusters,
        ranking=ranking,
        breakevens=breakevens,
        curve=curve,
    )
    return Study(
        title=f"{words.benchmark}: which configuration, and how many accelerators",
        selection=selection.to_dict(),
        configurations=found,
        importance=importances,
        clusters=clusters,
        ranking=ranking,
        scaling=curves,
        breakevens=breakevens,
        curve=curve,
        answer=story.answer(words),
        paragraphs=story.paragraphs(words),
        footnotes=analyses.notes_for(found),
        warnings=tuple(dict.fromkeys(warnings)),
    )


def study_answer(result: Study) -> Answer:
    """Wrap a study: the tables of every stage that could be done."""
    tables: dict[str, Sequence[Any]] = {}
    if result.importance is not None:
        tables["variables"] = result.importance.variables
    if result.clusters is not None:
        tables |= {"clusters": result.clusters.clusters, "members": result.clusters.members}
    if result.ranking is not None:
        tables["ranking"] = result.ranking.ranking
    if result.breakevens is not None:
        rows = result.breakevens.breakevens
        tables["breakevens"] = sorted(rows, key=lambda row: row.curve != result.curve)
    return Answer(
        command="study",
        tables=tables or {"configurations": result.configurations},
        views=_views(result),
        selection=result.selection,
        extra={"answer": result.answer, "paragraphs": result.paragraphs},
        headline=result.answer,
        footnotes=result.footnotes,
        warnings=result.warnings,
        result=result,
    )


def study_report(answer: Answer) -> str:
    """Return the self-contained HTML report of a study."""
    from equipoise.report.html import study_html

    return study_html(answer.result)


def _stage(warnings: list[str], name: str, run: Callable[[], T]) -> T | None:
    """Run one stage; what cannot be done with this data is a warning, not the end."""
    try:
        result = run()
    except EquipoiseError as error:
        if error.exit_code == 2:  # a mistake in the request, not a lack of data
            raise
        warnings.append(f"{name}: {error}")
        return None
    warnings.extend(f"{name}: {text}" for text in getattr(result, "warnings", ()))
    return result


def _views(result: Study) -> dict[str, View]:
    """Return what of a study people see on a terminal; JSON and CSV have everything."""
    views = {
        "variables": replace(view("variables"), title="Stage 1: what matters", limit=8),
        "clusters": replace(view("clusters"), title="Stage 2: groups of configurations"),
        "members": replace(view("members"), hidden=True),
        "ranking": replace(view("ranking"), title="Stage 3: ranking", limit=10),
    }
    rows = result.breakevens.breakevens if result.breakevens else ()
    own = [row for row in rows if row.curve == result.curve]
    views["breakevens"] = View(
        title=f"Break-even points of {result.curve}",
        columns=(
            *("rule", "basis", "accelerators", "low", "high", "time_to_train_min"),
            *("efficiency", "status"),
        ),
        labels={"accelerators": "break-even"},
        limit=len(own),
        hidden=not own,
    )
    return views
