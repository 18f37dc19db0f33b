"""Filters of the terms of labels, before a split or an evaluation."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp

from trueval.cafa._index import TermIndex, aspect_name
from trueval.core.errors import InputError
from trueval.core.labels import Labels
from trueval.core.named import as_text, listed
from trueval.core.params import BOOL, Instance, Interval, constrained

__all__ = ["filter_terms"]


@constrained(
    labels=Instance(Labels, "Labels"),
    drop_roots=BOOL,
    min_depth=Interval(int, 0),
    min_positives=Interval(int, 0),
    drop_rows=BOOL,
)
def filter_terms(
    labels: Labels,
    ontology: Any,
    *,
    aspect: str | Iterable[str] | None = None,
    drop_roots: bool = False,
    min_depth: int = 0,
    min_positives: int = 0,
    drop_rows: bool = False,
) -> Labels:
    """Keep some of the terms of labels.

    What depends on single annotations (evidence, dates, organisms) is filtered where they
    are read, by :func:`trueval.data.read_annotations`.

    Parameters
    ----------
    labels : Labels
        With terms as classes; propagated or not, they stay as they are.
    ontology : Ontology or path
    aspect : str or iterable of str, optional
        Namespaces to keep, ``"molecular_function"`` or ``"MF"``.
    drop_roots : bool, default=False
        Leave terms without parents out, which say nothing.
    min_depth : int, default=0
        Least number of steps between a term and its root, by the longest path.
    min_positives : int, default=0
        Least number of rows with a term.
    drop_rows : bool, default=False
        Leave out rows that keep no term.

    Returns
    -------
    Labels

    Raises
    ------
    InputError
        When no term passes, or a class is no term.

    Examples
    --------
    >>> from trueval import as_labels
    >>> from trueval.cafa import filter_terms
    >>> from trueval.data import Ontology
    >>> ontology = Ontology(["r", "a", "b"], [("a", "r", "is_a"), ("b", "r", "is_a")])
    >>> labels = as_labels([{"r", "a"}, {"r", "a"}, {"r", "b"}])
    >>> filter_terms(labels, ontology, drop_roots=True, min_positives=2).classes
    array(['a'], dtype='<U1')
    """
    index = ontology if isinstance(ontology, TermIndex) else TermIndex.of(ontology)
    if labels.classes.dtype.kind not in "UOT":
        raise InputError("the labels have no names of terms.", fix="Give Labels with classes.")
    names = as_text(labels.classes)
    resolved = index.resolve(names)
    lacking = names[resolved.numbers < 0]
    if len(lacking):
        raise InputError(
            f"{len(lacking):,} of {len(names):,} classes are not terms in use of the ontology: "
            f"{', '.join(lacking[:5].tolist())}{', …' if len(lacking) > 5 else ''}.",
            fix="Use the release of the ontology that belongs to the data.",
        )
    keep = labels.class_sizes >= min_positives
    if aspect is not None:
        wanted = [aspect] if isinstance(aspect, str) else listed(aspect, "the aspects")
        codes = [index.aspects.index(aspect_name(one, index.aspects)) for one in wanted]
        keep &= np.isin(index.aspect[resolved.numbers], codes)
    if drop_roots:
        keep &= index.n_parents[resolved.numbers] > 0
    if min_depth > 0:
        keep &= index.depth[resolved.numbers] >= min_depth
    if not keep.any():
        sizes = labels.class_sizes
        raise InputError(
            f"none of {len(names):,} terms passes the filters; the largest has {sizes.max():,} "
            "positives.",
            fix="Widen the filters.",
        )
    columns = np.flatnonzero(keep)
    matrix = sp.csr_array(labels.matrix[:, columns])
    matrix.sort_indices()
    selected = Labels(matrix, labels.classes[columns], labels.index)
    return selected.take(np.flatnonzero(np.diff(matrix.indptr))) if drop_rows else selected
