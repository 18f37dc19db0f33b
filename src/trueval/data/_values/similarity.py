"""``read_similarity``: a graph of similar rows from the hits of a search, or a sparse matrix."""

import re
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from trueval.core.docs import shared_sections
from trueval.core.errors import Fix, InputWarning, Place, quote, shorten, warn_user
from trueval.core.labels import Labels
from trueval.core.params import BOOL, NONE, Choice, constrained
from trueval.core.reading import SimilarityReading
from trueval.core.similarity import Similarity, as_similarity
from trueval.data._columns import Codes
from trueval.data._formats import find_format, read_raw
from trueval.data._lines import FILE_OPTIONS, READING
from trueval.data._raw import AsCodes, AsNumbers, RawMatrix, RawTable
from trueval.data._source import Source
from trueval.data._values._ids import numbers_rows, unnamed
from trueval.data._values._view import without
from trueval.data._values._words import COLUMN, header_by_types, is_number

__all__ = ["read_similarity", "read_similarity_with_reading"]

_UNITS = ("fraction", "percent", "as given")
# Columns that hold the share of identical residues, whatever their unit.
_IDENTITY = re.compile(r"[fp]?ident(?:ity)?|p?ident(?:ical)?|.*identity", re.IGNORECASE)
_DISTANCE = re.compile(r".*dist(?:ances?)?|.*e-?value|.*p-?value|.*rmsd", re.IGNORECASE)
_LEAST_IDENTITY = 0.05  # no search reports hits whose identities are all below
_ITSELF = 0.9  # of the rows with a hit: then a search of all rows against all
_ROUNDING = 1e-3  # what a fraction may be above 1
_SIMILAR = re.compile(r".*(?:similarity|tanimoto|cosine|weight|score|value)|bits?", re.IGNORECASE)


@constrained(
    **READING,
    column=COLUMN,
    unit=(NONE, Choice(_UNITS)),
    header=(NONE, BOOL),
)
@shared_sections(reading=FILE_OPTIONS)
def read_similarity(
    path: Any,
    rows: Any = None,
    format: str | None = None,  # noqa: A002, the name users know
    *,
    column: str | int | None = None,
    unit: str | None = None,
    header: bool | None = None,
    encoding: str = "utf-8",
    max_bytes: int | None = None,
) -> Similarity:
    r"""Read similar rows from hits of MMseqs2, DIAMOND or BLAST, a list of edges, or a matrix.

    Parameters
    ----------
    path : str, path-like, bytes, or binary file
        Tabular hits (``.m8``, ``-outfmt 6``), or any table whose first two columns are ids and
        a further one the similarity; or a sparse matrix of ``scipy.sparse.save_npz``.
    rows : Labels or sequence, optional
        Rows whose similarity it is, in their order. Labels without ids are numbered 0, 1, …. If
        not given, the ids of the file in order of appearance.
    format : {"npz", "csv", "tsv", "parquet"}, optional
    column : str or int, optional
        Column with the similarity, by name or number; by default one named as an identity or
        similarity, else the third, which is refused if it holds distances or e-values.
    unit : {"fraction", "percent", "as given"}, optional
        Of the similarity. By default identities above 1 are per cent (DIAMOND, BLAST), others
        fractions (MMseqs2), a mixture is refused, and any other column is taken as given.
    header : bool, optional
        Whether the first line names the columns, if not found by itself.
    {reading}

    Returns
    -------
    Similarity
        Hits of a row with itself are left out; of several hits of two rows the most similar
        counts.

    Warns
    -----
    InputWarning
        If hits have ids that no row has; they are left out. If some rows are in no hit, though
        nearly all others hit themselves: the search may have left them out.

    Examples
    --------
    >>> from trueval.data import read_similarity
    >>> hits = b"P1\tP1\t100.0\nP1\tP2\t87.5\nP2\tP1\t85.0\nP3\tP2\t31.0\n"
    >>> graph = read_similarity(hits, ["P1", "P2", "P3"])
    >>> graph.matrix.toarray()
    array([[0.   , 0.875, 0.   ],
           [0.875, 0.   , 0.31 ],
           [0.   , 0.31 , 0.   ]])
    """
    graph, _ = read_similarity_with_reading(
        path,
        rows,
        format,
        column=column,
        unit=unit,
        header=header,
        encoding=encoding,
        max_bytes=max_bytes,
    )
    return graph


