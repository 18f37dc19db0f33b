"""What the first lines of a table of text say: what separates its columns, where they are named."""

import re
from collections.abc import Sequence
from math import isfinite

__all__ = [
    "DECIMAL_COMMA",
    "choose_delimiter",
    "header_in_comment",
    "of_two",
    "quoted_fields",
    "split_line",
]

#: A number with a decimal comma.
DECIMAL_COMMA = re.compile(r"\s*[-+]?\d*,\d+(?:[eE][-+]?\d+)?\s*")


def choose_delimiter(lines: Sequence[str]) -> str | None:
    """What separates the columns of these lines: a tab, else a comma or semicolon.

    Only what the first line has can be; None where it may be one or the other.

    >>> [choose_delimiter(lines) for lines in (["a;b,c"], ["p1,a;b", "p2,c"], ["p;q;0,5"])]
    [None, ',', ';']
    """
    if "\t" in lines[0] or not (";" in lines[0] and "," in lines[0]):
        return next((d for d in "\t,;" if d in lines[0]), ",")
    return of_two(lines, ";")


def of_two(lines: Sequence[str], other: str, least: int = 2) -> str | None:
    """Comma or ``other``, both of which are in the lines; None if it cannot be told.

    The other one separates if it gives all lines one number of columns, at least ``least``, where
    the comma does not, and what the comma would separate tells that it does not: all are decimal
    commas, or the first column would hold the other delimiter, which separates labels elsewhere.
    """
    by_comma, by_other = ([split_line(line, d) for line in lines] for d in (",", other))
    if not _is_even(by_other, least):
        return ","
    with_comma = [cell for row in by_other for cell in row if "," in cell]
    decimal = all(map(DECIMAL_COMMA.fullmatch, with_comma))
    inside = all(other in row[0] for row in by_comma)
    if (decimal and inside) or ((decimal or inside) and not _is_even(by_comma, 2)):
        return other
    spaced = all(cell.startswith(" ") for row in by_comma for cell in row[1:])
    return None if decimal or inside or (spaced and _is_even(by_comma, 2)) else ","


def _is_even(rows: Sequence[Sequence[str]], least: int) -> bool:
    return len(rows[0]) >= least and len({len(row) for row in rows}) == 1


def split_line(line: str, delimiter: str) -> list[str]:
    """Fields of a line; the line as one field where its quotes do not match the delimiter."""
    if '"' not in line:
        return line.split(delimiter)
    try:
        return quoted_fields(line, delimiter)
    except ValueError:
        return [line]


def quoted_fields(line: str, delimiter: str) -> list[str]:
    """Fields of a line with quotes; unlike the csv module's, of any length."""
    fields = []
    at = 0
    while True:
        if line.startswith('"', at):
            close = line.find('"', at + 1)
            while line.startswith('""', close):
                close = line.find('"', close + 2)
            if close < 0:
                raise ValueError(f"the one at {at + 1} is not closed")
            fields.append(line[at + 1 : close].replace('""', '"'))
            at = close + 1
            if at < len(line) and line[at] != delimiter:
                raise ValueError(f"text follows the one at {close + 1}")
        else:
            end = line.find(delimiter, at)
            end = len(line) if end < 0 else end
            fields.append(line[at:end])
            at = end
        if at == len(line):
            return fields
        at += 1


def header_in_comment(comment: str, first: Sequence[str], delimiter: str) -> list[str] | None:
    """Names of columns in the comment above the first row, as NumPy's ``savetxt`` writes them.

    None where it has not a name for each of several columns, or no number is below a name: then
    the row may be the header, and the comment one.

    >>> header_in_comment("kinase,ion", ["1", "0"], ",")
    ['kinase', 'ion']
    """
    names = split_line(comment.strip(), delimiter)
    if len(names) != len(first) or len(first) < 2 or not all(name.strip() for name in names):
        return None
    over_number = any(
        _is_number(cell) and not _is_number(name) for name, cell in zip(names, first, strict=True)
    )
    return names if over_number else None


def _is_number(field: str) -> bool:
    try:
        return isfinite(float(field))
    except ValueError:
        return False
