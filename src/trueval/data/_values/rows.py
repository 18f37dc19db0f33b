"""Rows of features from a table or a matrix, with the columns that are none."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import Fix, InputError, quote
from trueval.core.named import as_text
from trueval.core.reading import RowsReading
from trueval.core.table import Table
from trueval.data._columns import Codes
from trueval.data._formats import find_format, read_raw
from trueval.data._raw import AsCodes, AsNumbers, RawMatrix, RawTable
from trueval.data._source import Source
from trueval.data._values._ids import index_beside, numbers_rows, say_doubt, unnamed
from trueval.data._values._split_words import Sides, split_sides
from trueval.data._values._words import MISSING, header_by_types

__all__ = ["ROLES", "FeatureRows", "read_feature_rows", "stack_rows"]

#: What columns may be that are no features.
ROLES = ("id", "label", "group", "time", "split")
#: Cells that mean a missing value.
_MISSING = MISSING | {"", "?"}


@dataclass(frozen=True, eq=False)
class FeatureRows:
    """Rows of a file.

    Attributes
    ----------
    features : Table, ndarray or sparse matrix
        Columns of numbers, or of text where a cell is none; None is a missing value.
    special : dict of str to ndarray
        Columns that are no features, by what they are: id, label, group, time.
    sides : dict, or None
        Training and test rows by name, if a column says them.
    n_rows : int
    """

    features: Any
    special: dict[str, NDArray[Any]]
    sides: Sides | None
    n_rows: int


def read_feature_rows(
    path: Any,
    special: Mapping[str, str | int] | None = None,
    *,
    ignore: tuple[str | int, ...] = (),
    header: bool | None = None,
) -> tuple[FeatureRows, RowsReading]:
    r"""Rows of a table, or of a matrix without names.

    ``special`` are columns by what they are: id, label, group, time, split. A column named id is
    that if no other is, else an index without a name, unless it only numbers the rows.

    >>> rows, _ = read_feature_rows(b"id,x,word,y\na,1,red,0\nb,,blue,1\n", {"label": "y"})
    >>> rows.features["x"], rows.features["word"].tolist(), rows.special["id"].tolist()
    (array([ 1., nan]), ['red', 'blue'], ['a', 'b'])
    """
    source = Source.of(path)
    raw = read_raw(source, find_format(source, None, ("table", "matrix")), header=header)
    special = dict(special or {})
    if isinstance(raw, RawMatrix):
        return _from_matrix(source, raw, special, ignore)
    if not isinstance(raw, RawTable):
        raise source.fail("the file holds labels, not features.")
    return _from_table(raw, special, ignore, header)


def _from_matrix(
    source: Source, raw: RawMatrix, special: Mapping[str, Any], ignore: tuple[Any, ...]
) -> tuple[FeatureRows, RowsReading]:
    if special or ignore:
        column = next(iter([*special.values(), *ignore]))
        raise source.fail(f"the file holds a matrix, which has no column {quote(column)}.")
    known = {} if raw.index is None else {"id": raw.index}
    n_rows, width = raw.matrix.shape
    reading = RowsReading(width, 0, {"id": "its names"} if known else {})
    return FeatureRows(raw.matrix, known, None, n_rows), reading


def _from_table(
    table: RawTable, special: dict[str, Any], ignore: tuple[Any, ...], header: bool | None
) -> tuple[FeatureRows, RowsReading]:
    at = {role: table.position(name, f"{role}_column") for role, name in special.items()}
    unused = {table.position(name, "ignore") for name in ignore}
    named_id = [place for place, name in enumerate(table.names) if name.lower() == "id"]
    if "id" not in at and named_id and named_id[0] not in {*at.values(), *unused}:
        at["id"] = named_id[0]
    if len({*at.values(), *unused}) < len(at) + len(unused):
        raise table.fail(
            "one column is named for two things.", fix="Name a column for each, or leave one out."
        )
    if header is None:
        called = any(isinstance(name, str) for name in [*special.values(), *ignore])
        header = called or header_by_types(table, range(table.width)) is not False
    if header:
        _settle_index(table, special, at, unused)
    features = [n for n in range(table.width) if n not in at.values() and n not in unused]
    if not features:
        raise table.fail("no column is left for features.")
    wanted = [*features, *at.values()]
    typed = {n for n in wanted if table.typed and table.is_numeric(n)}
    data = table.read(
        header=header,
        **{str(n): AsNumbers((n,)) if n in typed else AsCodes(n, None) for n in wanted},
    )
    columns = {n: data[str(n)][:, 0] if n in typed else _values(data[str(n)]) for n in features}
    names = {n: table.names[n] if header else str(n) for n in wanted}
    if len(set(names.values())) < len(names):
        raise table.fail("several columns have one name.", fix="Rename them.")
    known = {
        role: _complete(table, data[str(n)], n, role, n in typed)
        for role, n in at.items()
        if role != "split"
    }
    sides = None
    if "split" in at:
        sides = split_sides(table, _as_codes(data[str(at["split"])]), at["split"])
    n_rows = len(columns[features[0]])
    n_text = sum(values.dtype == object for values in columns.values())
    reading = RowsReading(
        len(features),
        n_text,
        {role: table.names[at[role]] if header else at[role] for role in ROLES if role in at},
        tuple(table.names[n] if header else n for n in sorted(unused)),
        header,
    )
    by_name = {names[n]: values for n, values in columns.items()}
    return FeatureRows(Table(by_name), known, sides, n_rows), reading


def _settle_index(
    table: RawTable, special: dict[str, Any], at: dict[str, int], unused: set[int]
) -> None:
    """Leave out an index without a name that numbers the rows; another one has their ids."""
    index = [n for n in unnamed(table) if n not in at.values() and n not in unused]
    telling = [n for n in index if not numbers_rows(table, n)]
    if telling and "id" in at and "id" not in special:
        say_doubt(table, *index_beside(table, telling, at["id"]))
    elif len(telling) > 1 and "id" not in special:
        raise table.fail(
            "two columns without a name could both be the row ids.",
            fix=Fix("Drop one, or choose by {}, its name or number.", "id_column"),
        )
    if telling and "id" not in at:
        at["id"] = telling[0]
    unused.update(n for n in index if n not in at.values())


def _values(column: Codes) -> NDArray[Any]:
    """Numbers where all cells are numbers or missing, else text with None."""
    names = [str(name).strip() for name in column.names.tolist()]
    missing = np.array([name.lower() in _MISSING for name in names] + [True])
    try:
        numbers = [np.nan if gone else float(name) for name, gone in zip(names, missing)]  # noqa: B905
    except ValueError:
        words = np.array([*names, None], dtype=object)
        words[missing] = None
        return words[column.codes]
    return np.array([*numbers, np.nan])[column.codes]


def _as_codes(column: Any) -> Codes:
    """Names of a column that may have been read as numbers."""
    if isinstance(column, Codes):
        return column
    distinct, codes = np.unique(column[:, 0], return_inverse=True)
    return Codes(np.array([f"{value:g}" for value in distinct]), codes.astype(np.int32))


def _complete(table: RawTable, column: Any, at: int, role: str, typed: bool) -> NDArray[Any]:
    """A column without missing values."""
    if typed:
        values: NDArray[Any] = column[:, 0]
        return values
    empty = np.flatnonzero(column.codes < 0)
    if len(empty):
        raise table.fail(
            f"the {role} is missing.",
            row=int(empty[0]),
            column=at,
            fix=Fix("Fill it in, or drop the row."),
        )
    names = column.expand()
    if role in ("label", "time"):
        try:
            return names.astype(np.float64)
        except ValueError:
            return names
    return names


def stack_rows(train: FeatureRows, test: FeatureRows) -> FeatureRows:
    r"""Rows of two files, one below the other; they must have the same columns.

    >>> sides = [read_feature_rows(text)[0] for text in (b"x,w\n1,a\n2,b\n", b"w,x\na,3\n")]
    >>> stack_rows(*sides).features.to_dict()
    {'x': [1.0, 2.0, 3.0], 'w': ['a', 'b', 'a']}
    """
    sides = (np.arange(train.n_rows), np.arange(test.n_rows) + train.n_rows)
    if not isinstance(train.features, Table) or not isinstance(test.features, Table):
        features = _stacked_matrices(train.features, test.features)
    else:
        differ = set(train.features) ^ set(test.features)
        if differ:
            raise InputError(
                f"the column {sorted(differ)[0]!r} is in one of training and test only.",
                fix=Fix("Name columns that are no features, or leave some out by {}.", "ignore"),
            )
        columns = {}
        for name, values in train.features.items():
            other = test.features[name]
            if (values.dtype == object) != (other.dtype == object):
                raise InputError(
                    f"the column {name!r} holds text in one of training and test, and numbers in "
                    "the other.",
                    fix="Correct the cells that are no numbers.",
                )
            columns[name] = np.concatenate([values, other])
        features = Table(columns)
    special = {
        role: np.concatenate([as_text(train.special[role]), as_text(test.special[role])])
        if train.special[role].dtype.kind != test.special[role].dtype.kind
        else np.concatenate([train.special[role], test.special[role]])
        for role in train.special
        if role in test.special
    }
    return FeatureRows(features, special, {"test": sides}, train.n_rows + test.n_rows)


def _stacked_matrices(a: Any, b: Any) -> Any:
    import scipy.sparse as sp

    if isinstance(a, Table) or isinstance(b, Table) or a.shape[1] != b.shape[1]:
        raise InputError("training and test differ in their columns.")
    if sp.issparse(a) or sp.issparse(b):
        return sp.vstack([sp.csr_array(a), sp.csr_array(b)], format="csr")
    return np.concatenate([a, b])
