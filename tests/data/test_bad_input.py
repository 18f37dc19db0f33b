"""Broken and hostile files: each one InputError with the file, the place, the value, the fix."""

import bz2
import gzip
import io
import lzma
import pickle
import re
import struct
import zipfile

import anndata
import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
import zstandard

from trueval import InputError, as_labels
from trueval.data import read_folds, read_labels, read_pairs, read_scores

WIDE = b"id,a,b\np1,1,0\np2,0,1\n"
HUGE = 10**15


class Bomb:
    def __reduce__(self):
        return (exec, ("raise SystemExit('unpickled')",))


def npy(array, **changes):
    file = io.BytesIO()
    np.save(file, array)
    data = file.getvalue()
    for old, new in changes.values():
        assert old in data
        data = data.replace(old, new)
    return data


def header(text):
    """A version 1.0 npy header, and no data."""
    text = text.ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


def npz(**members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in members.items():
            data = value if isinstance(value, bytes) else npy(np.asarray(value))
            archive.writestr(f"{name}.npy", data)
    return file.getvalue()


def stored():
    file = io.BytesIO()
    sp.save_npz(file, sp.csr_array(np.eye(2)), compressed=False)
    return file.getvalue()


def csr(**changes):
    parts = {
        "format": np.array(b"csr"),
        "shape": np.array([2, 3]),
        "data": np.array([1, 1], np.int8),
        "indices": np.array([0, 2], np.int32),
        "indptr": np.array([0, 1, 2], np.int32),
    }
    return npz(**{k: v for k, v in {**parts, **changes}.items() if v is not None})


def arrow(columns, **options):
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file, **options)
    return file.getvalue()


def footer(data):
    return b"PAR1" + data + struct.pack("<I", len(data)) + b"PAR1"


# A footer with one row group of one column, whose metadata are to be filled in.
COLUMN = b"\x49\x1c\x19\x1c\x3c%b\x00\x00\x00"


def h5(fill):
    file = io.BytesIO()
    with h5py.File(file, "w") as made:
        fill(made)
    return file.getvalue()


def adata(**obsm):
    made = anndata.AnnData(X=np.zeros((2, 1)), obs=pd.DataFrame(index=["r1", "r2"]))
    for name, value in obsm.items():
        made.obsm[name] = value
    return made


def adata_bytes(tmp_path, change=None, **obsm):
    path = tmp_path / "made.h5ad"
    adata(**obsm).write_h5ad(path)
    if change is not None:
        with h5py.File(path, "r+") as file:
            change(file)
    return path.read_bytes()


def zeros(n):
    return b"0" * n


ARFF = b"@relation 'x: -C 1'\n@attribute a {0,1}\n@attribute x numeric\n@data\n"
PLAIN_ARFF = ARFF.replace(b"'x: -C 1'", b"x")
BROKEN_GZIP = gzip.compress(WIDE * 1000)

