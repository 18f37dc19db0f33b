"""A real full disk and a read-only one: a small file system in memory, mounted for one process."""

import errno
import os
import subprocess
import sys
from itertools import product
from pathlib import Path

from tests.campaign.outputs import OUTPUTS, left
from tests.campaign.record import ROOT, Outcome

SIZES, BATCHES = 40, 4


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
    command = ["unshare", "--mount", sys.executable, "-m", "tests.campaign.disks", str(folder)]
    sizes = [str(8 + 12 * size) for size in range(turn % BATCHES, SIZES, BATCHES)]
    done = subprocess.run([*command, *sizes], capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        return Outcome(0, [done.stderr[-500:]])
    full, read_only, *failures = done.stdout.splitlines()
    figures = {"writes to a full disk": int(full), "writes to a read-only disk": int(read_only)}
    return Outcome(sum(figures.values()), failures, figures)


def main(folder: Path, sizes: list[int]) -> None:
    """Print how many writes met a full and a read-only disk, and what went wrong."""
    counts, failures = {errno.ENOSPC: 0, errno.EROFS: 0}, []
    outputs = [output for output in OUTPUTS if output.name != "download.bin"]
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", folder], check=True)
    for output, free in product(outputs, sizes):
        path = folder / output.name
        output.write(path, 0)
        used = sum(file.stat().st_blocks * 512 for file in folder.iterdir())
        for options in (f"remount,size={used // 1024 + free}k", "remount,ro"):
            subprocess.run(["mount", "-o", options, folder], check=True)
            try:
                output.write(path, 1)
            except OSError as error:
                counts[error.errno] += 1
                if str(path) not in str(error) or "nothing was changed" not in str(error):
                    failures.append(f"{output.name}: {error}")
            if not output.whole(path) or left(folder):
                failures.append(f"{output.name}, {options}: torn or left {left(folder)}")
        subprocess.run(["mount", "-o", "remount,rw,size=4m", folder], check=True)
        for file in folder.iterdir():
            file.unlink()
    print(counts[errno.ENOSPC], counts[errno.EROFS], *failures, sep="\n")


if __name__ == "__main__":
    os.umask(0o077)
    main(Path(sys.argv[1]), [int(size) for size in sys.argv[2:]])
