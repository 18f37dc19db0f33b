"""Summaries of an ontology and of annotations by it."""

import numpy as np

from trueval.data.ontology import Annotations
from trueval.data.ontology._terms import TermGraph
from trueval.show._core import label_lines
from trueval.show._present import summarise
from trueval.show._summary import Cell, Summary
from trueval.show._values import first, value_summary

__all__: list[str] = []


@summarise.register
def _(ontology: TermGraph) -> Summary:
    living = np.flatnonzero(~ontology.obsolete)
    roots = living[~np.isin(living, ontology._child)]
    counts = np.bincount(ontology._relation, minlength=len(ontology.relations))
    spaces = sorted(set(ontology.namespaces[living]) - {""})
    lines: list[tuple[str, Cell, str]] = [
        ("terms", len(ontology), _titles(ontology, living)),
        ("roots", len(roots), _titles(ontology, roots)),
        *(
            (relation, int(n), "relations")
            for relation, n in zip(ontology.relations, counts, strict=True)
        ),
    ]
    if spaces:
        lines.append(("namespaces", len(spaces), first(spaces)))
    if len(living) < len(ontology):
        gone = np.flatnonzero(ontology.obsolete)
        lines.append(("obsolete terms", len(gone), _titles(ontology, gone)))
    return value_summary(ontology, lines)


def _titles(ontology: TermGraph, places: "np.ndarray[tuple[int], np.dtype[np.intp]]") -> str:
    """The first of some terms, with their names."""
    return first(f"{ontology.terms[i]} {ontology.names[i] or ''}".rstrip() for i in places)


@summarise.register
def _(annotations: Annotations) -> Summary:
    lines = label_lines(annotations)
    lines.append(("known negatives", annotations.negatives.nnz, "NOT lines of the file"))
    lines += [
        (name, n, "of the file" if name == "lines" else "lines left out or marked")
        for name, n in annotations.counts.items()
    ]
    return value_summary(annotations, lines)
