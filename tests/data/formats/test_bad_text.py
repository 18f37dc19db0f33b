"""Broken CSV and TSV: each one InputError with the line, the value, the fix."""

import numpy as np
import pytest

from tests.data.files import WIDE, npy, refuse
from trueval.data import read_labels

LABELS = {
    # --- wide text
    "wide value": ("y.csv", b"id,a,b\np1,1,0\np2,0,2\n", "line 3, column 'b'.*'2'", {}),
    "wide value late": (
        "y.csv",
        b"id,a,b\n" + b"".join(b"p%d,1,0\n" % i for i in range(2000)) + b"x,1,maybe\n",
        "line 2002, column 'b'.*'maybe'",
        {},
    ),
    "wide missing": (
        "y.csv",
        b"id,a,b\np1,1,\n",
        "line 2, column 'b'.*missing",
        {"layout": "wide"},
    ),
    "wide NaN": ("y.csv", b"id,a,b\np1,1,nan\n", "'nan'", {}),
    "wide negative": ("y.csv", b"id,a,b\np1,1,-1\n", "'-1'", {}),
    "wide duplicate id": ("y.csv", WIDE + b"p1,1,1\n", "line 4.*'p1'.*second time", {}),
    "wide duplicate id next": ("y.csv", b"id,a,b\np1,1,0\np1,1,0\n", "line 3.*'p1'", {}),
    "wide duplicate class": ("y.csv", b"id,a,a\np1,1,0\n", "class 'a'", {}),
    "wide unnamed class": ("y.csv", b"id,a,\np1,1,0\n", "no name", {}),
    "wide no id": ("y.csv", b"id,a,b\n,1,0\n", "no id", {}),
    "wide short line": ("y.csv", b"id,a,b\np1,1\n", "line 2: 2 fields where line 1 has 3", {}),
    "wide long line": ("y.csv", WIDE + b"p3,1,0,1\n", "line 4: 4 fields", {}),
    "wide cut": ("y.csv", WIDE + b"p3,", "line 4", {}),
    "wide header only": ("y.csv", b"id,a,b\n", "no rows|not 0 or 1", {"layout": "wide"}),
    "mixed separators": ("y.csv", b"id,a,b\np1,1,0\np2\t0\t1\n", "line 3.*one separator", {}),
    "mixed separators, tabs": ("y.tsv", b"id\ta\tb\np1;1;0\n", "line 2.*one separator", {}),
    "NUL": ("y.csv", WIDE + b"p\x003,1,0\n", "line 4: a NUL byte", {"format": "csv"}),
    "Latin-1 id": ("y.csv", WIDE + b"prot\xe9ine,1,0\n", "line 4.*latin-1", {}),
    "Latin-1 class": ("y.csv", b"id,caf\xe9\np1,1\n", "line 1.*caf\xe9", {}),
    "UTF-16": ("y.csv", WIDE.decode().encode("utf-16"), "UTF-16", {"format": "csv"}),
    "old Mac line ends": ("y.csv", WIDE.replace(b"\n", b"\r"), "carriage return", {}),
    "unclosed quote": ("y.csv", WIDE + b'"p3,1,0\n', "line 4: the quotes", {}),
    "line break in quotes": (
        "y.csv",
        b'id,text,a,b\nx,"line one\nline two",1,0\n',
        "line 2: the quotes do not match.*goes on in the next line, drop that column, or write "
        "Parquet",
        {},
    ),
    "blanks of R": ("y.csv", b'"a" "b"\n"P1" 1 0\n', "line 1: the quotes.*delimiter=' '", {}),
    "JSON": ("y.json", b"[[1, 0]]", "this is JSON. Write a table: CSV or Parquet", {}),
    "JSON lines": ("y.txt", b'{"id": "p1", "labels": ["a"]}\n', "this is JSON", {}),
    "title above": ("y.csv", b"made by,hand\nid,label,y\nx,a,1\n", "line 2: 3 fields", {}),
    "delimiter at the ends": ("y.csv", b"a,b\n1,0,\n0,1,\n", "line 2: 3 fields", {}),
    "text after a quote": ("y.csv", WIDE + b'"p3"x,1,0\n', "line 4: the quotes", {}),
    "only line ends": ("y.csv", b"\n\n\n", "no rows", {}),
    "only a mark": ("y.csv", b"\xef\xbb\xbf", "no rows", {}),
    "only comments": ("y.csv", b"# a\n# b\n", "no rows", {}),
    "huge name": (
        "y.csv",
        b"id,label\n" + b"x" * 10_000 + b",a\n" + b"".join(b"p%d,a\n" % i for i in range(9_000)),
        "max_bytes",
        {"max_bytes": 10**6},
    ),
    # --- long and list text
    "one column": ("y.csv", b"id\np1\np2\n", "one column only", {}),
    "ambiguous": ("y.csv", b"id,label\np1,1\np2,0\n", "layout='wide' or layout='long'", {}),
    "long no id": ("y.csv", b"id,label\n,a\n", "line 2, column 'id': the row has no id", {}),
    "long no labels": ("y.csv", b"id,label\np1,\n", "no row has a label", {}),
    "long late separator": (
        "y.csv",
        b"id,label\n" + b"p1,a\n" * 1500 + b"p2,a;b\n",
        "line 1502.*'a;b'",
        {},
    ),
    "list duplicate id": ("y.tsv", b"id\tlabels\np1\ta;b\np1\tc\n", "line 3.*'p1'", {}),
    "list empty label": ("y.tsv", b"id\tlabels\np1\ta;;b\n", "line 2.*'a;;b'", {}),
    "list trailing separators": ("y.tsv", b"id\tlabels\np1\ta;;\n", "empty label.*'a;;'", {}),
    "list separator alone": ("y.tsv", b"id\tlabels\np1\ta;b\np2\t;\n", "empty label.*';'", {}),
    "list two separators": ("y.tsv", b"id\tlabels\np1\ta;b\np2\ta|b\n", "both ';' and '|'", {}),
    "list late separator": (
        "y.tsv",
        b"id\tlabels\n" + b"".join(b"p%d\ta;b\n" % i for i in range(1500)) + b"x\ta|b\n",
        r"line 1502.*'\|'",
        {},
    ),
    "list short line": ("y.tsv", b"id\tlabels\np1\ta;b\np2\n", "line 3: 1 fields", {}),
    "three columns": ("y.csv", b"u,v,w\np1,x,y\n", "id_column= and label_column=", {}),
    "no such column": ("y.csv", b"u,v,w\np,x,y\n", "'z'.*u, v, w", {"label_column": "z"}),
    "no such column number": (
        "y.csv",
        b"u,v\np,x\n",
        "no column 7.*label_column=",
        {"label_column": 7},
    ),
    "column twice": ("y.csv", b"u,u,w\np,x,y\n", "several columns", {"label_column": "u"}),
    "id is label": ("y.csv", b"u,v\np,x\n", "both", {"id_column": "u", "label_column": "u"}),
    "unknown class": ("y.csv", b"id,label\np1,zz\n", "1 classes.*'zz'", {"classes": ["a"]}),
    "unknown row": ("y.csv", b"id,label\np1,a\n", "1 row ids.*'p1'", {"index": ["q"]}),
    "missing row": ("y.csv", b"id,label\np1,a\n", "missing: 'q'", {"index": ["p1", "q"]}),
    "too many names": (
        "y.npy",
        npy(np.eye(2)),
        "classes must be 2 names",
        {"classes": list("abc")},
    ),
    "too few ids": ("y.npy", npy(np.eye(2)), "index must be 2 names", {"index": ["a"]}),
}


@pytest.mark.parametrize("case", LABELS)
def test_labels(tmp_path, case):
    name, data, message, options = LABELS[case]
    refuse(read_labels, tmp_path / name, data, message, **options)
