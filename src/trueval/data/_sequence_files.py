"""Protein sequences from FASTA, and sequences with GO terms from UniProt's flat file."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.errors import Fix, quote
from trueval.core.labels import Labels
from trueval.core.params import BOOL, Choice, constrained
from trueval.data._lines import text_lines
from trueval.data._source import FILE, MAX_BYTES, Source
from trueval.data.ontology._annotations import EVIDENCE_CODES, evidence_codes

__all__ = ["Sequences", "go_labels", "read_fasta", "read_uniprot"]

_LETTERS = re.compile(r"[A-Za-z]+\*?", re.ASCII)
_DATABASE = re.compile(r"[^|\s]+\|([^|\s]+)\|")
_GO = re.compile(r"GO; (GO:\d{7}); ([FPC]):[^;]*; ([A-Z]{2,3})\b", re.ASCII)
_LENGTH = re.compile(r"SEQUENCE\s+(\d{1,9}) AA;")
_DOMAINS = {"F": "MF", "P": "BP", "C": "CC"}
DOMAIN = Choice((None, "MF", "BP", "CC"))


@dataclass(frozen=True, eq=False, repr=False)
class Sequences:
    """Proteins with their sequences, in the order of the file.

    Attributes
    ----------
    index : ndarray of str
        Ids.
    sequences : list of str
        Letters in upper case.
    labels : Labels or None
        GO terms of each protein, as annotated, where the file has them.
    domains : ndarray of str or None
        "MF", "BP" or "CC" of each class of the labels.
    """

    index: NDArray[np.str_]
    sequences: list[str]
    labels: Labels | None = None
    domains: NDArray[np.str_] | None = None

    def __len__(self) -> int:
        return len(self.sequences)

    def __repr__(self) -> str:
        terms = "" if self.labels is None else f", {self.labels.n_classes:,} terms"
        return f"Sequences({len(self):,} proteins{terms})"


@constrained(path=FILE, ids=Choice(("word", "accession")), max_bytes=MAX_BYTES)
def read_fasta(path: Any, *, ids: str = "word", max_bytes: int | None = None) -> Sequences:
    r"""Read sequences from a FASTA file.

    Parameters
    ----------
    path : str, path-like, bytes, or binary file
        Compressed or not.
    ids : {"word", "accession"}, default="word"
        How proteins are named: by the first word of the header, or by the accession in the
        header of a sequence data base, ``P12345`` of ``>sp|P12345|NAME_HUMAN``.
    max_bytes : int, optional
        As in :func:`read_labels`.

    Returns
    -------
    Sequences
        Without labels. A stop sign at the end (``*``) is taken off.

    Raises
    ------
    InputError
        For a sequence with other signs than letters, an empty one, an id that is there twice,
        with the line.

    Examples
    --------
    >>> from trueval.data import read_fasta
    >>> text = b">sp|P1|A_HUMAN kinase\nMKV\nLA\n>sp|P2|B_HUMAN\nMA\n"
    >>> proteins = read_fasta(text, ids="accession")
    >>> proteins.index.tolist(), proteins.sequences
    (['P1', 'P2'], ['MKVLA', 'MA'])
    """
    source = Source.of(path, max_bytes)
    line_of: dict[str, int] = {}
    parts: list[list[str]] = []
    for number, line in text_lines(source):
        text = line.strip()
        if text.startswith(">"):
            if parts and not parts[-1]:
                raise _empty(source, number - 1)
            _add_id(source, line_of, _fasta_id(source, number, text, ids), number)
            parts.append([])
        elif text and not text.startswith(";"):
            if not parts:
                raise source.fail(
                    f"the first line is {quote(text)}, no header.",
                    line=number,
                    fix="A FASTA file has a line such as >P12345 before each sequence.",
                )
            parts[-1].append(_letters(source, number, text))
    if not parts:
        raise source.fail("there is no sequence in the file.", fix="Check that it is FASTA.")
    if not parts[-1]:
        raise _empty(source, number)
    return Sequences(np.array(list(line_of)), ["".join(lines) for lines in parts])


def _fasta_id(source: Source, number: int, header: str, ids: str) -> str:
    words = header[1:].split()
    if not words:
        raise source.fail("the header names no sequence.", line=number, fix="Write >ID.")
    if ids == "word":
        return words[0]
    match = _DATABASE.match(words[0])
    if match is None:
        raise source.fail(
            f"the header {quote(words[0])} has no accession.",
            line=number,
            fix=Fix("It looks like sp|P12345|NAME; pass {} to take the word.", "ids", "word"),
        )
    return match[1]


def _add_id(source: Source, line_of: dict[str, int], name: str, number: int) -> None:
    if name in line_of:
        raise source.fail(
            f"the id {quote(name)} is also in line {line_of[name]:,}.",
            line=number,
            fix="Ids must be distinct; remove one of the two.",
        )
    line_of[name] = number


def _letters(source: Source, number: int, text: str) -> str:
    if not _LETTERS.fullmatch(text):
        raise source.fail(
            f"the sequence {quote(text)} has other signs than letters.",
            line=number,
            fix="Remove gaps and digits; the file must hold sequences, not an alignment.",
        )
    return text.removesuffix("*").upper()


def _empty(source: Source, number: int) -> Exception:
    return source.fail("the sequence is empty.", line=number, fix="Remove its header.")


# --- UniProt ---------------------------------------------------------------------


@dataclass
class Entry:
    """One entry of a flat file, while it is read."""

    line: int
    accession: str = ""
    length: int = -1
    sequence: list[str] = field(default_factory=list)
    terms: dict[str, tuple[str, str]] = field(default_factory=dict)  # to domain and evidence


@constrained(
    path=FILE, domain=DOMAIN, evidence=EVIDENCE_CODES, unannotated=BOOL, max_bytes=MAX_BYTES
)
def read_uniprot(
    path: Any,
    *,
    domain: str | None = None,
    evidence: str | Iterable[str] | None = None,
    unannotated: bool = False,
    max_bytes: int | None = None,
) -> Sequences:
    r"""Read sequences and GO terms from UniProt's flat file, such as ``uniprot_sprot.dat.gz``.

    Parameters
    ----------
    path : str, path-like, bytes, or binary file
        Compressed or not.
    domain : {"MF", "BP", "CC"}, optional
        Take terms of one domain of GO only; all if not given.
    evidence : str or iterable of str, optional
        Codes or groups of them, as in :func:`read_annotations`; all if not given.
    unannotated : bool, default=False
        Whether to keep entries without any such term.
    max_bytes : int, optional
        As in :func:`read_labels`.

    Returns
    -------
    Sequences
        One row for each entry, named by its first accession. ``labels`` are the terms that the
        entry lists, without their ancestors.

    Raises
    ------
    InputError
        For an entry that is broken or cut short, with its line.

    Examples
    --------
    >>> from trueval.data import read_uniprot
    >>> entry = '''ID   A_HUMAN                Reviewed;           5 AA.
    ... AC   P1; Q1;
    ... DR   GO; GO:0005524; F:ATP binding; IEA:UniProtKB-KW.
    ... SQ   SEQUENCE   5 AA;  600 MW;  0000000000000000 CRC64;
    ...      MKVLA
    ... //
    ... '''
    >>> proteins = read_uniprot(entry.encode())
    >>> proteins.index.tolist(), proteins.sequences, proteins.labels.classes.tolist()
    (['P1'], ['MKVLA'], ['GO:0005524'])
    """
    source = Source.of(path, max_bytes)
    codes = evidence_codes(evidence)
    line_of: dict[str, int] = {}
    sequences: list[str] = []
    terms: list[list[str]] = []
    domains: dict[str, str] = {}
    for entry in uniprot_entries(source):
        selected = {
            term: of
            for term, (of, code) in entry.terms.items()
            if (domain is None or of == domain) and (codes is None or code in codes)
        }
        if not selected and not unannotated:
            continue
        _add_id(source, line_of, entry.accession, entry.line)
        sequences.append("".join(entry.sequence))
        terms.append(list(selected))
        domains |= selected
    if not domains:
        raise source.fail(
            "no entry has a GO term that was asked for.",
            fix="Check the domain and the evidence, or that this is the right file.",
        )
    index = np.array(list(line_of))
    labels = go_labels(terms, sorted(domains), index)
    return Sequences(index, sequences, labels, np.array([domains[t] for t in sorted(domains)]))


def go_labels(terms: list[list[str]], classes: list[str], index: NDArray[np.str_]) -> Labels:
    """Labels of lists of terms."""
    column = {term: j for j, term in enumerate(classes)}
    indices = np.array([column[t] for row in terms for t in sorted(row)], dtype=np.int32)
    offsets = np.cumsum([0, *map(len, terms)])
    ones = np.ones(len(indices), dtype=np.int32)
    matrix = sp.csr_array((ones, indices, offsets), shape=(len(terms), len(classes)))
    return Labels(matrix, classes, index)


def uniprot_entries(source: Source) -> Iterator[Entry]:
    """Entries one by one, each checked."""
    entry: Entry | None = None
    for number, line in text_lines(source):
        code = line[:5].rstrip()
        if code == "ID":
            if entry is not None:
                raise _cut(source, entry)
            entry = Entry(number)
        elif not line.strip() and entry is None:
            continue
        elif entry is None:
            raise source.fail(
                f"{quote(line)} is outside an entry.",
                line=number,
                fix="An entry of UniProt begins with a line ID and ends with //.",
            )
        elif code == "//":
            yield _checked(source, entry)
            entry = None
        else:
            _add_line(source, entry, number, code, line[5:])
    if entry is not None:
        raise _cut(source, entry)


def _add_line(source: Source, entry: Entry, number: int, code: str, text: str) -> None:
    if code == "AC" and not entry.accession:
        entry.accession = text.partition(";")[0].strip()
    elif code == "DR" and text.startswith("GO; "):
        match = _GO.match(text)
        if match is None:
            raise source.fail(
                f"the cross-reference {quote(text)} is no GO term.",
                line=number,
                fix="It looks like GO; GO:0005524; F:ATP binding; IEA:UniProtKB-KW.",
            )
        entry.terms[match[1]] = (_DOMAINS[match[2]], match[3])
    elif code == "SQ":
        length = _LENGTH.match(text)
        if length is None:
            raise source.fail(
                f"the line {quote(text)} has no length.",
                line=number,
                fix="It looks like SEQUENCE   256 AA;.",
            )
        entry.length = int(length[1])
    elif not code and entry.length >= 0:
        entry.sequence.append(_letters(source, number, text.replace(" ", "")))


def _checked(source: Source, entry: Entry) -> Entry:
    if not entry.accession:
        raise source.fail(
            "the entry has no accession (AC).", line=entry.line, fix="Fetch the file again."
        )
    n = sum(map(len, entry.sequence))
    if n == 0 or n != entry.length:
        said = "no sequence (SQ)" if entry.length < 0 else f"{n} residues, not {entry.length}"
        raise source.fail(
            f"the entry {quote(entry.accession)} has {said}.",
            line=entry.line,
            fix="Fetch the file again.",
        )
    return entry


def _cut(source: Source, entry: Entry) -> Exception:
    return source.fail(
        f"the entry {quote(entry.accession)} has no end (//).",
        line=entry.line,
        fix="The file is cut short: fetch it again.",
    )
