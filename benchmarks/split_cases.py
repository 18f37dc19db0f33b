"""What a measuring process does for the split benchmark.

:func:`measure` splits and leaves the folds in files; :func:`judge`, called by the parent, says how
good they are. So a peer's environment needs nothing but the peer, and no judging counts as the
peer's memory. :func:`prepare` writes a data set for both.
"""

import importlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.process import MB, Meter, memory_now

__all__ = ["judge", "measure", "prepare"]

PASSES = 5  # plain passes timed after each split


def measure(
    *,
    data: str,
    folder: str,
    method: str,
    peer: bool,
    seeds: int,
    n_folds: int,
    groups: str = "",
    options: dict[str, Any] | None = None,
    budget: float | None = None,
    passes: bool = False,
) -> Iterator[dict[str, Any]]:
    """Split with each seed; memory is that of the first split."""
    import numpy as np
    import scipy.sparse as sp

    _import(method, peer, bool(groups))
    before = memory_now()
    y = sp.csr_array(sp.load_npz(data))
    of_row = np.load(groups) if groups else None
    arrays = y.indptr.nbytes + y.indices.nbytes + y.data.nbytes
    given = y
    if peer:  # it may write into its labels; the copy is ours and does not count
        given, before = y.copy(), before + arrays
    meter = Meter(before)
    split = _splitter(method, peer, given, n_folds, of_row, options or {})
    memory: dict[str, float] = {}
    spent = 0.0
    for seed in range(seeds):
        folds, cpu = meter.time(lambda seed=seed: split(seed))
        memory = memory or {"arrays_mb": arrays / MB} | meter.memory()
        np.save(Path(folder, f"{seed}.npy"), _numbers(folds, y.shape[0]))
        row = {"seed": seed, "cpu": cpu} | memory
        if passes:
            row["pass"] = float(np.median([_plain_pass(y) for _ in range(PASSES)]))
        yield row
        spent += cpu
        if budget is not None and spent > budget:
            return


def _import(method: str, peer: bool, grouped: bool) -> None:
    """Import what the split needs, so that neither its time nor its memory has it."""
    if peer:
        from benchmarks.peers import GROUP_PEERS, PEERS

        importlib.import_module((GROUP_PEERS if grouped else PEERS)[method].module)
    else:
        importlib.import_module("trueval.stratify")


def _splitter(
    method: str, peer: bool, y: Any, n_folds: int, groups: Any, options: dict[str, Any]
) -> Any:
    if peer:
        from benchmarks.peers import GROUP_PEERS, PEERS

        known = PEERS if groups is None else GROUP_PEERS
        return known[method].prepare(y, n_folds, groups)
    from trueval.stratify import stratified_folds

    def split(seed: int) -> Any:
        return stratified_folds(
            y, n_folds, method=method, groups=groups, random_state=seed, n_jobs=1, **options
        )

    return split


def _numbers(folds: Any, n_rows: int) -> Any:
    """Fold of each row; -1 for a row in no test set, which judging refuses."""
    import numpy as np

    if isinstance(folds, np.ndarray) and folds.ndim == 1:
        return folds.astype(np.int32)
    numbers = np.full(n_rows, -1, dtype=np.int32)
    for number, (_train, test) in enumerate(folds):
        numbers[np.asarray(test)] = number
    return numbers


def _plain_pass(y: Any) -> float:
    import numpy as np

    start = time.process_time()
    np.bincount(y.indices)
    return time.process_time() - start


def judge(
    *, data: str, folder: str, seeds: list[int], n_folds: int, groups: str = ""
) -> Iterator[dict[str, Any]]:
    """Quality of the folds of each seed."""
    import hashlib

    import numpy as np
    import scipy.sparse as sp

    from trueval.stratify import split_quality

    y = sp.csr_array(sp.load_npz(data))
    of_row = np.load(groups) if groups else None
    for seed in seeds:
        numbers = np.load(Path(folder, f"{seed}.npy"))
        quality = split_quality(y, numbers, parts=n_folds)
        names = ("ld", "ed", "rld", "dcp", "rld_wanted", "rld_bound", "dcp_bound")
        yield {name: float(getattr(quality, name)) for name in names} | {
            "seed": seed,
            "rld_ratio": float(quality.rld_ratio),
            "dcp_ratio": float(quality.dcp_ratio),
            "smallest": int(quality.sizes.min()),
            "largest": int(quality.sizes.max()),
            "missing": int(quality.missing),
            "avoidable": int(quality.avoidable),
            "torn": 0 if of_row is None else _torn(numbers, of_row),
            "folds": hashlib.sha256(numbers.tobytes()).hexdigest(),
        }


def _torn(numbers: Any, groups: Any) -> int:
    """Groups whose rows are in more than one fold."""
    import numpy as np

    pairs = np.unique(np.column_stack([groups, numbers]), axis=0)
    return int((np.bincount(pairs[:, 0]) > 1).sum())


def prepare(
    *, name: str, path: str, n_folds: int, groups: str = "", made: dict[str, int] | None = None
) -> Iterator[dict[str, Any]]:
    """Write a data set uncompressed, its groups if asked for, and describe it.

    ``made`` are the rows, classes and positives of a simulated one.
    """
    import numpy as np

    from benchmarks import data
    from trueval.stratify import measures

    y = data.write(name, path, made)
    if groups:
        np.save(groups, data.row_groups(y.shape[0]))
    sizes = np.bincount(y.indices, minlength=y.shape[1])
    sizes = sizes[sizes > 0]
    shares = np.full(n_folds, 1 / n_folds)
    yield {
        "name": name,
        "n_rows": y.shape[0],
        "n_classes": y.shape[1],
        "positives": int(y.nnz),
        "smallest_class": int(sizes.min()),
        "largest_class": int(sizes.max()),
        "rld_bound": float(measures.rld_bound(sizes, shares).mean()),
        "dcp_bound": float(measures.dcp_bound(sizes, shares).mean()),
    }
