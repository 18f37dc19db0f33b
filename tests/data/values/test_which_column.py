"""Columns of lists, an index without a name, columns of folds: what they are, or refused."""

import io

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from trueval import InputError, InputWarning, as_labels
from trueval.data import (
    read_folds,
    read_labels,
    read_pairs,
    read_scores,
    read_similarity,
    write_labels,
    write_scores,
)
from trueval.data._values.columns import read_column
from trueval.data._values.labels import read_labels_with_reading
from trueval.data._values.rows import read_feature_rows


def arrow(type_=None, **columns):
    if type_ is not None:
        columns["labels"] = pa.array(columns["labels"], type_)
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


def parquet(frame):
    file = io.BytesIO()
    frame.to_parquet(file)
    return file.getvalue()


# --- lists of numbers -----------------------------------------------------------------

MULTI_HOT = [[1, 0, 0], [0, 1, 1], [0, 0, 0]]


@pytest.mark.parametrize(
    "inner", [pa.int8(), pa.int64(), pa.uint8(), pa.bool_(), pa.float32(), pa.float64()]
)
@pytest.mark.parametrize("outer", [pa.list_, pa.large_list, lambda inner: pa.list_(inner, 3)])
def test_rows_of_a_matrix(inner, outer):
    rows = [[inner.to_pandas_dtype()(value) for value in row] for row in MULTI_HOT]
    type_ = outer(inner)
    for extra in ({}, {"id": ["p", "q", "r"]}):
        labels, reading = read_labels_with_reading(arrow(type_, labels=rows, **extra))
        assert labels.toarray().tolist() == MULTI_HOT
        assert labels.classes.tolist() == [0, 1, 2]
        assert (reading.layout, reading.column) == ("wide", "labels")
    assert as_labels(pl.Series(MULTI_HOT)).toarray().tolist() == MULTI_HOT  # the same in memory


@pytest.mark.parametrize("rows", [[[1, 0], [0, 1]], [[1], [0]]])
def test_what_may_be_labels_0_and_1_is_refused(rows):
    file = arrow(labels=rows)
    with pytest.raises(InputError, match="rows of a 0/1 matrix, or the labels 0 and 1") as caught:
        read_labels(file)
    fix = caught.value.fix
    assert (fix.parameter, fix.value, fix.more) == ("layout", "wide", (("layout", "list"),))
    assert read_labels(file, layout="wide").toarray().tolist() == rows
    wanted = [[int(c in row) for c in (0, 1)] for row in rows]
    assert read_labels(file, layout="list").toarray().tolist() == wanted


@pytest.mark.parametrize(
    ("rows", "classes"),
    [
        ([[3], [5]], [3, 5]),
        ([[0, 1], [1, 2]], [0, 1, 2]),
        ([[0], [0, 1], []], [0, 1]),
        ([[5, 5], [3]], [3, 5]),
        ([["0", "1"], ["1", "1"]], ["0", "1"]),
    ],
)
def test_lists_of_labels_are_none(rows, classes):
    labels = read_labels(arrow(labels=rows))
    assert labels.classes.tolist() == classes
    assert labels.toarray().tolist() == [[int(c in row) for c in classes] for row in rows]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[1, 0, 0], [0, 1]], "row 1.*has 2 numbers where that of row 0 has 3"),
        ([[0, 0, 2], [1, 2, 0]], "row 0.*the value 2 is not 0 or 1.*have numbers twice"),
        ([[1.0, 0.0], [0.0]], "row 1.*has 1 numbers"),
        ([[1.0, 0.5]], "a list of double has 0.5"),
        ([[True, False], []], "row 1.*has 0 numbers"),
    ],
)
def test_lists_that_are_neither(rows, message):
    with pytest.raises(InputError, match=message):
        read_labels(arrow(labels=rows))


