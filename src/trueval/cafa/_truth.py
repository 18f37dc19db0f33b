"""Annotations as CAFA exchanges them: a target and a term a line; and their closure."""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.cafa._index import TermIndex
from trueval.cafa._lines import OtherLine, Records, read_records
from trueval.core.errors import InputError, ParameterError, Place, quote, shorten
from trueval.core.files import atomic_write
from trueval.core.labels import Labels
from trueval.core.named import as_text, listed
from trueval.core.params import NONE, PATH, Instance, Interval, constrained
from trueval.data import read_annotations
from trueval.data._formats import is_gaf
from trueval.data._source import FILE, Source, names_file
from trueval.data._words import check_words

__all__ = ["Annotated", "annotated", "read_truth", "truth_text", "write_truth"]

_FILE = "a file of annotations"

_TARGET_WORDS = {
    "accession", "entry", "entryid", "gene", "geneid", "id", "name", "object", "protein",
    "proteinid", "proteins", "target", "targetid", "targets", "uniprot", "uniprotid",
}  # fmt: skip
_TERM_WORDS = {
    "annotation", "class", "function", "go", "goid", "goterm", "label", "term", "termid", "terms",
}  # fmt: skip


@constrained(path=FILE, max_bytes=(NONE, Interval(int, 1)))
def read_truth(path: str | os.PathLike[str], *, max_bytes: int | None = None) -> Labels:
    r"""Read CAFA-evaluator's ground truth: a target and a term a line.

    Parameters
    ----------
    path : str, path, bytes of a file, or binary file
        Plain or packed. Fields are separated by tabs or spaces; a third one, the aspect, and
        further ones are ignored, as the ontology tells the aspect. A header is recognised.

    max_bytes : int, optional
        Largest text read, after unpacking.

    Returns
    -------
    Labels
        Targets in order of first appearance, and terms, as they are in the file.

    Raises
    ------
    InputError
        For a line with one field, with its number; for a file without annotations.

    Examples
    --------
    >>> from trueval.cafa import read_truth
    >>> read_truth(b"EntryID\tterm\taspect\nP1\tGO:0003677\tMFO\nP2\tGO:0005634\tCCO\n")
    Labels(2 rows × 2 classes, 2 positives)
    """
    return truth_of(Source.of(path, max_bytes))


def truth_of(source: Source) -> Labels:
    """Annotations of a source; the body of :func:`read_truth`."""

    def refuse(line: OtherLine) -> None:
        fix = "Replace the commas by tabs." if "," in line.text else "Add what is missing."
        raise source.fail(
            f"{quote(line.text, 60)} is not a target and a term, separated by a tab or spaces.",
            fix=fix,
            line=line.number,
        )

    records = read_records(source, 2, (), refuse)
    first = _n_header_lines(records)
    (targets, terms), (rows, columns) = records.names, records.codes
    if len(records) == first:
        raise source.fail(
            "the file has no annotation.", fix="Write a target and a term on each line."
        )
    if first:
        targets, terms = targets[1:], terms[1:]
        rows, columns = rows[1:] - 1, columns[1:] - 1
    return _labels(targets, terms, rows, columns)


def _n_header_lines(records: Records) -> int:
    """1 if the first line names the columns and its words occur nowhere else."""
    (targets, terms), (rows, columns) = records.names, records.codes
    if len(records) == 0:
        return 0
    alone = (rows == 0).sum() == 1 and (columns == 0).sum() == 1
    return int(alone and _are_words_of_a_header(str(targets[0]), str(terms[0])))


def _are_words_of_a_header(target: str, term: str) -> bool:
    target, term = (re.sub("[^a-z]", "", name.lower()) for name in (target, term))
    return target in _TARGET_WORDS and term in _TERM_WORDS


def _labels(
    targets: NDArray[Any], terms: NDArray[Any], rows: NDArray[Any], columns: NDArray[Any]
) -> Labels:
    entries = (np.ones(len(rows), dtype=bool), (rows, columns))
    matrix = sp.csr_array(entries, shape=(len(targets), len(terms))).astype(np.int32)
    matrix.sort_indices()
    return Labels(matrix, terms, targets)


@constrained(path=PATH, labels=Instance(Labels, "Labels"))
def write_truth(path: Any, labels: Labels) -> None:
    """Write annotations as CAFA-evaluator reads them: a target and a term a line.

    Parameters
    ----------
    path : str or path
        Compressed if the name says so (``.gz``). Complete or not there.
    labels : Labels
        With the names of targets (``index``) and terms (``classes``). Targets without a term and
        terms without a target have no line.

    Raises
    ------
    InputError
        If there is no annotation, or for a name that would not be read back as it is: one that is
        empty, has a blank or begins with ``#``; for a first line that reads as a header.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from trueval import as_labels
    >>> from trueval.cafa import write_truth
    >>> from trueval import Labels
    >>> import numpy as np
    >>> terms = as_labels([{"GO:0003677"}, {"GO:0003677", "GO:0005634"}])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "truth.tsv")
    ...     write_truth(path, Labels(terms.matrix, terms.classes, np.array(["P1", "P2"])))
    ...     print(path.read_text().expandtabs(4), end="")
    P1  GO:0003677
    P2  GO:0003677
    P2  GO:0005634
    """
    text = truth_text(labels)
    with atomic_write(path) as file:
        file.write(text)


