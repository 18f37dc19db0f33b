"""The parts of the campaign, and the figures of a full run."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
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
    numbers,
    slow,
    soak,
    suites,
    supply,
)
from tests.campaign.record import Outcome
from tests.campaign.sources import digest

Batch = Callable[[int, Path, float], Outcome]


@dataclass(frozen=True)
class Part:
    """What one part promises, and the batch that adds to it.

    ``batch(turn, folder, seconds)`` gets the number of batches before it, an empty folder and the
    time there is. ``goal`` counts batches where ``whole`` says so, else cases. ``quick`` parts run
    a batch in continuous integration. ``exercises`` and ``apart`` say where the sources begin that
    it runs, and which of these it imports alone (see ``sources.py``); a part that names none begins
    anew with every change.
    """

    name: str
    title: str
    unit: str
    batch: Batch
    goal: int
    whole: bool = False
    quick: bool = False
    missing: Callable[[], str | None] = lambda: None
    exercises: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()

    @cached_property
    def code(self) -> str:
        """Fingerprint of the sources that it exercises; counts of others are not added to."""
        return digest(self.exercises, self.apart)


def _no_atheris() -> str | None:
    return None if find_spec("atheris") else "needs pip install atheris"


def _no_compiler() -> str | None:
    return None if shutil.which("c++") else "needs a C++ compiler with its sanitizers"


COMPUTING = (
    "trueval.stratify", "trueval.rank", "trueval.pairs", "trueval.audit", "trueval.study",
    "cpp/stratify", "cpp/rank", "cpp/pairs",
)  # fmt: skip
#: What reads AnnData and ARFF, which trueval does not write.
NOT_WRITTEN = (
    "trueval.data._formats.h5ad", "trueval.data._hdf5_stream", "trueval.data._hdf5_texts",
    "trueval.data._formats.arff",
)  # fmt: skip
#: Outputs are written and read without what computed them.
OUTPUTS = ("tests.campaign.outputs", "trueval.pairs._checkpoint", "trueval.study._partial")
FOLDS = ("tests.golden.cases",)

PARTS = [
    Part("inputs", "Bad inputs by hand, each one documented error", "inputs", suites.bad_inputs,
         goal=1, whole=True, exercises=suites.BAD_INPUTS),
    Part("fuzz", "Random bytes to every reader", "inputs", suites.fuzz, goal=10**7,
         missing=_no_atheris, exercises=("tests.fuzz.targets",), apart=COMPUTING),
    Part("chains", "Chains of write, read, convert and write again", "chains", suites.chains,
         goal=10_000, exercises=(suites.CHAINS_TEST,)),
    Part("kills", "Writers killed at any moment", "kills", kills.batch, goal=1_008, quick=True,
         exercises=OUTPUTS, apart=(*COMPUTING, *NOT_WRITTEN)),
    Part("faults", "The n-th write, fsync, rename or allocation fails", "faults", faults.batch,
         goal=len(faults.WRITERS) * len(faults.ERRORS), whole=True, quick=True,
         exercises=OUTPUTS, apart=(*COMPUTING, *NOT_WRITTEN)),
    Part("disks", "Disks that are full or read-only, limits and permissions", "writes", disks.batch,
         goal=disks.BATCHES, whole=True,
         missing=disks.missing, exercises=OUTPUTS, apart=(*COMPUTING, *NOT_WRITTEN)),
    Part("slow", "Slow disks: files are read while they are written, and writers interrupted",
         "writes", slow.batch, goal=1_000, quick=True, exercises=OUTPUTS,
         apart=(*COMPUTING, *NOT_WRITTEN)),
    Part("sanitizers", "Kernels under address, undefined-behaviour and thread sanitizers", "tests",
         suites.sanitizers, goal=len(suites.SANITIZERS), whole=True, missing=_no_compiler,
         exercises=(*suites.KERNELS, *suites.THREADS)),
    Part("golden", "The pinned folds under other settings", "variants", golden.batch,
         goal=len(golden.variants()), whole=True, exercises=FOLDS),
    Part("memory", "Peak memory of files, as a multiple of the labels", "calls", memory.files,
         goal=len(memory.FILES) * len(memory.SIZES), whole=True, exercises=("trueval.data",),
         apart=COMPUTING),
    Part("memory-calls", "Peak memory of other calls, as a multiple of the input", "calls",
         memory.calls, goal=len(memory.CALLS) * len(memory.SIZES), whole=True,
         exercises=("tests.campaign.memory",), apart=NOT_WRITTEN),
    Part("mutation", "Changed operators and constants that tests notice", "mutants", mutate.batch,
         goal=len(mutate.MODULES), whole=True, missing=mutate.missing,
         exercises=tuple(mutate.MODULES)),
    Part("differences", "Files as by other libraries", "files", differences.batch, goal=10_000,
         quick=True, exercises=("tests.campaign.differences",), apart=(*COMPUTING, *NOT_WRITTEN)),
    Part("numbers", "Numbers as by other libraries", "samples", numbers.batch, goal=10_000,
         quick=True, exercises=("tests.campaign.numbers",), apart=NOT_WRITTEN),
    Part("soak", "An hour of work in one process", "rounds", soak.batch, goal=1, whole=True,
         exercises=("tests.campaign.soak",), apart=NOT_WRITTEN),
    Part("supply", "What is built, and from what", "checks", supply.batch,
         goal=len(supply.CHECKS), whole=True, missing=supply.missing),
]  # fmt: skip
#: What no part here can run, and the command that does, on a machine that has what it needs.
ELSEWHERE = {
    "Pinned folds on a free-threaded Python": (
        "python -m tests.campaign --only golden",
        "with python3.14t in the path",
    ),
    "Pinned folds on an ARM machine, not emulated": (
        "pip install . && python -m tests.golden --check",
        "by the continuous integration of every change, and for every wheel of a release",
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
