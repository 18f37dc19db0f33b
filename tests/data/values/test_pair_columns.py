"""Which two columns are the objects: never an id of the row or a text while an object is left."""

import io
import warnings

import numpy as np
import pandas as pd
import pytest

from trueval import InputError, InputWarning
from trueval.data import read_pairs


def read_and_said(file, **options):
    """Pairs of a file as text or bytes, and the texts of the warnings."""
    data = file.encode() if isinstance(file, str) else file
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        pairs = read_pairs(data, **options)
    assert all(isinstance(warning.message, InputWarning) for warning in said)
    return pairs, [str(warning.message) for warning in said]


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
    pairs, said = read_and_said(form(BIOGRID))
    doubt, unread = said
    assert "'BioGRID ID Interactor A', 'BioGRID ID Interactor B' may hold objects" in doubt
    assert "not read: '#BioGRID Interaction ID', 'Score', 'Tags'. The objects are " in unread
    assert pairs.pairs.astype(str).tolist() == [["1054", "1024"], ["1048", "1056"]]


def test_many_other_columns_are_counted():
    more = "\t".join(f"Name {n} Interactor {side}" for n in range(3) for side in "AB")
    head, *rows = BIOGRID.splitlines()
    lines = [f"{head}\t{more}", *(row + "\tx" * 6 for row in rows)]
    _, said = read_and_said("\n".join(lines))
    assert "'Name 1 Interactor A' and 3 others may hold objects" in said[0]


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
    pairs, _ = read_and_said(form(text), columns=(first, second), symmetric=False)
    assert pairs.pairs.tolist() == [["p", "r"], ["s", "u"]]


def test_an_object_that_is_left_out_after_ids_of_rows():
    text = b"pair_id,drug,smiles,gene,y\nx,p,q,r,1\nz,s,t,u,0\n"
    with pytest.raises(InputError, match="come first after the row ids, and 'gene' is named so"):
        read_pairs(text)


@pytest.mark.parametrize(
    ("names", "unread"),
    [
        ("a,b,target,y", "'target'"),  # one more label
        ("seq1,seq2,target,y", "'target'"),  # names of two sides
        ("drug,target,smiles,y", "'smiles'"),
        ("smiles,cell_line,dose,y", "'dose'"),  # no word for objects at all
    ],
)
def test_the_first_two_are_taken_and_what_is_not_read_is_said(names, unread):
    file = f"{names}\np,q,2,1\ns,t,3,0\n"
    pairs, (text,) = read_and_said(file)
    assert (pairs.pairs.tolist(), pairs.y.tolist()) == ([["p", "q"], ["s", "t"]], [1, 0])
    a, b, *_ = names.split(",")
    assert f"not read: {unread}. The objects are '{a}' and '{b}', the label 'y'." in text
    # who names the objects and the label knows of the others
    assert len(read_pairs(file.encode(), columns=(a, b), label_column="y")) == 2


def test_three_objects_are_said():
    with pytest.warns(InputWarning, match="'enzyme_id' may hold objects too"):
        pairs = read_pairs(b"drug,gene,enzyme_id,y\np,q,r,1\ns,t,u,0\n")
    assert pairs.pairs.tolist() == [["p", "q"], ["s", "t"]]


@pytest.mark.parametrize("name", ["gene_pair_id", "Interaction ID", "#edge_no", "row_id"])
def test_ids_of_rows_are_skipped(name):
    pairs, (text,) = read_and_said(f"{name},drug,disease,y\nx1,p,q,1\nx1,s,t,0\n")
    assert f"not read: '{name}'." in text
    assert pairs.pairs.tolist() == [["p", "q"], ["s", "t"]]


def test_a_cell_line_is_an_object():
    pairs = read_pairs(b"cell_line_id,drug_id,y\nc1,d1,1\nc1,d2,0\n")
    assert pairs.pairs.tolist() == [["c1", "d1"], ["c1", "d2"]]


# --- labels and folds are no objects ------------------------------------------------------


TWO = [["CCO", "MKV"], ["CCN", "MKL"]]


