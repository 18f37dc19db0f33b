"""``trueval audit``: what a split of pairs or rows tests, made by any tool."""

from typing import TYPE_CHECKING, Any

import click

from trueval.cli import read
from trueval.cli.dataset import Carrier, engine_options
from trueval.cli.dataset_pairs import audit_dataset
from trueval.cli.files import FILE, Output
from trueval.cli.findings import Finding, write_junit, write_sarif
from trueval.cli.options import SETTING, bipartite_option, command, header_option
from trueval.cli.pair_splits import (
    pair_splits_of_folds,
    pairs_to_split,
    split_options,
    splits_of_column,
)
from trueval.cli.run import Outcome, Run
from trueval.cli.similar import similarity_options
from trueval.cli.types import Fields, Options
from trueval.core.errors import InputError, InputWarning, Place, warn_user

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from trueval.core.pairs import Pairs
    from trueval.data._values._split_words import Sides
    from trueval.pairs import PairAudit
    from trueval.report import Stage

__all__ = ["audit"]


@command(
    "audit",
    short="Check what a split of pairs or rows tests, and find leaks.",
    stage=True,
    examples=(
        "trueval audit trueval-demo/pairs.csv --folds trueval-demo/pair_folds.csv --require BB",
        "trueval audit trueval-demo/pairs.csv --train trueval-demo/train.csv"
        " --test trueval-demo/test.csv",
    ),
)
@click.argument("file", type=FILE, required=False)
@click.option("--rows", is_flag=True, help="FILE holds rows of features, not pairs.")
@click.option("--train", type=FILE, help="Training side: row numbers of FILE, or its rows.")
@click.option("--test", type=FILE, help="Test side, in the same form.")
@split_options
@click.option(
    "--require",
    metavar="BB|AB|AA|CHECKS",
    help="Exit with 1 on a leak: a setting of pairs (C3, C2, C1 mean the same); for rows leaks, "
    "all, or names of checks.",
)
@click.option(
    "--junit",
    type=Output(),
    metavar="FILE.xml",
    help="Write the checks as a JUnit test report.",
)
@click.option(
    "--sarif", type=Output(), metavar="FILE.sarif", help="Write the alarms as SARIF 2.1.0."
)
@click.option("--clusters", type=FILE, help="Pairs: table of object and cluster, for near leaks.")
@bipartite_option
@click.option("--ids", metavar="A,B", help="Pairs: the two id columns, if not the first two.")
@click.option("--label-column", metavar="NAME", help="Column with the label, or the target.")
@click.option("--id-column", metavar="NAME", help="Rows: column of what a row is of [id].")
@click.option("--group-column", metavar="NAME", help="Rows: groups that a split must not divide.")
@click.option("--time-column", metavar="NAME", help="Rows: time; training comes before test.")
@click.option("--labels", type=FILE, help="Rows: a file with the classes of each row.")
@click.option("--ignore", metavar="A,B", help="Rows: columns to leave out.")
@similarity_options
@engine_options
@header_option
def audit(
    run: Run,
    *,
    file: str | None,
    rows: bool,
    train: str | None,
    test: str | None,
    folds: str | None,
    split_column: str | None,
    require: str | None,
    junit: str | None,
    sarif: str | None,
    **options: Any,
) -> Outcome:
    """Find what the test set of FILE shares with training: leaks between the two.

    Of pairs, count test pairs by objects seen in training. AA (C1): both, AB (C2): one, BB (C3):
    none. Of rows (--rows), find ids, groups, equal and near rows on both sides, columns that give
    the target away, and more; FILE may be left out where --train and --test hold the rows.
    """
    ways = (train is not None or test is not None, folds is not None, split_column is not None)
    if sum(ways) != 1 or (train is None) != (test is None):
        raise click.UsageError("Give --train and --test, or --folds, or --split-column.")
    if file is None and not (rows and train is not None):
        raise click.UsageError("Give FILE. It may be left out with --rows, --train and --test.")
    carrier = Carrier.of(options, file, train, test, folds)
    _refuse_others(rows, options)
    if not carrier.in_memory:
        others = {"rows": rows, "train": train, "folds": folds}
        outcome, findings = _audit_dataset(
            run, carrier, str(file), split_column, require, others, options
        )
    elif rows:
        from trueval.cli.audit_rows import audit_rows_of

        options["split_column"] = split_column
        outcome, findings = audit_rows_of(run, file, train, test, folds, require, options)
    else:
        assert file is not None
        outcome, findings = _audit_pairs(run, file, train, test, folds, split_column, require,
                                         **{name: options[name] for name in _OF_PAIRS})  # fmt: skip
    name = file or str(test)
    run.write(junit, lambda path: write_junit(path, findings, name))
    run.write(sarif, lambda path: write_sarif(path, findings, name))
    return outcome


_OF_PAIRS = ("clusters", "bipartite", "ids", "label_column", "header")
_OF_BOTH = ("label_column", "header")


def _refuse_others(rows: bool, options: Options) -> None:
    """Refuse options of pairs for rows, and of rows for pairs."""
    for name, value in options.items():
        of_pairs = name in _OF_PAIRS
        if value not in (None, False) and name not in _OF_BOTH and of_pairs == rows:
            option = f"--{name.replace('_', '-')}"
            raise click.UsageError(
                f"{option} is for pairs; leave out --rows." if rows else
                f"{option} is for rows: add --rows."
            )  # fmt: skip


