"""Data to measure on: ontologies, annotations, public data sets, simulators.

``read_ontology`` and ``read_annotations`` read OBO and GAF files, ``Ontology``
carries labels up and down, ``load_dataset`` finds public data sets by name,
``simulate`` makes small, seeded data for tests, examples and documents.
"""

from trueval.data import simulate
from trueval.data.annotations import read_annotations
from trueval.data.catalogue import list_datasets, load_dataset
from trueval.data.ontology import Ontology
from trueval.data.ontology_tables import read_ontology

__all__ = [
    "Ontology",
    "list_datasets",
    "load_dataset",
    "read_annotations",
    "read_ontology",
    "simulate",
]