@pytest.mark.parametrize("label", ["label", "y", "Y", "affinity", "pKd", "Ki (nM)", "is_binder"])
@pytest.mark.parametrize("form", [str.encode, parquet])
@pytest.mark.parametrize(
    "names", ["{},smiles,sequence", "{},sentence1,sentence2", "{},drug,target"]
)
def test_a_label_in_front_is_no_object(label, form, names):
    text = names.format(label) + "\n1,CCO,MKV\n0,CCN,MKL\n"
    pairs, said = read_and_said(form(text))
    assert (pairs.pairs.tolist(), pairs.y.tolist()) == (TWO, [1, 0])
    if "smiles" in names:  # which no word says to be objects
        assert [
            f"The objects are 'smiles' and 'sequence', the label '{label}'." in s for s in said
        ] == [True]
    else:
        assert not said


def test_a_label_between_and_behind_row_numbers():
    for names in ("y,protein_a,protein_b", "protein_a,y,protein_b", "protein_a,protein_b,y"):
        at = names.split(",").index("y")
        rows = [["P1", "P2"], ["P1", "P3"]]
        for row, y in zip(rows, "10", strict=True):
            row.insert(at, y)
        pairs = read_pairs("\n".join([names, *map(",".join, rows)]).encode())
        assert (pairs.pairs.tolist(), pairs.y.tolist()) == ([["P1", "P2"], ["P1", "P3"]], [1, 0])
    for text in (
        ",label,sentence1,sentence2\n0,1,CCO,MKV\n1,0,CCN,MKL\n",
        ",sentence1,label,sentence2\n0,CCO,1,MKV\n1,CCN,0,MKL\n",
    ):
        pairs = read_pairs(text.encode())
        assert (pairs.pairs.tolist(), pairs.y.tolist()) == (TWO, [1, 0])


@pytest.mark.parametrize("fold", ["fold", "split", "cv_fold", "is_test"])
def test_a_fold_in_front_is_no_object(fold):
    pairs, (text,) = read_and_said(f"{fold},smiles,sequence,y\n0,CCO,MKV,1\n1,CCN,MKL,0\n")
    assert (pairs.pairs.tolist(), pairs.y.tolist()) == (TWO, [1, 0])
    assert f"not read: '{fold}'. The objects are 'smiles' and 'sequence', the label 'y'." in text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "label,name,smiles,sequence\n1,q,CCO,MKV\n",
            "first beside 'label', and 'sequence' may be",
        ),
        ("quality,smiles,sequence\n1,CCO,MKV\n0,CCN,MKL\n", "'quality' holds values such as '1'"),
        ("left,smiles,sequence\n1.5,CCO,MKV\n2,CCN,MKL\n", "'left' holds values such as '1.5'"),
        ("drug,y\nD1,1\nD2,0\n", "two id columns; beside 'y', 'drug' is left"),
        ("x,y\nD1,1\nD2,0\n", "two id columns; beside 'y', 'x' is left"),
        ("fold,y\n1,1\n2,0\n", "two id columns; beside 'fold', 'y', none is left"),
        ("drug,smiles,target\nD1,CCO,17\nD2,CCN,18\n", "'target' is named so"),
        ("source,interaction,target\nA,pp,B\nA,pd,C\n", "'target' is named so"),
    ],
)
def test_no_two_columns_that_are_objects(text, message):
    with pytest.raises(InputError, match=message) as caught:
        read_pairs(text.encode())
    assert caught.value.fix.parameter == "columns"


@pytest.mark.parametrize(
    "text",
    [
        "binder,target,y\nCCO,MKV,1\nCCN,MKL,0\n",
        "gene,class,y\nCCO,MKV,1\nCCN,MKL,0\n",
        "x,y,label\nCCO,MKV,1\nCCN,MKL,0\n",
        "smiles,sequence,target\nCCO,MKV,1\nCCN,MKL,0\n",
    ],
)
def test_words_of_labels_that_name_objects(text):
    pairs = read_pairs(text.encode())
    assert (pairs.pairs.tolist(), pairs.y.tolist()) == (TWO, [1, 0])


