"""A full and a read-only disk, a folder of another user, a limit of file sizes, all real.

The disk is a small file system in memory, mounted for one process.
"""

import errno
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path

from tests.campaign.outputs import OUTPUTS, left
from tests.campaign.record import ROOT, Outcome

SIZES, BATCHES = 40, 4
NOBODY = 65_534
#: Errors that a writer may meet, and what they are called.
MET = {
    errno.ENOSPC: "writes to a full disk",
    errno.EROFS: "writes to a read-only disk",
    errno.EFBIG: "writes above the largest file size",
    errno.EACCES: "writes to a folder of another user",
}


def missing() -> str | None:
    """Why no file system can be mounted here, or None."""
    try:
        subprocess.run(
            ["unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"],
            check=True, capture_output=True,
        )  # fmt: skip
    except (OSError, subprocess.CalledProcessError) as error:
        return f"needs the right to mount a file system ({type(error).__name__})"
    return None


def batch(turn: int, folder: Path, seconds: float) -> Outcome:
    """All outputs on disks of some sizes, others each time."""
    return meet(folder, [8 + 12 * size for size in range(turn % BATCHES, SIZES, BATCHES)])


def meet(folder: Path, sizes: list[int]) -> Outcome:
    """All outputs on disks of some sizes, in kB above what the files take."""
    command = ["unshare", "--mount", sys.executable, "-m", "tests.campaign.disks", str(folder)]
    done = subprocess.run([*command, *map(str, sizes)], capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        return Outcome(0, [done.stderr[-500:]])
    *counts, failures = done.stdout.split("\n", len(MET))
    figures = dict(zip(MET.values(), map(int, counts), strict=True))
    return Outcome(sum(figures.values()), failures.splitlines(), figures)


@contextmanager
def _disk(folder: Path, options: str) -> Iterator[None]:
    subprocess.run(["mount", "-o", f"remount,{options}", folder], check=True)
    try:
        yield
    finally:
        subprocess.run(["mount", "-o", "remount,rw,size=4m", folder], check=True)


@contextmanager
def _largest_file(n_bytes: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def _of_another_user(folder: Path) -> Iterator[None]:
    """The folder is root's, and nobody writes."""
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def main(folder: Path, sizes: list[int]) -> None:
    """Print how many writes met each obstacle, and what went wrong."""
    counts, failures = dict.fromkeys(MET, 0), []
    outputs = [output for output in OUTPUTS if output.name != "download.bin"]
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m,mode=755", "none", folder], check=True)
    for output, free in product(outputs, sizes):
        path = folder / output.name
        output.write(path, 0)
        used = sum(file.stat().st_blocks * 512 for file in folder.iterdir())
        obstacles = {
            f"{free} kB left": _disk(folder, f"size={used // 1024 + free}k"),
            "read-only": _disk(folder, "ro"),
            f"files up to {free} kB": _largest_file(1024 * free),
            "folder of another user": _of_another_user(folder),
        }
        for name, obstacle in obstacles.items():
            with obstacle:
                try:
                    output.write(path, 1)
                except OSError as error:
                    counts[error.errno] += 1
                    if str(path) not in str(error) or "nothing was changed" not in str(error):
                        failures.append(f"{output.name}: {error}")
            if not output.whole(path) or left(folder):
                failures.append(f"{output.name}, {name}: torn or left {left(folder)}")
        for file in folder.iterdir():
            file.unlink()
    print(*counts.values(), *failures, sep="\n")


if __name__ == "__main__":
    os.umask(0o022)
    main(Path(sys.argv[1]), [int(size) for size in sys.argv[2:]])
