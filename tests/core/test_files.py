"""Kill the writer at any moment: the old file or the new one, and nothing left over."""

import errno
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from tests.campaign.kills import kill
from trueval import data as data_io
from trueval.core.files import Checkpoint, atomic_write, sweep
from trueval.core.labels import Labels


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL and fork")
def test_kills_at_any_moment(tmp_path):
    outcome = kill(tmp_path, 3, 0)
    assert outcome.failures == []
    assert outcome.cases >= 54
    # Some died while writing: the test does test.
    assert outcome.figures["temporary files seen and swept"] > 0


LABELS = Labels(sp.csr_array(np.ones((3000, 2), np.int8)), np.array(["a", "b"]))
WRITE = {
    "folds": lambda path: data_io.write_folds(path, np.zeros(3000, int)),
    "labels": lambda path: data_io.write_labels(path, LABELS),
    "scores": lambda path: data_io.write_scores(path, np.random.default_rng(0).random((3000, 2))),
}
FILES = ["a.csv", "a.tsv.gz", "a.npz", "a.parquet", "a.csv.zst", "a.csv.xz", "a.csv.bz2"]


class FullDisk(io.FileIO):
    """A file on a disk that takes 2,000 more bytes."""

    room = 2_000

    def write(self, data):
        FullDisk.room -= len(data)
        if FullDisk.room < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return super().write(data)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("writer", WRITE)
def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch, name, writer):
    path = tmp_path / name
    path.write_bytes(b"old")
    opened = Path.open
    monkeypatch.setattr(FullDisk, "room", 20)

    def open_(self, mode="r", *args, **options):
        if mode == "xb":
            return io.BufferedWriter(FullDisk(self, mode))
        return opened(self, mode, *args, **options)

    monkeypatch.setattr(Path, "open", open_)
    with pytest.raises(OSError, match="No space left") as caught:
        WRITE[writer](path)
    assert caught.value.errno == errno.ENOSPC
    assert str(path) in str(caught.value)
    assert "nothing was changed" in str(caught.value)
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == [name]