def truth_text(labels: Labels) -> bytes:
    """What :func:`write_truth` writes."""
    targets, terms = _names(labels, "labels")
    check_words(targets.tolist(), "target", _FILE)
    check_words(terms.tolist(), "term", _FILE)
    columns = labels.matrix.indices
    if len(columns) == 0:
        raise InputError(
            "there is no annotation to write.", fix="A file of annotations has at least one."
        )
    rows = np.repeat(np.arange(len(targets)), np.diff(labels.matrix.indptr))
    target, term = str(targets[rows[0]]), str(terms[columns[0]])
    alone = (rows == rows[0]).sum() == 1 and (columns == columns[0]).sum() == 1
    if alone and _are_words_of_a_header(target, term):
        raise InputError(
            f"the first line, {quote(target)} and {quote(term)}, would be read as a header.",
            fix="Rename the target, or put another one first.",
        )
    lines = zip(targets[rows].tolist(), terms[columns].tolist(), strict=True)
    return "".join([f"{target}\t{term}\n" for target, term in lines]).encode()


def _names(labels: Labels, what: str) -> tuple[NDArray[Any], NDArray[Any]]:
    if labels.index is None or labels.classes.dtype.kind not in "UOT":
        raise InputError(
            f"the {what} have no names of targets and terms.",
            fix="Give Labels with index and classes, as read_truth and read_annotations do.",
        )
    targets = as_text(labels.index)
    if len(np.unique(targets)) < len(targets):
        raise InputError(f"the {what} name a target twice.", fix="Merge its rows.")
    return targets, as_text(labels.classes)


@dataclass(frozen=True, eq=False)
class Annotated:
    """Targets and their terms, by the numbers of an index."""

    targets: NDArray[Any]
    matrix: sp.csr_array  # shape (n_targets, n_terms); 1 for every term of a target; canonical
    counts: dict[str, int]  # annotations, and what became of their terms

    def beside(self, targets: NDArray[Any]) -> sp.csr_array:
        """Rows in the order of other targets; empty for those it does not have."""
        place = {name: i for i, name in enumerate(self.targets.tolist())}
        rows = np.array([place.get(name, -1) for name in targets.tolist()], dtype=np.int64)
        have = np.flatnonzero(rows >= 0)
        pick = sp.csr_array(
            (np.ones(len(have)), (have, rows[have])), shape=(len(targets), len(self.targets))
        )
        picked = sp.csr_array(pick @ self.matrix)
        picked.sort_indices()
        return picked


def annotated(
    annotations: Any,
    index: TermIndex,
    what: str,
    *,
    evidence: str | Iterable[str] | None = None,
    close: bool = True,
    obsolete: str = "drop",
) -> Annotated:
    """Annotations of whatever a user has, by the terms of an index, with their ancestors.

    A file (target and term a line, or GAF), Labels with names, or a mapping of target to terms.
    """
    where = what
    if names_file(annotations):
        source = Source.of(annotations)
        where = source.name
        labels = (
            read_annotations(source, evidence=evidence, unknown="drop")
            if is_gaf(source)
            else truth_of(source)
        )
    elif isinstance(annotations, Labels):
        labels = annotations
    elif isinstance(annotations, Mapping):
        labels = _of_mapping(annotations, what)
    else:
        expected = "a path, Labels with names, or a mapping of target to terms"
        raise ParameterError(what, expected, annotations)
    targets, terms = _names(labels, what)
    resolved = index.resolve(terms, obsolete=obsolete)
    columns = labels.matrix.indices
    resolved.warn(where, columns)
    numbers = resolved.numbers[columns]
    rows = np.repeat(np.arange(labels.n_rows), np.diff(labels.matrix.indptr))
    keep = numbers >= 0
    if not keep.any():
        example = f", such as {shorten(terms[columns[0]])}" if len(columns) else ""
        raise InputError(
            f"no annotation has a term of the ontology{example}.",
            place=Place(where),
            fix="Use the ontology that the annotations were made with.",
        )
    entries = (np.ones(int(keep.sum()), dtype=bool), (rows[keep], numbers[keep]))
    direct = sp.csr_array(entries, shape=(len(targets), len(index)))
    direct.sort_indices()
    matrix = direct.astype(np.float64)
    counts = {"annotations": len(columns)} | resolved.counts(columns)
    return Annotated(targets, index.carry_up(matrix) if close else matrix, counts)


def _of_mapping(annotations: Mapping[Any, Any], what: str) -> Labels:
    number: dict[str, int] = {}
    rows, columns = [], []
    for row, (target, terms) in enumerate(annotations.items()):
        for term in listed(terms, f"the terms that the {what} give {target!r}"):
            rows.append(row)
            columns.append(number.setdefault(str(term), len(number)))
    if not rows:
        raise InputError(f"the {what} have no annotation.")
    return _labels(as_text(annotations), as_text(number), np.array(rows), np.array(columns))