@pytest.mark.parametrize("y", [[[1, 0], [0, 1]], [[1], [1]], [[1, 1], [0, 1]], [[0, 1], [0, 1]]])
def test_own_files_with_classes_0_and_1_come_back(tmp_path, y):
    write_labels(tmp_path / "y.parquet", np.array(y))
    labels = read_labels(tmp_path / "y.parquet")
    assert labels.toarray().tolist() == y
    assert labels.classes.tolist() == list(range(len(y[0])))


# --- an index without a name ------------------------------------------------------------

FRAME = pd.DataFrame({"id": [12, 11, 17], "f0": [0.5, 0.25, 1.0], "f1": [1.0, 2.0, 0.0]})


def forms(frame):
    return (frame.to_csv().encode(), parquet(frame))


@pytest.mark.parametrize("index", [None, range(3), range(1, 4)])
def test_a_column_called_id_goes_before_row_numbers(index):
    frame = FRAME if index is None else FRAME.set_axis(list(index))
    for file in forms(frame):
        scores = read_scores(file)
        assert list(map(str, scores.index)) == ["12", "11", "17"]
        assert scores.classes.tolist() == ["f0", "f1"]
        rows, reading = read_feature_rows(file)
        assert list(rows.features) == ["f0", "f1"]
        assert list(map(str, rows.special["id"])) in (["12", "11", "17"], ["12.0", "11.0", "17.0"])
        assert reading.special == {"id": "id"}
    y = FRAME.assign(f0=[0, 1, 0], f1=[1, 1, 0]) if index is None else frame.assign(f0=0, f1=1)
    for file in forms(y):
        labels = read_labels(file)
        assert list(map(str, labels.index)) == ["12", "11", "17"]
        assert labels.classes.tolist() == ["f0", "f1"]


def test_another_index_beside_it_is_refused():
    index = ["a", "b", "c"]
    for file in forms(FRAME.set_axis(index)):
        with pytest.raises(InputError, match="without a name and 'id' could both be the row ids"):
            read_scores(file)
        scores = read_scores(file, id_column="id")
        assert list(map(str, scores.index)) == ["12", "11", "17"]
        assert scores.classes.tolist() == ["f0", "f1"]
        with pytest.raises(InputError, match="could both be the row ids"):
            read_feature_rows(file)
        rows, _ = read_feature_rows(file, {"id": "id"})
        assert list(rows.features) == ["f0", "f1"]
    for file in forms(FRAME.set_axis(index).assign(f0=0, f1=1)):
        with pytest.raises(InputError, match="could both be the row ids"):
            read_labels(file)
        assert list(map(str, read_labels(file, id_column="id").index)) == ["12", "11", "17"]


def test_an_index_alone_has_the_ids():
    frame = FRAME.drop(columns="id").set_axis(["a", "b", "c"])
    for file in forms(frame):
        assert read_scores(file).index.tolist() == ["a", "b", "c"]
        rows, _ = read_feature_rows(file)
        assert (rows.special["id"].tolist(), list(rows.features)) == (list("abc"), ["f0", "f1"])
    numbered = frame.set_axis([0, 1, 2]).to_csv().encode()
    rows, reading = read_feature_rows(numbered)  # row numbers are no feature
    assert (list(rows.features), reading.unused) == (["f0", "f1"], ("",))
    assert read_scores(numbered).index.tolist() == ["0", "1", "2"]


def test_one_column_of_ids_beside_row_numbers():
    file = FRAME.rename(columns={"id": "protein_id"}).to_csv().encode()
    scores = read_scores(file)
    assert (scores.index.tolist(), scores.classes.tolist()) == (["12", "11", "17"], ["f0", "f1"])


def test_ids_in_the_last_column():
    scores = read_scores(b"f0,f1,id\n0.5,1,7\n0.25,2,9\n")
    assert (scores.index.tolist(), scores.classes.tolist()) == (["7", "9"], ["f0", "f1"])
    labels = read_labels(b"kinase,ion,id\n1,0,7\n0,1,9\n")
    assert (labels.index.tolist(), labels.classes.tolist()) == (["7", "9"], ["kinase", "ion"])


