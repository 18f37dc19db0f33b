"""From held-out objects to the roles of rows: what every pair splitter shares.

One template: a subclass says which objects each fold holds out.

The base class says what holding out objects (O_V of the paper) makes of every row.
With *new* the number of a row's members that are held out:

=========  =======================  ==========================================
role       members held out         use
=========  =======================  ==========================================
A_tA_t     none                     training
A_tA_v     some                     strict: dropped; relaxed: training
A_vA_v     all                      validation (setting BB)
=========  =======================  ==========================================

The settings AB and AA validate on rows with some or none of their members new.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator

from trueval.core.errors import Fix, InputError, InputWarning, ParameterError, warn_user
from trueval.core.ids import SYMMETRIC, PairIndex
from trueval.core.pairs import as_pairs
from trueval.core.params import BOOL, RANDOM_STATE, Choice, Constraints, Interval, Many, check_self
from trueval.core.presentable import HtmlCard
from trueval.pairs._settings import C_NAMES, SETTINGS, setting_name

__all__ = [
    "BALANCE",
    "COLD",
    "SCHEME",
    "SETTING",
    "SPLIT",
    "ObjectSplitter",
    "PairFold",
    "UnscorableFoldWarning",
    "check_train",
    "cold_columns",
    "n_distinct",
    "others_seen",
    "pair_parts",
    "part_choices",
]

_Indices = NDArray[np.intp]

SCHEME = Choice(("strict", "relaxed"))
SETTING = Choice((*SETTINGS, *C_NAMES))
BALANCE = Choice(("degrees", "pairs", "objects"))
COLD = (
    Choice((None, "rows", "columns", "both")),
    Interval(int, 0),
    Many(Interval(int, 0), "column numbers", ordered=False),
)


#: Constraints on the parameters that splitters share.
SPLIT: Constraints = {
    "scheme": SCHEME,
    "setting": SETTING,
    "symmetric": SYMMETRIC,
    "random_state": RANDOM_STATE,
    "cold": COLD,
    "balance": BALANCE,
    "stratify": BOOL,
}


class UnscorableFoldWarning(InputWarning):
    """Some folds have no pair to validate on."""


@dataclass(frozen=True, eq=False)
class PairFold(HtmlCard):
    """One fold and what it lost.

    Attributes
    ----------
    number : int
        Place of the fold, from 0.
    train : ndarray of int
        Rows to train on; those of a bootstrap are repeated as often as they were drawn.
    validation : dict of str to ndarray of int
        Rows to validate on, by setting.
    n_rows : int
        Rows of the data.
    held_out : ndarray of bool
        Which objects the fold holds out.
    """

    number: int
    train: _Indices
    validation: dict[str, _Indices]
    n_rows: int
    held_out: NDArray[np.bool_]

    @property
    def test(self) -> _Indices:
        """Rows to validate on, all settings together, in order."""
        if len(self.validation) == 1:
            return next(iter(self.validation.values()))
        return np.sort(np.concatenate(list(self.validation.values())))

    @property
    def n_dropped(self) -> int:
        """Rows that are neither trained on nor validated."""
        n_trained = n_distinct(self.train, self.n_rows)
        return self.n_rows - n_trained - sum(len(v) for v in self.validation.values())

    def __repr__(self) -> str:
        sets = ", ".join(f"{name} {len(rows):,}" for name, rows in self.validation.items())
        return (
            f"PairFold {self.number}: {int(self.held_out.sum()):,} objects held out, train "
            f"{len(self.train):,}, validation {sets}, dropped {self.n_dropped:,}"
        )


class ObjectSplitter(BaseCrossValidator):
    """From held-out objects to (train, test)."""

    # scikit-learn's metadata routing: the pairs come as groups.
    __metadata_request__split = {"groups": True}  # noqa: RUF012

    _parameter_constraints: ClassVar[Constraints]
    scheme: str
    symmetric: bool | Sequence[Any]
    setting: str = "BB"
    cold: Any = None
    # What a fold without training rows needs, for the message.
    needs_for_training: ClassVar[str] = "a larger n_splits"

    @property
    def setting_name(self) -> str:
        """The setting as AA, AB or BB."""
        return setting_name(self.setting)

    def split(
        self, X: Any = None, y: Any = None, groups: Any = None
    ) -> Iterator[tuple[_Indices, _Indices]]:
        """Generate train and validation rows.

        Parameters
        ----------
        X : array-like, optional
            Only its length is looked at.
        y : array-like, optional
            Labels of the rows; binary ones are balanced over the parts, so that
            folds with y differ from folds without y.
        groups : Pairs, PairIndex or array-like of shape (n_rows, 2)
            The pairs: ids of the two objects of each row. ``Pairs`` and a
            ``PairIndex`` are numbered once, however often they are given.

        Yields
        ------
        train, test : ndarray of int
        """
        for fold in self.folds(X, y, groups):
            yield fold.train, fold.test

    def folds(self, X: Any = None, y: Any = None, groups: Any = None) -> Iterator[PairFold]:
        """Generate folds that know what they lost.

        Parameters
        ----------
        X, y, groups : array-like
            As in :meth:`split`.

        Yields
        ------
        PairFold
        """
        check_self(self)
        index = as_pairs(groups, symmetric=self.symmetric, X=X, y=y)
        empty = []
        for fold in self._folds(index, y):
            if not len(fold.test):
                empty.append(fold.number)
            yield fold
        if empty:
            warn_of_empty(empty, fold.number + 1, self.setting_name)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds."""
        raise NotImplementedError

    # --- hooks and shared work ---------------------------------------------------

    def _folds(self, index: PairIndex, y: Any) -> Iterator[PairFold]:
        for number, held_out in enumerate(self._held_out(index, y)):
            yield self._fold(index, number, held_out)

    def _held_out(self, index: PairIndex, y: Any) -> Iterator[NDArray[np.bool_]]:
        raise NotImplementedError

    def _cold_columns(self, index: PairIndex) -> list[int]:
        columns = cold_columns(self.cold, index)
        if self.setting_name == "AB" and len(columns) == 1:
            raise InputError(
                f"cold={self.cold!r} already validates pairs with one new object.",
                fix=Fix(
                    "Use it with {}, or {} with all columns cold.",
                    "setting",
                    "BB",
                    more=(("setting", "AB"),),
                ),
            )
        return columns

    def _fold(self, index: PairIndex, number: int, held_out: NDArray[np.bool_]) -> PairFold:
        """Roles of all rows when these objects are held out."""
        columns = self._cold_columns(index)
        new = held_out[index.codes[:, columns]].sum(axis=1)
        n_cold = len(columns)
        setting = self.setting_name
        valid = new == n_cold if setting == "BB" else (new > 0) & (new < n_cold)
        train = new == 0 if self.scheme == "strict" else ~valid
        check_train(self, train, number)
        if setting == "AB" or n_cold < index.arity:
            # Members that are not held out must be seen, or the row is newer than it claims.
            valid = valid & others_seen(index, train, held_out)
        return PairFold(
            number,
            np.flatnonzero(train),
            {setting: np.flatnonzero(valid)},
            index.n_rows,
            held_out,
        )