def _audit_pairs(
    run: Run,
    pairs: str,
    train: str | None,
    test: str | None,
    folds: str | None,
    split_column: str | None,
    require: str | None,
    *,
    clusters: str | None,
    bipartite: bool,
    ids: str | None,
    label_column: str | None,
    header: bool | None,
) -> tuple[Outcome, list[Finding]]:
    require = _setting(require)
    all_pairs = pairs_to_split(run, pairs, ids, label_column, header, bipartite, split_column)
    rows = all_pairs
    if folds is not None:
        splits = pair_splits_of_folds(run, folds, all_pairs, pairs, bipartite)
    elif split_column is not None:
        splits = splits_of_column(run, pairs, split_column, len(all_pairs))
    else:
        reading = {"columns": ids, "header": header, "two_kinds": bipartite}
        rows, splits = _two_sides(run, all_pairs, str(train), str(test), reading)
    y = rows.y
    near = None if clusters is None else read.clusters(run, clusters, rows)

    from trueval.core.arrays import is_binary
    from trueval.pairs import audit_pairs

    if y is not None and label_column is None and not is_binary(y):  # affinities: nobody asked
        warn_user(
            "the labels are not 0 and 1, so the audit goes without them and has no identity AUC.",
            InputWarning,
            place=Place(pairs),
        )
        y = None
    audits: dict[str, PairAudit] = {}
    with run.meter("Auditing") as meter:
        for name, (train_rows, test_rows) in splits.items():
            meter(len(audits), len(splits))
            audits[name] = audit_pairs(
                rows, train_rows, test_rows, clusters=near, y=y, symmetric=not bipartite
            )
    leaks = _leaks(audits, require)
    return _outcome(audits, require, leaks), _findings(audits, require, leaks)


def _audit_dataset(
    run: Run,
    carrier: Carrier,
    pairs: str,
    split_column: str | None,
    require: str | None,
    others: Options,
    options: Options,
) -> tuple[Outcome, list[Finding]]:
    """Audit pairs that are not read into memory."""
    require = _setting(require)
    known = {name: options.pop(name) for name in ("ids", "bipartite")}
    audits = audit_dataset(
        run, carrier, pairs, split_column=split_column, **known, others=others | options
    )
    leaks = _leaks(audits, require)
    outcome = _outcome(audits, require, leaks)
    outcome.stage = None
    return outcome, _findings(audits, require, leaks)


def _leaks(audits: "dict[str, PairAudit]", require: str | None) -> dict[str, str]:
    """What is wrong with the splits that are not as required."""
    from trueval.pairs import PairLeakError

    leaks: dict[str, str] = {}
    for name, audited in audits.items():
        if require is not None:
            try:
                audited.require(require)
            except PairLeakError as leak:
                leaks[name] = str(leak)
    return leaks


def _setting(require: str | None) -> str | None:
    """The setting that is required of pairs."""
    if require is None:
        return None
    context = click.get_current_context()
    option = next(param for param in context.command.params if param.name == "require")
    setting: str = SETTING.convert(require, option, context)
    return setting


def _two_sides(
    run: Run, all_pairs: "Pairs", train: str, test: str, reading: Options
) -> "tuple[Pairs, Sides]":
    """Pairs and their split: sides are row numbers of the pairs, or pairs themselves."""
    import numpy as np

    first, second = (_side(run, path, len(all_pairs), reading) for path in (train, test))
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        return all_pairs, {"the split": (first, second)}
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        raise InputError(
            f"{train} and {test}: one holds row numbers, the other pairs.",
            fix="Use one form for both.",
        )
    from trueval.pairs._sides import stack_sides

    stacked, train_rows, test_rows = stack_sides(
        all_pairs, first, second, symmetric=not reading["two_kinds"]
    )
    return stacked, {"the split": (train_rows, test_rows)}


def _side(run: Run, path: str, n_rows: int, reading: Options) -> "Pairs | NDArray[np.int64]":
    """Row numbers where the file has one column, pairs where it has more."""
    from trueval.data._values.columns import read_column
    from trueval.data._values.pairs import pairs_table

    source = run.source(path)
    if pairs_table(source).width > 1:
        return read.pairs(run, path, source=source, **reading)
    column = read_column(source, (), "the rows", reading["header"])
    rows = column.whole_numbers(column.values, 0)
    if rows.max() >= n_rows:
        raise source.fail(f"row {rows.max()} is beyond the {n_rows:,} pairs, numbered from 0.")
    run.note_input(path, (len(rows),))
    return rows


def _findings(
    audits: "dict[str, PairAudit]", require: str | None, leaks: dict[str, str]
) -> list[Finding]:
    """Each split: whether its test pairs occur in training, and whether it is as required."""
    findings = []
    for name, audit in audits.items():
        repeated = f"{audit.n_leaked:,} of {audit.n_test:,} test pairs occur in training."
        findings.append(Finding(name, "pairs", repeated, audit.n_leaked > 0))
        if require is not None:
            text = leaks.get(name, f"every test pair satisfies {require}.")
            findings.append(Finding(name, f"setting-{require}", text, name in leaks))
    return findings


def _outcome(audits: "dict[str, PairAudit]", require: str | None, leaks: dict[str, str]) -> Outcome:
    from trueval.show import summary
    from trueval.show._pairs import Audits, PairValidation

    hints = []
    if require is not None:
        first = next(iter(leaks.values()), None)
        hints.append(
            f"No leak: every test pair satisfies {require}."
            if first is None
            else f"Leak in {len(leaks):,} of {len(audits):,}: {first}"
        )
    data: Fields = {
        "require": require,
        "leaks": leaks,
        "audits": {name: _fields(audit) for name, audit in audits.items()},
    }

    def stage(facts: Fields) -> "Stage":
        from trueval.report.sections.pairs import validation_stage

        return validation_stage(PairValidation(audits=audits), {}, facts)

    exit_code = 1 if leaks else 0
    return Outcome(data, hints, stage, exit_code, summary(Audits(audits)))


def _fields(audit: "PairAudit") -> Fields:
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
        "degree_auc",
    )
    return {name: getattr(audit, name) for name in names}
