"""Ontologies and annotations: OBO and tables into :class:`Ontology`, GAF into labels.

================  ==============================================================
``_graph.py``     directed graphs as arrays: order, cycles, closure, depth
``_terms.py``     terms, their names and relations
``_ontology.py``  ``Ontology``: labels along the true path and back; ``_new_columns.py``
``_write.py``     OBO files written
``_obo.py``       OBO files; ``_tables.py`` tables of edges and terms
``_draft.py``     what both fill, with the line of everything
``_gaf.py``       lines of GAF 2.x; ``_annotations.py`` makes ``Annotations`` of them
================  ==============================================================
"""

from trueval.data.ontology._annotations import Annotations, read_annotations
from trueval.data.ontology._ontology import Ontology
from trueval.data.ontology._tables import read_ontology
from trueval.data.ontology._terms import RELATIONS
from trueval.data.ontology._write import write_ontology

__all__ = [
    "RELATIONS",
    "Annotations",
    "Ontology",
    "read_annotations",
    "read_ontology",
    "write_ontology",
]
