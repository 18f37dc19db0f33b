"""Information accretion: how much a term adds to what its parents say already.

Clark and Radivojac (Bioinformatics 29, i53, 2013): ia(v) = −log₂ P(v | all parents of v), with
the probability counted in annotations that are carried up to all ancestors. As in the program
that CAFA uses, one protein with every term is added, so that a term that no protein has gets a
finite value.
"""

import os
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.cafa._index import TermIndex
from trueval.cafa._lines import OtherLine, read_records
from trueval.cafa._truth import annotated
from trueval.core.arrays import as_numbers
from trueval.core.errors import (
    InputError,
    InputWarning,
    ParameterError,
    Place,
    exact,
    quote,
    shorten,
    warn_user,
)
from trueval.core.files import atomic_write
from trueval.core.params import PATH, Interval, constrained
from trueval.core.table import Table
from trueval.data._source import FILE, Source, names_file
from trueval.data._words import check_words
from trueval.data.ontology._annotations import EVIDENCE_CODES

__all__ = ["accretion_values", "information_accretion", "read_accretion", "write_accretion"]

_MOST_BITS = 1074  # of the smallest probability that a float can hold
_FILE = "a file of information accretion"


@constrained(pseudocount=Interval(float, 0), evidence=EVIDENCE_CODES)
def information_accretion(
    annotations: Any,
    ontology: Any,
    *,
    pseudocount: float = 1.0,
    evidence: Any = None,
) -> Table:
    """Information accretion of every term, in bits.

    Parameters
    ----------
    annotations : path, Labels or mapping
        Training annotations; carried up to all ancestors first. A file as :func:`read_truth`
        reads it, or GAF.
    ontology : Ontology or path
    pseudocount : float, default=1
        Proteins with every term that are added. 0 gives the plain definition, infinite for
        a term that no protein has.
    evidence : str or iterable of str, optional
        Of a GAF file: codes or groups to keep, as in
        :func:`trueval.data.read_annotations`.

    Returns
    -------
    Table
        One row for each term in use: ``term``, ``name``, ``aspect``, ``definition``, ``ia``,
        ``proteins`` with the term and ``with_parents``, those with all its parents.

    Examples
    --------
    >>> from trueval.cafa import information_accretion
    >>> from trueval.data import Ontology
    >>> ontology = Ontology(["r", "a", "b"], [("a", "r", "is_a"), ("b", "a", "is_a")])
    >>> table = information_accretion({"P1": ["r"], "P2": ["a"], "P3": ["b"]}, ontology)
    >>> dict(zip(table["term"].tolist(), table["ia"].round(3).tolist()))
    {'r': 0.0, 'a': 0.415, 'b': 0.585}
    """
    index = ontology if isinstance(ontology, TermIndex) else TermIndex.of(ontology)
    training = annotated(annotations, index, "annotations", evidence=evidence)
    with_term = np.bincount(training.matrix.indices, minlength=len(index))
    with_parents = _with_all_parents(training.matrix, index, with_term)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (with_term + pseudocount) / (with_parents + pseudocount)
        ia = -np.log2(share) + 0.0  # no negative zero
    ia[with_parents + pseudocount == 0] = np.inf
    place = {name: i for i, name in enumerate(index.terms.tolist())}
    order = [place[name] for name in index.ontology.terms.tolist() if name in place]
    numbers = np.array(order, dtype=np.int64)
    return Table(
        index.describe(numbers)
        | {
            "ia": ia[numbers],
            "proteins": with_term[numbers],
            "with_parents": with_parents[numbers],
        }
    )


