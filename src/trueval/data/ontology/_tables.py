"""Ontologies as tables: one row an edge, and one row a term.

Columns are found by their name in the header line, in any order.
"""

import re
from collections.abc import Iterator
from typing import Any

from trueval.core.errors import Fix, InputWarning, Place, quote, quote_names, warn_user
from trueval.core.params import NONE, Choice, constrained
from trueval.data._lines import text_lines
from trueval.data._source import FILE, MAX_BYTES, Source
from trueval.data.ontology._draft import MAX_LINE, Draft, bad_line
from trueval.data.ontology._obo import parse_obo
from trueval.data.ontology._ontology import Ontology

__all__ = ["read_ontology"]

_EDGE_COLUMNS: dict[str, tuple[str, ...]] = {
    "child": ("child", "source", "subject"),
    "parent": ("parent", "target", "object"),
    "relation": (
        "relation",
        "type",
        "predicate",
        "relationship",
        "rel",
        "edge",
        "property",
        *(f"{word}_type" for word in ("edge", "rel", "relation", "relationship")),
    ),
}
# What relations are called, in a column that is not named so.
_RELATION = re.compile(
    r"is[_ ]?an?|(?:rdfs:)?subclassof|(?:is_)?part[_ ]of|has[_ ]part|occurs[_ ]in|ends_during"
    r"|happens_during|(?:(?:positively|negatively)[_ ])?regulates|capable_of(?:_part_of)?"
    r"|(?:RO|BFO):\d{7}",
    re.IGNORECASE,
)
_TERM_COLUMNS: dict[str, tuple[str, ...]] = {
    "id": ("go_id", "id", "term", "term_id"),
    "namespace": ("ontology", "namespace", "aspect"),
    "name": ("name", "label"),
    "obsolete": ("obsolete", "is_obsolete"),
}


@constrained(path=FILE, terms=(NONE, FILE), missing=Choice(("error", "drop")), max_bytes=MAX_BYTES)
def read_ontology(
    path: Any,
    *,
    terms: Any = None,
    missing: str = "error",
    max_bytes: int | None = None,
) -> Ontology:
    r"""Read an ontology from an OBO file or from tables.

    Parameters
    ----------
    path : str or path
        An OBO file, or a table of edges with the columns ``child``, ``parent``
        and, optionally, ``relation`` or ``relationship`` (all are ``is_a`` where there is
        none). Plain, or packed with gzip, bz2 or xz.
    terms : str or path, optional
        For a table of edges, the table of terms: the columns ``go_id`` (or
        ``id``) and, optionally, ``ontology`` (or ``namespace``), ``name`` and
        ``obsolete``. Without it the terms are those of the edges, in one
        namespace.
    missing : {"error", "drop"}, default="error"
        What to do with an edge to a term that is not there.
    max_bytes : int, optional
        As in :func:`read_labels`.

    Returns
    -------
    Ontology

    Raises
    ------
    InputError
        For a broken file, with its line, the value and the fix; for a table without a column
        ``relation`` that has names of relations elsewhere.

    Warns
    -----
    InputWarning
        If a table has columns that are not read, or no edge is ``is_a``.

    Examples
    --------
    >>> from trueval.data import read_ontology
    >>> read_ontology(b"child\tparent\trelation\nB:2\tB:1\tis_a\n")
    Ontology(2 terms, 1 edges: is_a 1)
    """
    source = Source.of(path, max_bytes)
    written = (line for line in text_lines(source, longest=MAX_LINE) if line[1].strip())
    number, first = next(written, (1, ""))
    if _is_table(first):
        return _parse_tables(
            source, None if terms is None else Source.of(terms, max_bytes), missing
        )
    _refuse_other_separators(source, number, first)
    if terms is not None:
        raise source.fail(
            "terms= goes with a table of edges, whose header names the columns child "
            "and parent; this file has none.",
            fix=Fix("For an OBO file leave {} out.", "terms"),
        )
    return parse_obo(source, missing=missing)


def _is_table(line: str) -> bool:
    names = {cell.strip().lower() for cell in line.split("\t")}
    return not names.isdisjoint(_EDGE_COLUMNS["parent"])


def _refuse_other_separators(source: Source, number: int, line: str) -> None:
    """Say of a table of edges with other separators that it needs tabs."""
    for separator, what in ((",", "commas"), (";", "semicolons")):
        if _is_table(line.replace('"', "").replace(separator, "\t")):
            raise source.fail(
                f"the columns are separated by {what}; a table of edges needs tabs.",
                fix="Save it with tabs (TSV).",
                line=number,
            )


