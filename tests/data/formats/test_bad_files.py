"""Empty files, files of other formats, broken compression, decompression bombs."""

import bz2
import gzip
import importlib
import lzma
import pickle

import numpy as np
import pytest
import zstandard

from tests.data.files import WIDE, Bomb, arrow, csr, judge, npy, npz, zeros
from tests.data.formats import test_bad_arff, test_damaged_h5ad
from tests.data.values import test_bad_values
from trueval import InputError
from trueval.data import read_folds, read_labels, read_pairs, read_scores

BROKEN_GZIP = gzip.compress(WIDE * 1000)

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
}


@pytest.mark.parametrize("case", LABELS)
def test_labels(tmp_path, case):
    name, data, message, options = LABELS[case]
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_labels(path, **options)
    judge(caught, path, message)


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


BAD = ("arff", "files", "label_lines", "npz", "parquet", "text")


def test_there_are_enough_cases():
    tables = [
        *(importlib.import_module(f"tests.data.formats.test_bad_{name}").LABELS for name in BAD),
        test_bad_values.SCORES, test_bad_values.PAIRS, test_bad_values.FOLDS,
        test_damaged_h5ad.H5AD, test_bad_arff.XML,
    ]  # fmt: skip
    assert sum(map(len, tables)) >= 250
