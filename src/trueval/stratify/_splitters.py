"""Stratified folds as scikit-learn splitters.

One template: a subclass says how to make the part numbers of one split, the base
class turns them into lazily made (train, test) index arrays. They are dataclasses: a
parameter is written once, and kept as it is given.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator

from trueval.core.arrays import n_rows_of
from trueval.core.docs import N_SPLITS, shared_sections
from trueval.core.errors import Fix, InputError
from trueval.core.labels import Labels, as_labels
from trueval.core.params import (
    BOOL,
    RANDOM_STATE,
    Constraints,
    Interval,
    Where,
    check_self,
)
from trueval.core.random import as_generator, as_random_state
from trueval.stratify._folds import folds_by_method, warn_of_rare_classes
from trueval.stratify._inputs import METHOD
from trueval.stratify._methods import METHODS
from trueval.stratify._parts import Parts, as_parts
from trueval.stratify._train_test import SIZE, train_test_sizes

__all__ = [
    "DATA",
    "METHOD_OPTIONS",
    "SPLIT",
    "MultilabelSplitter",
    "MultilabelStratifiedGroupKFold",
    "MultilabelStratifiedKFold",
    "MultilabelStratifiedShuffleSplit",
    "RepeatedMultilabelStratifiedKFold",
    "each_as_test",
]

_Indices = NDArray[np.intp]
#: Parameters of splitters in docstrings.
METHOD_OPTIONS = """
random_state : None, int, Generator or RandomState
method_params : dict, optional
    Options of the method.
"""
ANY_METHOD = f"""
method : str, default="anneal"
    One of :data:`trueval.stratify.METHODS`.
{METHOD_OPTIONS.strip()}
"""
#: Parameters of ``split``.
DATA = """
X : array-like, optional
    Only its length is looked at.
y : array, sparse matrix, DataFrame or sequence of label sets
    Labels, in any form :func:`trueval.as_labels` takes.
"""
_METHOD_PARAMS = Where(
    lambda options: options is None or (isinstance(options, dict) and "groups" not in options),
    "a dict of options other than groups, which go to split",
)
SPLIT: Constraints = {
    "n_splits": Interval(int, 2),
    "method": METHOD,
    "random_state": RANDOM_STATE,
    "method_params": _METHOD_PARAMS,
}


@dataclass(eq=False, repr=False)
class MultilabelSplitter(BaseCrossValidator):
    """From part numbers to (train, test)."""

    _parameter_constraints: ClassVar[Constraints]
    n_splits: int
    method: str = field(default="anneal", kw_only=True)
    random_state: Any = field(default=None, kw_only=True)
    method_params: dict[str, Any] | None = field(default=None, kw_only=True)

    @shared_sections(data=DATA)
    def split(
        self, X: Any = None, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[_Indices, _Indices]]:
        """Generate train and test indices.

        Parameters
        ----------
        {data}
        groups : array-like of shape (n_rows,), optional
            Used by :class:`MultilabelStratifiedGroupKFold` only.

        Yields
        ------
        train, test : ndarray of int
        """
        yield from self._splits(self._labels(X, y), groups)

    def _labels(self, X: Any, y: Any) -> Labels:
        """Check the parameters and the data."""
        if y is None:
            raise InputError(
                f"{type(self).__name__}.split needs y, the labels; without them there is nothing "
                "to stratify."
            )
        check_self(self)
        labels = as_labels(y)
        if X is not None and (n_rows := n_rows_of(X, "X")) != labels.n_rows:
            raise InputError(f"X has {n_rows} rows but y has {labels.n_rows}.")
        return labels

    @shared_sections(sections=N_SPLITS)
    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of (train, test) pairs.

        {sections}
        """
        return int(self.n_splits) * int(getattr(self, "n_repeats", 1))

    def _splits(self, labels: Labels, groups: Any) -> Iterator[tuple[_Indices, _Indices]]:
        raise NotImplementedError

    def _stream(self, random_state: Any) -> Any:
        """Something to draw from again and again, as the method's peers would."""
        if METHODS[self.method].legacy_stream:
            return as_random_state(random_state)
        return as_generator(random_state)

    def _folds(
        self, labels: Labels, parts: Parts, random_state: Any, **options: Any
    ) -> NDArray[np.int32]:
        chosen = {**(self.method_params or {}), **options}
        return folds_by_method(self.method, labels, parts, random_state, chosen)


