"""``Folds`` and ``as_folds``: the part of each row, however it is given."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from trueval.core.arrays import as_rows, refuse_masked
from trueval.core.errors import InputError, InputWarning, Place, warn_user
from trueval.core.labels import as_labels
from trueval.core.named import Frozen, as_names, as_text, check_row_order
from trueval.core.params import NONE, Constraints, Instance, check_params

__all__ = ["Folds", "as_folds", "fingerprint", "index_pairs"]

_Pair = tuple[NDArray[np.intp], NDArray[np.intp]]


class Folds(Frozen):
    """Part number of each row, with the names of the rows and where the folds come from.

    Parameters
    ----------
    folds : array-like of int, or iterable of (train, test)
        As :func:`trueval.split_quality` takes them.
    index : sequence, optional
        Names of the rows.
    provenance : mapping, optional
        What is known of how they were made.

    Attributes
    ----------
    folds : ndarray of int32 of shape (n_rows,)
        Part number of each row, −1 for a row in no part. Read-only.
    index : ndarray of shape (n_rows,) or None
    provenance : dict
        ``input`` (fingerprint of the labels), ``parameters``, ``seed`` and
        ``version``; empty if trueval has not written the file they are read from.

    Examples
    --------
    >>> from trueval.core.folds import Folds
    >>> Folds([0, 1, 1, 0])
    Folds(4 rows, 2 folds)
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "provenance": (NONE, Instance(Mapping, "a mapping"))
    }
    folds: NDArray[np.int32]
    index: NDArray[Any] | None
    provenance: dict[str, Any]

    def __init__(
        self, folds: Any, index: Any = None, provenance: Mapping[str, Any] | None = None
    ) -> None:
        check_params("Folds", {"provenance": provenance}, self._parameter_constraints)
        numbers = as_folds(folds, free=True).view()
        numbers.flags.writeable = False
        names = None if index is None else as_names(index, len(numbers), "index")
        self._set(folds=numbers, index=names, provenance=dict(provenance or {}))

    @property
    def n_parts(self) -> int:
        """Number of parts, up to the largest number."""
        return int(self.folds.max()) + 1

    def __len__(self) -> int:
        return len(self.folds)

    def __repr__(self) -> str:
        return f"Folds({len(self):,} rows, {self.n_parts} folds)"


def as_folds(
    folds: Any,
    n_rows: int | None = None,
    *,
    name: str = "folds",
    n_parts: int | None = None,
    index: NDArray[Any] | None = None,
    free: bool = False,
    partition: bool = False,
) -> NDArray[np.int32]:
    """Part number of each row, from numbers, ``Folds`` or (train, test) pairs.

    ``n_rows``, ``n_parts`` and the names of the rows (``index``) are compared where they are
    known. With ``free``, -1 stands for a row without a part. With ``partition``, each training
    set must be all the rows that are not tested.

    >>> as_folds([([0, 2], [1, 3]), ([1, 3], [0, 2])], 4)
    array([1, 0, 1, 0], dtype=int32)
    """
    check_row_order(folds, index, name)
    if isinstance(folds, Folds):
        folds = folds.folds
    if isinstance(folds, Iterable) and not hasattr(folds, "__array__") and not _sized(folds):
        folds = list(folds)
    if _sized(folds) and len(folds) == 0:
        raise InputError(
            f"{name} is empty; give one part number for each row, or (train, test) pairs. A "
            "generator is empty after its first use."
        )
    if _are_pairs(folds):
        numbers = _from_pairs(folds, n_rows, name, partition)
    elif _is_one_pair(folds):
        raise InputError(
            f"{name} is a single (train, test) pair, and the test sets must cover all rows: give "
            "all pairs, list(cv.split(X, y)). To measure this split alone give part numbers, 0 "
            "for its training rows and 1 for its test rows."
        )
    else:
        numbers = _from_numbers(folds, n_rows, name, n_parts, free)
    if n_parts is not None and len(numbers) and numbers.max() >= n_parts:
        raise InputError(
            f"{name} has part numbers up to {numbers.max()}, but only {n_parts} parts are wanted."
        )
    return numbers


def _sized(folds: Any) -> bool:
    return isinstance(folds, Sequence)


def _are_pairs(folds: Any) -> bool:
    return (
        _sized(folds)
        and len(folds) > 0
        and all(isinstance(p, tuple | list) and len(p) == 2 and np.ndim(p[1]) == 1 for p in folds)
    )


def _is_one_pair(folds: Any) -> bool:
    return (
        isinstance(folds, tuple | list)
        and len(folds) == 2
        and all(isinstance(rows, np.ndarray | tuple | list) and len(rows) > 0 for rows in folds)
        and all(np.ndim(rows[0]) == 0 for rows in folds)
    )


def _from_numbers(
    folds: Any, n_rows: int | None, name: str, n_parts: int | None, free: bool
) -> NDArray[np.int32]:
    expected = f"{name} must be one part number (0, 1, …) for each row"
    expected += ", -1 where it has none" if free else ""
    expected += ", or a list of (train, test) pairs."
    refuse_masked(folds, name)
    try:
        numbers = np.array(folds)  # ours, so that what is checked stays so
    except ValueError:  # entries of unequal length
        raise InputError(f"{expected} Got {type(folds).__name__} of entries unlike that.") from None
    if numbers.dtype.kind == "f":
        numbers = numbers.astype(np.float64)  # of half precision, 2³¹ would be infinite
    if numbers.ndim != 1 or numbers.dtype.kind not in "iuf" or len(numbers) == 0:
        raise InputError(f"{expected} Got shape {numbers.shape} of dtype {numbers.dtype} instead.")
    if n_rows is not None and len(numbers) != n_rows:
        raise InputError(f"{name} has {len(numbers):,} entries but y has {n_rows:,} rows.")
    lowest, highest = -1 if free else 0, 2**31 if n_parts is None else n_parts
    inside = (numbers >= lowest) & (numbers < highest)
    if numbers.dtype.kind == "f":
        inside &= numbers == np.floor(numbers)
    bad = np.flatnonzero(~inside)
    if len(bad):
        last = "" if n_parts is None else f" to {n_parts - 1}"
        raise InputError(
            f"{name} has {numbers[bad[0]]}; a part number must be whole, from 0{last}"
            f"{', or -1 for a free row' if free else ''}.",
            place=Place(row=int(bad[0])),
        )
    whole = numbers.astype(np.int32)
    if n_parts is None:
        _say_if_from_one(whole, name)
    return whole


