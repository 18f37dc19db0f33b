"""Parts that are tests of their own: bad inputs, fuzzing, chains, and sanitized kernels."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from tests.campaign.golden import environment
from tests.campaign.record import ROOT, Outcome

BAD_INPUTS = (
    "tests/data/formats", "tests/data/values/test_bad_values.py", "tests/core/test_errors.py",
    "tests/report/test_damaged.py", "tests/cli/test_bad_input.py",
)  # fmt: skip
KERNELS = (
    "tests/stratify", "tests/pairs", "tests/rank", "tests/data", "tests/cafa",
    "tests/core/test_memory_layouts.py",
)  # fmt: skip
THREADS = ("tests/campaign/test_threads.py",)
CHAINS_TEST = "tests/data/values/test_chains.py"
FUZZ_READERS, FUZZ_JOBS = 7, 2  # in a batch, at a time
FUZZ_LEAST, FUZZ_SECONDS = 10_000, 60  # inputs of each reader at first, later seconds
CHAINS = 500  # examples of each machine in a batch
SANITIZERS = {
    # What CMake is told, the libraries to load first, and what runs.
    "address, undefined": ("ON", ("libasan.so", "libubsan.so"), KERNELS),
    "thread": ("thread", ("libtsan.so",), THREADS),
}


def pytest(*args: str, python: str = sys.executable, **settings: str) -> tuple[int, str]:
    """Number of tests that passed, and the output if any failed."""
    done = subprocess.run(
        [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *args],
        capture_output=True, text=True, cwd=ROOT, env={**os.environ, **settings},
    )  # fmt: skip
    passed = re.search(r"(\d+) passed", done.stdout)
    ended = f"ended with {done.returncode}\n"  # below 0: by a signal, perhaps after the last test
    failed = ended + done.stdout[-3000:] + done.stderr[-1000:] if done.returncode else ""
    return int(passed.group(1)) if passed else 0, failed


def bad_inputs(turn: int, folder: Path, seconds: float) -> Outcome:
    """Files and values that must be refused, each with one documented error."""
    passed, failed = pytest(*BAD_INPUTS)
    return Outcome(passed, [failed] if failed else [])


def chains(turn: int, folder: Path, seconds: float) -> Outcome:
    """Chains of writing and reading, others each time."""
    passed, failed = pytest(
        CHAINS_TEST,
        f"--hypothesis-seed={turn}",
        TRUEVAL_CHAINS=str(CHAINS),
        TRUEVAL_HYPOTHESIS="random",
    )
    return Outcome(CHAINS * passed, [failed] if failed else [])


def fuzz(turn: int, folder: Path, seconds: float) -> Outcome:
    """Some readers, from where they stopped: what is learned is kept in a folder.

    In the first round each has a number of inputs, whatever the time; later each has the same time,
    so that the quick ones get most.
    """
    from tests.fuzz.targets import TARGETS

    names = sorted(TARGETS)
    round_, part = divmod(turn, -(-len(names) // FUZZ_READERS))
    chosen = names[FUZZ_READERS * part : FUZZ_READERS * (part + 1)]
    runs, most = (-1, FUZZ_SECONDS) if round_ else (FUZZ_LEAST, 3600)
    spent = max(1, min(most, int(FUZZ_JOBS * seconds / len(chosen))))
    command = [
        sys.executable, "-m", "tests.fuzz", *chosen, "--json", "--seconds", str(spent),
        "--runs", str(runs), "--jobs", str(FUZZ_JOBS), "--corpus", str(ROOT / "build" / "fuzz"),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    results = [json.loads(line) for line in done.stdout.splitlines()]
    failures = [f"{one['name']}: {one['failure']}" for one in results if one["failure"]]
    if len(results) < len(chosen):
        failures.append(done.stderr[-2000:])
    figures = {one["name"]: one["inputs"] for one in results}
    return Outcome(sum(figures.values()), failures, figures)


def sanitizers(turn: int, folder: Path, seconds: float) -> Outcome:
    """Kernels built with a sanitizer, and the tests that call them."""
    name, (option, libraries, tests) = list(SANITIZERS.items())[turn % len(SANITIZERS)]
    python = environment(
        folder / "env", sys.executable, ".[test]", "-C", f"cmake.define.TRUEVAL_SANITIZE={option}"
    )
    compiler = os.environ.get("CXX", "c++")
    paths = [
        subprocess.run(
            [compiler, f"-print-file-name={library}"], capture_output=True, text=True, check=True
        ).stdout.strip()
        for library in libraries
    ]
    # pytest keeps what passing tests print: reports go to files. Those of threads are of other
    # libraries too, and these must not decide how the process ends.
    log = f"log_path={folder}/report"
    passed, failed = pytest(
        *tests, python=python, LD_PRELOAD=" ".join(paths), TRUEVAL_HYPOTHESIS="quick",
        ASAN_OPTIONS=f"detect_leaks=0:{log}", UBSAN_OPTIONS=f"print_stacktrace=1:{log}",
        TSAN_OPTIONS=f"report_signal_unsafe=0:exitcode=0:{log}",
    )  # fmt: skip
    reports = [path.read_text()[:2000] for path in folder.glob("report*")]
    reports = [text for text in reports if "_kernels" in text or name != "thread"]
    failures = [*([failed] if failed else []), *reports]
    return Outcome(passed, failures, {f"tests under {name}": passed})
