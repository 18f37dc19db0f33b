"""Data: from the files people have to labels, scores, pairs, folds and ontologies, and back.

::

    path, bytes,      ┌ csv tsv parquet npz ──► RawTable  ┐           ┌► read_labels ─► Labels
    file, stdin ─► Source  npz npy ───────────► RawMatrix ┼─ _values ─┼► read_scores ─► Scores
    (.gz .bz2         │                                   ┘           ├► read_pairs  ─► Pairs
     .xz .zst, cap)   └ svmlight xmc arff h5ad gaf ─► Labels          ├► read_folds  ─► Folds
                        uniprot ────────────┘                         └► read_similarity
    FASTA, UniProt ────────► read_fasta, read_uniprot ──► Sequences ──► sequence_features
    OBO, tables of edges ──► read_ontology ──► Ontology: propagate, most_specific, depth, …
    GAF ───────────────────► read_annotations ──► Annotations, which are Labels
    a name ────────────────► load_dataset (TRUEVAL_DATA, the cache, a checked download)

================  =====================================================================
``_source.py``    bytes of a path, an open file or a pipe, decompressed and capped
``_formats/``     one module and one ``Format`` record each; the folder is the registry
``_raw.py``       what a format gives and takes: ``RawTable``, ``RawMatrix``
``_values/``      raw to value and back: which column means what, for all formats alike
``ontology/``     OBO, tables of terms, GAF; ``catalogue/`` public data sets by name
``simulate/``     small, seeded data for tests, examples and documents
``_hdf5_*.py``    what the HDF5 library would follow without end or take memory for
``_parquet_*.py`` sizes that Parquet files declare
================  =====================================================================

Every reader refuses what is broken or too large with one :class:`~trueval.InputError` that says
where, and never unpickles; every writer writes beside and renames.
"""

from trueval.core.folds import Folds, fingerprint
from trueval.core.pairs import Pairs
from trueval.core.scores import Scores
from trueval.core.similarity import Similarity
from trueval.data import simulate
from trueval.data._sequence_features import sequence_features, shared_term_pairs
from trueval.data._sequence_files import Sequences, read_fasta, read_uniprot
from trueval.data._values._write_labels import write_labels
from trueval.data._values._write_scores import write_scores
from trueval.data._values.folds import FoldFile, read_folds, write_folds
from trueval.data._values.labels import read_labels
from trueval.data._values.pairs import read_pairs
from trueval.data._values.scores import read_scores
from trueval.data._values.similarity import read_similarity
from trueval.data.catalogue import (
    Dataset,
    DatasetInfo,
    dataset_info,
    list_datasets,
    load_dataset,
)
from trueval.data.ontology import Ontology, read_annotations, read_ontology, write_ontology

__all__ = [
    "Dataset",
    "DatasetInfo",
    "FoldFile",
    "Folds",
    "Ontology",
    "Pairs",
    "Scores",
    "Sequences",
    "Similarity",
    "dataset_info",
    "fingerprint",
    "list_datasets",
    "load_dataset",
    "read_annotations",
    "read_fasta",
    "read_folds",
    "read_labels",
    "read_ontology",
    "read_pairs",
    "read_scores",
    "read_similarity",
    "read_uniprot",
    "sequence_features",
    "shared_term_pairs",
    "simulate",
    "write_folds",
    "write_labels",
    "write_ontology",
    "write_scores",
]
