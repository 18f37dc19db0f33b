"""What the words of a first line say of it: known names of columns, a header without row names."""

from collections.abc import Sequence

from trueval.data._formats._first_lines import split_line
from trueval.data._values._words import FOLD_LIKE, ID_LIKE, LABEL_LIKE, SCORE_LIKE, is_number

__all__ = ["lacks_row_names", "n_known"]


def lacks_row_names(names: Sequence[str], lines: Sequence[str], delimiter: str) -> bool:
    """Whether a first line is a header without the row names, as R writes it.

    All others have one field more; of a delimiter at their ends it would be empty.
    """
    n = len(names)
    if n < 2 or len(split_line(lines[0], delimiter)) != n + 1:
        return False
    rows = [split_line(line, delimiter) for line in lines]
    words = all(name.strip() and not is_number(name) for name in names)
    even = all(len(row) == n + 1 for row in rows) and any(row[-1].strip() for row in rows)
    first = [row[0].strip() for row in rows]
    if not (words and even and _may_be_names(first)):
        return False
    # One that names ids has a name for each column, unless R has numbered the rows in quotes.
    numbers = first == [str(1 + n) for n in range(len(first))]
    numbered = numbers and all(line.startswith('"') for line in lines)
    # Below a title there is a header.
    return (numbered or not ID_LIKE.fullmatch(names[0])) and n_known(rows[0]) < 2


def _may_be_names(cells: list[str]) -> bool:
    """Whether cells are all different, and texts or whole numbers."""
    plain = all(cell.isdigit() for cell in cells) or not all(map(is_number, cells))
    return plain and len(set(cells)) == len(cells)


def n_known(names: Sequence[str]) -> int:
    """How many names of columns are known words."""
    words = (ID_LIKE, LABEL_LIKE, SCORE_LIKE, FOLD_LIKE)
    return sum(any(name and known.fullmatch(name) for known in words) for name in names)
