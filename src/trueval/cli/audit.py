"""``trueval audit``: what a split of pairs really tests, whoever made it."""

from typing import Any

import click

from trueval.cli import read
from trueval.cli.files import FILE
from trueval.cli.options import command, header_option
from trueval.cli.run import Outcome, Run
from trueval.core.errors import InputError, InputWarning, Place, warn_user

__all__ = ["audit"]


@command(
    "audit",
    short="What a split of pairs really tests.",
    stage=True,
    examples=(
        "trueval audit trueval-demo/pairs.csv --folds trueval-demo/pair_folds.csv --require BB",
        "trueval audit trueval-demo/pairs.csv --train trueval-demo/train.csv"
        " --test trueval-demo/test.csv",
    ),
)
@click.argument("pairs", type=FILE)
@click.option("--train", type=FILE, help="Training side: row numbers of PAIRS, or pairs.")
@click.option("--test", type=FILE, help="Test side, in the same form.")
@click.option("--folds", type=FILE, help="Folds of 'trueval pairs', or a table of row and fold.")
@click.option("--require", type=click.Choice(["BB", "AB", "AA"]), help="Exit with 1 on a leak.")
@click.option("--clusters", type=FILE, help="Table of object and cluster, to find near leaks.")
@click.option("--two-kinds", is_flag=True, help="The columns hold different kinds: (drug, target).")
@click.option("--ids", metavar="A,B", help="The two id columns, if not the first two.")
@click.option("--label-column", metavar="NAME", help="Column with the label of each pair.")
@header_option
def audit(
    run: Run,
    *,
    pairs: str,
    train: str | None,
    test: str | None,
    folds: str | None,
    require: str | None,
    clusters: str | None,
    two_kinds: bool,
    ids: str | None,
    label_column: str | None,
    header: bool | None,
) -> Outcome:
    """Count which objects of the test PAIRS occur in training, and find leaks.

    AA: both objects of a test pair are seen in training, AB: one, BB: none. With --require
    the exit code is 1 when test pairs know more than that.
    """
    if (folds is None) == (train is None and test is None) or (train is None) != (test is None):
        raise click.UsageError("Give --train and --test, or --folds.")
    found = read.pairs(
        run, pairs, columns=ids, label_column=label_column, header=header, two_kinds=two_kinds
    )
    near = None if clusters is None else read.clusters(run, clusters)
    rows, y, splits = found, found.y, None
    if folds is not None:
        splits = _folds(run, folds, len(found))
    else:
        rows, y, splits = _two_sides(run, found, str(train), str(test), header)

    from trueval.core.arrays import is_binary
    from trueval.pairs import PairLeakError, audit_pairs

    if y is not None and label_column is None and not is_binary(y):  # affinities: nobody asked
        warn_user(
            "the labels are not 0 and 1, so the audit goes without them and has no identity AUC.",
            InputWarning,
            place=Place(pairs),
        )
        y = None
    audits = {}
    with run.meter("Auditing"):
        for name, (train_rows, test_rows) in splits.items():
            audits[name] = audit_pairs(
                rows, train_rows, test_rows, clusters=near, y=y, symmetric=not two_kinds
            )
    leaks: dict[str, str] = {}
    for name, own in audits.items():
        if require is not None:
            try:
                own.require(require)
            except PairLeakError as leak:
                leaks[name] = str(leak)
    return _outcome(audits, require, leaks)


def _folds(run: Run, given: str, n_rows: int) -> dict[str, Any]:
    import numpy as np

    from trueval.data.folds import folds_of
    from trueval.data.pair_folds import pair_folds_of

    source = run.source(given)
    found = pair_folds_of(source, n_rows)
    if found is None:
        numbers = folds_of(source).folds
        if len(numbers) != n_rows:
            raise InputError(f"{len(numbers):,} folds for {n_rows:,} pairs.", place=Place(given))
        found = [
            (np.flatnonzero(numbers != number), np.flatnonzero(numbers == number))
            for number in np.unique(numbers)
        ]
    run.note_input(given, (n_rows, len(found)))
    usable = {f"fold {n}": fold for n, fold in enumerate(found) if all(len(s) for s in fold)}
    if not usable:
        raise InputError("no fold has pairs on both sides.", place=Place(given))
    return usable


def _two_sides(run: Run, found: Any, train: str, test: str, header: bool | None) -> Any:
    """Rows, labels and the split: sides are row numbers of the pairs, or pairs themselves."""
    import numpy as np

    sides = [_side(run, given, len(found), header) for given in (train, test)]
    if all(isinstance(side, np.ndarray) for side in sides):
        return found, found.y, {"the split": (sides[0], sides[1])}
    if any(isinstance(side, np.ndarray) for side in sides):
        raise InputError(
            f"{train} and {test}: one holds row numbers, the other pairs.",
            fix="Use one form for both.",
        )
    stacked = np.concatenate([side.pairs.astype(np.str_) for side in sides])
    first = np.arange(len(sides[0]))
    y = None if found.y is None else _labels_of(found, stacked, sides)
    return stacked, y, {"the split": (first, np.arange(len(sides[0]), len(stacked)))}


