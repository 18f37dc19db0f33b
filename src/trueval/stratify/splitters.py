"""Stratified folds as scikit-learn splitters.

One template: a subclass says how to make the part numbers of one split, the base
class turns them into lazily made (train, test) index arrays.
"""

from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import _safe_indexing

from trueval.errors import InputError, shown
from trueval.labels import Labels, as_labels
from trueval.random import as_generator, as_random_state
from trueval.stratify.folds import (
    check_method,
    folds_by_method,
    warn_of_rare_classes,
)
from trueval.stratify.parts import Parts, as_parts

__all__ = [
    "MultilabelStratifiedGroupKFold",
    "MultilabelStratifiedKFold",
    "MultilabelStratifiedShuffleSplit",
    "RepeatedMultilabelStratifiedKFold",
    "train_test_split",
]

_Indices = NDArray[np.intp]


class _MultilabelSplitter(BaseCrossValidator):
    """From part numbers to (train, test)."""

    n_splits: int
    method: str
    method_params: dict[str, Any] | None
    random_state: Any

    def split(
        self, X: Any = None, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[_Indices, _Indices]]:
        """Generate train and test indices.

        Parameters
        ----------
        X : array-like, optional
            Only its length is looked at.
        y : array, sparse matrix, DataFrame or sequence of label sets
            Labels, in any form :func:`trueval.as_labels` takes.
        groups : array-like of shape (n_rows,), optional
            Used by :class:`MultilabelStratifiedGroupKFold` only.

        Yields
        ------
        train, test : ndarray of int
        """
        if y is None:
            raise InputError(
                f"{type(self).__name__}.split needs y, the labels; without them there is nothing "
                "to stratify."
            )
        check_method(self.method)
        labels = as_labels(y)
        if X is not None and (n_rows := _length(X)) != labels.n_rows:
            raise InputError(f"X has {n_rows} rows but y has {labels.n_rows}.")
        yield from self._splits(labels, groups)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of (train, test) pairs.

        Parameters
        ----------
        X, y, groups : object
            Ignored, for compatibility.

        Returns
        -------
        int
        """
        return int(self.n_splits)

    def _splits(self, labels: Labels, groups: Any) -> Iterator[tuple[_Indices, _Indices]]:
        raise NotImplementedError

    def _check_count(self, name: str, least: int) -> None:
        value = getattr(self, name)
        if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
            raise ValueError(
                f"The '{name}' parameter of {type(self).__name__} must be an int of at least "
                f"{least}. Got {shown(value)} instead."
            )

    def _stream(self, random_state: Any) -> Any:
        """Something to draw from again and again, as the method's peers would."""
        if self.method.startswith("iterative"):
            return as_random_state(random_state)
        return as_generator(random_state)

    def _folds(
        self, labels: Labels, parts: Parts, random_state: Any, **options: Any
    ) -> NDArray[np.int32]:
        own = {} if self.method_params is None else self.method_params
        if not isinstance(own, dict) or "groups" in own:
            raise ValueError(
                f"The 'method_params' parameter of {type(self).__name__} must be a dict of options "
                f"other than groups, which go to split. Got {own!r} instead."
            )
        return folds_by_method(self.method, labels, parts, random_state, {**own, **options})


