"""Outputs that are no regular files: written into, or refused, never replaced."""

import errno
import gzip
import os
import stat
import threading

import numpy as np
import pytest

from trueval.core.files import atomic_write
from trueval.data import read_folds, write_folds, write_labels

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes and devices of POSIX")


def read_pipe(path, received):
    with open(path, "rb") as pipe:
        received.append(pipe.read())


def through_a_pipe(path, write):
    os.mkfifo(path)
    received = []
    reader = threading.Thread(target=read_pipe, args=(path, received))
    reader.start()
    write(path)
    reader.join(10)
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
    return received[0]


def test_a_pipe_receives_the_file(tmp_path):
    y = np.array([[1, 0], [1, 1], [0, 1]])
    content = through_a_pipe(tmp_path / "y.csv", lambda path: write_labels(path, y, layout="wide"))
    write_labels(tmp_path / "regular.csv", y, layout="wide")
    assert content == (tmp_path / "regular.csv").read_bytes()


def test_a_pipe_receives_folds_without_a_file_beside(tmp_path):
    content = through_a_pipe(tmp_path / "folds.csv", lambda path: write_folds(path, [0, 1, 0]))
    assert read_folds(content).folds.tolist() == [0, 1, 0]


def test_a_packed_pipe(tmp_path):
    def write(path):
        with atomic_write(path) as file:
            file.write(b"text")

    assert gzip.decompress(through_a_pipe(tmp_path / "a.gz", write)) == b"text"


def test_a_failed_write_sends_nothing(tmp_path):
    def write(path):
        with pytest.raises(ZeroDivisionError), atomic_write(path) as file:
            file.write(bytes(1 // 0))
        with open(path, "wb") as pipe:  # lets the reader end
            pipe.write(b"")

    assert through_a_pipe(tmp_path / "a.csv", write) == b""


def test_a_character_device_stays_one(tmp_path):
    null = tmp_path / "null"
    null.symlink_to(os.devnull)
    with atomic_write(null) as file:
        file.write(b"away")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    assert null.is_symlink()


def test_a_folder_and_a_loop_are_refused(tmp_path):
    with pytest.raises(OSError, match="this is a folder") as error, atomic_write(tmp_path):
        pass
    assert error.value.errno == errno.EISDIR
    loop = tmp_path / "loop.csv"
    loop.symlink_to(loop)
    with pytest.raises(OSError, match=r"leads back to itself|symbolic links"), atomic_write(loop):
        pass


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may chown")
def test_the_owner_is_kept(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"old")
    os.chown(path, 1234, 4321)
    with atomic_write(path) as file:
        file.write(b"new")
    assert (path.stat().st_uid, path.stat().st_gid, path.read_bytes()) == (1234, 4321, b"new")
