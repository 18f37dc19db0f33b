"""Where studies find their data: the folder ``TRUEVAL_DATA``, the cache, or simulators."""

import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.errors import InputError
from trueval.core.files import sha256_of
from trueval.data import Ontology, load_dataset, read_ontology, simulate
from trueval.data.catalogue import cache_folder, read_arrays, read_columns, read_csr

__all__ = [
    "GENERAL_PROCESSES",
    "GO_SETS",
    "LABEL_SETS",
    "SIMULATED",
    "Proteins",
    "absent",
    "annotated_proteins",
    "describe",
    "digests",
    "features_and_labels",
    "label_matrix",
    "left_out",
    "proteins",
    "refuse",
    "with_root",
]

GO_SETS = ("CC", "MF", "BP")
LABEL_SETS = ("bibtex", "mediamill", "delicious", *GO_SETS, "wiki10_31k")
"""The data of the OptiSplit paper, in its order; GO sets are Swiss-Prot's of 2014."""

SIMULATED = "simulated"
# Table 2: rows of the paper's sets that do not even have the root, data size − max.
_WITHOUT_ROOT = {"CC": 577_424 - 577_410, "MF": 637_552 - 637_533, "BP": 666_349 - 666_338}
_LEAST = 5  # members of a GO term that is kept; the paper's sets have 4 to 11

_SWISSPROT = ("swissprot_go_2014_Y.npz", "swissprot_go_2014_labels.tsv.gz")
_PROTEINS = (
    "swissprot_go_2014_direct_Y.npz",
    "swissprot_go_2014_labels.tsv.gz",
    "swissprot_go_2014_aac.npz",
    "swissprot_go_2014_bigrams.npz",
)
_ONTOLOGY = ("go_2014_edges.tsv.gz", "go_2014_terms.tsv.gz")


def _files(name: str) -> tuple[str, ...]:
    if name == SIMULATED:
        return ()
    if name in GO_SETS:
        return _SWISSPROT
    if name == "proteins":
        return _PROTEINS
    if name == "annotated":
        return (*_SWISSPROT, *_PROTEINS[2:], *_ONTOLOGY)
    if name == "ontology":
        return _ONTOLOGY
    if name.endswith("+X"):
        stem = name.removesuffix("+X")
        return (f"{stem}_Y.npz", f"{stem}_X.npz")
    return (f"{name}_Y.npz",)


def _find(file: str) -> Path | None:
    folder_name = os.environ.get("TRUEVAL_DATA")
    folders = [*([Path(folder_name).expanduser()] if folder_name else []), cache_folder()]
    return next((folder / file for folder in folders if (folder / file).is_file()), None)


def _path(file: str) -> Path:
    path = _find(file)
    if path is None:
        raise InputError(f"{file} is not in the folder TRUEVAL_DATA nor in {cache_folder()}.")
    return path


def absent(name: str) -> list[str]:
    """Files of a data set that are not on this machine.

    >>> from trueval.study._sources import absent
    >>> absent("simulated"), absent("no such set")
    ([], ['no such set_Y.npz'])
    """
    return [file for file in _files(name) if _find(file) is None]


def refuse(names: Sequence[str]) -> InputError:
    """The error for a study none of whose data are here: which files go where."""
    files = sorted({file for name in names for file in absent(name)})
    folder_name = os.environ.get("TRUEVAL_DATA")
    place = f"{folder_name} (TRUEVAL_DATA)" if folder_name else "the folder that TRUEVAL_DATA names"
    return InputError(
        "the full study needs data that are not on this machine.",
        fix=f"Put into {place}, or into {cache_folder()}: {', '.join(files)}. "
        "trueval.data.list_datasets() says what they are made of, and so does 'trueval "
        "data list'; quick=True (--quick) runs on simulated data.",
    )