def _parse_tables(source: Source, terms: Source | None, missing: str) -> Ontology:
    draft = Draft(source)
    if terms is not None:
        _add_terms(draft, terms)
    for number, row in _rows(source, _EDGE_COLUMNS, ("child", "parent")):
        child, parent = row["child"], row["parent"]
        if terms is None:
            for term in (child, parent):
                if term not in draft.line_of:
                    draft.add_term(term, number)
        draft.check_id(child, number, "child")
        draft.add_edge(child, parent, row.get("relation", "is_a"), number)
    ontology = draft.finish(missing)
    if ontology.relations and "is_a" not in ontology.relations:
        warn_user(
            f"no edge is is_a; the relations are {', '.join(map(quote, ontology.relations[:5]))}.",
            InputWarning,
            place=Place(source.name),
            fix="Labels are carried along is_a and part_of unless other relations are named.",
        )
    return ontology


def _add_terms(draft: Draft, source: Source) -> None:
    edges, draft.source = draft.source, source
    for number, row in _rows(source, _TERM_COLUMNS, ("id",)):
        term = row["id"]
        draft.add_term(term, number)
        draft.names[term] = row.get("name", "")
        draft.namespaces[term] = row.get("namespace", "")
        flag = row.get("obsolete", "").lower()
        if flag in ("1", "true"):
            draft.obsolete.add(term)
        elif flag not in ("", "0", "false"):
            raise bad_line(
                source, number, f"obsolete is {quote(flag)}", "It must be 0, 1, true or false."
            )
    if not draft.line_of:
        raise bad_line(source, 1, "the table has no term", "It needs a header and rows.")
    draft.source = edges


def _rows(
    source: Source,
    columns: dict[str, tuple[str, ...]],
    needed: tuple[str, ...],
) -> Iterator[tuple[int, dict[str, str]]]:
    place_of: dict[str, int] = {}
    unread: dict[int, str] = {}
    others: dict[int, str] = {}  # of these, columns that may hold relations
    width = 0
    number = 0
    for number, line in text_lines(source, longest=MAX_LINE):
        if not line.strip():
            continue
        cells = line.split("\t")
        if not width:
            place_of, width = _header(cells, source, number, columns, needed), len(cells)
            unread = {at: name for at, name in enumerate(cells) if at not in place_of.values()}
            all_is_a = "relation" in columns and "relation" not in place_of
            others = unread if all_is_a else {}
            continue
        if len(cells) != width:
            raise bad_line(
                source,
                number,
                f"{len(cells)} cells where the header has {width}",
                "Cells must be separated by single tabs; a name must not hold one.",
            )
        for at, name in others.items():
            if _RELATION.fullmatch(cells[at].strip()):
                what = f"the column {quote(name, 40)} has {quote(cells[at])}, a relation"
                raise bad_line(source, number, what, "Name that column relation.")
        yield number, {name: cells[place].strip() for name, place in place_of.items()}
    if not width:
        raise bad_line(
            source,
            max(number, 1),
            "the table is empty",
            f"It needs a header: {', '.join(columns)}.",
        )
    if unread:
        _tell_unread(source, list(unread.values()), bool(others))


def _tell_unread(source: Source, names: list[str], all_is_a: bool) -> None:
    """Name the columns that are not read."""
    warn_user(
        f"not read: {quote_names(names)}.{' All edges are taken as is_a.' if all_is_a else ''}",
        InputWarning,
        place=Place(source.name),
        fix="If one holds the relation, name it relation." if all_is_a else None,
    )


def _header(
    cells: list[str],
    source: Source,
    number: int,
    columns: dict[str, tuple[str, ...]],
    needed: tuple[str, ...],
) -> dict[str, int]:
    names = [cell.strip().lower() for cell in cells]
    place_of: dict[str, int] = {}
    for column, spellings in columns.items():
        places = [i for i, name in enumerate(names) if name in spellings]
        if len(places) > 1:
            raise bad_line(
                source,
                number,
                f"columns {places[0] + 1} and {places[1] + 1} both give the {column}",
                "Keep one of them.",
            )
        if places:
            place_of[column] = places[0]
        elif column in needed:
            raise bad_line(
                source,
                number,
                f"the header {quote(' '.join(cells))} has no column for the {column}",
                f"Name it {' or '.join(spellings)}; columns are separated by tabs.",
            )
    return place_of
