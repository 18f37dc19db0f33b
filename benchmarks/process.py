"""One case in one process: the same limits for every method, ours or not.

The parent (:func:`run`) starts ``python -m benchmarks.process`` with one thread, a limit on
CPU time and one on memory. The child calls one function of this package, a generator, and
writes what it yields as one JSON line each, at once, so that what was finished before a limit is
kept. A peer with an environment of its own runs by that environment's interpreter.

CPU time is what counts, since a machine may have other work; the wall clock only ends what
sleeps.
"""

import contextlib
import importlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Limits", "Meter", "Outcome", "peak_bytes", "run"]

MB = 1e6
PATIENCE, GRACE = 10.0, 60.0  # wall seconds: for each CPU second of the limit, and on top
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1"
) | {"NUMBA_NUM_THREADS": "1"}


@dataclass(frozen=True)
class Limits:
    """What a case may use: CPU seconds and GiB of address space; 0 for no limit."""

    seconds: float = 600.0
    memory: float = 16.0


@dataclass
class Outcome:
    """What came back: the lines of the case, and why there are no more."""

    rows: list[dict[str, Any]]
    problem: str = ""


# --- parent ----------------------------------------------------------------------


def run(
    target: str, order: dict[str, Any], limits: Limits, python: str = sys.executable
) -> Outcome:
    """Call a function of this package in a fresh process.

    Parameters
    ----------
    target : str
        ``module:function`` below ``benchmarks``; called as ``function(**order)``, a generator
        of JSON-able dicts.
    order : dict
        Its arguments, JSON-able.
    limits : Limits
    python : str
        Interpreter of the environment to use.

    Returns
    -------
    Outcome
    """
    with tempfile.TemporaryDirectory() as scratch:
        asked, answer = Path(scratch, "order.json"), Path(scratch, "rows.jsonl")
        asked.write_text(json.dumps({"order": order, "limits": vars(limits)}))
        problem = _wait(
            [python, "-m", "benchmarks.process", target, str(asked), str(answer)], limits
        )
        lines = answer.read_text().splitlines() if answer.exists() else []
    rows = [json.loads(line) for line in lines]
    errors = [row["error"] for row in rows if "error" in row]
    kept = [row for row in rows if "error" not in row]
    return Outcome(kept, errors[0] if errors else problem)


def _wait(command: list[str], limits: Limits) -> str:
    """Run a command and say what went wrong, in a few words."""
    root = Path(__file__).resolve().parents[1]
    patience = limits.seconds * PATIENCE + GRACE if limits.seconds else None
    before = _children_seconds()
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
            code = child.wait(patience)
        except subprocess.TimeoutExpired:
            return f"over {patience:g} s on the wall clock"
        finally:
            child.kill()
            child.wait()
        output.seek(0)
        said = output.read().decode(errors="replace").strip().splitlines()
    if code == 0:
        return ""
    spent = _children_seconds() - before
    if limits.seconds and (code == -signal.SIGXCPU or spent >= limits.seconds):
        return f"over {limits.seconds:g} s of CPU time"
    if code == -signal.SIGKILL:  # nobody else here kills
        return "killed by the system, most likely out of memory"
    return said[-1] if said and code > 0 else f"ended by signal {-code}"


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


# --- child -----------------------------------------------------------------------


class Meter:
    """CPU seconds and peak memory above the state in which it was made.

    Parameters
    ----------
    before : int, optional
        Bytes of the process before its input was loaded, for ``with_input_mb``.
    """

    def __init__(self, before: int | None = None) -> None:
        self.loaded = memory_now()
        self.before = self.loaded if before is None else before
        _forget_peak()

    def time(self, work: Callable[[], Any], repeats: int = 1) -> tuple[Any, float]:
        """Result, and the least CPU seconds of a few calls."""
        least = float("inf")
        for _ in range(repeats):
            start = time.process_time()
            result = work()
            least = min(least, time.process_time() - start)
        return result, least

    def steady(self, work: Callable[[], Any], seconds: float = 0.2) -> tuple[Any, float]:
        """Result, and CPU seconds of a call: the mean of as many as fill some time.

        For calls too short for the clock; a long one is made once.
        """
        calls, start = 0, time.process_time()
        while True:
            result = work()
            calls += 1
            spent = time.process_time() - start
            if spent >= seconds:
                return result, spent / calls

    def memory(self) -> dict[str, float]:
        """Megabytes: the peak above the loaded state, and above the state before loading."""
        peak = peak_bytes()
        return {
            "mb": (peak - self.loaded) / MB,
            "with_input_mb": (peak - self.before) / MB,
            "peak_mb": peak / MB,
        }


def memory_now() -> int:
    """Bytes this process has in memory."""
    return _status("VmRSS") or _max_rss()


def peak_bytes() -> int:
    """Most bytes this process has had, on Linux since the last :class:`Meter` was made."""
    return _status("VmHWM") or _max_rss()


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


def _forget_peak() -> None:
    """Let the peak start from now on, where the system can."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _limit(limits: dict[str, float]) -> None:
    if limits["memory"] > 0:
        size = int(limits["memory"] * 2**30)
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
    if limits["seconds"] > 0:
        seconds = int(limits["seconds"])
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))


def _work(target: str, asked: str, answer: str) -> None:
    """Call the target; every line it yields is written at once."""
    warnings.simplefilter("ignore")
    wanted = json.loads(Path(asked).read_text())
    _limit(wanted["limits"])
    module, function = target.split(":")
    with Path(answer).open("w", buffering=1) as out:
        try:
            work = getattr(importlib.import_module(f"benchmarks.{module}"), function)
            for row in work(**wanted["order"]):
                out.write(json.dumps(row) + "\n")
        except MemoryError as error:
            reason = str(error).split(" with shape")[0] or "limit reached"
            out.write(json.dumps({"error": f"out of memory: {reason}"}) + "\n")
        except Exception as error:
            said = " ".join(str(error).split())[:200]
            out.write(json.dumps({"error": f"{type(error).__name__}: {said}"}) + "\n")


if __name__ == "__main__":
    _work(*sys.argv[1:])