class MultilabelStratifiedKFold(_MultilabelSplitter):
    """K-fold cross-validation in which every class has its share in every fold.

    A drop-in for the class of the same name in ``iterative-stratification``.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds.
    method : str, default="anneal"
        One of :data:`trueval.stratify.METHODS`. ``"iterative"`` gives the folds
        of ``iterative-stratification`` for the same ``random_state``.
    shuffle : bool, default=True
        With False, and no ``random_state``, the folds are always the same for
        the same data.
    random_state : None, int, Generator or RandomState
    method_params : dict, optional
        Options of the method, as :func:`~trueval.stratify.stratified_folds`
        takes them: ``{"effort": 4}``, for instance.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.model_selection import cross_validate
    >>> from trueval import MultilabelStratifiedKFold
    >>> from trueval.data import simulate
    >>> y = simulate.label_matrix(500, 20, random_state=0)
    >>> cv = MultilabelStratifiedKFold(5, random_state=0)
    >>> [len(test) for _, test in cv.split(y=y)]
    [100, 100, 100, 100, 100]
    """

    def __init__(
        self,
        n_splits: int = 5,
        *,
        method: str = "anneal",
        shuffle: bool = True,
        random_state: Any = None,
        method_params: dict[str, Any] | None = None,
    ) -> None:
        self.n_splits = n_splits
        self.method = method
        self.shuffle = shuffle
        self.random_state = random_state
        self.method_params = method_params

    def _splits(self, labels: Labels, groups: Any) -> Iterator[tuple[_Indices, _Indices]]:
        _ignore_groups(self, groups)
        yield from self._k_folds(labels, None)

    def _k_folds(self, labels: Labels, groups: Any) -> Iterator[tuple[_Indices, _Indices]]:
        self._check_count("n_splits", 2)
        parts = as_parts(int(self.n_splits), labels.n_rows)
        warn_of_rare_classes(labels, parts.n_parts)
        random_state: Any = self.random_state
        options: dict[str, Any] = {}
        if groups is not None:
            options["groups"] = groups
        if not self.shuffle:
            random_state = 0 if random_state is None else random_state
            if self.method.startswith("iterative"):
                options["shuffle"] = False
        folds = self._folds(labels, parts, random_state, **options)
        yield from _each_as_test(folds, int(self.n_splits))


class MultilabelStratifiedGroupKFold(MultilabelStratifiedKFold):
    """K-fold cross-validation that keeps groups together and classes balanced.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at most the number of groups.
    method : {"anneal", "random"}, default="anneal"
    shuffle : bool, default=True
        With False, and no ``random_state``, the folds are always the same for
        the same data.
    random_state : None, int, Generator or RandomState
    method_params : dict, optional
        Options of the method.

    Examples
    --------
    >>> import numpy as np
    >>> from trueval import MultilabelStratifiedGroupKFold
    >>> from trueval.data import simulate
    >>> y = simulate.label_matrix(500, 20, random_state=0)
    >>> patients = np.arange(500) // 4
    >>> cv = MultilabelStratifiedGroupKFold(5, random_state=0)
    >>> for train, test in cv.split(y=y, groups=patients):
    ...     assert not set(patients[train]) & set(patients[test])
    """

    # scikit-learn's metadata routing: this splitter asks for groups.
    __metadata_request__split = {"groups": True}  # noqa: RUF012

    def _splits(self, labels: Labels, groups: Any) -> Iterator[tuple[_Indices, _Indices]]:
        if groups is None:
            raise InputError(
                "MultilabelStratifiedGroupKFold.split needs groups, one for each row: pass groups= "
                "to what calls it. Only rows that do not belong together may go to "
                "MultilabelStratifiedKFold, which would separate them."
            )
        yield from self._k_folds(labels, groups)


