"""Files made by hand: whole ones, broken ones, and what is wrong with an error about them."""

import io
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

from trueval import InputError

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


def judge(caught, path, message):
    """One line that begins with the file, named once, and says what it must."""
    text = str(caught.value)
    assert text.startswith(str(path)), text
    assert text.count(str(path)) == 1, text
    assert re.search(message, text) or message in text, text
    assert len(text) < 1000
    assert "\n" not in text


def refuse(read, path, data, message, *arguments, **options):
    """Such a file must end in an error that :func:`judge` accepts."""
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read(path, *arguments, **options)
    judge(caught, path, message)
    # The traceback has this frame, and this frame the traceback: broken here, files that were
    # being read are closed now, and not in an order that the garbage collector chooses.
    del caught
