"""An ontology: terms, relations, and what follows from them for labels.

The true-path rule: who has a term has its ancestors. :meth:`Ontology.propagate`
applies it to a label matrix as one sparse product with the closure of the terms,
:meth:`Ontology.most_specific` takes it back.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.errors import Fix, InputError, ParameterError
from trueval.core.labels import Labels, as_labels
from trueval.core.named import name_array
from trueval.core.params import BOOL, Choice, constrained
from trueval.core.presentable import HtmlCard
from trueval.data.ontology._new_columns import say_left_out, with_columns
from trueval.data.ontology._terms import RELATION_NAMES, RELATIONS, TermGraph

__all__ = ["RELATIONS", "Ontology"]


class Ontology(TermGraph, HtmlCard):
    """Terms and the relations between them.

    Parameters
    ----------
    terms : sequence of str
        Ids, each once.
    edges : iterable of (child, parent, relation)
        Both ends must be terms.
    names, namespaces, definitions : sequence of str, optional
        In the order of the terms.
    alternative : mapping of str to str, optional
        Other ids and the term each means.
    obsolete : iterable of str, optional
        Terms no longer in use.
    replaced_by, consider : mapping of str to sequence of str, optional
        For obsolete terms: what stands for them, what might.

    Attributes
    ----------
    terms : ndarray of str
    names, namespaces, definitions : ndarray of object
        Empty strings where unknown.
    obsolete : ndarray of bool
    alternative, replaced_by, consider : mapping
    relations : tuple of str
        All relations that occur, ``is_a`` first.

    Examples
    --------
    >>> from trueval.data import Ontology
    >>> small = Ontology(
    ...     ["cell", "nucleus", "chromatin"],
    ...     [("nucleus", "cell", "part_of"), ("chromatin", "nucleus", "part_of")],
    ... )
    >>> small
    Ontology(3 terms, 2 edges: part_of 2)
    >>> small.ancestors("chromatin")
    ['cell', 'nucleus']
    >>> small.propagate([[0, 0, 1], [0, 1, 0]], terms=small.terms).toarray()
    array([[1, 1, 1],
           [1, 1, 0]], dtype=int32)
    """

    def _card_lines(self) -> list[tuple[str, int, Any]]:
        def titles(mask: Any) -> Any:
            return (f"{self.terms[i]} {self.names[i] or ''}".rstrip() for i in np.flatnonzero(mask))

        living = ~self.obsolete
        roots = living & ~np.isin(np.arange(len(self)), self._child)
        counts = np.bincount(self._relation, minlength=len(self.relations)).tolist()
        spaces = sorted(set(self.namespaces[living]) - {""})
        lines = [
            ("terms", len(self), titles(living)),
            ("roots", int(roots.sum()), titles(roots)),
            *(
                (relation, n, "relations")
                for relation, n in zip(self.relations, counts, strict=True)
            ),
            ("namespaces", len(spaces), spaces),
            ("obsolete terms", int(self.obsolete.sum()), titles(self.obsolete)),
        ]
        return [line for line in lines if line[1]]

    @constrained(relations=RELATION_NAMES, within_namespace=BOOL, columns=Choice(("all", "given")))
    def propagate(
        self,
        labels: Any,
        terms: Sequence[str] | NDArray[Any] | None = None,
        relations: Iterable[str] | None = RELATIONS,
        within_namespace: bool = True,
        *,
        columns: str = "all",
    ) -> Any:
        """Give every row the ancestors of its terms (true-path rule).

        Parameters
        ----------
        labels : Labels or anything :func:`trueval.as_labels` takes
        terms : sequence of str, optional
            The term of each column; needed unless ``labels`` carries names.
            Alternative ids and replaced obsolete ids are understood.
        relations : iterable of str or None, default=("is_a", "part_of")
            Relations to follow; None means all of them.
        within_namespace : bool, default=True
            Follow only edges between terms of one namespace.
        columns : {"all", "given"}, default="all"
            ``"all"`` adds a column for every ancestor that has none, as ``--ontology`` and
            ``read_annotations(propagate=True)`` do; ``"given"`` keeps the columns, and leaves
            such ancestors out, but not what is above them. An array has no names for new
            columns: it keeps its own, with a warning when ancestors are left out.

        Returns
        -------
        scipy.sparse.csr_array of int32, or Labels when Labels were given
            The same rows. New columns are sorted in where the given ones are sorted, and
            follow them otherwise.

        Raises
        ------
        InputError
            When a column is no term, or the relations go in a circle.

        Examples
        --------
        >>> from trueval import as_labels
        >>> from trueval.data import Ontology
        >>> o = Ontology(["a", "b", "c"], [("b", "a", "is_a"), ("c", "b", "is_a")])
        >>> closed = o.propagate(as_labels([{"c"}, {"a"}]))
        >>> closed.classes, closed.toarray()
        (array(['a', 'b', 'c'], dtype='<U1'), array([[1, 1, 1],
               [1, 0, 0]]))
        >>> o.propagate(as_labels([{"c"}, {"a"}]), columns="given").toarray()
        array([[1, 1],
               [1, 0]])
        """
        y, places = self._columns(labels, terms)
        if columns == "all":
            added = self._ancestors_without_column(y, places, relations, within_namespace)
            if len(added) and isinstance(labels, Labels):
                names = y.classes if terms is None else name_array(terms)
                y, places = with_columns(y, names, places, added, self.terms)
            elif len(added):
                say_left_out(self.terms[added])
        above = self._column_closure(places, relations, within_namespace)
        product = _pattern(y.matrix.astype(bool) @ above)
        return _same_form(labels, y, product)

    def _ancestors_without_column(
        self,
        labels: Labels,
        places: NDArray[np.int64],
        relations: Iterable[str] | None,
        within_namespace: bool,
    ) -> NDArray[np.int64]:
        """Ancestors of the terms that some row has, of which no column is."""
        present = np.unique(places[np.unique(labels.indices)])
        closure = self.closure(relations, within_namespace=within_namespace)
        return np.setdiff1d(np.unique(closure[present].indices), places)

    @constrained(relations=RELATION_NAMES, within_namespace=BOOL)
    def most_specific(
        self,
        labels: Any,
        terms: Sequence[str] | NDArray[Any] | None = None,
        relations: Iterable[str] | None = RELATIONS,
        within_namespace: bool = True,
    ) -> Any:
        """Leave every row only the terms that none of its other terms implies.

        The way back from :meth:`propagate`: the smallest labels with the same
        closure.

        Parameters
        ----------
        labels, terms, relations, within_namespace
            As in :meth:`propagate`.

        Returns
        -------
        scipy.sparse.csr_array of int32, or Labels when Labels were given

        Examples
        --------
        >>> from trueval.data import Ontology
        >>> o = Ontology(["a", "b", "c"], [("b", "a", "is_a"), ("c", "b", "is_a")])
        >>> o.most_specific([[1, 1, 1], [1, 0, 0]], terms=o.terms).toarray()
        array([[0, 0, 1],
               [1, 0, 0]], dtype=int32)
        """
        y, columns = self._columns(labels, terms)
        above = self._column_closure(columns, relations, within_namespace).tocoo()
        apart = columns[above.row] != columns[above.col]
        strict = sp.csr_array(
            (above.data[apart], (above.row[apart], above.col[apart])), shape=above.shape
        )
        present = y.matrix.astype(bool)
        rest = present > present.multiply(present @ strict)
        return _same_form(labels, y, _pattern(rest))

    @constrained(relations=RELATION_NAMES, within_namespace=BOOL)
    def information_content(
        self,
        labels: Any,
        terms: Sequence[str] | NDArray[Any] | None = None,
        relations: Iterable[str] | None = RELATIONS,
        within_namespace: bool = True,
    ) -> NDArray[np.float64]:
        """Information content of each column, in bits: −log₂ of its frequency.

        The frequency of a term is the number of rows with it or a descendant,
        divided by the number of rows with any term of its namespace.

        Parameters
        ----------
        labels, terms, relations, within_namespace
            As in :meth:`propagate`; labels are propagated first.

        Returns
        -------
        ndarray of float
            0 for a term all rows have; infinite for one that no row has.

        Examples
        --------
        >>> from trueval.data import Ontology
        >>> o = Ontology(["a", "b", "c"], [("b", "a", "is_a"), ("c", "a", "is_a")])
        >>> y = [[0, 1, 0], [1, 0, 0], [1, 0, 0], [1, 0, 0]]
        >>> o.information_content(y, terms=o.terms)
        array([ 0.,  2., inf])
        """
        y, columns = self._columns(labels, terms)
        above = self._column_closure(columns, relations, within_namespace)
        closed = _pattern(y.matrix.astype(bool) @ above)
        rows = np.bincount(closed.indices, minlength=closed.shape[1])
        namespace = self._namespace[columns]
        annotated = np.zeros(namespace.max() + 1, dtype=np.int64)
        for code in np.unique(namespace):
            counts = closed[:, namespace == code].sum(axis=1, dtype=np.int64)
            annotated[code] = np.count_nonzero(counts)
        content = np.full(len(rows), np.inf)
        some = rows > 0
        content[some] = np.log2(annotated[namespace[some]] / rows[some])
        return content

    @constrained(relations=RELATION_NAMES, within_namespace=BOOL)
    def parent_edges(
        self,
        terms: Sequence[str] | NDArray[Any],
        relations: Iterable[str] | None = RELATIONS,
        within_namespace: bool = True,
    ) -> list[tuple[str, str]]:
        """Edges from each of some terms to its nearest ancestors among them.

        Ancestors that are not among the terms are passed over, so that what is above them stays
        above.

        Parameters
        ----------
        terms : sequence of str
            Distinct terms, such as the columns of a label matrix.
        relations, within_namespace
            As in :meth:`propagate`.

        Returns
        -------
        list of (child, parent)
            As :func:`trueval.rank.make_consistent` takes a hierarchy.

        Examples
        --------
        >>> from trueval.data import Ontology
        >>> o = Ontology(["a", "b", "c"], [("b", "a", "is_a"), ("c", "b", "is_a")])
        >>> o.parent_edges(["c", "a"])
        [('c', 'a')]
        """
        columns = name_array(terms)
        if columns.ndim != 1:
            raise ParameterError("terms", "a list of terms", terms, "parent_edges")
        places = self._places(columns)
        above = self._column_closure(places, relations, within_namespace).tocoo()
        apart = places[above.row] != places[above.col]
        strict = sp.csr_array(
            (np.ones(int(apart.sum())), (above.row[apart], above.col[apart])), shape=above.shape
        )
        # An ancestor of an ancestor is no parent.
        nearest = sp.coo_array(strict - strict.multiply((strict @ strict) > 0))
        names, direct = columns.tolist(), nearest.data > 0
        pairs = sorted(zip(nearest.row[direct].tolist(), nearest.col[direct].tolist(), strict=True))
        return [(names[child], names[parent]) for child, parent in pairs]

    def _columns(self, labels: Any, terms: Any) -> tuple[Labels, NDArray[np.int64]]:
        """Validate labels and find the term of each column."""
        y = as_labels(labels)
        names = y.classes if terms is None else name_array(terms)
        if names.ndim != 1 or len(names) != y.n_classes:
            raise InputError(
                f"'terms' must name each of the {y.n_classes:,} columns of the labels. Got "
                f"shape {names.shape} instead."
            )
        if terms is None and names.dtype.kind not in "UOT":
            raise InputError(
                "the labels carry no names of terms.",
                fix=Fix("Pass {}, the id of each column in order.", "terms"),
            )
        return y, self._places(names)

    def _places(self, names: NDArray[Any]) -> NDArray[np.int64]:
        """The term of each column; all must be terms."""
        places = np.empty(len(names), dtype=np.int64)
        unknown = []
        for column, name in enumerate(names.tolist()):
            if isinstance(name, str) and name in self:
                places[column] = self._place[self.resolve(name)]
            else:
                unknown.append((column, name))
        if unknown:
            examples = ", ".join(f"{name!r} (column {column})" for column, name in unknown[:5])
            raise InputError(
                f"{len(unknown):,} of {len(names):,} columns are not terms of the ontology: "
                f"{examples}{', …' if len(unknown) > 5 else ''}.",
                fix="Use the release of the ontology that belongs to the data, or drop these "
                "columns.",
            )
        return places

    def _column_closure(
        self,
        columns: NDArray[np.int64],
        relations: Iterable[str] | None,
        within_namespace: bool,
    ) -> sp.csr_array:
        closure = self.closure(relations, within_namespace=within_namespace)
        return sp.csr_array(closure[columns][:, columns])


def _pattern(matrix: Any) -> sp.csr_array:
    """As canonical int32 CSR of ones."""
    clean = sp.csr_array(matrix)
    clean.eliminate_zeros()
    clean.sort_indices()
    ones = np.ones(len(clean.indices), dtype=np.int32)
    return sp.csr_array((ones, clean.indices, clean.indptr), shape=clean.shape)


def _same_form(labels: Any, y: Labels, matrix: sp.csr_array) -> Any:
    if isinstance(labels, Labels):
        return Labels._trusted(matrix, y.classes, y.index)
    return matrix
