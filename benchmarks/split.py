"""Quality, time and memory of every split method and peer: ``python -m benchmarks.split``.

See ``benchmarks/README.md`` for the rules and the options.
"""

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmarks import data as data_sets
from benchmarks.bars import BIG, DEFAULT, PAPER, bars
from benchmarks.measure import Job, Limits, Result, run, write_data
from benchmarks.peers import PEERS
from benchmarks.report import bars_table, data_heading, data_table, markdown, text

PEER_SEEDS = 3
PAPER_SEEDS = 10
BUDGET = 60.0  # CPU seconds after which a method that needs no more seeds gets none
QUICK_DATA = ("bibtex", "delicious", "simulated_small")
NOTES = """\
Figures are means over the seeds, CPU seconds the median of the split call alone, one thread.
rLD*: against the wanted sizes, which unequal folds cannot flatter. missing: class-fold cells
without a member, and those of them whose class has at least as many members as there are folds.
MB: peak memory above that with the labels loaded; a dense copy that a peer needs counts.
A peer that ignores its seed runs once; no further seed is started after a minute of CPU time."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its tables and bars."""
    options = _parser().parse_args(arguments)
    chosen = _chosen_data(options)
    limits = Limits(options.peer_timeout, options.peer_memory)
    facts: dict[str, dict[str, Any]] = {}
    results: dict[str, dict[str, Result]] = {}
    print(_header(options), flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        for name, data in chosen.items():
            _say(f"{name}: preparing")
            path = Path(scratch, f"{name}.npz")
            facts[name] = write_data(name, path)
            results[name] = {}
            for job in _jobs(name, options):
                hopeless = _too_slow_before(job, results) if options.skip_hopeless else ""
                results[name][job.label] = (
                    Result(job, [], f"not tried, {hopeless}")
                    if hopeless
                    else _measured(job, name, path, limits)
                )
            path.unlink()
            heading = data_heading(facts[name], data.note)
            table = data_table(list(results[name].values()))
            print("\n" + "\n".join(heading), text(table), sep="\n", flush=True)
    judged = bars(results)
    print(f"\n{NOTES}\n\nbars", text(bars_table(judged)), sep="\n", flush=True)
    if options.json:
        everything = {
            "about": _about(options),
            "data": facts,
            "results": {n: [asdict(r) for r in rs.values()] for n, rs in results.items()},
            "bars": [bar.as_dict() for bar in judged],
        }
        _write(options.json, json.dumps(everything, indent=1) + "\n")
    if options.markdown:
        _write(options.markdown, _as_markdown(options, chosen, facts, results, judged))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.split", description=__doc__)
    known = [*data_sets.REAL, *data_sets.SIMULATED]
    parser.add_argument("--data", nargs="+", choices=known, metavar="NAME", help=", ".join(known))
    parser.add_argument("--quick", action="store_true", help="small data, 1 seed, no slow peers")
    parser.add_argument("--seeds", type=int, default=5, help="seeds of our methods (default 5)")
    parser.add_argument("--no-peers", action="store_true", help="our methods only")
    parser.add_argument(
        "--peer-timeout", type=float, default=600, help="wall seconds for a method (default 600)"
    )
    parser.add_argument(
        "--peer-memory", type=float, default=16, help="GiB for a method, 0 = any (default 16)"
    )
    parser.add_argument(
        "--skip-hopeless",
        action="store_true",
        help="do not try a peer again that was too slow or too large on an earlier data set",
    )
    parser.add_argument("--json", type=Path, help="also write all figures here")
    parser.add_argument("--markdown", type=Path, help="also write the tables here")
    return parser


def _chosen_data(options: argparse.Namespace) -> dict[str, data_sets.DataSet]:
    found = data_sets.available()
    if found is data_sets.SIMULATED:
        print("No real data: set TRUEVAL_DATA to their folder. Simulated data instead.\n")
    if options.data:
        everything = found | data_sets.SIMULATED
        absent = [name for name in options.data if name not in everything]
        if absent:
            raise SystemExit(f"not in the folder TRUEVAL_DATA names: {', '.join(absent)}")
        return {name: everything[name] for name in options.data}
    if options.quick:
        return {name: data for name, data in found.items() if name in QUICK_DATA}
    return dict(found)


def _jobs(name: str, options: argparse.Namespace) -> list[Job]:
    return _our_jobs(name, options) + ([] if options.no_peers else _peer_jobs(options))


def _our_jobs(name: str, options: argparse.Namespace) -> list[Job]:
    from trueval.stratify import METHODS

    seeds = 1 if options.quick else options.seeds
    jobs = []
    for method in METHODS:
        if method == DEFAULT:
            jobs.append(Job(method, method, seeds=seeds, passes=name == BIG))
        elif method == "optisplit" and name in PAPER:
            repeats = seeds if options.quick else max(seeds, PAPER_SEEDS)
            for measure in PAPER[name]:
                settings = {"measure": measure}
                jobs.append(Job(f"{method}, {measure}", method, seeds=repeats, options=settings))
        else:
            label = "optisplit, rld" if method == "optisplit" else method
            jobs.append(Job(label, method, seeds=seeds, budget=BUDGET))
    return jobs


def _peer_jobs(options: argparse.Namespace) -> list[Job]:
    seeds = 1 if options.quick else PEER_SEEDS
    return [
        Job(name, name, peer=True, seeds=seeds if peer.seeded else 1, budget=BUDGET)
        for name, peer in PEERS.items()
        if not (options.quick and peer.slow)
    ]


def _measured(job: Job, name: str, path: Path, limits: Limits) -> Result:
    if job.peer and PEERS[job.method].version is None:
        return Result(job, [], "not installed")
    start = time.perf_counter()
    result = run(job, path, limits)
    took = time.perf_counter() - start
    problem = f", {result.problem}" if result.problem else ""
    _say(f"{name}: {job.label}: {len(result.rows)} seeds in {took:.1f} s{problem}")
    return result


def _too_slow_before(job: Job, results: dict[str, dict[str, Result]]) -> str:
    """Where a peer met a limit without finishing one split; data sets come by size."""
    for name, of_data in results.items():
        before = of_data.get(job.label)
        if job.peer and before and not before.rows and before.problem.startswith(("over", "out")):
            return f"{before.problem} on {name}"
    return ""


def _about(options: argparse.Namespace) -> dict[str, Any]:
    packages = ["trueval", "numpy", "scipy", "scikit-learn", *(p.package for p in PEERS.values())]
    versions = {}
    for package in packages:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            versions[package] = None
    return {
        "python": platform.python_version(),
        "processor": _processor(),
        "versions": versions,
        "seconds_limit": options.peer_timeout,
        "memory_limit_gib": options.peer_memory,
    }


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _header(options: argparse.Namespace) -> str:
    about = _about(options)
    versions = ", ".join(f"{k} {v or 'not installed'}" for k, v in about["versions"].items())
    return (
        f"python {about['python']}, {versions}\n{about['processor']}, one thread; at most "
        f"{options.peer_timeout:g} s and {options.peer_memory:g} GiB for a method and its seeds"
    )


def _as_markdown(options, chosen, facts, results, judged) -> str:
    blocks = [_header(options)]
    for name, data in chosen.items():
        heading = data_heading(facts[name], data.note)
        table = data_table(list(results[name].values()))
        blocks += [f"## {name}", "\n".join(heading), markdown(table)]
    blocks += [NOTES, "## Bars", markdown(bars_table(judged))]
    return "\n\n".join(blocks) + "\n"


def _write(path: Path, content: str) -> None:
    """Write beside the file, then rename, so that no half file is ever seen."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(content, encoding="utf-8")
    beside.replace(path)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