@dataclass(eq=False, repr=False)
class MultilabelStratifiedKFold(MultilabelSplitter):
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

    _parameter_constraints: ClassVar[Constraints] = {**SPLIT, "shuffle": BOOL}

    n_splits: int = 5
    shuffle: bool = field(default=True, kw_only=True)

    def _splits(self, labels: Labels, groups: Any) -> Iterator[tuple[_Indices, _Indices]]:
        _ignore_groups(self, groups)
        yield from self._k_folds(labels, None)

    def _k_folds(self, labels: Labels, groups: Any) -> Iterator[tuple[_Indices, _Indices]]:
        parts = as_parts(int(self.n_splits), labels.n_rows)
        warn_of_rare_classes(labels.class_sizes, parts.n_parts)
        random_state: Any = self.random_state
        options: dict[str, Any] = {}
        if groups is not None:
            options["groups"] = groups
        if not self.shuffle:
            random_state = 0 if random_state is None else random_state
            if "shuffle" in METHODS[self.method].takes:
                options["shuffle"] = False
        folds = self._folds(labels, parts, random_state, **options)
        yield from each_as_test(folds, int(self.n_splits))


@shared_sections(options=METHOD_OPTIONS)
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
    {options}

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
                "MultilabelStratifiedGroupKFold.split needs groups, one for each row.",
                fix=Fix(
                    "Pass {} to what calls it. Only rows that do not belong together may go to "
                    "MultilabelStratifiedKFold, which would separate them.",
                    "groups",
                ),
            )
        yield from self._k_folds(labels, groups)


@shared_sections(method=ANY_METHOD)
@dataclass(eq=False, repr=False)
class RepeatedMultilabelStratifiedKFold(MultilabelSplitter):
    """Stratified K-fold, repeated with different randomisation.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds.
    n_repeats : int, default=10
        How often they are made anew.
    {method}

    Examples
    --------
    >>> from trueval import RepeatedMultilabelStratifiedKFold
    >>> RepeatedMultilabelStratifiedKFold(5, 2, random_state=0).get_n_splits()
    10
    """

    _parameter_constraints: ClassVar[Constraints] = {**SPLIT, "n_repeats": Interval(int, 1)}

    n_splits: int = 5
    n_repeats: int = 10

    def _splits(self, labels: Labels, groups: Any) -> Iterator[tuple[_Indices, _Indices]]:
        _ignore_groups(self, groups)
        parts = as_parts(int(self.n_splits), labels.n_rows)
        warn_of_rare_classes(labels.class_sizes, parts.n_parts)
        stream = self._stream(self.random_state)
        for _ in range(self.n_repeats):
            folds = self._folds(labels, parts, stream)
            yield from each_as_test(folds, int(self.n_splits))


@shared_sections(method=ANY_METHOD)
@dataclass(eq=False, repr=False)
class MultilabelStratifiedShuffleSplit(MultilabelSplitter):
    """Random stratified train/test splits of chosen sizes.

    Parameters
    ----------
    n_splits : int, default=10
        Number of splits.
    test_size, train_size : float, int or None, default=None
        A share, a number of rows, or what the other leaves; without both, 10 %
        are tested. If they do not add up to all rows, the rest is unused.
    {method}

    Examples
    --------
    >>> from trueval import MultilabelStratifiedShuffleSplit
    >>> from trueval.data import simulate
    >>> y = simulate.label_matrix(500, 20, random_state=0)
    >>> cv = MultilabelStratifiedShuffleSplit(3, train_size=0.5, test_size=0.2, random_state=0)
    >>> [(len(train), len(test)) for train, test in cv.split(y=y)]
    [(250, 100), (250, 100), (250, 100)]
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **SPLIT,
        "n_splits": Interval(int, 1),
        "test_size": SIZE,
        "train_size": SIZE,
    }

    n_splits: int = 10
    test_size: float | int | None = field(default=None, kw_only=True)
    train_size: float | int | None = field(default=None, kw_only=True)

    def _splits(self, labels: Labels, groups: Any) -> Iterator[tuple[_Indices, _Indices]]:
        _ignore_groups(self, groups)
        sizes = train_test_sizes(labels.n_rows, self.test_size, self.train_size, default=0.1)
        parts = as_parts(sizes, labels.n_rows)
        warn_of_rare_classes(labels.class_sizes, 2)  # unused rows are no part
        stream = self._stream(self.random_state)
        for _ in range(self.n_splits):
            folds = self._folds(labels, parts, stream)
            yield np.flatnonzero(folds == 0), np.flatnonzero(folds == 1)


def each_as_test(folds: NDArray[np.int32], n_parts: int) -> Iterator[tuple[_Indices, _Indices]]:
    for part in range(n_parts):
        yield np.flatnonzero((folds != part) & (folds >= 0)), np.flatnonzero(folds == part)


def _ignore_groups(splitter: Any, groups: Any) -> None:
    if groups is not None:
        raise InputError(
            f"{type(splitter).__name__} does not use groups, and would separate rows of one group.",
            fix="Use MultilabelStratifiedGroupKFold, or leave groups out.",
        )