def test_ids_that_are_text_beside_row_numbers_are_not_taken_for_comments():
    labels = read_labels(b",id,kinase,ion\n0,p1,1,0\n1,p2,0,1\n")  # no warning of text
    assert (labels.index.tolist(), labels.classes.tolist()) == (["p1", "p2"], ["kinase", "ion"])


@pytest.mark.parametrize("name", ["id", "ID", "__index_level_0__", "Unnamed: 0"])
def test_scores_of_such_a_class_are_not_written_where_it_would_be_ids(tmp_path, name):
    labels = as_labels(pd.DataFrame([[1, 0], [0, 1]], columns=[name, "b"], index=["p", "q"]))
    with pytest.raises(InputError, match=f"a class is named '{name}', as ids are"):
        write_scores(tmp_path / "s.parquet", np.eye(2), labels=labels)
    if name != "ID":
        write_scores(tmp_path / "s.npz", np.eye(2), labels=labels)
        assert read_scores(tmp_path / "s.npz").classes.tolist() == [name, "b"]


# --- columns of folds --------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["fold", "Fold", "cv_fold", "fold_1", "split", "is_test", "test", "train_set", "in_val"]
)
@pytest.mark.parametrize("form", [lambda f: f.to_csv(index=False).encode(), parquet])
def test_a_column_of_folds_is_no_class(form, name):
    frame = pd.DataFrame({"id": ["p", "q"], "kinase": [1, 0], name: [0, 1]})
    with pytest.raises(InputError, match=f"'{name}' is named as folds are: is it a class") as e:
        read_labels(form(frame))
    assert (e.value.fix.parameter, e.value.fix.value) == ("ignore", name)
    assert e.value.fix.more == (("layout", "wide"),)
    assert read_labels(form(frame), ignore=name).classes.tolist() == ["kinase"]
    assert read_labels(form(frame), layout="wide").classes.tolist() == ["kinase", name]
    with pytest.raises(InputError, match="is it a class"):  # a file of two folds
        read_labels(form(frame.drop(columns="kinase")))


@pytest.mark.parametrize("name", ["Rossmann fold", "testis", "training_load", "valve", "parts"])
def test_classes_that_are_called_nearly_so(name):
    labels = read_labels(f"id,kinase,{name}\np,1,0\nq,0,1\n".encode())
    assert labels.classes.tolist() == ["kinase", name]


def test_folds_of_several_numbers_can_be_left_out():
    file = b"id,kinase,ion,fold\np,1,0,0\nq,0,1,2\n"
    with pytest.raises(InputError, match=r"id_column= and label_column=, or ignore='fold'"):
        read_labels(file)
    assert read_labels(file, ignore="fold").classes.tolist() == ["kinase", "ion"]


# --- what is written comes back, or is refused at writing ----------------------------------


@pytest.mark.parametrize(
    "names", [["label"], ["class"], ["target"], ["GO_terms"], ["label", "score"], ["a", "fold"]]
)
def test_wide_columns_that_would_not_be_classes(tmp_path, names):
    y = pd.DataFrame(np.eye(2, len(names), dtype=int), columns=names, index=["p", "q"])
    with pytest.raises(InputError, match="would not be read back as a class"):
        write_labels(tmp_path / "y.csv", y, layout="wide")
    assert not list(tmp_path.iterdir())
    for name, layout in (
        ("y.csv", "list"),
        ("y.csv", "long"),
        ("y.npz", None),
        ("y.parquet", None),
    ):
        write_labels(tmp_path / name, y, layout=layout)
        labels = read_labels(tmp_path / name)
        assert sorted(labels.classes.tolist()) == sorted(names)


