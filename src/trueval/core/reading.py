"""How a file was understood: labels, pairs, scores of pairs, similarities."""

from dataclasses import dataclass
from typing import Any

__all__ = [
    "AnyReading",
    "PairReading",
    "PairScoreReading",
    "Reading",
    "RowsReading",
    "SimilarityReading",
    "examples_of",
]


@dataclass(frozen=True)
class Reading:
    """How a file of labels was understood, so that a wrong guess can be seen."""

    # {"wide", "long", "list"} or None: Of a table; None for other formats
    layout: str | None = None
    # What separates the labels of a cell; None where a cell is one label, or a list
    separator: str | None = None
    column: str | int | None = None  # the column with the labels
    form: str = ""  # the format
    # Some classes; those with spaces or punctuation first, which tell most
    examples: tuple[str, ...] = ()
    value: str | int | None = None  # the column that says whether the label of a line is there
    unused: tuple[str | int, ...] = ()  # columns that are not read


@dataclass(frozen=True)
class PairReading:
    """How a file of pairs was understood."""

    # The two columns with the ids of objects; a number where the first line is data
    columns: tuple[str | int, str | int]
    # label, weight: Their columns
    label: str | int | None = None
    weight: str | int | None = None
    unused: tuple[str | int, ...] = ()  # the other columns
    header: bool = True  # whether the first line names the columns


@dataclass(frozen=True)
class PairScoreReading:
    """How a file of scores of pairs was understood."""

    score: str | int  # the column with the scores; a number where the first line is data
    # Two columns with ids of objects, one with row numbers, or none: then scores are in the order
    # of the pairs
    ids: tuple[str | int, ...] = ()
    by_fold: bool = False  # whether a column says which fold gave a score
    header: bool = True


@dataclass(frozen=True)
class SimilarityReading:
    """How a file of similarities was understood."""

    column: str | int | None  # the column with the similarities; None for a matrix
    unit: str  # {"fraction", "percent", "as given"}: Percentages are divided by 100
    n_edges: int  # pairs of different rows
    # n_self, n_unknown: Hits of a row with itself, and of ids that no row has; both are left out
    n_self: int = 0
    n_unknown: int = 0


@dataclass(frozen=True)
class RowsReading:
    """How a file of rows was understood.

    Attributes
    ----------
    n_features, n_text : int
        Columns that are features, and those of them with text, which are categories.
    special : dict of str to str or int
        Columns that are none, by what they are: id, label, group, time, split.
    unused : tuple of str or int
    header : bool
        Whether the first line names the columns.
    """

    n_features: int
    n_text: int
    special: dict[str, str | int]
    unused: tuple[str | int, ...] = ()
    header: bool = True


AnyReading = Reading | PairReading | PairScoreReading | RowsReading | SimilarityReading


def examples_of(classes: Any, n: int = 3) -> tuple[str, ...]:
    """The class names that would look wrong first if the separator were.

    >>> from trueval.core.reading import examples_of
    >>> examples_of(["kinase", "ion", "lipid, transport", "membrane"])
    ('lipid, transport', 'kinase', 'ion')
    """
    odd: list[str] = []
    plain: list[str] = []
    for name in map(str, classes):
        (odd if any(mark in name for mark in ",;| ") else plain).append(name)
        if len(odd) == n:
            break
        del plain[n:]
    return tuple((odd + plain)[:n])
