"""Tables on a terminal: rich draws them, narrow terminals lose the least needed columns."""

import io
import textwrap
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Literal

from equipoise.errors import printable
from equipoise.report.columns import KEEP
from equipoise.report.tables import Content, Shown, shown, unsaid
from equipoise.report.views import view

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

GAP = 2
"""Blanks between two columns."""
LEAST_WIDTH = 30
UNLIMITED = 10_000
TEXT_WIDTH = 100
"""Sentences are wrapped here when the terminal has no width."""
PROSE_SHARE = 0.45
"""Share of the width that a column of sentences may take."""
PROSE_LEAST = 24
MARK = "\ue000"
"""Stands in the grid where the sentences of a row go; no text that is shown can hold it."""
INDENT = 6
"""Blanks before sentences below a row."""


def terminal_text(content: Content, *, width: int | None, color: bool) -> str:
    """Return content for a terminal of `width` columns; None for no limit."""
    from rich.console import Console
    from rich.text import Text

    out = io.StringIO()
    console = Console(
        file=out,
        width=UNLIMITED if width is None else max(width, LEAST_WIDTH),
        force_terminal=color,
        color_system="standard" if color else None,
        highlight=False,
        legacy_windows=False,
    )
    wrap = min(console.width, TEXT_WIDTH)
    if content.headline:
        console.print(Text(printable(content.headline), style="bold"), width=wrap)
        console.print()
    for name, rows in content.tables.items():
        how = content.views.get(name) or view(name)
        if not how.hidden:
            _draw(console, shown(name, rows, how=how), named=len(content.tables) > 1)
    for note in content.notes:
        console.print(Text(printable(note)), width=wrap)
    for warning in unsaid(content.warnings, content.headline):
        console.print(Text(f"Warning: {printable(warning)}", style="yellow"), width=wrap)
    for footnote in content.footnotes:
        console.print(Text(printable(footnote), style="dim"), width=wrap)
    lines = (line.rstrip() for line in out.getvalue().split("\n"))
    return "\n".join(lines).strip("\n") + "\n"


def column_widths(table: Shown, width: int) -> list[int]:
    """Return how wide each column wants to be; sentences are wrapped, headers too."""
    prose = max(PROSE_LEAST, int(width * PROSE_SHARE))
    wanted = []
    for i, column in enumerate(table.columns):
        widest = max((len(row[i]) for row in table.cells), default=0)
        header = max(len(word) for word in column.header.split())
        wanted.append(max(header, min(widest, prose)))
    return wanted


def fitting(
    table: Shown, width: int, *, without: Collection[int] = ()
) -> tuple[list[int], list[str]]:
    """Return the places of the columns that fit into `width` and the labels of the others.

    Columns of the highest priority number go first, the last of equals before the others;
    columns of priority `KEEP` always stay. Those `without` are shown in another place.
    """
    widths = column_widths(table, width)
    kept = [i for i in range(len(table.columns)) if i not in without]
    dropped: list[str] = []
    while sum(widths[i] + GAP for i in kept) - GAP > width:
        spare = [i for i in kept if table.columns[i].priority > KEEP]
        if not spare:
            break
        worst = max(spare, key=lambda i: (table.columns[i].priority, i))
        kept.remove(worst)
        dropped.insert(0, table.columns[worst].label)
    return kept, dropped


def grown(table: Shown, kept: list[int], width: int) -> dict[int, int]:
    """Return the widths of the kept columns, spare room given to headers that wrap.

    Empty when even the kept columns are too wide: rich then folds the cells.
    """
    least = column_widths(table, width)
    room = width - sum(least[i] + GAP for i in kept) + GAP
    if room < 0:
        return {}
    widths = {}
    for i in kept:
        extra = min(room, max(0, len(table.columns[i].header) - least[i]))
        widths[i] = least[i] + extra
        room -= extra
    return widths


def _draw(console: "Console", table: Shown, *, named: bool) -> None:
    from rich.text import Text

    if named and not table.cells:  # the headline or a warning says why
        return
    if named:
        console.print(Text(printable(table.title), style="bold"))
    if not table.cells:
        console.print(Text("No rows.\n", style="dim"))
        return
    kept, dropped = fitting(table, console.width)
    below = [i for i, column in enumerate(table.columns) if column.prose] if dropped else []
    if len(below) == len(table.columns):
        below = []
    if below:
        kept, dropped = fitting(table, console.width, without=below)
    with console.capture() as drawn:
        console.print(_grid(table, kept, console.width, marked=bool(below)))
    console.file.write(_with_prose(drawn.get(), table, below, console.width))
    wrap = min(console.width, TEXT_WIDTH)
    if table.left_out:
        text = f"{table.left_out:,d} more rows: --format csv or json"
        console.print(Text(text, style="dim"), width=wrap)
    if dropped:
        text = f"Not shown at this width: {', '.join(dropped)} (--format csv or json has all)"
        console.print(Text(text, style="dim"), width=wrap)
    console.print()


def _with_prose(drawn: str, table: Shown, below: list[int], width: int) -> str:
    """Return a drawn grid with the sentences of each row in place of its marked line."""
    said = iter(table.cells)
    lines = []
    for line in drawn.split("\n"):
        row = next(said, None) if below and line.strip() == MARK else None
        if row is None:
            lines.append(line)
            continue
        blanks = " " * INDENT
        for i in below:
            lines += textwrap.wrap(
                row[i],
                min(width, TEXT_WIDTH),
                initial_indent=blanks,
                subsequent_indent=blanks,
                break_on_hyphens=False,
            )
    return "\n".join(lines)


def _grid(table: Shown, kept: list[int], width: int, *, marked: bool) -> Any:
    """Return the grid of the kept columns; `marked`, a line for sentences follows each row."""
    from rich import box
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid(box=box.SIMPLE_HEAD, padding=(0, GAP - 1, 0, 0), pad_edge=False, show_edge=False)
    widths = grown(table, kept, width)
    for i in kept:
        justify: Literal["right", "left"] = "right" if table.numeric[i] else "left"
        header = Text(printable(table.columns[i].header), style="bold", justify=justify)
        grid.add_column(header, overflow="fold", width=widths.get(i))
    rooms = [max(len(row[i]) for row in table.cells) for i in range(len(table.columns))]
    for row in table.cells:
        grid.add_row(*(_cell(table, row, i, widths.get(i, rooms[i])) for i in kept))
        if marked:
            grid.add_row(MARK)
    return grid


def _cell(table: Shown, row: tuple[str, ...], place: int, width: int) -> "Text":
    """Return a cell; numbers are set right here, because rich takes trailing blanks away."""
    from rich.text import Text

    return Text(row[place].rjust(width) if table.numeric[place] else row[place])