@pytest.mark.parametrize("names", [["1"], ["true"], ["0", "True"], ["1.0"]])
@pytest.mark.parametrize("layout", ["list", "long"])
def test_labels_that_are_called_as_values_are(tmp_path, names, layout):
    y = pd.DataFrame(np.eye(2, len(names), dtype=int), columns=names, index=["p", "q"])
    with pytest.raises(InputError, match="the only classes are named"):
        write_labels(tmp_path / "y.csv", y, layout=layout)
    write_labels(tmp_path / "y.csv", y, layout="wide")
    assert read_labels(tmp_path / "y.csv").classes.tolist() == names


def test_folds_among_scores_are_said():
    with pytest.warns(InputWarning, match="'fold', named as folds are, is read as scores"):
        scores = read_scores(b"id,f0,fold\np,0.5,0\nq,0.25,3\n")
    assert scores.classes.tolist() == ["f0", "fold"]
    read_scores(b"id,f0,test\np,0.5,0.125\nq,0.25,0\n")  # scores of a class called test


# --- an index that was saved twice, as DataFrame.to_csv and read_csv make it ----------------


def saved_twice(frame):
    again = pd.read_csv(io.StringIO(frame.to_csv()))
    return again.to_csv().encode()


@pytest.mark.parametrize("index", [["a", "b", "c"], [0, 1, 2]])
def test_an_index_that_was_saved_twice(index):
    frame = FRAME.drop(columns="id").set_axis(index)
    file = saved_twice(frame)
    assert file.startswith(b",Unnamed: 0,f0,f1\n")
    scores = read_scores(file)
    assert (scores.index.tolist(), scores.classes.tolist()) == (list(map(str, index)), ["f0", "f1"])
    labels = read_labels(saved_twice(frame.assign(f0=[0, 1, 1], f1=1)))
    assert (labels.index.tolist(), labels.classes.tolist()) == (list(map(str, index)), ["f0", "f1"])
    rows, _ = read_feature_rows(file)
    assert list(rows.features) == ["f0", "f1"]
    scores = read_scores(saved_twice(FRAME))
    assert (scores.index.tolist(), scores.classes.tolist()) == (["12", "11", "17"], ["f0", "f1"])


def test_an_index_saved_twice_is_no_object_and_no_fold():
    pairs = pd.DataFrame({"c": ["p", "q"], "d": ["r", "s"], "y": [1, 0]})
    assert read_pairs(saved_twice(pairs)).pairs.tolist() == [["p", "r"], ["q", "s"]]
    folds = pd.DataFrame({"fold": [1, 0]})
    assert read_folds(saved_twice(folds)).folds.tolist() == [1, 0]
    with pytest.raises(InputError, match="which column has the row ids"):
        read_folds(saved_twice(folds.set_axis([1, 0])))


def test_shuffled_row_numbers_beside_ids_of_text():
    frame = FRAME.assign(id=["p", "q", "r"]).rename(columns={"id": "protein"}).set_axis([7, 5, 6])
    scores = read_scores(parquet(frame))
    assert (scores.index.tolist(), scores.classes.tolist()) == (["p", "q", "r"], ["f0", "f1"])


def test_an_index_beside_similarities():
    frame = pd.DataFrame({"query": ["p", "q"], "target": ["q", "r"], "fident": [0.5, 0.25]})
    wanted = read_similarity(frame.to_csv(index=False).encode())
    graph = read_similarity(frame.to_csv().encode())
    assert graph.index.tolist() == wanted.index.tolist() == ["p", "q", "r"]
    assert (graph.matrix != wanted.matrix).nnz == 0
    with pytest.raises(InputError, match="has no name and does not number the rows"):
        read_similarity(frame.set_axis([5, 9]).to_csv().encode())
    assert read_similarity(frame.set_index("query").to_csv().encode()).n_edges == 2


# --- an index without a name beside ids that are called otherwise ---------------------------

EYE = [[1, 0], [0, 1]]


def indexed(name, index=(0, 1)):
    frame = pd.DataFrame({name: ["s1", "s2"], "a": [1, 0], "b": [0, 1]}, index=list(index))
    return frame.to_csv().encode()


@pytest.mark.parametrize("read", [read_labels, read_scores])
@pytest.mark.parametrize("name", ["protein", "Entry", "gene", "sample_id"])
def test_a_column_named_as_ids_are_goes_before_row_numbers(read, name):
    found = read(indexed(name))
    assert (found.index.tolist(), list(found.classes)) == (["s1", "s2"], ["a", "b"])
    with pytest.warns(InputWarning, match=f"ids are those of '{name}'; the column without a name"):
        assert read(indexed(name, (0, 2))).index.tolist() == ["s1", "s2"]
    with pytest.warns(InputWarning, match=f"ids are those of '{name}'"):  # of two files
        assert read(indexed(name, (0, 0))).index.tolist() == ["s1", "s2"]


@pytest.mark.parametrize("read", [read_labels, read_scores])
def test_the_only_texts_beside_row_numbers_are_ids_with_a_word(read):
    for index in ((0, 1), (4, 1)):
        with pytest.warns(InputWarning, match="row ids are taken from 'user', the only") as said:
            found = read(indexed("user", index))
        assert len(said) == 1
        assert said[0].message.fix.parameter == "id_column"
        assert (found.index.tolist(), list(found.classes)) == (["s1", "s2"], ["a", "b"])
    with pytest.warns(InputWarning, match="taken from 'user'"):
        labels = read_labels(b",user,labels\n0,u1,a;b\n1,u2,b\n")
    assert labels.index.tolist() == ["u1", "u2"]


@pytest.mark.parametrize("read", [read_labels, read_scores])
@pytest.mark.parametrize(
    ("file", "names"),
    [
        (b",protein,gene,a\n0,p1,g1,1\n1,p2,g2,0\n", "'protein', 'gene'"),
        (b",protein,a,b\n4,12,1,0\n1,11,0,1\n", "'protein' or the one without a name"),
    ],
)
def test_several_columns_of_ids_are_refused(read, file, names):
    with pytest.raises(InputError, match=f"which column has the row ids. {names} may") as caught:
        read(file)
    assert caught.value.fix.parameter == "id_column"


def test_a_class_may_have_the_name_of_an_id():
    labels = read_labels(b",gene,ion\n0,1,0\n1,0,1\n")
    assert (labels.index.tolist(), labels.classes.tolist()) == (["0", "1"], ["gene", "ion"])
    scores = read_scores(b",gene,ion\n0,0.5,0.25\n1,0.25,1\n")
    assert scores.classes.tolist() == ["gene", "ion"]


def test_row_numbers_in_any_order_beside_id():
    """What pandas writes once rows are filtered or shuffled."""
    for index in ([7, 5, 6], [0, 0, 1]):
        text, typed = forms(FRAME.set_axis(index))
        with pytest.warns(InputWarning, match="ids are those of 'id'; the column without a name"):
            assert read_scores(text).index.tolist() == ["12", "11", "17"]
        assert read_scores(typed).index.tolist() == [12, 11, 17]  # pandas says what it is
        with pytest.warns(InputWarning, match="ids are those of 'id'"):
            rows, _ = read_feature_rows(text)
        assert list(rows.features) == ["f0", "f1"]
        text, typed = forms(FRAME.set_axis(index).assign(f0=0, f1=1))
        with pytest.warns(InputWarning, match="ids are those of 'id'"):
            assert read_labels(text).index.tolist() == ["12", "11", "17"]
        assert list(map(str, read_labels(typed).index)) == ["12", "11", "17"]
    lists = b",id,labels\n%b,x,a;b\n%b,y,b\n"
    with pytest.warns(InputWarning, match="ids are those of 'id'"):
        assert read_labels(lists % (b"4", b"1")).index.tolist() == ["x", "y"]
    with pytest.raises(InputError, match="could both be the row ids"):
        read_labels(lists % (b"r", b"s"))
    read_labels(b",id,label\n4,x,a\n4,x,b\n")  # ids that come again: no doubt


