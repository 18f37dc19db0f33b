"""Ontologies as tables: one row an edge, and one row a term.

Columns are found by their name in the header line, in any order.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from trueval.core.errors import Fix, InputError, Place, quote
from trueval.core.params import NONE, PATH, Choice, Interval, constrained
from trueval.data.obo import parse_obo
from trueval.data.ontology import Ontology
from trueval.data.ontology_draft import Draft
from trueval.data.ontology_lines import (
    MAX_BYTES,
    bad_line,
    numbered_lines,
    read_lines,
)

__all__ = ["parse_ontology_tables", "read_ontology"]

_EDGE_COLUMNS: dict[str, tuple[str, ...]] = {
    "child": ("child", "source", "subject"),
    "parent": ("parent", "target", "object"),
    "relation": ("relation", "type", "predicate"),
}
_TERM_COLUMNS: dict[str, tuple[str, ...]] = {
    "id": ("go_id", "id", "term", "term_id"),
    "namespace": ("ontology", "namespace", "aspect"),
    "name": ("name", "label"),
    "obsolete": ("obsolete", "is_obsolete"),
}


@constrained(
    path=PATH, terms=(NONE, PATH), missing=Choice(("error", "drop")), max_bytes=Interval(int, 1)
)
def read_ontology(
    path: str | os.PathLike[str],
    *,
    terms: str | os.PathLike[str] | None = None,
    missing: str = "error",
    max_bytes: int = MAX_BYTES,
) -> Ontology:
    r"""Read an ontology from an OBO file or from tables.

    Parameters
    ----------
    path : str or path
        An OBO file, or a table of edges with the columns ``child``, ``parent``
        and, optionally, ``relation`` (``is_a`` where there is none). Plain, or
        packed with gzip, bz2 or xz.
    terms : str or path, optional
        For a table of edges, the table of terms: the columns ``go_id`` (or
        ``id``) and, optionally, ``ontology`` (or ``namespace``), ``name`` and
        ``obsolete``. Without it the terms are those of the edges, in one
        namespace.
    missing : {"error", "drop"}, default="error"
        What to do with an edge to a term that is not there.
    max_bytes : int
        Largest text read, after unpacking.

    Returns
    -------
    Ontology

    Raises
    ------
    InputError
        For a broken file, with its line, the value and the fix.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from trueval.data import read_ontology
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "edges.tsv")
    ...     _ = path.write_text("child\tparent\trelation\nB:2\tB:1\tis_a\n")
    ...     read_ontology(path)
    Ontology(2 terms, 1 edges: is_a 1)
    """
    where = Path(path).name
    lines = read_lines(path, max_bytes=max_bytes)
    head: list[bytes] = []
    for line in lines:
        head.append(line)
        if line.strip() or len(head) > 1000:
            break
    rest = _chain(head, lines)
    if _is_table(head[-1] if head else b""):
        term_lines = None if terms is None else read_lines(terms, max_bytes=max_bytes)
        terms_where = "" if terms is None else Path(terms).name
        return parse_ontology_tables(rest, where, term_lines, terms_where, missing=missing)
    if terms is not None:
        raise InputError(
            "terms= goes with a table of edges, whose header names the columns child "
            "and parent; this file has none.",
            place=Place(where),
            fix=Fix("For an OBO file leave {} out.", "terms"),
        )
    return parse_obo(rest, where, missing=missing)


def _chain(head: list[bytes], rest: Iterator[bytes]) -> Iterator[bytes]:
    yield from head
    yield from rest


def _is_table(line: bytes) -> bool:
    names = {cell.strip().lower() for cell in line.removeprefix(b"\xef\xbb\xbf").split(b"\t")}
    return any(name.encode() in names for name in _EDGE_COLUMNS["parent"])


def parse_ontology_tables(
    edges: Iterable[bytes | str],
    where: str,
    terms: Iterable[bytes | str] | None = None,
    terms_where: str = "",
    *,
    missing: str = "error",
) -> Ontology:
    r"""Make an ontology of the lines of two tables.

    >>> from trueval.data.ontology_tables import parse_ontology_tables
    >>> parse_ontology_tables(["child\tparent", "b\ta"], "edges.tsv").edges
    [('b', 'a', 'is_a')]
    """
    draft = Draft(where)
    if terms is not None:
        _add_terms(draft, terms, terms_where)
    for number, row in _rows(edges, where, _EDGE_COLUMNS, ("child", "parent")):
        child, parent = row["child"], row["parent"]
        if terms is None:
            for term in (child, parent):
                if term not in draft.line_of:
                    draft.add_term(term, number)
        draft.check_id(child, number, "child")
        draft.add_edge(child, parent, row.get("relation", "is_a"), number)
    return draft.finish(missing)


def _add_terms(draft: Draft, lines: Iterable[bytes | str], where: str) -> None:
    edges_where, draft.where = draft.where, where
    for number, row in _rows(lines, where, _TERM_COLUMNS, ("id",)):
        term = row["id"]
        draft.add_term(term, number)
        draft.names[term] = row.get("name", "")
        draft.namespaces[term] = row.get("namespace", "")
        flag = row.get("obsolete", "").lower()
        if flag in ("1", "true"):
            draft.obsolete.add(term)
        elif flag not in ("", "0", "false"):
            raise bad_line(
                where, number, f"obsolete is {quote(flag)}", "It must be 0, 1, true or false."
            )
    if not draft.line_of:
        raise bad_line(where, 1, "the table has no term", "It needs a header and rows.")
    draft.where = edges_where


def _rows(
    lines: Iterable[bytes | str],
    where: str,
    columns: dict[str, tuple[str, ...]],
    needed: tuple[str, ...],
) -> Iterator[tuple[int, dict[str, str]]]:
    found: dict[str, int] = {}
    width = 0
    number = 0
    for number, line in numbered_lines(lines, where):
        if not line.strip():
            continue
        cells = line.split("\t")
        if not width:
            found, width = _header(cells, where, number, columns, needed), len(cells)
            continue
        if len(cells) != width:
            raise bad_line(
                where,
                number,
                f"{len(cells)} cells where the header has {width}",
                "Cells must be separated by single tabs; a name must not hold one.",
            )
        yield number, {name: cells[place].strip() for name, place in found.items()}
    if not width:
        raise bad_line(
            where, max(number, 1), "the table is empty", f"It needs a header: {', '.join(columns)}."
        )


def _header(
    cells: list[str],
    where: str,
    number: int,
    columns: dict[str, tuple[str, ...]],
    needed: tuple[str, ...],
) -> dict[str, int]:
    names = [cell.strip().lower() for cell in cells]
    found: dict[str, int] = {}
    for column, spellings in columns.items():
        places = [i for i, name in enumerate(names) if name in spellings]
        if len(places) > 1:
            raise bad_line(
                where,
                number,
                f"columns {places[0] + 1} and {places[1] + 1} both give the {column}",
                "Keep one of them.",
            )
        if places:
            found[column] = places[0]
        elif column in needed:
            raise bad_line(
                where,
                number,
                f"the header {quote(' '.join(cells))} has no column for the {column}",
                f"Name it {' or '.join(spellings)}; columns are separated by tabs.",
            )
    return found
