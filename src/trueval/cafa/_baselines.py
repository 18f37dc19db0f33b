"""The two baselines of CAFA: the frequency of a term, and the nearest annotated sequence."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.cafa._index import TermIndex
from trueval.cafa._lines import BadRecord, OtherLine, read_records
from trueval.cafa._predictions import Predictions, grouped
from trueval.cafa._truth import annotated
from trueval.core.errors import (
    Fix,
    InputError,
    InputWarning,
    ParameterError,
    exact,
    quote,
    warn_user,
)
from trueval.core.params import NONE, Choice, Interval, constrained
from trueval.data._source import FILE, Source, names_file
from trueval.data.ontology._annotations import EVIDENCE_CODES

__all__ = ["Hits", "naive_predictions", "nearest_predictions", "read_hits"]

#: Columns of BLAST's tabular output (``-outfmt 6``): identity, E-value, bit score.
_IDENTITY, _EVALUE, _BITS = 2, 10, 11


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
    return Predictions(
        names,
        index.terms[terms],
        np.repeat(np.arange(n, dtype=np.int32), k),
        np.tile(np.arange(k, dtype=np.int32), n),
        np.tile(frequency[terms], n),
        name="naive",
    )


def _target_names(targets: Iterable[str]) -> NDArray[Any]:
    if isinstance(targets, str):
        raise ParameterError("targets", "a list of names of proteins", targets)
    names = np.array([str(target) for target in targets], dtype=str)
    if len(names) == 0:
        raise InputError("there is no target to predict for.", parameter="targets")
    if len(np.unique(names)) < len(names):
        raise InputError(
            "a target is named twice.", fix="Give each target once.", parameter="targets"
        )
    return names


@dataclass(frozen=True, eq=False, repr=False)
class Hits:
    """Alignments of query sequences with annotated ones.

    Attributes
    ----------
    queries, subjects : ndarray of str
        Names, each once.
    rows, columns : ndarray of int32
        Query and subject of each hit.
    identity : ndarray of float
        Share of identical residues, from 0 to 1.
    evalue, bits : ndarray of float
        NaN where the file does not have them.
    """

    queries: NDArray[Any]
    subjects: NDArray[Any]
    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    identity: NDArray[np.float64]
    evalue: NDArray[np.float64]
    bits: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.identity)

    def __repr__(self) -> str:
        return (
            f"Hits({len(self):,} of {len(self.queries):,} queries in {len(self.subjects):,} "
            "subjects)"
        )


@constrained(path=FILE, identity=Choice(("percent", "fraction", None)))
def read_hits(path: str | os.PathLike[str], *, identity: str | None = None) -> Hits:
    r"""Read tabular alignments of BLAST (``-outfmt 6``), DIAMOND or MMseqs2 (``.m8``).

    Parameters
    ----------
    path : str, path, bytes of a file, or binary file
        Columns query, subject, identity, and if there are twelve, the E-value and the bit
        score in the last two. Plain or packed; lines that begin with ``#`` are comments.
    identity : {"percent", "fraction"}, optional
        Unit of the third column. If left out: a fraction, as of MMseqs2, where no value is
        above 1, else per cent.

    Returns
    -------
    Hits
        One for each line, with queries and subjects by name.

    Examples
    --------
    >>> from trueval.cafa import read_hits
    >>> hits = read_hits(b"Q1\tP1\t87.5\t80\t10\t0\t1\t80\t1\t80\t1e-30\t150\n")
    >>> hits, hits.identity
    (Hits(1 of 1 queries in 1 subjects), array([0.875]))
    """
    return hits_of(Source.of(path), identity)


def hits_of(source: Source, identity: str | None = None) -> Hits:
    """Alignments of a source; the body of :func:`read_hits`."""
    full = _has_twelve(source)
    columns = (_IDENTITY, _EVALUE, _BITS) if full else (_IDENTITY,)

    def refuse(line: OtherLine) -> None:
        raise source.fail(
            f"{quote(line.text, 60)} is not a tabular alignment. Lines have a query, a subject and "
            f"the identity{', and twelve columns as the first line' if full else ''}.",
            fix="Use -outfmt 6 of BLAST and DIAMOND, or convertalis of MMseqs2.",
            line=line.number,
        )

    records = read_records(source, 2, columns, refuse, refuse=_bad_identity)
    if len(records) == 0:
        raise source.fail("the file has no alignment.", fix="Check the search: it has no hit.")
    share = records.numbers[:, 0]
    if identity is None:
        identity = "fraction" if share.max() <= 1 else "percent"
    elif identity == "fraction" and share.max() > 1:
        raise source.fail(
            f"an identity of {exact(share.max())} is no fraction.",
            fix=Fix("Pass {}.", "identity", "percent"),
        )
    nothing = np.full(len(records), np.nan)
    return Hits(
        records.names[0],
        records.names[1],
        records.codes[0],
        records.codes[1],
        share / 100 if identity == "percent" else share,
        records.numbers[:, 1] if full else nothing,
        records.numbers[:, 2] if full else nothing,
    )


def _has_twelve(source: Source) -> bool:
    for line in source.head().splitlines():
        if line.strip() and not line.lstrip().startswith(b"#"):
            return len(line.split()) >= 12
    return False


def _bad_identity(numbers: NDArray[np.float64]) -> BadRecord | None:
    bad = ~((numbers[:, 0] >= 0) & (numbers[:, 0] <= 100))
    if not bad.any():
        return None
    first = int(np.argmax(bad))
    return BadRecord(
        first,
        f"the identity is {exact(numbers[first, 0])}; it must be from 0 to 100, or from 0 to 1.",
        "Check the order of the columns: query, subject, identity.",
    )


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
    >>> import numpy as np
    >>> from trueval.cafa import nearest_predictions
    >>> from trueval.cafa import Hits
    >>> from trueval.data import Ontology
    >>> ontology = Ontology(["r", "a"], [("a", "r", "is_a")])
    >>> none = np.full(2, np.nan)
    >>> hits = Hits(np.array(["Q1"]), np.array(["P1", "P2"]), np.array([0, 0]), np.array([0, 1]),
    ...             np.array([0.4, 0.9]), none, none)
    >>> nearest_predictions(hits, {"P1": ["a"], "P2": ["r"]}, ontology).matrix.toarray()
    array([[0.4, 0.9]])
    """
    alignments = hits_of(Source.of(hits)) if names_file(hits) else hits
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
    return Predictions(
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