class RepeatedMultilabelStratifiedKFold(_MultilabelSplitter):
    """Stratified K-fold, repeated with different randomisation.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds.
    n_repeats : int, default=10
        How often they are made anew.
    method : str, default="anneal"
        One of :data:`trueval.stratify.METHODS`.
    random_state : None, int, Generator or RandomState
    method_params : dict, optional
        Options of the method.

    Examples
    --------
    >>> from trueval import RepeatedMultilabelStratifiedKFold
    >>> RepeatedMultilabelStratifiedKFold(5, 2, random_state=0).get_n_splits()
    10
    """

    def __init__(
        self,
        n_splits: int = 5,
        n_repeats: int = 10,
        *,
        method: str = "anneal",
        random_state: Any = None,
        method_params: dict[str, Any] | None = None,
    ) -> None:
        self.n_splits = n_splits
        self.n_repeats = n_repeats
        self.method = method
        self.random_state = random_state
        self.method_params = method_params

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of (train, test) pairs.

        Parameters
        ----------
        X, y, groups : object
            Ignored, for compatibility.

        Returns
        -------
        int
        """
        return int(self.n_splits) * int(self.n_repeats)

    def _splits(self, labels: Labels, groups: Any) -> Iterator[tuple[_Indices, _Indices]]:
        _ignore_groups(self, groups)
        self._check_count("n_splits", 2)
        self._check_count("n_repeats", 1)
        parts = as_parts(int(self.n_splits), labels.n_rows)
        warn_of_rare_classes(labels, parts.n_parts)
        stream = self._stream(self.random_state)
        for _ in range(self.n_repeats):
            folds = self._folds(labels, parts, stream)
            yield from _each_as_test(folds, int(self.n_splits))


class MultilabelStratifiedShuffleSplit(_MultilabelSplitter):
    """Random stratified train/test splits of chosen sizes.

    Parameters
    ----------
    n_splits : int, default=10
        Number of splits.
    test_size, train_size : float, int or None, default=None
        A share, a number of rows, or what the other leaves; without both, 10 %
        are tested. If they do not add up to all rows, the rest is unused.
    method : str, default="anneal"
        One of :data:`trueval.stratify.METHODS`.
    random_state : None, int, Generator or RandomState
    method_params : dict, optional
        Options of the method.

    Examples
    --------
    >>> from trueval import MultilabelStratifiedShuffleSplit
    >>> from trueval.data import simulate
    >>> y = simulate.label_matrix(500, 20, random_state=0)
    >>> cv = MultilabelStratifiedShuffleSplit(3, train_size=0.5, test_size=0.2, random_state=0)
    >>> [(len(train), len(test)) for train, test in cv.split(y=y)]
    [(250, 100), (250, 100), (250, 100)]
    """

    def __init__(
        self,
        n_splits: int = 10,
        *,
        test_size: float | int | None = None,
        train_size: float | int | None = None,
        method: str = "anneal",
        random_state: Any = None,
        method_params: dict[str, Any] | None = None,
    ) -> None:
        self.n_splits = n_splits
        self.test_size = test_size
        self.train_size = train_size
        self.method = method
        self.random_state = random_state
        self.method_params = method_params

    def _splits(self, labels: Labels, groups: Any) -> Iterator[tuple[_Indices, _Indices]]:
        _ignore_groups(self, groups)
        self._check_count("n_splits", 1)
        sizes = _train_test_sizes(labels.n_rows, self.test_size, self.train_size, default=0.1)
        parts = as_parts(sizes, labels.n_rows)
        warn_of_rare_classes(labels, 2)  # unused rows are no part
        stream = self._stream(self.random_state)
        for _ in range(self.n_splits):
            folds = self._folds(labels, parts, stream)
            yield np.flatnonzero(folds == 0), np.flatnonzero(folds == 1)


def train_test_split(
    *arrays: Any,
    y: Any,
    test_size: float | int | None = None,
    train_size: float | int | None = None,
    groups: Any = None,
    method: str = "anneal",
    random_state: Any = None,
) -> list[Any]:
    """Split arrays and their labels into train and test, stratified by all classes.

    Parameters
    ----------
    *arrays : sequences of the same length as y
        Arrays, sparse matrices, data frames or lists.
    y : array, sparse matrix, DataFrame or sequence of label sets
        Labels, in any form :func:`trueval.as_labels` takes.
    test_size, train_size : float, int or None, default=None
        A share, a number of rows, or what the other leaves; without both, 25 %
        are tested. If they do not add up to all rows, the rest is unused.
    groups : array-like of shape (n_rows,), optional
        Rows of one group stay on one side; sizes are then only approximate.
    method : str, default="anneal"
        One of :data:`trueval.stratify.METHODS`.
    random_state : None, int, Generator or RandomState

    Returns
    -------
    list
        Train and test part of each array, then of y, of the types they came in.

    See Also
    --------
    trueval.stratify.stratified_folds : More than two parts, such as 80/10/10.

    Examples
    --------
    >>> import numpy as np
    >>> from trueval import train_test_split
    >>> from trueval.data import simulate
    >>> y = simulate.label_matrix(500, 20, random_state=0)
    >>> X = np.zeros((500, 3))
    >>> X_train, X_test, y_train, y_test = train_test_split(X, y=y, random_state=0)
    >>> X_train.shape, y_test.shape
    ((375, 3), (125, 20))
    """
    labels = as_labels(y)
    everything = [*arrays, y]
    for i, array in enumerate(arrays):
        if (n_rows := _length(array)) != labels.n_rows:
            raise InputError(f"array {i} has {n_rows} rows but y has {labels.n_rows}.")
    sizes = _train_test_sizes(labels.n_rows, test_size, train_size, default=0.25)
    check_method(method)
    warn_of_rare_classes(labels, 2)  # unused rows are no part
    options = {} if groups is None else {"groups": groups}
    parts = as_parts(sizes, labels.n_rows)
    folds = folds_by_method(method, labels, parts, random_state, options)
    train, test = np.flatnonzero(folds == 0), np.flatnonzero(folds == 1)
    return [_take(array, rows) for array in everything for rows in (train, test)]


# --- helpers ---------------------------------------------------------------------


def _each_as_test(folds: NDArray[np.int32], n_parts: int) -> Iterator[tuple[_Indices, _Indices]]:
    for part in range(n_parts):
        in_test = folds == part
        yield np.flatnonzero(~in_test), np.flatnonzero(in_test)


def _ignore_groups(splitter: Any, groups: Any) -> None:
    if groups is not None:
        raise InputError(
            f"{type(splitter).__name__} does not use groups, and would separate rows of one "
            "group. Use MultilabelStratifiedGroupKFold, or leave groups out."
        )


def _length(array: Any) -> int:
    shape = getattr(array, "shape", None)
    return int(shape[0]) if shape else len(array)


def _take(array: Any, rows: _Indices) -> Any:
    if isinstance(array, Labels):
        index = None if array.index is None else array.index[rows]
        return Labels(array.matrix[rows], array.classes, index)
    if hasattr(array, "tocsr"):
        array = array.tocsr()  # other sparse formats cannot be indexed by rows
    return _safe_indexing(array, rows)


def _train_test_sizes(n_rows: int, test_size: Any, train_size: Any, default: float) -> list[int]:
    """Row counts [train, test] or [train, test, unused]."""
    if test_size is None and train_size is None:
        test_size = default
    n_test = None if test_size is None else _n_rows_of("test_size", test_size, n_rows, np.ceil)
    n_train = None if train_size is None else _n_rows_of("train_size", train_size, n_rows, np.floor)
    if n_test is None:
        n_test = n_rows - (n_train or 0)
    if n_train is None:
        n_train = n_rows - n_test
    if n_train < 1 or n_test < 1 or n_train + n_test > n_rows:
        raise ValueError(
            f"test_size={test_size!r} and train_size={train_size!r} ask for {n_train} train and "
            f"{n_test} test rows, which {n_rows} rows do not give; both must be at least 1."
        )
    unused = n_rows - n_train - n_test
    return [n_train, n_test, unused] if unused else [n_train, n_test]


def _n_rows_of(name: str, size: Any, n_rows: int, rounding: Any) -> int:
    if isinstance(size, Integral) and not isinstance(size, bool) and int(size) > 0:
        return int(size)
    if isinstance(size, Real) and not isinstance(size, Integral) and 0 < float(size) < 1:
        return int(rounding(round(float(size) * n_rows, 9)))
    raise ValueError(
        f"The '{name}' parameter must be a share between 0 and 1, a positive number of rows, or "
        f"None. Got {size!r} instead."
    )
