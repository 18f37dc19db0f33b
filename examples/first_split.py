"""Split a simulated data set and print how good each method's folds are.

python examples/first_split.py [rows] [classes]
"""

import sys
import time
import warnings

from trueval import METHODS, RareClassWarning, split_quality, stratified_folds
from trueval.data import simulate
from trueval.table import Table


def main(n_rows: int = 20_000, n_classes: int = 1_000) -> None:
    warnings.simplefilter("ignore", RareClassWarning)
    y = simulate.label_matrix(n_rows, n_classes, random_state=0)
    print(f"{n_rows:,} rows, {n_classes:,} classes, {y.nnz:,} positives; five folds by\n")
    best, rows = None, []
    for method in METHODS:
        started = time.perf_counter()
        folds = stratified_folds(y, 5, method=method, random_state=0)
        seconds = time.perf_counter() - started
        quality = split_quality(y, folds)
        best = best or quality
        rows.append(
            (
                method,
                quality.rld_ratio,
                quality.dcp_ratio,
                quality.avoidable,
                f"{quality.sizes.min():,} to {quality.sizes.max():,}",
                seconds,
            )
        )
    names = ["method", "rLD × bound", "DCP × bound", "avoidable gaps", "fold sizes", "seconds"]
    print(Table(dict(zip(names, zip(*rows, strict=True), strict=True))))
    print("\nThe default in full:\n")
    print(best)


if __name__ == "__main__":
    main(*(int(argument.replace("_", "")) for argument in sys.argv[1:]))
