"""Lengths that texts in HDF5 claim, against the texts as h5py reads them."""

import io

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from trueval.data._hdf5_texts import StoredTexts

h5py = pytest.importorskip("h5py")
TEXTS = st.lists(st.text("abc äß€", max_size=40), max_size=20)
LAYOUTS = {
    "contiguous": {},
    "chunked": {"chunks": (3,)},
    "compressed": {"chunks": (4,), "compression": "gzip"},
    "compressed and shuffled": {"chunks": (5,), "compression": "gzip", "shuffle": True},
}


def written(fill, **options):
    """The bytes of a file that ``fill`` fills."""
    stream = io.BytesIO()
    with h5py.File(stream, "w", **options) as file:
        fill(file)
    return stream


def size(texts):
    """Bytes of the texts."""
    return sum(len(text.encode()) for text in texts)


@pytest.mark.parametrize("libver", ["earliest", "latest"])
@pytest.mark.parametrize("layout", LAYOUTS)
@given(texts=TEXTS.filter(len))
def test_texts_of_a_dataset(layout, libver, texts):
    kind = h5py.string_dtype()
    options = {**LAYOUTS[layout], **({"maxshape": (None,)} if layout != "contiguous" else {})}
    stream = written(
        lambda file: file.create_dataset("a", data=texts, dtype=kind, **options), libver=libver
    )
    with h5py.File(stream) as file:
        assert StoredTexts(file, h5py, stream).of_dataset(file["a"]) == size(texts)


def test_texts_of_a_compact_dataset():
    def fill(file):
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_layout(h5py.h5d.COMPACT)
        kind = h5py.h5t.py_create(h5py.string_dtype(), logical=True)
        h5py.h5d.create(file.id, b"a", kind, h5py.h5s.create_simple((2,)), plist)
        file["a"][:] = ["eleven cups", "ä"]

    stream = written(fill)
    with h5py.File(stream) as file:
        assert file["a"].id.get_create_plist().get_layout() == h5py.h5d.COMPACT
        assert StoredTexts(file, h5py, stream).of_dataset(file["a"]) == 13


@pytest.mark.parametrize("libver", ["earliest", "latest"])
@pytest.mark.parametrize("userblock", [0, 512])
@given(columns=st.lists(TEXTS, max_size=6), single=st.text("abc€", max_size=30))
def test_texts_of_attributes(userblock, libver, columns, single):
    def fill(file):
        item = file.create_group("a")
        item.attrs["one"] = single
        item.attrs["number"] = 7
        for number, texts in enumerate(columns):
            item.attrs.create(f"{number}" * (number + 1), texts, dtype=h5py.string_dtype())

    stream = written(fill, libver=libver, userblock_size=userblock)
    with h5py.File(stream) as file:
        claimed = StoredTexts(file, h5py, stream).of_attributes(file["a"])
    assert claimed == size([single, *(text for texts in columns for text in texts)])


def test_what_is_not_text_claims_nothing():
    def fill(file):
        file["numbers"] = [1.0, 2.0]
        file["fixed"] = np.array([b"abc", b"def"])
        file.create_dataset("nothing", (10,), h5py.string_dtype())

    stream = written(fill)
    with h5py.File(stream) as file:
        texts = StoredTexts(file, h5py, stream)
        assert [texts.of_dataset(file[name]) for name in file] == [0, 0, 0]
        assert texts.of_attributes(file) == 0


def test_an_attribute_outside_of_the_header_is_told():
    def fill(file):
        item = file.create_group("a", track_order=True)
        for number in range(20):
            item.attrs[f"name {number}"] = "text"

    stream = written(fill, libver="latest")
    with h5py.File(stream) as file, pytest.raises(ValueError, match="apart from its object"):
        StoredTexts(file, h5py, stream).of_attributes(file["a"])