def left_out(names: Sequence[str]) -> list[str]:
    """The note of a study that runs without some of its data.

    >>> from trueval.study._sources import left_out
    >>> left_out([])
    []
    """
    if not names:
        return []
    files = ", ".join(sorted({file for name in names for file in absent(name)}))
    listed = ", ".join(name.removesuffix("+X") for name in names)
    return [f"Left out: {listed}; neither TRUEVAL_DATA nor the cache folder has {files}."]


@lru_cache(maxsize=32)
def _sha256_of_state(path: Path, changed: int, size: int) -> str:
    return sha256_of(path)


def _sha256(path: Path) -> str:
    state = path.stat()
    return _sha256_of_state(path, state.st_mtime_ns, state.st_size)


def digests(name: str) -> list[str]:
    """The sha256 of each file of a data set: what a cell that reads it depends on.

    >>> from trueval.study._sources import digests
    >>> digests("simulated")
    []
    """
    return [_sha256(_path(file)) for file in _files(name)]


def describe(name: str) -> dict[str, Any]:
    """What a result says of the data it used: files with their sha256, or the simulator.

    >>> from trueval.study._sources import describe
    >>> describe("simulated")
    {'name': 'simulated labels', 'from': 'trueval.data.simulate.label_matrix'}
    """
    if name == SIMULATED:
        return {"name": "simulated labels", "from": "trueval.data.simulate.label_matrix"}
    files = _files(name)
    description = {"name": name.removesuffix("+X"), "from": ", ".join(files)}
    return description | {"sha256": dict(zip(files, digests(name), strict=True))}


@lru_cache(maxsize=1)
def label_matrix(name: str) -> sp.csr_array:
    """Labels of a set by name; GO sets are made of Swiss-Prot 2014.

    A GO set has the proteins with a term of the ontology, and its terms with at least
    5 proteins, ancestors included. The last column is the root of the ontology, which all of
    these proteins have; as many proteins without a term are added as the paper's set has rows
    without the root.

    >>> from trueval.study._sources import label_matrix
    >>> label_matrix("simulated").shape
    (3000, 150)
    """
    if name == SIMULATED:
        return simulate.label_matrix(3000, 150, random_state=0)
    if name == "synthetic":
        return simulate.synthetic()
    if name in GO_SETS:
        return _go_set(name)
    if name == "mediamill":  # not in the catalogue: used where somebody has it
        return sp.csr_array(read_csr(_path("mediamill_Y.npz"))).astype(np.int32)
    labels = load_dataset(name, fetch=False).labels
    assert labels is not None
    return labels.matrix


def _of_columns(what: str) -> NDArray[Any]:
    """Of each term of Swiss-Prot 2014, its "go_id" or "ontology"."""
    return read_columns(_path("swissprot_go_2014_labels.tsv.gz"))[what].astype(np.str_)


def _go_set(name: str) -> sp.csr_array:
    y = read_csr(_path("swissprot_go_2014_Y.npz"))
    return with_root(y[:, np.flatnonzero(_of_columns("ontology") == name)], _WITHOUT_ROOT[name])


def with_root(terms: sp.csr_array, n_without: int) -> sp.csr_array:
    """Rows with a term, the frequent terms and their root; then rows without a term.

    >>> with_root(sp.csr_array(np.repeat([[1, 0], [0, 0]], 6, axis=0)), 2).toarray()[4:]
    array([[1, 1],
           [1, 1],
           [0, 0],
           [0, 0]], dtype=int32)
    """
    terms = terms[:, np.flatnonzero(np.bincount(terms.indices, minlength=terms.shape[1]) >= _LEAST)]
    annotated = np.diff(terms.indptr) > 0
    rows = np.concatenate([np.flatnonzero(annotated), np.flatnonzero(~annotated)[:n_without]])
    root = sp.csr_array(annotated[rows][:, None].astype(np.int32))
    return sp.csr_array(sp.hstack([terms[rows], root], format="csr")).astype(np.int32)


class Proteins(NamedTuple):
    """A population of objects for pair inputs."""

    features: NDArray[np.float64]  # shape (n_proteins, n_features)
    terms: sp.csr_array  # shape (n_proteins, n_terms)