# --- helpers ---------------------------------------------------------------------


def warn_of_empty(empty: Sequence[int], n_folds: int, setting: str) -> None:
    """Say which folds validate nothing."""
    listed = ", ".join(map(str, empty[:5])) + (", …" if len(empty) > 5 else "")
    warn_user(
        f"{len(empty)} of {n_folds} folds have no {setting} pair to validate on (folds {listed}).",
        UnscorableFoldWarning,
        fix=Fix("Use fewer parts, {} or {}.", "overlapping", True, more=(("stratify", True),)),
    )


def n_distinct(rows: _Indices, n_rows: int) -> int:
    """Number of different rows: a bootstrap has some of them more than once."""
    trained = np.zeros(n_rows, dtype=bool)
    trained[rows] = True
    return int(trained.sum())


def check_train(splitter: Any, train: NDArray[np.bool_], number: int) -> None:
    """Refuse a fold without training rows, with the splitter's own advice."""
    if not train.any():
        raise InputError(
            f"fold {number} of {type(splitter).__name__} has an empty training set: every pair "
            f"has a held-out object under scheme={splitter.scheme!r}.",
            fix=Fix(f"It needs {splitter.needs_for_training}, or {{}}.", "scheme", "relaxed"),
        )


def cold_columns(cold: Any, index: PairIndex) -> list[int]:
    """Columns whose objects are held out."""
    if cold is None or cold == "both":
        return list(range(index.arity))
    named = {"rows": [0], "columns": [1]}
    if isinstance(cold, str):
        if cold not in named:
            expected = "None, 'rows', 'columns', 'both' or column numbers"
            raise ParameterError("cold", expected, cold)
        columns = named[cold]
    else:
        columns = [int(c) for c in np.atleast_1d(cold)]
    if not columns or min(columns) < 0 or max(columns) >= index.arity:
        raise InputError(f"cold={cold!r} names columns outside 0 … {index.arity - 1}.")
    cold_kinds = {index.kind_of_column[c] for c in columns}
    others = {k for c, k in enumerate(index.kind_of_column) if c not in columns}
    if cold_kinds & others:
        raise InputError(
            f"cold={cold!r} holds out the objects of one column that another column of the same "
            "kind also has; that needs symmetric=False, or all columns of the kind."
        )
    return columns


def part_choices(
    n_parts: int, kinds: Sequence[int], overlapping: bool
) -> list[dict[int, tuple[int, ...]]]:
    """Parts held out of each kind, fold by fold."""
    distinct = sorted(set(kinds))
    if not overlapping:
        return [dict.fromkeys(distinct, (p,)) for p in range(n_parts)]
    # As many parts of a kind as a row has members of it, so that every row is covered.
    each = [list(combinations(range(n_parts), min(kinds.count(k), n_parts))) for k in distinct]
    return [dict(zip(distinct, choice, strict=True)) for choice in product(*each)]


def pair_parts(index: PairIndex, n_parts: int, generator: np.random.Generator) -> NDArray[np.int64]:
    """Part of each row by its distinct pair: replicates and mirror images together."""
    if index.n_pairs < n_parts:
        raise InputError(
            f"there are {index.n_pairs} distinct pairs but {n_parts} parts.",
            fix=Fix("Use {} or fewer.", "n_splits", index.n_pairs),
        )
    part = np.arange(index.n_pairs) % n_parts
    return generator.permutation(part)[index.pair_number]


def others_seen(
    index: PairIndex, train: NDArray[np.bool_], held_out: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Whether all members that are not held out occur in a training row."""
    seen = held_out.copy()
    seen[index.codes[train]] = True
    known: NDArray[np.bool_] = np.asarray(seen[index.codes].all(axis=1))
    return known
