"""The leading configurations as dots with the interval of their rank (stage 3)."""

from equipoise.rank.results import RankingRow, RankResult
from equipoise.report.cells import MISSING, chance_text, record, submitter_text
from equipoise.report.figures.base import (
    Charts,
    Figure,
    charts_of,
    counted,
    figure,
    nominal_scale,
    tooltip,
)
from equipoise.report.figures.identity import accelerator_name
from equipoise.report.figures.style import accelerator_style, token

MOST = 20
ROW = 24


# long: the definition of one chart, written out as data
def ranking(result: RankResult, *, limit: int = MOST) -> Figure:
    """Return rank and rank interval of the leading configurations, coloured by accelerator."""
    shown = result.ranking[:limit]
    names = [configuration_name(row) for row in shown]
    values = [
        {
            "v": _unique(names, i),
            "rank": row.rank,
            "low": row.rank_low,
            "high": row.rank_high,
            "who": accelerator_name(row.accelerator_id),
            "n": row.accelerators,
            "t": row.time_to_train_min,
            "sys": row.system_id,
            "top": MISSING if row.probability_top10 is None else chance_text(row.probability_top10),
            "front": "yes" if row.pareto else "no",
        }
        for i, row in enumerate(shown)
    ]
    whos = sorted({accelerator_name(row.accelerator_id) for row in shown})
    colours, shapes = nominal_scale(whos, [accelerator_style(who) for who in whos])
    who = {"field": "who", "type": "nominal", "title": "Accelerator"}
    y = {"field": "v", "type": "nominal", "title": None, "sort": [v["v"] for v in values]}
    last = max([row.rank_high for row in shown], default=1)
    ticks = [t for t in (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000) if t <= last * 1.2]
    x = {
        "field": "rank",
        "type": "quantitative",
        "title": f"Rank with its {result.level:.0%} interval (log scale)",
        "scale": {"type": "log", "domain": [0.9, max(2, last * 1.1)], "nice": False},
        "axis": {"values": ticks, "format": "d"},
    }
    more = len(result.ranking) - len(shown)
    return figure(
        "ranking",
        title="Ranks of the leading configurations with their intervals",
        description=(
            f"The {counted(len(shown), 'leading configuration')} by {result.method} with "
            f"{result.weights} weights. The dot is the rank, the line the range of ranks under "
            "noise of the scores and changed weights; rank 1 is best."
        ),
        body={
            "data": {"values": values},
            "layer": [
                {
                    "mark": {"type": "rule", "strokeWidth": 4, "opacity": 0.35},
                    "encoding": {
                        "y": y,
                        "x": {"field": "low", "type": "quantitative"},
                        "x2": {"field": "high"},
                        "color": {**who, "scale": colours},
                    },
                },
                {
                    "mark": {
                        "type": "point",
                        "filled": True,
                        "size": 90,
                        "stroke": token("surface"),
                        "strokeWidth": 1,
                    },
                    "encoding": {
                        "y": y,
                        "x": x,
                        "color": {**who, "scale": colours},
                        "shape": {**who, "scale": shapes},
                        "tooltip": tooltip(
                            ("sys", "System"),
                            ("who", "Accelerator"),
                            ("n", "Accelerators", ",d"),
                            ("t", "Time to train (min)", ",.4~r"),
                            ("rank", "Rank", "d"),
                            ("low", "Best rank", "d"),
                            ("high", "Worst rank", "d"),
                            ("top", "In the top 10"),
                            ("front", "On the Pareto front"),
                        ),
                    },
                },
            ],
        },
        rows=[
            {
                "rank": row.rank,
                "rank_low": row.rank_low,
                "rank_high": row.rank_high,
                "round": row.round,
                "submitter": row.submitter,
                "system_id": row.system_id,
                "accelerator_id": row.accelerator_id,
                "accelerators": row.accelerators,
                "time_to_train_min": row.time_to_train_min,
            }
            for row in shown
        ],
        notes=[f"{counted(more, 'configuration')} further down not drawn."] if more else [],
        height=ROW * max(3, len(shown)) + 20,
        names=whos,
    )


def configuration_name(row: RankingRow) -> str:
    """Return accelerator, count, submitter and round as one short name."""
    return f"{accelerator_name(row.accelerator_id)} × {row.accelerators:,d}, " + (
        f"{submitter_text(record(row))} {row.round}"
    )


def _share(value: float | None) -> str:
    return MISSING if value is None else chance_text(value)


def _unique(names: list[str], place: int) -> str:
    """Return the name at a place, numbered when it stood before: one row for each dot."""
    before = names[:place].count(names[place])
    return f"{names[place]} ({before + 1})" if before else names[place]


def charts(result: RankResult) -> Charts:
    """Return chart name -> function that draws it."""
    return charts_of({"ranking": lambda: ranking(result)})
