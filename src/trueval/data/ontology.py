"""An ontology: terms, relations, and what follows from them for labels.

The true-path rule: who has a term has its ancestors. :meth:`Ontology.propagate`
applies it to a label matrix as one sparse product with the closure of the terms,
:meth:`Ontology.most_specific` takes it back.
"""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.data import ontology_graph as graph
from trueval.errors import InputError
from trueval.labels import Labels, as_labels

__all__ = ["RELATIONS", "Ontology"]

RELATIONS = ("is_a", "part_of")
"""Relations followed by default: those along which annotations carry over."""

MAX_NAME = 200
"""Longest id of a term, relation or namespace."""


class Ontology:
    """Terms and the relations between them.

    Parameters
    ----------
    terms : sequence of str
        Ids, each once.
    edges : iterable of (child, parent, relation)
        Both ends must be terms.
    names, namespaces : sequence of str, optional
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
    names, namespaces : ndarray of object
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
           [1, 1, 0]], dtype=int8)
    """

    def __init__(
        self,
        terms: Sequence[str] | NDArray[Any],
        edges: Iterable[tuple[str, str, str]] = (),
        *,
        names: Sequence[str] | None = None,
        namespaces: Sequence[str] | None = None,
        alternative: Mapping[str, str] | None = None,
        obsolete: Iterable[str] = (),
        replaced_by: Mapping[str, Sequence[str]] | None = None,
        consider: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        ids = [_text(term, "a term") for term in terms]
        self._place = {term: i for i, term in enumerate(ids)}
        if len(self._place) < len(ids):
            twice = next(t for i, t in enumerate(ids) if self._place[t] != i)
            raise InputError(f"the term {twice!r} is given twice; keep one of the two.")
        self.terms = np.array(ids, dtype=str)
        self.names = _objects(names, len(ids), "names")
        self.namespaces = _objects(namespaces, len(ids), "namespaces")
        codes = {namespace: i for i, namespace in enumerate(sorted(set(self.namespaces)))}
        self._namespace = np.array([codes[n] for n in self.namespaces], dtype=np.int64)
        self.alternative = MappingProxyType(dict(alternative or {}))
        for other, term in self.alternative.items():
            if term not in self._place:
                raise InputError(f"alternative id {other!r} means {term!r}, which is no term.")
        self.obsolete = np.zeros(len(ids), dtype=bool)
        self.obsolete[[self._at(term) for term in obsolete]] = True
        self.replaced_by = _lists(replaced_by)
        self.consider = _lists(consider)
        self._set_edges(edges)
        self._closures: dict[Any, sp.csr_array] = {}

    def _set_edges(self, edges: Iterable[tuple[str, str, str]]) -> None:
        listed = list(edges)
        relations = sorted({_text(r, "a relation") for _, _, r in listed})
        self.relations = tuple(sorted(relations, key=lambda r: (r != "is_a", r)))
        code = {relation: i for i, relation in enumerate(self.relations)}
        rows = np.array(
            [(self._at(c), self._at(p), code[r]) for c, p, r in listed], dtype=np.int64
        ).reshape(-1, 3)
        rows = np.unique(rows, axis=0)
        self._child, self._parent, self._relation = rows.T.copy()

    def _at(self, term: str) -> int:
        try:
            return self._place[term]
        except (KeyError, TypeError):
            raise InputError(
                f"{term!r} is not a term of the ontology. Add it to the terms, or leave it out."
            ) from None

    # --- what there is ---------------------------------------------------------

    def __len__(self) -> int:
        return len(self.terms)

    def __contains__(self, term: object) -> bool:
        return term in self._place or term in self.alternative

    def __repr__(self) -> str:
        counts = np.bincount(self._relation, minlength=len(self.relations))
        each = ", ".join(f"{r} {n:,}" for r, n in zip(self.relations, counts, strict=True))
        gone = f", {int(self.obsolete.sum()):,} obsolete" if self.obsolete.any() else ""
        edges = f"{len(self._child):,} edges" + (f": {each}" if each else "")
        return f"Ontology({len(self):,} terms{gone}, {edges})"

    @property
    def edges(self) -> list[tuple[str, str, str]]:
        """All edges as (child, parent, relation)."""
        ids = self.terms.tolist()
        triples = zip(
            self._child.tolist(), self._parent.tolist(), self._relation.tolist(), strict=True
        )
        return [(ids[c], ids[p], self.relations[r]) for c, p, r in triples]

    def resolve(self, term: str) -> str:
        """Give the id in use for any id.

        Parameters
        ----------
        term : str
            A term, an alternative id, or an obsolete term.

        Returns
        -------
        str
            The term itself; for an alternative id the term it means; for an
            obsolete term with exactly one replacement, that. An obsolete term
            with none or several stays as it is.

        Raises
        ------
        InputError
            For an unknown id.

        Examples
        --------
        >>> from trueval.data import Ontology
        >>> o = Ontology(["a", "b"], alternative={"old": "b"}, obsolete=["a"],
        ...              replaced_by={"a": ["old"]})
        >>> o.resolve("old"), o.resolve("a")
        ('b', 'b')
        """
        seen = []
        current = term
        while current not in seen:
            seen.append(current)
            current = self.alternative.get(current, current)
            place = self._place.get(current)
            if place is None:
                break
            after = self.replaced_by.get(current, ())
            if not self.obsolete[place] or len(after) != 1 or after[0] not in self:
                return current
            current = after[0]
        if current in self._place:
            return current  # replacements that go round: the term stays as it is
        raise InputError(
            f"{term!r} is not a term of the ontology, nor an alternative id. Use the release of "
            "the ontology that belongs to the data, or drop the term."
        )

    # --- the graph -------------------------------------------------------------

    def _selected(
        self, relations: Iterable[str] | None, within_namespace: bool
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        keep = np.ones(len(self._child), dtype=bool)
        if relations is not None:
            wanted = _relation_names(relations)
            for name in wanted:
                if name not in self.relations and name not in RELATIONS:
                    raise ValueError(
                        f"The 'relations' parameter must name relations of the ontology, "
                        f"{', '.join(self.relations) or '(it has none)'}. Got {name!r} instead."
                    )
            keep = np.isin(self._relation, [i for i, r in enumerate(self.relations) if r in wanted])
        if within_namespace:
            keep &= self._namespace[self._child] == self._namespace[self._parent]
        return self._child[keep], self._parent[keep]

    def cycles(
        self, relations: Iterable[str] | None = RELATIONS, *, within_namespace: bool = False
    ) -> list[list[str]]:
        """Cycles among the chosen relations; an ontology should have none.

        Parameters
        ----------
        relations : iterable of str or None
            None means all of them.
        within_namespace : bool, default=False

        Returns
        -------
        list of list of str
            One cycle for each tangle of terms, from child to parent; the last
            term has the first as its parent.

        Examples
        --------
        >>> from trueval.data import Ontology
        >>> Ontology(["a", "b"], [("a", "b", "is_a"), ("b", "a", "is_a")]).cycles()
        [['a', 'b']]
        """
        found = graph.find_cycles(*self._selected(relations, within_namespace), len(self))
        return [self.terms[cycle].tolist() for cycle in found]

    def closure(
        self, relations: Iterable[str] | None = RELATIONS, *, within_namespace: bool = True
    ) -> sp.csr_array:
        """Ancestors of every term as one sparse matrix.

        Parameters
        ----------
        relations : iterable of str or None, default=("is_a", "part_of")
            Relations to follow; None means all of them.
        within_namespace : bool, default=True
            Follow only edges between terms of one namespace.

        Returns
        -------
        scipy.sparse.csr_array of bool
            Entry (i, j) is set when term j is term i or an ancestor of it.

        Raises
        ------
        InputError
            When the relations go in a circle; the message names it.

        Examples
        --------
        >>> from trueval.data import Ontology
        >>> Ontology(["a", "b"], [("b", "a", "is_a")]).closure().toarray()
        array([[ True, False],
               [ True,  True]])
        """
        names = None if relations is None else tuple(sorted(set(_relation_names(relations))))
        key = (names, bool(within_namespace))
        if key not in self._closures:
            child, parent = self._acyclic(names, within_namespace)
            self._closures[key] = graph.ancestor_closure(child, parent, len(self))
        return self._closures[key]

    def _acyclic(
        self, relations: Iterable[str] | None, within_namespace: bool
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        child, parent = self._selected(relations, within_namespace)
        if len(graph.parents_first(child, parent, len(self))) < len(self):
            found = self.cycles(relations, within_namespace=within_namespace)
            path = [*found[0], found[0][0]]
            shown = path if len(path) <= 12 else [*path[:6], "…", *path[-5:]]
            more = f" and {len(found) - 1} more" if len(found) > 1 else ""
            raise InputError(
                f"the ontology has a cycle: {' → '.join(shown)}{more}. Ancestors are not defined "
                "then; correct the file, or choose fewer relations. Ontology.cycles() lists them."
            )
        return child, parent

    def ancestors(
        self,
        term: str,
        relations: Iterable[str] | None = RELATIONS,
        *,
        within_namespace: bool = True,
    ) -> list[str]:
        """All terms above a term, in the order of the ontology, itself left out.

        Parameters
        ----------
        term : str
            A term or an alternative id.
        relations : iterable of str or None
        within_namespace : bool, default=True

        Returns
        -------
        list of str

        Examples
        --------
        >>> from trueval.data import Ontology
        >>> Ontology(["a", "b"], [("b", "a", "is_a")]).ancestors("b")
        ['a']
        """
        closure = self.closure(relations, within_namespace=within_namespace)
        at = self._place[self.resolve(term)]
        above = closure.indices[closure.indptr[at] : closure.indptr[at + 1]]
        return self.terms[above[above != at]].tolist()

    def descendants(
        self,
        term: str,
        relations: Iterable[str] | None = RELATIONS,
        *,
        within_namespace: bool = True,
    ) -> list[str]:
        """All terms below a term, in the order of the ontology, itself left out.

        Parameters
        ----------
        term : str
            A term or an alternative id.
        relations : iterable of str or None
        within_namespace : bool, default=True

        Returns
        -------
        list of str

        Examples
        --------
        >>> from trueval.data import Ontology
        >>> Ontology(["a", "b"], [("b", "a", "is_a")]).descendants("a")
        ['b']
        """
        closure = self.closure(relations, within_namespace=within_namespace)
        at = self._place[self.resolve(term)]
        below = np.repeat(np.arange(len(self)), np.diff(closure.indptr))[closure.indices == at]
        return self.terms[below[below != at]].tolist()

    def depth(
        self,
        terms: Any = None,
        *,
        relations: Iterable[str] | None = RELATIONS,
        within_namespace: bool = True,
        kind: str = "longest",
    ) -> Any:
        """Steps between a term and a root above it.

        Parameters
        ----------
        terms : str or sequence of str, optional
            All terms if left out.
        relations : iterable of str or None
        within_namespace : bool, default=True
        kind : {"longest", "shortest"}, default="longest"
            Which path to count where there are several.

        Returns
        -------
        int or ndarray of int
            0 for a root, -1 for an obsolete term.

        Examples
        --------
        >>> from trueval.data import Ontology
        >>> o = Ontology(["a", "b", "c"],
        ...              [("b", "a", "is_a"), ("c", "b", "is_a"), ("c", "a", "is_a")])
        >>> o.depth("c"), o.depth("c", kind="shortest")
        (2, 1)
        >>> o.depth()
        array([0, 1, 2])
        """
        if kind not in ("longest", "shortest"):
            raise ValueError(
                f"The 'kind' parameter must be 'longest' or 'shortest'. Got {kind!r} instead."
            )
        child, parent = self._acyclic(relations, within_namespace)
        depth = graph.depths(child, parent, len(self), longest=kind == "longest")
        depth[self.obsolete] = -1
        if terms is None:
            return depth
        if isinstance(terms, str):
            return int(depth[self._place[self.resolve(terms)]])
        return depth[[self._place[self.resolve(str(term))] for term in terms]]

    # --- labels ----------------------------------------------------------------

    def propagate(
        self,
        labels: Any,
        terms: Sequence[str] | NDArray[Any] | None = None,
        relations: Iterable[str] | None = RELATIONS,
        within_namespace: bool = True,
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

        Returns
        -------
        scipy.sparse.csr_array of int8, or Labels when Labels were given
            The same rows and columns. Ancestors without a column are left out,
            but what is above them is not.

        Raises
        ------
        InputError
            When a column is no term, or the relations go in a circle.

        Examples
        --------
        >>> from trueval import as_labels
        >>> from trueval.data import Ontology
        >>> o = Ontology(["a", "b", "c"], [("b", "a", "is_a"), ("c", "b", "is_a")])
        >>> o.propagate(as_labels([{"c"}, {"a"}])).toarray()
        array([[1, 1],
               [1, 0]], dtype=int8)
        """
        given, columns = self._columns(labels, terms)
        above = self._column_closure(columns, relations, within_namespace)
        product = _pattern(given.matrix.astype(bool) @ above)
        return _same_form(labels, given, product)

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
        scipy.sparse.csr_array of int8, or Labels when Labels were given

        Examples
        --------
        >>> from trueval.data import Ontology
        >>> o = Ontology(["a", "b", "c"], [("b", "a", "is_a"), ("c", "b", "is_a")])
        >>> o.most_specific([[1, 1, 1], [1, 0, 0]], terms=o.terms).toarray()
        array([[0, 0, 1],
               [1, 0, 0]], dtype=int8)
        """
        given, columns = self._columns(labels, terms)
        above = self._column_closure(columns, relations, within_namespace).tocoo()
        apart = columns[above.row] != columns[above.col]
        strict = sp.csr_array(
            (above.data[apart], (above.row[apart], above.col[apart])), shape=above.shape
        )
        present = given.matrix.astype(bool)
        rest = present > present.multiply(present @ strict)
        return _same_form(labels, given, _pattern(rest))

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
        given, columns = self._columns(labels, terms)
        above = self._column_closure(columns, relations, within_namespace)
        closed = _pattern(given.matrix.astype(bool) @ above)
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

    def _columns(self, labels: Any, terms: Any) -> tuple[Labels, NDArray[np.int64]]:
        """Validate labels and find the term of each column."""
        given = as_labels(labels)
        names = given.classes if terms is None else np.asarray(terms)
        if names.ndim != 1 or len(names) != given.n_classes:
            raise InputError(
                f"'terms' must name each of the {given.n_classes:,} columns of the labels. Got "
                f"shape {names.shape} instead."
            )
        if terms is None and names.dtype.kind not in "UOT":
            raise InputError(
                "the labels carry no names of terms. Pass terms=, the id of each column in order."
            )
        places = np.empty(len(names), dtype=np.int64)
        unknown = []
        for column, name in enumerate(names.tolist()):
            if isinstance(name, str) and name in self:
                places[column] = self._place[self.resolve(name)]
            else:
                unknown.append((column, name))
        if unknown:
            shown = ", ".join(f"{name!r} (column {column})" for column, name in unknown[:5])
            raise InputError(
                f"{len(unknown):,} of {len(names):,} columns are not terms of the ontology: "
                f"{shown}{', …' if len(unknown) > 5 else ''}. Use the release of the ontology "
                "that belongs to the data, or drop these columns."
            )
        return given, places

    def _column_closure(
        self,
        columns: NDArray[np.int64],
        relations: Iterable[str] | None,
        within_namespace: bool,
    ) -> sp.csr_array:
        closure = self.closure(relations, within_namespace=within_namespace)
        return sp.csr_array(closure[columns][:, columns])


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str) or not value or len(value) > MAX_NAME:
        raise InputError(
            f"{what} must be a string of 1 to {MAX_NAME} characters. Got {str(value)[:80]!r} "
            f"({type(value).__name__}) instead."
        )
    return str(value)


def _objects(values: Sequence[str] | None, n: int, what: str) -> NDArray[Any]:
    """Strings as objects: one long name must not widen all of them."""
    given = [""] * n if values is None else [str(value) for value in values]
    if len(given) != n:
        raise InputError(f"there are {n:,} terms but {len(given):,} {what}; give one for each.")
    array = np.empty(n, dtype=object)
    array[:] = given
    return array


def _lists(values: Mapping[str, Sequence[str]] | None) -> Mapping[str, tuple[str, ...]]:
    return MappingProxyType({key: tuple(value) for key, value in (values or {}).items()})


def _relation_names(relations: Iterable[str]) -> tuple[str, ...]:
    return (relations,) if isinstance(relations, str) else tuple(relations)


def _pattern(matrix: Any) -> sp.csr_array:
    """As canonical int8 CSR of ones."""
    clean = sp.csr_array(matrix)
    clean.eliminate_zeros()
    clean.sort_indices()
    ones = np.ones(len(clean.indices), dtype=np.int8)
    return sp.csr_array((ones, clean.indices, clean.indptr), shape=clean.shape)


def _same_form(asked: Any, given: Labels, matrix: sp.csr_array) -> Any:
    if isinstance(asked, Labels):
        return Labels(matrix, given.classes, given.index)
    return matrix
