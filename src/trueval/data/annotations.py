"""Annotations of gene products: the labels that :func:`trueval.data.read_annotations` gives."""

from trueval.data.ontology._annotations import EVIDENCE, Annotations, read_annotations
from trueval.data.ontology._gaf import Annotation

__all__ = ["EVIDENCE", "Annotation", "Annotations", "read_annotations"]
