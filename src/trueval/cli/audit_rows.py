"""``trueval audit --rows``: what a split of rows gives away."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from trueval.cli import read
from trueval.cli.findings import Finding
from trueval.cli.pair_splits import refuse_one_sided, row_splits_of_folds
from trueval.cli.run import Outcome, Run
from trueval.cli.similar import Similar
from trueval.cli.types import Fields, Options, Values
from trueval.core.errors import Fix, InputError, InputWarning, Place, warn_user

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from trueval.audit import RowAudit
    from trueval.core.labels import Labels
    from trueval.data._values._split_words import Sides
    from trueval.data._values.rows import FeatureRows
    from trueval.report import Stage

__all__ = ["audit_rows_of"]


def audit_rows_of(
    run: Run,
    path: str | None,
    train: str | None,
    test: str | None,
    folds: str | None,
    require: str | None,
    options: Options,
) -> tuple[Outcome, list[Finding]]:
    """Audit the rows of a file, or of a file for each side."""
    from trueval.audit._result import check_names

    with _of_require():
        required = None if require is None else check_names(require)
    similar = Similar(options)
    rows, splits = _read(run, path, train, test, folds, options)
    ids = rows.special.get("id")
    y: Values | Labels | None = rows.special.get("label")
    if options["labels"] is not None:
        if y is not None:
            raise click.UsageError("Give --labels or --label-column, not both.")
        y = _labels(run, options["labels"], ids, rows.n_rows)
    similar.read(run, list(range(rows.n_rows)) if ids is None else ids.tolist())

    from trueval.audit._rows import audit_rows

    audits: dict[str, RowAudit] = {}
    with run.meter("Auditing") as meter:
        for name, (train_rows, test_rows) in splits.items():
            meter(len(audits), len(splits))
            audits[name] = audit_rows(
                rows.features,
                train_rows,
                test_rows,
                y=y,
                ids=ids,
                groups=rows.special.get("group"),
                time=rows.special.get("time"),
                random_state=run.seed,
                similarity=similar.near.get("similarity"),
                threshold=similar.near.get("threshold"),
            )
    return _outcome(audits, require, required)


@contextmanager
def _of_require() -> Iterator[None]:
    """Turn "no such check" into an error of the call."""
    try:
        yield
    except InputError as error:
        raise click.BadParameter(str(error), param_hint="--require") from error


def _read(
    run: Run,
    path: str | None,
    train: str | None,
    test: str | None,
    folds: str | None,
    options: Options,
) -> "tuple[FeatureRows, Sides]":
    """Rows, and the training and test rows of each split by its name."""
    from trueval.data._values.rows import ROLES, stack_rows

    special = {
        role: read.column(options[f"{role}_column"])
        for role in ROLES
        if options[f"{role}_column"] is not None
    }
    ignore = tuple(read.column(name) for name in (options["ignore"] or "").split(",") if name)
    if path is None:
        if folds is not None or "split" in special:
            raise click.UsageError("Without FILE, --train and --test are the split.")
        sides = [
            _one(run, file, special, ignore, options["header"], optional="label" if at else None)
            for at, file in enumerate((str(train), str(test)))
        ]
        stacked = stack_rows(*sides)
        return stacked, {"the split": stacked.sides["test"]}  # type: ignore[index]
    rows = _one(run, path, special, ignore, options["header"])
    if rows.sides is not None:
        splits = {name: sides for name, sides in rows.sides.items() if all(map(len, sides))}
        if not splits:
            raise InputError("all rows are in one fold, so nothing is tested.", place=Place(path))
        return rows, splits
    ids = rows.special.get("id")
    if folds is not None:
        return rows, row_splits_of_folds(run, folds, rows.n_rows, ids)
    first, second = (_row_numbers(run, str(file), ids, rows.n_rows) for file in (train, test))
    return rows, {"the split": (first, second)}


def _one(
    run: Run,
    path: str,
    special: Options,
    ignore: tuple[Any, ...],
    header: bool | None,
    optional: str | None = None,
) -> "FeatureRows":
    """Rows of one file; a column that is optional may be missing, as labels of test rows are."""
    from trueval.data._values.rows import read_feature_rows

    source = run.source(path)
    named = {f"{role}_column": str(name) for role, name in special.items()}
    named["ignore"] = ",".join(map(str, ignore))
    try:
        with run.reading(path, source), read.naming_options(dict(named)):
            rows, reading = read_feature_rows(source, special, ignore=ignore, header=header)
    except click.BadParameter:
        if optional not in special:
            raise
        rest = {role: name for role, name in special.items() if role != optional}
        rows = _one(run, path, rest, ignore, header)
        warn_user(
            f"no column {special[optional]!r}, so the {optional} of these rows is not known and "
            "the checks that need it are not made.",
            InputWarning,
            place=Place(path),
        )
        return rows
    run.note_input(path, (rows.n_rows, reading.n_features))
    run.note_reading(path, reading)
    return rows


def _row_numbers(run: Run, path: str, ids: "Values | None", n_rows: int) -> "NDArray[np.intp]":
    """Rows of one side: row numbers, or ids."""
    import numpy as np

    from trueval.data._values.columns import read_column

    column = read_column(run.source(path), ("row", "id"), "the rows")
    run.note_input(path, (len(column),))
    text = [str(value) for value in column.values.tolist()]
    numbers = all(value.isascii() and value.isdigit() for value in text)
    place = {} if ids is None else {str(name): row for row, name in enumerate(ids.tolist())}
    known = sum(value in place for value in text)
    if numbers and known:
        raise column.source.fail(
            "these may be row numbers as well as ids.",
            fix=Fix("Name the rows in one file: use --split-column or --folds."),
        )
    if not numbers:
        unknown = next((value for value in text if value not in place), None)
        if unknown is not None:
            raise column.source.fail(
                f"no row has the id {unknown!r}.",
                fix=Fix("Use row numbers from 0, or pass {}.", "id_column"),
            )
        return np.array([place[value] for value in text], np.intp)
    rows = column.whole_numbers(column.values, 0)
    if rows.max() >= n_rows:
        raise column.source.fail(f"row {rows.max()} is beyond the {n_rows:,} rows, from 0.")
    return rows


def _labels(run: Run, path: str, ids: "Values | None", n_rows: int) -> "Labels":
    """Labels of a file in the order of the rows."""
    from trueval.core.named import as_text
    from trueval.core.names import align

    labels = read.labels(run, path)
    if labels.index is not None and ids is not None:
        return align(labels, rows=as_text(ids), extra="drop")
    refuse_one_sided(path, "labels", labels.index is not None, ids is not None)
    if labels.n_rows != n_rows:
        raise InputError(f"{labels.n_rows:,} labels for {n_rows:,} rows.", place=Place(path))
    return labels


def _outcome(
    audits: "dict[str, RowAudit]", require: str | None, required: str | list[str] | None
) -> tuple[Outcome, list[Finding]]:
    from trueval.audit import RowLeakError
    from trueval.audit._result import LEAKS
    from trueval.show import summary
    from trueval.show._audit import RowAudits, sentence

    failed: dict[str, str] = {}
    for name, audit in audits.items():
        if require is not None:
            try:
                with _of_require():
                    audit.require(require)
            except RowLeakError as leak:
                failed[name] = str(leak)
    hints = []
    if require is not None:
        first = next(iter(failed.values()), None)
        hints.append(
            f"Passed: no alarm of {require}."
            if first is None
            else f"Failed in {len(failed):,} of {len(audits):,}: {first}"
        )
    names = required if isinstance(required, list) else LEAKS
    serious = None if required == "all" else set(names)
    findings = [
        Finding(
            name,
            check.name,
            sentence(check),
            check.alarm,
            "error" if serious is None or check.name in serious else "warning",
        )
        for name, audit in audits.items()
        for check in audit.checks
    ]
    findings += [
        Finding(name, check, f"not checked: {why}", skipped=True)
        for name, audit in audits.items()
        for check, why in audit.skipped.items()
    ]
    data: Fields = {
        "require": require,
        "failed": failed,
        "audits": {name: audit.to_dict() for name, audit in audits.items()},
    }
    together = RowAudits(audits)

    def stage(facts: Fields) -> "Stage":
        from trueval.report.sections.rows import rows_stage

        return rows_stage(together, facts)

    return Outcome(data, hints, stage, 1 if failed else 0, summary(together)), findings
