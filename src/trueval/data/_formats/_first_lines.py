"""What the first lines of a table of text say: what separates its columns, where they are named."""

import re
from collections.abc import Callable, Sequence
from enum import Enum
from math import isfinite

__all__ = [
    "DECIMAL_COMMA",
    "Comment",
    "choose_delimiter",
    "header_in_comment",
    "is_bare",
    "is_spaced",
    "mark_of",
    "numbered_header",
    "numbers_columns",
    "of_two",
    "quoted_fields",
    "separator_line",
    "split_line",
    "what_comment_is",
]

#: A number with a decimal comma.
DECIMAL_COMMA = re.compile(r"\s*[-+]?\d*,\d+(?:[eE][-+]?\d+)?\s*")

_BINARY = frozenset({"0", "1", "0.0", "1.0"})
_WHOLE = re.compile(r"[-+]?\d+")
_MISSING = frozenset({"", "?", "n/a", "na", "nan", "none", "null"})
_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)
_SURELY_COMMENT = re.compile(r"##|#[\w-]+:(?:\s|$)")


def separator_line(line: str) -> str | None:
    """The delimiter that a line says as Excel writes it, ``sep=;``; None for other lines.

    >>> separator_line("sep=;"), separator_line("id;label")
    (';', None)
    """
    match = _SEPARATOR_LINE.fullmatch(line)
    return match[1] if match else None


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


class Comment(Enum):
    """What a line at the top that begins with ``#`` and no blank is."""

    COMMENT = "a comment"
    HEADER = "the header"
    EITHER = "a comment or the header"
    ROW = "a row"


def what_comment_is(
    line: str, below: Sequence[str], delimiter: str | None, n_known: Callable[[Sequence[str]], int]
) -> tuple[Comment, str | None]:
    r"""Tell a comment such as ``#made by hand`` from a header such as ``#id,label``.

    A header has as many fields as the line below. Of a column of numbers the first line that has a
    word names it; else the line with more words that are known as names of columns, which
    ``n_known`` counts, is the header. With it comes what separates the columns, if that is known.

    >>> def n_known(names):
    ...     return sum(name in ("id", "label") for name in names)
    >>> for text in ("#from X,2024\nid,label\nx,a", "#id,label\nx,a", "#x,y\na,b", "#x\na,b"):
    ...     line, *below = text.split("\n")
    ...     print(what_comment_is(line, below, None, n_known)[0].value)
    a comment
    the header
    a comment or the header
    a comment
    """
    if _SURELY_COMMENT.match(line):
        return Comment.COMMENT, None
    chosen = delimiter or choose_delimiter([line, *below])
    if chosen is None or not len(split_line(line, chosen)) == len(split_line(below[0], chosen)) > 1:
        chosen = delimiter or choose_delimiter(below)
    if chosen is None:
        return Comment.COMMENT, chosen
    names, first, *rest = ([f.strip() for f in split_line(text, chosen)] for text in (line, *below))
    if len(names) != len(first):
        return Comment.COMMENT, chosen
    rows = [row for row in rest if len(row) == len(first)] or [first]
    numbers = [at for at in range(len(first)) if all(_is_number(row[at]) for row in rows)]
    if any(_is_number(names[at]) for at in numbers):
        return Comment.ROW, chosen
    if any(first[at] and not _is_number(first[at]) for at in numbers):
        return Comment.COMMENT, chosen
    names_known, first_known = n_known([name.lstrip("# ") for name in names]), n_known(first)
    # Words of a comment stand between blanks as columns of numbers do.
    if (numbers and chosen != " ") or names_known > first_known:
        return Comment.HEADER, chosen
    return (Comment.COMMENT if first_known else Comment.EITHER), chosen


def numbers_columns(names: Sequence[str]) -> bool:
    """Whether names of columns are 0, 1, …, as pandas numbers them, after those of an index.

    >>> numbers_columns(["0", "1"]), numbers_columns(["", "0", "1"]), numbers_columns(["0"])
    (True, True, False)
    """
    texts = [name.strip() for name in names]
    texts = texts if texts[0] else texts[1:]
    return len(texts) > 1 and texts == [str(number) for number in range(len(texts))]


def numbered_header(
    names: Sequence[str], columns: Sequence[Sequence[str]]
) -> tuple[bool, bool] | None:
    """Whether a first line of 0, 1, … is the header, and whether that is sure.

    None for other lines, and where none follows. A row cannot have a number where all others have
    text, nor 2 in a matrix of 0 and 1 or of numbers with a point.

    >>> numbered_header(["0", "1"], [["p1", "p2"], ["ion", "kinase"]])
    (True, True)
    >>> numbered_header(["0", "1"], [["1", "1"], ["0", "1"]])
    (False, False)
    """
    if not numbers_columns(names) or not columns[0]:
        return None
    kinds = [_kind_of(cells) for cells in columns]
    if not names[0].strip() or "text" in kinds:
        return True, True
    if len(set(kinds)) == 1 and kinds[0] in ("binary", "float"):
        three = len(kinds) > 2
        return three or kinds[0] == "float", three
    return "float" in kinds or "mixed" in kinds or "binary" in kinds[2:], False


def _kind_of(cells: Sequence[str]) -> str:
    """Of the cells below a number: text, mixed (text and numbers), float, binary or number."""
    present = [cell for cell in map(str.strip, cells) if cell.lower() not in _MISSING]
    text = [not _is_number(cell) for cell in present]
    if any(text):
        return "text" if all(text) else "mixed"
    if present and not any(map(_WHOLE.fullmatch, present)):
        return "float"
    return "binary" if present and set(present) <= _BINARY else "number"


def _is_number(field: str) -> bool:
    try:
        return isfinite(float(field))
    except ValueError:
        return False


def is_spaced(lines: Sequence[str], delimiter: str) -> bool:
    """Whether every delimiter is followed by a blank, which is then part of it."""
    if delimiter == " " or not lines or delimiter not in lines[0]:
        return False
    last = [line.endswith(delimiter) for line in lines]
    return all(
        line.count(delimiter) == line.count(f"{delimiter} ") + end
        for line, end in zip(lines, last, strict=True)
    )


def is_bare(line: str) -> bool:
    """Whether a line begins as a comment without a blank, so that it may be something else."""
    return line.startswith("#") and not line.startswith("# ")


def mark_of(comment: str) -> str:
    """What makes a line a comment."""
    return "#" if is_bare(comment) else "# "
