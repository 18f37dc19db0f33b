"""Data: from the files people have to labels, scores, pairs, folds and ontologies, and back.

::

    npz npy csv tsv parquet          ┌► read_labels ─► Labels (CSR, row ids, class names)
    svmlight xmc arff h5ad ─► Source ┼► read_scores ─► Scores, in the order of the labels
    (.gz .bz2 .xz .zst)      (cap)   ├► read_pairs  ─► Pairs
                                     └► read_folds  ─► Folds, with their provenance
    OBO, tables of edges ──► read_ontology ──► Ontology: propagate, most_specific, depth, …
    GAF ───────────────────► read_annotations ──► Annotations, which are Labels
    a name ────────────────► load_dataset (TRUEVAL_DATA, the cache, a checked download)

Each format is one file here. Every reader refuses what is broken or too large
with one :class:`~trueval.InputError` that says where, and never unpickles;
every writer writes beside and renames. ``simulate`` makes small, seeded data for
tests, examples and documents.
"""

from trueval.core.folds import Folds, fingerprint
from trueval.core.pairs import Pairs
from trueval.core.scores import Scores
from trueval.data import simulate
from trueval.data.annotations import read_annotations
from trueval.data.catalogue import Dataset, dataset_info, list_datasets, load_dataset
from trueval.data.catalogue_entries import DatasetInfo
from trueval.data.folds import FoldFile, read_folds, write_folds
from trueval.data.labels import read_labels
from trueval.data.ontology import Ontology
from trueval.data.ontology_tables import read_ontology
from trueval.data.pairs import read_pairs
from trueval.data.scores import read_scores
from trueval.data.write import write_labels, write_scores

__all__ = [
    "Dataset",
    "DatasetInfo",
    "FoldFile",
    "Folds",
    "Ontology",
    "Pairs",
    "Scores",
    "dataset_info",
    "fingerprint",
    "list_datasets",
    "load_dataset",
    "read_annotations",
    "read_folds",
    "read_labels",
    "read_ontology",
    "read_pairs",
    "read_scores",
    "simulate",
    "write_folds",
    "write_labels",
    "write_scores",
]
