"""Annotations of gene products in GAF 2.x, into labels.

One line of a GAF file says that an object has a term, or has it NOT, on some
evidence, since some day. Labels come of the lines that pass the filters.
"""

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from trueval.core.errors import Fix, InputError, ParameterError
from trueval.core.labels import Labels
from trueval.core.named import as_text, listed
from trueval.core.params import BOOL, NONE, Choice, Instance, Where, constrained
from trueval.data._source import FILE, MAX_BYTES, Source
from trueval.data.ontology._draft import bad_line
from trueval.data.ontology._gaf import Annotation, is_day, parse_gaf
from trueval.data.ontology._ontology import Ontology

__all__ = ["EVIDENCE", "Annotations", "evidence_codes", "read_annotations"]

EVIDENCE: Mapping[str, frozenset[str]] = {
    "low_throughput": frozenset({"EXP", "IDA", "IPI", "IMP", "IGI", "IEP"}),
    "high_throughput": frozenset({"HTP", "HDA", "HMP", "HGI", "HEP"}),
    "phylogenetic": frozenset({"IBA", "IBD", "IKR", "IRD"}),
    "computational": frozenset({"ISS", "ISO", "ISA", "ISM", "IGC", "RCA"}),
    "author": frozenset({"TAS", "NAS"}),
    "curator": frozenset({"IC", "ND"}),
    "electronic": frozenset({"IEA"}),
    "experimental": frozenset(
        {"EXP", "IDA", "IPI", "IMP", "IGI", "IEP", "HTP", "HDA", "HMP", "HGI", "HEP"}
    ),
}
"""Named sets of evidence codes, as the Gene Ontology groups them."""

_COUNTED = (
    "lines",
    "evidence",
    "date",
    "taxon",
    "unknown",
    "negated",
    "duplicates",
    "contradicted",
)


class Annotations(Labels):
    """Labels read from annotations; usable wherever labels are.

    Parameters
    ----------
    matrix, classes, index
        As :class:`trueval.Labels` takes them: objects by terms.
    negatives : sparse matrix, optional
        Terms that an object is said NOT to have; same rows and columns.
    counts : mapping of str to int, optional

    Attributes
    ----------
    matrix, classes, index
        As in :class:`trueval.Labels`.
    negatives : scipy.sparse.csr_array of int32
        Terms that an object is said NOT to have; same rows and columns.
    counts : mapping of str to int
        What became of the lines: ``lines``, dropped for ``evidence``, ``date``, ``taxon`` or
        ``unknown`` terms, ``negated``, ``duplicates``, ``contradicted`` pairs.
    """

    negatives: sp.csr_array
    counts: Mapping[str, int]

    def __init__(
        self,
        matrix: Any,
        classes: Any = None,
        index: Any = None,
        negatives: Any = None,
        counts: Mapping[str, int] | None = None,
    ) -> None:
        labels = Labels(matrix, classes, index)
        none = sp.csr_array(labels.shape, dtype=np.int32)
        known = none if negatives is None else Labels(negatives, labels.classes).matrix
        if known.shape != labels.shape:
            raise InputError(
                f"negatives has shape {known.shape} but the labels have {labels.shape}; they must "
                "be the same objects and terms."
            )
        fields = {name: getattr(labels, name) for name in labels._fields}
        self._set(**fields, negatives=known, counts=dict(counts or {}))

    def _card_lines(self) -> list[tuple[str, int, Any]]:
        said = {"lines": "of the file"}
        lines = [
            (name, int(n), said.get(name, "lines left out or marked"))
            for name, n in self.counts.items()
        ]
        return [("known negatives", int(self.negatives.nnz), "NOT lines of the file"), *lines]

    def __repr__(self) -> str:
        return (
            f"Annotations({self.n_rows:,} objects × {self.n_classes:,} terms, "
            f"{self.nnz:,} positives, {self.negatives.nnz:,} known negatives)"
        )


def _are_codes(evidence: Any) -> bool:
    names = [evidence] if isinstance(evidence, str) else listed(evidence, "evidence")
    known = set(EVIDENCE).union(*EVIDENCE.values())
    return all(name in known for name in names)


EVIDENCE_CODES = (
    NONE,
    Where(_are_codes, f"evidence codes or groups of them ({', '.join(EVIDENCE)})"),
)
"""Constraint on a parameter that chooses evidence."""


def _are_taxa(taxon: Any) -> bool:
    numbers = _taxon_numbers(taxon)
    return bool(numbers) and all(number.isascii() and number.isdigit() for number in numbers)


_DAY = (
    NONE,
    Instance(dt.date, "a date"),
    Where(lambda day: is_day(day.replace("-", "")), "a day such as '2014-01-31'"),
)


@constrained(
    path=FILE,
    ontology=(NONE, Instance(Ontology, "an Ontology")),
    evidence=EVIDENCE_CODES,
    since=_DAY,
    until=_DAY,
    taxon=(NONE, Where(_are_taxa, "numbers of organisms, such as 9606")),
    contradicted=Choice(("drop", "keep")),
    unknown=Choice(("error", "drop")),
    propagate=BOOL,
    ids=Choice(("identifier", "database:identifier")),
    max_bytes=MAX_BYTES,
)
def read_annotations(
    path: Any,
    ontology: Ontology | None = None,
    *,
    evidence: str | Iterable[str] | None = None,
    since: str | dt.date | None = None,
    until: str | dt.date | None = None,
    taxon: str | int | Iterable[str | int] | None = None,
    contradicted: str = "drop",
    unknown: str = "error",
    propagate: bool = False,
    ids: str = "identifier",
    max_bytes: int | None = None,
) -> Annotations:
    r"""Read labels from a GAF 2.x file.

    Parameters
    ----------
    path : str, path-like, bytes, or binary file
        Compressed or not.
    ontology : Ontology, optional
        If given, alternative ids become the term they mean and replaced obsolete
        terms their replacement.
    evidence : str or iterable of str, optional
        Codes (``"IDA"``) or groups of :data:`EVIDENCE` (``"experimental"``) to
        keep, for positive and NOT lines alike; all if left out.
    since, until : str or date, optional
        First and last day of annotation to keep, ``"2014-01-31"`` or
        ``"20140131"``.
    taxon : int, str or iterable of these, optional
        Organisms to keep, by their numbers in the taxonomy of NCBI: ``9606`` or
        ``"taxon:9606"`` is human. Of a line with two, the first counts.
    contradicted : {"drop", "keep"}, default="drop"
        What becomes of a positive pair for which another line says NOT: drop it,
        or keep it. Either way NOT lines never make positives, and stand in
        ``negatives``.
    unknown : {"error", "drop"}, default="error"
        What to do with a term that the ontology does not have.
    propagate : bool, default=False
        Add the ancestors of all terms as columns and apply the true-path rule
        (is_a and part_of within a namespace); needs the ontology.
    ids : {"identifier", "database:identifier"}, default="identifier"
        How objects are named.
    max_bytes : int, optional
        As in :func:`read_labels`.

    Returns
    -------
    Annotations
        Labels with one row for each object with a positive, in order of first
        appearance, and sorted terms as columns. Duplicates are merged.

    Raises
    ------
    InputError
        For a broken line, with its number, the value and the fix; when no line
        passes the filters.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from trueval.data import read_annotations
    >>> def line(who, qualifier, term, code):
    ...     cells = ["UniProtKB", who, "", qualifier, term, "PMID:1", code, "", "F", "", "",
    ...              "protein", "taxon:9606", "20140101", "UniProt", "", ""]
    ...     return "\t".join(cells) + "\n"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "three.gaf")
    ...     _ = path.write_text("!gaf-version: 2.1\n" + line("P1", "", "GO:0003677", "IDA")
    ...         + line("P1", "NOT", "GO:0016301", "IDA") + line("P2", "", "GO:0016301", "IEA"))
    ...     read_annotations(path, evidence="experimental")
    Annotations(1 objects × 1 terms, 1 positives, 0 known negatives)
    """
    if propagate and ontology is None:
        raise ParameterError("ontology", "given with propagate=True", None, "read_annotations")
    source = Source.of(path, max_bytes)
    codes = evidence_codes(evidence)
    days = _day(since, "00000000"), _day(until, "99999999")
    counts: Counter[str] = Counter(dict.fromkeys(_COUNTED, 0))
    taxa = None if taxon is None else _taxon_numbers(taxon)
    passing = _passing(parse_gaf(source), codes, days, taxa, counts)
    positive: dict[tuple[str, str], None] = {}
    negative: dict[tuple[str, str], None] = {}
    database_of: dict[str, str] = {}
    meaning: dict[str, str | None] = {}
    for item in passing:
        if item.term not in meaning:
            meaning[item.term] = _resolve(item, ontology, unknown, source)
        term = meaning[item.term]
        if term is None:
            counts["unknown"] += 1
            continue
        pair = (_object_name(item, ids, database_of, source), term)
        target = negative if item.negated else positive
        counts["negated"] += item.negated
        counts["duplicates"] += pair in target
        target[pair] = None
    both = positive.keys() & negative.keys()
    counts["contradicted"] = len(both)
    if contradicted == "drop":
        positive = {pair: None for pair in positive if pair not in both}
    return _labels_of(positive, negative, ontology if propagate else None, dict(counts), source)


