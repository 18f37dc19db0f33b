"""Annotations of gene products: the labels that :func:`trueval.data.read_annotations` gives."""

from trueval.data.ontology._annotations import EVIDENCE, Annotation, Annotations, read_annotations

__all__ = ["EVIDENCE", "Annotation", "Annotations", "read_annotations"]
