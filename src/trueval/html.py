"""How results show themselves in a notebook: a title, a verdict, tables, remarks.

Styles are written into the elements, because notebooks drop style sheets; colours are the
page's own, with half-transparent lines, so that light and dark pages both read well.
All text is escaped here and nowhere else.
"""

from html import escape

from trueval.core.presentable import Card, CardTable

__all__ = ["card"]

_GOOD, _POOR, _NEITHER = "#2da44e", "#d9822b", "rgba(128,128,128,.6)"
_LINE = "1px solid rgba(128,128,128,.35)"
_CELL = "padding:.15em .7em;background:transparent;color:inherit;"


def card(content: Card) -> str:
    """A card as HTML.

    >>> card(Card("A <script> as title", notes=["1 < 2"])).count("<script>")
    0
    """
    parts = [f"<strong>{escape(content.title)}</strong>"] if content.title else []
    if content.verdict:
        bar = {True: _GOOD, False: _POOR, None: _NEITHER}[content.good]
        parts.append(
            f"<p style='margin:.5em 0;padding:.1em .7em;border-left:4px solid {bar}'>"
            f"{escape(content.verdict)}</p>"
        )
    parts.extend(_table(table) for table in content.tables)
    items = "".join(f"<li>{escape(note)}</li>" for note in content.notes)
    if items:
        parts.append(f"<ul style='margin:.4em 0;padding-left:1.4em'>{items}</ul>")
    return f"<div style='max-width:56em;line-height:1.4'>{''.join(parts)}</div>"


def _table(table: CardTable) -> str:
    """A table as HTML; by default all columns but the first are flush right."""
    right = [j > 0 for j in range(len(table.head))] if table.numeric is None else table.numeric
    align = [f"text-align:{'right' if r else 'left'};" for r in right]
    top = "".join(
        f"<th scope='col' style='{_CELL}{a}border-bottom:{_LINE}'>{escape(name)}</th>"
        for name, a in zip(table.head, align, strict=True)
    )
    body = "".join(
        "<tr style='background:transparent'>"
        + "".join(
            f"<td style='{_CELL}{a}font-variant-numeric:tabular-nums'>{escape(str(cell))}</td>"
            for cell, a in zip(row, align, strict=True)
        )
        + "</tr>"
        for row in table.rows
    )
    return (
        "<div style='overflow-x:auto'><table style='border-collapse:collapse;margin:.4em 0;"
        f"font-size:.95em'><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )
