"""Tables of folds made elsewhere: what names the rows is kept, or refused."""

import io

import numpy as np
import pandas as pd
import pytest

from trueval import InputError, InputWarning, as_labels
from trueval.data import read_folds

# Folds of p1 … p4, in another order.
FOLDS = pd.Series([1, 0, 0, 1], index=["p4", "p2", "p1", "p3"], name="fold")
WANTED = {"p1": 0, "p2": 0, "p3": 1, "p4": 1}
LABELS = as_labels(pd.DataFrame(np.eye(4, dtype=int), index=["p1", "p2", "p3", "p4"]))


def parquet(frame):
    file = io.BytesIO()
    frame.to_parquet(file)
    return file.getvalue()


def forms(frame):
    return (frame.to_csv().encode(), parquet(frame))


def check(file):
    folds = read_folds(file)
    assert dict(zip(folds.index.tolist(), folds.folds.tolist(), strict=True)) == WANTED
    assert read_folds(file, LABELS).folds.tolist() == [0, 0, 1, 1]


def test_an_index_of_pandas():
    for file in forms(FOLDS.to_frame()):
        check(file)


@pytest.mark.parametrize("name", ["protein", "ID", "sample_id", "name", "EntryID"])
def test_a_column_that_is_named_as_ids_are(name):
    frame = FOLDS.rename_axis(name).reset_index()
    for file in (*forms(frame), frame.to_csv(index=False).encode()):  # with row numbers and without
        check(file)
    shuffled = frame.set_axis([3, 1, 0, 2])
    for file in forms(shuffled):
        check(file)


@pytest.mark.parametrize("name", ["accession_code", "compound", "seq"])
def test_the_only_column_of_texts_is_said(name):
    frame = FOLDS.rename_axis(name).reset_index().assign(length=[5, 5, 3, 9])
    with pytest.warns(InputWarning, match=f"the row ids are taken from '{name}'"):
        check(frame.to_csv(index=False).encode())


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 1, 0, 2]])
@pytest.mark.parametrize("name", ["", "index", "Unnamed: 0"])
def test_row_numbers_of_an_index(order, name):
    """Row 3 has fold 1 where the line 3,1 is, wherever it is."""
    frame = FOLDS.set_axis(order).rename_axis(name or None).to_frame()
    wanted = [dict(zip(order, FOLDS, strict=True))[row] for row in range(4)]
    files = forms(frame) if not name else (frame.to_csv().encode(),)
    for file in files:
        folds = read_folds(file)
        assert (folds.index, folds.folds.tolist()) == (None, wanted)
        assert read_folds(file, np.eye(4)).folds.tolist() == wanted
        # Labels whose ids are the numbers are matched; with other ids they are refused.
        numbered = as_labels(pd.DataFrame(np.eye(4, dtype=int), index=["2", "0", "1", "3"]))
        assert read_folds(file, numbered).folds.tolist() == [wanted[n] for n in (2, 0, 1, 3)]
        with pytest.raises(InputError, match="row ids"):
            read_folds(file, LABELS)


def test_another_index_of_numbers_has_ids():
    folds = read_folds(FOLDS.set_axis([17, 3, 5, 8]).to_frame().to_csv().encode())
    assert (folds.index.tolist(), folds.folds.tolist()) == (["17", "3", "5", "8"], [1, 0, 0, 1])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b,fold\np,q,0\nr,s,1\n", "which column has the row ids\\? 'a', 'b' may"),
        ("protein,gene,fold\np,q,0\nr,s,1\n", "'protein', 'gene' may"),
        (",protein,fold\nx,p,0\ny,r,1\n", "'protein', '' may"),
        ("seq,fold\n3,0\n7,1\n", "'seq' may"),
        ("protein,fold\np,0\np,1\nq,1\n", None),
    ],
)
def test_what_cannot_be_told(text, message):
    if message is None:  # an id that comes again is none
        with pytest.warns(InputWarning, match="no column has row ids.*Not read: 'protein'"):
            assert read_folds(text.encode()).index is None
        return
    with pytest.raises(InputError, match=message) as caught:
        read_folds(text.encode())
    assert "Name it id" in str(caught.value)


def test_columns_that_are_no_ids_are_named():
    with pytest.warns(InputWarning, match="in the order of the lines. Not read: 'group', 'size'"):
        folds = read_folds(b"group,size,fold\na,0.5,1\na,0.25,0\nb,0.5,1\n")
    assert (folds.index, folds.folds.tolist()) == (None, [1, 0, 1])


def test_words_in_another_order():
    folds = read_folds(b",fold\n2,test\n0,train\n1,valid\n")
    assert folds.folds.tolist() == [0, 1, 2]
    assert folds.provenance["fold_names"] == ["train", "valid", "test"]
