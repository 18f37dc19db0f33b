"""Options that choose annotations and GO terms, for every command that reads labels."""

from typing import TYPE_CHECKING

import click

from trueval.cli.parameters import with_options
from trueval.cli.types import Function, Options

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from trueval.core.labels import Labels
    from trueval.data import Ontology

__all__ = ["ANNOTATION_OPTIONS", "TERM_OPTIONS", "annotation_filters", "choose", "term_options"]

#: Filters of the lines of a GAF file.
ANNOTATION_OPTIONS = ("evidence", "since", "until", "taxon")

#: Filters of terms, after propagation.
TERM_OPTIONS = ("aspect", "min_positives", "min_depth", "drop_roots")


def term_options(function: Function) -> Function:
    """Options that choose annotations and terms."""
    return with_options(
        function,
        click.option(
            "--given-classes",
            is_flag=True,
            help="Propagate within the classes that LABELS have; add none for ancestors.",
        ),
        click.option(
            "--evidence",
            metavar="CODES",
            help="Evidence of a GAF file to keep: codes or groups, such as experimental,IBA.",
        ),
        click.option("--since", metavar="DAY", help="First day of annotations to keep (GAF)."),
        click.option("--until", metavar="DAY", help="Last day of annotations to keep (GAF)."),
        click.option(
            "--taxon", metavar="NUMBERS", help="Organisms to keep (GAF), such as 9606,10090."
        ),
        click.option(
            "--aspect",
            metavar="NAMES",
            help="Namespaces of the ontology to keep, such as MF,BP; rows without one are dropped.",
        ),
        click.option(
            "--min-positives",
            type=click.IntRange(0),
            metavar="N",
            help="Keep classes with at least N positives.",
        ),
        click.option(
            "--min-depth",
            type=click.IntRange(0),
            metavar="N",
            help="Keep terms at least N steps below their root.",
        ),
        click.option(
            "--drop-roots/--keep-roots",
            default=None,
            help="Whether to leave out the roots of the ontology ['decide' drops them].",
        ),
    )


def annotation_filters(options: Options, *, gaf: bool) -> Options:
    """Take the filters of annotations out of the options, as ``read_annotations`` has them."""
    filters = {name: options.pop(name, None) for name in ANNOTATION_OPTIONS}
    used = [name for name, value in filters.items() if value is not None]
    if used and not gaf:
        raise click.UsageError(f"--{used[0]} needs labels in GAF; other files do not have it.")
    for name in ("evidence", "taxon"):
        if filters[name] is not None:
            filters[name] = _names(filters[name])
    return {name: filters[name] for name in used}


def choose(
    labels: "Labels", ontology: "Ontology | None", options: Options, *, drop_roots: bool = False
) -> "tuple[Labels, NDArray[np.intp] | None]":
    """Labels with the terms that pass, and which rows are left where an aspect drops some."""
    selected, rows = _filtered(labels, ontology, options, drop_roots), None
    if selected is labels:
        return labels, None
    if ontology is not None and options.get("aspect") is not None:
        rows = _with_aspect(labels, ontology, options["aspect"])
        selected = selected.take(rows)
    by_default = drop_roots and options.get("drop_roots") is None
    _warn_of_dropped(labels, selected, by_default=by_default)
    return selected, rows


def _filtered(
    labels: "Labels", ontology: "Ontology | None", options: Options, drop_roots: bool
) -> "Labels":
    """Labels with the terms that pass; the same object if there is no filter."""
    chosen = {name: options.get(name) for name in TERM_OPTIONS}
    for name in ("aspect", "min_depth", "drop_roots"):
        if chosen[name] and ontology is None:
            raise click.UsageError(f"--{name.replace('_', '-')} needs --ontology.")
    if ontology is None:
        return labels if not chosen["min_positives"] else _large(labels, chosen["min_positives"])
    chosen["drop_roots"] = drop_roots if chosen["drop_roots"] is None else chosen["drop_roots"]
    wanted = {name: value for name, value in chosen.items() if value}
    if not wanted:
        return labels
    from trueval.cafa import filter_terms

    if "aspect" in wanted:
        wanted["aspect"] = _names(wanted["aspect"])
    return filter_terms(labels, ontology, **wanted)


def _names(text: str) -> list[str]:
    return [word.strip() for word in text.split(",")]


def _large(labels: "Labels", least: int) -> "Labels":
    """Labels with the classes of at least so many positives."""
    from trueval.core.errors import Fix, InputError
    from trueval.core.names import align

    sizes = labels.class_sizes
    if sizes.max() < least:
        raise InputError(
            f"no class has {least:,} positives; the largest has {sizes.max():,}.",
            fix=Fix("Lower {}.", "min_positives"),
        )
    return align(labels, classes=labels.classes[sizes >= least], extra="drop")


def _with_aspect(labels: "Labels", ontology: "Ontology", aspect: str) -> "NDArray[np.intp]":
    """Rows with any term of the aspects, roots too."""
    import numpy as np

    from trueval.cafa import filter_terms

    inside = filter_terms(labels, ontology, aspect=_names(aspect))
    return np.flatnonzero(np.diff(inside.matrix.indptr))


def _warn_of_dropped(labels: "Labels", selected: "Labels", *, by_default: bool) -> None:
    """Say what the filters left out, with the largest classes."""
    import numpy as np

    from trueval.core.errors import Fix, InputWarning, warn_user

    dropped = np.flatnonzero(~np.isin(labels.classes, selected.classes))
    rows = labels.n_rows - selected.n_rows
    if len(dropped) == 0 and rows == 0:
        return
    largest = dropped[np.argsort(-labels.class_sizes[dropped], kind="stable")][:3]
    examples = ", ".join(labels.classes[largest].tolist())
    parts = []
    if len(dropped):
        more = ", …" if len(dropped) > 3 else ""
        parts.append(f"{len(dropped):,} of {labels.n_classes:,} classes ({examples}{more})")
    if rows:
        parts.append(f"{rows:,} of {labels.n_rows:,} rows")
    roots = " Roots are left out by default, because they say nothing." if by_default else ""
    warn_user(
        f"{' and '.join(parts)} are left out.{roots}",
        InputWarning,
        fix=Fix("Pass {} to keep them.", "drop_roots", False) if by_default else None,
    )
