"""Broken and hostile .npy and .npz: each one InputError with place, value and fix."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

from tests.data.files import HUGE, Bomb, csr, header, judge, npy, npz, refuse, stored
from trueval import InputError, as_labels
from trueval.data import read_folds, read_labels, read_scores

NO_TEXT = np.array([97, 98, 2**31 - 1], dtype="u4").view("U1")  # numbers that are no characters
LABELS = {
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
    "npz names beyond Unicode": ("y.npz", csr(classes=NO_TEXT), "character code 2,147,483,647", {}),
    "npz names beyond Unicode, swapped": (
        "y.npz",
        csr(classes=NO_TEXT.byteswap().view(NO_TEXT.dtype.newbyteorder())),
        "character code 2,147,483,647",
        {},
    ),
    "npz of records": ("y.npz", csr(classes=np.zeros(3, "U1,i4")), "holds records", {}),
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
}


@pytest.mark.parametrize("case", LABELS)
def test_labels(tmp_path, case):
    name, data, message, options = LABELS[case]
    refuse(read_labels, tmp_path / name, data, message, **options)


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


def test_empty_texts_and_blocks_are_not_free():
    """Each becomes an object, and SciPy numbers the places of a block though there be none."""
    texts = header("{'descr': '|S0', 'fortran_order': False, 'shape': (10000000,), }")
    with pytest.raises(InputError, match="would take 640,000,000 bytes, more than the cap"):
        read_folds(npz(index=texts, folds=texts))
    block = csr(
        format=npy(np.array(b"bsr")), shape=npy(np.array([16000, 16000])),
        data=npy(np.zeros((0, 16000, 16000))), indices=npy(np.zeros(0, "i4")),
        indptr=npy(np.zeros(2, "i4")),
    )  # fmt: skip
    for read in (read_labels, read_scores):
        with pytest.raises(InputError, match=r"would take 2,048,000,000 bytes, more than the cap"):
            read(block)
