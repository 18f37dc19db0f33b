"""A summary as HTML for notebooks.

Styles are written into the elements, because notebooks drop style sheets; colours are the
page's own, with half-transparent lines, so that light and dark pages both read well.
All text is escaped here and nowhere else.
"""

from html import escape

from trueval.show._summary import Summary, SummaryTable, Verdict

__all__ = ["COLOURS", "to_html"]

#: Of the bar beside a verdict.
COLOURS = {"good": "#2da44e", "fair": "#bf8700", "poor": "#cf4a22"}
_LINE = "1px solid rgba(128,128,128,.35)"
_CELL = "padding:.15em .7em;background:transparent;color:inherit;"


def to_html(summary: Summary) -> str:
    """A summary as a card.

    >>> to_html(Summary("A <script> as title", notes=["1 < 2"])).count("<script>")
    0
    """
    parts = [f"<strong>{escape(summary.title)}</strong>"] if summary.title else []
    if summary.verdict is not None:
        parts.append(_verdict(summary.verdict))
    parts += map(_table, summary.tables)
    notes = [f"{fact.name}: {fact.text} {fact.note}".rstrip() for fact in summary.facts]
    items = "".join(f"<li>{escape(note)}</li>" for note in (*notes, *summary.notes))
    if items:
        parts.append(f"<ul style='margin:.4em 0;padding-left:1.4em'>{items}</ul>")
    return f"<div style='max-width:56em;line-height:1.4'>{''.join(parts)}</div>"


def _verdict(verdict: Verdict) -> str:
    reason = f"<br><small>{escape(verdict.reason)}</small>" if verdict.reason else ""
    return (
        "<p style='margin:.5em 0;padding:.1em .7em;border-left:4px solid "
        f"{COLOURS[verdict.level]}'>{escape(verdict.text)}{reason}</p>"
    )


def _table(table: SummaryTable) -> str:
    align = [f"text-align:{'left' if column.text else 'right'};" for column in table.columns]
    head = "".join(
        f"<th scope='col' style='{_CELL}{a}border-bottom:{_LINE}'>{escape(column.name)}</th>"
        for column, a in zip(table.columns, align, strict=True)
    )
    head = f"<thead><tr>{head}</tr></thead>" if any(c.name for c in table.columns) else ""
    body = "".join(
        "<tr style='background:transparent'>"
        + "".join(
            f"<td style='{_CELL}{a}font-variant-numeric:tabular-nums'>{escape(cell)}</td>"
            for cell, a in zip(row, align, strict=True)
        )
        + "</tr>"
        for row in table.cells()
    )
    return (
        "<div style='overflow-x:auto'><table style='border-collapse:collapse;margin:.4em 0;"
        f"font-size:.95em'>{head}<tbody>{body}</tbody></table></div>"
    )
