"""The audit of rows: leaks found, false alarms, and cost in sorts of the matrix.

``python -m benchmarks.audit`` plants leaks of all kinds (one must be found by the right check),
audits clean splits (none may alarm), the real data sets in ``TRUEVAL_DATA``, and times each check
on a large matrix beside ``numpy.sort(X, axis=0)``. ``leaks``, ``clean``, ``real`` or ``cost``
run that part alone; ``--seed`` draws other cases, ``--cases`` more of them, ``--rows`` sizes the
matrix.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.audit_cases import LEAKS, Case, clean_case, leaky_case, real_cases
from benchmarks.process import peak_bytes
from trueval.audit import RowAudit, audit_rows
from trueval.audit._columns import numbering_columns, target_columns
from trueval.audit._duplicates import equal_rows
from trueval.audit._features import feature_checks
from trueval.audit._inputs import as_target, read_rows
from trueval.audit._neighbours import nearest, queries_of, space_of
from trueval.audit._overlap import shared_check
from trueval.audit._result import CHECKS
from trueval.audit._shift import train_test_auc

__all__ = ["main"]

TABLES = ("leaks", "clean", "real", "cost")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the parts; 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*TABLES, []], default=[])
    parser.add_argument("--seed", type=int, default=50_000)
    parser.add_argument("--cases", type=int, default=30)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=128)
    chosen = parser.parse_args(arguments)
    missed = 0
    for part in chosen.parts or TABLES:
        missed += globals()[f"_{part}"](chosen)
    return 1 if missed else 0


def _audited(case: Case) -> RowAudit:
    return audit_rows(case.X, case.train, case.test, **case.more)


def _leaks(chosen: argparse.Namespace) -> int:
    """Each kind of leak, over and over with other data."""
    kinds = list(LEAKS)
    missed = []
    for number in range(chosen.cases):
        case = leaky_case(kinds[number % len(kinds)], chosen.seed + number)
        alarms = {check.name for check in _audited(case).alarms}
        if not alarms & set(case.wanted):
            missed.append(f"{case.name} (seed {chosen.seed + number})")
    found = chosen.cases - len(missed)
    print(f"planted leaks found: {found} of {chosen.cases}, of {len(kinds)} kinds")
    for name in missed:
        print(f"  missed: {name}")
    return len(missed)


def _clean(chosen: argparse.Namespace) -> int:
    """Splits without a leak."""
    alarmed = 0
    for number in range(chosen.cases):
        case = clean_case(chosen.seed + number)
        alarms = _audited(case).alarms
        alarmed += bool(alarms)
        for check in alarms:
            print(f"  {case.name}, seed {chosen.seed + number}: {check.name}: {check}")
    print(f"clean splits with an alarm: {alarmed} of {chosen.cases}")
    return alarmed


def _real(chosen: argparse.Namespace) -> int:
    """Random splits of real data; what alarms is listed, as such data may hold duplicates."""
    for case in real_cases(chosen.seed):
        audit = _audited(case)
        print(f"{case.name}: {', '.join(check.name for check in audit.alarms) or 'no alarm'}")
        for check in audit.alarms:
            print(f"  {check}")
    return 0


def _cost(chosen: argparse.Namespace) -> int:
    """CPU time of each check, in sorts of the matrix."""
    generator = np.random.default_rng(chosen.seed)
    n = chosen.rows
    X = generator.standard_normal((n, chosen.columns))
    rows = read_rows(X)
    held_out = generator.random(n) < 0.2
    train, test = np.flatnonzero(~held_out), np.flatnonzero(held_out)
    y = as_target((X[:, 0] + generator.standard_normal(n) > 1).astype(int), n)
    numbers = generator.integers(n // 10, size=n)
    seconds = {"numpy.sort": _seconds(lambda: np.sort(X, axis=0))}

    def neighbours() -> None:
        space = space_of(rows, train, generator)
        queries, suspects = queries_of(rows, space, train, test, generator)
        nearest(space, train, queries)
        nearest(space, train, suspects)

    timed: dict[str, Callable[[], Any]] = {
        "ids, groups": lambda: shared_check("groups", numbers, train, test),
        "duplicates": lambda: equal_rows(rows, train, test, generator),
        "near_duplicates, baseline": neighbours,
        "target": lambda: target_columns(rows, y, np.arange(n), generator, 1e-4),
        "order": lambda: numbering_columns(rows, None, 1e-4),
        "shift": lambda: train_test_auc(rows, train, test, None, generator, 1e-4),
    }
    streams = dict(zip(CHECKS, generator.spawn(len(CHECKS)), strict=True))
    timed["all checks of features"] = lambda: feature_checks(
        rows, train, test, y, None, None, streams, 1e-4
    )
    for name, function in timed.items():
        seconds[name] = _seconds(function)
    unit = seconds["numpy.sort"]
    print(f"{n:,} × {chosen.columns}: CPU in sorts of the matrix ({unit:.1f} s each)")
    for name, value in seconds.items():
        print(f"  {name:<28}{value / unit:8.2f}")
    print(f"peak memory: {peak_bytes() / X.nbytes:.1f} × the matrix")
    single = [value for name, value in seconds.items() if name != "all checks of features"]
    return sum(value > 10 * unit for value in single)


def _seconds(function: Callable[[], Any]) -> float:
    start = time.process_time()
    function()
    return time.process_time() - start


if __name__ == "__main__":
    sys.exit(main())