def _with_all_parents(
    closed: sp.csr_array, index: TermIndex, with_term: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Proteins that have all parents of each term; for a root, all of its aspect."""
    by_term = closed.tocsc()
    by_term.sort_indices()
    counts = np.zeros(len(index), dtype=np.int64)
    start, parents = index.parent_start, index.parents
    n_parents = index.n_parents
    counts[n_parents == 1] = with_term[parents[start[:-1][n_parents == 1]]]
    for root in np.flatnonzero(n_parents == 0).tolist():
        inside = (index.aspect == index.aspect[root])[closed.indices]
        row_of = np.repeat(np.arange(closed.shape[0]), np.diff(closed.indptr))
        counts[root] = len(np.unique(row_of[inside]))
    for term in np.flatnonzero(n_parents > 1).tolist():
        above = parents[start[term] : start[term + 1]]
        above = above[np.argsort(with_term[above], kind="stable")].tolist()
        # The rarest parent first: what is left can only shrink.
        left = _rows(by_term, above[0])
        for parent in above[1:]:
            if len(left) == 0:
                break
            others = _rows(by_term, parent)
            at = np.searchsorted(others, left)
            at[at == len(others)] = 0
            left = left[others[at] == left] if len(others) else left[:0]
        counts[term] = len(left)
    return counts


def _rows(by_term: sp.csc_array, term: int) -> NDArray[Any]:
    return by_term.indices[by_term.indptr[term] : by_term.indptr[term + 1]]


@constrained(path=FILE)
def read_accretion(path: str | os.PathLike[str]) -> Table:
    r"""Read a file of information accretion: a term and a number a line.

    Parameters
    ----------
    path : str, path, bytes of a file, or binary file
        Plain or packed, separated by a tab or spaces. ``nan`` and ``inf`` may occur.

    Returns
    -------
    Table
        Columns ``term`` and ``ia``.

    Examples
    --------
    >>> from trueval.cafa import read_accretion
    >>> read_accretion(b"GO:0003677\t2.5\nGO:0005634\t0\n")
    term            ia
    GO:0003677  2.5000
    GO:0005634  0.0000
    """
    return accretion_of(Source.of(path))


def accretion_of(source: Source) -> Table:
    """Information accretion of a source; the body of :func:`read_accretion`."""

    def refuse(line: OtherLine) -> None:
        words = line.text.split()
        if line.number == 1 and len(words) > 1 and not any(c.isdigit() for c in line.text):
            return  # a header
        raise source.fail(
            f"{quote(line.text, 60)} is not a term and its information accretion, separated by a "
            "tab or spaces.",
            fix="Correct the line.",
            line=line.number,
        )

    records = read_records(source, 1, (1,), refuse)
    names, codes, values = records.names[0], records.codes[0], records.numbers[:, 0]
    if len(names) == 0:
        raise source.fail("the file has no term.", fix="Write a term and a number on each line.")
    if len(names) < len(codes):
        again = int(np.flatnonzero(np.bincount(codes) > 1)[0])
        raise source.fail(
            f"the term {shorten(str(names[again]))} occurs twice.",
            fix="Keep one line for each term.",
        )
    return Table({"term": names, "ia": values})


@constrained(path=PATH)
def write_accretion(path: Any, ia: Any) -> None:
    r"""Write information accretion as CAFA-evaluator reads it: a term and a number a line.

    Parameters
    ----------
    path : str or path
        Compressed if the name says so. Complete or not there.
    ia : Table or mapping
        With the columns ``term`` and ``ia``, or numbers by term.

    Raises
    ------
    InputError
        Without a term, for one that is there twice, and for a name that would not be read back as
        it is: one that is empty, has a blank or begins with ``#``.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from trueval.cafa import write_accretion
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "IA.txt")
    ...     write_accretion(path, {"GO:0003677": 2.5})
    ...     path.read_text()
    'GO:0003677\t2.5\n'
    """
    terms, values = _columns(ia)
    if not terms:
        raise InputError("there is no term to write.", fix="Give at least one.")
    check_words(terms, "term", _FILE)
    repeated = next((term for term, n in Counter(terms).items() if n > 1), None)
    if repeated is not None:
        raise InputError(
            f"the term {shorten(repeated)} occurs twice.", fix="Keep one number for each term."
        )
    lines = [f"{term}\t{value!r}\n" for term, value in zip(terms, values.tolist(), strict=True)]
    with atomic_write(path) as file:
        file.write("".join(lines).encode())


def _columns(ia: Any) -> tuple[list[str], NDArray[np.float64]]:
    if isinstance(ia, Table) and {"term", "ia"} <= set(ia):
        return [str(term) for term in ia["term"].tolist()], as_numbers(ia["ia"], "ia")
    if isinstance(ia, Mapping) and not isinstance(ia, Table):
        return [str(term) for term in ia], as_numbers(list(ia.values()), "ia")
    expected = "a path, a table with the columns 'term' and 'ia', or a mapping of term to number"
    raise ParameterError("ia", expected, ia)


def accretion_values(ia: Any, index: TermIndex) -> NDArray[np.float64]:
    """Weight of each term of an index; 0 where it is not given, infinite or not a number."""
    place = Place("ia")
    if names_file(ia):
        source = Source.of(ia)
        place = Place(source.name)
        ia = accretion_of(source)
    terms, raw = _columns(ia)
    if raw.shape != (len(terms),):
        raise InputError("ia must be one number for each term.", place=place)
    numbers = np.array([index.number.get(term, -1) for term in terms], dtype=np.int64)
    usable = np.where(np.isfinite(raw), raw, 0.0)
    bad = (usable < 0) | (usable > _MOST_BITS)
    if bad.any():
        at = int(np.argmax(bad))
        raise InputError(
            f"the information accretion of {shorten(terms[at])} is {exact(usable[at])}. It cannot "
            f"be {'negative' if usable[at] < 0 else f'above {_MOST_BITS:,} bits'}.",
            place=place,
            fix="Compute it from annotations that are propagated by this ontology.",
        )
    values = np.zeros(len(index))
    values[numbers[numbers >= 0]] = usable[numbers >= 0]
    if not values.any():
        raise InputError(
            "no term of the ontology has an information accretion above 0.",
            place=place,
            fix="Use the file that belongs to the ontology.",
        )
    n_missing = len(index) - len(np.unique(numbers[numbers >= 0]))
    if n_missing > len(index) / 2:
        warn_user(
            f"{n_missing:,} of {len(index):,} terms of the ontology have no information accretion "
            "and weigh 0.",
            InputWarning,
            place=place,
            fix="Use the file that belongs to the ontology.",
        )
    return values