def test_an_index_beside_lines_of_ids_and_labels_is_no_column():
    """No warning that it is not read, and no 0 of it means that a label is absent."""
    labels = read_labels(b",protein,labels\n0,p1,a;b\n1,p2,b\n")
    assert (labels.index.tolist(), labels.toarray().tolist()) == (["p1", "p2"], [[1, 1], [0, 1]])
    labels = read_labels(b",protein,go_term\n0,p1,a\n1,p1,b\n")
    assert (labels.index.tolist(), labels.toarray().tolist()) == (["p1"], [[1, 1]])
    labels = read_labels(b",protein,go_id\n0,p1,a\n1,p1,b\n0,p2,a\n")
    assert (labels.index.tolist(), labels.toarray().tolist()) == (["p1", "p2"], [[1, 1], [1, 0]])


# --- files of folds ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "file",
    [
        b"id,fold\np1,0\np2,1\np3,2\n",
        b"fold,id\n0,p1\n1,p2\n2,p3\n",
        b"id,split\np1,train\np2,test\n",
        arrow(id=["p", "q"], split=["train", "test"]),
    ],
)
def test_a_file_of_folds_has_no_labels(file):
    for layout in (None, "long", "list"):
        with pytest.raises(InputError, match="named as folds are: does it hold labels") as caught:
            read_labels(file, layout=layout)
    fix = caught.value.fix
    assert fix.parameter == "label_column"
    assert read_labels(file, label_column=fix.value).n_classes in (2, 3)


# --- names of labels that are ids ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "index", "classes", "unused"),
    [
        (b"gene_id,go_id,evidence_code\ng1,a,x\ng1,b,y\n", ["g1"], ["a", "b"], "evidence_code"),
        (b"gene_id,term_id,ev\ng1,a,x\ng1,b,y\n", ["g1"], ["a", "b"], "ev"),
        (b"id,term,term_name\ng1,a,x\ng1,b,y\n", ["g1"], ["a", "b"], "term_name"),
        (b"Entry,Length,Gene Ontology IDs\nP,9,a; b\nQ,8,b\n", ["P", "Q"], ["a", "b"], "Length"),
        (b"go_id,protein\na,p1\nb,p1\n", ["p1"], ["a", "b"], None),
        (b"id,Gene Ontology (cellular component)\nP,a; b\n", ["P"], ["a", "b"], None),
    ],
)
def test_ids_of_labels(file, index, classes, unused):
    if unused is None:
        labels = read_labels(file)
    else:
        with pytest.warns(InputWarning, match=f"not read: '{unused}'"):
            labels = read_labels(file)
    assert (labels.index.tolist(), labels.classes.tolist()) == (index, classes)
    assert labels.toarray()[0].tolist() == [1, 1]


def test_not_beside_a_go_id():
    file = b"protein,go_id,qualifier\np,a,enables\np,b,NOT|enables\nq,b,enables\n"
    with pytest.warns(InputWarning, match="1 labels with NOT in 'qualifier'"):
        assert read_labels(file).toarray().tolist() == EYE


@pytest.mark.parametrize(
    ("header", "options", "message", "parameter"),
    [
        ("#tax_id,GeneID,GO_ID,GO_term", {}, "named as labels are: 'GO_ID', 'GO_term'", "label"),
        ("#tax_id,GeneID,GO_ID,x", {}, "named as ids are: '#tax_id', 'GeneID'", "id"),
        ("user,x,y,z", {"label_column": "y"}, "which column holds the ids. No name tells", "id"),
    ],
)
def test_which_column_is_missing_is_said(header, options, message, parameter):
    with pytest.raises(InputError, match=message) as caught:
        read_labels(f"{header}\n9,g1,a,b\n9,g1,c,d\n".encode(), **options)
    assert caught.value.fix.parameter == f"{parameter}_column"