# name: (file name, content, what the message must say, options)
LABELS = {
    # --- any file
    "empty": ("y.csv", b"", "empty", {}),
    "empty npz": ("y.npz", b"", "empty", {}),
    "empty gzip": ("y.csv.gz", gzip.compress(b""), "empty once decompressed", {}),
    "empty parquet": ("y.parquet", b"", "empty", {}),
    "pickle": ("y", pickle.dumps([1]), "pickle", {}),
    "pickle protocol 2": ("y.dat", pickle.dumps([1], protocol=2), "pickle", {}),
    "pickle by name": ("y.pkl", b"anything", "pickle", {}),
    "joblib": ("y.joblib", pickle.dumps({"a": np.eye(2)}), "pickle", {}),
    "pickle named npz": ("y.npz", pickle.dumps(Bomb()), "pickle", {}),
    "pickle named csv": ("y.csv", pickle.dumps(Bomb()), "pickle", {}),
    "unknown binary": ("y.bin", bytes(range(256)), "format is not known", {}),
    "an obo file": ("y.txt", b"format-version: 1.2\n", "read_ontology", {}),
    # --- wrong magic
    "csv named npz": ("y.npz", WIDE, "expected npz", {}),
    "csv named npy": ("y.npy", WIDE, "expected npy", {}),
    "csv named parquet": ("y.parquet", WIDE, "expected parquet", {}),
    "csv named h5ad": ("y.h5ad", WIDE, "expected h5ad", {}),
    "npz named csv": ("y.csv", csr(), "expected csv", {}),
    "npy named npz": ("y.npz", npy(np.eye(2)), "expected npz", {}),
    "parquet named csv": ("y.csv", arrow({"a": [1]}), "begins as parquet", {}),
    "npz read as parquet": ("y.npz", csr(), "expected parquet", {"format": "parquet"}),
    "csv named gz": ("y.csv.gz", WIDE, "does not begin as gzip", {}),
    "gzip named bz2": ("y.csv.bz2", gzip.compress(WIDE), "does not begin as bzip2", {}),
    "csv named xz": ("y.csv.xz", WIDE, "does not begin as xz", {}),
    "csv named zst": ("y.csv.zst", WIDE, "does not begin as zstd", {}),
    # --- broken compression
    "gzip cut": ("y.csv.gz", BROKEN_GZIP[:-20], "truncated or damaged", {}),
    "gzip cut early": ("y.csv.gz", BROKEN_GZIP[:12], "truncated or damaged", {}),
    "gzip magic only": ("y.csv.gz", b"\x1f\x8b", "truncated or damaged", {}),
    "gzip flipped": ("y.csv.gz", BROKEN_GZIP[:30] + b"\xff\xff" + BROKEN_GZIP[32:], "damaged", {}),
    "gzip checksum": ("y.csv.gz", BROKEN_GZIP[:-8] + b"\0" * 8, "damaged", {}),
    "gzip with a tail": ("y.csv.gz", BROKEN_GZIP + b"garbage!", "damaged", {}),
    "bz2 cut": ("y.csv.bz2", bz2.compress(WIDE)[:-5], "truncated or damaged", {}),
    "bz2 flipped": ("y.csv.bz2", bz2.compress(WIDE)[:20] + b"\xff" * 20, "damaged", {}),
    "xz cut": ("y.csv.xz", lzma.compress(WIDE)[:-5], "truncated or damaged", {}),
    "xz flipped": ("y.csv.xz", lzma.compress(WIDE)[:30] + b"\xff" * 40, "damaged", {}),
    "zst cut": ("y.csv.zst", zstandard.compress(WIDE * 99)[:-9], "truncated or damaged", {}),
    "zst flipped": ("y.csv.zst", zstandard.compress(WIDE)[:6] + b"\xff" * 30, "damaged", {}),
    "npz inside cut gzip": ("y.npz.gz", gzip.compress(csr())[:-30], "damaged", {}),
    # --- decompression bombs
    "gzip bomb": ("y.csv.gz", gzip.compress(zeros(10**6)), "max_bytes", {"max_bytes": 10**5}),
    "bz2 bomb": ("y.csv.bz2", bz2.compress(zeros(10**6)), "max_bytes", {"max_bytes": 10**5}),
    "xz bomb": ("y.csv.xz", lzma.compress(zeros(10**6)), "max_bytes", {"max_bytes": 10**5}),
    "zst bomb": ("y.csv.zst", zstandard.compress(zeros(10**7)), "max_bytes", {"max_bytes": 10**5}),
    "xmc bomb": (
        "y.xmc.gz",
        gzip.compress(b"1 1 1\n" + zeros(10**6)),
        "max_bytes",
        {"max_bytes": 10**5},
    ),
    "svmlight bomb": (
        "y.svm.gz",
        gzip.compress(b"1 1:" + zeros(10**6)),
        "max_bytes",
        {"max_bytes": 10**5},
    ),
    "npz bomb": ("y.npz", csr(data=np.zeros(10**6, np.int8)), "max_bytes", {"max_bytes": 10**5}),
    "npz bomb in gzip": (
        "y.npz.gz",
        gzip.compress(npz(a=np.zeros((10**4, 10**2), np.int8))),
        "max_bytes",
        {"max_bytes": 10**4},
    ),
    "parquet bomb": (
        "y.parquet",
        arrow({"a": np.zeros(10**6, np.int8)}, compression="zstd"),
        "max_bytes",
        {"max_bytes": 10**5},
    ),
    # --- npy
    "npy of objects": ("y.npy", npy(np.array([[Bomb()]])), "never read", {}),
    "npy cut": ("y.npy", npy(np.eye(9))[:-8], "truncated", {}),
    "npy longer": ("y.npy", npy(np.eye(3)) + b"12345678", "damaged", {}),
    "npy cut in the header": ("y.npy", npy(np.eye(9))[:40], "cannot be read as npy", {}),
    "npy magic only": ("y.npy", b"\x93NUMPY", "cannot be read as npy", {}),
    "npy version 9": ("y.npy", b"\x93NUMPY\x09\x00" + b" " * 99, "npy", {}),
    "npy huge": (
        "y.npy",
        header(f"{{'descr': '<i8', 'fortran_order': False, 'shape': ({HUGE}, 2), }}"),
        "16,000,000,000,000,000 bytes",
        {},
    ),
    "npy beyond 64 bits": (
        "y.npy",
        header(f"{{'descr': '<i8', 'fortran_order': False, 'shape': ({10**30}, 2), }}"),
        "max_bytes",
        {},
    ),
    "npy negative": (
        "y.npy",
        header("{'descr': '<i8', 'fortran_order': False, 'shape': (-4, 2), }"),
        "negative shape",
        {},
    ),
    "npy no dict": ("y.npy", header("[1, 2]"), "cannot be read as npy", {}),
    "npy code in the header": ("y.npy", header("__import__('os').abort()"), "cannot be read", {}),
    "npy one dimension": ("y.npy", npy(np.ones(3)), "two.dimension", {}),
    "npy three dimensions": ("y.npy", npy(np.ones((2, 2, 2))), "two.dimension", {}),
    "npy text": ("y.npy", npy(np.array([["a", "b"]])), "two.dimension", {}),
    "npy complex": ("y.npy", npy(np.eye(2) * 1j), "0/1 numbers", {}),
    "npy codes": ("y.npy", npy(np.array([[1, 3]])), "other than 0 and 1", {}),
    "npy negative value": ("y.npy", npy(np.array([[1, -1]])), "negative value", {}),
    "npy NaN": ("y.npy", npy(np.array([[1, np.nan]])), "NaN", {}),
    "npy no rows": ("y.npy", npy(np.ones((0, 3))), "no rows", {}),
    "npy no columns": ("y.npy", npy(np.ones((3, 0))), "no classes", {}),
    # --- npz
    "npz cut": ("y.npz", csr()[:-30], "cannot be read as npz", {}),
    "npz cut in half": ("y.npz", csr()[:300], "cannot be read as npz", {}),
    "npz magic only": ("y.npz", b"PK\x03\x04", "cannot be read as npz", {}),
    "npz of nothing": ("y.npz", npz(), "one array", {}),
    "npz of two arrays": ("y.npz", npz(a=np.eye(2), b=np.eye(2)), "a, b", {}),
    "npz pickle inside": ("y.npz", csr(data=npy(np.array([Bomb()]))), "never read", {}),
    "npz pickle as format": ("y.npz", csr(format=npy(np.array(Bomb()))), "never read", {}),
    "npz pickle as names": (
        "y.npz",
        csr(classes=npy(np.array([Bomb()] * 3, dtype=object))),
        "never read",
        {},
    ),
    "npz raw pickle member": ("y.npz", csr(data=pickle.dumps(Bomb())), "cannot be read", {}),
    "npz flipped": ("y.npz", stored().replace(b"NUMPY", b"NUMPX"), "npz", {}),
    "npz unknown format": ("y.npz", csr(format=np.array(b"xyz")), "'xyz'", {}),
    "npz format of numbers": ("y.npz", csr(format=np.array(3)), "'format'", {}),
    "npz without indices": ("y.npz", csr(indices=None), "no array 'indices'", {}),
    "npz without indptr": ("y.npz", csr(indptr=None), "no array 'indptr'", {}),
    "npz without shape": ("y.npz", csr(shape=None), "no array 'shape'", {}),
    "npz index out of range": ("y.npz", csr(indices=np.array([0, 10**8])), "indices", {}),
    "npz negative index": ("y.npz", csr(indices=np.array([0, -1])), "broken sparse", {}),
    "npz float indices": ("y.npz", csr(indices=np.array([0.0, 2.0])), "'indices'", {}),
    "npz indptr too short": ("y.npz", csr(indptr=np.array([0, 2])), "npz", {}),
    "npz indptr falls": ("y.npz", csr(indptr=np.array([0, 5, 2])), "broken sparse", {}),
    "npz indptr beyond": ("y.npz", csr(indptr=np.array([0, 1, 99])), "npz", {}),
    "npz indptr from 1": ("y.npz", csr(indptr=np.array([1, 1, 2])), "npz", {}),
    "npz negative shape": ("y.npz", csr(shape=np.array([-2, 3])), "[-2, 3]", {}),
    "npz shape of three": ("y.npz", csr(shape=np.array([2, 3, 4])), "'shape'", {}),
    "npz shape of floats": ("y.npz", csr(shape=np.array([2.0, 3.0])), "shape", {}),
    "npz huge rows": ("y.npz", csr(shape=np.array([HUGE, 3])), "8,000,000,000,000,024 bytes", {}),
    "npz huge columns": ("y.npz", csr(shape=np.array([2, HUGE])), "max_bytes", {}),
    "npz data too short": ("y.npz", csr(data=np.array([1])), "npz", {}),
    "npz NaN": ("y.npz", csr(data=np.array([1, np.nan])), "NaN", {}),
    "npz codes": ("y.npz", csr(data=np.array([1, 7])), "7", {}),
    "npz text values": ("y.npz", csr(data=np.array(["a", "b"])), "npz", {}),
    "npz huge member": (
        "y.npz",
        csr(data=header(f"{{'descr': '|i1', 'fortran_order': False, 'shape': ({HUGE},), }}")),
        "1,000,000,000,000,000 bytes",
        {},
    ),
    "npz too few names": ("y.npz", csr(classes=np.array(["a"])), "'classes'", {}),
    "npz names twice": (
        "y.npz",
        csr(classes=np.array(["a", "b", "a"])),
        "'a' is at 0 and again at 2",
        {},
    ),
    "npz ids twice": ("y.npz", csr(index=np.array(["r", "r"])), "row id 'r'", {}),
    "npz names of floats": ("y.npz", csr(classes=np.ones(3)), "'classes'", {}),
    "coo out of range": (
        "y.npz",
        npz(
            format=np.array(b"coo"),
            shape=np.array([2, 2]),
            data=np.ones(1),
            row=np.array([5]),
            col=np.array([0]),
        ),
        "npz",
        {},
    ),
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
    "long no id": ("y.csv", b"id,label\n,a\n", "line 2: the row has no id", {}),
    "long no labels": ("y.csv", b"id,label\np1,\n", "no row has a label", {}),
    "long late separator": (
        "y.csv",
        b"id,label\n" + b"p1,a\n" * 1500 + b"p2,a;b\n",
        "line 1502.*'a;b'",
        {},
    ),
    "list duplicate id": ("y.tsv", b"id\tlabels\np1\ta;b\np1\tc\n", "line 3.*'p1'", {}),
    "list empty label": ("y.tsv", b"id\tlabels\np1\ta;;b\n", "line 2.*'a;;b'", {}),
    "list trailing separator": ("y.tsv", b"id\tlabels\np1\ta;\n", "empty label", {}),
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
    # --- svmlight
    "svm label": ("y.svm", b"1 1:1\nx 1:1\n", "line 2, column 1: 'x'", {}),
    "svm fraction": ("y.svm", b"1.5 1:1\n", "'1.5'", {}),
    "svm comma": ("y.svm", b"1, 1:1\n", "line 1, column 3", {}),
    "svm two commas": ("y.svm", b"1,,2 1:1\n", "line 1, column 3", {}),
    "svm feature": ("y.svm", b"1 1:1\n1 1:\n", "line 2, column 3: '1:'", {}),
    "svm no value": ("y.svm", b"1 1:1 7\n", "'7' is not a feature", {}),
    "svm letters": ("y.svm", b"1 1:1x\n", "'1:1x'", {}),
    "svm negative index": ("y.svm", b"1 -1:1\n", "'-1:1'", {}),
    "svm long number": ("y.svm", b"9" * 40 + b" 1:1\n", "not a list of label numbers", {}),
    "svm only comments": ("y.svm", b"# a\n\n", "no rows", {}),
    "svm no labels": ("y.svm", b" 1:1\n 2:1\n", "no row has a label", {}),
    "svm NUL": ("y.svm", b"1 1:1\0\n", "not a feature", {}),
    "svm Latin-1": ("y.svm", b"\xe9 1:1\n", "not a list of label numbers", {}),
    # --- extreme classification
    "xmc no header": ("y.xmc", b"0,1 1:1\n", "three numbers", {}),
    "xmc short header": ("y.xmc", b"2 3\n0 1:1\n", "three numbers", {}),
    "xmc letters": ("y.xmc", b"2 x 3\n0 1:1\n", "'2 x 3'", {}),
    "xmc too few rows": ("y.xmc", b"3 3 3\n0 1:1\n1 1:1\n", "declares 3 rows, but 2", {}),
    "xmc too many rows": ("y.xmc", b"1 3 3\n0 1:1\n1 1:1\n", "declares 1 rows, but 2", {}),
    "xmc header only": ("y.xmc", b"3 3 3\n", "but 0 follow", {}),
    "xmc label out of range": ("y.xmc", b"2 3 3\n0 1:1\n3 1:1\n", "line 3.*'3'.*0 … 2", {}),
    "xmc negative label": ("y.xmc", b"1 3 3\n-1 1:1\n", "line 2, column 1: '-1'", {}),
    "xmc feature out of range": ("y.xmc", b"1 3 3\n0 3:1\n", "line 2, column 3.*'3:1'", {}),
    "xmc negative rows": ("y.xmc", b"-1 3 3\n0 1:1\n", "-1 rows", {}),
    "xmc no rows": ("y.xmc", b"0 3 3\n", "0 rows", {}),
    "xmc negative labels": ("y.xmc", b"1 3 -3\n0 1:1\n", "-3 labels", {}),
    "xmc negative features": ("y.xmc", b"1 -3 3\n0 1:1\n", "-3 features", {}),
    "xmc huge rows": ("y.xmc", b"%d 3 3\n0 1:1\n" % HUGE, "8,000,000,000,000,000 bytes", {}),
    "xmc huge labels": ("y.xmc", b"1 3 %d\n0 1:1\n" % HUGE, "max_bytes=8000000000000000", {}),
    "xmc 30 digits": ("y.xmc", b"1 3 " + b"9" * 30 + b"\n0 1:1\n", "three numbers", {}),
    "xmc cut": ("y.xmc", b"2 3 3\n0 1:1\n1,", "line 3", {}),
    "xmc cut in a feature": ("y.xmc", b"2 3 3\n0 1:1\n1 2:", "line 3, column 3: '2:'", {}),
    # --- ARFF
    "arff no labels told": ("y.arff", PLAIN_ARFF + b"1,2\n", "label_list=", {}),
    "arff no data section": ("y.arff", b"@relation x\n@attribute a {0,1}\n", "no @data", {}),
    "arff no rows": ("y.arff", ARFF, "no rows", {}),
    "arff value": ("y.arff", ARFF + b"1,2\n5,2\n", "line 6", {}),
    "arff missing": ("y.arff", ARFF + b"?,2\n", "line 5, column 'a'.*missing", {}),
    "arff short line": ("y.arff", ARFF + b"1\n", "line 5", {}),
    "arff not a number": ("y.arff", ARFF + b"1,x\n", "line 5", {}),
    "arff bad attribute": ("y.arff", b"@relation x\n@attribute a what\n@data\n1\n", "line 2", {}),
    "arff same attribute": (
        "y.arff",
        b"@relation x\n@attribute a {0,1}\n@attribute a {0,1}\n@data\n1,1\n",
        "line 3",
        {},
    ),
    "arff too many labels": ("y.arff", ARFF.replace(b"-C 1", b"-C 9") + b"1,2\n", "9 label", {}),
    "arff no such label": ("y.arff", ARFF + b"1,2\n", "not attributes: z", {"label_list": ["z"]}),
    "arff numeric label": ("y.arff", ARFF + b"1,2.5\n", "'2.5'", {"label_list": ["x"]}),
    "arff sparse index": ("y.arff", ARFF + b"{7 1}\n", "line 5", {}),
    "arff sparse broken": ("y.arff", ARFF + b"{0 1\n", "line 5", {}),
    "arff dense after sparse": ("y.arff", ARFF + b"{0 1}\n1,2\n", "line 6", {}),
    "arff Latin-1": ("y.arff", b"% \xe9\n" + ARFF + b"1,2\n", "line 1.*latin-1", {}),
    "arff quote": ("y.arff", ARFF + b"'1,2\n", "line 5", {}),
    # --- Parquet
    "parquet cut": ("y.parquet", arrow({"a": [1, 0]})[:-9], "cannot be read as Parquet", {}),
    "parquet middle cut": (
        "y.parquet",
        (lambda b: b[:20] + b[40:])(arrow({"a": list(range(2)) * 99})),
        "Parquet",
        {},
    ),
    "parquet magic only": ("y.parquet", b"PAR1", "cannot be read as Parquet", {}),
    "parquet footer length": ("y.parquet", b"PAR1\xff\xff\xff\x7fPAR1", "Parquet", {}),
    "parquet no footer": ("y.parquet", b"PAR1" + b"x" * 40, "do not point to a footer", {}),
    "parquet deep footer": ("y.parquet", footer(b"\x1c" * 99), "too deeply", {}),
    "parquet endless number": ("y.parquet", footer(b"\x16" + b"\xff" * 20), "does not end", {}),
    "parquet long list": ("y.parquet", footer(b"\x49\xfc\xff\xff\xff\x0f"), "does not fit", {}),
    "parquet unknown kind": ("y.parquet", footer(b"\x1e\x00"), "unknown kind 14", {}),
    "parquet no groups": ("y.parquet", footer(b"\x16\x02\x00"), "row groups", {}),
    "parquet no column sizes": ("y.parquet", footer(COLUMN % b"\x00"), "its size", {}),
    "parquet negative size": (
        "y.parquet",
        footer(COLUMN % b"\x56\x01\x16\x02\x00"),
        "-1 values",
        {},
    ),
    "parquet huge column": (
        "y.parquet",
        footer(COLUMN % (b"\x56" + b"\xfe" * 8 + b"\x01\x16\x02\x00")),
        "max_bytes",
        {},
    ),
    "parquet no rows": ("y.parquet", arrow({"a": pa.array([], pa.int8())}), "no rows", {}),
    "parquet value": ("y.parquet", arrow({"id": ["p"], "a": [3]}), "column 'a'.*3", {}),
    "parquet NaN": ("y.parquet", arrow({"a": [1.0, float("nan")]}), "row 1, column 'a'.*nan", {}),
    "parquet null": ("y.parquet", arrow({"a": [1, None]}), "row 1, column 'a'.*missing", {}),
    "parquet null list": ("y.parquet", arrow({"l": [["a"], None]}), "row 1, column 'l'", {}),
    "parquet null label": ("y.parquet", arrow({"l": [["a", None]]}), "column 'l'.*null", {}),
    "parquet float labels": ("y.parquet", arrow({"l": [[1.5]]}), "column 'l'.*double", {}),
    "parquet no labels": (
        "y.parquet",
        arrow({"l": pa.array([[]], pa.list_(pa.int8()))}),
        "'l'",
        {},
    ),
    "parquet two lists": ("y.parquet", arrow({"l": [[1]], "m": [[1]]}), "label_column=", {}),
    "parquet ids twice": ("y.parquet", arrow({"id": ["p", "p"], "l": [[1], [2]]}), "'p'", {}),
    "parquet dates": ("y.parquet", arrow({"a": pa.array([0], pa.date32())}), "column 'a'", {}),
    "parquet only ids": ("y.parquet", arrow({"id": ["p"]}), "no class column", {}),
    "parquet three texts": (
        "y.parquet",
        arrow({"u": ["a"], "v": ["b"], "w": ["c"]}),
        "several",
        {},
    ),
    "parquet no column": ("y.parquet", arrow({"a": [1]}), "'z'", {"label_column": "z"}),
}


