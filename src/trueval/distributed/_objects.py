"""Pairs as numbers of objects: the objects are in memory, the pairs where they are stored."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import Fix, InputError, Place
from trueval.core.ids import PairIndex
from trueval.core.params import BOOL, PATH, Where
from trueval.distributed._quality import SOURCE
from trueval.distributed._rows import arrow
from trueval.distributed._source import Dataset, Fragment, Naming, open_dataset, plain

__all__ = ["PAIRS", "Objects", "gather_objects", "open_pairs"]

#: Constraints of the parameters that pairs have.
PAIRS: dict[str, Any] = {
    "source": PATH,
    "columns": Where(
        lambda names: (
            not isinstance(names, str)
            and len(names) == 2
            and all(isinstance(name, str) for name in names)
        ),
        "the names of two columns",
    ),
    "symmetric": BOOL,
    **{name: SOURCE[name] for name in ("engine", "client", "progress")},
}


@dataclass(frozen=True, eq=False)
class Objects:
    """Ids of all objects of each kind, sorted; both columns are of one kind, or each of its own."""

    names: list[Any]

    @property
    def kind_of_column(self) -> tuple[int, int]:
        """Kind of the objects of each column."""
        return (0, len(self.names) - 1)

    def index(self) -> PairIndex:
        """The objects as those of a table without pairs."""
        first = np.cumsum([0, *map(len, self.names)])
        ids = [name for names in self.names for name in names.to_pylist()]
        return PairIndex(np.empty((0, 2), np.int64), ids, self.kind_of_column, first)

    def batches(self, fragment: Fragment) -> Iterator[tuple[Any, NDArray[np.int64]]]:
        """Batches of a fragment, and the numbers of the two objects of each pair."""
        first = (0, 0 if len(self.names) == 1 else len(self.names[0]))
        for batch in fragment.batches():
            codes = np.empty((len(batch), 2), np.int64)
            for column, kind in enumerate(self.kind_of_column):
                names = plain(batch.column(column))
                place = arrow(".compute").index_in(names, value_set=self.names[kind])
                codes[:, column] = place.to_numpy(zero_copy_only=False)
                codes[:, column] += first[column]
            yield batch, codes


def open_pairs(source: Any, columns: Sequence[str], role: str | None) -> Dataset:
    """A dataset with two columns of ids and perhaps one of roles."""
    dataset = open_dataset(source, columns[0], columns[1], Naming("columns", "columns"))
    if not dataset.long:
        raise InputError(f"the column {columns[1]!r} has lists; a pair has one id in each column.")
    if role is None:
        return dataset
    for path in dict.fromkeys(fragment.place for fragment in dataset.fragments):
        schema = arrow(".parquet").read_schema(path)
        type_ = schema.field(role).type if role in schema.names else None
        if type_ is not None and arrow().types.is_dictionary(type_):
            type_ = type_.value_type
        if type_ not in (arrow().string(), arrow().large_string()):
            what = "there is no such column" if type_ is None else f"the column has type {type_}"
            raise InputError(
                f"{what}; it must have the role of each pair in words.",
                place=Place(path, column=role),
                fix=Fix("Pass {} with the name of the column of roles.", "split"),
                parameter="split",
            )
    return replace(dataset, fragments=[replace(part, score=role) for part in dataset.fragments])


def gather_objects(engine: Any, dataset: Dataset, symmetric: bool) -> Objects:
    """Ids of all objects, sorted."""
    fragments = [replace(part, score=None) for part in dataset.fragments]
    return Objects(engine.total(partial(_ids_of, symmetric=symmetric), fragments).sorted())


@dataclass(frozen=True, eq=False)
class _Ids:
    """Distinct ids of each kind, which add up."""

    of_kind: list[Any]

    def __add__(self, other: "_Ids") -> "_Ids":
        both = zip(self.of_kind, other.of_kind, strict=True)
        return _Ids([arrow().concat_arrays(list(arrays)).unique() for arrays in both])

    def sorted(self) -> list[Any]:
        """Ids of each kind in order."""
        sort = arrow(".compute").sort_indices
        return [ids.take(sort(ids)) for ids in self.of_kind]


def _ids_of(fragment: Fragment, symmetric: bool) -> _Ids:
    columns: tuple[list[Any], list[Any]] = ([], [])
    for batch in fragment.batches():
        for column, name in enumerate((fragment.row, fragment.classes)):
            ids = plain(batch.column(column))
            if ids.null_count:
                raise InputError(
                    "an id is missing (null).",
                    place=Place(fragment.name, column=name),
                    fix="Fill it in, or drop the pair.",
                )
            columns[column].append(ids.unique())
    kinds = [columns[0] + columns[1]] if symmetric else list(columns)
    if symmetric and kinds[0][0].type != kinds[0][-1].type:
        raise InputError(
            f"ids are {kinds[0][0].type} in one column and {kinds[0][-1].type} in the other.",
            place=Place(fragment.name),
            fix=Fix("Write both as text, or pass {}.", "symmetric", False),
        )
    return _Ids([arrow().concat_arrays(arrays).unique() for arrays in kinds])
