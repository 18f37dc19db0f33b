"""``Hits``: alignments of sequences, as BLAST and others write them."""

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.cafa._coded import as_codes, as_values, distinct_names
from trueval.cafa._lines import BadRecord, OtherLine, read_records
from trueval.core.errors import Fix, InputError, Place, exact, quote
from trueval.core.named import Frozen
from trueval.core.params import Choice, constrained
from trueval.core.sparse import read_only
from trueval.data._source import FILE, Source

__all__ = ["Hits", "hits_of", "read_hits"]

#: Columns of BLAST's tabular output (``-outfmt 6``): identity, E-value, bit score.
_IDENTITY, _EVALUE, _BITS = 2, 10, 11


class Hits(Frozen):
    """Alignments of query sequences with annotated ones.

    Parameters
    ----------
    queries, subjects : sequence of str
        Names, each once.
    rows, columns : array-like of int of shape (n_hits,)
        Number of the query and of the subject of each hit, from 0.
    identity : array-like of float of shape (n_hits,)
        Share of identical residues, from 0 to 1.
    evalue, bits : array-like of float of shape (n_hits,), optional
        E-values and bit scores, not negative; NaN where they are not known, as all are if left
        out.

    Attributes
    ----------
    queries, subjects : ndarray of str
        Read-only, as are the following.
    rows, columns : ndarray of int32
    identity, evalue, bits : ndarray of float64

    Raises
    ------
    InputError
        For no hit, names that are there twice, numbers that name no query or subject, values
        outside their range, or columns of unequal length.

    Examples
    --------
    >>> from trueval.cafa import Hits
    >>> Hits(["Q1"], ["P1", "P2"], rows=[0, 0], columns=[0, 1], identity=[0.9, 0.4])
    Hits(2 of 1 queries in 2 subjects)
    """

    queries: NDArray[Any]
    subjects: NDArray[Any]
    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    identity: NDArray[np.float64]
    evalue: NDArray[np.float64]
    bits: NDArray[np.float64]

    def __init__(
        self,
        queries: Any,
        subjects: Any,
        rows: Any,
        columns: Any,
        identity: Any,
        evalue: Any = None,
        bits: Any = None,
    ) -> None:
        queries, subjects = distinct_names(queries, "queries"), distinct_names(subjects, "subjects")
        rows = as_codes(rows, len(queries), "rows", "queries")
        columns = as_codes(columns, len(subjects), "columns", "subjects")
        n = len(rows)
        if len(columns) != n:
            raise InputError(f"there are {n:,} rows but {len(columns):,} columns.")
        if not n:
            raise InputError("there is no hit; at least one is needed.")
        unknown = np.full(n, np.nan)
        evalue = unknown if evalue is None else as_values(evalue, n, "evalue")
        bits = unknown if bits is None else as_values(bits, n, "bits")
        identity = as_values(identity, n, "identity")
        problem = _bad_hit(np.column_stack([identity, evalue, bits]), largest=1)
        if problem is not None:
            raise InputError(problem.problem, place=Place(row=problem.record), fix=problem.fix)
        self._set(
            queries=queries,
            subjects=subjects,
            rows=rows,
            columns=columns,
            identity=identity,
            evalue=read_only(evalue),
            bits=read_only(bits),
        )

    @classmethod
    def _trusted(
        cls,
        names: tuple[NDArray[Any], ...],
        codes: tuple[NDArray[np.int32], ...],
        identity: NDArray[np.float64],
        evalue: NDArray[np.float64],
        bits: NDArray[np.float64],
    ) -> "Hits":
        """Without checks, for what trueval itself has read; takes the arrays over."""
        return cls._of_fields(
            queries=names[0],
            subjects=names[1],
            rows=codes[0],
            columns=codes[1],
            identity=identity,
            evalue=evalue,
            bits=bits,
        )

    def _card_lines(self) -> list[tuple[str, int, Any]]:
        return [
            ("queries", len(self.queries), self.queries),
            ("subjects", len(self.subjects), self.subjects),
            ("hits", len(self), ""),
        ]

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

    records = read_records(source, 2, columns, refuse, refuse=_bad_hit)
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
    return Hits._trusted(
        records.names,
        records.codes,
        share / 100 if identity == "percent" else share,
        records.numbers[:, 1] if full else nothing,
        records.numbers[:, 2] if full else nothing,
    )


def _has_twelve(source: Source) -> bool:
    for line in source.head().splitlines():
        if line.strip() and not line.lstrip().startswith(b"#"):
            return len(line.split()) >= 12
    return False


def _bad_hit(numbers: NDArray[np.float64], largest: float = 100) -> BadRecord | None:
    """First hit with an identity, E-value or bit score that cannot be, and what is wrong."""
    identity, others = numbers[:, 0], numbers[:, 1:]
    bad = ~((identity >= 0) & (identity <= largest))
    worse = ~np.isnan(others) & ~(np.isfinite(others) & (others >= 0))
    if not (bad.any() or worse.any()):
        return None
    first = int(np.argmax(bad | worse.any(axis=1)))
    if bad[first]:
        ranges = "from 0 to 100, or from 0 to 1" if largest > 1 else "from 0 to 1"
        order = "Check the order of the columns: query, subject, identity."
        fix = order if largest > 1 else "Divide percentages by 100."
        what = f"the identity is {exact(identity[first])}; it must be {ranges}."
        return BadRecord(first, what, fix)
    which = int(np.argmax(worse[first]))
    return BadRecord(
        first,
        f"the {('E-value', 'bit score')[which]} is {exact(others[first, which])}; it must be a "
        "finite number from 0.",
        "Check the order of the columns.",
    )