def test_a_chosen_label_is_no_object():
    pairs = read_pairs(b"outcome,smiles,sequence\n1,CCO,MKV\n0,CCN,MKL\n", label_column="outcome")
    assert (pairs.pairs.tolist(), pairs.y.tolist()) == (TWO, [1, 0])
    pairs = read_pairs(b"1,CCO,MKV\n0,CCN,MKL\n", label_column=0)
    assert (pairs.pairs.tolist(), pairs.y.tolist()) == (TWO, [1, 0])
    pairs = read_pairs(b"a,b,affinity\nCCO,MKV,1\nCCN,MKL,2\n", weight_column="affinity")
    assert (pairs.y, pairs.weight.tolist()) == (None, [1, 2])


# --- ids beside what they are the ids of --------------------------------------------------


@pytest.mark.parametrize("form", [str.encode, parquet])
@pytest.mark.parametrize(
    ("names", "unread"),
    [
        ("Drug_ID,Drug,Target_ID,Target,Y", "'Drug', 'Target'"),
        ("Antibody_ID,Antibody,Antigen_ID,Antigen,Y", "'Antibody', 'Antigen'"),
        ("Drug1_ID,Drug1,Drug2_ID,Drug2,Y", "'Drug1', 'Drug2'"),
        ("drugId,drug_smiles,targetId,target,label", "'drug_smiles', 'target'"),
    ],
)
def test_ids_are_taken_and_not_their_texts(form, names, unread):
    text = f"{names}\nD1,CCO,T1,MKV,7.5\nD2,CCN,T1,MKV,5\n"
    pairs, (said,) = read_and_said(form(text), symmetric=False)
    assert (pairs.pairs.tolist(), pairs.y.tolist()) == ([["D1", "T1"], ["D2", "T1"]], [7.5, 5])
    assert f"not read: {unread}." in said


def test_an_id_and_its_text_are_no_pair():
    pairs, (said,) = read_and_said("Drug_ID,Drug,Target,Y\nD1,CCO,MKV,7.5\n")
    assert (pairs.pairs.tolist(), pairs.y.tolist()) == ([["D1", "MKV"]], [7.5])
    assert "not read: 'Drug'." in said
    with pytest.raises(InputError, match="beside 'Drug', 'Y', 'Drug_ID' is left"):
        read_pairs(b"Drug_ID,Drug,Y\nD1,CCO,7.5\n")


def test_three_ids_with_texts_are_said():
    text = "Drug1_ID,Drug1,Drug2_ID,Drug2,Cell_ID,Cell,Y\nD1,CCO,D2,CCN,C1,MCF7,1\n"
    pairs, (doubt, unread) = read_and_said(text)
    assert pairs.pairs.tolist() == [["D1", "D2"]]
    assert "'Cell_ID' may hold objects too" in doubt
    assert "not read: 'Drug1', 'Drug2', 'Cell'." in unread


# --- names that are numbers ---------------------------------------------------------------


NUMBERED = pd.DataFrame([["p1", "p2", 1, 0.5], ["p1", "p3", 0, 2]])


def as_parquet(frame):
    file = io.BytesIO()
    frame.to_parquet(file)
    return file.getvalue()


def as_csv(frame):
    return frame.to_csv().encode()


@pytest.mark.parametrize("form", [as_parquet, as_csv])
@pytest.mark.parametrize(
    "names", [["0", "1", "2", "3"], ["1", "2", "3", "4"], ["V1", "V2", "V3", "V4"]]
)
def test_columns_with_numbers_for_names_are_read_by_place(form, names):
    frame = NUMBERED.set_axis(names, axis=1)
    a, b, y, w = names
    pairs, (said,) = read_and_said(form(frame[[a, b, y]].set_axis([5, 7])))
    assert pairs.pairs.tolist() == [["p1", "p2"], ["p1", "p3"]]
    assert (pairs.y.tolist(), pairs.weight) == ([1, 0], None)
    assert f"places say what they are: '{a}' and '{b}' are the objects, '{y}' is the label." in said
    pairs, (said,) = read_and_said(form(frame))
    assert (pairs.y.tolist(), pairs.weight.tolist()) == ([1, 0], [0.5, 2])
    assert f"'{y}' is the label, '{w}' is the weight." in said
    pairs, said = read_and_said(form(frame[[a, b]]))
    assert (pairs.pairs.tolist(), pairs.y, said) == ([["p1", "p2"], ["p1", "p3"]], None, [])


