"""How results show themselves in a notebook: a title, a verdict, tables, remarks.

Styles stand in the elements, because notebooks drop style sheets; colours are the
page's own, with half-transparent lines, so that light and dark pages both read well.
All text is escaped here and nowhere else.
"""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

__all__ = ["GOOD", "POOR", "card", "table"]

GOOD, POOR = "#2da44e", "#d9822b"

_LINE = "1px solid rgba(128,128,128,.35)"
_CELL = "padding:.15em .7em;background:transparent;color:inherit;"


def card(
    title: str,
    *,
    verdict: str = "",
    tone: str = "",
    tables: Iterable[str] = (),
    notes: Iterable[str] = (),
) -> str:
    """One result as HTML.

    Parameters
    ----------
    title : str
    verdict : str
        The sentence to take away, shown beside a coloured bar.
    tone : str
        Colour of the bar: ``GOOD``, ``POOR``, or grey if empty.
    tables : iterable of str
        HTML, as :func:`table` makes it.
    notes : iterable of str
        Plain remarks, shown as a list.

    Returns
    -------
    str

    Examples
    --------
    >>> from trueval.html import card
    >>> "<script>" in card("A <script> as title", notes=["1 < 2"])
    False
    """
    parts = [f"<strong>{escape(title)}</strong>"]
    if verdict:
        bar = tone or "rgba(128,128,128,.6)"
        parts.append(
            f"<p style='margin:.5em 0;padding:.1em .7em;border-left:4px solid {bar}'>"
            f"{escape(verdict)}</p>"
        )
    parts.extend(tables)
    items = "".join(f"<li>{escape(note)}</li>" for note in notes)
    if items:
        parts.append(f"<ul style='margin:.4em 0;padding-left:1.4em'>{items}</ul>")
    return f"<div style='max-width:56em;line-height:1.4'>{''.join(parts)}</div>"


def table(
    head: Sequence[str], rows: Iterable[Sequence[Any]], *, numeric: Sequence[bool] | None = None
) -> str:
    """A compact table as HTML.

    Parameters
    ----------
    head : sequence of str
        Names of the columns.
    rows : iterable of sequence
        Cells, shown by ``str``.
    numeric : sequence of bool, optional
        Columns to set flush right; by default all but the first.

    Returns
    -------
    str

    Examples
    --------
    >>> from trueval.html import table
    >>> table(["class", "size"], [["<b>", 3]]).count("&lt;b&gt;")
    1
    """
    right = [j > 0 for j in range(len(head))] if numeric is None else numeric
    align = [f"text-align:{'right' if r else 'left'};" for r in right]
    top = "".join(
        f"<th scope='col' style='{_CELL}{a}border-bottom:{_LINE}'>{escape(name)}</th>"
        for name, a in zip(head, align, strict=True)
    )
    body = "".join(
        "<tr style='background:transparent'>"
        + "".join(
            f"<td style='{_CELL}{a}font-variant-numeric:tabular-nums'>{escape(str(cell))}</td>"
            for cell, a in zip(row, align, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    return (
        "<div style='overflow-x:auto'><table style='border-collapse:collapse;margin:.4em 0;"
        f"font-size:.95em'><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )
