"""Read the inputs of a run: the library's readers, from a file or standard input."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from trueval.cli.parameters import OPTIONS, message_of
from trueval.cli.run import Run
from trueval.cli.terms import TERM_OPTIONS, annotation_filters, choose
from trueval.cli.types import Matching, Options, Values
from trueval.core.errors import InputError, Place

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from trueval.core.folds import Folds
    from trueval.core.labels import Labels
    from trueval.core.pairs import Pairs
    from trueval.core.scores import Scores
    from trueval.core.similarity import Similarity
    from trueval.data._source import Source

__all__ = [
    "clusters",
    "folds",
    "groups",
    "labels",
    "new_scores",
    "pairs",
    "ranking",
    "scored",
    "similarity",
    "vectors",
    "weights",
]


def labels(
    run: Run,
    path: str,
    *,
    form: str | None = None,
    layout: str | None = None,
    id_column: str | None = None,
    label_column: str | None = None,
    value_column: str | None = None,
    ignore: str | None = None,
    separator: str | None = None,
    header: bool | None = None,
    ontology: str | None = None,
    given_classes: bool = False,
    **choosing: Any,
) -> "Labels":
    """Labels of a file, propagated by an ontology if one is given, with the terms chosen."""
    from trueval.data import read_annotations, read_ontology
    from trueval.data._formats import find_format
    from trueval.data._values.labels import read_labels_with_reading

    source = run.source(path)
    gaf = find_format(source, form).name == "gaf"
    filters = annotation_filters(choosing, gaf=gaf)
    columns = {
        "id_column": id_column, "label_column": label_column, "value_column": value_column,
        "ignore": ignore,
    }  # fmt: skip
    with run.reading(path, source), naming_options(columns):
        terms = None if ontology is None else read_ontology(run.source(ontology))
        if gaf:
            value: Labels = read_annotations(source, terms, **filters)
        else:
            value, reading = read_labels_with_reading(
                source,
                form,
                layout=layout,
                id_column=column(id_column),
                label_column=column(label_column),
                value_column=column(value_column),
                ignore=tuple(column(name) for name in (ignore or "").split(",") if name),
                separator=separator,
                header=header,
            )
            run.note_reading(path, reading)
        if terms is not None:
            value = terms.propagate(value, columns="given" if given_classes else "all")
        run.note_input(path, value.shape)
        if ontology is not None and terms is not None:
            run.note_input(ontology, (len(terms),))
        run.ontology = terms
    return choose(value, terms, choosing)[0] if choosing else value


def new_scores(
    run: Run, path: str, labels: "Labels", *, same_order: bool, duplicates: str | None
) -> "Scores":
    """Scores of new objects, their classes in the order of the labels."""
    from trueval.core.names import align
    from trueval.data import read_scores
    from trueval.data._formats import is_cafa
    from trueval.data._values._beside import order_of_classes

    source = run.source(path)
    with run.reading(path, source), source.placing():
        if is_cafa(source.head()):
            scores = _cafa_scores(source, duplicates)
        else:
            scores = read_scores(source, duplicates=duplicates or "error", same_order=same_order)
        run.note_input(path, scores.shape)
        if same_order:
            scores = order_of_classes(scores, labels.classes)
        return align(
            scores, classes=labels.classes, missing="empty" if scores.is_sparse else "error"
        )


def scored(
    run: Run, path: str, labels: "Labels", duplicates: str | None, matching: Matching
) -> "tuple[Scores, Labels]":
    """Scores of a file in the order of the labels, and the labels in that order.

    These are the given ones, with what the scores have beyond them if that is allowed;
    ``matching`` as :func:`trueval.data.read_scores` takes it.
    """
    from trueval.core.names import align
    from trueval.data import read_scores
    from trueval.data._formats import is_cafa
    from trueval.data._values._beside import matched

    source = run.source(path)
    with run.reading(path, source):
        if is_cafa(source.head()):
            with source.placing():
                scores = matched(_cafa_scores(source, duplicates), labels, **matching)
        else:
            scores = read_scores(source, labels, duplicates=duplicates or "error", **matching)
        run.note_input(path, scores.shape)
    if matching["allow_unlabelled"]:
        rows = scores.index if labels.index is not None else None
        labels = align(labels, rows=rows, classes=scores.classes, missing="empty")
    return scores, labels


def ranking(
    run: Run,
    scores: str,
    labels_file: str,
    new: str | None,
    options: Options,
    *,
    drop_roots: bool = False,
) -> "tuple[Scores, Labels, Scores | None]":
    """What rank and decide work on: scores, labels in their order, new scores or None.

    The options are those of :func:`scored` and of :func:`labels`. ``drop_roots`` is what
    happens to roots of an ontology where the options do not say it.
    """
    from trueval.core.names import align

    matching: Matching = {
        "allow_missing": options.pop("allow_missing"),
        "allow_unlabelled": options.pop("allow_unlabelled"),
        "same_order": options.pop("same_order"),
    }
    duplicates = options.pop("duplicates")
    choosing = {name: options.pop(name, None) for name in TERM_OPTIONS}
    folds_file = options.pop("folds", None)
    y = labels(run, labels_file, **options)
    if folds_file is not None:
        # By the labels as they are in the file: classes are dropped below.
        run.folds = folds(run, folds_file, y).folds
    n_rows = y.n_rows
    out_of_fold, y = scored(run, scores, y, duplicates, matching)
    if run.folds is not None and y.n_rows != n_rows:
        raise click.UsageError(
            "--folds has no fold of the rows that only SCORES have; leave out --folds or "
            "--allow-unlabelled."
        )
    fresh = None
    if new is not None:
        order = matching["same_order"]
        fresh = new_scores(run, new, y, same_order=order, duplicates=duplicates)
    selected, rows = choose(y, run.ontology, choosing, drop_roots=drop_roots)
    if selected is not y:
        classes = selected.classes
        out_of_fold = align(out_of_fold, classes=classes, extra="drop")
        out_of_fold = out_of_fold if rows is None else out_of_fold.take(rows)
        fresh = None if fresh is None else align(fresh, classes=classes, extra="drop")
    return out_of_fold, selected, fresh


def _cafa_scores(source: "Source", duplicates: str | None) -> "Scores":
    """Scores of a file of CAFA predictions."""
    from trueval.cafa._read import predictions_of

    return predictions_of(source, duplicates=duplicates or "max").to_scores()


def pairs(
    run: Run,
    path: str,
    *,
    columns: str | None = None,
    label_column: str | None = None,
    header: bool | None = None,
    two_kinds: bool = False,
    source: "Source | None" = None,
) -> "Pairs":
    """Pairs of a file, which may be open already."""
    from trueval.data._values.pairs import read_pairs_with_reading

    two = None if columns is None else tuple(column(name) for name in columns.split(","))
    if two is not None and len(two) != 2:
        raise click.BadParameter(
            f"must name two columns, A,B. Got {columns!r}.", param_hint="--ids"
        )
    named = {"columns": columns, "label_column": label_column}
    source = run.source(path) if source is None else source
    with run.reading(path, source), naming_options(named):
        value, reading = read_pairs_with_reading(
            source,
            columns=two,
            label_column=column(label_column),
            header=header,
            symmetric=not two_kinds,
        )
        run.note_input(path, value.pairs.shape)
        run.note_reading(path, reading)
    return value


def folds(run: Run, path: str, labels: "Labels") -> "Folds":
    """Folds of a file, in the order of the labels."""
    from trueval.data import read_folds

    value = read_folds(run.source(path), labels)
    run.note_input(path, (len(value),))
    return value


def groups(run: Run, path: str, labels: "Labels") -> Values:
    """Group of each row of the labels."""
    from trueval.data._values.columns import read_column

    table = read_column(run.source(path), ("group", "groups"), "the groups")
    values = table.in_order(labels.index, labels.n_rows)
    run.note_input(path, (len(table),))
    return values


def weights(run: Run, path: str | None, labels: "Labels") -> "NDArray[np.float64] | None":
    """Weight of each row of the labels; None without a file."""
    if path is None:
        return None
    from trueval.data._values.columns import read_column

    table = read_column(run.source(path), ("weight", "weights"), "the weights")
    values = table.in_order(labels.index, labels.n_rows)
    run.note_input(path, (len(table),))
    return table.numbers(values)


def fixed(run: Run, path: str, labels: "Labels", n_parts: int | None) -> "NDArray[np.int64]":
    """Part of the rows that are already assigned; -1 for those the file does not have.

    Words such as train and test number unequal parts, of which there are ``n_parts``.
    """
    import numpy as np

    from trueval.data._values._split_words import part_numbers
    from trueval.data._values.columns import read_column

    table = read_column(run.source(path), ("fold", "part", "split", "fixed"), "the fixed parts")
    values = table.in_order(labels.index, labels.n_rows, missing="-1")
    run.note_input(path, (len(table),))
    words = [word for word in np.unique(table.values).tolist() if not word.lstrip("-").isdigit()]
    if not words:
        return table.whole_numbers(values, -1)
    numbers = {"-1": -1} | part_numbers(words, n_parts, table.source)
    return np.array([numbers.get(word, -2) for word in values.tolist()])


def similarity(
    run: Run,
    path: str,
    labels: "Labels | list[object]",
    name: str | None = None,
    unit: str | None = None,
) -> "Similarity":
    """Similar rows of the labels; ``name`` is the column of similarities."""
    from trueval.data._values.similarity import read_similarity_with_reading

    with run.meter(f"Reading {path}"), naming_options({"column": name}):
        graph, reading = read_similarity_with_reading(
            run.source(path), labels, column=column(name), unit=unit
        )
        run.note_input(path, (graph.n_rows, graph.n_edges))
        run.note_reading(path, reading)
    return graph


def clusters(run: Run, path: str, pairs: "Pairs") -> dict[object, str]:
    """Cluster of each object of the pairs that the file has."""
    from trueval.data._values.columns import read_column

    table = read_column(run.source(path), ("cluster", "clusters", "family"), "the clusters")
    values = table.by_name(pairs.pairs)
    run.note_input(path, (len(table),))
    return values


def vectors(run: Run, path: str) -> "Scores":
    """Features of objects: a wide table with ids, or npz with an index."""
    from trueval.data import read_scores

    features = read_scores(run.source(path))
    if features.index is None:
        raise InputError(
            "the features have no object ids.", place=Place(path), fix="Add a first column 'id'."
        )
    run.note_input(path, features.shape)
    return features


def column(path: str | None) -> str | int | None:
    """A column by name, or by number where it is one."""
    return int(path) if path is not None and path.isdigit() else path


@contextmanager
def naming_options(options: dict[str, str | None]) -> Iterator[None]:
    """Turn "no such column" into an error of the call, where the call named the column."""
    try:
        yield
    except InputError as error:
        if error.parameter is None or options.get(error.parameter) is None:
            raise
        hint = OPTIONS[error.parameter]
        raise click.BadParameter(message_of(error), param_hint=hint) from error
