"""Scores, pairs and folds in broken files: each one InputError with place, value and fix."""

import pickle

import numpy as np
import pandas as pd
import pytest

from tests.data.files import ARFF, Bomb, arrow, csr, npy, npz, refuse
from trueval import as_labels
from trueval.data import read_folds, read_pairs, read_scores

LABELS_OF_TWO = as_labels(pd.DataFrame({"a": [1, 0], "b": [0, 1]}, index=["p1", "p2"]))
SCORES = {
    "NaN": ("s.csv", b"id,a,b\np1,0.5,nan\n", "line 2, column 'b'.*'nan'", None),
    "infinite": ("s.csv", b"id,a,b\np1,0.5,inf\n", "line 2, column 'b'", None),
    "missing": ("s.csv", b"id,a,b\np1,0.5,\n", "line 2, column 'b'.*missing", None),
    "text": ("s.csv", b"id,a,b\np1,0.5,high\n", "'high'", None),
    "underscore": ("s.csv", b"id,a,b\np1,0.5,1_0\n", "'1_0'", None),
    "duplicate id": ("s.csv", b"id,a\np1,1\np1,1\n", "line 3.*'p1'", None),
    "duplicate class": ("s.csv", b"id,a,a\np1,1,1\n", "class 'a'", None),
    "no header": ("s.csv", b"p1,0.1,0.2\np2,0.1,0.2\n", "name the classes", None),
    "no rows": ("s.csv", b"id,a\n", "no rows", None),
    "ragged": ("s.csv", b"id,a,b\np1,1\n", "line 2", None),
    "Latin-1": ("s.csv", b"id,\xe9\np1,1\n", "latin-1", None),
    "long twice": ("s.csv", b"id,label,score\np,a,1\np,a,2\n", "line 3.*two scores", None),
    "long NaN": ("s.csv", b"id,label,score\np,a,nan\n", "line 2, column 'score'", None),
    "long no label": ("s.csv", b"id,label,score\np,,1\n", "line 2", None),
    "long no rows": ("s.csv", b"id,label,score\n", "no rows", None),
    "unknown id": ("s.csv", b"id,a,b\np1,1,0\np2,1,0\nzz,0,1\n", "1 row ids.*'zz'", LABELS_OF_TWO),
    "missing id": ("s.csv", b"id,a,b\np1,1,0\n", "expected are missing: 'p2'", LABELS_OF_TWO),
    "unknown class": ("s.csv", b"id,a,c\np1,1,0\np2,1,0\n", "1 classes.*'c'", LABELS_OF_TWO),
    "missing class": (
        "s.csv",
        b"id,a\np1,1\np2,1\n",
        "1 of the 2 classes expected are missing: 'b'",
        LABELS_OF_TWO,
    ),
    "long unknown id": ("s.csv", b"id,label,score\nzz,a,1\n", "'zz'", LABELS_OF_TWO),
    "long missing id": ("s.csv", b"id,label,score\np1,a,1\n", "'p2'", LABELS_OF_TWO),
    "long unknown class": (
        "s.csv",
        b"id,label,score\np1,q,1\np2,a,1\n",
        "'q'",
        LABELS_OF_TWO,
    ),
    "no ids": ("s.csv", b"a,b\n1,0\n0,1\n", "same_order=True", LABELS_OF_TWO),
    "no names": ("s.npy", npy(np.eye(2)), "same_order=True", LABELS_OF_TWO),
    "ids for nameless labels": ("s.csv", b"id,a\np1,1\n", "labels have none", as_labels([[1]])),
    "rows differ": ("s.npy", npy(np.ones((3, 1))), "3 rows of scores for 1", as_labels([[1]])),
    "classes differ": ("s.npy", npy(np.ones((1, 3))), "3 classes", as_labels([[1]])),
    "npy NaN": ("s.npy", npy(np.array([[0, np.nan]])), "row 0, column 1.*NaN", None),
    "npy infinite": ("s.npy", npy(np.array([[0, -np.inf]])), "-inf", None),
    "npy objects": ("s.npy", npy(np.array([[Bomb()]])), "never read", None),
    "npy one dimension": ("s.npy", npy(np.ones(3)), "two.dimension", None),
    "npy empty": ("s.npy", npy(np.ones((0, 3))), "at least one row and class", None),
    "npz NaN": ("s.npz", csr(data=np.array([0.5, np.nan])), "row 1, column 2", None),
    "npz out of range": ("s.npz", csr(indices=np.array([0, 9])), "s.npz", None),
    "npz flat": ("s.npz", npz(a=np.ones(3)), "two.dimension", None),
    "parquet NaN": ("s.parquet", arrow({"id": ["p"], "a": [float("nan")]}), "column 'a'", None),
    "parquet null": ("s.parquet", arrow({"id": ["p"], "a": [None]}), "column 'a'", None),
    "parquet text": ("s.parquet", arrow({"id": ["p"], "a": ["x"]}), "column 'a'", None),
    "arff": ("s.arff", ARFF, "cannot be read here", None),
    "pickle": ("s.pkl", pickle.dumps(Bomb()), "pickle", None),
}


@pytest.mark.parametrize("case", SCORES)
def test_scores(tmp_path, case):
    name, data, message, labels = SCORES[case]
    refuse(read_scores, tmp_path / name, data, message, labels)


