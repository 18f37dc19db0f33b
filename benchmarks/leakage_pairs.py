"""Pairs in the leakage benchmark: what strict folds validate, and the degrees of negatives."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.command import Run
from benchmarks.data import data_folder
from benchmarks.process import Meter, run
from benchmarks.record import CPU, MB, Table, columns_of, verdict

__all__ = ["negatives", "validated"]

K = 5


def _pair_sets(quick: bool) -> dict[str, tuple[np.ndarray, np.ndarray | None, bool]]:
    """Pairs, labels and whether both columns hold one kind of object."""
    generator = np.random.default_rng(0)
    n = 300 if quick else 3000
    module = generator.integers(0, n // 30, (10 * n, 1)) * 30
    inside = module + generator.integers(0, 30, (10 * n, 2))
    pairs = np.concatenate([inside, generator.integers(0, n, (10 * n, 2))])
    pairs = np.unique(np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1), axis=0)
    sets: dict[str, tuple[np.ndarray, np.ndarray | None, bool]] = {
        "simulated modules": (pairs, generator.integers(0, 2, len(pairs)), True)
    }
    folder = data_folder()
    if folder is not None:
        with np.load(folder / "ppi_park_marcotte_yeast.npz") as file:
            pairs, y = np.column_stack([file["a"], file["b"]]), file["y"]
            used = file["role"][:, 0] > 0
        sets["Park–Marcotte, first split"] = (pairs[used], y[used], True)
        sets["Park–Marcotte, positives"] = (pairs[y == 1], None, True)
        for name in ("GPCR", "NR"):
            path = folder / f"dti_yamanishi_{name.lower()}.npz"
            with np.load(path, allow_pickle=True) as file:
                sets[f"Yamanishi {name}, positives"] = (np.argwhere(file["Y"] > 0), None, False)
        with np.load(folder / "dti_davis.npz", allow_pickle=True) as file:
            sets["Davis, Kd up to 1 µM"] = (np.argwhere(file["Y"] <= 1000), None, False)
    return sets


def validated(bench: Run) -> list[Table]:
    """Pairs that strict folds validate, by how the objects are divided."""
    from trueval.pairs import ObjectKFold

    lines = []
    for name, (pairs, y, symmetric) in _pair_sets(bench.options.quick).items():
        for balance in ("degrees", "pairs"):
            cv = ObjectKFold(K, balance=balance, symmetric=symmetric, random_state=0)
            ends, cpu = Meter().time(lambda cv=cv, y=y, p=pairs: cv.parts(y=y, groups=p))
            inside = ends[:, 0] == ends[:, 1]
            of_fold = [inside & (ends[:, 0] == fold) for fold in range(K)]
            line = {"data": name, "balance": balance, "pairs": len(pairs), "cpu": cpu}
            line |= {"validated": float(inside.mean()), "least": min(int(f.sum()) for f in of_fold)}
            line["most"] = max(int(fold.sum()) for fold in of_fold)
            line["train"] = float(np.mean([(ends != fold).all(1).mean() for fold in range(K)]))
            if y is not None:
                rates = [float(y[fold].mean()) for fold in of_fold]
                line |= {"rate": float(y.mean()), "low": min(rates), "high": max(rates)}
            lines.append(line)
    columns = [
        *columns_of(
            "data|pairs; balance; pairs|rows|,d; validated||.1%; train|trained on|.1%; "
            "least|fewest in a fold|,d; most||,d; rate|positive rate|.3f; "
            "low|lowest of a fold|.3f; high|highest|.3f"
        ),
        CPU,
    ]
    about = (
        f"ObjectKFold({K}), strict, setting BB: a pair is validated if one part has both objects."
    )
    return [Table("Pairs validated", about, columns, lines)]


def negatives(bench: Run) -> list[Table]:
    """What the degrees of objects predict, by how negatives are drawn."""
    lines: list[dict[str, Any]] = []
    labelled = _pair_sets(bench.options.quick)
    labelled.pop("Park–Marcotte, first split", None)  # its positives are a set of their own
    two_kinds = [name for name, (_, _, symmetric) in labelled.items() if not symmetric]
    sets = {name: pairs if y is None else pairs[y == 1] for name, (pairs, y, _) in labelled.items()}
    if not bench.options.quick and bench.options.pairs:
        for text, skew in (("with hubs", 0.4), ("without hubs", 0.0)):
            sets[f"{bench.options.pairs:,} simulated, {text}"] = _simulated(
                100_000, bench.options.pairs, skew
            )
    with tempfile.TemporaryDirectory() as scratch:
        for name, pairs in sets.items():
            file, symmetric = Path(scratch, "pairs.npz"), name not in two_kinds
            np.savez(file, pairs=pairs, symmetric=symmetric)
            ways = [("uniform", 1.0), ("degree", 1.0)]
            if name.startswith("Davis"):  # drugs that bind most kinases
                ways.append(("degree", 0.15))
            for strategy, ratio in ways:
                order = {"pairs": str(file), "strategy": strategy, "ratio": ratio, "k": 3}
                outcome = run("leakage_cases:negatives", order, bench.limits)
                line = {"data": name, "strategy": strategy, "ratio": ratio}
                found = outcome.rows[0] if outcome.rows else {"problem": outcome.problem}
                lines.append(line | found)
    columns = [
        *columns_of(
            "data|positives of; strategy; ratio||g; positives||,d; negatives||,d; "
            "most|most with shares|,d; "
            "train_auc|degree AUC, training|.4f; test_auc|test|.4f; "
            "known|known positives drawn|,d; alone|objects in negatives only|,d"
        ),
        CPU,
        MB,
    ]
    about = (
        "Objects in three parts, one held out; negatives drawn inside training and test. The AUC "
        "is that of the degrees inside a side alone (audit_pairs), and 0.5 is wanted. Of small "
        "sets of two kinds, the most negatives that leave no object more than its share (maximum "
        "flow)."
    )
    table = Table("Negatives", about, columns, lines)
    ours = [line for line in lines if line["strategy"] == "degree" and "test_auc" in line]
    far = max((abs(line[side] - 0.5) for line in ours for side in ("train_auc", "test_auc")),
              default=0.0)  # fmt: skip
    table.notes.append(verdict(far <= 0.02, f"degree AUC within 0.02 of 0.5: farthest {far:.4f}"))
    return [table]


def _simulated(n_objects: int, n_pairs: int, skew: float) -> np.ndarray:
    """Distinct pairs of objects, with skew some of them in many."""
    generator = np.random.default_rng(0)
    weight = 1.0 / np.arange(1, n_objects + 1) ** skew
    ends = np.cumsum(weight) / weight.sum()
    draws = np.searchsorted(ends, generator.random((int(1.1 * n_pairs), 2)))
    draws = np.sort(draws[draws[:, 0] != draws[:, 1]], axis=1)
    keys = np.sort(draws[:, 0] * n_objects + draws[:, 1])
    keys = keys[np.concatenate([[True], keys[1:] != keys[:-1]])]
    keys = np.sort(generator.permutation(keys)[:n_pairs])
    return np.column_stack(np.divmod(keys, n_objects))
