"""Quality, time and memory of every split method and peer: ``python -m benchmarks.split``.

See ``benchmarks/README.md`` for the rules and the options.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks import data as data_sets
from benchmarks.bars import BIG, DEFAULT, LD_PEER, LD_ROW, PAPER, bars
from benchmarks.command import Run, parser, say
from benchmarks.peer_checks import CHECKS
from benchmarks.peers import GROUP_PEERS, PEERS
from benchmarks.process import run
from benchmarks.record import Column, Table, columns_of
from benchmarks.split_run import Job, Result, describe, measured, summary
from trueval.core.provenance import versions

N_FOLDS = 5
PEER_SEEDS = 3
PAPER_SEEDS = 10
QUICK_SEEDS = {LD_ROW: 3, LD_PEER: 3}  # rows that are compared by their spread
LARGE = ("wiki10_31k", "swissprot_go_2014")
BUDGET = 60.0  # CPU seconds after which a method that needs no more seeds gets none
QUICK_DATA = ("bibtex", "delicious", "simulated_small")
COLUMNS = columns_of(
    "method; seeds||d; rld|rLD|.5f; rld_ratio|rLD*/bound|.4f|low; "
    "dcp_ratio|DCP/bound|.4f|low; ld|LD|.6f|low; ed|ED|.1f|low; sizes|fold sizes; "
    "missing||.0f; avoidable||.0f|low; cpu|CPU s|.3f|low; ratio|× ours|.3g; "
    "mb|MB|.0f|low"
)
NOTES = (
    "Figures are means over the seeds; CPU seconds are the median of the split call alone, one "
    "thread; × ours is that time over the time of the default method in the same run.",
    "rLD*: against the wanted fold sizes, which unequal folds cannot flatter; 1 is the bound that "
    "no split can pass. Missing: class-fold cells without a member; avoidable: those whose class "
    "has at least as many members as there are folds.",
    "MB: peak memory above that with the labels loaded; a dense copy that a peer needs counts.",
    "A peer that ignores its seed runs once; no further seed is started after a minute of CPU "
    "time.",
    "Groups are kept together by trueval, trustcv and scikit-learn's GroupKFold and "
    "StratifiedGroupKFold only; iterative-stratification, optisplit and scikit-multilearn(-ng) "
    "have none. The sets have no groups of their own: random ones are made.",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its tables and bars."""
    options = _parser().parse_args(arguments)
    packages = [peer.package for peer in PEERS.values()]
    bench = Run.start("split", "Splitting multi-label data", options, arguments, packages)
    chosen = _chosen_data(options)
    results: dict[str, dict[str, Result]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for name, data in chosen.items():
            say(f"{name}: preparing")
            path, groups = Path(scratch, f"{name}.npz"), Path(scratch, f"{name}-groups.npy")
            facts = describe(name, path, N_FOLDS, groups)
            results[name] = {}
            for job in _jobs(name, options):
                results[name][job.label] = _measured(bench, job, path, results)
            rows = summary(list(results[name].values()), DEFAULT)
            table = Table(name, _about(facts, data.note), COLUMNS, rows)
            if name in LARGE and options.large_timeout is not None:
                table.notes.append(f"At most {options.large_timeout:g} s of CPU time for a case.")
            bench.show(table)
            if name in options.group_data:
                bench.show(_grouped(bench, name, path, groups))
            if name == QUICK_DATA[0] and not (options.quick or options.no_peers):
                bench.show(_checked(bench, path))
            path.unlink()
    judged = bars(results)
    columns = [Column(key, key) for key in ("what", "wanted", "measured", "verdict")]
    rows = [bar.as_dict() for bar in judged]
    bench.show(Table("Bars", "What this project asks of itself.", columns, rows))
    for note in NOTES:
        bench.note(note)
    return bench.done()


def _parser() -> argparse.ArgumentParser:
    made = parser("split", __doc__)
    known = [*data_sets.REAL, *data_sets.SIMULATED]
    made.add_argument("--data", nargs="+", choices=known, metavar="NAME", help=", ".join(known))
    made.add_argument(
        "--group-data",
        nargs="*",
        choices=known,
        metavar="NAME",
        default=("bibtex", "delicious", "simulated_small"),
        help="sets also split with groups (bibtex and delicious)",
    )
    made.add_argument("--seeds", type=int, default=5, help="seeds of our methods (default 5)")
    made.add_argument(
        "--large-timeout",
        type=float,
        metavar="S",
        help=f"CPU seconds for a case of {' and '.join(LARGE)} [as --peer-timeout]",
    )
    made.add_argument(
        "--skip-hopeless",
        action="store_true",
        help="do not try a peer again that was too slow or too large on an earlier data set",
    )
    return made


def _chosen_data(options: argparse.Namespace) -> dict[str, data_sets.DataSet]:
    found = data_sets.available()
    if found is data_sets.SIMULATED:
        say("No real data: set TRUEVAL_DATA to their folder. Simulated data instead.")
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
    return _our_jobs(name, options) + ([] if options.no_peers else _peer_jobs(options, PEERS))


def _our_jobs(name: str, options: argparse.Namespace) -> list[Job]:
    from trueval.stratify import METHODS

    seeds = 1 if options.quick else options.seeds
    jobs = []
    for method in METHODS:
        if method == DEFAULT:
            jobs.append(Job(method, method, seeds=seeds, passes=name == BIG))
            for measure in ("dcp", "ld"):
                label, settings = f"{method}, {measure}", {"measure": measure}
                repeats = max(seeds, QUICK_SEEDS.get(label, 1))
                jobs.append(Job(label, method, seeds=repeats, options=settings))
        elif method == "optisplit" and name in PAPER:
            repeats = seeds if options.quick else max(seeds, PAPER_SEEDS)
            for measure in PAPER[name]:
                settings = {"measure": measure}
                jobs.append(Job(f"{method}, {measure}", method, seeds=repeats, options=settings))
        else:
            label = "optisplit, rld" if method == "optisplit" else method
            jobs.append(Job(label, method, seeds=seeds, budget=BUDGET))
    return jobs


def _peer_jobs(options: argparse.Namespace, peers: dict[str, Any]) -> list[Job]:
    jobs = []
    for name, peer in peers.items():
        if options.quick and peer.slow:
            continue
        seeds = QUICK_SEEDS.get(name, 1) if options.quick else PEER_SEEDS
        jobs.append(Job(name, name, peer=True, seeds=seeds if peer.seeded else 1, budget=BUDGET))
    return jobs


def _measured(bench: Run, job: Job, path: Path, results: dict[str, dict[str, Result]]) -> Result:
    hopeless = _too_slow_before(job, results) if bench.options.skip_hopeless else ""
    if hopeless:
        return Result(job, [], f"not tried, {hopeless}")
    limits, large = bench.limits, bench.options.large_timeout
    if path.stem in LARGE and large is not None:
        limits = replace(limits, seconds=large)
    return measured(job, path, limits, n_folds=N_FOLDS, peer_env=bench.options.peer_env)


def _too_slow_before(job: Job, results: dict[str, dict[str, Result]]) -> str:
    """Where a peer met a limit without finishing one split; data sets come by size."""
    for name, of_data in results.items():
        before = of_data.get(job.label)
        if job.peer and before and not before.rows and before.problem.startswith(("over", "out")):
            return f"{before.problem} on {name}"
    return ""


def _about(facts: dict[str, Any], note: str) -> str:
    name = f"{facts['name']} ({note})" if note else facts["name"]
    return (
        f"{name}: {facts['n_rows']:,} rows, {facts['n_classes']:,} classes of "
        f"{facts['smallest_class']:,} to {facts['largest_class']:,} members, "
        f"{facts['positives']:,} positives, {N_FOLDS} folds. "
        f"Bounds: rLD {facts['rld_bound']:.5f}, DCP {facts['dcp_bound']:.5f}."
    )


def _grouped(bench: Run, name: str, path: Path, groups: Path) -> Table:
    """The default method and those peers that keep groups together."""
    seeds = 1 if bench.options.quick else PEER_SEEDS
    jobs = [Job(DEFAULT, DEFAULT, seeds=seeds)]
    if not bench.options.no_peers:
        jobs += _peer_jobs(bench.options, GROUP_PEERS)
    found = [measured(job, path, bench.limits, n_folds=N_FOLDS, groups=groups) for job in jobs]
    about = "Random groups, sizes geometric with mean 4; the bounds are those of single rows."
    columns = [*COLUMNS, Column("torn", "torn groups", ".0f", "low")]
    return Table(f"{name}, with groups", about, columns, summary(found, DEFAULT))


def _checked(bench: Run, path: Path) -> Table:
    """What is known of the peers, verified."""
    rows = []
    for peer, (function, package, claim) in CHECKS.items():
        row = {"method": peer, "claim": claim, "kind": "peer"}
        if versions([package])[package] is None:
            rows.append(row | {"problem": "not installed"})
            continue
        outcome = run(f"peer_checks:{function}", {"data": str(path)}, bench.limits)
        rows.append(row | (outcome.rows[0] if outcome.rows else {"problem": outcome.problem}))
    columns = columns_of("method|peer; claim|what is said; found|seen")
    return Table(f"Known behaviour of peers, seen on {path.stem}", "", columns, rows)


if __name__ == "__main__":
    sys.exit(main())
