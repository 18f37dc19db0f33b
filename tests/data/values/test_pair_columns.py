"""Which two columns are the objects: never an id of the row or a text while an object is left."""

import io

import pandas as pd
import pytest

from trueval import InputError, InputWarning
from trueval.data import read_pairs

# The first columns of BioGRID's format TAB 3.0, and two of its last ones.
BIOGRID = (
    "#BioGRID Interaction ID\tEntrez Gene Interactor A\tEntrez Gene Interactor B\t"
    "BioGRID ID Interactor A\tBioGRID ID Interactor B\tScore\tTags\n"
    "100\t1054\t1024\t5054\t5024\t-\t-\n101\t1048\t1056\t5048\t5056\t-\t-\n"
)


def parquet(text):
    file = io.BytesIO()
    pd.read_csv(io.StringIO(text), sep="\t" if "\t" in text else ",").to_parquet(file)
    return file.getvalue()


@pytest.mark.parametrize("form", [str.encode, parquet])
def test_biogrid(form):
    with pytest.warns(InputWarning, match="'BioGRID ID Interactor A', .* may hold objects"):
        pairs = read_pairs(form(BIOGRID))
    assert pairs.pairs.astype(str).tolist() == [["1054", "1024"], ["1048", "1056"]]


def test_many_other_columns_are_counted():
    more = "\t".join(f"Name {n} Interactor {side}" for n in range(3) for side in "AB")
    head, *rows = BIOGRID.splitlines()
    lines = [f"{head}\t{more}", *(row + "\tx" * 6 for row in rows)]
    with pytest.warns(InputWarning, match="'Name 1 Interactor A' and 3 others may hold objects"):
        read_pairs("\n".join(lines).encode())


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("drug,smiles,target,y", "'drug' and 'smiles' come first, and 'target' is named so"),
        ("head,relation,tail,y", "'head' and 'relation' come first, and 'tail' is named so"),
        ("drug,pair_id,target,y", "'drug' and 'pair_id' come first, and 'target' is named so"),
        ("name,sequence,gene_a,gene_b", "'gene_a', 'gene_b' are named so"),
    ],
)
@pytest.mark.parametrize("form", [str.encode, parquet])
def test_an_object_that_is_left_out_is_refused(names, message, form):
    text = f"{names}\np,q,r,1\ns,t,u,0\n"
    with pytest.raises(InputError, match=message) as caught:
        read_pairs(form(text))
    assert caught.value.fix.parameter == "columns"
    first, second = names.split(",")[0], names.split(",")[2]
    pairs = read_pairs(form(text), columns=(first, second), symmetric=False)
    assert pairs.pairs.tolist() == [["p", "r"], ["s", "u"]]


def test_an_object_that_is_left_out_after_ids_of_rows():
    text = b"pair_id,drug,smiles,gene,y\nx,p,q,r,1\nz,s,t,u,0\n"
    with pytest.raises(InputError, match="come first after the row ids, and 'gene' is named so"):
        read_pairs(text)


@pytest.mark.parametrize(
    "names",
    [
        "a,b,target,y",  # one more label
        "seq1,seq2,target,y",  # names of two sides
        "drug,target,smiles,y",
        "smiles,cell_line,dose,y",  # no word for objects at all
    ],
)
def test_the_first_two_are_taken_without_a_word(names):
    pairs = read_pairs(f"{names}\np,q,2,1\ns,t,3,0\n".encode())
    assert (pairs.pairs.tolist(), pairs.y.tolist()) == ([["p", "q"], ["s", "t"]], [1, 0])


def test_three_objects_are_said():
    with pytest.warns(InputWarning, match="'enzyme_id' may hold objects too"):
        pairs = read_pairs(b"drug,gene,enzyme_id,y\np,q,r,1\ns,t,u,0\n")
    assert pairs.pairs.tolist() == [["p", "q"], ["s", "t"]]


@pytest.mark.parametrize("name", ["gene_pair_id", "Interaction ID", "#edge_no", "row_id"])
def test_ids_of_rows_are_skipped(name):
    pairs = read_pairs(f"{name},drug,disease,y\nx1,p,q,1\nx1,s,t,0\n".encode())
    assert pairs.pairs.tolist() == [["p", "q"], ["s", "t"]]


def test_a_cell_line_is_an_object():
    pairs = read_pairs(b"cell_line_id,drug_id,y\nc1,d1,1\nc1,d2,0\n")
    assert pairs.pairs.tolist() == [["c1", "d1"], ["c1", "d2"]]
