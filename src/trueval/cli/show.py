"""Summaries, tables and sentences in a terminal. Text from data is never read as markup."""

import os
import sys
from collections.abc import Collection, Iterable, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from trueval.cli.streams import visible
from trueval.show import Column, Summary, SummaryTable
from trueval.show._summary import Cell, columns_of

__all__ = ["WideTable", "console", "grid", "heading", "of_summary", "table"]

_PLAIN_WIDTH = 110
_COLOURS = {"good": "green", "fair": "yellow", "poor": "red"}


class _Console(Console):
    """A terminal that data can write to, but not control."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """The segments of anything, with their text made visible."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(visible(segment.text), segment.style)

    def on_broken_pipe(self) -> None:
        """Leave it to the caller, who knows the exit code."""
        raise BrokenPipeError


def console(*, err: bool = False) -> Console:
    """A terminal on stdout or stderr; plain text of one width where none is connected."""
    stream = sys.stderr if err else sys.stdout
    width = None
    if not stream.isatty() and not os.environ.get("COLUMNS"):
        width = _PLAIN_WIDTH
    return _Console(file=stream, width=width, highlight=False, emoji=False)


def heading(text: str) -> Text:
    """A line that stands out."""
    return _text(text, "bold")


def _text(text: str, style: str = "") -> Text:
    """Text that has its width before it is laid out."""
    return Text(visible(text).replace("\n", "\\n"), style=style)


def of_summary(summary: Summary) -> list[RenderableType]:
    """Title, facts, tables, verdict with what to do next, and notes."""
    items: list[RenderableType] = [heading(summary.title)]
    if summary.facts and not summary.tables:
        columns = (Column("", text=True), Column(""), Column("", text=True))
        rows = [(fact.name, fact.text, fact.note) for fact in summary.facts]
        items.append(grid(SummaryTable(columns, rows)))
    items += map(grid, summary.tables)
    if summary.verdict is not None:
        items.append(_text(summary.verdict.text, _COLOURS[summary.verdict.level]))
        if summary.verdict.reason:
            items.append(summary.verdict.reason)
        if summary.verdict.advice:
            items.append(_text(f"Next: {summary.verdict.advice}", "bold"))
    items += summary.notes
    return items


def table(
    columns: Sequence[str], rows: Sequence[Sequence[Cell]], *, strong: Sequence[int] = ()
) -> Table:
    """A table: the first column, and those whose name begins with ``<``, to the left."""
    return grid(_content(columns, rows, strong))


def _content(
    columns: Sequence[str], rows: Sequence[Sequence[Cell]], strong: Sequence[int] = ()
) -> SummaryTable:
    first, *others = columns
    return SummaryTable(columns_of("<" + first.removeprefix("<"), *others), rows, "", strong)


def grid(content: SummaryTable) -> Table:
    """A table: text to the left, numbers to the right."""
    rendered = Table(
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
        show_edge=False,
        show_header=any(column.name for column in content.columns),
        header_style="bold cyan",
    )
    for column in content.columns:
        rendered.add_column(_text(column.name), justify="left" if column.text else "right")
    for place, row in enumerate(content.cells()):
        style = "bold" if place in content.strong else None
        rendered.add_row(*map(_text, row), style=style)
    return rendered


class WideTable:
    """A table that is cut into blocks of columns where the screen is too narrow for it.

    ``keys`` columns at the left name the row and are repeated in every block; columns of
    ``together`` stay in a block with the next one.

    >>> wide = WideTable(["data", "F", "error"], [["yeast", 0.5, 0.01]], keys=1)
    >>> wide.blocks(80), wide.blocks(15)
    ([[0, 1, 2]], [[0, 1], [0, 2]])
    """

    _GAP = 2

    def __init__(
        self,
        columns: Sequence[str],
        rows: Sequence[Sequence[Cell]],
        keys: int,
        together: Collection[int] = (),
    ) -> None:
        self.content, self.keys, self.together = _content(columns, rows), keys, together

    def blocks(self, width: int) -> list[list[int]]:
        """Column numbers of each block, at least one beside the keys."""
        columns = self.content.columns
        rows = self.content.cells()
        needed = [
            self._GAP
            + max(len(word) for word in (*column.name.split(), *(row[place] for row in rows), ""))
            for place, column in enumerate(columns)
        ]
        keys = list(range(self.keys))
        room = width + self._GAP - sum(needed[: self.keys])
        blocks: list[list[int]] = []
        left, place = 0, self.keys
        while place < len(columns):
            end = place + 1
            while end - 1 in self.together:
                end += 1
            if not blocks or sum(needed[place:end]) > left:
                blocks.append(keys.copy())
                left = room
            blocks[-1] += range(place, end)
            left -= sum(needed[place:end])
            place = end
        return blocks or [keys]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for block, places in enumerate(self.blocks(options.max_width)):
            if block:
                yield Text()
            yield grid(_part(self.content, places))


def _part(content: SummaryTable, places: Sequence[int]) -> SummaryTable:
    """Some columns of a table."""
    rows = [[row[place] for place in places] for row in content.rows]
    return SummaryTable([content.columns[place] for place in places], rows)
