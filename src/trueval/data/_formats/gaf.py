"""GAF 2.x: annotations of gene products, whose terms are the labels."""

from typing import Any

from trueval.core.labels import Labels
from trueval.data._formats._format import Format
from trueval.data._source import Source
from trueval.data.ontology import Ontology, read_annotations, read_ontology

__all__ = ["FORMATS"]


def _read(source: Source, ontology: Any = None) -> Labels:
    """Labels, carried up to all ancestors where there is an ontology."""
    if ontology is not None and not isinstance(ontology, Ontology):
        ontology = read_ontology(ontology)
    return read_annotations(source, ontology, propagate=ontology is not None)


FORMATS = (
    Format(
        "gaf",
        holds=("labels",),
        read=_read,
        options=("ontology",),
        suffixes=(".gaf",),
        sniff=lambda head: head.startswith(b"!gaf-version"),
    ),
)