@pytest.mark.parametrize("case", LABELS)
def test_labels(tmp_path, case):
    name, data, message, options = LABELS[case]
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_labels(path, **options)
    judge(caught, path, message)


def judge(caught, path, message):
    text = str(caught.value)
    assert text.startswith(str(path)), text
    assert text.count(str(path)) == 1, text
    assert re.search(message, text) or message in text, text
    assert len(text) < 1000
    assert "\n" not in text


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
    "long twice": ("s.csv", b"id,label,score\np,a,1\np,a,2\n", "row 1.*two scores", None),
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
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_scores(path, labels)
    judge(caught, path, message)


PAIRS = {
    "one column": ("p.csv", b"a\nx\n", "two id columns", {}),
    "empty id": ("p.csv", b"a,b\nx,\n", "line 2: an id is empty", {}),
    "label text": ("p.csv", b"a,b,y\nx,z,yes\n", "line 2, column 'y'.*'yes'", {}),
    "label NaN": ("p.csv", b"a,b,y\nx,z,nan\n", "line 2, column 'y'", {}),
    "label missing": ("p.csv", b"a,b,y\nx,z,\n", "missing", {}),
    "weight negative": ("p.csv", b"a,b,weight\nx,z,-1\n", "negative", {}),
    "weight infinite": ("p.csv", b"a,b,weight\nx,z,inf\n", "line 2, column 'weight'", {}),
    "two label columns": ("p.csv", b"a,b,y,label\nx,z,1,0\n", "'y' and 'label'.*label_column=", {}),
    "index and one id": ("p.csv", b",target,y\n0,t1,1\n1,t2,0\n", "no name.*no two id col", {}),
    "names for index": ("p.csv", b",gene,cell\nd1,x,1\nd1,z,0\n", "no name.*no two id col", {}),
    "two nameless": ("p.csv", b",,0\nd1,x,1\nd2,z,0\n", "no name.*no two id columns", {}),
    "no rows": ("p.csv", b"a,b\n", "no pairs", {}),
    "ragged": ("p.tsv", b"a\tb\ty\nx\tz\n", "line 2", {}),
    "no such column": ("p.csv", b"a,b\nx,z\n", "'q'", {"columns": ("a", "q")}),
    "header taken for data": ("p.csv", b"first,second,third\nx,z,1\nx,v,?\n", "header=True", {}),
    "Latin-1": ("p.csv", b"a,b\n\xe9,z\n", "line 2.*latin-1", {}),
    "npz no b": ("p.npz", npz(a=np.arange(3)), "no array 'b'", {}),
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
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_pairs(path, **options)
    judge(caught, path, message)


FOLDS = {
    "no fold column": ("f.csv", b"id,part\np1,0\n", "'fold'"),
    "fold text": ("f.csv", b"id,fold\np1,x\n", "line 2, column 'fold'.*'x'"),
    "fold negative": ("f.csv", b"id,fold\np1,-1\n", "'-1'"),
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
    "npz no folds": ("f.npz", npz(a=np.arange(3)), "no array 'folds'"),
    "npz float folds": ("f.npz", npz(folds=np.full(3, 0.5)), "must be whole"),
    "npz negative": ("f.npz", npz(folds=np.array([-1])), "folds has -1"),
    "npz provenance": ("f.npz", npz(folds=np.arange(2), provenance=np.array("x")), "not JSON"),
    "npz ids": ("f.npz", npz(folds=np.arange(2), index=np.array(["a"])), "'index'"),
    "npz objects": ("f.npz", npz(folds=npy(np.array([Bomb()]))), "never read"),
    "parquet no fold": ("f.parquet", arrow({"id": ["a"]}), "'fold'"),
    "parquet negative": ("f.parquet", arrow({"id": ["a"], "fold": [-1]}), "folds has -1"),
    "parquet null": ("f.parquet", arrow({"id": ["a"], "fold": [None]}), "column 'fold'"),
    "parquet ids": ("f.parquet", arrow({"id": ["a", "a"], "fold": [0, 1]}), "row id 'a'"),
    "parquet rows": ("f.parquet", arrow({"row": [1, 0], "fold": [0, 1]}), "column 'row'"),
}


@pytest.mark.parametrize("case", FOLDS)
def test_folds(tmp_path, case):
    name, data, message = FOLDS[case]
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_folds(path)
    judge(caught, path, message)


def shape(n_rows, n_columns):
    def change(file):
        file["obsm/y"].attrs["shape"] = np.array([n_rows, n_columns])

    return change


def external(file):
    del file["obsm/y"]
    file["obsm/y"] = h5py.ExternalLink("other.h5", "/x")


def out_of_range(file):
    file["obsm/y/indices"][...] = 99


def rows_beyond(file):
    file["obsm/y/indptr"][...] = [0, 1, 10**6]


def rows_below_nothing(file):
    file["obsm/y/indptr"][...] = [0, 10**6, -1]


def rows_backwards(file):
    file["obsm/y/indptr"][...] = [0, 2, 1]


def sequences(file):
    file.create_dataset("obsm/y/x", (1,), dtype=h5py.vlen_dtype(np.int8))


EYE = sp.csr_matrix(np.eye(2))
H5AD = {
    "rows beyond the end": (lambda p: adata_bytes(p, rows_beyond, y=EYE), "as AnnData"),
    "rows below 0": (lambda p: adata_bytes(p, rows_below_nothing, y=EYE), "must not decrease"),
    "rows backwards": (lambda p: adata_bytes(p, rows_backwards, y=EYE), "as AnnData"),
    "sequences": (lambda p: adata_bytes(p, sequences, y=EYE), "/obsm/y/x holds sequences"),
    "not AnnData": (lambda _: h5(lambda f: f.create_group("x")), "no 'obs'"),
    "cut": (lambda p: adata_bytes(p, y=np.eye(2))[:2000], "cannot be read as AnnData"),
    "magic only": (lambda _: b"\x89HDF\r\n\x1a\n", "cannot be read as AnnData"),
    "no obsm": (adata_bytes, "which part"),
    "two keys": (lambda p: adata_bytes(p, y=np.eye(2), z=np.eye(2)), "y, z"),
    "codes": (lambda p: adata_bytes(p, y=np.eye(2) * 5), "5"),
    "NaN": (lambda p: adata_bytes(p, y=np.array([[0, np.nan], [0, 1]])), "NaN"),
    "huge shape": (lambda p: adata_bytes(p, shape(2, HUGE), y=EYE), "max_bytes"),
    "negative shape": (lambda p: adata_bytes(p, shape(-2, 2), y=EYE), "shape"),
    "rows differ": (lambda p: adata_bytes(p, shape(9, 2), y=EYE), "made.h5ad|y.h5ad"),
    "out of range": (lambda p: adata_bytes(p, out_of_range, y=EYE), "y.h5ad"),
    "external": (lambda p: adata_bytes(p, external, y=EYE), "link"),
}


@pytest.mark.parametrize("case", H5AD)
def test_h5ad(tmp_path, case):
    make, message = H5AD[case]
    path = tmp_path / "y.h5ad"
    path.write_bytes(make(tmp_path))
    with pytest.raises(InputError) as caught:
        read_labels(path)
    judge(caught, path, message)


def test_h5ad_key_that_is_not_there(tmp_path):
    path = tmp_path / "y.h5ad"
    path.write_bytes(adata_bytes(tmp_path, y=np.eye(2)))
    with pytest.raises(InputError, match="'zz'"):
        read_labels(path, key="zz")


XML = {
    "empty": (b"", "empty"),
    "no labels": (b"<labels/>", "no <label"),
    "cut": (b"<labels><label name='a'", "cannot be read"),
    "entities": (b'<!DOCTYPE x [<!ENTITY a "b">]><labels/>', "entities"),
    "twice": (b"<labels><label name='a'/><label name='a'/></labels>", "'a'"),
}


@pytest.mark.parametrize("case", XML)
def test_label_list_of_mulan(tmp_path, case):
    data, message = XML[case]
    (tmp_path / "y.arff").write_bytes(PLAIN_ARFF + b"1,2\n")
    (tmp_path / "y.xml").write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_labels(tmp_path / "y.arff")
    judge(caught, tmp_path / "y.xml", message)


@pytest.mark.parametrize("read", [read_labels, read_scores, read_pairs, read_folds])
def test_no_such_file_and_folders(tmp_path, read):
    with pytest.raises(InputError, match="no such file"):
        read(tmp_path / "nothing.csv")
    with pytest.raises(InputError, match="this is a folder"):
        read(tmp_path)


def test_wrong_arguments(tmp_path):
    path = tmp_path / "y.csv"
    path.write_bytes(WIDE)
    for options in (
        {"format": "xls"},
        {"layout": "tall"},
        {"encoding": "utf-16"},
        {"encoding": "klingon"},
        {"delimiter": "::"},
        {"max_bytes": 0},
        {"max_bytes": True},
        {"classes": [["a"]]},
        {"classes": ["a", "a"]},
    ):
        with pytest.raises(ValueError, match=r"parameter( of read_labels)? must") as caught:
            read_labels(path, **options)
        assert not isinstance(caught.value, InputError)
    with pytest.raises(TypeError, match="'path' parameter of read_labels must"):
        read_labels(3)


@pytest.mark.parametrize("source", ["y.csv", "y.xmc", "y.svm", "y.npz", "y.parquet"])
def test_every_cut_of_a_file(tmp_path, source):
    """A file cut anywhere is read as something smaller or refused, never anything else."""
    file = {
        "y.csv": WIDE,
        "y.xmc": b"2 3 3\n0,2 1:1\n1 2:1\n",
        "y.svm": b"0,2 1:1\n1 2:1\n",
        "y.npz": csr(),
        "y.parquet": arrow({"id": ["p1", "p2"], "labels": [["a"], ["b", "c"]]}),
    }[source]
    path = tmp_path / source
    refused = 0
    for n in range(len(file)):
        path.write_bytes(file[:n])
        try:
            read_labels(path)
        except InputError:
            refused += 1
    assert refused >= len(file) - 12


def test_there_are_enough_cases():
    assert sum(map(len, (LABELS, SCORES, PAIRS, FOLDS, H5AD, XML))) >= 250


@pytest.mark.parametrize("read", [read_labels, read_scores])
def test_pointers_that_end_below_zero(tmp_path, read):
    # SciPy's full check passes these and then reads outside of them.
    parts = {"indices": np.array([0, 1]), "indptr": np.array([0, 10**6, -1]), "data": np.ones(2)}
    np.savez(tmp_path / "y.npz", format=np.array("csr"), shape=np.array([2, 2]), **parts)
    with pytest.raises(InputError) as caught:
        read(tmp_path / "y.npz")
    judge(caught, tmp_path / "y.npz", "must not decrease")
    broken = sp.csr_array(np.eye(2))
    broken.indptr = np.array([0, 10**6, -1], dtype=np.int32)
    with pytest.raises(InputError, match="must not decrease"):
        as_labels(broken)
