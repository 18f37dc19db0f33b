"""Names of rows and classes that a user or a file gives: unique, and of a size that fits."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import ParameterError, quote
from trueval.core.labels import Labels
from trueval.core.named import as_names, as_text, name_array
from trueval.core.names import align
from trueval.data._lines import text_lines
from trueval.data._source import Source

__all__ = ["as_array", "check_unique", "names_of", "renamed"]


def as_array(source: Source, names: Sequence[Any], what: str) -> NDArray[Any]:
    """Names as an array; refused if the longest one would blow it up.

    >>> as_array(Source(b"x"), ["b", "a"], "row ids")
    array(['b', 'a'], dtype='<U1')
    """
    longest = max((len(name) for name in names), default=0)
    source.need(4 * longest * len(names), f"{len(names):,} {what} of up to {longest:,} characters")
    return as_text(names)


def check_unique(source: Source, names: NDArray[Any], what: str) -> None:
    """Refuse a name that is there twice."""
    if (names[1:] > names[:-1]).all():
        return  # in order already, as numbered rows are
    ranked = np.sort(names)
    if (ranked[1:] == ranked[:-1]).any():
        _, first, counts = np.unique(names, return_index=True, return_counts=True)
        twice = first[counts > 1].min()
        places = np.flatnonzero(names == names[twice])
        raise source.fail(
            f"{what} {quote(str(names[twice]), 60)} is at {places[0]} and again at {places[1]} "
            "(counted from 0); every one must be unique.",
            fix="Rename or merge them.",
        )


def names_of(value: Any, what: str) -> NDArray[Any]:
    """Names a user passed: a sequence, or a text file with one on a line."""
    if isinstance(value, str) or hasattr(value, "__fspath__"):
        source = Source(value)
        names = as_array(source, [line for _, line in text_lines(source)], what)
        check_unique(source, names, what)
        return names
    names = name_array(value)
    if names.dtype.kind == "O" and all(isinstance(name, str) for name in names.flat):
        names = as_text(names)  # as pandas keeps them
    if names.ndim != 1 or names.dtype.kind not in "iuUST" or len(np.unique(names)) < len(names):
        expected = "distinct names, one-dimensional, or a text file with one on a line"
        raise ParameterError(what, expected, value)
    return names


def renamed(source: Source, labels: Labels, classes: Any, index: Any) -> Labels:
    """Labels with the names the user gave: for what has none, in order; else by name."""
    with source.placing():
        if index is not None:
            ids = names_of(index, "index")
            if labels.index is None:
                ids = as_names(ids, labels.n_rows, "index")
                labels = Labels._trusted(labels.matrix, labels.classes, ids)
            else:
                labels = align(labels, rows=ids)
        if classes is not None:
            names = names_of(classes, "classes")
            if labels.classes.dtype.kind in "iu" and names.dtype.kind not in "iu":
                names = as_names(names, labels.n_classes, "classes")
                labels = Labels._trusted(labels.matrix, names, labels.index)
            else:
                labels = align(labels, classes=names, missing="empty")
    return labels