def read_similarity_with_reading(
    path: Any,
    rows: Any = None,
    format: str | None = None,  # noqa: A002, the name users know
    *,
    column: Any = None,
    unit: str | None = None,
    header: bool | None = None,
    encoding: str = "utf-8",
    max_bytes: int | None = None,
) -> tuple[Similarity, SimilarityReading]:
    """A graph as :func:`read_similarity` reads it, and how the file was understood."""
    source = Source.of(path, max_bytes)
    form = find_format(source, format, ("table", "matrix"))
    raw = read_raw(source, form, header=header, encoding=encoding)
    names, n_rows = _row_names(rows)
    with source.placing():
        if isinstance(raw, RawMatrix):
            matrix = raw.matrix if sp.issparse(raw.matrix) else sp.csr_array(raw.matrix)
            graph = Similarity(matrix, raw.index)
            graph = graph if n_rows is None else as_similarity(graph, n_rows, names)
            return graph, SimilarityReading(None, "as given", graph.n_edges)
        if not isinstance(raw, RawTable):
            raise source.fail("the file holds labels, not similarities.")
        return _from_table(raw, names, n_rows, column, unit, header)


def _row_names(rows: Any) -> tuple[NDArray[Any] | None, int | None]:
    if rows is None:
        return None, None
    if isinstance(rows, Labels):
        return rows.index, rows.n_rows
    names = np.asarray(rows)
    return names, len(names)


def _from_table(
    table: RawTable,
    names: NDArray[Any] | None,
    n_rows: int | None,
    column: Any,
    unit: str | None,
    header: bool | None,
) -> tuple[Similarity, SimilarityReading]:
    if header is not False and table.width > 3:
        table = without(table, [at for at in unnamed(table) if numbers_rows(table, at)])
        if unnamed(table):
            raise table.fail(
                "a column has no name and does not number the rows: is it an id?",
                fix="Name it, or drop it.",
                column=unnamed(table)[0],
            )
    if table.width < 3 and column is None:
        raise table.fail(
            f"similarities need two columns of ids and one of numbers; there are {table.width}.",
            fix="Use -outfmt 6 of BLAST and DIAMOND, or convertalis of MMseqs2.",
        )
    at, is_identity = _column(table, column, header)
    if header is None:
        header = bool(header_by_types(table, [0, 1, at])) and not _names_rows(table, names)
    empty = "an id is empty.", "Name both rows."
    data = table.read(
        header=header,
        a=AsCodes(0, *empty),
        b=AsCodes(1, *empty),
        value=AsNumbers((at,), "similarity"),
    )
    values = data["value"][:, 0]
    name = table.names[at] if header else at
    if column is None and unit is None and is_identity:
        _refuse_tiny(table, values, data["a"], data["b"], at)
    values, unit = _in_unit(table, values, unit, is_identity, at)
    sides, order, n = _numbered(data["a"], data["b"], names, n_rows)
    known = (sides[0] >= 0) & (sides[1] >= 0)
    if not known.all():
        _tell_unknown(table, data, sides, known)
    a, b = (side[known] for side in sides)
    graph = Similarity.from_edges(a, b, values[known], n_rows=n, index=order)
    n_self, n_unknown = int((a == b).sum()), int((~known).sum())
    if n_rows is not None:
        _tell_absent(table, a, b, n)
    reading = SimilarityReading(name, unit, graph.n_edges, n_self, n_unknown)
    return graph, reading


def _column(table: RawTable, column: Any, header: bool | None) -> tuple[int, bool]:
    """Place of the similarity, and whether it is a share of identical residues."""
    if column is not None:
        at = table.position(column, "column")
    else:
        named = [
            place
            for words in (_IDENTITY, _SIMILAR)
            for place in range(2, table.width)
            if header is not False and words.fullmatch(table.names[place].strip())
        ]
        at = named[0] if named else 2
        if header is not False and _DISTANCE.fullmatch(table.names[at].strip()):
            raise table.fail(
                f"the column {quote(table.names[at])} is no similarity: less is more similar.",
                fix=_fix_of_distances(table, at),
            )
    by_name = header is not False and bool(_IDENTITY.fullmatch(table.names[at].strip()))
    # The third column of hits without a header is the identity.
    return at, by_name or (at == 2 and not _SIMILAR.fullmatch(table.names[at].strip()))


def _fix_of_distances(table: RawTable, at: int) -> Fix:
    """What to do about distances; another column is named if the table has one of numbers."""
    text = "Turn it into similarities, as in 1 / (1 + distance)"
    others = [
        name
        for place, name in enumerate(table.names)
        if place > 1
        and place != at
        and not _DISTANCE.fullmatch(name.strip())
        and all(map(is_number, table.cells(place)))
    ]
    if not others:
        return Fix(f"{text}.")
    return Fix(f"{text}, or pass {{}} if that column has similarities.", "column", others[0])


