"""Kill the writer at any moment: the old file or the new one, and nothing left over."""

import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from trueval.data import read_folds, write_folds
from trueval.data.atomic import atomic_write, sweep

WRITER = """
import os, sys
import numpy as np
from trueval.data import write_folds
name, n = sys.argv[1], int(sys.argv[2])
print("ready", flush=True)
turn = 0
while sys.stdin.readline():
    # One child for each kill: importing again would take most of the time.
    pid = os.fork()
    if pid == 0:
        while True:
            turn += 1
            write_folds(name, np.full(n, turn % 7, np.int32), parameters={"turn": turn}, seed=turn)
    print(pid, flush=True)
    os.waitpid(pid, 0)
    print("dead", flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL and fork")
def test_two_hundred_kills(tmp_path):
    generator = random.Random(0)
    names = ["f.csv", "f.npz", "f.tsv.gz", "f.parquet"]
    kills = torn = left = 0
    for name in names:
        path = tmp_path / name
        n = 20_000
        write_folds(path, np.zeros(n, np.int32), seed=0)
        server = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), str(n)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert server.stdout.readline() == "ready\n"
        for _ in range(50):
            server.stdin.write("go\n")
            server.stdin.flush()
            pid = int(server.stdout.readline())
            time.sleep(generator.uniform(0.001, 0.08))
            os.kill(pid, signal.SIGKILL)
            assert server.stdout.readline() == "dead\n"
            kills += 1
            left += len(list(tmp_path.glob(".*.trueval-tmp")))
            found = read_folds(path)
            turn = found.provenance["seed"]
            if len(found) != n or not (found.folds == turn % 7).all():
                torn += 1
        server.stdin.close()
        server.stdout.close()
        server.wait(30)
        write_folds(path, np.zeros(n, np.int32), seed=0)
        assert not list(tmp_path.glob(".*.trueval-tmp"))
    assert kills == 200
    assert torn == 0
    assert left > 0  # some died while writing: the test does test


def test_what_fails_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    with pytest.raises(TypeError, match="bytes"), atomic_write(path) as file:
        file.writelines([b"new", "not bytes"])
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]
    with pytest.raises(FileNotFoundError), atomic_write(tmp_path / "none" / "a.txt"):
        pass


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