PAIRS = {
    "one column": ("p.csv", b"a\nx\n", "two id columns", {}),
    "empty id": ("p.csv", b"a,b\nx,\n", "line 2, column 'b': an id is empty", {}),
    "label text": ("p.csv", b"a,b,y\nx,z,maybe\n", "line 2, column 'y'.*'maybe'", {}),
    "label NaN": ("p.csv", b"a,b,y\nx,z,nan\n", "line 2, column 'y'", {}),
    "label missing": ("p.csv", b"a,b,y\nx,z,\n", "missing", {}),
    "weight negative": ("p.csv", b"a,b,weight\nx,z,-1\n", "negative", {}),
    "weight infinite": ("p.csv", b"a,b,weight\nx,z,inf\n", "line 2, column 'weight'", {}),
    "two label columns": ("p.csv", b"a,b,y,label\nx,z,1,0\n", "'y' and 'label'.*label_column=", {}),
    "index and one id": ("p.csv", b",target,y\n0,t1,1\n1,t2,0\n", "no name.*no two id col", {}),
    "names for index": ("p.csv", b",gene,cell\nd1,x,1\nd1,z,0\n", "no name.*no two id col", {}),
    "two nameless": ("p.csv", b",,0\nd1,x,1\nd2,z,0\n", "no name.*no two id columns", {}),
    "no rows": ("p.csv", b"a,b\n", "no rows", {}),
    "ragged": ("p.tsv", b"a\tb\ty\nx\tz\n", "line 2", {}),
    "no such column": ("p.csv", b"a,b\nx,z\n", "'q'", {"columns": ("a", "q")}),
    "header taken for data": ("p.csv", b"first,second,third\nx,z,1\nx,v,?\n", "header=True", {}),
    "Latin-1": ("p.csv", b"a,b\n\xe9,z\n", "line 2.*latin-1", {}),
    "npz no b": ("p.npz", npz(a=np.arange(3)), "two id columns", {}),
    "npz lengths": ("p.npz", npz(a=np.arange(3), b=np.arange(2)), "'b'", {}),
    "npz floats": ("p.npz", npz(a=np.ones(2), b=np.ones(2)), "'a'", {}),
    "npz kinds": ("p.npz", npz(a=np.arange(1), b=np.array(["x"])), "one kind", {}),
    "npz objects": ("p.npz", npz(a=npy(np.array([Bomb()])), b=np.arange(1)), "never read", {}),
    "npz label text": ("p.npz", npz(a=np.arange(1), b=np.arange(1), y=np.array(["x"])), "'y'", {}),
    "npz NaN": ("p.npz", npz(a=np.arange(1), b=np.arange(1), y=np.array([np.nan])), "row 0", {}),
    "parquet one column": ("p.parquet", arrow({"a": ["x"]}), "two id columns", {}),
    "parquet null": ("p.parquet", arrow({"a": ["x"], "b": [None]}), "column 'b'", {}),
    "npy": ("p.npy", npy(np.eye(2)), "cannot be read here", {}),
}


@pytest.mark.parametrize("case", PAIRS)
def test_pairs(tmp_path, case):
    name, data, message, options = PAIRS[case]
    refuse(read_pairs, tmp_path / name, data, message, **options)


FOLDS = {
    "no fold column": ("f.csv", b"id,part\np1,0\n", "'fold'"),
    "fold text": ("f.csv", b"id,fold\np1,x\n", "line 2, column 'fold'.*'x'"),
    "fold negative": ("f.csv", b"id,fold\np1,-2\n", "'-2'"),
    "fold fraction": ("f.csv", b"id,fold\np1,0.5\n", "'0.5'"),
    "fold huge": ("f.csv", b"id,fold\np1,99999999999\n", "'99999999999'"),
    "fold digit of another script": ("f.csv", "id,fold\np1,٣\n".encode(), "line 2"),
    "id twice": ("f.csv", b"id,fold\np1,0\np1,1\n", "row id 'p1'"),
    "id empty": ("f.csv", b"id,fold\n,0\n", "no id"),
    "no rows": ("f.csv", b"id,fold\n", "no rows"),
    "rows unordered": ("f.csv", b"row,fold\n1,0\n0,1\n", "line 2, column 'row'"),
    "provenance broken": ("f.csv", b"# trueval folds {x\nid,fold\np,0\n", "not JSON"),
    "provenance a list": ("f.csv", b"# trueval folds [1]\nid,fold\np,0\n", "not an object"),
    "provenance deep": ("f.csv", b"# trueval folds " + b"[" * 99999 + b"\nid,fold\np,0\n", "JSON"),
    "rows cut": ("f.csv", b'# trueval folds {"rows": 3}\nid,fold\np,0\n', "says 3 rows, but 1"),
    "npz no folds": ("f.npz", npz(a=np.arange(3)), "no column is named 'fold'"),
    "npz float folds": ("f.npz", npz(folds=np.full(3, 0.5)), "must be whole"),
    "npz negative": ("f.npz", npz(folds=np.array([-2])), "folds has -2"),
    "npz provenance": ("f.npz", npz(folds=np.arange(2), provenance=np.array("x")), "not JSON"),
    "npz ids": ("f.npz", npz(folds=np.arange(2), index=np.array(["a"])), "'index'"),
    "npz objects": ("f.npz", npz(folds=npy(np.array([Bomb()]))), "never read"),
    "parquet no fold": ("f.parquet", arrow({"id": ["a"]}), "'fold'"),
    "parquet negative": ("f.parquet", arrow({"id": ["a"], "fold": [-2]}), "folds has -2"),
    "parquet null": ("f.parquet", arrow({"id": ["a"], "fold": [None]}), "column 'fold'"),
    "parquet ids": ("f.parquet", arrow({"id": ["a", "a"], "fold": [0, 1]}), "row id 'a'"),
    "parquet rows": ("f.parquet", arrow({"row": [1, 0], "fold": [0, 1]}), "column 'row'"),
}


@pytest.mark.parametrize("case", FOLDS)
def test_folds(tmp_path, case):
    name, data, message = FOLDS[case]
    refuse(read_folds, tmp_path / name, data, message)
