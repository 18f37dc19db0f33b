"""One method on one data set, measured in a process of its own.

The parent (:func:`run`) starts ``python -m benchmarks.measure`` with one thread and
the same limits for every method, ours or not. The child loads the labels, notes
its memory, times each split by ``time.process_time`` around the call alone, and
writes one JSON line for each seed, so that what was finished before a limit is kept.
"""

import contextlib
import hashlib
import importlib
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Job", "Limits", "Result", "run", "write_data"]

N_FOLDS = 5
PASSES = 5  # plain passes timed after each split
MB = 1e6
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1"
)


@dataclass(frozen=True)
class Job:
    """What a measuring process has to do.

    Attributes
    ----------
    label : str
        Name of the row.
    method : str
        A method of ``trueval.stratify.METHODS``, or a peer's name.
    peer : bool
    seeds : int
        Seeds 0 … seeds − 1.
    options : dict
        The method's options.
    budget : float or None
        Start no further seed after so many CPU seconds.
    passes : bool
        Whether to time ``numpy.bincount(Y.indices)`` after each split.
    """

    label: str
    method: str
    peer: bool = False
    seeds: int = 5
    options: dict[str, Any] = field(default_factory=dict)
    budget: float | None = None
    passes: bool = False


@dataclass(frozen=True)
class Limits:
    """What a measuring process may use: wall seconds and GiB of address space."""

    seconds: float
    memory: float


@dataclass
class Result:
    """What came back: a row for each finished seed, and why there are no more."""

    job: Job
    rows: list[dict[str, Any]]
    problem: str = ""

    def values(self, name: str) -> list[Any]:
        """One figure of all seeds."""
        return [row[name] for row in self.rows]


# --- parent ----------------------------------------------------------------------


def run(job: Job, data: Path, limits: Limits) -> Result:
    """Measure one method in a fresh process.

    Parameters
    ----------
    job : Job
    data : Path
        Uncompressed ``.npz`` of the labels.
    limits : Limits

    Returns
    -------
    Result
    """
    with tempfile.TemporaryDirectory() as scratch:
        order, answer = Path(scratch, "job.json"), Path(scratch, "rows.jsonl")
        order.write_text(json.dumps(asdict(job) | {"memory": limits.memory}))
        problem = _wait(["measure", str(data), str(order), str(answer)], limits)
        lines = answer.read_text().splitlines() if answer.exists() else []
    rows = [json.loads(line) for line in lines]
    errors = [row["error"] for row in rows if "error" in row]
    return Result(
        job, [row for row in rows if "error" not in row], errors[0] if errors else problem
    )


def write_data(name: str, path: Path) -> dict[str, Any]:
    """Write a data set for the measuring processes and describe it.

    In a process of its own too, so that the parent stays small: a child's peak
    memory as ``getrusage`` counts it starts from its parent's.
    """
    about = path.with_suffix(".json")
    problem = _wait(["write", name, str(path), str(about)], Limits(3600, 0))
    if problem:
        raise RuntimeError(f"cannot prepare {name}: {problem}")
    return json.loads(about.read_text())