# --- cells that are neither 0 nor 1 --------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "said"),
    [("", "the value is missing"), ("NA", "'NA' is not 0 or 1, as if it were missing"),
     ("-1", "'-1' is not 0 or 1;")],
)  # fmt: skip
def test_a_cell_of_a_wide_table(cell, said):
    for text in ("id,a,b\np1,1,0\np2,0,{}\np3,1,1\n", "id,b\np1,1\np2,{}\np3,0\n",
                 "b,a,id\n1,0,p1\n{},1,p2\n1,1,p3\n"):  # fmt: skip
        with pytest.raises(InputError, match=f"line 3, column 'b': (the value )?{said}"):
            read_labels(text.format(cell).encode())


@pytest.mark.parametrize("cell", ["68", '"1,0"'])
def test_a_number_of_a_wide_table(cell):
    file = f"id,a,b\np1,1,0\np2,0,{cell}\np3,1,1\n".encode()
    with pytest.raises(InputError, match=r"line 3, column 'b': the value '\S+' is not 0 or 1; lab"):
        read_labels(file)


def test_a_label_column_of_zeros_and_ones_and_nothing():
    for cell in ("", "NA"):
        with pytest.raises(InputError, match="'label' holds only 0 and 1"):
            read_labels(f"id,label\np1,1\np2,{cell}\np3,0\n".encode())


def test_an_empty_column_that_excel_leaves_is_no_index():
    with pytest.warns(InputWarning, match="'Unnamed: 3': not read as classes"):
        labels = read_labels(b"id,a,b,Unnamed: 3\np1,1,0,\np2,0,1,\n")
    assert (labels.classes.tolist(), labels.index.tolist()) == (["a", "b"], ["p1", "p2"])


def test_a_repeated_index_of_pandas_in_parquet_is_no_class():
    frame = pd.concat([pd.DataFrame({"a": [i % 2], "b": [1 - i % 2]}) for i in range(4)])
    with pytest.raises(InputError, match="row id '0' occurs a second time"):
        read_labels(parquet(frame))
    labels = read_labels(parquet(frame.iloc[[0, 1]].set_axis([1, 0])))
    assert (labels.classes.tolist(), labels.index.tolist()) == (["a", "b"], [1, 0])
    codes = pd.DataFrame({"gene": [7, 8], "a": [1, 0]}, index=[1, 0])
    with pytest.raises(InputError, match="several columns could be the row ids: 'gene', '__in"):
        read_labels(parquet(codes))


@pytest.mark.parametrize("separator", [" ", "\t"])
def test_numbers_of_r_in_front_of_ids(separator):
    text = '"id" "label"\n"1" "p1" "a"\n"2" "p1" "b"\n"3" "p2" "a"\n'.replace(" ", separator)
    with pytest.warns(InputWarning, match="it has no name for the first"):
        labels = read_labels(text.encode(), delimiter=separator)
    assert labels.index.tolist() == ["p1", "p2"]
    assert labels.toarray().tolist() == [[1, 1], [1, 0]]


@pytest.mark.parametrize("text", [
    "id,labels\n1,a,b\n2,c,d\n", "sequence,labels\ns1,a,b\ns1,c,d\n",
])  # fmt: skip
def test_labels_with_a_delimiter_of_their_own_do_not_make_row_names(text):
    with pytest.raises(InputError, match="line 2: 3 fields where line 1 has 2"):
        read_labels(text.encode())


def test_scores_without_a_name_do_not_make_scores_row_names():
    with pytest.raises(InputError, match="line 2: 3 fields where line 1 has 2"):
        read_scores(b"a,b\n.1,.2,.3\n.4,.5,.6\n")


def test_a_sentence_with_not_says_nothing_of_the_label():
    text = b"id,label,description\np1,a,Protein not characterised\np2,b,x\n"
    with pytest.warns(InputWarning, match="not read: 'description'"):
        assert read_labels(text).nnz == 2
    for cell in ("not", "NOT enables", "NOT|enables", "does_NOT_bind"):
        with pytest.raises(
            InputError, match=f"does '{cell}' mean that the label is neg".replace("|", "[|]")
        ):
            read_labels(text.replace(b"Protein not characterised", cell.encode()))