def _names_rows(table: RawTable, names: NDArray[Any] | None) -> bool:
    """Whether the first line has two ids of rows, so that it is a hit whatever its number is."""
    return names is not None and {table.names[0], table.names[1]} <= set(map(str, names.tolist()))


def _refuse_tiny(table: RawTable, values: NDArray[np.float64], a: Codes, b: Codes, at: int) -> None:
    """Refuse a column that was not named and whose numbers are too small for identities."""
    largest = float(values.max(initial=0.0))
    if 0 < largest < _LEAST_IDENTITY and (a.names[a.codes] != b.names[b.codes]).any():
        raise table.fail(
            f"no similarity is above {largest:g}, too little for identities; they may be e-values.",
            row=int(values.argmax()),
            column=at,
            fix=Fix("Pass {} for the column of similarities.", "column", at),
        )


def _in_unit(
    table: RawTable, values: NDArray[np.float64], unit: str | None, is_identity: bool, at: int
) -> tuple[NDArray[np.float64], str]:
    """Similarities from 0 to 1 where their unit is known, and that unit."""
    largest = float(values.max(initial=0.0))
    if unit is None:
        unit = "as given"
        if is_identity and largest <= 100:
            unit = "percent" if largest > 1 + _ROUNDING else "fraction"
            mixed = np.flatnonzero((values > 0) & (values <= 1))
            if unit == "percent" and len(mixed):
                raise table.fail(
                    f"similarities from {values[mixed].min():g} to {largest:g}: fractions or per "
                    "cent?",
                    row=int(mixed[0]),
                    column=at,
                    fix=Fix("Pass {}, or correct the file.", "unit", "percent"),
                )
    elif largest > {"fraction": 1, "percent": 100}.get(unit, np.inf):
        raise table.fail(
            f"a similarity of {largest:g} is no {unit}.",
            row=int(values.argmax()),
            column=at,
            fix=Fix("Pass {}.", "unit", "percent" if largest <= 100 else "as given"),
        )
    return (values / 100 if unit == "percent" else values), unit


def _numbered(
    a: Codes, b: Codes, names: NDArray[Any] | None, n_rows: int | None
) -> tuple[list[NDArray[np.int64]], NDArray[Any] | None, int]:
    """Row numbers of both sides, -1 for an id that no row has; names and number of rows."""
    if n_rows is None:
        wanted = list(dict.fromkeys(map(str, [*a.names.tolist(), *b.names.tolist()])))
        order: NDArray[Any] | None = np.array(wanted)
    else:
        wanted = list(map(str, range(n_rows) if names is None else names.tolist()))
        order = names
    place = {name: number for number, name in enumerate(wanted)}
    sides = []
    for codes in (a, b):
        numbers = np.array([place.get(str(name), -1) for name in codes.names.tolist()], np.int64)
        sides.append(numbers[codes.codes])
    return sides, order, len(wanted)


def _tell_absent(table: RawTable, a: NDArray[np.int64], b: NDArray[np.int64], n: int) -> None:
    """Warn of rows without any hit in a file where nearly all others hit themselves."""
    present = np.zeros(n, dtype=bool)
    present[a] = present[b] = True
    n_absent, n_itself = n - int(present.sum()), len(np.unique(a[a == b]))
    if n_absent and n_itself >= _ITSELF * present.sum():
        warn_user(
            f"{n_absent:,} of {n:,} rows are in no hit, not even with themselves as the others "
            "are; they count as similar to none.",
            InputWarning,
            place=Place(table.source.name),
            fix="See whether the search had all rows, and whether it masks or limits hits.",
        )


def _tell_unknown(
    table: RawTable, data: dict[str, Any], sides: list[NDArray[np.int64]], known: NDArray[np.bool_]
) -> None:
    """Refuse hits of which no row is known; say how many are left out of others."""
    first = int(np.flatnonzero(~known)[0])
    side = "a" if sides[0][first] < 0 else "b"
    name = quote(shorten(str(data[side].names[data[side].codes[first]])))
    fix = "Use the same ids in the hits and in the rows."
    if not known.any():
        raise table.fail(f"no hit is between two rows; no row has the id {name}.", fix=fix)
    warn_user(
        f"{int((~known).sum()):,} of {len(known):,} hits have an id that no row has, such as "
        f"{name}, and are left out.",
        InputWarning,
        place=Place(table.source.name),
        fix=fix,
    )