LIMITED = """
import resource, signal, sys
import numpy as np
from trueval.data import write_labels
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, 5_000))
try:
    write_labels(sys.argv[1], np.ones((5000, 2), int), layout="wide")
except OSError as error:
    print(error.errno, error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on file sizes")
def test_a_limit_of_the_system_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"old")
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith(f"{errno.EFBIG} ")
    assert "nothing was changed" in done.stdout
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.csv"]


@pytest.mark.skipif(os.name != "posix", reason="needs permissions of folders")
def test_a_folder_that_cannot_be_written(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"

    def refuse(self, mode="r", *args, **options):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(self))

    path.write_bytes(b"old")
    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", refuse)
        with pytest.raises(PermissionError, match="nothing was changed") as caught:
            data_io.write_folds(path, [0, 1])
    assert str(path) in str(caught.value)
    assert path.read_bytes() == b"old"
    if os.geteuid() != 0:  # root may write everywhere
        tmp_path.chmod(0o500)
        try:
            with pytest.raises(PermissionError, match="nothing was changed"):
                data_io.write_folds(path, [0, 1])
        finally:
            tmp_path.chmod(0o700)
        assert path.read_bytes() == b"old"


def test_what_fails_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    with pytest.raises(TypeError, match="bytes"), atomic_write(path) as file:
        file.writelines([b"new", "not bytes"])
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]
    with pytest.raises(FileNotFoundError), atomic_write(tmp_path / "none" / "a.txt"):
        pass


def _interrupted_at(turn, module):
    """A trace that interrupts at the n-th line of a module, as Ctrl-C may anywhere."""
    left = turn

    def trace(frame, event, arg):
        nonlocal left
        if frame.f_globals.get("__name__") != module:
            return None
        if event == "line":
            left -= 1
            if left == 0:
                raise KeyboardInterrupt
        return trace

    return trace


# An archive that is interrupted while it is made complains when it is deleted.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.skipif(sys.gettrace() is not None, reason="another tool traces")
def test_an_interrupt_at_any_line_of_zipfile_stays_an_interrupt(tmp_path):
    """Where a member is just open, ``zipfile`` raises ValueError when it is closed."""
    path = tmp_path / "y.npz"
    data_io.write_labels(path, np.eye(2, dtype=bool))
    old = path.read_bytes()
    for turn in range(1, 100_000):
        sys.settrace(_interrupted_at(turn, "zipfile"))
        try:
            data_io.write_labels(path, np.eye(3, dtype=bool))
        except KeyboardInterrupt:
            pass
        else:
            break
        finally:
            sys.settrace(None)
        assert [p.name for p in tmp_path.iterdir()] == ["y.npz"]
        assert path.read_bytes() == old
    assert turn > 100
    assert path.read_bytes() != old


@pytest.mark.parametrize("error", [ValueError("closed in a wrong state"), OSError(errno.EIO, "x")])
def test_an_interrupt_is_not_hidden_by_what_closes_files(tmp_path, error):
    def block():
        try:
            raise KeyboardInterrupt
        finally:
            raise error

    for path in (tmp_path / "a.txt", Path(os.devnull)):
        with pytest.raises(KeyboardInterrupt) as caught, atomic_write(path):
            block()
        assert caught.value.__cause__ is not None
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_before_a_write_is_not_its_own(tmp_path):
    """Results are saved after Ctrl-C; that they could not be is not hidden by it."""
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt:
        with pytest.raises(FileNotFoundError), atomic_write(tmp_path / "none" / "a.txt"):
            pass
        with pytest.raises(TypeError, match="bytes"), atomic_write(tmp_path / "a.txt") as file:
            file.write("not bytes")


@pytest.mark.skipif(os.name != "posix", reason="folders are opened on POSIX only")
def test_a_folder_that_cannot_be_listed_is_no_failure(tmp_path, monkeypatch):
    """The file has its name by then: an error would say that nothing was changed."""
    opened = os.open

    def refuse(path, flags, *args, **options):
        if Path(path) == tmp_path:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return opened(path, flags, *args, **options)

    monkeypatch.setattr(os, "open", refuse)
    with atomic_write(tmp_path / "a.txt") as file:
        file.write(b"new")
    assert (tmp_path / "a.txt").read_bytes() == b"new"


def test_permissions_and_links_are_kept(tmp_path):
    path, link = tmp_path / "a.txt", tmp_path / "link.txt"
    path.write_bytes(b"old")
    path.chmod(0o640)
    link.symlink_to(path)
    with atomic_write(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o640


def test_only_what_the_dead_left_is_swept(tmp_path):
    path = tmp_path / "a.txt"
    with atomic_write(path) as file:
        file.write(b"x")
        mine = next(tmp_path.glob(".a.txt.*.trueval-tmp"))
        assert sweep(path) == 0
        host = mine.name.split(".")[-2].split("-")[0]
    dead = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    left = tmp_path / f".a.txt.{host}-{dead}-00000000.trueval-tmp"
    other = tmp_path / f".b.txt.{host}-{dead}-00000000.trueval-tmp"
    away = tmp_path / f".a.txt.ffffffff-{dead}-00000000.trueval-tmp"
    old = tmp_path / f".a.txt.ffffffff-{dead}-00000001.trueval-tmp"
    for file in (left, other, away, old):
        file.write_bytes(b"half")
    os.utime(old, (0, 0))
    assert sweep(path) == 2
    assert not left.exists()
    assert not old.exists()
    assert other.exists()
    assert away.exists()


# --- checkpoints ---------------------------------------------------------------------------


def _checkpoint(path, **options):
    def read(file):
        return {int(k): v for k, v in json.loads(file.read_bytes()).items()}

    def write(file, results):
        file.write(json.dumps(results).encode())

    return Checkpoint(path, read, write, **options)


def test_a_checkpoint_goes_on_where_it_stopped(tmp_path):
    path = tmp_path / "done.json"
    first = _checkpoint(path)
    first.add(1, "one")  # the first is written at once
    assert _checkpoint(path).results == {1: "one"}
    first._next = float("inf")  # and what would take much of the time is not
    first.add(2, "two")
    assert _checkpoint(path).results == {1: "one"}
    first.write()
    assert _checkpoint(path).results == {1: "one", 2: "two"}
    assert [p.name for p in tmp_path.iterdir()] == ["done.json"]
    changed = path.stat().st_mtime_ns
    first.write()
    assert path.stat().st_mtime_ns == changed


def test_a_checkpoint_reads_others_and_writes_none_of_them(tmp_path):
    other = tmp_path / "other.json"
    _checkpoint(other).add(1, "one")
    both = _checkpoint(tmp_path / "mine.json", others=[other, tmp_path / "none.json"])
    both.add(2, "two")
    assert both.results == {1: "one", 2: "two"}
    assert _checkpoint(other).results == {1: "one"}


def test_a_checkpoint_without_a_path_keeps_results_in_memory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    memory = _checkpoint(None)
    memory.add(1, "one")
    memory.write()
    assert memory.results == {1: "one"}
    assert list(tmp_path.iterdir()) == []


def test_a_write_that_fails_keeps_the_old_checkpoint(tmp_path):
    path = tmp_path / "done.json"
    first = _checkpoint(path)
    first.add(1, "one")
    first._next = float("inf")
    first.add(2, object())  # JSON cannot hold it
    with pytest.raises(TypeError):
        first.write()
    assert _checkpoint(path).results == {1: "one"}
    assert [p.name for p in tmp_path.iterdir()] == ["done.json"]


@pytest.mark.parametrize("length", [200, 201, 255])
def test_names_may_be_as_long_as_the_system_permits(tmp_path, length):
    path = tmp_path / ("n" * length)
    with atomic_write(path) as file:
        (beside,) = tmp_path.iterdir()
        file.write(b"whole")
        dead = beside.with_name(beside.name.replace(f"-{os.getpid()}-", "-999999999-"))
        dead.write_bytes(b"left")
    assert path.read_bytes() == b"whole"
    assert sweep(path) == 1
    assert list(tmp_path.iterdir()) == [path]
