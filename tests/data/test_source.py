"""A file is the same from its first byte to its checksum, whatever happens to its name."""

import hashlib
import os

import numpy as np
import pytest

from trueval import InputError
from trueval.core.errors import InputWarning
from trueval.data import _formats, read_folds, write_folds
from trueval.data._source import Source

OLD, NEW = np.repeat([0, 1], 4), np.repeat([1, 0], 4)


def test_another_file_with_the_name_is_not_read(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    source = Source(path)
    (tmp_path / "b.txt").write_bytes(b"new content")
    os.replace(tmp_path / "b.txt", path)
    with source.open() as stream:
        assert stream.read() == b"old"
    with source.seekable() as stream:
        stream.seek(1)
        assert stream.read() == b"ld"
    assert source.sha256() == hashlib.sha256(b"old").hexdigest()
    path.unlink()
    assert source.head() == b"old"


@pytest.mark.parametrize("content", [b"longer than before", b"olt"], ids=["size", "time"])
@pytest.mark.parametrize("opened", ["open", "seekable"])
def test_a_file_that_is_changed_while_it_is_read_is_refused(tmp_path, content, opened):
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    os.utime(path, ns=(0, 0))
    opening = getattr(Source(path), opened)()
    opening.__enter__()
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"a\.txt: the file was changed while it was read\. Read"):
        opening.__exit__(None, None, None)


def test_provenance_is_not_that_of_folds_that_take_the_name_meanwhile(tmp_path, monkeypatch):
    path, read = tmp_path / "folds.csv", _formats.read_side
    write_folds(path, OLD, seed=1)

    def late(source):
        write_folds(path, NEW, seed=2)
        return read(source)

    monkeypatch.setattr(_formats, "read_side", late)
    with pytest.warns(InputWarning, match="was written for another version"):
        folds = read_folds(path)
    assert np.array_equal(folds.folds, OLD)
    assert folds.provenance == {}


def test_provenance_is_not_that_of_another_process_that_writes_the_same_file(tmp_path, monkeypatch):
    path, write = tmp_path / "folds.csv", _formats.write_side

    def late(*args):
        monkeypatch.setattr(_formats, "write_side", write)
        write_folds(path, NEW, seed=2)
        write(*args)

    monkeypatch.setattr(_formats, "write_side", late)
    write_folds(path, OLD, seed=1)
    with pytest.warns(InputWarning, match="was written for another version"):
        folds = read_folds(path)
    assert np.array_equal(folds.folds, NEW)
    assert folds.provenance == {}
