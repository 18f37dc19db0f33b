"""How long the true-path rule takes on all of Swiss-Prot, and whether it is exact.

``python -m benchmarks.ontology`` reads the 2014 Gene Ontology and the direct
annotations of 513,232 proteins from ``TRUEVAL_DATA``, carries them up, and compares
with the published propagated matrix, entry by entry.
"""

import gzip
import resource
import sys
import time

import scipy.sparse as sp

from benchmarks.data import data_folder
from trueval.data import read_ontology

__all__ = ["main"]

FILES = (
    "go_2014_edges.tsv.gz",
    "go_2014_terms.tsv.gz",
    "swissprot_go_2014_direct_Y.npz",
    "swissprot_go_2014_Y.npz",
    "swissprot_go_2014_labels.tsv.gz",
)


def main() -> int:
    folder = data_folder()
    if folder is None or not all((folder / name).is_file() for name in FILES):
        print(f"Set TRUEVAL_DATA to a folder with {', '.join(FILES)}.", file=sys.stderr)
        return 2

    def timed(what, function):
        wall, cpu = time.perf_counter(), time.process_time()
        result = function()
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        print(f"{what:<46}{wall:8.2f} s wall {cpu:8.2f} s CPU")
        return result

    edges, names, direct_file, closed_file, labels_file = (folder / name for name in FILES)
    direct = sp.csr_array(sp.load_npz(direct_file))
    expected = sp.csr_array(sp.load_npz(closed_file))
    with gzip.open(labels_file, "rt", encoding="utf-8") as lines:
        terms = [line.split("\t")[0] for line in lines][1:]
    ontology = timed("read_ontology, edges and terms", lambda: read_ontology(edges, terms=names))
    print(ontology)
    cycles = timed("cycles, all relations", lambda: ontology.cycles(None))
    timed("closure, first use", ontology.closure)
    closed = timed("propagate", lambda: ontology.propagate(direct, terms, columns="given"))
    leaves = timed("most_specific of the result", lambda: ontology.most_specific(closed, terms))
    again = timed(
        "propagate, closure kept", lambda: ontology.propagate(leaves, terms, columns="given")
    )
    timed("information_content", lambda: ontology.information_content(direct, terms))
    wrong = (closed != expected).nnz
    print(f"direct {direct.nnz:,}; propagated {closed.nnz:,}, expected {expected.nnz:,}")
    print(f"entries that differ: {wrong}; after the way back and up again: {(again != closed).nnz}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"most specific {leaves.nnz:,}; cycles {len(cycles)}; peak memory {peak:.2f} GB")
    return int(wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main())