def test_the_columns_of_uniprot():
    text = (
        b"Entry\tReviewed\tEntry Name\tProtein names\tGene Ontology IDs\n"
        b"P1\treviewed\tA_HUMAN\tx\tGO:0000001; GO:0000002\nP2\treviewed\tB_HUMAN\ty\t\n"
    )
    with pytest.warns(InputWarning, match="not read: 'Reviewed', 'Entry Name', 'Protein names'"):
        labels = read_labels(text)
    assert (labels.index.tolist(), labels.nnz) == (["P1", "P2"], 2)


# --- row numbers that are not in order ---------------------------------------------------------


def test_shuffled_row_numbers_do_not_say_which_order_is_meant():
    labels = as_labels(pd.DataFrame({"x": [1, 0, 1], "y": [0, 1, 1]}, index=list("abc")))
    file = b",x,y\n2,.1,.2\n0,.3,.4\n1,.5,.6\n"
    with pytest.raises(InputError, match="the row numbers of the scores are not in order"):
        read_scores(file, labels, same_order=True)
    with pytest.raises(InputError, match="the file has names of its own, so index= cannot"):
        read_scores(file, index=["a", "b", "c"])
    with pytest.raises(InputError, match="the file has names of its own, so classes= cannot"):
        read_scores(b",1,0\n0,.1,.2\n1,.3,.4\n", classes=["x", "y"])
    in_order = b",x,y\n0,.1,.2\n1,.3,.4\n2,.5,.6\n"
    assert read_scores(in_order, labels, same_order=True).matrix[0].tolist() == [0.1, 0.2]


def test_scores_separated_by_blanks():
    with pytest.raises(InputError, match="If blanks separate the columns, pass delimiter=' '"):
        read_scores(b"0.1 0.2\n0.3 0.4\n")


# --- one value for each name --------------------------------------------------------------------


@pytest.mark.parametrize(("text", "ids"), [
    (b"index,id,group\n0,10,1\n1,11,1\n2,12,2\n", ["10", "11", "12"]),
    (b"row,id,group\n2,10,1\n1,11,1\n0,12,2\n", ["10", "11", "12"]),
    (b"index,protein,group\n0,p,1\n1,q,1\n2,r,2\n", ["p", "q", "r"]),
    (b"group,id\n1,p\n1,q\n2,r\n", ["p", "q", "r"]),
    (b"id,Group ,x\np,1,7\nq,1,7\nr,2,7\n", ["p", "q", "r"]),
    (b"drug,protein,group\nd,p,1\ne,q,1\nf,r,2\n", ["d", "e", "f"]),
    (parquet(pd.DataFrame({"group": [1, 1, 2]}, index=pd.Index([*"pqr"], name="id"))), [*"pqr"]),
    (parquet(pd.DataFrame({"group": [1, 1, 2]}, index=[*"pqr"])), [*"pqr"]),
])  # fmt: skip
def test_the_ids_beside_groups(text, ids):
    column = read_column(text, ("group",), "the groups")
    assert (column.names.tolist(), column.values.tolist()) == (ids, ["1", "1", "2"])


def test_a_shuffled_index_beside_groups_is_not_the_ids():
    with pytest.warns(InputWarning, match="the row ids are those of 'id'; the column without a na"):
        column = read_column(b",id,group\n2,0,1\n0,1,1\n1,2,2\n", ("group",), "the groups")
    assert column.names.tolist() == ["0", "1", "2"]
    with pytest.raises(
        InputError, match="the column without a name and 'id' could both be the row"
    ):
        read_column(b",id,group\nx,0,1\ny,1,1\nz,2,2\n", ("group",), "the groups")
