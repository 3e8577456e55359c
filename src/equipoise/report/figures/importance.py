"""Importance of variables as bars with their intervals (stage 1)."""

from equipoise.evaluate.results import ImportanceResult
from equipoise.report.figures.base import Charts, Figure, charts_of, counted, figure, tooltip
from equipoise.report.figures.style import token

MOST = 15
ROW = 26
MATTERS, NOT_SEEN = "matters", "no effect seen"


# long: the definition of one chart, written out as data
def importance(result: ImportanceResult, *, limit: int = MOST) -> Figure:
    """Return the importance of the leading variables with 90 % intervals."""
    rows = sorted(result.variables, key=lambda row: (row.rank, row.variable))
    shown = rows[:limit]
    values = [
        {
            "v": row.label,
            "i": row.importance,
            "low": row.low,
            "high": row.high,
            "m": MATTERS if row.matters else NOT_SEEN,
            "agree": row.agreement,
            "n": row.n,
            "with": ", ".join(row.members),
        }
        for row in shown
    ]
    y = {
        "field": "v",
        "type": "nominal",
        "title": None,
        "sort": [value["v"] for value in values],
    }
    axis = {"format": ".0%", "tickCount": 6}
    more = len(rows) - len(shown)
    return figure(
        "importance",
        title="Importance of the variables",
        description=(
            f"Importance of {counted(len(shown), 'variable')} for {result.target}: how much of "
            "the held-out variance is lost when the variable is shuffled. The bar's thin line "
            "is the 90 % interval; an interval that covers zero means no effect was seen."
        ),
        body={
            "data": {"values": values},
            "layer": [
                {
                    "mark": {"type": "bar", "height": {"band": 0.62}, "cornerRadiusEnd": 2},
                    "encoding": {
                        "y": y,
                        "x": {
                            "field": "i",
                            "type": "quantitative",
                            "title": "Share of the held-out variance lost when shuffled",
                            "axis": axis,
                        },
                        "color": {
                            "field": "m",
                            "type": "nominal",
                            "title": "Interval",
                            "scale": {
                                "domain": [MATTERS, NOT_SEEN],
                                "range": [token("c1"), token("other")],
                            },
                        },
                        "tooltip": tooltip(
                            ("v", "Variable"),
                            ("with", "Shuffled together"),
                            ("i", "Importance", ".3f"),
                            ("low", "Low", ".3f"),
                            ("high", "High", ".3f"),
                            ("agree", "Methods that agree", ".0%"),
                            ("n", "Configurations", ",d"),
                        ),
                    },
                },
                {
                    "mark": {"type": "rule", "strokeWidth": 2, "color": token("ink")},
                    "encoding": {
                        "y": y,
                        "x": {"field": "low", "type": "quantitative"},
                        "x2": {"field": "high"},
                    },
                },
            ],
        },
        rows=[
            {
                "rank": row.rank,
                "label": row.label,
                "importance": row.importance,
                "low": row.low,
                "high": row.high,
                "agreement": row.agreement,
                "n": row.n,
            }
            for row in shown
        ],
        notes=[f"{counted(more, 'variable')} of less importance not drawn."] if more else [],
        height=ROW * max(3, len(shown)) + 20,
    )


def charts(result: ImportanceResult) -> Charts:
    """Return chart name -> function that draws it."""
    return charts_of({"importance": lambda: importance(result)})
