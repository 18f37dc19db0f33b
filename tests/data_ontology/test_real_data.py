"""On the real data where they are; the other tests pass without them."""

import os
from pathlib import Path

import pytest

from trueval.data import load_dataset

FOLDER = Path(os.environ.get("TRUEVAL_DATA", "nowhere"))
NEEDED = ("go_2014_edges.tsv.gz", "swissprot_go_2014_Y.npz", "swissprot_go_2014_direct_Y.npz")


@pytest.mark.slow
@pytest.mark.skipif(
    not all((FOLDER / name).is_file() for name in NEEDED), reason="TRUEVAL_DATA has no Swiss-Prot"
)
def test_direct_annotations_give_the_propagated_ones_exactly():
    ontology = load_dataset("go_2014").ontology
    direct = load_dataset("swissprot_go_2014_direct").labels
    expected = load_dataset("swissprot_go_2014").labels
    closed = ontology.propagate(direct)
    assert closed.nnz == 28_076_726
    assert (closed.matrix != expected.matrix).nnz == 0
    assert ontology.cycles(None) == []
