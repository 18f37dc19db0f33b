"""Read the inputs of a run: the library's readers, from a file or standard input."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from trueval.cli.files import STANDARD
from trueval.cli.options import SCORE_OPTIONS
from trueval.cli.parameters import OPTIONS, message_of
from trueval.cli.run import Run
from trueval.core.errors import InputError, Place

__all__ = [
    "clusters",
    "folds",
    "groups",
    "labels",
    "new_scores",
    "pairs",
    "ranking",
    "scored",
    "vectors",
]


def labels(
    run: Run,
    given: str,
    *,
    form: str | None = None,
    layout: str | None = None,
    id_column: str | None = None,
    label_column: str | None = None,
    separator: str | None = None,
    header: bool | None = None,
    ontology: str | None = None,
) -> Any:
    """Labels of a file, carried up an ontology if one is given."""
    from trueval.data.labels import labels_of, read_labels
    from trueval.data.ontology_tables import read_ontology
    from trueval.data.sniff import is_gaf

    source = run.source(given)
    columns = {"id_column": id_column, "label_column": label_column}
    with run.meter(f"Reading {given}"), naming_options(columns):
        terms = None if ontology is None else read_ontology(ontology)
        if given != STANDARD and (form == "gaf" or (form is None and is_gaf(source))):
            found = read_labels(given, form, ontology=terms)
        else:
            found = labels_of(
                source,
                form,
                layout=layout,
                id_column=column(id_column),
                label_column=column(label_column),
                separator=separator,
                header=header,
            )
            found = found if terms is None else terms.propagate(found)
        run.note_input(given, found.shape)
        if ontology is not None and terms is not None:
            run.note_input(ontology, (len(terms),))
    return found


def new_scores(run: Run, given: str, labels: Any, *, same_order: bool) -> Any:
    """Scores of new objects, their classes in the order of the labels."""
    from trueval.core.names import align
    from trueval.data.scores import scores_of

    source = run.source(given)
    with run.meter(f"Reading {given}"), source.placing():
        found = scores_of(source)
        run.note_input(given, found.shape)
        if same_order and found.names is None:
            found = type(found)(found.matrix, labels.classes, found.index)
        return align(found, classes=labels.classes, missing="empty" if found.is_sparse else "error")


def scored(run: Run, given: str, labels: Any, **matching: Any) -> tuple[Any, Any]:
    """Scores of a file in the order of the labels, and the labels in that order.

    These are the given ones, with what the scores have beyond them if that is allowed;
    ``matching`` as :func:`trueval.data.read_scores` takes it.
    """
    from trueval.core.names import align
    from trueval.data.scores import scores_of

    source = run.source(given)
    with run.meter(f"Reading {given}"):
        found = scores_of(source, labels, **matching)
        run.note_input(given, found.shape)
    if matching.get("allow_unlabelled"):
        rows = found.index if labels.index is not None else None
        labels = align(labels, rows=rows, classes=found.classes, missing="empty")
    return found, labels


def ranking(
    run: Run, scores: str, labels_file: str, new: str | None, options: dict[str, Any]
) -> tuple[Any, Any, Any]:
    """What rank and decide work on: scores, labels in their order, new scores or None.

    The options are those of :func:`scored` and of :func:`labels`.
    """
    matching = {name: options.pop(name) for name in SCORE_OPTIONS}
    y = labels(run, labels_file, **options)
    found, y = scored(run, scores, y, **matching)
    fresh = None
    if new is not None:
        fresh = new_scores(run, new, y, same_order=matching["same_order"])
    return found, y, fresh


def pairs(
    run: Run,
    given: str,
    *,
    columns: str | None = None,
    label_column: str | None = None,
    header: bool | None = None,
    two_kinds: bool = False,
) -> Any:
    """Pairs of a file."""
    from trueval.data.pairs import pairs_of

    two = None if columns is None else tuple(column(name) for name in columns.split(","))
    if two is not None and len(two) != 2:
        raise click.BadParameter(
            f"must name two columns, A,B. Got {columns!r}.", param_hint="--ids"
        )
    named = {"columns": columns, "label_column": label_column}
    with run.meter(f"Reading {given}"), naming_options(named):
        found = pairs_of(
            run.source(given),
            columns=two,
            label_column=column(label_column),
            header=header,
            mirrored=not two_kinds,
        )
        run.note_input(given, found.pairs.shape)
    return found


def folds(run: Run, given: str, beside: Any) -> Any:
    """Folds of a file, in the order of the labels."""
    from trueval.data.folds import folds_of

    found = folds_of(run.source(given), beside)
    run.note_input(given, (len(found),))
    return found


def groups(run: Run, given: str, beside: Any) -> Any:
    """Group of each row of the labels."""
    from trueval.data.column import column_of

    found = column_of(run.source(given), ("group", "groups"), "the groups")
    run.note_input(given, (len(found),))
    return found.beside(beside.index, beside.n_rows)


def fixed(run: Run, given: str, beside: Any) -> Any:
    """Part of the rows that are already assigned; -1 for those the file does not have."""
    from trueval.data.column import column_of

    found = column_of(run.source(given), ("fold", "part", "fixed"), "the fixed parts")
    run.note_input(given, (len(found),))
    return found.whole_numbers(found.beside(beside.index, beside.n_rows, missing="-1"), -1)


def clusters(run: Run, given: str) -> dict[str, str]:
    """Cluster of each object."""
    from trueval.data.column import column_of

    found = column_of(run.source(given), ("cluster", "clusters", "family"), "the clusters")
    run.note_input(given, (len(found),))
    return found.as_dict()


def vectors(run: Run, given: str) -> Any:
    """Features of objects: a wide table with ids, or npz with an index."""
    from trueval.data.scores import scores_of

    found = scores_of(run.source(given))
    if found.index is None:
        raise InputError(
            "the features have no object ids.", place=Place(given), fix="Add a first column 'id'."
        )
    run.note_input(given, found.shape)
    return found


def column(given: str | None) -> str | int | None:
    """A column by name, or by number where it is one."""
    return int(given) if given is not None and given.isdigit() else given


@contextmanager
def naming_options(given: dict[str, str | None]) -> Iterator[None]:
    """Turn "no such column" into an error of the call, where the call named the column."""
    try:
        yield
    except InputError as error:
        if error.parameter is None or given.get(error.parameter) is None:
            raise
        hint = OPTIONS[error.parameter]
        raise click.BadParameter(message_of(error), param_hint=hint) from error
