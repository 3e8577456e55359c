"""Progress over the rounds: the time to train of like hardware, round after round."""

from collections.abc import Sequence
from typing import Any

from equipoise.report.cells import MISSING, record, submitter_text
from equipoise.report.figures.base import (
    Figure,
    Spec,
    counted,
    figure,
    log_axis,
    nominal_scale,
    tooltip,
)
from equipoise.report.figures.identity import accelerator_name
from equipoise.report.figures.style import accelerator_dash, accelerator_style

MOST_LINES = 24


# long: the definition of one chart, written out as data
def trends(rows: Sequence[Any], *, rounds: Sequence[str] = ()) -> Figure:
    """Return time to train by round, one line for each accelerator and count.

    Parameters
    ----------
    rows
        Rows with round, accelerator_id, accelerators and time_to_train_min.
    rounds
        All rounds in their order; by default those of the rows in the order of appearance.
    """
    records = [record(row) for row in rows]
    lines: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for row in records:
        key = (accelerator_name(row["accelerator_id"]), row["accelerators"])
        lines.setdefault(key, []).append(row)
    longest = sorted(lines, key=lambda key: (-len({r["round"] for r in lines[key]}), key))
    kept = set(longest[:MOST_LINES])
    values = [
        {
            "who": who,
            "n": n,
            "line": f"{who} × {n:,d}",
            "r": row["round"],
            "t": row["time_to_train_min"],
            "s": submitter_text(row),
            "sys": row.get("system_id") or MISSING,
        }
        for (who, n), members in lines.items()
        if (who, n) in kept
        for row in members
    ]
    order = list(rounds) or list(dict.fromkeys(row["round"] for row in records))
    drawn = [name for name in order if name in {value["r"] for value in values}]
    whos = sorted({who for who, _ in kept})
    colours, shapes = nominal_scale(whos, [accelerator_style(who) for who in whos])
    channel: Spec = {"field": "who", "type": "nominal", "title": "Accelerator"}
    x: Spec = {
        "field": "r",
        "type": "ordinal",
        "title": "Round",
        "sort": drawn,
        "axis": {"labelAngle": 0},
    }
    y = {"field": "t", **log_axis([v["t"] for v in values], title="Time to train (min)")}
    more = len(lines) - len(kept)
    return figure(
        "trends",
        title="Time to train over the rounds",
        description=(
            f"Best time to train in each round for {counted(len(kept), 'pair')} of accelerator "
            "and count. A line that falls shows what software gained on the same hardware; "
            "the step from one accelerator to the next is the hardware's part."
        ),
        body={
            "data": {"values": values},
            "layer": [
                {
                    "mark": {"type": "line", "strokeWidth": 1.6, "opacity": 0.7},
                    "encoding": {
                        "x": x,
                        "y": y,
                        "color": {**channel, "scale": colours},
                        "strokeDash": {
                            **channel,
                            "scale": {
                                "domain": whos,
                                "range": [list(accelerator_dash(who)) for who in whos],
                            },
                        },
                        "detail": {"field": "line", "type": "nominal"},
                    },
                },
                {
                    "mark": {"type": "point", "filled": True, "size": 60},
                    "encoding": {
                        "x": x,
                        "y": y,
                        "color": {**channel, "scale": colours},
                        "shape": {**channel, "scale": shapes},
                        "tooltip": tooltip(
                            ("sys", "System"),
                            ("s", "Submitter"),
                            ("line", "Hardware"),
                            ("r", "Round"),
                            ("t", "Time to train (min)", ",.4~r"),
                        ),
                    },
                },
            ],
        },
        rows=[
            {
                "round": row["round"],
                "accelerator_id": row["accelerator_id"],
                "accelerators": row["accelerators"],
                "time_to_train_min": row["time_to_train_min"],
            }
            for row in records
        ],
        notes=[f"{counted(more, 'shorter line')} not drawn."] if more else [],
        names=whos,
    )