def _wait(arguments: list[str], limits: Limits) -> str:
    """Run this module and say what went wrong, in a few words."""
    command = [sys.executable, "-m", "benchmarks.measure", *arguments]
    root = Path(__file__).resolve().parents[1]
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(
            command,
            cwd=root,
            env=os.environ | _ONE_THREAD,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            code = child.wait(limits.seconds)
        except subprocess.TimeoutExpired:
            return f"over {limits.seconds:g} s"
        finally:
            child.kill()
            child.wait()
        output.seek(0)
        said = output.read().decode(errors="replace").strip().splitlines()
    if code == 0:
        return ""
    return said[-1] if said and code > 0 else f"ended by signal {-code}"


# --- child -----------------------------------------------------------------------


def _measure(data: str, order: str, answer: str) -> None:
    """Do one job; every finished seed is written at once."""
    import scipy.sparse as sp

    warnings.simplefilter("ignore")
    wanted = json.loads(Path(order).read_text())
    _limit_memory(wanted.pop("memory"))
    job = Job(**wanted)
    with Path(answer).open("w", buffering=1) as out:
        try:
            _import(job)
            before = _memory_now()
            y = sp.csr_array(sp.load_npz(data))
            for row in _rows(job, y, before):
                out.write(json.dumps(row) + "\n")
        except MemoryError as error:
            reason = str(error).split(" with shape")[0] or "limit reached"
            out.write(json.dumps({"error": f"out of memory: {reason}"}) + "\n")
        except Exception as error:
            out.write(json.dumps({"error": f"{type(error).__name__}: {error}"}) + "\n")


def _rows(job: Job, y: Any, before: int) -> Iterator[dict[str, Any]]:
    """Split with each seed; memory is that of the first split."""
    loaded = _memory_now()
    _forget_peak()
    split = _splitter(job, y)
    memory: dict[str, float] = {}
    spent = 0.0
    for seed in range(job.seeds):
        start = time.process_time()
        folds = split(seed)
        cpu = time.process_time() - start
        memory = memory or _memory(y, before, loaded)
        row = {"seed": seed, "cpu": cpu} | memory | _quality(y, folds)
        if job.passes:
            row["pass"] = statistics.median(_plain_pass(y) for _ in range(PASSES))
        yield row
        spent += cpu
        if job.budget is not None and spent > job.budget:
            return


def _memory(y: Any, before: int, loaded: int) -> dict[str, float]:
    """Megabytes: the input arrays, the peak, and the peak above two earlier states."""
    peak = _memory_peak()
    return {
        "arrays_mb": (y.indptr.nbytes + y.indices.nbytes + y.data.nbytes) / MB,
        "peak_mb": peak / MB,
        "added_mb": (peak - loaded) / MB,
        "with_labels_mb": (peak - before) / MB,
    }


def _import(job: Job) -> None:
    """Import what the split needs, so that neither its time nor its memory has it."""
    importlib.import_module("trueval.stratify")
    if job.peer:
        from benchmarks.peers import PEERS

        importlib.import_module(PEERS[job.method].module)


def _splitter(job: Job, y: Any) -> Any:
    if job.peer:
        from benchmarks.peers import PEERS

        return PEERS[job.method].prepare(y.copy(), N_FOLDS)  # a peer may write into it
    from trueval.stratify import stratified_folds

    def split(seed: int) -> Any:
        return stratified_folds(
            y, N_FOLDS, method=job.method, random_state=seed, n_jobs=1, **job.options
        )

    return split


def _quality(y: Any, folds: Any) -> dict[str, Any]:
    import numpy as np

    from trueval.stratify.quality import as_folds, split_quality

    numbers = as_folds(folds, y.shape[0])
    quality = split_quality(y, numbers, parts=N_FOLDS)
    names = ("ld", "ed", "rld", "dcp", "rld_wanted", "rld_bound", "dcp_bound")
    return {name: getattr(quality, name) for name in names} | {
        "rld_ratio": quality.rld_ratio,
        "dcp_ratio": quality.dcp_ratio,
        "smallest": int(quality.sizes.min()),
        "largest": int(quality.sizes.max()),
        "missing": quality.missing,
        "avoidable": quality.avoidable,
        "folds": hashlib.sha256(np.asarray(numbers, np.int32).tobytes()).hexdigest(),
    }


def _plain_pass(y: Any) -> float:
    import numpy as np

    start = time.process_time()
    np.bincount(y.indices)
    return time.process_time() - start


def _limit_memory(gib: float) -> None:
    if gib > 0:
        size = int(gib * 2**30)
        resource.setrlimit(resource.RLIMIT_AS, (size, size))


def _status(name: str) -> int | None:
    """A figure of the kernel's account of this process, in bytes; Linux only."""
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return None


def _max_rss() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _memory_now() -> int:
    return _status("VmRSS") or _max_rss()


def _memory_peak() -> int:
    return _status("VmHWM") or _max_rss()


def _forget_peak() -> None:
    """Let the peak start from now on, where the system can."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _write(name: str, path: str, about: str) -> None:
    import numpy as np
    import scipy.sparse as sp

    from benchmarks import data
    from trueval.stratify import measures

    data.write(name, path)
    y = sp.load_npz(path)
    sizes = np.bincount(y.indices, minlength=y.shape[1])
    sizes = sizes[sizes > 0]
    shares = np.full(N_FOLDS, 1 / N_FOLDS)
    facts = {
        "name": name,
        "n_rows": y.shape[0],
        "n_classes": y.shape[1],
        "positives": int(y.nnz),
        "smallest_class": int(sizes.min()),
        "largest_class": int(sizes.max()),
        "rld_bound": float(measures.rld_bound(sizes, shares).mean()),
        "dcp_bound": float(measures.dcp_bound(sizes, shares).mean()),
    }
    Path(about).write_text(json.dumps(facts))


if __name__ == "__main__":
    {"measure": _measure, "write": _write}[sys.argv[1]](*sys.argv[2:])