def test_a_name_among_numbers_is_the_label():
    frame = NUMBERED.drop(columns=3).assign(label=[0, 1]).rename(columns=str)
    pairs, (said,) = read_and_said(as_parquet(frame))
    assert (pairs.pairs.tolist(), pairs.y.tolist()) == ([["p1", "p2"], ["p1", "p3"]], [0, 1])
    assert "not read: '2'. The objects are '0' and '1', the label 'label'." in said


def test_arrays_without_names():
    file = io.BytesIO()
    np.savez(file, np.array(["p1", "p1"]), np.array(["p2", "p3"]), np.array([1, 0]))
    pairs, (said,) = read_and_said(file.getvalue())
    assert (pairs.pairs.tolist(), pairs.y.tolist()) == ([["p1", "p2"], ["p1", "p3"]], [1, 0])
    assert "'arr_2' is the label" in said


# --- names of labels ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        *("pKd", "Kd", "Ki", "IC50", "pIC50", "EC50", "log10_Ki", "pchembl_value", "kiba_score"),
        *("Ki (nM)", "IC50 [uM]", "IC50_nM", "binding_affinity", "neg_log10_affinity_M"),
        *("affinity (kcal/mol)", "label (0/1)", "KIBA score", "rating", "yield", "activity"),
        *("is_duplicate", "interacts", "interaction", "binds", "binder", "is_binder", "bound"),
        *("positive", "same", "match", "active", "gold_label"),
    ],
)
def test_common_names_of_labels(name):
    text = f"ligand,protein,{name}\np,q,1\ns,t,0\n".encode()
    assert read_pairs(text).y.tolist() == [1, 0]


@pytest.mark.parametrize("name", ["combined_score", "score", "dose", "smiles", "year"])
def test_a_column_that_is_not_known_is_said(name):
    pairs, (said,) = read_and_said(f"ligand,protein,{name}\np,q,1\ns,t,0\n")
    assert pairs.y is None
    assert f"not read: '{name}'. The objects are 'ligand' and 'protein', no label." in said
    assert "pass columns= and label_column=." in said


def test_a_weight_is_said_beside_what_is_not_read():
    pairs, (said,) = read_and_said("source,target,type,weight\np,q,x,2\ns,t,x,1\n")
    assert (pairs.y, pairs.weight.tolist()) == (None, [2, 1])
    assert (
        "not read: 'type'. The objects are 'source' and 'target', no label and the weight" in said
    )


def test_several_labels_are_refused_and_a_surer_one_wins():
    with pytest.raises(InputError, match=r"'Ki \(nM\)' and 'IC50 \(nM\)' could both be") as caught:
        read_pairs(b"ligand,protein,Ki (nM),IC50 (nM)\np,q,1,2\n")
    assert caught.value.fix.parameter == "label_column"
    pairs, (said,) = read_and_said("ligand,protein,Ki (nM),Y\np,q,1,2\n")
    assert pairs.y.tolist() == [2]
    assert "not read: 'Ki (nM)'." in said


def test_a_relation_in_words_is_no_label():
    pairs, (said,) = read_and_said("source,target,interaction\nA,B,pp\nA,C,pd\n")
    assert (pairs.pairs.tolist(), pairs.y) == ([["A", "B"], ["A", "C"]], None)
    assert "not read: 'interaction'." in said


# --- labels in words ----------------------------------------------------------------------


WORDS = [
    ("True", "False"), ("TRUE", "FALSE"), ("yes", "no"), ("y", "n"), ("positive", "negative"),
    ("True", "0"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "zero"), WORDS)
