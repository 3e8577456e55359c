"""Overview: every benchmark with its best time over the rounds."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from equipoise import facts
from equipoise.report.cells import number_text
from equipoise.report.footnotes import footnotes
from equipoise.structs import dataclass
from equipoise.web.forms import scores_by_benchmark

if TYPE_CHECKING:
    from equipoise.domain import Score
    from equipoise.web.kitchen import Kitchen

WIDTH, HEIGHT, EDGE = 200, 44, 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Best:
    """The fastest closed result of a round."""

    round: str
    score: "Score"

    @property
    def minutes(self) -> float:
        """Return its time to train."""
        return self.score.time_to_train_min or 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """One benchmark on the overview."""

    id: str
    name: str
    task: str
    configurations: int
    submitters: int
    rounds: str
    fastest: str
    spoken: str
    """The sparkline in words."""
    lines: tuple[str, ...]
    """Points of a polyline for each block of compatible rounds."""
    dots: tuple[tuple[float, float, str], ...]


BY_TIME: Final = ("closed",)


def context(kitchen: "Kitchen", params: dict[str, Any]) -> dict[str, Any]:
    """Return the benchmarks that the catalogue has and that the search leaves."""
    known = scores_by_benchmark(kitchen)
    words = str(params.get("q", "")).lower().split()
    tiles = [
        _tile(entry, known[entry.id])
        for entry in facts.benchmarks()
        if entry.id in known and _fits(entry, words)
    ]
    tiles.sort(key=lambda tile: (-_place(tile.rounds.rpartition(" ")[2]), tile.name.lower()))
    everything = [score for scores in known.values() for score in scores]
    rounds = sorted({s.round for s in everything}, key=_place)
    return {
        "title": "Which accelerators should train it, and how many are worth it?",
        "q": params.get("q", ""),
        "tiles": tiles,
        "figures_of_catalogue": (
            ("scored configurations", f"{len(everything):,d}"),
            ("benchmarks", f"{len(known):,d}"),
            ("rounds", f"{rounds[0]} to {rounds[-1]}" if rounds else "none"),
            ("submitters", f"{len({s.submitter for s in everything}):,d}"),
            ("accelerators", f"{len({s.accelerator_id for s in everything} - {None}):,d}"),
        ),
        "width": WIDTH,
        "height": HEIGHT,
        "footnotes": footnotes(rounds=rounds, divisions=BY_TIME, derived=False),
    }


def _fits(entry: facts.Benchmark, words: Sequence[str]) -> bool:
    text = " ".join((entry.id, entry.pretty_name, entry.task, entry.model, *entry.aliases)).lower()
    return all(word in text for word in words)


def _place(name: str) -> int:
    return facts.round_index(name)


def _tile(entry: facts.Benchmark, scores: Sequence["Score"]) -> Tile:
    closed = [s for s in scores if s.division in BY_TIME] or list(scores)
    best: dict[str, Score] = {}
    for score in closed:
        known = best.get(score.round)
        if known is None or (score.time_to_train_min or 0) < (known.time_to_train_min or 0):
            best[score.round] = score
    series = [Best(round=name, score=best[name]) for name in sorted(best, key=_place)]
    last = series[-1]
    names = [item.round for item in series]
    lines, dots = _sparkline(entry, series)
    return Tile(
        id=entry.id,
        name=entry.pretty_name,
        task=entry.task,
        configurations=len(scores),
        submitters=len({s.submitter for s in scores}),
        rounds=names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}",
        fastest=(
            f"{number_text(last.minutes)} min on {last.score.accelerators or 0:,d} × "
            f"{last.score.accelerator_id or 'CPU'} ({last.score.submitter}, {last.round})"
        ),
        spoken="Best time by round: "
        + ", ".join(f"{item.round} {number_text(item.minutes)} min" for item in series),
        lines=lines,
        dots=dots,
    )


def _sparkline(
    entry: facts.Benchmark, series: Sequence[Best]
) -> tuple[tuple[str, ...], tuple[tuple[float, float, str], ...]]:
    """Return lines and dots of best time over rounds; a line never joins two blocks."""
    from math import log

    values = [log(item.minutes) for item in series]
    low, span = min(values), (max(values) - min(values)) or 1.0
    step = (WIDTH - 2 * EDGE) / max(1, len(series) - 1)
    blocks: dict[str, list[str]] = {}
    dots = []
    for place, (item, value) in enumerate(zip(series, values, strict=True)):
        x = round(EDGE + step * place, 1)
        y = round(HEIGHT - EDGE - (value - low) / span * (HEIGHT - 2 * EDGE), 1)
        block = facts.block_of(entry.id, item.round)
        blocks.setdefault(block.name if block else "", []).append(f"{x},{y}")
        dots.append((x, y, f"{item.round}: {number_text(item.minutes)} min"))
    return tuple(" ".join(points) for points in blocks.values()), tuple(dots)
