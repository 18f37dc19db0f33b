"""Files for the CAFA benchmark: an ontology, predictions, the truth, information accretion.

From ``TRUEVAL_DATA``: the 2014 Gene Ontology and direct annotations of Swiss-Prot proteins with
different sequences. Predictions are those of a nearest-neighbour model that sees the true terms
through noise: of each protein some true terms, and terms of proteins that share one. Without the
data, a simulated ontology takes its place.
"""

import gzip
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from benchmarks.data import data_folder

__all__ = ["FILES", "make"]

FILES = (
    "go_2014_edges.tsv.gz",
    "go_2014_terms.tsv.gz",
    "swissprot_go_2014_direct_Y.npz",
    "swissprot_go_2014_labels.tsv.gz",
    "swissprot_go_2014_nr_seqs.tsv.gz",
    "swissprot_go_2014_ids.txt.gz",
)
NEIGHBOURS = 12
ASPECTS = {"BP": "biological_process", "MF": "molecular_function", "CC": "cellular_component"}


def make(folder: Path, n_proteins: int, n_train: int, seed: int = 0) -> str:
    """Write go.obo, predictions/knn.txt, truth.tsv and IA.txt; what they are, in words."""
    from trueval.cafa import information_accretion, write_accretion, write_truth
    from trueval.core.labels import Labels
    from trueval.data import write_ontology

    generator = np.random.default_rng(seed)
    ontology, direct, terms, ids, about = _source(n_proteins + n_train, generator)
    order = generator.permutation(direct.shape[0])
    test, train = order[:n_proteins], order[n_proteins : n_proteins + n_train]
    write_ontology(folder / "go.obo", ontology)
    truth = sp.csr_array(direct[test])
    write_truth(folder / "truth.tsv", Labels(truth, terms, ids[test]))
    known = Labels(sp.csr_array(direct[train]), terms, ids[train])
    write_accretion(folder / "IA.txt", information_accretion(known, ontology))
    (folder / "predictions").mkdir()
    n_lines = _predict(
        folder / "predictions" / "knn.txt", truth, known.matrix, terms, ids[test], generator
    )
    return f"{about}; {n_proteins:,} proteins, {n_lines:,} predictions"


def _source(n: int, generator: np.random.Generator):
    from trueval.data import Ontology, read_ontology, simulate

    folder = data_folder()
    if folder is None or not all((folder / name).is_file() for name in FILES):
        proteome = simulate.proteome(min(n, 3000), 100, 2000, random_state=0)
        return (
            proteome.ontology,
            proteome.direct.matrix,
            proteome.direct.classes,
            proteome.ids,
            "simulated proteome",
        )
    edges, names, direct_file, labels_file, sequences, ids_file = (folder / f for f in FILES)
    plain = read_ontology(edges, terms=names)
    ontology = Ontology(
        plain.terms,
        plain.edges,
        names=plain.names,
        namespaces=[ASPECTS.get(space, space) for space in plain.namespaces],
    )
    with gzip.open(labels_file, "rt", encoding="utf-8") as lines:
        terms = np.array([line.split("\t")[0] for line in lines][1:])
    with gzip.open(ids_file, "rt", encoding="utf-8") as lines:
        ids = np.array([line.strip() for line in lines])
    with gzip.open(sequences, "rt", encoding="utf-8") as lines:
        rows = np.array([int(line.split("\t", 1)[0]) for line in list(lines)[1:]])
    rows = np.sort(generator.permutation(rows)[:n])
    direct = sp.csr_array(sp.load_npz(direct_file))[rows]
    return ontology, direct, terms, ids[rows], "GO 2014 and Swiss-Prot"


def _predict(
    path: Path,
    truth: sp.csr_array,
    train: sp.csr_array,
    terms: np.ndarray,
    ids: np.ndarray,
    generator: np.random.Generator,
) -> int:
    """Votes of neighbours, each of which shares a term or is there by chance."""
    by_term = train.tocsc()
    n_lines = 0
    with path.open("w", encoding="utf-8") as file:
        file.write("AUTHOR benchmark\nMODEL 1\nKEYWORDS nearest neighbour, simulated.\n")
        for row in range(truth.shape[0]):
            true = truth.indices[truth.indptr[row] : truth.indptr[row + 1]]
            votes: dict[int, float] = {}
            for _ in range(NEIGHBOURS):
                near = int(generator.integers(train.shape[0]))
                if len(true) and generator.random() < 0.7:
                    term = int(generator.choice(true))
                    with_it = by_term.indices[by_term.indptr[term] : by_term.indptr[term + 1]]
                    near = int(generator.choice(with_it)) if len(with_it) else near
                weight = float(generator.random())
                for term in train.indices[train.indptr[near] : train.indptr[near + 1]].tolist():
                    votes[term] = votes.get(term, 0.0) + weight
            total = max(votes.values(), default=1.0) * 1.05
            for term, vote in votes.items():
                score = max(round(vote / total, 4), 0.0001)
                file.write(f"{ids[row]}\t{terms[term]}\t{score}\n")
                n_lines += 1
        file.write("END\n")
    return n_lines
