"""Predictions as CAFA exchanges them: a target, a term, a score in (0, 1]."""

from collections.abc import Mapping
from functools import cached_property
from itertools import islice
from typing import Any, ClassVar

import narwhals.stable.v1 as nw
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.cafa._coded import as_codes, as_values, distinct_names
from trueval.cafa._lines import BadRecord
from trueval.core.arrays import as_numbers, refuse_missing
from trueval.core.errors import Fix, InputError, ParameterError, Place, exact, quote, shorten
from trueval.core.label_forms import as_frame
from trueval.core.named import Frozen, as_text
from trueval.core.params import NONE, STRING, Choice, Constraints, Instance, check_params
from trueval.core.scores import Scores
from trueval.data._source import names_file

__all__ = [
    "TEXT",
    "Predictions",
    "as_predictions",
    "bad_score",
    "duplicate_error",
    "grouped",
    "merged",
]

DUPLICATES = ("max", "mean", "error")
SCORE_RULE = "A score is above 0 and at most 1"
TEXT = "Text"
"""Term of a prediction in free text, which CAFA has since its sixth round."""


class Predictions(Frozen):
    """Scored pairs of target and term, in the order of their file.

    Parameters
    ----------
    targets, terms : sequence of str
        Names, each once.
    rows, columns : array-like of int of shape (n_predictions,)
        Number of the target and of the term of each prediction, from 0.
    scores : array-like of float of shape (n_predictions,)
        Above 0 and at most 1.
    duplicates : {"max", "mean", "error"}, default="max"
        What becomes of several scores of one pair.
    name : str, default="predictions"
        Of the file, or the method.
    header : mapping of str to str, optional
        What the file says of itself: ``author``, ``model``, ``keywords``, ``accuracy``.
    counts : mapping of str to int, optional
        What became of the lines: ``lines`` with a score, of which ``zero`` were dropped for a
        score of 0 and ``text`` for being free text; and of their terms, where an ontology
        was given: ``alternative``, ``obsolete``, ``unknown``.

    Attributes
    ----------
    targets, terms : ndarray of str
        Read-only, as are the following.
    rows, columns : ndarray of int32
    scores : ndarray of float64
    duplicates, name : str
    header, counts : dict

    Raises
    ------
    InputError
        For names that are there twice, numbers that name no target or term, scores outside
        (0, 1], or columns of unequal length.

    Examples
    --------
    >>> from trueval.cafa import Predictions
    >>> Predictions(["P1", "P2"], ["GO:0003677"], rows=[0, 1], columns=[0, 0], scores=[0.9, 0.2])
    Predictions(2 scores of 2 targets and 1 terms)
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "duplicates": Choice(DUPLICATES),
        "name": STRING,
        "header": (NONE, Instance(Mapping, "a mapping")),
        "counts": (NONE, Instance(Mapping, "a mapping")),
    }
    targets: NDArray[Any]
    terms: NDArray[Any]
    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    scores: NDArray[np.float64]
    duplicates: str
    name: str
    header: dict[str, str]
    counts: dict[str, int]

    def __init__(
        self,
        targets: Any,
        terms: Any,
        rows: Any,
        columns: Any,
        scores: Any,
        duplicates: str = "max",
        name: str = "predictions",
        header: Mapping[str, str] | None = None,
        counts: Mapping[str, int] | None = None,
    ) -> None:
        options = {"duplicates": duplicates, "name": name, "header": header, "counts": counts}
        check_params("Predictions", options, self._parameter_constraints)
        targets, terms = distinct_names(targets, "targets"), distinct_names(terms, "terms")
        rows = as_codes(rows, len(targets), "rows", "targets")
        columns = as_codes(columns, len(terms), "columns", "terms")
        if len(columns) != len(rows):
            raise InputError(f"there are {len(rows):,} rows but {len(columns):,} columns.")
        scores = as_values(scores, len(rows), "scores")
        _check_scores(targets, terms, rows, columns, scores)
        if len(zero := np.flatnonzero(scores == 0)):
            raise InputError(
                f"the score is 0. {SCORE_RULE}.",
                place=Place("predictions", row=int(zero[0])),
                fix="Leave it out: it is no prediction.",
            )
        self._set(
            targets=targets,
            terms=terms,
            rows=rows,
            columns=columns,
            scores=scores,
            duplicates=duplicates,
            name=name,
            header=dict(header or {}),
            counts=dict(counts or {}),
        )

    @classmethod
    def _trusted(
        cls,
        targets: NDArray[Any],
        terms: NDArray[Any],
        rows: NDArray[np.int32],
        columns: NDArray[np.int32],
        scores: NDArray[np.float64],
        *,
        duplicates: str = "max",
        name: str = "predictions",
        header: Mapping[str, str] | None = None,
        counts: Mapping[str, int] | None = None,
    ) -> "Predictions":
        """Without checks, for what trueval itself has made; takes the arrays over."""
        return cls._of_fields(
            targets=targets,
            terms=terms,
            rows=rows,
            columns=columns,
            scores=scores,
            duplicates=duplicates,
            name=name,
            header=dict(header or {}),
            counts=dict(counts or {}),
        )

    def _card_lines(self) -> list[tuple[str, int, Any]]:
        return [
            ("targets", len(self.targets), self.targets),
            ("terms", len(self.terms), self.terms),
            ("scores", len(self), self.name),
        ]

    def __len__(self) -> int:
        return len(self.scores)

    def __repr__(self) -> str:
        return (
            f"Predictions({len(self):,} scores of {len(self.targets):,} targets and "
            f"{len(self.terms):,} terms)"
        )

    @cached_property
    def matrix(self) -> sp.csr_array:
        """Scores as a sparse matrix, targets by terms, duplicates merged."""
        shape = (len(self.targets), len(self.terms))
        matrix, n_merged, first = merged(
            self.rows, self.columns, self.scores, shape, self.duplicates
        )
        if n_merged and self.duplicates == "error":
            target, term = self.targets[self.rows[first]], self.terms[self.columns[first]]
            raise duplicate_error(self.name, n_merged, target, term)
        return matrix

    def to_scores(self) -> Scores:
        """As :class:`trueval.data.Scores`, for ranking and thresholds.

        Returns
        -------
        Scores
            Sparse, with targets as rows and terms as classes.
        """
        return Scores(self.matrix, self.terms, self.targets)


def merged(
    rows: NDArray[Any],
    columns: NDArray[Any],
    scores: NDArray[np.float64],
    shape: tuple[int, int],
    how: str,
) -> tuple[sp.csr_array, int, int]:
    """Canonical sparse matrix, number of entries merged away, and the first of these."""
    order, indices, starts, row_of = grouped(rows, columns, shape)
    values = scores[order]
    n_again = len(order) - len(starts)
    best, first = values, -1
    if n_again:
        first = int(np.delete(order, starts).min())
        best = np.maximum.reduceat(values, starts)
        if how == "mean":
            best = np.add.reduceat(values, starts) / np.diff(np.append(starts, len(values)))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(row_of[starts], minlength=shape[0]))])
    matrix = sp.csr_array((best, indices[starts], indptr), shape=shape)
    matrix.has_canonical_format = True
    return matrix, n_again, first


def grouped(
    rows: NDArray[Any], columns: NDArray[Any], shape: tuple[int, int]
) -> tuple[NDArray[np.int64], NDArray[Any], NDArray[np.int64], NDArray[np.int64]]:
    """Entries by row and column, in time of their number and the longest row's sort.

    The order, the columns in that order, where a new pair starts, and the rows in that order.
    """
    places = sp.coo_array((np.arange(len(rows)), (rows, columns)), shape=shape)
    places.has_canonical_format = True  # duplicates are to be seen, not summed
    csr = places.tocsr()
    csr.sort_indices()
    row_of = np.repeat(np.arange(shape[0]), np.diff(csr.indptr))
    new = np.ones(csr.nnz, dtype=bool)
    new[1:] = (csr.indices[1:] != csr.indices[:-1]) | (row_of[1:] != row_of[:-1])
    return csr.data, csr.indices, np.flatnonzero(new), row_of


def duplicate_error(where: str, n: int, target: str, term: str) -> InputError:
    """The error for several scores of one pair."""
    return InputError(
        f"{n:,} predictions repeat a pair of target and term, first {shorten(target)} with "
        f"{shorten(term)}.",
        place=Place(where),
        fix=Fix("Correct the file, or pass {}.", "duplicates", "max"),
    )


def bad_score(numbers: NDArray[np.float64]) -> BadRecord | None:
    """First score outside [0, 1], and what is wrong with it."""
    scores = numbers[:, 0]
    bad = ~((scores >= 0) & (scores <= 1))
    if not bad.any():
        return None
    first = int(np.argmax(bad))
    fix = "Divide percentages by 100; map other scales to (0, 1] first."
    return BadRecord(first, f"the score is {exact(scores[first])}. {SCORE_RULE}.", fix)


def as_predictions(predictions: Any) -> Predictions:
    """Predictions of whatever a user has: a file, scores with names, a table, a mapping."""
    if isinstance(predictions, Predictions):
        return predictions
    if names_file(predictions):
        from trueval.cafa._read import read_predictions

        return read_predictions(predictions)
    if isinstance(predictions, Scores):
        return _of_scores(predictions)
    if isinstance(predictions, Mapping):
        triples = [
            (target, term, score)
            for target, terms in predictions.items()
            for term, score in _terms_of(target, terms).items()
        ]
        return _of_columns(*map(list, zip(*triples, strict=True))) if triples else _none()
    frame = as_frame(predictions, "the table of predictions")
    if isinstance(frame, nw.DataFrame):
        if frame.shape[1] < 3:
            raise InputError(
                f"the predictions have the columns {', '.join(frame.columns)}.",
                fix="Give target, term and score, in this order.",
            )
        first = islice(frame.iter_columns(), 3)  # by place: pandas' names may be numbers
        return _of_columns(*(column.to_list() for column in first))
    raise ParameterError(
        "predictions",
        "a path, Predictions, Scores with names, a table of target, term and score, or a mapping "
        "of target to scores by term",
        predictions,
    )


def _terms_of(target: Any, terms: Any) -> Mapping[Any, Any]:
    if isinstance(terms, Mapping):
        return terms
    raise InputError(
        f"the predictions give {target!r} {quote(terms)}, which is no mapping of terms to scores.",
        fix="Give {target: {term: score}}.",
    )


def _none() -> Predictions:
    names, codes = np.empty(0, dtype=str), np.empty(0, dtype=np.int32)
    return Predictions._trusted(names, names, codes, codes, np.empty(0))


def _of_columns(targets: list[Any], terms: list[Any], scores: list[Any]) -> Predictions:
    refuse_missing(targets, "the targets of the predictions")
    refuse_missing(terms, "the terms of the predictions")
    row: dict[str, int] = {}
    column: dict[str, int] = {}
    rows = [row.setdefault(str(target), len(row)) for target in targets]
    columns = [column.setdefault(str(term), len(column)) for term in terms]
    try:
        values = as_numbers(scores, "the scores of the predictions")
    except InputError as error:
        fix = "Give target, term and score, in this order."
        raise InputError(error.problem, fix=fix) from None
    return _checked(
        as_text(row),
        as_text(column),
        np.array(rows, dtype=np.int32),
        np.array(columns, dtype=np.int32),
        values,
    )


def _of_scores(scores: Scores) -> Predictions:
    if scores.index is None or scores.classes.dtype.kind not in "UOT":
        raise InputError(
            "the scores have no names of targets and terms.",
            fix="Give Scores with index and classes.",
        )
    coo = sp.coo_array(scores.matrix)
    return _checked(
        distinct_names(scores.index, "the index of the scores"),
        distinct_names(scores.classes, "the classes of the scores"),
        coo.row.astype(np.int32),
        coo.col.astype(np.int32),
        np.asarray(coo.data, dtype=np.float64),
    )


def _checked(
    targets: NDArray[Any],
    terms: NDArray[Any],
    rows: NDArray[np.int32],
    columns: NDArray[np.int32],
    scores: NDArray[np.float64],
) -> Predictions:
    _check_scores(targets, terms, rows, columns, scores)
    keep = scores > 0
    counts = {"lines": len(scores), "zero": int((~keep).sum()), "text": 0}
    entries = (rows[keep], columns[keep], scores[keep])
    return Predictions._trusted(targets, terms, *entries, counts=counts)


def _check_scores(
    targets: NDArray[Any],
    terms: NDArray[Any],
    rows: NDArray[np.int32],
    columns: NDArray[np.int32],
    scores: NDArray[np.float64],
) -> None:
    problem = bad_score(scores[:, None])
    if problem is not None:
        at = problem.record
        raise InputError(
            f"{targets[rows[at]]}, {terms[columns[at]]}: {problem.problem}",
            place=Place("predictions", row=at),
            fix=problem.fix,
        )
