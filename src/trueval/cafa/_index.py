"""The terms of an ontology as numbers: what can be evaluated, and what is above what.

As CAFA-evaluator takes an ontology: obsolete and external terms are left out, ``is_a`` and
``part_of`` count, and an edge into another namespace does not.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval import _kernels
from trueval.core.errors import (
    InputError,
    InputWarning,
    ParameterError,
    Place,
    shorten,
    warn_user,
)
from trueval.data import Ontology, read_ontology
from trueval.data._source import Source, names_file
from trueval.data.ontology import RELATIONS
from trueval.data.ontology._graph import parents_first

__all__ = ["ASPECTS", "Resolved", "TermIndex", "aspect_name"]

NO_NAMESPACE = "all"
"""Name of the aspect of terms without a namespace."""

ASPECTS = {
    "biological_process": ("BP", "BPO", "P"),
    "cellular_component": ("CC", "CCO", "C"),
    "molecular_function": ("MF", "MFO", "F"),
}
"""Aspects of the Gene Ontology, and the short names that files use for them."""

CURRENT, ALTERNATIVE, OBSOLETE, UNKNOWN = range(4)


def aspect_name(name: str, known: Iterable[str]) -> str:
    """Full name of an aspect, by that or by its short name.

    Such as ``"molecular_function"``, ``"MF"``, ``"MFO"`` or ``"F"``, in any case.

    >>> from trueval.cafa._index import ASPECTS, aspect_name
    >>> aspect_name("mfo", ASPECTS)
    'molecular_function'
    """
    names = list(known)
    for full in names:
        if name.lower() in (full.lower(), *(s.lower() for s in ASPECTS.get(full, ()))):
            return full
    raise ParameterError("aspect", f"an aspect of the ontology, {', '.join(names)}", name)


def _read(source: Source) -> Ontology:
    """Read an ontology; edges to terms that the file lacks are left out with a word."""
    try:
        return read_ontology(source)
    except InputError as error:
        if error.fix is None or error.fix.parameter != "missing":
            raise
        warn_user(
            f"{error.problem} Such edges are left out, as CAFA-evaluator does.",
            InputWarning,
            place=error.place,
            fix="Use the whole file.",
        )
        return read_ontology(source, missing="drop")


@dataclass(frozen=True)
class Resolved:
    """What names of terms mean."""

    numbers: NDArray[np.int32]  # term of each name; -1 for one that is left out
    status: NDArray[np.int8]  # FOUND, ALTERNATIVE, OBSOLETE or UNKNOWN
    names: NDArray[Any]

    def counts(self, columns: NDArray[Any]) -> dict[str, int]:
        """Records by what became of their term."""
        each = np.bincount(self.status[columns], minlength=4).tolist()
        return {"alternative": each[1], "obsolete": each[2], "unknown": each[3]}

    def warn(self, where: str, columns: NDArray[Any]) -> None:
        """Say once what is left out."""
        counts = self.counts(columns)
        parts = []
        for kind, status, what in (
            ("unknown", UNKNOWN, "terms that the ontology lacks"),
            ("obsolete", OBSOLETE, "obsolete terms"),
        ):
            if counts[kind]:
                terms = self.names[self.status == status]
                examples = ", ".join(map(shorten, terms[:3].tolist())) + (
                    ", …" if len(terms) > 3 else ""
                )
                parts.append(f"{counts[kind]:,} with {what} ({examples})")
        if not parts:
            return
        warn_user(
            f"{' and '.join(parts)} of {len(columns):,} lines are left out.",
            InputWarning,
            place=Place(where),
            fix="Use the release of the ontology that the file was made with.",
        )


@dataclass(frozen=True, eq=False)
class TermIndex:
    """Terms in use, numbered so that every child comes before its parents."""

    ontology: Ontology
    terms: NDArray[Any]  # ids by number
    aspects: list[str]  # namespaces, sorted
    aspect: NDArray[np.int64]  # place of each term's namespace among them
    # parent_start, parents: parents of term i: ``parents[parent_start[i]:parent_start[i + 1]]``
    parent_start: NDArray[np.int64]
    parents: NDArray[np.int32]
    number: dict[str, int] = field(repr=False)

    @classmethod
    def of(cls, ontology: Any) -> "TermIndex":
        """Number the terms of an ontology, or of its file."""
        if names_file(ontology):
            ontology = _read(Source.of(ontology))
        if not isinstance(ontology, Ontology):
            expected = "an Ontology, as trueval.data.read_ontology gives it, or a path"
            raise ParameterError("ontology", expected, ontology)
        spaces = [str(space) or NO_NAMESPACE for space in ontology.namespaces]
        usable = [
            place
            for place, space in enumerate(spaces)
            if not ontology.obsolete[place] and space != "external"
        ]
        if not usable:
            raise InputError("the ontology has no term in use; all are obsolete or external.")
        compact = {str(ontology.terms[place]): i for i, place in enumerate(usable)}
        aspects = sorted({spaces[place] for place in usable})
        code_of = {space: code for code, space in enumerate(aspects)}
        aspect = np.array([code_of[spaces[place]] for place in usable], dtype=np.int64)
        edges = {
            (compact[child], compact[parent])
            for child, parent, relation in ontology.edges
            if relation in RELATIONS and child in compact and parent in compact
        }
        child, parent = np.array(sorted(edges), dtype=np.int64).reshape(-1, 2).T
        within = aspect[child] == aspect[parent]
        child, parent = child[within], parent[within]
        order = np.array(parents_first(child, parent, len(usable))[::-1], dtype=np.int64)
        if len(order) < len(usable):
            ontology.closure()  # says which terms go in a circle
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        above = sp.csr_array(
            (np.ones(len(child), bool), (rank[child], rank[parent])), shape=(len(order),) * 2
        )
        above.sort_indices()
        terms = ontology.terms[np.array(usable)][order]
        return cls(
            ontology,
            terms,
            aspects,
            aspect[order],
            above.indptr.astype(np.int64),
            above.indices.astype(np.int32),
            {name: i for i, name in enumerate(terms.tolist())},
        )

    def __len__(self) -> int:
        return len(self.terms)

    @property
    def n_parents(self) -> NDArray[np.int64]:
        """Parents of each term; none for a root."""
        return np.diff(self.parent_start)

    @cached_property
    def depth(self) -> NDArray[np.int64]:
        """Steps of the longest path from each term to a root."""
        depth = [0] * len(self)
        start, parents = self.parent_start.tolist(), self.parents.tolist()
        # Parents have larger numbers: going down, theirs are known.
        for term in range(len(self) - 1, -1, -1):
            above = parents[start[term] : start[term + 1]]
            depth[term] = 1 + max(depth[parent] for parent in above) if above else 0
        return np.array(depth, dtype=np.int64)

    def resolve(self, names: NDArray[Any], *, obsolete: str = "drop") -> Resolved:
        """Find the term that each name means.

        ``obsolete`` says whether to drop an obsolete term that has one replacement, or to replace
        it.
        """
        numbers = np.full(len(names), -1, dtype=np.int32)
        status = np.full(len(names), UNKNOWN, dtype=np.int8)
        ontology = self.ontology
        for place, name in enumerate(names.tolist()):
            number = self.number.get(name)
            if number is not None:
                numbers[place], status[place] = number, CURRENT
            elif name in ontology:
                status[place] = OBSOLETE
                meant = ontology.alternative.get(name, name)
                if obsolete == "replace":
                    meant = ontology.resolve(meant)
                if (number := self.number.get(meant)) is not None:
                    numbers[place], status[place] = number, ALTERNATIVE
        return Resolved(numbers, status, names)

    def carry_up(self, matrix: sp.csr_array, *, fill: bool = False) -> sp.csr_array:
        """Give every row the ancestors of its terms, each with the largest score below it.

        The matrix is (n_rows, n_terms) with positive scores and no duplicates; ``fill`` leaves
        scores that are there as they are.
        """
        indptr, indices, scores = _kernels.carry_scores(
            np.ascontiguousarray(matrix.indptr, dtype=np.int64),
            np.ascontiguousarray(matrix.indices, dtype=np.int32),
            np.ascontiguousarray(matrix.data, dtype=np.float64),
            self.parent_start,
            self.parents,
            fill,
        )
        carried = sp.csr_array((scores, indices, indptr), shape=matrix.shape)
        carried.has_canonical_format = True
        return carried

    def describe(self, numbers: NDArray[Any]) -> dict[str, NDArray[Any]]:
        """Columns of a table that say what terms are: id, name, aspect, definition."""
        place = {name: i for i, name in enumerate(self.ontology.terms.tolist())}
        at = np.array([place[term] for term in self.terms[numbers].tolist()], dtype=np.int64)
        return {
            "term": self.terms[numbers],
            "name": self.ontology.names[at],
            "aspect": np.array(self.aspects, dtype=object)[self.aspect[numbers]],
            "definition": self.ontology.definitions[at],
        }