def _say_if_from_one(numbers: NDArray[np.int32], name: str) -> None:
    highest = int(numbers.max())
    if 1 < highest <= len(numbers):
        empty = np.bincount(numbers[numbers >= 0], minlength=1) == 0
        if empty[0] and not empty[1:].any():
            warn_user(
                f"{name} has the parts 1 to {highest}; parts are counted from 0, so that part 0 "
                "is empty.",
                InputWarning,
                fix="If they are counted from 1, subtract 1.",
            )


def index_pairs(pairs: Iterable[Any], n_rows: int | None, name: str) -> list[_Pair]:
    """Row numbers of (train, test) pairs, which may be masks or anything if a user made them."""
    listed = list(pairs)
    for number, pair in enumerate(listed):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise InputError(
                f"{name} must be (train, test) pairs of row numbers; number {number} is not."
            )
    if n_rows is None:
        arrays = [np.asarray(rows) for pair in listed for rows in pair]
        n_rows = max((_n_rows_in(rows) for rows in arrays), default=0)
    return [
        (
            as_rows(train, n_rows, f"the train part of pair {number} of {name}", repeats=True),
            as_rows(test, n_rows, f"the test part of pair {number} of {name}", repeats=True),
        )
        for number, (train, test) in enumerate(listed)
    ]


def _n_rows_in(rows: NDArray[Any]) -> int:
    if rows.dtype.kind in "iu":
        return int(rows.max(initial=-1)) + 1
    return len(rows) if rows.ndim == 1 else 0


def _from_pairs(
    folds: Sequence[Any], n_rows: int | None, name: str, partition: bool
) -> NDArray[np.int32]:
    # Training sets only matter where they must be the rest.
    pairs = index_pairs([(t if partition else (), test) for t, test in folds], n_rows, name)
    if n_rows is None:
        n_rows = max(int(rows.max(initial=-1)) + 1 for pair in pairs for rows in pair)
    numbers = np.full(n_rows, -1, dtype=np.int32)
    times = np.zeros(n_rows, dtype=np.int64)
    for part, (train, test) in enumerate(pairs):
        numbers[test] = part
        times += np.bincount(test, minlength=n_rows)
        if partition:
            _check_complement(train, test, n_rows, f"pair {part} of {name}")
    if (times != 1).any():
        never, often = np.flatnonzero(times == 0), np.flatnonzero(times > 1)
        problems = [
            f"{what} of {n_rows:,} rows, the first row {rows[0]}"
            for rows, what in (
                (never, f"leave out {len(never):,}"),
                (often, f"repeat {len(often):,}"),
            )
            if len(rows)
        ]
        raise InputError(
            f"the test sets of {name} {' and '.join(problems)}; each row must be in exactly one.",
            fix="Take all pairs of one partition, and each repeat by itself.",
        )
    return numbers


def _check_complement(
    train: NDArray[np.intp], test: NDArray[np.intp], n_rows: int, name: str
) -> None:
    trained = np.zeros(n_rows, bool)
    trained[train] = True
    rest = n_rows - len(test)
    if trained[test].any() or int(trained.sum()) != rest or len(train) != rest:
        raise InputError(
            f"{name} does not train exactly the rows it does not test: {len(train):,} train and "
            f"{len(test):,} test of {n_rows:,}. One part for each row cannot say which rows are "
            "left out."
        )


def fingerprint(labels: Any) -> str:
    """SHA-256 of labels: names and positives, whatever order named rows and classes have.

    Parameters
    ----------
    labels : Labels, or anything :func:`trueval.as_labels` takes

    Returns
    -------
    str
        Equal for equal rows, whatever their container.

    Examples
    --------
    >>> from trueval.data import fingerprint
    >>> fingerprint([{"a"}, {"b"}]) == fingerprint([{"a"}, {"b"}])
    True
    >>> fingerprint([{"a"}, {"b"}]) == fingerprint([{"b"}, {"a"}])
    False
    """
    labels = as_labels(labels)
    matrix = labels.matrix
    classes = as_text(labels.classes)
    order = np.argsort(classes, kind="stable")
    if (order[:-1] > order[1:]).any():
        matrix = matrix[:, order].tocsr()
    ids = None
    if labels.index is not None:
        ids = as_text(labels.index)
        by_name = np.argsort(ids, kind="stable")
        ids = ids[by_name]
        if (by_name[:-1] > by_name[1:]).any():
            matrix = matrix[by_name]
    matrix.sort_indices()
    digest = hashlib.sha256(b"trueval labels 1\n")
    digest.update(np.asarray(matrix.shape, "<i8").tobytes())
    digest.update(matrix.indptr.astype("<i8").tobytes())
    digest.update(matrix.indices.astype("<i8").tobytes())
    for names in (classes[order], ids):
        digest.update(b"\n-" if names is None else b"\n+")
        for name in () if names is None else names.tolist():
            text = name.encode("utf-8", "surrogatepass")
            digest.update(f"{len(text)}:".encode() + text)
    return digest.hexdigest()
