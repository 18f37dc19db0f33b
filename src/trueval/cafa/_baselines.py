"""The two baselines of CAFA: the frequency of a term, and the nearest annotated sequence."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.cafa._hits import Hits, hits_of
from trueval.cafa._index import TermIndex
from trueval.cafa._predictions import Predictions, grouped
from trueval.cafa._truth import annotated
from trueval.core.arrays import is_text, scaled
from trueval.core.errors import (
    Fix,
    InputError,
    InputWarning,
    ParameterError,
    warn_user,
)
from trueval.core.named import as_text
from trueval.core.params import NONE, Choice, Interval, constrained
from trueval.data._source import Source, names_file
from trueval.data.ontology._annotations import EVIDENCE_CODES

__all__ = ["naive_predictions", "nearest_predictions"]


@constrained(min_score=Interval(float, 0, 1), evidence=EVIDENCE_CODES)
def naive_predictions(
    annotations: Any,
    ontology: Any,
    targets: Iterable[str],
    *,
    min_score: float = 0.01,
    evidence: Any = None,
) -> Predictions:
    """Predict for every target the frequency of each term: the naive baseline of CAFA.

    Parameters
    ----------
    annotations : path, Labels or mapping
        Training annotations; carried up to all ancestors first.
    ontology : Ontology or path
    targets : iterable of str
        Proteins to predict for.
    min_score : float, default=0.01
        Least frequency that is predicted. Thresholds of CAFA start at 0.01.
    evidence : str or iterable of str, optional
        Of a GAF file: codes or groups to keep.

    Returns
    -------
    Predictions
        The score of a term is the share of the proteins annotated in its aspect that have it.

    Examples
    --------
    >>> from trueval.cafa import naive_predictions
    >>> from trueval.data import Ontology
    >>> ontology = Ontology(["r", "a"], [("a", "r", "is_a")])
    >>> train = {"P1": ["r"], "P2": ["r"], "P3": ["r"], "P4": ["a"]}
    >>> naive = naive_predictions(train, ontology, ["Q1", "Q2"])
    >>> naive.terms, naive.matrix.toarray()
    (array(['a', 'r'], dtype='<U1'), array([[0.25, 1.  ],
           [0.25, 1.  ]]))
    """
    index = ontology if isinstance(ontology, TermIndex) else TermIndex.of(ontology)
    closed = annotated(annotations, index, "annotations", evidence=evidence).matrix
    count = np.bincount(closed.indices, minlength=len(index))
    row_of = np.repeat(np.arange(closed.shape[0]), np.diff(closed.indptr))
    pairs = np.unique(row_of * len(index.aspects) + index.aspect[closed.indices])
    in_aspect = np.bincount(pairs % len(index.aspects), minlength=len(index.aspects))
    frequency = count / np.maximum(in_aspect[index.aspect], 1)
    terms = np.flatnonzero((frequency >= min_score) & (count > 0))
    names = _target_names(targets)
    n, k = len(names), len(terms)
    return Predictions._trusted(
        names,
        index.terms[terms],
        np.repeat(np.arange(n, dtype=np.int32), k),
        np.tile(np.arange(k, dtype=np.int32), n),
        np.tile(frequency[terms], n),
        name="naive",
    )


def _target_names(targets: Iterable[str]) -> NDArray[Any]:
    if is_text(targets) or not isinstance(targets, Iterable):
        raise ParameterError("targets", "a list of names of proteins", targets)
    names = as_text(targets)
    if len(names) == 0:
        raise InputError("there is no target to predict for.", parameter="targets")
    if len(np.unique(names)) < len(names):
        raise InputError(
            "a target is named twice.", fix="Give each target once.", parameter="targets"
        )
    return names


@constrained(
    score=Choice(("identity", "bits")),
    max_evalue=(NONE, Interval(float, 0)),
    evidence=EVIDENCE_CODES,
)
def nearest_predictions(
    hits: Any,
    annotations: Any,
    ontology: Any,
    *,
    score: str = "identity",
    max_evalue: float | None = None,
    targets: Iterable[str] | None = None,
    evidence: Any = None,
) -> Predictions:
    """Predict the terms of similar sequences: the BLAST baseline of CAFA.

    Parameters
    ----------
    hits : path or Hits
        Alignments of the targets with the training proteins, as :func:`read_hits` reads them.
        A hit of a protein with itself is left out.
    annotations : path, Labels or mapping
        Training annotations; carried up to all ancestors first.
    ontology : Ontology or path
    score : {"identity", "bits"}, default="identity"
        The score of a term: the largest identity of a hit that has it, as in CAFA; or the bit
        scores of the hits that have it, divided by those of all hits with an annotation in
        its aspect.
    max_evalue : float, optional
        Leave hits with a larger E-value out.
    targets : iterable of str, optional
        Proteins to predict for; all queries if left out.
    evidence : str or iterable of str, optional
        Of a GAF file: codes or groups to keep.

    Returns
    -------
    Predictions
        Terms of similar proteins, with the chosen score.

    Examples
    --------
    >>> from trueval.cafa import nearest_predictions
    >>> from trueval.cafa import Hits
    >>> from trueval.data import Ontology
    >>> ontology = Ontology(["r", "a"], [("a", "r", "is_a")])
    >>> hits = Hits(["Q1"], ["P1", "P2"], rows=[0, 0], columns=[0, 1], identity=[0.4, 0.9])
    >>> nearest_predictions(hits, {"P1": ["a"], "P2": ["r"]}, ontology).matrix.toarray()
    array([[0.4, 0.9]])
    """
    alignments = hits_of(Source.of(hits)) if names_file(hits) else hits
    if not isinstance(alignments, Hits):
        raise ParameterError("hits", "a path or Hits", hits, "nearest_predictions")
    index = ontology if isinstance(ontology, TermIndex) else TermIndex.of(ontology)
    train = annotated(annotations, index, "annotations", evidence=evidence)
    wanted = None if targets is None else set(_target_names(targets).tolist())
    rows, subjects, values = _usable(alignments, score, max_evalue, wanted)
    place = {name: i for i, name in enumerate(train.targets.tolist())}
    subject_row = np.array([place.get(n, -1) for n in alignments.subjects.tolist()], np.int64)
    known = subject_row[subjects] >= 0
    if not known.any():
        raise InputError(
            f"none of {len(alignments):,} hits is with an annotated protein, such as "
            f"{train.targets[0]}; the subjects are named {alignments.subjects[0]}, …",
            fix="Use the same ids in the hits and the annotations.",
        )
    rows, values = rows[known], values[known]
    matrix = _term_scores(
        rows,
        values,
        train.matrix[subject_row[subjects[known]]],
        len(alignments.queries),
        index,
        score,
    )
    used, columns = np.unique(matrix.indices, return_inverse=True)
    return Predictions._trusted(
        alignments.queries,
        index.terms[used],
        np.repeat(np.arange(matrix.shape[0], dtype=np.int32), np.diff(matrix.indptr)),
        columns.astype(np.int32),
        np.minimum(matrix.data, 1.0),
        name="nearest",
    )


def _usable(
    hits: Hits, score: str, max_evalue: float | None, wanted: set[str] | None
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64]]:
    """Hits to use: not with itself, good enough, of the targets; with a positive value."""
    values = hits.identity if score == "identity" else hits.bits
    if score == "bits" and np.isnan(values).any():
        raise InputError(
            "the hits have no bit scores.",
            fix=Fix("Write all twelve columns, or pass {}.", "score", "identity"),
        )
    if score == "bits":
        values = scaled(values)  # only their ratios count, and their sums stay finite
    query_of, subject_of = hits.queries[hits.rows], hits.subjects[hits.columns]
    itself = query_of == subject_of
    keep = ~itself & (values > 0)
    if max_evalue is not None:
        if np.isnan(hits.evalue).any():
            raise InputError(
                "the hits have no E-values.",
                fix=Fix("Write all twelve columns, or omit {}.", "max_evalue"),
            )
        keep &= hits.evalue <= max_evalue
    if wanted is not None:
        requested = np.array([name in wanted for name in hits.queries.tolist()], dtype=bool)
        keep &= requested[hits.rows]
    if itself.any():
        warn_user(
            f"{int(itself.sum()):,} of {len(hits):,} hits are of a protein with itself and are "
            "left out: they would give away its annotations.",
            InputWarning,
        )
    return hits.rows[keep], hits.columns[keep], values[keep]


def _term_scores(
    rows: NDArray[Any],
    values: NDArray[np.float64],
    terms: sp.csr_array,
    n_queries: int,
    index: TermIndex,
    score: str,
) -> sp.csr_array:
    """Scores of queries by terms, from one row of terms for each hit."""
    lengths = np.diff(terms.indptr)
    row, value, term = np.repeat(rows, lengths), np.repeat(values, lengths), terms.indices
    shape = (n_queries, len(index))
    if score == "bits":
        with_term = sp.csr_array((value, (row, term)), shape=shape)
        aspects = sp.csr_array(
            (np.ones(len(index)), (np.arange(len(index)), index.aspect)),
            shape=(len(index), len(index.aspects)),
        )
        in_aspect = (sp.csr_array(terms @ aspects) > 0).astype(np.float64)
        hit = sp.csr_array((values, (rows, np.arange(len(rows)))), shape=(n_queries, len(rows)))
        total = (hit @ in_aspect).toarray()
        row_of = np.repeat(np.arange(n_queries), np.diff(with_term.indptr))
        with_term.data /= total[row_of, index.aspect[with_term.indices]]
        return with_term
    order, columns, starts, row_of = grouped(row, term, shape)
    best = np.maximum.reduceat(value[order], starts) if len(starts) else value
    entries = (best, (row_of[starts], columns[starts]))
    return sp.csr_array(entries, shape=shape)
