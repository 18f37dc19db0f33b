"""Terms and the graph between them: names, ids in use, cycles, ancestors, depth.

The half of :class:`~trueval.data.Ontology` that knows nothing of labels.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.arrays import is_text
from trueval.core.docs import shared_sections
from trueval.core.errors import InputError, ParameterError
from trueval.core.named import as_text, listed
from trueval.core.params import BOOL, NONE, STRING, Choice, Many, constrained
from trueval.data.ontology import _graph as graph
from trueval.data.ontology._texts import lists_of, text_of, texts_of, triple_of

__all__ = ["RELATIONS", "RELATION_NAMES", "TermGraph"]

RELATIONS = ("is_a", "part_of")
"""Relations followed by default: those along which annotations carry over."""

#: What ``relations`` may be, wherever it is a parameter.
RELATION_NAMES = (
    NONE,
    STRING,
    Many(STRING, "several names", least=0, ordered=False),
)

Relations = Iterable[str] | None
_RELATIVES = """
Parameters
----------
term : str
    A term or an alternative id.
relations : iterable of str or None
within_namespace : bool, default=True

Returns
-------
list of str
"""


class TermGraph:
    """Terms and relations; see :class:`~trueval.data.Ontology`."""

    def __init__(
        self,
        terms: Sequence[str] | NDArray[Any],
        edges: Iterable[tuple[str, str, str]] = (),
        *,
        names: Sequence[str] | None = None,
        namespaces: Sequence[str] | None = None,
        definitions: Sequence[str] | None = None,
        alternative: Mapping[str, str] | None = None,
        obsolete: Iterable[str] = (),
        replaced_by: Mapping[str, Sequence[str]] | None = None,
        consider: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        ids = [text_of(term, "a term") for term in listed(terms, "the terms")]
        self._place = {term: i for i, term in enumerate(ids)}
        if len(self._place) < len(ids):
            twice = next(t for i, t in enumerate(ids) if self._place[t] != i)
            raise InputError(f"the term {twice!r} is given twice; keep one of the two.")
        self.terms = as_text(ids)
        self.names = texts_of(names, len(ids), "names")
        self.namespaces = texts_of(namespaces, len(ids), "namespaces")
        self.definitions = texts_of(definitions, len(ids), "definitions")
        codes = {namespace: i for i, namespace in enumerate(sorted(set(self.namespaces)))}
        self._namespace = np.array([codes[n] for n in self.namespaces], dtype=np.int64)
        self.alternative: Mapping[str, str] = dict(alternative or {})
        for other, term in self.alternative.items():
            if term not in self._place:
                raise InputError(f"alternative id {other!r} means {term!r}, which is no term.")
        self.obsolete = np.zeros(len(ids), dtype=bool)
        self.obsolete[[self._at(term) for term in listed(obsolete, "the obsolete terms")]] = True
        self.replaced_by = lists_of(replaced_by, "replaced_by")
        self.consider = lists_of(consider, "consider")
        self._set_edges(edges)
        self._closures: dict[Any, sp.csr_array] = {}

    def _set_edges(self, edges: Iterable[tuple[str, str, str]]) -> None:
        triples = [
            triple_of(edge, number) for number, edge in enumerate(listed(edges, "the edges"))
        ]
        relations = sorted({text_of(r, "a relation") for _, _, r in triples})
        self.relations = tuple(sorted(relations, key=lambda r: (r != "is_a", r)))
        code = {relation: i for i, relation in enumerate(self.relations)}
        rows = np.array(
            [(self._at(c), self._at(p), code[r]) for c, p, r in triples], dtype=np.int64
        ).reshape(-1, 3)
        rows = np.unique(rows, axis=0)
        self._child, self._parent, self._relation = rows.T.copy()

    def _at(self, term: str) -> int:
        try:
            return self._place[term]
        except (KeyError, TypeError):
            raise InputError(
                f"{term!r} is not a term of the ontology.",
                fix="Add it to the terms, or leave it out.",
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

    @constrained(term=STRING)
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
            f"{term!r} is not a term of the ontology, nor an alternative id.",
            fix="Use the release of the ontology that belongs to the data, or drop the term.",
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
                    known = ", ".join(self.relations) or "(it has none)"
                    raise ParameterError("relations", f"relations of the ontology, {known}", name)
            keep = np.isin(self._relation, [i for i, r in enumerate(self.relations) if r in wanted])
        if within_namespace:
            keep &= self._namespace[self._child] == self._namespace[self._parent]
        return self._child[keep], self._parent[keep]

    @constrained(relations=RELATION_NAMES, within_namespace=BOOL)
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
        loops = graph.find_cycles(*self._selected(relations, within_namespace), len(self))
        return [self.terms[cycle].tolist() for cycle in loops]

    @constrained(relations=RELATION_NAMES, within_namespace=BOOL)
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
            closure = graph.ancestor_closure(child, parent, len(self))
            for array in (closure.data, closure.indices, closure.indptr):
                array.flags.writeable = False  # it is kept, and given to everyone
            self._closures[key] = closure
        return self._closures[key]

    def _acyclic(
        self, relations: Iterable[str] | None, within_namespace: bool
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        child, parent = self._selected(relations, within_namespace)
        if len(graph.parents_first(child, parent, len(self))) < len(self):
            loops = self.cycles(relations, within_namespace=within_namespace)
            path = [*loops[0], loops[0][0]]
            steps = path if len(path) <= 12 else [*path[:6], "…", *path[-5:]]
            more = f" and {len(loops) - 1} more" if len(loops) > 1 else ""
            raise InputError(
                f"the ontology has a cycle: {' → '.join(steps)}{more}. Ancestors are not defined "
                "then; correct the file, or choose fewer relations. Ontology.cycles() lists them."
            )
        return child, parent

    @constrained(term=STRING, relations=RELATION_NAMES, within_namespace=BOOL)
    @shared_sections(sections=_RELATIVES)
    def ancestors(
        self, term: str, relations: Relations = RELATIONS, *, within_namespace: bool = True
    ) -> list[str]:
        """All terms above a term, in the order of the ontology, itself left out.

        {sections}

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

    @constrained(term=STRING, relations=RELATION_NAMES, within_namespace=BOOL)
    @shared_sections(sections=_RELATIVES)
    def descendants(
        self, term: str, relations: Relations = RELATIONS, *, within_namespace: bool = True
    ) -> list[str]:
        """All terms below a term, in the order of the ontology, itself left out.

        {sections}

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

    @constrained(
        relations=RELATION_NAMES, within_namespace=BOOL, kind=Choice(("longest", "shortest"))
    )
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
        child, parent = self._acyclic(relations, within_namespace)
        depth = graph.depths(child, parent, len(self), longest=kind == "longest")
        depth[self.obsolete] = -1
        if terms is None:
            return depth
        if isinstance(terms, str):
            return int(depth[self._place[self.resolve(terms)]])
        if is_text(terms) or not isinstance(terms, Iterable):
            raise ParameterError("terms", "a term, or a list of them", terms, "depth")
        places = [self._place[self.resolve(str(term))] for term in terms]
        return depth[np.array(places, dtype=np.int64)]


def _relation_names(relations: Iterable[str]) -> tuple[str, ...]:
    return (relations,) if isinstance(relations, str) else tuple(relations)