def _side(run: Run, given: str, n_rows: int, header: bool | None) -> Any:
    """Row numbers where the file has one column, pairs where it has more."""
    from trueval.data.column import column_of
    from trueval.data.pairs import pairs_of
    from trueval.data.text import Table

    source = run.source(given)
    if source.suffix in (".csv", ".tsv", ".txt", "") and Table(source, "utf-8").width == 1:
        column = column_of(source, (), "the rows")
        rows = column.whole_numbers(column.values, 0)
        if rows.max() >= n_rows:
            raise source.fail(f"row {rows.max()} is beyond the {n_rows:,} pairs.")
        run.note_input(given, (len(rows),))
        return rows
    side = pairs_of(source, header=header, mirrored=False)
    run.note_input(given, side.pairs.shape)
    return side


def _labels_of(found: Any, stacked: Any, sides: list[Any]) -> Any:
    """Labels of pairs, looked up among those given, in either order."""
    import numpy as np

    known: dict[tuple[str, str], set[Any]] = {}
    for (a, b), label in zip(found.pairs.astype(np.str_).tolist(), found.y.tolist(), strict=True):
        known.setdefault((a, b), set()).add(label)
    labels = []
    for a, b in stacked.tolist():
        own = known.get((a, b)) or known.get((b, a))
        if own is None:
            raise InputError(
                f"the pair {a!r}, {b!r} is not among the given pairs, so its label is not known.",
                fix="Add it there.",
            )
        if len(own) > 1:  # replicates: only the rows themselves tell which label is whose
            if any(side.y is None for side in sides):
                raise InputError(
                    f"the pair {a!r}, {b!r} has several labels among the given pairs, so that "
                    "of its rows in --train and --test is not known.",
                    fix="Add a column y to both, or give row numbers.",
                )
            return np.concatenate([side.y for side in sides])
        labels.append(next(iter(own)))
    return np.array(labels)


def _outcome(audits: dict[str, Any], require: str | None, leaks: dict[str, str]) -> Outcome:
    from trueval.cli.show import heading, table

    rows = [
        [
            name,
            own.n_train,
            own.n_test,
            *(own.counts[role] for role in ("AA", "AB", "BB")),
            own.n_shared_objects,
            own.n_leaked,
            own.identity_auc,
        ]
        for name, own in audits.items()
    ]
    columns = [
        "",
        "train",
        "test",
        "AA",
        "AB",
        "BB",
        "shared",
        "same pairs",
        "identity AUC",
    ]
    shown: list[Any] = [
        heading("What the test pairs know of training: both objects (AA), one (AB), none (BB)"),
        table(columns, rows[:20]),
    ]
    if len(rows) > 20:
        shown.append(f"… and {len(rows) - 20:,} more folds.")
    shown.append(_verdict(audits))
    if require is not None:
        first = next(iter(leaks.values()), None)
        shown.append(
            f"No leak: every test pair is as new as {require} asks."
            if first is None
            else f"Leak in {len(leaks):,} of {len(audits):,}: {first}"
        )
    data = {
        "require": require,
        "leaks": leaks,
        "audits": {name: _facts(own) for name, own in audits.items()},
    }

    def stage(facts: dict[str, Any]) -> Any:
        from trueval.report import pairs_stage

        return pairs_stage(audits=audits, provenance=facts)

    return Outcome(data, shown, stage, exit_code=1 if leaks else 0)


def _verdict(audits: dict[str, Any]) -> str:
    total = sum(own.n_test for own in audits.values())
    counts = {role: sum(own.counts[role] for own in audits.values()) for role in ("AA", "AB", "BB")}
    role = max(counts, key=lambda name: counts[name])
    meaning = {
        "AA": "pairs of objects that training has seen: say so, and expect less on new ones",
        "AB": "pairs with one object that training has seen",
        "BB": "pairs of new objects",
    }
    text = f"{counts[role] / total:.0%} of the test pairs are {role}: this tests {meaning[role]}."
    same = sum(own.n_leaked for own in audits.values())
    if same:
        text += f" {same:,} test pairs themselves occur in training."
    return text


def _facts(audit: Any) -> dict[str, Any]:
    names = (
        "setting",
        "counts",
        "n_train",
        "n_test",
        "n_objects_train",
        "n_objects_test",
        "n_shared_objects",
        "cluster_counts",
        "n_shared_clusters",
        "n_shared_rows",
        "n_duplicates",
        "n_mirrored",
        "n_self",
        "n_conflicts",
        "identity_auc",
        "identity_auc_by_role",
    )
    return {name: getattr(audit, name) for name in names}
