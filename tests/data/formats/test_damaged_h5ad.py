"""Damaged AnnData files end in labels or one error; none keeps the HDF5 library for ever."""

import re
import subprocess
import sys

import anndata
import h5py
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from tests.data.files import HUGE, adata_bytes, h5, refuse
from trueval import InputError
from trueval.data import read_labels

# A file that hangs cannot be interrupted from within, hence a process of its own.
READER = """
import sys
from tests.data.files import HUGE, adata_bytes, h5, refuse
from trueval import InputError
from trueval.data import read_labels
from trueval.core.labels import Labels
path, changes, key = sys.argv[1], sys.argv[2], sys.argv[3] or None
whole = open(path, "rb").read()
for line in open(changes):
    data = bytearray(whole)
    for change in line.split():
        kind, at, value = change.split(":")
        if kind == "cut":
            del data[int(at):]
        else:
            data[int(at)] = int(value)
    open(path + ".h5ad", "wb").write(data)
    try:
        made = read_labels(path + ".h5ad", key=key)
        assert isinstance(made, Labels)
        print("read")
    except InputError as error:
        assert str(error).startswith(path)
        print("refused", error)
"""


@pytest.fixture
def whole(tmp_path):
    path = tmp_path / "y.h5ad"
    frame = pd.DataFrame({"tags": ["a;b", "c", "a"]}, index=["p", "q", "r"])
    made = anndata.AnnData(obs=frame, obsm={"y": sp.csr_matrix(np.eye(3))})
    made.write_h5ad(path)
    return path


def outcomes(path, changes, key=""):
    """What becomes of the file after each set of changes."""
    lines = path.with_suffix(".txt")
    lines.write_text("\n".join(" ".join(one) for one in changes) + "\n")
    done = subprocess.run(
        [sys.executable, "-c", READER, str(path), str(lines), key],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = done.stdout.splitlines()
    assert len(found) == len(changes)
    return found


def heap_objects(data):
    """Places of the objects of the first global heap, by the specification of HDF5."""
    start = data.index(b"GCOL")
    size = int.from_bytes(data[start + 8 : start + 16], "little")
    at = start + 16
    while at + 16 <= start + size:
        number = int.from_bytes(data[at : at + 2], "little")
        length = int.from_bytes(data[at + 8 : at + 16], "little")
        yield at
        at += length if number == 0 else 16 + (length + 7) // 8 * 8


def test_heaps_that_would_never_end(whole):
    data = whole.read_bytes()
    places = list(heap_objects(data))
    assert len(places) > 10
    changes = [[f"set:{at + 8}:{value}"] for at in places for value in (255, 128, 8)]
    size = data.index(b"GCOL") + 9  # of the heap itself, which is then read in two parts
    changes += [[f"set:{size}:{value}"] for value in (17, 32, 47, 255)]
    found = outcomes(whole, changes)
    assert sum("heap of texts is damaged" in line for line in found) > len(places)


def set_number(at, value):
    return [f"set:{at + i}:{byte}" for i, byte in enumerate(value.to_bytes(8, "little"))]


def test_names_whose_free_blocks_never_end(whole):
    data = whole.read_bytes()
    start = data.index(b"HEAP")  # of the root: signature, size, first free block, place
    size, free, place = (
        int.from_bytes(data[start + at : start + at + 8], "little") for at in (8, 16, 24)
    )
    assert 8 < free <= size - 16  # there is a free block
    circle, reserved = set_number(place + free, free), [f"set:{start + 5}:7"]
    two = set_number(place + free, 8) + set_number(place + 8, free)
    outside = set_number(place + free, size - 8)
    large = set_number(start + 8, 2**40)
    found = outcomes(whole, [circle, circle + reserved, two, outside, large])
    assert all("refused" in line and "heap of names" in line for line in found)
    assert [f"free block at {free:,} leads back to itself" in line for line in found[:3]] == [
        True
    ] * 3
    assert f"free block at {size - 8:,} is not in its {size:,} bytes" in found[3]
    assert "declares 1,099,511,627,776 bytes" in found[4]


def test_texts_of_another_width(whole):
    """HDF5 would take for lengths what is behind them in memory."""
    data = whole.read_bytes()
    types = [found.start() for found in re.finditer(rb"\x19\x01[\0\x01]\0\x10\0\0\0", data)]
    assert len(types) > 10  # of attributes and datasets: class and version, bits, 16 bytes
    found = outcomes(whole, [[f"set:{at + 4}:{width}"] for at in types for width in (1, 255)])
    assert sum(f"1 texts in {width} bytes" in line for line in found for width in (1, 255)) > 5
    assert sum("the type of its texts is damaged" in line for line in found) >= 2


@pytest.mark.parametrize("key", ["", "tags"])
def test_any_damage_ends(whole, key):
    data = whole.read_bytes()
    rng = np.random.default_rng(5)
    telling = np.flatnonzero(np.frombuffer(data, np.uint8))
    changes = [
        [
            f"set:{rng.choice(telling)}:{rng.choice([0, 1, 128, 255, rng.integers(256)])}"
            for _ in range(rng.integers(1, 4))
        ]
        for _ in range(150)
    ]
    changes += [[f"cut:{at}:0"] for at in rng.integers(8, len(data), 50)]
    found = outcomes(whole, changes, key)
    assert {line.split()[0] for line in found} == {"read", "refused"}


def test_an_object_that_refers_to_nothing(whole):
    data = bytearray(whole.read_bytes())
    first = next(heap_objects(data))
    data[first] = data[first + 8] = 0  # free space of no size: where the library would stay
    whole.write_bytes(data)
    with pytest.raises(InputError, match=r"y\.h5ad: a heap of texts is damaged: its object at 16 "):
        read_labels(whole)


# --- broken by hand ----------------------------------------------------------------------


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
    refuse(read_labels, tmp_path / "y.h5ad", make(tmp_path), message)


def test_h5ad_key_that_is_not_there(tmp_path):
    path = tmp_path / "y.h5ad"
    path.write_bytes(adata_bytes(tmp_path, y=np.eye(2)))
    with pytest.raises(InputError, match="'zz'"):
        read_labels(path, key="zz")


@pytest.mark.parametrize("key", ["y", "tags"])
def test_texts_that_claim_gigabytes_are_refused_before_they_are_read(whole, key):
    data = whole.read_bytes()
    heap = data.index(b"GCOL").to_bytes(8, "little")
    # A length, the place of the heap and a number in it; all of them small in this file.
    places = [
        at
        for at in range(4, len(data) - 12)
        if data[at - 4] and data[at - 3 : at] == bytes(3) and data[at : at + 8] == heap
        if data[at + 8] and data[at + 9 : at + 12] == bytes(3)
    ]
    found = outcomes(whole, [[f"set:{at - 1}:240"] for at in places], key)
    refused = [line for line in found if line != "read"]
    assert len(refused) > 10
    assert all("bytes, more than the cap of" in line for line in refused)


def test_records_with_texts_are_refused(tmp_path):
    path = tmp_path / "y.h5ad"
    anndata.AnnData(obsm={"y": np.eye(2)}).write_h5ad(path)
    with h5py.File(path, "r+") as file:
        del file["obsm/y"]
        kind = np.dtype([("a", h5py.string_dtype()), ("b", "i4")])
        file["obsm"].create_dataset("y", (2,), kind)
    with pytest.raises(InputError, match="/obsm/y holds records with texts of any length"):
        read_labels(path, key="y")
