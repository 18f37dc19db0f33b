"""A summary as plain text: what ``repr`` shows."""

from collections.abc import Iterator, Sequence
from textwrap import wrap

from trueval.show._summary import Summary, SummaryTable

__all__ = ["to_text"]

WIDTH = 98  # of a verdict; with its indent a line of 100


def to_text(summary: Summary) -> str:
    """Title, verdict, tables, facts and notes, one below the other.

    >>> from trueval.show._summary import Fact
    >>> print(to_text(Summary("A split", None, [Fact("gaps", 0, "", "of 12")], (), ["a note"])))
    A split
      gaps: 0 of 12
      a note
    """
    lines: list[str] = []
    if summary.verdict is not None:
        lines += wrap(summary.verdict.text, WIDTH, break_long_words=False, break_on_hyphens=False)
    for table in summary.tables:
        lines += table_lines([column.name for column in table.columns], table)
    lines += [f"{fact.name}: {fact.text} {fact.note}".rstrip() for fact in summary.facts]
    lines += summary.notes
    if not summary.title:
        return "\n".join(lines)
    return "\n".join([summary.title, *(f"  {line}" for line in lines)])


def table_lines(head: Sequence[str], table: SummaryTable) -> Iterator[str]:
    """The lines of a table, numbers flush right."""
    cells = [list(head), *table.cells()]
    widths = [max(len(row[j]) for row in cells) for j in range(len(head))]
    for row in cells:
        yield "  ".join(
            cell.ljust(width) if column.text else cell.rjust(width)
            for cell, width, column in zip(row, widths, table.columns, strict=True)
        ).rstrip()