def test_labels_in_words(one, zero):
    text = f"a,b,label\np,q,{one}\ns,t,{zero}\np,t, {one}\n"
    pairs = read_pairs(text.encode())
    assert (pairs.y.tolist(), pairs.y.dtype.kind) == ([1, 0, 1], "i")
    frame = pd.DataFrame({"a": ["p", "s"], "b": ["q", "t"], "label": [one, zero]})
    assert read_pairs(as_parquet(frame)).y.tolist() == [1, 0]


@pytest.mark.parametrize(("one", "zero"), WORDS[:5])
def test_labels_in_words_without_a_header(one, zero):
    pairs, (said,) = read_and_said(f"p,q,{one}\ns,t,{zero}\n")
    assert (pairs.pairs.tolist(), pairs.y.tolist()) == ([["p", "q"], ["s", "t"]], [1, 0])
    assert "no known header" in said


def test_a_y_above_y_and_n_is_said():
    text = "first,second,y\np,q,y\ns,t,n\n"
    pairs, (said,) = read_and_said(text)
    assert pairs.y.tolist() == [1, 1, 0]
    assert "no known header, so the first line, 'first,second,y', is taken as data" in said
    assert read_pairs(text.encode(), header=True).y.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b,label\np,q,True\ns,t,maybe\n", "line 3, column 'label': the label is 'maybe'"),
        ("a,b,label\np,q,True\ns,t,0.5\n", "line 3, column 'label': the label is '0.5'"),
        ("a,b,label\np,q,True\ns,t,\n", "line 3, column 'label': the label is missing"),
        ("a,b,label\np,q,1\ns,t,abc\n", "line 3, column 'label': the label is 'abc'"),
        ("p,q,third\ns,t,yes\n", "line 1, column 2: the label is 'third'.*header=True"),
    ],
)
def test_labels_that_are_neither_numbers_nor_words(text, message):
    with pytest.raises(InputError, match=message):
        read_pairs(text.encode())


@pytest.mark.parametrize("text", [
    "a,b,y\nb,c,True\nc,d,False\n", "u,v,y\nv,c,true\nc,d,false\n",
    "a,b,positive\na,c,yes\nc,d,no\n", "a,b,y\nb,c,1\nc,d,0\n",
])  # fmt: skip
def test_an_object_with_the_name_of_its_column_does_not_make_the_header_a_pair(text):
    pairs, said = read_and_said(text)
    assert (pairs.pairs.tolist()[-1], pairs.y.tolist(), said) == (["c", "d"], [1, 0], [])


def test_a_word_that_no_other_label_has_is_no_label_in_silence():
    text = b"m1,m2,absent\nx,q,yes\nx,z,no\n"
    with pytest.raises(InputError, match="line 1: the first line may be a header or a pair: its"):
        read_pairs(text)
    assert read_pairs(text, label_column="absent").y.tolist() == [1, 0]
    with pytest.warns(InputWarning, match="no known header"):
        assert read_pairs(text.replace(b"yes", b"present")).y.tolist() == [0, 1, 0]


@pytest.mark.parametrize("name", ["present", "pos"])
def test_a_label_that_is_named_as_its_words_are(name):
    pairs, said = read_and_said(f"m1,m2,{name}\nx,q,yes\nx,z,no\n")
    assert (pairs.y.tolist(), said) == ([1, 0], [])


def test_row_names_of_r():
    text = b'"a" "b" "y"\n"1" "x" "y" 1\n"2" "x" "z" 0\n'
    with pytest.warns(InputWarning, match="it has no name for the first"):
        pairs = read_pairs(text, delimiter=" ")
    assert (pairs.pairs.tolist(), pairs.y.tolist()) == ([["x", "y"], ["x", "z"]], [1, 0])


def test_a_value_without_a_name_does_not_make_objects_row_names():
    with pytest.raises(InputError, match="line 2: 3 fields where line 1 has 2"):
        read_pairs(b"drug,target\nD1,T1,1\nD1,T2,0\n")