GENERAL_PROCESSES = {
    "GO:0006184": "GTP catabolic process",
    "GO:0006200": "ATP catabolic process",
    "GO:0006810": "transport",
    "GO:0006811": "ion transport",
    "GO:0008152": "metabolic process",
    "GO:0016310": "phosphorylation",
    "GO:0032259": "methylation",
    "GO:0055085": "transmembrane transport",
    "GO:0055114": "oxidation-reduction process",
}
"""Nine processes of GO, most of which its rules infer from a function of the protein."""


@lru_cache(maxsize=2)
def proteins(
    domain: str,
    counts: bool = False,
    most: float = 1.0,
    specific: bool = False,
    general: bool = True,
) -> Proteins:
    """The population of the object-level cross-validation paper: Swiss-Prot 2014.

    Frequencies of the 20 amino acids and of adjacent residues in four classes, or their
    ``counts``; terms as annotated, without their ancestors: all, those of at ``most`` a share of
    the proteins, those that no other term of the protein implies (``specific``), or without the
    nine ``general`` processes.

    >>> from trueval.study._sources import proteins
    >>> proteins("simulated").features.shape
    (20000, 36)
    """
    if domain == SIMULATED:
        families = simulate.protein_families(20_000, random_state=0)
        features, terms = families.features, sp.csr_array(families.terms)
    else:
        features = _sequence_features(counts)
        terms = read_csr(_path("swissprot_go_2014_direct_Y.npz"))
        if specific:
            terms = _ontology().most_specific(terms, _of_columns("go_id"))
        columns = np.ones(terms.shape[1], dtype=bool)
        if domain != "Union":
            columns &= _of_columns("ontology") == domain
        if not general:
            columns &= ~np.isin(_of_columns("go_id"), list(GENERAL_PROCESSES))
        terms = terms[:, np.flatnonzero(columns)]
    if most < 1.0:
        sizes = np.bincount(terms.indices, minlength=terms.shape[1])
        terms = terms[:, np.flatnonzero(sizes <= most * terms.shape[0])]
    annotated = np.flatnonzero(np.diff(terms.indptr) > 0)
    return Proteins(features[annotated], sp.csr_array(terms[annotated]))


def _sequence_features(counts: bool = False) -> NDArray[np.float64]:
    """Frequencies, or counts, of amino acids and of adjacent residues in four classes."""
    amino = read_arrays(_path("swissprot_go_2014_aac.npz"))
    bigrams = read_arrays(_path("swissprot_go_2014_bigrams.npz"))["X"] / 65535.0
    length = amino["length"][:, None].astype(np.float64)
    if counts:
        return np.hstack([amino["X"], bigrams * (length - 1.0)])
    return np.hstack([amino["X"] / length, bigrams])


def _ontology() -> Ontology:
    edges, table = (_path(file) for file in _ONTOLOGY)
    return read_ontology(edges, terms=table)


@lru_cache(maxsize=1)
def annotated_proteins(
    domain: str,
) -> tuple[NDArray[np.float64], sp.csr_array, NDArray[Any], Ontology]:
    """Features of sequences, terms with their ancestors, ids of the terms, and the ontology."""
    columns = np.flatnonzero(_of_columns("ontology") == domain)
    terms = sp.csr_array(read_csr(_path("swissprot_go_2014_Y.npz"))[:, columns])
    annotated = np.flatnonzero(np.diff(terms.indptr) > 0)
    names = _of_columns("go_id")[columns]
    return _sequence_features()[annotated], sp.csr_array(terms[annotated]), names, _ontology()


@lru_cache(maxsize=2)
def features_and_labels(name: str) -> tuple[Any, sp.csr_array]:
    """Features and labels of a set of the catalogue."""
    dataset = load_dataset(name, fetch=False)
    assert dataset.labels is not None
    return dataset.X, dataset.labels.matrix
