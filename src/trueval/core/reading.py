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
    """How a file of labels was understood, so that a wrong guess can be seen.

    Attributes
    ----------
    layout : {"wide", "long", "list"} or None
        Of a table; None for other formats.
    separator : str or None
        What separates the labels of a cell; None where a cell is one label, or a list.
    column : str, int or None
        The column with the labels.
    form : str
        The format.
    examples : tuple of str
        Some classes; those with spaces or punctuation first, which tell most.
    """

    layout: str | None = None
    separator: str | None = None
    column: str | int | None = None
    form: str = ""
    examples: tuple[str, ...] = ()


@dataclass(frozen=True)
class PairReading:
    """How a file of pairs was understood.

    Attributes
    ----------
    columns : tuple of str or int
        The two columns with the ids of objects; a number where the first line is data.
    label, weight : str, int or None
        Their columns.
    unused : tuple of str or int
        The other columns.
    header : bool
        Whether the first line names the columns.
    """

    columns: tuple[str | int, str | int]
    label: str | int | None = None
    weight: str | int | None = None
    unused: tuple[str | int, ...] = ()
    header: bool = True


@dataclass(frozen=True)
class PairScoreReading:
    """How a file of scores of pairs was understood.

    Attributes
    ----------
    score : str or int
        The column with the scores; a number where the first line is data.
    ids : tuple of str or int
        Two columns with ids of objects, one with row numbers, or none: then scores are in the
        order of the pairs.
    by_fold : bool
        Whether a column says which fold gave a score.
    header : bool
    """

    score: str | int
    ids: tuple[str | int, ...] = ()
    by_fold: bool = False
    header: bool = True


@dataclass(frozen=True)
class SimilarityReading:
    """How a file of similarities was understood.

    Attributes
    ----------
    column : str, int or None
        The column with the similarities; None for a matrix.
    unit : {"fraction", "percent", "as given"}
        Percentages are divided by 100.
    n_edges : int
        Pairs of different rows.
    n_self, n_unknown : int
        Hits of a row with itself, and of ids that no row has; both are left out.
    """

    column: str | int | None
    unit: str
    n_edges: int
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
