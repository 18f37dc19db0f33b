"""One method on one label matrix: measured, judged, and summed up over its seeds."""

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from statistics import mean, median
from typing import Any

from benchmarks.command import say
from benchmarks.envs import environment
from benchmarks.peers import GROUP_PEERS, PEERS, Peer
from benchmarks.process import Limits, run
from benchmarks.split_cases import judge

__all__ = ["Job", "Result", "describe", "measured", "summary"]


@dataclass(frozen=True)
class Job:
    """What to measure."""

    label: str  # name of the row
    method: str  # A method of ``trueval.stratify.METHODS``, or a peer's name
    peer: bool = False
    seeds: int = 5  # seeds 0 … seeds − 1
    options: dict[str, Any] = field(default_factory=dict)  # the method's options
    budget: float | None = None  # start no further seed after so many CPU seconds
    passes: bool = False  # whether to time ``numpy.bincount(Y.indices)`` after each split


@dataclass
class Result:
    """A row of figures for each finished seed, and why there are no more."""

    job: Job
    rows: list[dict[str, Any]]
    problem: str = ""

    def values(self, name: str) -> list[Any]:
        """One figure of all seeds."""
        return [row[name] for row in self.rows]


def describe(
    name: str, path: Path, n_folds: int, groups: Path | None = None, made: Any = None
) -> dict[str, Any]:
    """Write a data set for the measuring processes, and its figures."""
    order = {"name": name, "path": str(path), "n_folds": n_folds, "made": made}
    order["groups"] = str(groups) if groups else ""
    outcome = run("split_cases:prepare", order, Limits(0, 0))
    if outcome.problem:
        raise RuntimeError(f"cannot prepare {name}: {outcome.problem}")
    return outcome.rows[0]


def measured(
    job: Job,
    data: Path,
    limits: Limits,
    *,
    n_folds: int = 5,
    groups: Path | None = None,
    peer_env: Path | None = None,
) -> Result:
    """Split in a process of its own, judge here."""
    where = {"data": str(data), "n_folds": n_folds, "groups": str(groups) if groups else ""}
    peer = (GROUP_PEERS if groups else PEERS)[job.method] if job.peer else None
    python, problem = _interpreter(peer, peer_env)
    if problem:
        return Result(job, [], problem)
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        order = where | {
            "folder": folder,
            "method": job.method,
            "peer": job.peer,
            "seeds": job.seeds,
            "options": job.options,
            "budget": job.budget,
            "passes": job.passes,
        }
        outcome = run("split_cases:measure", order, limits, **python)
        rows, problem = outcome.rows, outcome.problem
        if rows:
            seeds = [row["seed"] for row in rows]
            try:
                judged = list(judge(**where, folder=folder, seeds=seeds))
            except ValueError as error:
                rows, problem = [], f"folds refused: {error}"
            else:
                rows = [a | b for a, b in zip(rows, judged, strict=True)]
    took, said = time.perf_counter() - start, f", {problem}" if problem else ""
    say(f"{data.stem}: {job.label}: {len(rows)} seeds in {took:.1f} s{said}")
    return Result(job, rows, problem)


def _interpreter(peer: Peer | None, folder: Path | None) -> tuple[dict[str, str], str]:
    """Interpreter of a peer, and why there is none."""
    if peer is None:
        return {}, ""
    if peer.apart:
        found = environment(peer.package, folder)
        return {"python": found.python}, found.problem
    try:
        metadata.version(peer.package)
    except metadata.PackageNotFoundError:
        return {}, "not installed"
    return {}, ""


def summary(results: Sequence[Result], default: str) -> list[dict[str, Any]]:
    """A table row for each result; times beside that of the default method."""
    own = next((r for r in results if r.job.label == default and r.rows), None)
    base = median(own.values("cpu")) if own else None
    return [_row(result, default, base) for result in results]


def _row(result: Result, default: str, base: float | None) -> dict[str, Any]:
    row: dict[str, Any] = {
        "method": result.job.label,
        "kind": "peer" if result.job.peer else "ours",
        "seeds": len(result.rows),
        "problem": result.problem or None,
        "default": result.job.label == default,
    }
    if not result.rows:
        return row | {"seeds": None}
    averages = ("rld", "rld_ratio", "dcp_ratio", "ld", "ed", "missing", "avoidable", "torn")
    cpu = median(result.values("cpu"))
    return row | {
        **{name: mean(result.values(name)) for name in averages},
        "worst_rld_ratio": max(result.values("rld_ratio")),
        "sizes": f"{min(result.values('smallest'))}-{max(result.values('largest'))}",
        "cpu": cpu,
        "ratio": cpu / base if base else None,
        "mb": result.rows[0]["mb"],
    }