def _passing(
    items: Iterable[Annotation],
    codes: set[str] | None,
    days: tuple[str, str],
    taxa: set[str] | None,
    counts: Counter[str],
) -> Iterator[Annotation]:
    """The lines whose evidence, date and organism are wanted; all are counted."""
    for item in items:
        counts["lines"] += 1
        if codes is not None and item.evidence not in codes:
            counts["evidence"] += 1
        elif not days[0] <= item.date <= days[1]:
            counts["date"] += 1
        elif taxa is not None and item.taxon not in taxa:
            counts["taxon"] += 1
        else:
            yield item


def evidence_codes(evidence: str | Iterable[str] | None) -> set[str] | None:
    if evidence is None:
        return None
    names = [evidence] if isinstance(evidence, str) else evidence
    return set().union(*(EVIDENCE.get(name, {name}) for name in names))


def _taxon_numbers(taxon: Any) -> set[str]:
    several = [taxon] if isinstance(taxon, str | int) else listed(taxon, "taxon")
    return {str(one).strip().lower().removeprefix("taxon:") for one in several}


def _day(value: str | dt.date | None, default: str) -> str:
    if value is None:
        return default
    if isinstance(value, dt.date):
        return f"{value.year:04d}{value.month:02d}{value.day:02d}"
    return value.replace("-", "")


def _resolve(
    item: Annotation, ontology: Ontology | None, unknown: str, source: Source
) -> str | None:
    if ontology is None:
        return item.term
    if item.term in ontology:
        return ontology.resolve(item.term)
    if unknown == "drop":
        return None
    raise bad_line(
        source,
        item.line,
        f"the term {item.term} is not in the ontology",
        Fix("Use the release that belongs to the annotations, or pass {}.", "unknown", "drop"),
    )


def _object_name(item: Annotation, ids: str, database_of: dict[str, str], source: Source) -> str:
    if ids == "database:identifier":
        return f"{item.database}:{item.identifier}"
    database = database_of.setdefault(item.identifier, item.database)
    if database != item.database:
        raise bad_line(
            source,
            item.line,
            f"the id {item.identifier} is of {item.database} here and of {database} before",
            Fix("Pass {} to tell them apart.", "ids", "database:identifier"),
        )
    return item.identifier


def _labels_of(
    positive: Mapping[tuple[str, str], None],
    negative: Mapping[tuple[str, str], None],
    closing: Ontology | None,
    counts: Mapping[str, int],
    source: Source,
) -> Annotations:
    if not positive:
        raise source.fail(
            f"none of {counts['lines']:,} lines gives a positive label "
            f"({counts['evidence']:,} dropped for their evidence, {counts['date']:,} for their "
            f"date, {counts['taxon']:,} for their organism, {counts['unknown']:,} for unknown "
            f"terms, {counts['negated']:,} say NOT).",
            fix="Widen the filters, or check that this is the right file.",
        )
    rows = {name: i for i, name in enumerate(dict.fromkeys(who for who, _ in positive))}
    terms = {term for _, term in positive}
    if closing is not None:
        terms |= {above for term in terms for above in closing.ancestors(term)}
    columns = {term: j for j, term in enumerate(sorted(terms))}
    matrix = _matrix(positive, rows, columns)
    negatives = _matrix(
        [pair for pair in negative if pair[0] in rows and pair[1] in columns], rows, columns
    )
    classes = as_text(columns)
    if closing is not None:
        matrix = closing.propagate(matrix, classes)
    index = as_text(rows)
    return Annotations._trusted(matrix, classes, index, negatives=negatives, counts=counts)


def _matrix(
    pairs: Iterable[tuple[str, str]], rows: Mapping[str, int], columns: Mapping[str, int]
) -> sp.csr_array:
    """Canonical CSR of pairs that are all different."""
    places = np.array([(rows[who], columns[term]) for who, term in pairs], dtype=np.int64)
    row, column = places.reshape(-1, 2).T
    ones = np.ones(len(row), dtype=np.int32)
    matrix = sp.csr_array((ones, (row, column)), shape=(len(rows), len(columns)))
    matrix.sort_indices()
    return matrix
