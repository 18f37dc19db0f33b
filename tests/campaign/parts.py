"""The parts of the campaign, and the figures of a full run."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from tests.campaign import (
    differences,
    disks,
    faults,
    golden,
    kills,
    memory,
    mutate,
    soak,
    suites,
    supply,
)
from tests.campaign.record import Outcome

Batch = Callable[[int, Path, float], Outcome]


@dataclass(frozen=True)
class Part:
    """What one part promises, and the batch that adds to it.

    ``batch(turn, folder, seconds)`` gets the number of batches before it, an empty folder and the
    time there is. ``goal`` counts batches where ``whole`` says so, else cases. ``quick`` parts run
    a batch in continuous integration.
    """

    name: str
    title: str
    unit: str
    batch: Batch
    goal: int
    whole: bool = False
    quick: bool = False
    missing: Callable[[], str | None] = lambda: None


def _no_atheris() -> str | None:
    return None if find_spec("atheris") else "needs pip install atheris"


def _no_compiler() -> str | None:
    return None if shutil.which("c++") else "needs a C++ compiler with its sanitizers"


PARTS = [
    Part("inputs", "Bad inputs by hand, each one documented error", "inputs", suites.bad_inputs,
         goal=1, whole=True),
    Part("fuzz", "Random bytes to every reader", "inputs", suites.fuzz, goal=10**7,
         missing=_no_atheris),
    Part("chains", "Chains of write, read, convert and write again", "chains", suites.chains,
         goal=10_000),
    Part("kills", "Writers killed at any moment", "kills", kills.batch, goal=1_008, quick=True),
    Part("faults", "The n-th write, fsync, rename or allocation fails", "faults", faults.batch,
         goal=len(faults.WRITERS) * len(faults.ERRORS), whole=True, quick=True),
    Part("disks", "A full and a read-only disk", "writes", disks.batch, goal=40, whole=True,
         missing=disks.missing),
    Part("sanitizers", "Kernels under address, undefined-behaviour and thread sanitizers", "tests",
         suites.sanitizers, goal=len(suites.SANITIZERS), whole=True, missing=_no_compiler),
    Part("golden", "The pinned folds under other settings", "variants", golden.batch,
         goal=len(golden.variants()), whole=True),
    Part("memory", "Peak memory, as a multiple of the input", "calls", memory.batch,
         goal=len(memory.CALLS) * len(memory.SIZES), whole=True),
    Part("mutation", "Changed operators and constants that tests notice", "mutants", mutate.batch,
         goal=len(mutate.MODULES), whole=True),
    Part("differences", "Files and numbers as by other libraries", "files and samples",
         differences.batch, goal=10_000, quick=True),
    Part("soak", "An hour of work in one process", "rounds", soak.batch, goal=1, whole=True),
    Part("supply", "What is built, and from what", "checks", supply.batch,
         goal=len(supply.CHECKS), whole=True, missing=supply.missing),
]  # fmt: skip
#: What no part here can run, and the command that does, on a machine that has what it needs.
ELSEWHERE = {
    "Pinned folds on aarch64": (
        "pip install . && python -m tests.golden --check",
        "on an ARM machine, as the release workflow does for its wheels",
    ),
    "Pinned folds on macOS and Windows": (
        "python -m pytest tests/golden",
        "by the continuous integration of every change",
    ),
    "More than 2³¹ positives": (
        "python -m tests.campaign.memory split 2200000000",
        "with 128 GiB of memory",
    ),
}
