"""Damaged AnnData files end in labels or one error; none keeps the HDF5 library for ever."""

import subprocess
import sys

import anndata
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from trueval import InputError
from trueval.data import read_labels

# A file that hangs cannot be interrupted from within, hence a process of its own.
READER = """
import sys
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
