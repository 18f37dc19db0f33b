"""Cases of the search benchmark: data, parts and groups by name, and one split of each.

:func:`split` runs in a process of its own, by us, by an earlier version or by a peer, and leaves
the folds in files; the parent judges them.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = ["CASES", "Case", "split"]

Problem = tuple[sp.csr_array, Any]  # labels, and groups or None


@dataclass(frozen=True)
class Case:
    """A problem: what to split into which parts."""

    build: Callable[[], Problem]
    parts: Any
    options: dict[str, Any] = field(default_factory=dict)  # of our method


def _independent(rows: int, classes: int, seed: int, high: float, low: float) -> Problem:
    """Independent classes, from frequent to rare."""
    draws = np.random.default_rng(seed).random((rows, classes))
    return sp.csr_array((draws < np.geomspace(high, low, classes)).astype(np.int8)), None


def _simulated(rows: int, classes: int, cardinality: float, seed: int) -> Problem:
    from trueval.data import simulate

    return simulate.label_matrix(rows, classes, cardinality=cardinality, random_state=seed), None


def _real(name: str) -> Problem:
    from benchmarks.data import REAL

    return sp.csr_array(REAL[name].load()), None


def _uneven_groups(seed: int) -> Problem:
    """A hundred groups of very different sizes, and two classes that go with the group."""
    r = np.random.default_rng(seed)
    groups = r.choice(100, size=2000, p=r.dirichlet(np.full(100, 0.5)))
    of_row = np.where(r.random(2000) < 0.6, groups % 2, r.integers(2, size=2000))
    return sp.csr_array(np.eye(2, dtype=np.int8)[of_row]), groups


def _giant_group() -> Problem:
    """A group with 900 of 3,000 rows, which fills more than a fold."""
    r = np.random.default_rng(0)
    y = np.eye(3, dtype=np.int8)[r.integers(3, size=3000)]
    return sp.csr_array(y), np.r_[np.zeros(900, int), 1 + r.integers(300, size=2100)]


def _copies() -> Problem:
    """A hundred rows, fifty times each."""
    rows = (np.random.default_rng(1).random((100, 30)) < 0.15).astype(np.int8)
    return sp.csr_array(np.repeat(rows, 50, axis=0)), None


def _classes_of_seven() -> Problem:
    """A thousand classes of seven rows each, every row in one class."""
    return sp.csr_array(np.repeat(np.eye(1000, dtype=np.int8), 7, axis=0)), None


def _tiny_classes() -> Problem:
    """Half of the classes have 2 to 4 positives."""
    r = np.random.default_rng(3)
    sizes = np.where(np.arange(300) < 150, r.integers(2, 5, 300), r.integers(20, 400, 300))
    y = np.zeros((3000, 300), np.int8)
    for c, size in enumerate(sizes):
        y[r.choice(3000, size, replace=False), c] = 1
    return sp.csr_array(y), None


def _folds(name: str, build: Callable[[], Problem], *numbers: int) -> dict[str, Case]:
    return {f"{name}, k = {k}": Case(build, k) for k in numbers}


CASES: dict[str, dict[str, Case]] = {
    "folds": {
        **_folds("5,000 × 100", lambda: _independent(5000, 100, 5, 0.5, 0.002), 5, 20, 50),
        **_folds("6,000 × 150", lambda: _independent(6000, 150, 11, 0.4, 0.003), 10, 35),
        **_folds("4,000 × 80", lambda: _independent(4000, 80, 12, 0.5, 0.002), 12, 50),
        **_folds("simulated, 9,000 × 500", lambda: _simulated(9000, 500, 5.0, 9), 5, 20),
        **_folds("bibtex", lambda: _real("bibtex"), 5, 20, 50),
    },
    "groups": {
        f"100 uneven groups, data {seed}": Case(lambda seed=seed: _uneven_groups(seed), 5)
        for seed in (7, 1, 2, 3, 5, 9, 11, 12)
    }
    | {"a giant group": Case(_giant_group, 5)},
    "parts": {
        "copies, 80/10/10": Case(_copies, [0.8, 0.1, 0.1]),
        "classes of 7, 70/30": Case(_classes_of_seven, [0.7, 0.3]),
        "2 to 4 positives, 90/10": Case(_tiny_classes, [0.9, 0.1]),
        "2 to 4 positives, 90/10, cover": Case(_tiny_classes, [0.9, 0.1], {"cover": True}),
        **{
            f"{name}, {'/'.join(f'{100 * part:.0f}' for part in parts)}": Case(build, parts)
            for name, build in (
                ("5,000 × 100", lambda: _independent(5000, 100, 5, 0.5, 0.002)),
                ("simulated, 4,000 × 300", lambda: _simulated(4000, 300, 6.0, 4)),
                ("bibtex", lambda: _real("bibtex")),
            )
            for parts in ([0.6, 0.2, 0.2], [0.8, 0.1, 0.1], [0.7, 0.2, 0.1])
        },
    },
    "many": _folds("1,000 × 100", lambda: _independent(1000, 100, 2, 0.5, 0.01), 50, 500),
    "effort": {
        name: Case(lambda name=name: _real(name), 5)
        for name in ("bibtex", "delicious", "wiki10_31k", "swissprot_go_2014")
    },
}


def split(
    table: str, case: str, who: str, seeds: list[int], folder: str, options: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Split with each seed; ``who`` is "trueval" or a peer that keeps groups together."""
    problem = CASES[table][case]
    y, groups = problem.build()
    if who == "trueval":
        from trueval import stratified_folds

        settings = {"groups": groups, "n_jobs": 1, **problem.options, **options}
        stratified_folds(np.eye(4, dtype=np.int8), 2, random_state=0)  # imports are not timed
    else:
        from benchmarks.peers import GROUP_PEERS

        of_row = np.arange(y.shape[0]) if groups is None else groups
        peer = GROUP_PEERS[who].prepare(y, problem.parts, of_row)
    for seed in seeds:
        start = time.process_time()
        if who == "trueval":
            folds = stratified_folds(y, problem.parts, random_state=seed, **settings)
        else:
            pairs = peer(seed)
        spent = time.process_time() - start
        if who != "trueval":
            folds = np.full(y.shape[0], -1, np.int32)
            for number, (_, test) in enumerate(pairs):
                folds[test] = number
        np.save(Path(folder, f"{seed}.npy"), folds)
        yield {"seed": seed, "cpu": spent}
