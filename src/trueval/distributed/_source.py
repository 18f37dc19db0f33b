"""A Parquet file or folder as fragments, each read by itself, and what it holds."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueval.core.errors import Fix, InputError, Place, quote
from trueval.core.folders import files_in
from trueval.distributed._meaning import refuse_matrix_rows, refuse_values
from trueval.distributed._rows import Rows, arrow, canonical

__all__ = [
    "NAMING",
    "Dataset",
    "Fragment",
    "Naming",
    "frame_layout",
    "open_dataset",
    "open_folds",
    "read",
    "records",
    "scored_records",
]

_BATCH = 2**16  # records read at a time
_ROW, _CLASS = "row", "class"


class Naming(NamedTuple):
    """Parameters that name the two columns, None where a name is fixed; the name of the second."""

    row: str | None
    classes: str | None
    usual: str = _CLASS
    positives: bool = False  # whether each record of two columns is a positive


NAMING = Naming("row", "classes", positives=True)


@dataclass(frozen=True)
class Fragment:
    """A row group of a file, or a frame, with the columns to read."""

    place: Any  # path, frame that pyarrow takes, or Arrow table of the two columns
    group: int
    row: str
    classes: str
    schema: Any = None  # of a frame, which does not tell its types
    score: str | None = None  # column of scores, where they are read too
    first: int = 0  # row of the file that comes first
    stamp: tuple[int, int] | None = None  # of the file, when it was looked at

    @property
    def name(self) -> str | None:
        """Path of a file; None for a frame."""
        return self.place if isinstance(self.place, str) else None

    def batches(self) -> Iterator[Any]:
        """Record batches of the columns."""
        columns = [self.row, self.classes, *([self.score] if self.score else [])]
        if self.name is None:
            table = self.place
            if self.schema is not None:
                table = arrow().Table.from_pandas(
                    table[columns], schema=self.schema, preserve_index=False
                )
            yield from table.to_batches(_BATCH)
            return
        try:
            if _stamp(self.place) != self.stamp:
                raise _changed(self.place)
            with arrow(".parquet").ParquetFile(self.place, pre_buffer=False) as file:
                yield from file.iter_batches(
                    _BATCH, row_groups=[self.group], columns=columns, use_threads=False
                )
        except (OSError, arrow().ArrowException) as error:
            raise unreadable(self.place, error) from None


@dataclass(frozen=True)
class Dataset:
    """Fragments of a source, and how its records are read.

    Attributes
    ----------
    fragments : list of Fragment
    long : bool
        Whether a record is one (row, class) pair rather than a row with its list.
    n_records : int
    n_bytes : int
        Of the files; 0 where it is not known.
    names : tuple of str
        The two columns.
    """

    fragments: list[Any]
    long: bool
    n_records: int
    n_bytes: int
    names: tuple[str, str] = (_ROW, _CLASS)


def unreadable(path: str, error: Exception) -> InputError:
    """The error for a file that is no Parquet, or a damaged one."""
    why = str(error).splitlines()[0] if str(error) else type(error).__name__
    return InputError(
        f"cannot be read as Parquet: {why.rstrip('. ')}.",
        place=Place(path),
        fix="Write it again, or take it out of the folder; nothing was written.",
    )


def _stamp(path: str) -> tuple[int, int]:
    """What differs when a file has been written again."""
    about = os.stat(path)
    return about.st_size, about.st_mtime_ns


def _changed(path: str | None) -> InputError:
    """Each pass would see other data, so that what they compute would fit neither."""
    return InputError(
        "the data changed while they were read.",
        place=Place(path),
        fix="Start again when nothing writes to them; nothing was written.",
    )


def dataset_files(source: Any) -> list[str]:
    """Parquet files of a path, in the order of their names."""
    path = Path(os.fsdecode(source))
    if not path.exists():
        raise InputError("no such file or folder.", place=Place(str(path)), fix="Check the path.")
    if not path.is_dir():
        return [str(path)]
    files = sorted(
        str(file)
        for file in files_in(path)
        if file.suffix in (".parquet", ".pq")
        and not any(part[0] in "._" for part in file.relative_to(path).parts)
    )
    if not files:
        raise InputError(
            "the folder has no .parquet files.", place=Place(str(path)), fix="Check the path."
        )
    return files


def open_dataset(
    source: Any, row: str | None, classes: str | None, parameters: Naming = NAMING
) -> Dataset:
    """Look at every file of a dataset; all must have the same columns, of the same kind.

    ``parameters`` are those that name the two columns.
    """
    fragments, n_records, n_bytes = [], 0, 0
    kinds: dict[tuple[str, str], str] = {}
    names: tuple[str, str] | None = None
    for path in dataset_files(source):
        try:
            stamp = _stamp(path)
            with arrow(".parquet").ParquetFile(path) as file:
                schema, about = file.schema_arrow, file.metadata
                lengths = [about.row_group(g).num_rows for g in range(about.num_row_groups)]
                n_records += about.num_rows
        except (OSError, arrow().ArrowException) as error:
            raise unreadable(path, error) from None
        n_bytes += stamp[0]
        names = names or _columns(schema, row, classes, path, parameters)
        kind = _kinds(schema, names, path, parameters)
        first = kinds.setdefault(kind, path)
        if len(kinds) > 1:
            other = next(iter(kinds.items()))
            raise InputError(
                f"the columns {names[0]!r} and {names[1]!r} are {kind[0]} and {kind[1]} here, but "
                f"{other[0][0]} and {other[0][1]} in {other[1]}.",
                place=Place(first),
                fix="Write all files with the same types.",
            )
        starts = np.cumsum(lengths) - lengths
        fragments += [
            Fragment(path, group, *names, first=int(start), stamp=stamp)
            for group, (start, length) in enumerate(zip(starts, lengths, strict=True))
            if length
        ]
    if n_records == 0 or names is None:
        raise InputError("there are no rows.", place=Place(str(source)))
    long = not next(iter(kinds))[1].startswith("lists")
    return Dataset(fragments, long, n_records, n_bytes, names)


def open_folds(source: Any) -> Dataset:
    """A dataset of row and fold, one whole number for each row."""
    dataset = open_dataset(source, None, "fold", Naming(None, None))
    for path in dict.fromkeys(fragment.place for fragment in dataset.fragments):
        type_ = arrow(".parquet").read_schema(path).field("fold").type
        if not arrow().types.is_integer(type_):
            raise InputError(
                f"the column has type {type_}; a row has one fold, a whole number from 0.",
                place=Place(path, column="fold"),
                fix="Convert it.",
            )
    return dataset


def frame_layout(
    first: Any, row: str | None, classes: str | None, parameters: Naming = NAMING
) -> tuple[tuple[str, str], Any, bool]:
    """Column names and types of a frame, and whether a record is a (row, class) pair.

    ``first`` has the first records; the types of a frame do not tell lists from text.
    """
    if (row or _ROW) in first.index.names and (row or _ROW) not in first.columns:
        raise InputError(
            f"{row or _ROW!r} is the index of the frame.", fix="Make it a column by reset_index()."
        )
    schema = arrow().Schema.from_pandas(first, preserve_index=False)
    names = _columns(schema, row, classes, "the frame", parameters)
    kinds = _kinds(schema, names, "the frame", parameters)
    text = [value for value in first[names[1]] if isinstance(value, str)]
    if text and text[0][:1] + text[0][-1:] == "[]":
        raise InputError(
            f"the classes are lists that Dask has turned into text: {quote(text[0])}.",
            place=Place("the frame", column=names[1]),
            fix="Set the option dataframe.convert-string of Dask to False before making the frame.",
        )
    used = arrow().schema([schema.field(name) for name in names])
    return names, used, not kinds[1].startswith("lists")


def _columns(
    schema: Any, row: str | None, classes: str | None, path: str, parameters: Naming
) -> tuple[str, str]:
    """Names of the columns of ids and classes."""
    names = list(schema.names)
    id_name, usual = row or _ROW, parameters.usual
    if classes is None:
        of_classes = usual == _CLASS
        others = [f.name for f in schema if (_is_list(f.type) if of_classes else f.name != id_name)]
        classes = others[0] if len(others) == 1 and usual not in names else usual
    for name, naming in zip((id_name, classes), parameters[:2], strict=True):
        if name not in names:
            raise InputError(
                f"there is no column {name!r}. It has {', '.join(map(repr, names[:10]))}.",
                place=Place(path),
                fix=Fix("Pass {} with the name of the column.", naming) if naming else None,
                parameter=naming,
            )
    return id_name, classes


def _kinds(schema: Any, names: tuple[str, str], path: str, parameters: Naming) -> tuple[str, str]:
    """Kinds of the two columns, in words; only ids of numbers or text, and lists of them."""
    kinds = []
    for name, may_list in zip(names, (False, True), strict=True):
        if name not in schema.names:
            raise InputError(
                f"there is no column {name!r}, which other files have.", place=Place(path)
            )
        type_ = schema.field(name).type
        listed = ""
        if may_list and _is_list(type_):
            type_, listed = type_.value_type, "lists of "
        kinds.append(listed + _kind(type_, name, path))
    if parameters.positives and not listed:
        refuse_values(schema, names, path)
    return kinds[0], kinds[1]


def _kind(type_: Any, name: str, path: str) -> str:
    t = arrow().types
    if t.is_dictionary(type_):
        return _kind(type_.value_type, name, path)
    if t.is_integer(type_):
        return "whole numbers"
    if t.is_string(type_) or t.is_large_string(type_) or t.is_string_view(type_):
        return "text"
    lists = " Lists are of type list or large_list." if t.is_nested(type_) else ""
    raise InputError(
        f"the column has type {type_}; ids and classes are whole numbers or text.{lists}",
        place=Place(path, column=name),
        fix="Convert it.",
    )


def plain(array: Any) -> Any:
    """An array of ids or classes as int64 or large_string."""
    t = arrow().types
    if t.is_dictionary(array.type):
        array = array.dictionary_decode()
    try:
        return array.cast(arrow().int64() if t.is_integer(array.type) else arrow().large_string())
    except arrow().ArrowInvalid:
        raise InputError(
            f"an id or a class is a number above {2**63 - 1}.", fix="Write them as text."
        ) from None


def read(fragment: Fragment, classes: Any) -> Iterator[Rows]:
    """Rows of a fragment; class numbers are places in ``classes``, an Arrow array.

    A record of a long dataset is a row with one class, or with none where the class is null.
    """
    for ids, indptr, values in records(fragment):
        numbers = arrow(".compute").index_in(values, value_set=classes)
        if numbers.null_count:
            raise _changed(fragment.name)
        yield Rows(ids, *canonical(indptr, numbers.to_numpy().astype(np.int32)))


def records(fragment: Fragment) -> Iterator[tuple[Any, NDArray[np.int64], Any]]:
    """Ids, list bounds and class values of a fragment, batch by batch."""
    for ids, indptr, values, _ in scored_records(fragment):
        yield ids, indptr, values


def scored_records(fragment: Fragment) -> Iterator[tuple[Any, NDArray[np.int64], Any, Any]]:
    """The same and the scores, None where the fragment has none."""
    at = 0
    for batch in fragment.batches():
        ids, cells = batch.column(0), batch.column(1)
        _refuse_nulls(ids, fragment, at)
        if _is_list(cells.type):
            lengths = arrow(".compute").list_value_length(cells).fill_null(0)
            lengths = lengths.to_numpy(zero_copy_only=False)
            values = cells.flatten()
            if values.null_count:
                raise InputError(
                    "a list has a missing class (null).",
                    place=Place(fragment.name, column=fragment.classes),
                    fix="Remove it.",
                )
        else:
            lengths = cells.is_valid().to_numpy(zero_copy_only=False)
            values = cells.drop_null()
        scores = None if fragment.score is None else batch.column(2)
        if scores is not None:
            scores = _matching_scores(fragment, ids, lengths, scores)
        indptr = np.append([0], np.cumsum(lengths)).astype(np.int64)
        refuse_matrix_rows(values, indptr, fragment.name, fragment.classes)
        at += len(ids)
        yield plain(ids), indptr, plain(values), scores


def _matching_scores(fragment: Fragment, ids: Any, lengths: NDArray[Any], scores: Any) -> Any:
    """Scores one after the other; refused where a record has not one for each of its classes."""
    n = np.ones(len(scores), np.int64)
    if _is_list(scores.type):
        n = arrow(".compute").list_value_length(scores).fill_null(0).to_numpy(zero_copy_only=False)
        scores = scores.flatten()
    other = np.flatnonzero(n != lengths)
    if len(other):
        at = int(other[0])
        raise InputError(
            f"the row {quote(ids[at].as_py())} has {int(lengths[at]):,} classes but {n[at]:,} "
            "scores.",
            place=Place(fragment.name, column=fragment.score),
            fix="Every class needs a score.",
        )
    return scores


def _is_list(type_: Any) -> bool:
    t = arrow().types
    return bool(t.is_list(type_) or t.is_large_list(type_))


def _refuse_nulls(ids: Any, fragment: Fragment, at: int) -> None:
    if ids.null_count:
        missing = np.flatnonzero(ids.is_null().to_numpy(zero_copy_only=False))
        first = fragment.first + at + int(missing[0])
        raise InputError(
            "a row id is missing (null).",
            place=Place(
                fragment.name or "the frame",
                row=first if fragment.name else None,  # partitions of a frame have no number
                column=fragment.row,
            ),
            fix="Fill it in, or drop the row.",
        )
